// What Terraform, command lines and consoles ask beside what they want.

import assert from 'node:assert/strict';
import { call, createTable, dropTable, fails, freshName, invalid, isLocal, tableRequest } from '../lib/dynamo.js';
import { skip, suite } from '../lib/runner.js';

let table;
let arn;
const test = suite('tools', {
  before: async () => {
    table = await createTable({ key: 'pk:S' });
    arn = (await call('DescribeTable', { TableName: table })).Table.TableArn;
  },
  after: () => dropTable(table),
});

const shown = ({ $metadata, ...rest }) => rest;

test('point-in-time recovery is kept and shown', async () => {
  const describe = async () =>
    (await call('DescribeContinuousBackups', { TableName: table })).ContinuousBackupsDescription;
  assert.deepEqual(await describe(), {
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' },
  });
  const set = (PointInTimeRecoverySpecification) =>
    call('UpdateContinuousBackups', { TableName: table, PointInTimeRecoverySpecification });
  const on = await set({ PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 });
  const { PointInTimeRecoveryDescription } = on.ContinuousBackupsDescription;
  assert.equal(PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, 'ENABLED');
  assert.equal((await describe()).PointInTimeRecoveryDescription.RecoveryPeriodInDays, 7);
  await set({ PointInTimeRecoveryEnabled: false });
  assert.equal((await describe()).PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, 'DISABLED');
  await fails('DescribeContinuousBackups', { TableName: freshName() }, 'TableNotFoundException', /^Table not found: /);
  await invalid('UpdateContinuousBackups', {
    TableName: table,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 36 },
  });
  await invalid(
    'UpdateContinuousBackups',
    { TableName: table, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false, RecoveryPeriodInDays: 7 } },
    'Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.',
  );
});

test('resource policies are kept and shown', async () => {
  if (!isLocal()) skip('would change who may call');
  await fails('GetResourcePolicy', { ResourceArn: arn }, 'PolicyNotFoundException');
  const Policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:*","Resource":"*"}]}';
  const { RevisionId } = await call('PutResourcePolicy', { ResourceArn: arn, Policy });
  assert.deepEqual(shown(await call('GetResourcePolicy', { ResourceArn: arn })), { Policy, RevisionId });
  await fails('GetResourcePolicy', { ResourceArn: `${arn}/stream/2025-01-01T00:00:00.000` }, 'PolicyNotFoundException');
  await call('DeleteResourcePolicy', { ResourceArn: arn });
  await fails('GetResourcePolicy', { ResourceArn: arn }, 'PolicyNotFoundException');
  await fails('GetResourcePolicy', { ResourceArn: `${arn}9` }, 'ResourceNotFoundException');
  await invalid('GetResourcePolicy', { ResourceArn: 'nonsense' });
  const refused = (text, why) => invalid('PutResourcePolicy', { ResourceArn: arn, Policy: text }, `One or more parameter values were invalid: ${why}`);
  await refused('[]', 'Invalid policy document: This policy contains invalid Json');
  await refused('null', 'Invalid policy document: This text appears not to be a policy');
  await refused('{}', 'Invalid policy document: Syntax error at position (1,3)');
  await refused('{"Statement":[]}', 'Invalid policy document: Could not parse the policy: Statement is empty!');
  await refused('{"Statement":[{}]}', 'Invalid policy document: Missing required field Effect');
  await refused(`"${'x'.repeat(20480)}"`, 'Maximum policy size of 20480 bytes exceeded');
});

test('a table is made with its policy', async () => {
  const name = freshName();
  const ResourcePolicy = '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:*","Resource":"*"}]}';
  const { TableDescription } = await call('CreateTable', { ...tableRequest(name, { key: 'pk:S' }), ResourcePolicy });
  assert.equal((await call('GetResourcePolicy', { ResourceArn: TableDescription.TableArn })).Policy, ResourcePolicy);
  await invalid('CreateTable', { ...tableRequest(freshName(), { key: 'pk:S' }), ResourcePolicy: '' }, /This policy contains invalid Json$/);
  await dropTable(name);
});

test('a policy is changed only where the expected revision is there', async () => {
  const table = await createTable({ key: 'pk:S' });
  const { Table } = await call('DescribeTable', { TableName: table });
  const policy = (Effect) => JSON.stringify({ Statement: [{ Effect, Resource: Table.TableArn }] });
  const put = (Policy, ExpectedRevisionId) => ({ ResourceArn: Table.TableArn, Policy, ExpectedRevisionId });
  await fails('PutResourcePolicy', put(policy('Allow'), '123'), 'PolicyNotFoundException');
  const first = await call('PutResourcePolicy', put(policy('Allow'), 'NO_POLICY'));
  await fails('PutResourcePolicy', put(policy('Deny'), 'NO_POLICY'), 'PolicyNotFoundException');
  const second = await call('PutResourcePolicy', put(policy('Deny'), first.RevisionId));
  await fails('DeleteResourcePolicy', { ResourceArn: Table.TableArn, ExpectedRevisionId: first.RevisionId }, 'PolicyNotFoundException');
  assert.equal((await call('GetResourcePolicy', { ResourceArn: Table.TableArn })).Policy, policy('Deny'));
  await call('DeleteResourcePolicy', { ResourceArn: Table.TableArn, ExpectedRevisionId: second.RevisionId });
  await fails('GetResourcePolicy', { ResourceArn: Table.TableArn }, 'PolicyNotFoundException');
});

test('Contributor Insights of an index are its own', async () => {
  const table = await createTable({ key: 'pk:S' });
  const on = { ContributorInsightsAction: 'ENABLE', ContributorInsightsMode: 'THROTTLED_KEYS' };
  await call('UpdateContributorInsights', { TableName: table, IndexName: 'byName', ...on });
  const status = async (more) => shown(await call('DescribeContributorInsights', { TableName: table, ...more }));
  assert.equal((await status({})).ContributorInsightsStatus, 'DISABLED');
  assert.deepEqual(await status({ IndexName: 'byName' }), {
    TableName: table,
    IndexName: 'byName',
    ContributorInsightsStatus: 'ENABLED',
    ContributorInsightsMode: 'THROTTLED_KEYS',
  });
  const { ContributorInsightsSummaries } = await call('ListContributorInsights', { TableName: table });
  assert.deepEqual(ContributorInsightsSummaries.map((each) => each.IndexName), [undefined, 'byName']);
  await invalid('UpdateContributorInsights', { TableName: table, ...on, ContributorInsightsMode: 'ALL' }, /enum value set/);
});

test('Contributor Insights are kept and shown', async () => {
  if (!isLocal()) skip('costs money');
  const status = async () => (await call('DescribeContributorInsights', { TableName: table })).ContributorInsightsStatus;
  assert.equal(await status(), 'DISABLED');
  await call('UpdateContributorInsights', { TableName: table, ContributorInsightsAction: 'ENABLE' });
  assert.equal(await status(), 'ENABLED');
  await call('UpdateContributorInsights', { TableName: table, ContributorInsightsAction: 'DISABLE' });
  assert.equal(await status(), 'DISABLED');
  assert.ok(Array.isArray((await call('ListContributorInsights', {})).ContributorInsightsSummaries));
});

test('what is not there is answered as nothing', async () => {
  if (!isLocal()) skip('an account may have some');
  assert.deepEqual(shown(await call('DescribeKinesisStreamingDestination', { TableName: table })), {
    TableName: table,
    KinesisDataStreamDestinations: [],
  });
  assert.deepEqual((await call('ListGlobalTables')).GlobalTables, []);
  assert.deepEqual((await call('ListExports')).ExportSummaries, []);
  assert.deepEqual((await call('ListImports')).ImportSummaryList, []);
  const { TableAutoScalingDescription } = await call('DescribeTableReplicaAutoScaling', { TableName: table });
  assert.equal(TableAutoScalingDescription.TableStatus, 'ACTIVE');
  await fails('DescribeGlobalTable', { GlobalTableName: table }, 'GlobalTableNotFoundException');
});
