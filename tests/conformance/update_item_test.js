// UpdateItem: SET, REMOVE, ADD, DELETE, return values, paths, what is refused.

import assert from 'node:assert/strict';
import { av, call, fails, get, invalid, item, num, plainItem, put, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({ one: { key: 'pk:S' }, two: { key: 'pk:S sk:S', gsi: { gsi: 'gpk:S' } } });
const test = suite('update_item', hooks);
const kInvalid = 'One or more parameter values were invalid: ';
const kOperand = 'An operand in the update expression has an incorrect data type';

const request = (pk, expression, values, more = {}) => ({
  TableName: names.one,
  Key: item({ pk }),
  UpdateExpression: expression,
  ...(values ? { ExpressionAttributeValues: item(values) } : {}),
  ...more,
});
const update = (...args) => call('UpdateItem', request(...args));
const refuse = (expression, values, message, more) =>
  invalid('UpdateItem', request('refused', expression, values, more), message);
// Puts `before`, updates it and gives the item without its key.
let serial = 0;
async function changed(before, expression, values, more) {
  const pk = `u${serial++}`;
  if (before) await put(names.one, { pk, ...before });
  await update(pk, expression, values, more);
  const { pk: _, ...rest } = await get(names.one, { pk });
  return rest;
}

test('SET creates an item that was not there', async () => {
  assert.deepEqual(await changed(null, 'SET a = :a, b = :b', { ':a': 1, ':b': 'x' }), { a: 1, b: 'x' });
});

test('without an expression the key alone is created', async () => {
  await call('UpdateItem', { TableName: names.one, Key: item({ pk: 'bare' }) });
  assert.deepEqual(await get(names.one, { pk: 'bare' }), { pk: 'bare' });
});

test('an update that only removes creates no item', async () => {
  await update('removed', 'REMOVE a');
  assert.equal(await get(names.one, { pk: 'removed' }), undefined);
});

test('operands see the item as it was before the update', async () => {
  assert.deepEqual(await changed({ a: 1, b: 2 }, 'SET a = b, b = a'), { a: 2, b: 1 });
});

test('arithmetic with + and -', async () => {
  assert.deepEqual(await changed({ n: 10, m: 3 }, 'SET n = n + :one, m = :ten - m', { ':one': 1, ':ten': 10 }), {
    n: 11,
    m: 7,
  });
});

test('arithmetic is exact where doubles are not', async () => {
  assert.deepEqual(await changed({ n: num('0.1') }, 'SET n = n + :v', { ':v': num('0.2') }), { n: 0.3 });
  assert.deepEqual(await changed({ n: num('9007199254740992') }, 'SET n = n + :v', { ':v': 1 }), {
    n: num('9007199254740993'),
  });
});

test('if_not_exists takes the old value or the default', async () => {
  assert.deepEqual(
    await changed({ a: 1 }, 'SET a = if_not_exists(a, :z), b = if_not_exists(b, :z) + :one', { ':z': 0, ':one': 1 }),
    { a: 1, b: 1 },
  );
});

test('if_not_exists may look at another path', async () => {
  assert.deepEqual(
    await changed({ m: { x: 1 } }, 'SET b = if_not_exists(m.x, :z), c = if_not_exists(m.y, m.x)', { ':z': 9 }),
    { m: { x: 1 }, b: 1, c: 1 },
  );
});

test('list_append appends and prepends', async () => {
  assert.deepEqual(await changed({ l: [1, 2] }, 'SET l = list_append(l, :v)', { ':v': [3] }), { l: [1, 2, 3] });
  assert.deepEqual(await changed({ l: [1, 2] }, 'SET l = list_append(:v, l)', { ':v': [0] }), { l: [0, 1, 2] });
  assert.deepEqual(await changed(null, 'SET l = list_append(if_not_exists(l, :e), :v)', { ':e': [], ':v': ['x'] }), {
    l: ['x'],
  });
});

test('list_append of something else is refused', async () => {
  await put(names.one, { pk: 'la', s: 'x' });
  await invalid('UpdateItem', request('la', 'SET s = list_append(s, :v)', { ':v': [1] }), kOperand);
});

test('SET at a list index replaces, past the end appends', async () => {
  assert.deepEqual(await changed({ l: ['a', 'b'] }, 'SET l[0] = :v', { ':v': 'z' }), { l: ['z', 'b'] });
  assert.deepEqual(await changed({ l: ['a'] }, 'SET l[9] = :v', { ':v': 'z' }), { l: ['a', 'z'] });
});

test('two elements past the end are appended in the order of their indexes', async () => {
  assert.deepEqual(await changed({ l: [] }, 'SET l[7] = :b, l[3] = :a', { ':a': 'a', ':b': 'b' }), { l: ['a', 'b'] });
});

test('SET of a nested map attribute', async () => {
  assert.deepEqual(await changed({ m: { a: { b: 1 } } }, 'SET m.a.b = :v, m.c = :v', { ':v': 2 }), {
    m: { a: { b: 2 }, c: 2 },
  });
});

test('a path through something that is not there is refused', async () => {
  await put(names.one, { pk: 'path', s: 'x', l: [1] });
  const message = 'The document path provided in the update expression is invalid for update';
  for (const expression of ['SET m.a = :v', 'SET s.a = :v', 'SET s[0] = :v', 'SET l.a = :v', 'SET l[0].a = :v']) {
    await invalid('UpdateItem', request('path', expression, { ':v': 1 }), message);
  }
});

test('REMOVE of an attribute, a nested one and one that is not there', async () => {
  assert.deepEqual(await changed({ a: 1, m: { x: 1, y: 2 } }, 'REMOVE a, m.x, nothing'), { m: { y: 2 } });
});

test('REMOVE of list elements counts by the old positions', async () => {
  assert.deepEqual(await changed({ l: [0, 1, 2, 3, 4] }, 'REMOVE l[1], l[3], l[9]'), { l: [0, 2, 4] });
});

test('ADD to a number, and to nothing', async () => {
  assert.deepEqual(await changed({ n: 5 }, 'ADD n :v, fresh :v', { ':v': -7 }), { n: -2, fresh: -7 });
});

test('ADD to a set, and to nothing', async () => {
  assert.deepEqual(await changed({ s: new Set(['a']) }, 'ADD s :v, t :v', { ':v': new Set(['a', 'b']) }), {
    s: new Set(['a', 'b']),
    t: new Set(['a', 'b']),
  });
});

test('ADD works on a nested path', async () => {
  assert.deepEqual(await changed({ m: { n: 1 } }, 'ADD m.n :v', { ':v': 1 }), { m: { n: 2 } });
});

test('DELETE from a set; an emptied set disappears', async () => {
  assert.deepEqual(await changed({ s: new Set([1, 2, 3]) }, 'DELETE s :v', { ':v': new Set([2, 9]) }), {
    s: new Set([1, 3]),
  });
  assert.deepEqual(await changed({ s: new Set(['a']) }, 'DELETE s :v, nothing :v', { ':v': new Set(['a']) }), {});
});

test('ADD and DELETE with wrong types are refused', async () => {
  await put(names.one, { pk: 'types', s: 'x', n: 1, ns: new Set([1]) });
  await invalid('UpdateItem', request('types', 'ADD s :v', { ':v': 1 }), kOperand);
  await invalid('UpdateItem', request('types', 'ADD ns :v', { ':v': new Set(['a']) }), kOperand);
  await invalid('UpdateItem', request('types', 'DELETE n :v', { ':v': new Set([1]) }), kOperand);
  await refuse(
    'ADD s :v',
    { ':v': 'text' },
    /Incorrect operand type for operator or function; operator: ADD, operand type: STRING/,
  );
  await refuse(
    'DELETE s :v',
    { ':v': 1 },
    /Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER/,
  );
});

test('arithmetic on something that is no number is refused', async () => {
  await put(names.one, { pk: 'arith', s: 'x' });
  await invalid('UpdateItem', request('arith', 'SET s = s + :v', { ':v': 1 }), kOperand);
  await refuse(
    'SET a = b + :v',
    { ':v': 'x' },
    /Incorrect operand type for operator or function; operator or function: \+, operand type: S/,
  );
});

test('an operand that does not exist is refused', async () => {
  await put(names.one, { pk: 'absent' });
  const message = 'The provided expression refers to an attribute that does not exist in the item';
  for (const expression of ['SET a = b', 'SET a = b + :v', 'SET a = list_append(b, :l)']) {
    const values = {
      ...(expression.includes(':v') ? { ':v': 1 } : {}),
      ...(expression.includes(':l') ? { ':l': [] } : {}),
    };
    await invalid(
      'UpdateItem',
      request('absent', expression, Object.keys(values).length ? values : undefined),
      message,
    );
  }
});

test('all four clauses in one expression, in any order', async () => {
  assert.deepEqual(
    await changed({ a: 1, b: 2, n: 1, s: new Set(['x', 'y']) }, 'DELETE s :x ADD n :one REMOVE b SET a = :v', {
      ':x': new Set(['x']),
      ':one': 1,
      ':v': 'new',
    }),
    { a: 'new', n: 2, s: new Set(['y']) },
  );
});

test('a clause may stand only once', () =>
  refuse(
    'SET a = :v SET b = :v',
    { ':v': 1 },
    'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;',
  ));

test('overlapping paths are refused', () =>
  refuse(
    'SET m.a = :v, m = :v',
    { ':v': 1 },
    'Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [m, a], path two: [m]',
  ));

test('conflicting paths are refused', () =>
  refuse('SET m.a = :v, m[0] = :v', { ':v': 1 }, /Two document paths conflict with each other/));

test('key attributes cannot be updated', async () => {
  await refuse(
    'SET pk = :v',
    { ':v': 'x' },
    `${kInvalid}Cannot update attribute pk. This attribute is part of the key`,
  );
  await refuse('REMOVE pk', undefined, `${kInvalid}Cannot update attribute pk. This attribute is part of the key`);
  await invalid(
    'UpdateItem',
    {
      TableName: names.two,
      Key: item({ pk: 'a', sk: 'b' }),
      UpdateExpression: 'ADD sk :v',
      ExpressionAttributeValues: { ':v': av(1) },
    },
    `${kInvalid}Cannot update attribute sk. This attribute is part of the key`,
  );
});

test('an index key may not get a wrong type', () =>
  invalid(
    'UpdateItem',
    {
      TableName: names.two,
      Key: item({ pk: 'a', sk: 'b' }),
      UpdateExpression: 'SET gpk = :v',
      ExpressionAttributeValues: { ':v': av(1) },
    },
    /Type mismatch for Index Key|The update expression attempted to update the secondary index key to unsupported type/,
  ));

test('a syntax error shows token and neighbourhood', async () => {
  await refuse('SET a :v', { ':v': 1 }, 'Invalid UpdateExpression: Syntax error; token: ":v", near: "a :v"');
  await refuse('PUT a = :v', { ':v': 1 }, 'Invalid UpdateExpression: Syntax error; token: "PUT", near: "PUT a"');
});

test('an empty expression is refused', () =>
  refuse('', undefined, 'Invalid UpdateExpression: The expression can not be empty;'));

test('unknown functions and wrong numbers of operands are refused', async () => {
  await refuse('SET a = nofunc(:v)', { ':v': 1 }, /Invalid function name; function: nofunc/);
  await refuse(
    'SET a = if_not_exists(a)',
    undefined,
    /Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1/,
  );
  await refuse('SET a = size(b)', undefined, /^Invalid UpdateExpression: .*function: size/);
});

test('ReturnValues: the five kinds', async () => {
  const reply = async (pk, ReturnValues) => {
    await put(names.one, { pk, a: 1, b: 2 });
    return plainItem((await update(pk, 'SET a = :v, c = :v', { ':v': 9 }, { ReturnValues })).Attributes);
  };
  assert.equal(await reply('rv1', 'NONE'), undefined);
  assert.deepEqual(await reply('rv2', 'ALL_OLD'), { pk: 'rv2', a: 1, b: 2 });
  assert.deepEqual(await reply('rv3', 'ALL_NEW'), { pk: 'rv3', a: 9, b: 2, c: 9 });
  assert.deepEqual(await reply('rv4', 'UPDATED_OLD'), { a: 1 });
  assert.deepEqual(await reply('rv5', 'UPDATED_NEW'), { a: 9, c: 9 });
});

test('UPDATED_NEW of a nested path gives only that path', async () => {
  await put(names.one, { pk: 'nest', m: { a: 1, b: 2 }, l: [1, 2, 3] });
  const { Attributes } = await update('nest', 'SET m.a = :v, l[1] = :v', { ':v': 9 }, { ReturnValues: 'UPDATED_NEW' });
  assert.deepEqual(plainItem(Attributes), { m: { a: 9 }, l: [9] });
});

test('UPDATED_NEW after a REMOVE gives nothing of it', async () => {
  await put(names.one, { pk: 'rem', a: 1, b: 1 });
  const { Attributes } = await update('rem', 'REMOVE a SET b = :v', { ':v': 2 }, { ReturnValues: 'UPDATED_NEW' });
  assert.deepEqual(plainItem(Attributes), { b: 2 });
});

test('ALL_OLD of an item that was not there gives no Attributes', async () => {
  const { Attributes } = await update('fresh-old', 'SET a = :v', { ':v': 1 }, { ReturnValues: 'ALL_OLD' });
  assert.equal(Attributes, undefined);
});

test('a condition guards the update', async () => {
  await put(names.one, { pk: 'ver', v: 1 });
  const more = (v) => ({
    ConditionExpression: 'v = :old',
    ExpressionAttributeValues: item({ ':old': v, ':new': v + 1 }),
  });
  await update('ver', 'SET v = :new', undefined, more(1));
  const error = await fails(
    'UpdateItem',
    request('ver', 'SET v = :new', undefined, { ...more(1), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    'ConditionalCheckFailedException',
    'The conditional request failed',
  );
  assert.deepEqual(plainItem(error.Item), { pk: 'ver', v: 2 });
});

test('a failed condition creates nothing', async () => {
  await fails(
    'UpdateItem',
    request('ghost', 'SET v = :v', { ':v': 1 }, { ConditionExpression: 'attribute_exists(pk)' }),
    'ConditionalCheckFailedException',
  );
  assert.equal(await get(names.one, { pk: 'ghost' }), undefined);
});

test('an update that would pass 400 KB is refused', async () => {
  await put(names.one, { pk: 'big', a: 'x'.repeat(300_000) });
  await invalid(
    'UpdateItem',
    request('big', 'SET b = :v', { ':v': 'y'.repeat(120_000) }),
    'Item size to update has exceeded the maximum allowed size',
  );
});

test('a result of more than 38 digits is refused', async () => {
  await put(names.one, { pk: 'digits', n: num('1e37') });
  await invalid(
    'UpdateItem',
    request('digits', 'SET n = n + :v', { ':v': num('0.01') }),
    /38 significant digits|overflow/i,
  );
});
