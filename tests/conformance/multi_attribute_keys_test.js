// Global indexes whose keys have up to four partition and four sort attributes.

import assert from 'node:assert/strict';
import { av, call, createTable, dropTable, freshName, invalid, pages, plainItems, put, putAll, tableRequest, waitActive } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const partition = ['p1', 'p2', 'p3', 'p4'];
const sort = ['s1', 's2', 's3', 's4'];
const index = 'many';

const schema = (hashes, ranges) => [
  ...hashes.map((AttributeName) => ({ AttributeName, KeyType: 'HASH' })),
  ...ranges.map((AttributeName) => ({ AttributeName, KeyType: 'RANGE' })),
];
const types = { pk: 'S', p1: 'S', p2: 'N', p3: 'S', p4: 'S', s1: 'N', s2: 'S', s3: 'N', s4: 'S', s5: 'S' };

function request(name, hashes, ranges) {
  return {
    ...tableRequest(name, { key: 'pk:S' }),
    AttributeDefinitions: ['pk', ...hashes, ...ranges].map((AttributeName) => ({ AttributeName, AttributeType: types[AttributeName] })),
    GlobalSecondaryIndexes: [{ IndexName: index, KeySchema: schema(hashes, ranges), Projection: { ProjectionType: 'ALL' } }],
  };
}

let table;
const items = [];
const test = suite('multi-attribute keys', {
  before: async () => {
    table = freshName('many');
    await call('CreateTable', request(table, partition, sort));
    await waitActive(table);
    for (let n = 0; n < 24; n += 1) {
      items.push({ pk: `i${n}`, p1: 'a', p2: 1, p3: 'b', p4: n < 20 ? 'c' : 'd', s1: n % 3, s2: `x${n % 2}`, s3: n, s4: `y${n}` });
    }
    await putAll(table, items);
  },
  after: () => dropTable(table),
});

const key = { p1: 'a', p2: 1, p3: 'b', p4: 'c' };
const query = (conditions, values, more = {}) => ({
  TableName: table,
  IndexName: index,
  KeyConditionExpression: [...partition.map((name) => `${name} = :${name}`), ...conditions].join(' AND '),
  ExpressionAttributeValues: Object.fromEntries(Object.entries({ ...key, ...values }).map(([name, value]) => [`:${name}`, av(value)])),
  ...more,
});
const bySort = (left, right) => left.s1 - right.s1 || (left.s2 < right.s2 ? -1 : left.s2 > right.s2 ? 1 : left.s3 - right.s3);
const expected = (holds = () => true) => items.filter((each) => each.p4 === 'c' && holds(each)).sort(bySort);
const found = async (input) => plainItems((await call('Query', input)).Items);

test('are described as they were defined', async () => {
  const { Table } = await call('DescribeTable', { TableName: table });
  assert.deepEqual(Table.GlobalSecondaryIndexes[0].KeySchema, schema(partition, sort));
});

test('a partition is all its attributes, in the order of the sort attributes', async () => {
  assert.deepEqual(await found(query([], {})), expected());
  assert.deepEqual(await found(query([], {}, { ScanIndexForward: false })), expected().reverse());
  assert.deepEqual(await found(query([], { p4: 'd' })), items.filter((each) => each.p4 === 'd').sort(bySort));
});

test('sort attributes from left to right, a range on the last that is named', async () => {
  assert.deepEqual(await found(query(['s1 = :s1'], { s1: 1 })), expected((each) => each.s1 === 1));
  assert.deepEqual(await found(query(['s1 >= :s1'], { s1: 1 })), expected((each) => each.s1 >= 1));
  assert.deepEqual(await found(query(['s1 = :s1', 'begins_with(s2, :s2)'], { s1: 2, s2: 'x1' })), expected((each) => each.s1 === 2 && each.s2 === 'x1'));
  assert.deepEqual(
    await found(query(['s1 = :s1', 's2 = :s2', 's3 BETWEEN :low AND :high'], { s1: 0, s2: 'x0', low: 3, high: 12 })),
    expected((each) => each.s1 === 0 && each.s2 === 'x0' && each.s3 >= 3 && each.s3 <= 12),
  );
  assert.deepEqual(
    await found(query(['s1 = :s1', 's2 = :s2', 's3 = :s3', 's4 = :s4'], { s1: 0, s2: 'x0', s3: 6, s4: 'y6' })),
    expected((each) => each.s3 === 6),
  );
});

test('what leaves an attribute out is refused', async () => {
  await invalid('Query', query(['s2 = :s2'], { s2: 'x0' }));
  await invalid('Query', query(['s1 > :s1', 's2 = :s2'], { s1: 0, s2: 'x0' }));
  await invalid('Query', {
    ...query([], {}),
    KeyConditionExpression: 'p1 = :p1 AND p2 = :p2 AND p3 = :p3',
    ExpressionAttributeValues: { ':p1': av('a'), ':p2': av(1), ':p3': av('b') },
  });
});

test('pages go on behind a key of all attributes', async () => {
  const first = await call('Query', query([], {}, { Limit: 3 }));
  assert.deepEqual(Object.keys(first.LastEvaluatedKey).sort(), ['pk', ...partition, ...sort].sort());
  assert.deepEqual((await pages('Query', query([], {}, { Limit: 3 }))).items, expected());
  assert.equal((await pages('Scan', { TableName: table, IndexName: index, Limit: 5 })).items.length, items.length);
});

test('an item that lacks one of the attributes is not in the index', async () => {
  const { s4, ...partial } = { ...items[0], pk: 'partial' };
  await put(table, partial);
  assert.deepEqual(await found(query([], {})), expected());
  await put(table, { ...partial, s4 });
  assert.equal((await found(query([], {}))).length, expected().length + 1);
  await call('DeleteItem', { TableName: table, Key: { pk: { S: 'partial' } } });
  assert.deepEqual(await found(query([], {})), expected());
});

test('five of a kind, or a sort attribute before a partition attribute, are refused', async () => {
  await invalid('CreateTable', request(freshName(), ['p1'], [...sort, 's5']));
  const mixed = request(freshName(), ['p1', 'p2'], ['s1']);
  mixed.GlobalSecondaryIndexes[0].KeySchema = [...schema(['p1'], ['s1']), ...schema(['p2'], [])];
  await invalid('CreateTable', mixed);
});

test('PartiQL orders by the first sort attributes, in one direction', async () => {
  const select = (order) => ({
    Statement: `SELECT * FROM "${table}"."${index}" WHERE p1 = 'a' AND p2 = 1 AND p3 = 'b' AND p4 = 'c' ORDER BY ${order}`,
  });
  const rows = async (order) => plainItems((await call('ExecuteStatement', select(order))).Items);
  assert.deepEqual(await rows('s1, s2'), expected());
  assert.deepEqual(await rows('s1 DESC, s2 DESC, s3 DESC'), expected().reverse());
  await invalid('ExecuteStatement', select('s1 DESC, s2 ASC'), /Attribute s2 in ORDER BY clause/);
  await invalid('ExecuteStatement', select('s2'), /Attribute s2 in ORDER BY clause/);
});

test('is added to a table that holds items', async () => {
  const name = await createTable({ key: 'pk:S' });
  await putAll(name, items);
  await call('UpdateTable', {
    TableName: name,
    AttributeDefinitions: ['p1', 'p2', 's1', 's2'].map((AttributeName) => ({ AttributeName, AttributeType: types[AttributeName] })),
    GlobalSecondaryIndexUpdates: [
      { Create: { IndexName: index, KeySchema: schema(['p1', 'p2'], ['s1', 's2']), Projection: { ProjectionType: 'KEYS_ONLY' } } },
    ],
  });
  await waitActive(name);
  const { Items } = await call('Query', {
    TableName: name,
    IndexName: index,
    KeyConditionExpression: 'p1 = :a AND p2 = :b AND s1 = :c AND s2 > :d',
    ExpressionAttributeValues: { ':a': av('a'), ':b': av(1), ':c': av(1), ':d': av('x0') },
  });
  const wanted = items.filter((each) => each.s1 === 1 && each.s2 > 'x0').map((each) => each.pk);
  assert.deepEqual(plainItems(Items).map((each) => each.pk).sort(), wanted.sort());
  await dropTable(name);
});
