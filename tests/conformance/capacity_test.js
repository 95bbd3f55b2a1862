// ReturnConsumedCapacity and ReturnItemCollectionMetrics.

import assert from 'node:assert/strict';
import { av, call, invalid, item, plainItem, put, putAll, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({
  bare: { key: 'pk:S sk:N' },
  indexed: { key: 'pk:S sk:S', gsi: { gsi: 'gpk:S INCLUDE a' }, lsi: { lsi: 'lsk:S KEYS_ONLY' } },
});
const test = suite('capacity', hooks);
const kTotal = { ReturnConsumedCapacity: 'TOTAL' };
const kIndexes = { ReturnConsumedCapacity: 'INDEXES' };
const kb = (n) => 'x'.repeat(n * 1024 - 200);
const units = (reply) => reply.ConsumedCapacity.CapacityUnits;
const update = (pk, UpdateExpression, values, more) =>
  call('UpdateItem', {
    TableName: names.indexed,
    Key: item({ pk, sk: 's' }),
    UpdateExpression,
    ...(values ? { ExpressionAttributeValues: item(values) } : {}),
    ...kIndexes,
    ...more,
  });

test('a write costs a unit for each KB begun', async () => {
  const reply = await put(names.bare, { pk: 'a', sk: 1 }, kTotal);
  assert.deepEqual([reply.ConsumedCapacity.TableName, units(reply)], [names.bare, 1]);
  assert.equal(reply.ConsumedCapacity.Table, undefined);
  assert.equal(units(await put(names.bare, { pk: 'a', sk: 2, v: kb(3) }, kTotal)), 3);
});

test('NONE and nothing give no ConsumedCapacity', async () => {
  assert.equal(
    (await put(names.bare, { pk: 'a', sk: 3 }, { ReturnConsumedCapacity: 'NONE' })).ConsumedCapacity,
    undefined,
  );
});

test('a replaced or deleted item counts by the larger size', async () => {
  await put(names.bare, { pk: 'big', sk: 1, v: kb(5) });
  assert.equal(units(await put(names.bare, { pk: 'big', sk: 1 }, kTotal)), 5);
  await put(names.bare, { pk: 'big', sk: 1, v: kb(4) });
  assert.equal(
    units(await call('DeleteItem', { TableName: names.bare, Key: item({ pk: 'big', sk: 1 }), ...kTotal })),
    4,
  );
  assert.equal(
    units(await call('DeleteItem', { TableName: names.bare, Key: item({ pk: 'big', sk: 1 }), ...kTotal })),
    1,
  );
});

test('an update counts by the larger of both sizes', async () => {
  await put(names.bare, { pk: 'upd', sk: 1, v: kb(3) });
  const reply = await call('UpdateItem', {
    TableName: names.bare,
    Key: item({ pk: 'upd', sk: 1 }),
    UpdateExpression: 'REMOVE v',
    ...kTotal,
  });
  assert.equal(units(reply), 3);
});

test('GetItem costs half a unit for 4 KB, one when consistent, also for nothing', async () => {
  await put(names.bare, { pk: 'get', sk: 1, v: kb(6) });
  const read = async (sk, ConsistentRead) =>
    units(await call('GetItem', { TableName: names.bare, Key: item({ pk: 'get', sk }), ConsistentRead, ...kTotal }));
  assert.deepEqual(
    [await read(1, false), await read(1, true), await read(9, false), await read(9, true)],
    [1, 2, 0.5, 1],
  );
});

test('Query and Scan cost by the sum of what they read', async () => {
  await putAll(
    names.bare,
    Array.from({ length: 10 }, (_, sk) => ({ pk: 'q', sk, v: 'x'.repeat(1000) })),
  );
  const query = (more) =>
    call('Query', {
      TableName: names.bare,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': av('q') },
      ...kTotal,
      ...more,
    });
  assert.equal(units(await query()), 1.5);
  assert.equal(units(await query({ ConsistentRead: true })), 3);
  assert.equal(units(await query({ ProjectionExpression: 'sk' })), 1.5);
  assert.equal(units(await query({ Limit: 1 })), 0.5);
});

test('INDEXES tells table and indexes apart', async () => {
  const { ConsumedCapacity } = await put(names.indexed, { pk: 'i', sk: 's', gpk: 'g', lsk: 'l' }, kIndexes);
  assert.equal(ConsumedCapacity.CapacityUnits, 3);
  assert.equal(ConsumedCapacity.Table.CapacityUnits, 1);
  assert.equal(ConsumedCapacity.GlobalSecondaryIndexes.gsi.CapacityUnits, 1);
  assert.equal(ConsumedCapacity.LocalSecondaryIndexes.lsi.CapacityUnits, 1);
});

test('an item outside the indexes costs only the table', async () => {
  const { ConsumedCapacity } = await put(names.indexed, { pk: 'out', sk: 's' }, kIndexes);
  assert.equal(ConsumedCapacity.CapacityUnits, 1);
  assert.equal(ConsumedCapacity.GlobalSecondaryIndexes, undefined);
});

test('a changed index key costs a delete and a put in the index', async () => {
  await put(names.indexed, { pk: 'm', sk: 's', gpk: 'from' });
  const { ConsumedCapacity } = await update('m', 'SET gpk = :g', { ':g': 'to' });
  assert.deepEqual([ConsumedCapacity.CapacityUnits, ConsumedCapacity.GlobalSecondaryIndexes.gsi.CapacityUnits], [3, 2]);
});

test('a change the index does not project costs nothing there', async () => {
  await put(names.indexed, { pk: 'n', sk: 's', gpk: 'g' });
  const { ConsumedCapacity } = await update('n', 'SET extra = :v', { ':v': 1 });
  assert.equal(ConsumedCapacity.CapacityUnits, 1);
});

test('a query on an index is booked on the index', async () => {
  const { ConsumedCapacity } = await call('Query', {
    TableName: names.indexed,
    IndexName: 'gsi',
    KeyConditionExpression: 'gpk = :g',
    ExpressionAttributeValues: { ':g': av('g') },
    ...kIndexes,
  });
  assert.equal(ConsumedCapacity.CapacityUnits, 0.5);
  assert.equal(ConsumedCapacity.GlobalSecondaryIndexes.gsi.CapacityUnits, 0.5);
  assert.equal(ConsumedCapacity.Table.CapacityUnits, 0);
});

test('batches answer a list, one entry for each table', async () => {
  const written = await call('BatchWriteItem', {
    RequestItems: {
      [names.bare]: [1, 2].map((sk) => ({ PutRequest: { Item: item({ pk: 'b', sk }) } })),
      [names.indexed]: [{ PutRequest: { Item: item({ pk: 'b', sk: 's' }) } }],
    },
    ...kTotal,
  });
  assert.deepEqual(Object.fromEntries(written.ConsumedCapacity.map((each) => [each.TableName, each.CapacityUnits])), {
    [names.bare]: 2,
    [names.indexed]: 1,
  });
  const read = await call('BatchGetItem', {
    RequestItems: { [names.bare]: { Keys: [1, 2, 3].map((sk) => item({ pk: 'b', sk })) } },
    ...kTotal,
  });
  assert.equal(read.ConsumedCapacity[0].CapacityUnits, 1.5);
});

test('transactions cost double', async () => {
  const Put = (sk) => ({ Put: { TableName: names.bare, Item: item({ pk: 't', sk }) } });
  const written = await call('TransactWriteItems', { TransactItems: [Put(1), Put(2)], ...kTotal });
  assert.equal(written.ConsumedCapacity[0].CapacityUnits, 4);
  const Get = (sk) => ({ Get: { TableName: names.bare, Key: item({ pk: 't', sk }) } });
  const read = await call('TransactGetItems', { TransactItems: [Get(1), Get(2)], ...kTotal });
  assert.equal(read.ConsumedCapacity[0].CapacityUnits, 4);
});

test('item collection metrics only where there is a local index', async () => {
  const size = { ReturnItemCollectionMetrics: 'SIZE' };
  const { ItemCollectionMetrics } = await put(names.indexed, { pk: 'metrics', sk: 's' }, size);
  assert.deepEqual(plainItem(ItemCollectionMetrics.ItemCollectionKey), { pk: 'metrics' });
  assert.equal(ItemCollectionMetrics.SizeEstimateRangeGB.length, 2);
  const [low, high] = ItemCollectionMetrics.SizeEstimateRangeGB;
  assert.ok(low >= 0 && high >= low);
  assert.equal((await put(names.bare, { pk: 'metrics', sk: 1 }, size)).ItemCollectionMetrics, undefined);
  assert.ok((await update('metrics', 'SET a = :v', { ':v': 1 }, size)).ItemCollectionMetrics);
  assert.ok(
    (await call('DeleteItem', { TableName: names.indexed, Key: item({ pk: 'metrics', sk: 's' }), ...size }))
      .ItemCollectionMetrics,
  );
  const batch = await call('BatchWriteItem', {
    RequestItems: { [names.indexed]: [{ PutRequest: { Item: item({ pk: 'metrics', sk: 's' }) } }] },
    ...size,
  });
  assert.deepEqual(plainItem(batch.ItemCollectionMetrics[names.indexed][0].ItemCollectionKey), { pk: 'metrics' });
});

test('unknown values are refused', async () => {
  await invalid(
    'PutItem',
    { TableName: names.bare, Item: item({ pk: 'a', sk: 1 }), ReturnConsumedCapacity: 'SOME' },
    /Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: \[INDEXES, TOTAL, NONE\]/,
  );
  await invalid(
    'PutItem',
    { TableName: names.bare, Item: item({ pk: 'a', sk: 1 }), ReturnItemCollectionMetrics: 'SOME' },
    /Value 'SOME' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: \[SIZE, NONE\]/,
  );
});
