// CreateBackup, DescribeBackup, ListBackups, DeleteBackup, RestoreTableFromBackup.

import assert from 'node:assert/strict';
import { call, fails, get, invalid, isLocal, plainItem, put, putAll, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({
  t: { key: 'pk:S sk:N', gsi: { byG: 'g:S' } },
});
const test = suite('backups', hooks);
// A real account takes minutes for each of these, and charges for them.
const locally = (name, body) => test(name, async () => (isLocal() ? body() : undefined));

const until = async (ask, isDone) => {
  for (const deadline = Date.now() + 60_000; ; ) {
    const seen = await ask();
    if (isDone(seen)) return seen;
    assert.ok(Date.now() < deadline, `still ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const describe = async (BackupArn) => (await call('DescribeBackup', { BackupArn })).BackupDescription;
const backUp = async (BackupName) => {
  const { BackupDetails } = await call('CreateBackup', { TableName: names.t, BackupName });
  assert.equal(BackupDetails.BackupStatus, 'CREATING');
  await until(() => describe(BackupDetails.BackupArn), ({ BackupDetails: { BackupStatus } }) => BackupStatus === 'AVAILABLE');
  return BackupDetails.BackupArn;
};
const kGone = 'arn:aws:dynamodb:us-east-1:123456789012:table/none/backup/01489602797149-73d8d5bc';

locally('a table comes back as it was, with its index', async () => {
  await putAll(names.t, Array.from({ length: 60 }, (_, n) => ({ pk: 'p', sk: n, g: `g${n % 2}` })));
  const arn = await backUp('before');
  await put(names.t, { pk: 'p', sk: 0, changed: true });
  await put(names.t, { pk: 'later', sk: 1 });

  const { BackupDetails, SourceTableDetails, SourceTableFeatureDetails } = await describe(arn);
  assert.equal(BackupDetails.BackupName, 'before');
  assert.ok(BackupDetails.BackupCreationDateTime instanceof Date);
  assert.deepEqual([SourceTableDetails.TableName, SourceTableDetails.ItemCount], [names.t, 60]);
  assert.equal(SourceTableFeatureDetails.GlobalSecondaryIndexes[0].IndexName, 'byG');

  const TargetTableName = `${names.t}-restored`;
  const { TableDescription } = await call('RestoreTableFromBackup', { BackupArn: arn, TargetTableName });
  assert.equal(TableDescription.TableStatus, 'CREATING');
  await until(() => call('DescribeTable', { TableName: TargetTableName }), ({ Table }) => Table.TableStatus === 'ACTIVE');
  try {
    assert.deepEqual(await get(TargetTableName, { pk: 'p', sk: 0 }), { pk: 'p', sk: 0, g: 'g0' });
    assert.equal(await get(TargetTableName, { pk: 'later', sk: 1 }), undefined);
    const { Items } = await call('Query', {
      TableName: TargetTableName,
      IndexName: 'byG',
      KeyConditionExpression: 'g = :g',
      ExpressionAttributeValues: { ':g': { S: 'g1' } },
    });
    assert.equal(Items.map(plainItem).length, 30);
    await fails('RestoreTableFromBackup', { BackupArn: arn, TargetTableName }, 'TableAlreadyExistsException');
  } finally {
    await call('DeleteTable', { TableName: TargetTableName });
  }
  await call('DeleteBackup', { BackupArn: arn });
});

locally('backups are listed by pages and deleted', async () => {
  const arns = [await backUp('one'), await backUp('two'), await backUp('three')];
  const list = (more) => call('ListBackups', { TableName: names.t, ...more });
  const first = await list({ Limit: 2 });
  const rest = await list({ ExclusiveStartBackupArn: first.LastEvaluatedBackupArn });
  assert.deepEqual(
    [...first.BackupSummaries, ...rest.BackupSummaries].map(({ BackupArn }) => BackupArn).sort(),
    [...arns].sort(),
  );
  assert.deepEqual((await list({ BackupType: 'SYSTEM' })).BackupSummaries, []);
  for (const BackupArn of arns) {
    const { BackupDescription } = await call('DeleteBackup', { BackupArn });
    assert.equal(BackupDescription.BackupDetails.BackupStatus, 'DELETED');
  }
  assert.deepEqual((await list({})).BackupSummaries, []);
});

locally('what is not there is named', async () => {
  await fails('CreateBackup', { TableName: 'no-such-table', BackupName: 'abc' }, 'TableNotFoundException', 'Table not found: no-such-table');
  for (const [operation, more] of [['DescribeBackup'], ['DeleteBackup'], ['RestoreTableFromBackup', { TargetTableName: 'abc' }]]) {
    await fails(operation, { BackupArn: kGone, ...more }, 'BackupNotFoundException', `Backup not found: ${kGone}`);
  }
  await invalid('CreateBackup', { TableName: names.t, BackupName: 'x' });
});
