// `--emulate aws`, and the command line of DynamoDB Local.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { call, connect, createTable, get, item, pages, plainItem, put, putAll, sleep } from '../lib/dynamo.js';
import { runAll, suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';

let server;
const emulated = suite('emulate aws', {
  before: async () => {
    server = await startServer({ args: ['--emulate', 'aws', '--emulate-seed', '7'] });
    connect(server.url);
  },
  after: () => server.stop(),
});

emulated('batches leave writes and keys, and finish when these are sent again', async () => {
  const table = await createTable({ key: 'pk:S' });
  const keys = [...Array(100).keys()].map((n) => ({ pk: `k${n}` }));
  let left = 0;
  for (let at = 0; at < keys.length; at += 10) {
    let requests = { [table]: keys.slice(at, at + 10).map((key) => ({ PutRequest: { Item: item(key) } })) };
    while (Object.keys(requests).length > 0) {
      requests = (await call('BatchWriteItem', { RequestItems: requests })).UnprocessedItems;
      left += requests[table]?.length ?? 0;
    }
  }
  assert.ok(left > 0, 'no write was left');
  assert.equal((await pages('Scan', { TableName: table })).items.length, keys.length);
  const read = [];
  let unread = 0;
  for (let round = 0; round < 30; round += 1) {
    let wanted = { [table]: { Keys: keys.map(item) } };
    while (Object.keys(wanted).length > 0) {
      const reply = await call('BatchGetItem', { RequestItems: wanted });
      read.push(...reply.Responses[table]);
      wanted = reply.UnprocessedKeys;
      unread += wanted[table]?.Keys.length ?? 0;
    }
  }
  assert.ok(unread > 0, 'no key was left');
  assert.equal(read.length, 30 * keys.length);
});

emulated('transactions conflict, with reasons, and succeed when tried again', async () => {
  const table = await createTable({ key: 'pk:S' });
  let conflicts = 0;
  for (let n = 0; n < 60; n += 1) {
    for (;;) {
      try {
        const puts = ['a', 'b'].map((side) => ({ Put: { TableName: table, Item: item({ pk: `${side}${n}` }) } }));
        await call('TransactWriteItems', { TransactItems: puts });
        break;
      } catch (error) {
        assert.equal(error.name, 'TransactionCanceledException');
        const codes = error.CancellationReasons.map(({ Code }) => Code).sort();
        assert.deepEqual(codes, ['None', 'TransactionConflict']);
        assert.equal(await get(table, { pk: `a${n}` }), undefined);
        conflicts += 1;
      }
    }
  }
  assert.ok(conflicts > 0);
  assert.equal((await pages('Scan', { TableName: table })).items.length, 120);
});

emulated('global indexes are behind, and catch up', async () => {
  const table = await createTable({ key: 'pk:S', gsi: { byGroup: 'grp:S' } });
  const query = async (group) =>
    (
      await call('Query', {
        TableName: table,
        IndexName: 'byGroup',
        KeyConditionExpression: 'grp = :g',
        ExpressionAttributeValues: { ':g': { S: group } },
      })
    ).Items.map(plainItem);
  let behind = 0;
  for (let n = 0; n < 30; n += 1) {
    await put(table, { pk: `k${n}`, grp: `g${n}` });
    behind += (await query(`g${n}`)).length === 0 ? 1 : 0;
  }
  assert.ok(behind > 0, 'no index was behind');
  while ((await query('g29')).length === 0) await sleep(50);
  assert.deepEqual(await query('g29'), [{ pk: 'k29', grp: 'g29' }]);
});

emulated('expired items stay for a while', async () => {
  const table = await createTable({ key: 'pk:S' });
  await call('UpdateTimeToLive', { TableName: table, TimeToLiveSpecification: { AttributeName: 'ends', Enabled: true } });
  const now = Math.floor(Date.now() / 1000);
  await putAll(table, [
    { pk: 'just', ends: now - 60 },
    { pk: 'long', ends: now - 7 * 24 * 3600 },
  ]);
  while (await get(table, { pk: 'long' })) await sleep(50);
  assert.ok(await get(table, { pk: 'just' }));
});

emulated('tables are backed up and restored, and have a policy from the start', async () => {
  const Policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:*","Resource":"*"}]}';
  const table = await createTable({ key: 'pk:S', ResourcePolicy: Policy });
  await put(table, { pk: 'a' });
  const { Table } = await call('DescribeTable', { TableName: table });
  assert.equal((await call('GetResourcePolicy', { ResourceArn: Table.TableArn })).Policy, Policy);
  const { BackupArn } = (await call('CreateBackup', { TableName: table, BackupName: 'first' })).BackupDetails;
  const status = async () => (await call('DescribeBackup', { BackupArn })).BackupDescription.BackupDetails.BackupStatus;
  while ((await status()) !== 'AVAILABLE') await sleep(50);
  assert.deepEqual((await call('ListBackups', { TableName: table })).BackupSummaries.map(({ BackupName }) => BackupName), ['first']);
  const copy = `${table}-copy`;
  await call('RestoreTableFromBackup', { BackupArn, TargetTableName: copy });
  while ((await call('DescribeTable', { TableName: copy })).Table.TableStatus !== 'ACTIVE') await sleep(50);
  assert.deepEqual(await get(copy, { pk: 'a' }), { pk: 'a' });
  await call('DeleteBackup', { BackupArn });
  assert.deepEqual((await call('ListBackups', {})).BackupSummaries, []);
});

const local = suite('DynamoDB Local');

local('its command line starts a server in memory', async () => {
  const words = ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar', '-inMemory', '-sharedDb', '-port', '0', '-cors', '*'];
  const started = await startServer({ words });
  connect(started.url);
  assert.equal(started.httpUrl, '');
  assert.match(started.output, /^Initializing DynamoDB Local with the following configuration:\nPort:\t0\nInMemory:\ttrue\n/);
  const table = await createTable({ key: 'pk:S' });
  await put(table, { pk: 'a' });
  assert.deepEqual(await get(table, { pk: 'a' }), { pk: 'a' });
  assert.equal((await started.stop()).code, 0);
});

local('-dbPath keeps the tables', async () => {
  const data = tempDir('gateleg-local');
  const words = ['-jar', 'DynamoDBLocal.jar', '-dbPath', data, '-port', '0', '-optimizeDbBeforeStartup', '-delayTransientStatuses', '-disableTelemetry'];
  let started = await startServer({ words });
  connect(started.url);
  const table = await createTable({ key: 'pk:S' });
  await started.stop();
  started = await startServer({ words });
  connect(started.url);
  assert.deepEqual((await call('ListTables')).TableNames, [table]);
  await started.stop();
  removeDir(data);
});

local('a GET is answered with 400, as health checks expect, and only under --compat', async () => {
  const alike = await startServer({ args: ['--compat', 'dynamodb-local'] });
  for (const method of ['GET', 'HEAD']) {
    const reply = await fetch(alike.url, { method });
    assert.equal(reply.status, 400);
    assert.equal(method === 'HEAD' || (await reply.json()).__type.endsWith('#MissingAuthenticationToken'), true);
  }
  await alike.stop();
  const plain = await startServer();
  assert.equal((await fetch(plain.url)).status, 200);
  assert.doesNotMatch(plain.output, /Initializing/);
  await plain.stop();
});

const DEFINITIONS = {
  AttributeDefinitions: ['pk', 'sk', 'l', 'g', 'unused'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
  LocalSecondaryIndexes: [{ IndexName: 'local', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'l', KeyType: 'RANGE' }], Projection: { ProjectionType: 'ALL' } }],
  GlobalSecondaryIndexes: [{ IndexName: 'global', KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }, { AttributeName: 'l', KeyType: 'RANGE' }], Projection: { ProjectionType: 'ALL' } }],
  BillingMode: 'PAY_PER_REQUEST',
};

// The reply as it is, with the checksum that the SDKs of version 2 compare.
async function raw(url, operation, body) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  assert.equal(reply.headers.get('x-amz-crc32'), String(crc32(text)));
  return { status: reply.status, ...JSON.parse(text) };
}

function crc32(text) {
  let crc = ~0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

// What each of the two says to the same requests.
async function answers(url) {
  const created = await raw(url, 'CreateTable', { TableName: 'shared', ...DEFINITIONS });
  await raw(url, 'CreateTable', { TableName: 'plain', ...DEFINITIONS, AttributeDefinitions: DEFINITIONS.AttributeDefinitions.slice(0, 4) });
  const { message: twice } = await raw(url, 'CreateTable', {
    TableName: 'twice',
    AttributeDefinitions: ['S', 'N'].map((AttributeType) => ({ AttributeName: 'pk', AttributeType })),
    KeySchema: DEFINITIONS.KeySchema.slice(0, 1),
    BillingMode: 'PAY_PER_REQUEST',
  });
  const limits = [
    await raw(url, 'Query', { TableName: 'plain', Limit: 0, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'a' } } }),
    await raw(url, 'Scan', { TableName: 'plain', Limit: -1 }),
  ];
  const Key = { pk: { S: 'a' }, sk: { S: 'b' } };
  const ConditionExpression = 'attribute_exists(pk)';
  const { CancellationReasons } = await raw(url, 'TransactWriteItems', {
    TransactItems: [
      { ConditionCheck: { TableName: 'plain', Key, ConditionExpression } },
      { Delete: { TableName: 'plain', Key: { pk: { S: 'a' }, sk: { S: 'c' } }, ConditionExpression } },
    ],
  });
  return {
    created: created.TableDescription?.AttributeDefinitions.length ?? created.message,
    twice,
    limits: limits.map((reply) => reply.message),
    reasons: CancellationReasons.map((reason) => reason.Message),
  };
}

local('its words are given under --compat, and those of AWS without', async () => {
  const alike = await startServer({ args: ['--compat', 'dynamodb-local'] });
  const limit = 'Limit must be greater than or equal to 1';
  const failed = 'The conditional request failed';
  assert.deepEqual(await answers(alike.url), { created: 4, twice: 'Cannot have two attributes with the same name', limits: [limit, limit], reasons: [`${failed}.`, failed] });
  await alike.stop();
  const plain = await startServer();
  const constraint = 'failed to satisfy constraint: Member must have value greater than or equal to 1';
  assert.deepEqual(await answers(plain.url), {
    created:
      'One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: [g, l, pk, sk, unused], keys used: [g, l, pk, sk]',
    twice: 'Attribute Name is duplicated: pk',
    limits: [`1 validation error detected: Value at 'Limit' ${constraint}`, `1 validation error detected: Value '-1' at 'limit' ${constraint}`],
    reasons: [failed, failed],
  });
  await plain.stop();
});

local('-version and -help are answered and end', async () => {
  for (const [word, expected] of [['-version', /^gateleg /], ['-help', /--dynamodb/]]) {
    const { stdout } = await promisify(execFile)(process.env.GATELEG_BIN, ['-jar', 'DynamoDBLocal.jar', word]);
    assert.match(stdout, expected);
  }
});

local('an option that nobody knows is refused with a sentence', async () => {
  await assert.rejects(startServer({ words: ['-inmemory'] }), /-inmemory is not an option of DynamoDB Local/);
});

process.exit((await runAll({ filter: process.argv[2] })) > 0 ? 1 : 0);
