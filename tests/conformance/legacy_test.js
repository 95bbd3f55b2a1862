// The older parameters: Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter, AttributesToGet.

import assert from 'node:assert/strict';
import { av, call, fails, get, invalid, item, pages, plainItem, plainItems, put, putAll, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({ one: { key: 'pk:S' }, two: { key: 'pk:S sk:N' } });
const test = suite('legacy', {
  ...hooks,
  before: async () => {
    await hooks.before();
    await putAll(
      names.two,
      Array.from({ length: 10 }, (_, sk) => ({
        pk: 'q',
        sk,
        v: sk % 3,
        s: `text${sk}`,
        tags: new Set([`t${sk % 2}`]),
      })),
    );
  },
});
const kFailed = 'ConditionalCheckFailedException';
const compare = (ComparisonOperator, ...values) => ({
  ComparisonOperator,
  ...(values.length ? { AttributeValueList: values.map(av) } : {}),
});
const update = (pk, AttributeUpdates, more = {}) =>
  call('UpdateItem', { TableName: names.one, Key: item({ pk }), AttributeUpdates, ...more });

test('Expected with Value and Exists', async () => {
  const write = (Expected) => ({ TableName: names.one, Item: item({ pk: 'e', v: 1 }), Expected });
  await call('PutItem', write({ pk: { Exists: false } }));
  await fails('PutItem', write({ pk: { Exists: false } }), kFailed, 'The conditional request failed');
  await call('PutItem', write({ v: { Value: av(1) } }));
  await fails('PutItem', write({ v: { Value: av(2) } }), kFailed);
});

test('Expected with every comparison', async () => {
  await put(names.one, { pk: 'cmp', n: 5, s: 'banana', set: new Set(['a']), l: [1] });
  const holds = (Expected, more = {}) =>
    call('PutItem', {
      TableName: names.one,
      Item: item({ pk: 'cmp', n: 5, s: 'banana', set: new Set(['a']), l: [1] }),
      Expected,
      ...more,
    }).then(
      () => true,
      (error) => {
        if (error.name !== kFailed) throw error;
        return false;
      },
    );
  for (const [field, condition, expected] of [
    ['n', compare('EQ', 5), true],
    ['n', compare('NE', 5), false],
    ['n', compare('LT', 6), true],
    ['n', compare('LE', 4), false],
    ['n', compare('GT', 4), true],
    ['n', compare('GE', 6), false],
    ['n', compare('BETWEEN', 1, 5), true],
    ['n', compare('IN', 1, 5), true],
    ['nope', compare('NULL'), true],
    ['n', compare('NOT_NULL'), true],
    ['s', compare('BEGINS_WITH', 'ban'), true],
    ['s', compare('CONTAINS', 'nan'), true],
    ['s', compare('NOT_CONTAINS', 'x'), true],
    ['set', compare('CONTAINS', 'a'), true],
    ['l', compare('CONTAINS', 1), true],
  ])
    assert.equal(await holds({ [field]: condition }), expected, `${field} ${JSON.stringify(condition)}`);
  const both = { n: compare('EQ', 5), s: compare('EQ', 'wrong') };
  assert.deepEqual([await holds(both), await holds(both, { ConditionalOperator: 'OR' })], [false, true]);
});

test('DeleteItem with Expected', async () => {
  await put(names.one, { pk: 'del', v: 1 });
  await fails(
    'DeleteItem',
    { TableName: names.one, Key: item({ pk: 'del' }), Expected: { v: compare('GT', 1) } },
    kFailed,
  );
  await call('DeleteItem', { TableName: names.one, Key: item({ pk: 'del' }), Expected: { v: compare('EQ', 1) } });
  assert.equal(await get(names.one, { pk: 'del' }), undefined);
});

test('AttributeUpdates PUT, ADD, DELETE', async () => {
  await put(names.one, { pk: 'au', a: 1, n: 1, s: new Set(['x', 'y']), l: [1], gone: 1 });
  const { Attributes } = await update(
    'au',
    {
      a: { Action: 'PUT', Value: av('new') },
      n: { Action: 'ADD', Value: av(4) },
      fresh: { Action: 'ADD', Value: av(2) },
      s: { Action: 'DELETE', Value: av(new Set(['x'])) },
      l: { Action: 'ADD', Value: av([2]) },
      gone: { Action: 'DELETE' },
    },
    { ReturnValues: 'ALL_NEW' },
  );
  assert.deepEqual(plainItem(Attributes), { pk: 'au', a: 'new', n: 5, fresh: 2, s: new Set(['y']), l: [1, 2] });
});

test('AttributeUpdates without Action is PUT', async () => {
  await update('default', { a: { Value: av(1) } });
  assert.deepEqual(await get(names.one, { pk: 'default' }), { pk: 'default', a: 1 });
});

test('AttributeUpdates with Expected', async () => {
  await put(names.one, { pk: 'aue', v: 1 });
  await assert.rejects(update('aue', { v: { Value: av(3) } }, { Expected: { v: compare('EQ', 2) } }), {
    name: kFailed,
  });
});

test('KeyConditions with every operator', async () => {
  const sks = async (condition) =>
    (
      await pages('Query', {
        TableName: names.two,
        KeyConditions: { pk: compare('EQ', 'q'), ...(condition ? { sk: condition } : {}) },
      })
    ).items.map(({ sk }) => sk);
  assert.equal((await sks()).length, 10);
  assert.deepEqual(await sks(compare('EQ', 3)), [3]);
  assert.deepEqual(await sks(compare('LT', 2)), [0, 1]);
  assert.deepEqual(await sks(compare('LE', 1)), [0, 1]);
  assert.deepEqual(await sks(compare('GT', 7)), [8, 9]);
  assert.deepEqual(await sks(compare('GE', 8)), [8, 9]);
  assert.deepEqual(await sks(compare('BETWEEN', 4, 6)), [4, 5, 6]);
});

test('QueryFilter and ConditionalOperator', async () => {
  const query = async (QueryFilter, more) =>
    (
      await call('Query', { TableName: names.two, KeyConditions: { pk: compare('EQ', 'q') }, QueryFilter, ...more })
    ).Items.map(({ sk }) => Number(sk.N));
  assert.deepEqual(await query({ v: compare('EQ', 0) }), [0, 3, 6, 9]);
  assert.deepEqual(await query({ v: compare('EQ', 0), s: compare('EQ', 'text3') }), [3]);
  assert.deepEqual(
    await query({ v: compare('EQ', 0), s: compare('EQ', 'text1') }, { ConditionalOperator: 'OR' }),
    [0, 1, 3, 6, 9],
  );
});

test('ScanFilter and AttributesToGet', async () => {
  const reply = await call('Scan', {
    TableName: names.two,
    ScanFilter: { tags: compare('CONTAINS', 't1') },
    AttributesToGet: ['sk'],
  });
  assert.deepEqual(
    reply.Items.map(plainItem)
      .map(({ sk }) => sk)
      .sort(),
    [1, 3, 5, 7, 9],
  );
  assert.ok(reply.Items.every((each) => Object.keys(each).length === 1));
});

test('old and new parameters do not mix', async () => {
  await invalid(
    'PutItem',
    {
      TableName: names.one,
      Item: item({ pk: 'x' }),
      Expected: { pk: { Exists: false } },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}',
  );
  await invalid(
    'UpdateItem',
    {
      TableName: names.one,
      Key: item({ pk: 'x' }),
      AttributeUpdates: { a: { Value: av(1) } },
      UpdateExpression: 'REMOVE a',
    },
    /Can not use both expression and non-expression parameters/,
  );
  await invalid(
    'Query',
    {
      TableName: names.two,
      KeyConditions: { pk: compare('EQ', 'q') },
      FilterExpression: 'attribute_exists(v)',
      AttributesToGet: ['v'],
    },
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {FilterExpression}',
  );
  await invalid(
    'Query',
    {
      TableName: names.two,
      KeyConditions: { pk: compare('EQ', 'q') },
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: item({ ':p': 'q' }),
    },
    /Non-expression parameters: {KeyConditions} Expression parameters: {KeyConditionExpression}/,
  );
});

test('KeyConditions may stand beside FilterExpression and ProjectionExpression', async () => {
  await putAll(names.two, [1, 2, 3, 4].map((sk) => ({ pk: 'beside', sk, v: sk * 10, w: 'x' })));
  const reply = await call('Query', {
    TableName: names.two,
    KeyConditions: { pk: compare('EQ', 'beside'), sk: compare('GT', 1) },
    FilterExpression: '#0 < :0 AND #1 = :1',
    ProjectionExpression: 'sk, #0',
    ExpressionAttributeNames: { '#0': 'v', '#1': 'w' },
    ExpressionAttributeValues: item({ ':0': 40, ':1': 'x' }),
  });
  assert.deepEqual(plainItems(reply.Items), [
    { sk: 2, v: 20 },
    { sk: 3, v: 30 },
  ]);
  assert.equal(reply.ScannedCount, 3);
});

test('wrong numbers of values are refused', async () => {
  await invalid(
    'Scan',
    { TableName: names.two, ScanFilter: { v: compare('BETWEEN', 1) } },
    /Invalid number of argument\(s\) for the BETWEEN ComparisonOperator/,
  );
  await invalid(
    'Scan',
    { TableName: names.two, ScanFilter: { v: compare('NULL', 1) } },
    /Invalid number of argument\(s\) for the NULL ComparisonOperator/,
  );
});

test('a missing attribute differs from any value, but does not lack one', async () => {
  await put(names.one, { pk: 'missing' });
  const del = (Expected) => ({ TableName: names.one, Key: item({ pk: 'missing' }), Expected });
  await fails('DeleteItem', del({ a: compare('NOT_CONTAINS', 'x') }), kFailed);
  await fails('DeleteItem', del({ a: compare('CONTAINS', 'x') }), kFailed);
  await fails('DeleteItem', del({ a: { Value: av(1) } }), kFailed);
  await call('DeleteItem', del({ a: compare('NE', 1) }));
});

test('NULL asks for absence, not for the type', async () => {
  await put(names.one, { pk: 'null', nothing: null });
  const check = (operator) => ({
    TableName: names.one,
    Item: item({ pk: 'null', nothing: null }),
    Expected: { nothing: compare(operator) },
  });
  await fails('PutItem', check('NULL'), kFailed);
  await call('PutItem', check('NOT_NULL'));
});

test('IN takes more than a hundred values, beside another condition', async () => {
  await put(names.one, { pk: 'in', n: 1 });
  const values = Array.from({ length: 250 }, (_, i) => i);
  const check = (list) => ({
    TableName: names.one,
    Item: item({ pk: 'in', n: 1 }),
    Expected: { n: compare('IN', ...list), pk: { Value: av('in') } },
  });
  await call('PutItem', check(values));
  await fails('PutItem', check(values.map((n) => n + 2)), kFailed);
});

test('Expected: what its members may be together', async () => {
  for (const [condition, message] of [
    [{}, 'Value must be provided when Exists is null for Attribute: a'],
    [{ Exists: true }, 'Value must be provided when Exists is true for Attribute: a'],
    [{ Exists: false, Value: av(1) }, 'Value cannot be used when Exists is false for Attribute: a'],
    [{ Value: av(1), ...compare('EQ', 1) }, 'Value and AttributeValueList cannot be used together for Attribute: a'],
    [
      { AttributeValueList: [av(1)] },
      'AttributeValueList can only be used with a ComparisonOperator for Attribute: a',
    ],
    [
      { Exists: false, ...compare('EQ', 1) },
      'Exists and ComparisonOperator cannot be used together for Attribute: a',
    ],
    [
      compare('LT'),
      'Value or AttributeValueList must be used with ComparisonOperator: LT for Attribute: a',
    ],
    [compare('IN', 1, 'x'), 'AttributeValues inside AttributeValueList must be of same type'],
    [compare('CONTAINS', [1]), 'ComparisonOperator CONTAINS is not valid for L AttributeValue type'],
    [compare('BEGINS_WITH', 1), 'ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type'],
    [compare('IN', true), 'ComparisonOperator IN is not valid for BOOL AttributeValue type'],
  ])
    await invalid(
      'PutItem',
      { TableName: names.one, Item: item({ pk: 'x' }), Expected: { a: condition } },
      `One or more parameter values were invalid: ${message}`,
    );
  await invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'x' }), Expected: { a: compare('BETWEEN', 2, 1) } },
    'The BETWEEN condition was provided a range where the lower bound is greater than the upper bound',
  );
});

test('ConditionalOperator needs two conditions', async () => {
  const scan = (ScanFilter) => ({ TableName: names.two, ConditionalOperator: 'OR', ScanFilter });
  await invalid('Scan', scan(undefined), 'ConditionalOperator cannot be used without Filter or Expected');
  await invalid('Scan', scan({}), 'ConditionalOperator cannot be used without Filter or Expected');
  await invalid(
    'Scan',
    scan({ v: compare('EQ', 1) }),
    'ConditionalOperator can only be used when Filter or Expected has two or more elements',
  );
});

test('AttributeUpdates: what an action takes', async () => {
  for (const [change, message] of [
    [{ Action: 'PUT' }, 'Only DELETE action is allowed when no attribute value is specified'],
    [{ Action: 'ADD', Value: av('x') }, 'ADD action is not supported for the type S'],
    [{ Action: 'DELETE', Value: av([1]) }, 'DELETE action with value is not supported for the type L'],
  ])
    await assert.rejects(update('x', { a: change }), {
      name: 'ValidationException',
      message: `One or more parameter values were invalid: ${message}`,
    });
});

test('AttributeUpdates of another type than the attribute', async () => {
  await put(names.one, { pk: 'types', n: 1, set: new Set(['x']) });
  for (const changes of [
    { n: { Action: 'ADD', Value: av(new Set(['x'])) } },
    { set: { Action: 'ADD', Value: av([1]) } },
    { set: { Action: 'DELETE', Value: av(new Set([1])) } },
  ])
    await assert.rejects(update('types', changes), { message: 'Type mismatch for attribute to update' });
});

test('AttributeUpdates that only delete create no item, none at all does', async () => {
  await update('ghost', { a: { Action: 'DELETE' }, b: { Action: 'DELETE', Value: av(new Set(['x'])) } });
  assert.equal(await get(names.one, { pk: 'ghost' }), undefined);
  await update('ghost', {});
  assert.deepEqual(await get(names.one, { pk: 'ghost' }), { pk: 'ghost' });
});

test('AttributeUpdates return the attributes they name', async () => {
  await put(names.one, { pk: 'ret', n: 1, other: 1 });
  const changes = { n: { Action: 'ADD', Value: av(1) }, 'a.b': { Value: av(1) }, gone: { Action: 'DELETE' } };
  const before = await update('ret', changes, { ReturnValues: 'UPDATED_OLD' });
  assert.deepEqual(plainItem(before.Attributes), { n: 1 });
  const after = await update('ret', changes, { ReturnValues: 'UPDATED_NEW' });
  assert.deepEqual(plainItem(after.Attributes), { n: 3, 'a.b': 1 });
  assert.deepEqual(await get(names.one, { pk: 'ret' }, { AttributesToGet: ['a.b'] }), { 'a.b': 1 });
});

test('AttributesToGet has one name at least, and each once', async () => {
  const read = (AttributesToGet) => ({ TableName: names.one, Key: item({ pk: 'x' }), AttributesToGet });
  await invalid('GetItem', read([]), /'attributesToGet' failed to satisfy constraint: Member must have length greater/);
  await invalid(
    'GetItem',
    read(['a', 'b', 'a']),
    'One or more parameter values were invalid: Duplicate value in attribute name: a',
  );
});

test('KeyConditions: what cannot be looked up', async () => {
  const pk = compare('EQ', 'q');
  for (const [KeyConditions, message] of [
    [{}, 'Conditions can be of length 1 or 2 only'],
    [{ pk, sk: compare('NE', 1) }, 'Attempted conditional constraint is not an indexable operation'],
    [{ pk, sk: compare('NULL') }, 'Attempted conditional constraint is not an indexable operation'],
    [{ pk: compare('GT', 'q') }, 'Query key condition not supported'],
    [{ sk: compare('EQ', 1) }, 'Query condition missed key schema element: pk'],
  ])
    await invalid('Query', { TableName: names.two, KeyConditions }, message);
  await invalid(
    'Query',
    { TableName: names.two, KeyConditions: { pk }, QueryFilter: { sk: compare('EQ', 1) } },
    'QueryFilter can only contain non-primary key attributes: Primary key attribute: sk',
  );
});

test('placeholders need an expression', () =>
  invalid(
    'Scan',
    {
      TableName: names.two,
      ScanFilter: { v: compare('EQ', 1) },
      ExpressionAttributeNames: { '#v': 'v' },
    },
    'ExpressionAttributeNames can only be specified when using expressions: FilterExpression is null',
  ));

test('UnprocessedKeys repeat AttributesToGet', async () => {
  const text = 'x'.repeat(390_000);
  for (let n = 0; n < 45; n += 1) await put(names.one, { pk: `heavy${n}`, text });
  const Keys = Array.from({ length: 45 }, (_, n) => item({ pk: `heavy${n}` }));
  const first = await call('BatchGetItem', { RequestItems: { [names.one]: { Keys, AttributesToGet: ['text', 'pk'] } } });
  assert.deepEqual(first.UnprocessedKeys[names.one].AttributesToGet, ['text', 'pk']);
  assert.equal(first.UnprocessedKeys[names.one].ProjectionExpression, undefined);
  const second = await call('BatchGetItem', { RequestItems: first.UnprocessedKeys });
  assert.equal(first.Responses[names.one].length + second.Responses[names.one].length, 45);
});
