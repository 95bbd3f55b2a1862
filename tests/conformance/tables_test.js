// CreateTable, DescribeTable, ListTables, DeleteTable, DescribeLimits, DescribeEndpoints.

import assert from 'node:assert/strict';
import {
  call,
  createTable,
  dropTable,
  fails,
  freshName,
  invalid,
  item,
  put,
  tableRequest,
  waitActive,
} from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const made = [];
const test = suite('tables', { after: () => Promise.all(made.map(dropTable)) });
const kInvalid = 'One or more parameter values were invalid: ';
const make = async (spec, name = freshName()) => {
  made.push(name);
  return createTable(spec, name);
};
const refuse = (spec, message, change = {}) =>
  invalid('CreateTable', { ...tableRequest(freshName(), spec), ...change }, message);

test('CreateTable answers with the description', async () => {
  const name = freshName('created');
  made.push(name);
  const { TableDescription: table } = await call('CreateTable', tableRequest(name, { key: 'pk:S sk:N' }));
  assert.equal(table.TableName, name);
  assert.ok(['CREATING', 'ACTIVE'].includes(table.TableStatus));
  assert.deepEqual(table.KeySchema, [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  assert.ok(table.TableArn.endsWith(`:table/${name}`) && table.TableArn.startsWith('arn:aws:dynamodb:'));
  assert.match(table.TableId, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  assert.ok(Math.abs(table.CreationDateTime - Date.now()) < 120_000);
  await waitActive(name);
});

test('DescribeTable of an on-demand table', async () => {
  const name = await make({ key: 'pk:S' });
  const { Table } = await call('DescribeTable', { TableName: name });
  assert.equal(Table.TableStatus, 'ACTIVE');
  assert.equal(Table.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
  assert.deepEqual(
    [Table.ProvisionedThroughput.ReadCapacityUnits, Table.ProvisionedThroughput.WriteCapacityUnits],
    [0, 0],
  );
  assert.deepEqual([Table.ItemCount, Table.TableSizeBytes], [0, 0]);
  assert.equal(Table.DeletionProtectionEnabled, false);
});

test('DescribeTable by ARN', async () => {
  const name = await make({ key: 'pk:S' });
  const { Table } = await call('DescribeTable', { TableName: name });
  assert.equal((await call('DescribeTable', { TableName: Table.TableArn })).Table.TableName, name);
});

test('a provisioned table keeps its throughput', async () => {
  const name = await make({
    key: 'pk:S',
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
  });
  const { Table } = await call('DescribeTable', { TableName: name });
  assert.deepEqual(
    [Table.ProvisionedThroughput.ReadCapacityUnits, Table.ProvisionedThroughput.WriteCapacityUnits],
    [5, 6],
  );
  assert.equal(Table.ProvisionedThroughput.NumberOfDecreasesToday, 0);
});

test('indexes are described with keys, projection and ARN', async () => {
  const name = await make({
    key: 'pk:S sk:S',
    gsi: { byCity: 'city:S age:N INCLUDE a,b' },
    lsi: { byDate: 'date:S KEYS_ONLY' },
  });
  const { Table } = await call('DescribeTable', { TableName: name });
  const [gsi] = Table.GlobalSecondaryIndexes;
  assert.deepEqual(gsi.KeySchema, [
    { AttributeName: 'city', KeyType: 'HASH' },
    { AttributeName: 'age', KeyType: 'RANGE' },
  ]);
  assert.equal(gsi.Projection.ProjectionType, 'INCLUDE');
  assert.deepEqual([...gsi.Projection.NonKeyAttributes].sort(), ['a', 'b']);
  assert.equal(gsi.IndexStatus, 'ACTIVE');
  assert.ok(gsi.IndexArn.endsWith(`:table/${name}/index/byCity`));
  const [lsi] = Table.LocalSecondaryIndexes;
  assert.deepEqual(
    [lsi.IndexName, lsi.KeySchema[0].AttributeName, lsi.KeySchema[1].AttributeName, lsi.Projection.ProjectionType],
    ['byDate', 'pk', 'date', 'KEYS_ONLY'],
  );
  assert.deepEqual(Table.AttributeDefinitions.map(({ AttributeName }) => AttributeName).sort(), [
    'age',
    'city',
    'date',
    'pk',
    'sk',
  ]);
});

test('the table class is kept', async () => {
  const name = await make({ key: 'pk:S', TableClass: 'STANDARD_INFREQUENT_ACCESS' });
  const { Table } = await call('DescribeTable', { TableName: name });
  assert.equal(Table.TableClassSummary?.TableClass, 'STANDARD_INFREQUENT_ACCESS');
});

test('a table that exists', async () => {
  const name = await make({ key: 'pk:S' });
  await fails(
    'CreateTable',
    tableRequest(name, { key: 'pk:S' }),
    'ResourceInUseException',
    `Table already exists: ${name}`,
  );
});

test('names of tables and indexes are checked', async () => {
  await invalid(
    'CreateTable',
    tableRequest('ab', { key: 'pk:S' }),
    /at least 3 characters|length greater than or equal to 3/,
  );
  await invalid('CreateTable', tableRequest('bad name!', { key: 'pk:S' }), /regular expression pattern/);
  await invalid('CreateTable', tableRequest('n'.repeat(256), { key: 'pk:S' }));
  await refuse({ key: 'pk:S', gsi: { ab: 'g:S' } });
});

test('attribute definitions must match the keys', async () => {
  await refuse(
    { key: 'pk:S' },
    `${kInvalid}Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
    {
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'more', AttributeType: 'S' },
      ],
    },
  );
  await refuse(
    { key: 'pk:S' },
    /Some index key attributes (are not defined in AttributeDefinitions|have no definition)/,
    { AttributeDefinitions: [{ AttributeName: 'other', AttributeType: 'S' }] },
  );
});

test('key schemas are checked', async () => {
  await refuse({ key: 'pk:S' }, undefined, { KeySchema: [] });
  await refuse({ key: 'pk:S sk:S' }, undefined, {
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'RANGE' },
      { AttributeName: 'sk', KeyType: 'HASH' },
    ],
  });
  await refuse({ key: 'pk:S' }, /enum value set: \[HASH, RANGE\]/, {
    KeySchema: [{ AttributeName: 'pk', KeyType: 'OTHER' }],
  });
  await refuse({ key: 'pk:BOOL' }, /enum value set: \[B, N, S\]/);
});

test('billing parameters are checked', async () => {
  const both = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
  await refuse(
    { key: 'pk:S' },
    /ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED/,
    { BillingMode: 'PROVISIONED' },
  );
  await refuse(
    { key: 'pk:S' },
    /Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST/,
    { ProvisionedThroughput: both },
  );
  await refuse({ key: 'pk:S' }, undefined, {
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 1 },
  });
});

test('index definitions are checked', async () => {
  await refuse(
    { key: 'pk:S', lsi: { byX: 'x:S' } },
    `${kInvalid}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex`,
  );
  await refuse(
    { key: 'pk:S sk:S', gsi: { same: 'x:S' }, lsi: { same: 'y:S' } },
    `${kInvalid}Duplicate index name: same`,
  );
  await refuse(
    { key: 'pk:S', gsi: { byX: 'x:S ALL a' } },
    `${kInvalid}ProjectionType is ALL, but NonKeyAttributes is specified`,
  );
  await refuse(
    { key: 'pk:S', gsi: { byX: 'x:S INCLUDE' } },
    `${kInvalid}ProjectionType is INCLUDE, but NonKeyAttributes is not specified`,
  );
});

test('20 global and 5 local indexes pass, one more does not', async () => {
  const gsi = (count) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`gsi${n}`, `g${n}:S`]));
  const lsi = (count) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`lsi${n}`, `l${n}:S`]));
  await make({ key: 'pk:S sk:S', gsi: gsi(20), lsi: lsi(5) });
  await refuse(
    { key: 'pk:S sk:S', gsi: gsi(21) },
    `${kInvalid}GlobalSecondaryIndex count exceeds the per-table limit of 20`,
  );
  await refuse({ key: 'pk:S sk:S', lsi: lsi(6) }, /LocalSecondaryIndex/);
});

test('ListTables pages through all names in order', async () => {
  await Promise.all([make({ key: 'pk:S' }), make({ key: 'pk:S' }), make({ key: 'pk:S' })]);
  const all = [];
  let start;
  do {
    const reply = await call('ListTables', { Limit: 2, ExclusiveStartTableName: start });
    assert.ok(reply.TableNames.length <= 2);
    all.push(...reply.TableNames);
    start = reply.LastEvaluatedTableName;
  } while (start);
  assert.deepEqual(all, [...all].sort());
  assert.equal(new Set(all).size, all.length);
  for (const name of made.slice(-3)) assert.ok(all.includes(name));
});

test('ListTables parameters are checked', async () => {
  await invalid('ListTables', { Limit: 0 });
  await invalid('ListTables', { Limit: 101 });
  await call('ListTables', { ExclusiveStartTableName: 'a-name-that-is-not-there' });
});

test('DeleteTable removes the table and its items', async () => {
  const name = await make({ key: 'pk:S' });
  await put(name, { pk: 'a' });
  const { TableDescription } = await call('DeleteTable', { TableName: name });
  assert.equal(TableDescription.TableName, name);
  assert.equal(TableDescription.TableStatus, 'DELETING');
  for (;;) {
    const gone = await call('DescribeTable', { TableName: name }).then(
      () => null,
      (error) => error,
    );
    if (gone) {
      assert.equal(gone.name, 'ResourceNotFoundException');
      break;
    }
  }
  await make({ key: 'pk:S' }, name);
  assert.equal((await call('Scan', { TableName: name })).Count, 0);
});

test('a table that is not there', async () => {
  const message = 'Requested resource not found: Table: no-such-table not found';
  await fails('DescribeTable', { TableName: 'no-such-table' }, 'ResourceNotFoundException', message);
  await fails('DeleteTable', { TableName: 'no-such-table' }, 'ResourceNotFoundException', message);
  await fails(
    'UpdateTable',
    { TableName: 'no-such-table', BillingMode: 'PAY_PER_REQUEST' },
    'ResourceNotFoundException',
    message,
  );
});

test('deletion protection', async () => {
  const name = await make({ key: 'pk:S', DeletionProtectionEnabled: true });
  await invalid('DeleteTable', { TableName: name }, /protected against deletion/);
  await call('UpdateTable', { TableName: name, DeletionProtectionEnabled: false });
  await waitActive(name);
  assert.equal((await call('DescribeTable', { TableName: name })).Table.DeletionProtectionEnabled, false);
  await call('DeleteTable', { TableName: name });
});

test('ItemCount and TableSizeBytes never go wrong on an empty table', async () => {
  const name = await make({ key: 'pk:S' });
  await put(name, { pk: 'a' });
  await call('DeleteItem', { TableName: name, Key: item({ pk: 'a' }) });
  const { Table } = await call('DescribeTable', { TableName: name });
  assert.ok(Table.ItemCount >= 0 && Table.TableSizeBytes >= 0);
});

test('DescribeLimits and DescribeEndpoints', async () => {
  const limits = await call('DescribeLimits');
  for (const name of [
    'AccountMaxReadCapacityUnits',
    'AccountMaxWriteCapacityUnits',
    'TableMaxReadCapacityUnits',
    'TableMaxWriteCapacityUnits',
  ])
    assert.ok(limits[name] > 0);
  const { Endpoints } = await call('DescribeEndpoints');
  assert.ok(Endpoints[0].Address.length > 0 && Endpoints[0].CachePeriodInMinutes > 0);
});
