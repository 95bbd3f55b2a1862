// Warm throughput, limits of on-demand tables, and what one UpdateTable may change at once.

import assert from 'node:assert/strict';
import { call, createTable, dropTable, fails, freshName, invalid, isLocal, tableRequest, waitActive } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const made = [];
const test = suite('throughput', { after: () => Promise.all(made.map(dropTable)) });
const make = async (spec) => {
  const name = freshName();
  made.push(name);
  return createTable(spec, name);
};
// A real account takes minutes for each change, and charges for warm tables.
const locally = (name, body) => test(name, async () => (isLocal() ? body() : undefined));

const kInvalid = 'One or more parameter values were invalid: ';
const kLower = (what, of) => `${kInvalid}Requested ${what}UnitsPerSecond for WarmThroughput for ${of} is lower than `;
const kDecrease = 'current WarmThroughput, decreasing WarmThroughput is not supported';
const kOnDemand =
  'initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial';

const units = (read, write) => ({ ReadUnitsPerSecond: read, WriteUnitsPerSecond: write });
const capacity = (read, write = read) => ({ ReadCapacityUnits: read, WriteCapacityUnits: write });
const active = (read, write) => ({ ...units(read, write), Status: 'ACTIVE' });
const describe = async (TableName) => (await call('DescribeTable', { TableName })).Table;
const update = (TableName, change) => call('UpdateTable', { TableName, ...change });
const updateIndex = (TableName, change) => update(TableName, { GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'byG', ...change } }] });
const provisioned = { BillingMode: 'PROVISIONED', ProvisionedThroughput: capacity(5) };
const withIndex = (more) => {
  const { GlobalSecondaryIndexes, ...rest } = tableRequest('', { key: 'pk:S', gsi: { byG: 'g:S' } });
  return { key: 'pk:S', gsi: { byG: 'g:S' }, GlobalSecondaryIndexes: [{ ...GlobalSecondaryIndexes[0], ...more }], AttributeDefinitions: rest.AttributeDefinitions };
};

test('warm throughput is shown without being asked for', async () => {
  const table = await describe(await make({ key: 'pk:S', gsi: { byG: 'g:S' } }));
  assert.deepEqual(table.WarmThroughput, active(12000, 4000));
  assert.deepEqual(table.GlobalSecondaryIndexes[0].WarmThroughput, active(12000, 4000));
  const fixed = await make({ ...withIndex({ ProvisionedThroughput: capacity(7, 8) }), ...provisioned });
  const { WarmThroughput, GlobalSecondaryIndexes } = await describe(fixed);
  assert.deepEqual(WarmThroughput, active(5, 5));
  assert.deepEqual(GlobalSecondaryIndexes[0].WarmThroughput, active(7, 8));
});

locally('warm throughput is set at the start, of the table and of an index', async () => {
  const name = await make({ ...withIndex({ WarmThroughput: units(13000, 5000) }), WarmThroughput: { ReadUnitsPerSecond: 12001 } });
  const table = await describe(name);
  assert.deepEqual(table.WarmThroughput, active(12001, 4000));
  assert.deepEqual(table.GlobalSecondaryIndexes[0].WarmThroughput, active(13000, 5000));
  const refused = (spec, message) => invalid('CreateTable', tableRequest(freshName(), { key: 'pk:S', ...spec }), message);
  await refused({ WarmThroughput: units(1, 1) }, kLower('Read', 'table') + kOnDemand);
  await refused({ WarmThroughput: { WriteUnitsPerSecond: 3999 } }, kLower('Write', 'table') + kOnDemand);
  await refused(withIndex({ WarmThroughput: units(100, 100) }), kLower('Read', 'index byG') + kOnDemand);
  await refused({ ...provisioned, WarmThroughput: units(4, 5) }, `${kLower('Read', 'table')}ReadCapacityUnits of ProvisionedThroughput`);
});

locally('warm throughput grows and never shrinks', async () => {
  const name = await make({ key: 'pk:S', gsi: { byG: 'g:S' } });
  const { TableDescription } = await update(name, { WarmThroughput: units(12001, 4001) });
  assert.deepEqual(TableDescription.WarmThroughput, { ...units(12000, 4000), Status: 'UPDATING' });
  assert.deepEqual((await describe(name)).WarmThroughput, active(12001, 4001));
  await update(name, { WarmThroughput: { ReadUnitsPerSecond: 12002 } });
  await update(name, { WarmThroughput: units(12002, 4001) });
  assert.deepEqual((await describe(name)).WarmThroughput, active(12002, 4001));
  await invalid('UpdateTable', { TableName: name, WarmThroughput: units(1, 1) }, kLower('Read', 'table') + kDecrease);
  await invalid('UpdateTable', { TableName: name, WarmThroughput: { WriteUnitsPerSecond: 4000 } }, kLower('Write', 'table') + kDecrease);

  await updateIndex(name, { WarmThroughput: { WriteUnitsPerSecond: 4004 } });
  assert.deepEqual((await describe(name)).GlobalSecondaryIndexes[0].WarmThroughput, active(12000, 4004));
  const refused = (change, message) =>
    invalid('UpdateTable', { TableName: name, GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'byG', ...change } }] }, message);
  await refused({ WarmThroughput: units(5, 5) }, kLower('Read', 'index byG') + kDecrease);
  await refused(
    { WarmThroughput: {} },
    `${kInvalid}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: byG`,
  );
});

locally('the highest throughput that was ever provisioned stays warm', async () => {
  const name = await make({ key: 'pk:S', BillingMode: 'PROVISIONED', ProvisionedThroughput: capacity(1) });
  await update(name, { ProvisionedThroughput: capacity(3) });
  await update(name, { ProvisionedThroughput: capacity(2, 1) });
  assert.deepEqual((await describe(name)).WarmThroughput, active(3, 3));
  await update(name, { BillingMode: 'PAY_PER_REQUEST' });
  assert.deepEqual((await describe(name)).WarmThroughput, active(12000, 4000));
  await update(name, { BillingMode: 'PROVISIONED', ProvisionedThroughput: capacity(1) });
  assert.deepEqual((await describe(name)).WarmThroughput, active(12000, 4000));
});

locally('limits of on-demand tables: one member at a time, -1 takes it away', async () => {
  const name = await make({ key: 'pk:S', gsi: { byG: 'g:S' }, OnDemandThroughput: { MaxReadRequestUnits: 100 } });
  const limits = async () => (await describe(name)).OnDemandThroughput;
  assert.deepEqual(await limits(), { MaxReadRequestUnits: 100 });
  await update(name, { OnDemandThroughput: { MaxWriteRequestUnits: 50 } });
  assert.deepEqual(await limits(), { MaxReadRequestUnits: 100, MaxWriteRequestUnits: 50 });
  await update(name, { OnDemandThroughput: { MaxReadRequestUnits: -1 } });
  assert.deepEqual(await limits(), { MaxWriteRequestUnits: 50 });
  await update(name, { OnDemandThroughput: { MaxWriteRequestUnits: -1 } });
  assert.equal(await limits(), undefined);
  const range = (what, of) => `${kInvalid}Requested ${what} for OnDemandThroughput for ${of} is outside of valid range`;
  await invalid('UpdateTable', { TableName: name, OnDemandThroughput: { MaxReadRequestUnits: 0 } }, range('MaxReadRequestUnits', 'table'));
  await invalid('UpdateTable', { TableName: name, OnDemandThroughput: { MaxWriteRequestUnits: -2 } }, range('MaxWriteRequestUnits', 'table'));
  await invalid(
    'CreateTable',
    tableRequest(freshName(), { key: 'pk:S', OnDemandThroughput: { MaxReadRequestUnits: -1 } }),
    range('MaxReadRequestUnits', 'table'),
  );
  await updateIndex(name, { OnDemandThroughput: { MaxReadRequestUnits: 7 } });
  assert.deepEqual((await describe(name)).GlobalSecondaryIndexes[0].OnDemandThroughput, { MaxReadRequestUnits: 7 });
  await invalid(
    'CreateTable',
    tableRequest(freshName(), { key: 'pk:S', ...provisioned, OnDemandThroughput: { MaxReadRequestUnits: 5 } }),
    `${kInvalid}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.`,
  );
});

locally('leaving PAY_PER_REQUEST needs throughput for the table and each index', async () => {
  const name = await make({ key: 'pk:S', gsi: { byG: 'g:S' } });
  const refused = (change, message) => invalid('UpdateTable', { TableName: name, ...change }, kInvalid + message);
  await refused({ BillingMode: 'PROVISIONED' }, 'ProvisionedThroughput must be specified when BillingMode is PROVISIONED');
  await refused(
    { BillingMode: 'PROVISIONED', ProvisionedThroughput: capacity(5) },
    'ProvisionedThroughput must be specified for index: byG',
  );
  const one = [{ Update: { IndexName: 'byG', ProvisionedThroughput: capacity(2) } }];
  await refused(
    { GlobalSecondaryIndexUpdates: one },
    'The only Updates for index: byG when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput',
  );
  await update(name, { ...provisioned, GlobalSecondaryIndexUpdates: one });
  const table = await waitActive(name);
  assert.equal(table.ProvisionedThroughput.ReadCapacityUnits, 5);
  assert.equal(table.GlobalSecondaryIndexes[0].ProvisionedThroughput.WriteCapacityUnits, 2);
  await invalid('UpdateTable', { TableName: name, GlobalSecondaryIndexUpdates: one }, /^The provisioned throughput for the index byG will not change\. .*provisioned for index byG: 2\. Requested ReadCapacityUnits: 2\./);
  await refused(
    { OnDemandThroughput: { MaxReadRequestUnits: 5 } },
    'MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED',
  );
});

locally('most changes want a request of their own', async () => {
  const name = await make({ key: 'pk:S', gsi: { byG: 'g:S' } });
  const refused = (change, message) => invalid('UpdateTable', { TableName: name, ...change }, kInvalid + message);
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' };
  const SSESpecification = { Enabled: true };
  const TableClass = 'STANDARD_INFREQUENT_ACCESS';
  const DeletionProtectionEnabled = true;
  const OnDemandThroughput = { MaxReadRequestUnits: 5 };
  const AttributeDefinitions = [{ AttributeName: 'h', AttributeType: 'S' }];
  const Create = { IndexName: 'byH', KeySchema: [{ AttributeName: 'h', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } };
  const GlobalSecondaryIndexUpdates = [{ Create }];
  const WarmThroughput = units(12001, 4001);
  const alone = 'must be the only operation in the request';
  await refused({ SSESpecification, TableClass, DeletionProtectionEnabled }, `Server-Side Encryption modification ${alone}`);
  await refused({ TableClass, DeletionProtectionEnabled }, `TableClass modification ${alone}`);
  await refused({ DeletionProtectionEnabled, StreamSpecification }, `DeletionProtection modification ${alone}`);
  await refused({ DeletionProtectionEnabled, WarmThroughput }, `DeletionProtection modification ${alone}`);
  await refused({ WarmThroughput, StreamSpecification }, `WarmThroughput ${alone}`);
  await refused({ StreamSpecification, OnDemandThroughput }, 'OnDemandThroughput can only be combined with BillingMode in an UpdateTable request');
  await refused({ ...provisioned, StreamSpecification }, 'You cannot modify stream status while updating table IOPS');
  await refused({ AttributeDefinitions, GlobalSecondaryIndexUpdates, StreamSpecification }, 'You cannot create or delete index while changing stream status');
  await refused({ ...provisioned, AttributeDefinitions, GlobalSecondaryIndexUpdates }, 'You cannot create or delete index while updating table IOPS');
  await refused(
    { AttributeDefinitions, GlobalSecondaryIndexUpdates, WarmThroughput },
    'Create global secondary index cannot be specified when updating WarmThroughput',
  );
  await refused({ GlobalSecondaryIndexUpdates: [], OnDemandThroughput }, 'List of GlobalSecondaryIndexUpdates is empty');
  assert.equal((await describe(name)).DeletionProtectionEnabled, false);
  await update(name, { BillingMode: 'PAY_PER_REQUEST', StreamSpecification });
  await update(name, { WarmThroughput, GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'byG', WarmThroughput } }] });
  const table = await describe(name);
  assert.deepEqual([table.WarmThroughput, table.GlobalSecondaryIndexes[0].WarmThroughput], [active(12001, 4001), active(12001, 4001)]);
});

locally('updates of indexes that AWS refuses, in its words', async () => {
  const name = await make({ key: 'pk:S sk:S', gsi: { byG: 'g:S' }, lsi: { local: 'l:S' } });
  const refused = (GlobalSecondaryIndexUpdates, message, more) =>
    invalid('UpdateTable', { TableName: name, GlobalSecondaryIndexUpdates, ...more }, message);
  const Create = { IndexName: 'byH', KeySchema: [{ AttributeName: 'h', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } };
  const AttributeDefinitions = [{ AttributeName: 'h', AttributeType: 'S' }];
  await invalid(
    'UpdateTable',
    { TableName: name },
    'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, ' +
      'MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required',
  );
  await refused([{ Create }], `${kInvalid}AttributeDefinitions is not specified for index: byH`);
  await refused([{ Create: { ...Create, IndexName: 'byG' } }], 'Attempting to create an index which already exists', { AttributeDefinitions });
  await refused(
    [{ Create: { ...Create, ProvisionedThroughput: capacity(1) } }],
    `${kInvalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: byH when BillingMode is PAY_PER_REQUEST`,
    { AttributeDefinitions },
  );
  await refused([{ Delete: { IndexName: 'local' } }], 'Cannot delete an index that is not a GlobalSecondaryIndex: local');
  await refused([{}], `${kInvalid}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null`);
  await refused(
    [{ Create, Delete: { IndexName: 'byG' } }],
    `${kInvalid}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object`,
  );
  await refused(
    [{ Delete: { IndexName: 'byG' } }, { Update: { IndexName: 'byG', WarmThroughput: units(13000, 5000) } }],
    `${kInvalid}Only one global secondary index update per index is allowed simultaneously. Index: byG`,
  );
  await fails(
    'UpdateTable',
    { TableName: name, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'nope' } }] },
    'ResourceNotFoundException',
    `Requested resource not found: Index nope for table ${name}`,
  );
  // Definitions are looked at only for a new index.
  await update(name, { BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }] });
  const types = Object.fromEntries((await describe(name)).AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  assert.equal(types.pk, 'S');
});

test('definitions and included attributes are shown by name', async () => {
  const table = await describe(await make({ key: 'z:S a:S', gsi: { byM: 'm:S INCLUDE zz,aa,mm' } }));
  assert.deepEqual(table.AttributeDefinitions.map((each) => each.AttributeName), ['a', 'm', 'z']);
  assert.deepEqual(table.GlobalSecondaryIndexes[0].Projection.NonKeyAttributes, ['aa', 'mm', 'zz']);
});

test('what a new table may not be, in AWS\'s words', async () => {
  const refused = (change, message) => invalid('CreateTable', { ...tableRequest(freshName(), { key: 'pk:S', gsi: { byG: 'g:S' } }), ...change }, message);
  const attributes = (...names) => names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
  const key = (...roles) => roles.map(([AttributeName, KeyType]) => ({ AttributeName, KeyType }));
  const index = (KeySchema, Projection = { ProjectionType: 'ALL' }) => [{ IndexName: 'byG', KeySchema, Projection }];
  await refused({ AttributeDefinitions: attributes('pk', 'g', 'pk') }, 'Attribute Name is duplicated: pk');
  await refused(
    { AttributeDefinitions: attributes('pk', 'g', 'x') },
    `${kInvalid}Some AttributeDefinitions are not used. AttributeDefinitions: [g, pk, x], keys used: [g, pk]`,
  );
  await refused(
    { GlobalSecondaryIndexes: index(key(['g', 'HASH'], ['g', 'RANGE'])) },
    'Both the Hash Key and the Range Key element in the KeySchema have the same name',
  );
  const many = ['a', 'b', 'c', 'd', 'e'];
  await refused(
    { AttributeDefinitions: attributes('pk', ...many), GlobalSecondaryIndexes: index(key(...many.map((name) => [name, 'HASH']))) },
    `${kInvalid}The KeySchema exceeds the maximum allowed number of HASH key attributes`,
  );
  await refused(
    { AttributeDefinitions: attributes('pk', 'a', 'b', 'c'), GlobalSecondaryIndexes: index(key(['a', 'HASH'], ['b', 'RANGE'], ['c', 'HASH'])) },
    `${kInvalid}All HASH key attributes must precede RANGE key attributes in the KeySchema`,
  );
  await refused(
    { GlobalSecondaryIndexes: index(key(['g', 'HASH']), { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x', 'x'] }) },
    `${kInvalid}Duplicate element in NonKeyAttributes: x`,
  );
  await refused({ SSESpecification: { Enabled: false, SSEType: 'KMS' } }, `${kInvalid}SSEType can not be specified if Enabled is false`);
  await refused({ SSESpecification: { Enabled: true, KMSMasterKeyId: 'k' } }, `${kInvalid}SSEType KMS is required if KMSMasterKeyId is specified`);
  await refused({ Tags: [{ Key: 'a' }] }, 'The Tag Value provided is invalid, Value: null');
  await refused({ Tags: [{ Key: 'a', Value: '1' }, { Key: 'a', Value: '2' }] }, 'Duplicate Tag Keys provided as input: Duplicate Tag Key found a');
  await refused({ Tags: [{ Key: 'aws:a', Value: '1' }] }, 'Tag Key cannot be prefixed with aws:, Key: aws:a');
});
