// The older parameters: Expected, AttributeUpdates, KeyConditions, QueryFilter, ScanFilter, AttributesToGet.

import assert from 'node:assert/strict';
import { av, call, fails, get, invalid, item, pages, plainItem, put, putAll, withTables } from '../lib/dynamo.js';
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
    { TableName: names.two, KeyConditions: { pk: compare('EQ', 'q') }, FilterExpression: 'attribute_exists(v)' },
    /Can not use both expression and non-expression parameters/,
  );
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
