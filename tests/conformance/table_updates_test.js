// UpdateTable (indexes with backfill, billing), tags, time to live.

import assert from 'node:assert/strict';
import {
  av,
  call,
  createTable,
  dropTable,
  fails,
  freshName,
  invalid,
  item,
  isLocal,
  pages,
  put,
  putAll,
  waitActive,
} from '../lib/dynamo.js';
import { skip, suite } from '../lib/runner.js';

const made = [];
const test = suite('table_updates', { after: () => Promise.all(made.map(dropTable)) });
const make = async (spec) => {
  const name = freshName();
  made.push(name);
  return createTable(spec, name);
};
const addIndex = (TableName, IndexName, key, more = {}) =>
  call('UpdateTable', {
    TableName,
    AttributeDefinitions: key.map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName,
          KeySchema: key.map(([AttributeName], at) => ({ AttributeName, KeyType: at ? 'RANGE' : 'HASH' })),
          Projection: { ProjectionType: 'ALL' },
          ...more,
        },
      },
    ],
  });
const dropIndex = (TableName, IndexName) =>
  call('UpdateTable', { TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] });
const count = async (TableName, IndexName, g) =>
  (
    await pages('Query', {
      TableName,
      IndexName,
      KeyConditionExpression: 'g = :g',
      ExpressionAttributeValues: { ':g': av(g) },
    })
  ).items.length;

test(
  'a new index holds the items that were there',
  async () => {
    const name = await make({ key: 'pk:S' });
    await putAll(
      name,
      Array.from({ length: 200 }, (_, n) => ({ pk: `k${n}`, ...(n % 4 ? { g: `g${n % 2}`, s: n } : {}) })),
    );
    const { TableDescription } = await addIndex(name, 'byG', [
      ['g', 'S'],
      ['s', 'N'],
    ]);
    assert.ok(['UPDATING', 'ACTIVE'].includes(TableDescription.TableStatus));
    await waitActive(name);
    assert.equal(await count(name, 'byG', 'g0'), 50);
    assert.equal(await count(name, 'byG', 'g1'), 100);
  },
  { seconds: 1200 },
);

test(
  'items with an index key of the wrong type are left out of a new index',
  async () => {
    const name = await make({ key: 'pk:S' });
    await putAll(name, [
      { pk: 'good', g: 'x' },
      { pk: 'bad', g: 5 },
      { pk: 'worse', g: '' },
    ]);
    await addIndex(name, 'byG', [['g', 'S']]);
    await waitActive(name);
    assert.equal(await count(name, 'byG', 'x'), 1);
    assert.equal((await call('Scan', { TableName: name, IndexName: 'byG' })).Count, 1);
  },
  { seconds: 1200 },
);

test(
  'writes during a backfill are not lost',
  async () => {
    const name = await make({ key: 'pk:S' });
    await putAll(
      name,
      Array.from({ length: 500 }, (_, n) => ({ pk: `old${n}`, g: 'x' })),
    );
    const adding = addIndex(name, 'byG', [['g', 'S']]);
    await Promise.all([
      adding,
      ...Array.from({ length: 50 }, (_, n) => put(name, { pk: `new${n}`, g: 'x' })),
      ...Array.from({ length: 50 }, (_, n) => call('DeleteItem', { TableName: name, Key: item({ pk: `old${n}` }) })),
    ]);
    await waitActive(name);
    assert.equal(await count(name, 'byG', 'x'), 500);
  },
  { seconds: 1200 },
);

test(
  'an index can be deleted and made again',
  async () => {
    const name = await make({ key: 'pk:S', gsi: { byG: 'g:S' } });
    await put(name, { pk: 'a', g: 'x' });
    await dropIndex(name, 'byG');
    const table = await waitActive(name);
    assert.equal(table.GlobalSecondaryIndexes, undefined);
    await invalid('Scan', { TableName: name, IndexName: 'byG' }, 'The table does not have the specified index: byG');
    await addIndex(name, 'byG', [['g', 'S']]);
    await waitActive(name);
    assert.equal(await count(name, 'byG', 'x'), 1);
  },
  { seconds: 1200 },
);

test('refused index updates', async () => {
  const name = await make({ key: 'pk:S', gsi: { byG: 'g:S' } });
  await assert.rejects(addIndex(name, 'byG', [['g', 'S']]), /index.*already exists|Duplicate index name/i);
  await assert.rejects(dropIndex(name, 'nope'), { name: 'ResourceNotFoundException' });
  await invalid('UpdateTable', { TableName: name });
  await invalid('UpdateTable', {
    TableName: name,
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName: 'byH',
          KeySchema: [{ AttributeName: 'h', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      },
    ],
  });
});

test('billing mode goes both ways', async () => {
  const name = await make({ key: 'pk:S' });
  await invalid(
    'UpdateTable',
    { TableName: name, BillingMode: 'PROVISIONED' },
    /must both be specified when BillingMode is PROVISIONED|ProvisionedThroughput/,
  );
  await call('UpdateTable', {
    TableName: name,
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
  });
  const table = await waitActive(name);
  assert.deepEqual(
    [table.ProvisionedThroughput.ReadCapacityUnits, table.ProvisionedThroughput.WriteCapacityUnits],
    [3, 4],
  );
  if (!isLocal()) return;
  await call('UpdateTable', { TableName: name, BillingMode: 'PAY_PER_REQUEST' });
  assert.equal((await waitActive(name)).BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
});

test('provisioned throughput can be changed, not to what it is', async () => {
  const name = await make({
    key: 'pk:S',
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
  });
  await call('UpdateTable', {
    TableName: name,
    ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 2 },
  });
  assert.equal((await waitActive(name)).ProvisionedThroughput.ReadCapacityUnits, 2);
  await invalid(
    'UpdateTable',
    { TableName: name, ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 2 } },
    /will not change/,
  );
});

test('a refused update changes nothing, not even in part', async () => {
  const name = await make({ key: 'pk:S', gsi: { byG: 'g:S' } });
  await putAll(name, [{ pk: 'a', g: 'x' }]);
  await fails(
    'UpdateTable',
    {
      TableName: name,
      GlobalSecondaryIndexUpdates: [
        { Delete: { IndexName: 'byG' } },
        { Update: { IndexName: 'nope', OnDemandThroughput: { MaxReadRequestUnits: 5 } } },
      ],
    },
    'ResourceNotFoundException',
  );
  assert.equal(await count(name, 'byG', 'x'), 1);
});

test('tags: at creation, added, replaced, removed, listed', async () => {
  const name = await make({ key: 'pk:S', Tags: [{ Key: 'first', Value: '1' }] });
  const { Table } = await call('DescribeTable', { TableName: name });
  const ResourceArn = Table.TableArn;
  const tags = async () =>
    Object.fromEntries((await call('ListTagsOfResource', { ResourceArn })).Tags.map(({ Key, Value }) => [Key, Value]));
  assert.deepEqual(await tags(), { first: '1' });
  await call('TagResource', {
    ResourceArn,
    Tags: [
      { Key: 'first', Value: '2' },
      { Key: 'second', Value: 'x' },
    ],
  });
  assert.deepEqual(await tags(), { first: '2', second: 'x' });
  await call('UntagResource', { ResourceArn, TagKeys: ['first', 'nothing'] });
  assert.deepEqual(await tags(), { second: 'x' });
});

test('tags of a table that is not there', async () => {
  const { Table } = await call('DescribeTable', { TableName: made[0] });
  const ResourceArn = Table.TableArn.replace(/table\/.*/, 'table/no-such-table');
  const error = await call('ListTagsOfResource', { ResourceArn }).then(
    () => null,
    (each) => each,
  );
  assert.ok(['ResourceNotFoundException', 'AccessDeniedException'].includes(error?.name), error?.name);
});

test('time to live: off, on, described, wrong changes refused', async () => {
  const name = await make({ key: 'pk:S' });
  const status = async () => (await call('DescribeTimeToLive', { TableName: name })).TimeToLiveDescription;
  assert.equal((await status()).TimeToLiveStatus, 'DISABLED');
  const set = (Enabled, AttributeName) => ({ TableName: name, TimeToLiveSpecification: { Enabled, AttributeName } });
  await invalid('UpdateTimeToLive', set(false, 'expires'), 'TimeToLive is already disabled');
  const reply = await call('UpdateTimeToLive', set(true, 'expires'));
  assert.deepEqual(reply.TimeToLiveSpecification, { Enabled: true, AttributeName: 'expires' });
  const after = await status();
  assert.ok(['ENABLING', 'ENABLED'].includes(after.TimeToLiveStatus));
  assert.equal(after.AttributeName, 'expires');
  if (!isLocal()) skip('further changes need an hour');
  await invalid('UpdateTimeToLive', set(true, 'expires'), /TimeToLive is already enabled/);
  await invalid('UpdateTimeToLive', set(false, 'other'));
  await call('UpdateTimeToLive', set(false, 'expires'));
  assert.equal((await status()).TimeToLiveStatus, 'DISABLED');
});

test('time to live of a table that is not there', () =>
  fails('DescribeTimeToLive', { TableName: 'no-such-table' }, 'ResourceNotFoundException'));
