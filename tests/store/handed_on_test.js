// What the DynamoDB face before a remote store hands on to it: streams, backups, tools, what it does not know.

import assert from 'node:assert/strict';
import http from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, kNobodysKeys } from '../lib/command.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { signedHeaders } from '../lib/sigv4.js';
import { dynamodb, startStore } from './fixture.js';

const kApp = { accessKeyId: 'app', secretAccessKey: 'secret-of-the-app' };
const kReader = { accessKeyId: 'reader', secretAccessKey: 'secret-of-the-reader' };
const kProfile = ([name, { accessKeyId, secretAccessKey }, scope]) =>
  `[${name}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n${scope}\n`;

let folder;
let data;
let store;
let front;

const test = suite('handed on', {
  before: async () => {
    folder = tempDir();
    const keys = join(folder, 'keys.ini');
    const profiles = [['app', kApp, ''], ['reader', kReader, 'gateleg_scope = read:Pets']];
    writeFileSync(keys, profiles.map(kProfile).join(''), { mode: 0o600 });
    data = join(folder, 'data');
    store = await startStore();
    front = await startServer({
      data,
      args: ['--store', store.url, '--credentials', keys],
      env: { ...kNobodysKeys, GATELEG_KEY_FILE: join(folder, 'master.key') },
    });
    await ask('CreateTable', {
      TableName: 'Pets',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    });
  },
  after: async () => {
    await front?.stop();
    await store?.stop();
    removeDir(folder);
  },
});

// A signed call to the server in front; resolves to {status, json}.
function send(operation, request, { key = kApp, prefix = 'DynamoDB_20120810' } = {}) {
  const url = new URL(front.url);
  const body = JSON.stringify(request);
  const extra = { 'x-amz-target': `${prefix}.${operation}` };
  const headers = signedHeaders(operation, body, key, { host: url.host, extra });
  return new Promise((resolve, reject) => {
    const call = http.request(url, { method: 'POST', headers, agent: false }, (reply) => {
      let text = '';
      reply.on('data', (chunk) => (text += chunk));
      reply.on('end', () => resolve({ status: reply.statusCode, json: JSON.parse(text) }));
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function ask(operation, request, options) {
  const { status, json } = await send(operation, request, options);
  assert.equal(status, 200, `${operation}: ${JSON.stringify(json)}`);
  return json;
}

const typeOf = ({ json }) => json.__type?.split('#').pop();
const streams = (operation, request, options) =>
  ask(operation, request, { ...options, prefix: 'DynamoDBStreams_20120810' });

test('the records of a stream are read through the server in front', async () => {
  await ask('PutItem', { TableName: 'Pets', Item: { pk: { S: 'rex' }, legs: { N: '4' } } });
  const { Streams } = await streams('ListStreams', { TableName: 'Pets' });
  assert.equal(Streams.length, 1);
  const { StreamArn } = Streams[0];
  const { StreamDescription } = await streams('DescribeStream', { StreamArn });
  const seen = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const place = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await streams('GetShardIterator', place);
    seen.push(...(await streams('GetRecords', { ShardIterator }, { key: kReader })).Records);
  }
  assert.deepEqual(seen.map(({ dynamodb: record }) => record.NewImage), [{ pk: { S: 'rex' }, legs: { N: '4' } }]);
});

test('backups are made, listed and restored in the store', async () => {
  const { BackupDetails } = await ask('CreateBackup', { TableName: 'Pets', BackupName: 'monday' });
  const { BackupArn } = BackupDetails;
  const { BackupSummaries } = await ask('ListBackups', { TableName: 'Pets' }, { key: kReader });
  assert.deepEqual(BackupSummaries.map(({ BackupName }) => BackupName), ['monday']);
  for (let tries = 0; ; tries += 1) {
    const { BackupDescription } = await ask('DescribeBackup', { BackupArn });
    if (BackupDescription.BackupDetails.BackupStatus === 'AVAILABLE') break;
    assert.ok(tries < 200, 'the backup is not done');
    await new Promise((wake) => {
      setTimeout(wake, 50);
    });
  }
  await ask('RestoreTableFromBackup', { TargetTableName: 'Copy', BackupArn });
  for (let tries = 0; ; tries += 1) {
    const { json } = await dynamodb(store.url, 'DescribeTable', { TableName: 'Copy' });
    if (json.Table?.TableStatus === 'ACTIVE') break;
    assert.ok(tries < 200, 'the restored table is not there');
    await new Promise((wake) => {
      setTimeout(wake, 50);
    });
  }
  assert.equal((await ask('Scan', { TableName: 'Copy' })).Count, 1);
  await ask('DeleteBackup', { BackupArn });
  assert.equal(typeOf(await send('DescribeBackup', { BackupArn })), 'BackupNotFoundException');
});

test('what tools set is kept by the store', async () => {
  const on = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 };
  await ask('UpdateContinuousBackups', { TableName: 'Pets', PointInTimeRecoverySpecification: on });
  const shown = await ask('DescribeContinuousBackups', { TableName: 'Pets' });
  const { PointInTimeRecoveryStatus } = shown.ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  assert.equal(PointInTimeRecoveryStatus, 'ENABLED');
  const { json } = await dynamodb(store.url, 'DescribeContinuousBackups', { TableName: 'Pets' });
  assert.deepEqual(json, shown);
  assert.equal(typeOf(await send('DescribeContinuousBackups', { TableName: 'None' })), 'TableNotFoundException');
  assert.deepEqual(await ask('ListGlobalTables', {}), { GlobalTables: [] });
});

test('the store answers for what it does not know, and the scope holds for what is handed on', async () => {
  assert.equal(typeOf(await send('NoSuchOperation', {})), 'UnknownOperationException');
  const denied = async (operation, request, prefix) =>
    assert.equal(typeOf(await send(operation, request, { key: kReader, prefix })), 'AccessDeniedException', operation);
  await denied('NoSuchOperation', { TableName: 'Pets' });
  await denied('CreateBackup', { TableName: 'Pets', BackupName: 'mine' });
  await denied('UpdateContinuousBackups', { TableName: 'Pets' });
  await denied('DescribeContinuousBackups', { TableName: 'Copy' });
  await denied('ListStreams', {}, 'DynamoDBStreams_20120810');
  const unsigned = await dynamodb(front.url, 'ListBackups', {});
  assert.equal(unsigned.status, 400);
  assert.equal(typeOf(unsigned), 'MissingAuthenticationTokenException');
});

test('keys of a server with a remote store are made while it runs, and hold at once', async () => {
  const made = JSON.parse(await done('keys', 'create', 'late', '--scope', 'read:Pets', '--data', data, '--output', 'json'));
  assert.equal((await ask('Scan', { TableName: 'Pets' }, { key: made })).Count, 1);
  assert.equal(typeOf(await send('Scan', { TableName: 'Copy' }, { key: made })), 'AccessDeniedException');
  await done('keys', 'revoke', made.accessKeyId, '--data', data);
  assert.equal(typeOf(await send('Scan', { TableName: 'Pets' }, { key: made })), 'UnrecognizedClientException');
});
