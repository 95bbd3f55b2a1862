// What serve does with models that are wrong and tables that do not fit.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { call, kModel, kSecret, token } from './fixture.js';

const test = suite('start');
const env = { GATELEG_JWT_SECRET: kSecret };

function refused(args, pattern) {
  const faces = ['--dynamodb', '127.0.0.1:0', '--http', '127.0.0.1:0', '--s3', 'off'];
  const { status, stderr } = spawnSync(process.env.GATELEG_BIN, ['serve', ...faces, ...args], {
    encoding: 'utf8',
    timeout: 15_000,
  });
  assert.equal(status, 2, stderr);
  assert.match(stderr, pattern);
}

test('a model with an error is named with its place, exit code 2', () => {
  const folder = tempDir();
  const file = join(folder, 'broken.yaml');
  writeFileSync(file, readFileSync(kModel, 'utf8').replace('USER#{userId}#STORY#{id}', 'USER#{userId}#STORY#{nothing}'));
  refused(['--memory', '--model', file], /broken\.yaml:\d+:\d+: error/);
  refused(['--memory', '--model', join(folder, 'missing.yaml')], /missing\.yaml/);
  refused(['--memory', '--model', kModel, '--model', kModel], /another model has the name stories/);
  refused(['--memory', '--model', kModel, '--jwks', join(folder, 'no-keys.json')], /no-keys\.json/);
  removeDir(folder);
});

test('a table with another key is refused; what the table lacks is added', async () => {
  const data = tempDir();
  const table = async (server, operation, request) => {
    const reply = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: JSON.stringify({ TableName: 'stories', ...request }),
    });
    const json = await reply.json();
    assert.equal(reply.status, 200, JSON.stringify(json));
    return json;
  };
  const create = (server, sort) =>
    table(server, 'CreateTable', {
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }, { AttributeName: sort, KeyType: 'RANGE' }],
      AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }, { AttributeName: sort, AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
  let server = await startServer({ data });
  await create(server, 'other');
  await server.stop();
  refused(['--data', data, '--model', kModel], /table stories exists with the key PK S, other S, but the model says PK S, SK S/);

  server = await startServer({ data });
  await table(server, 'DeleteTable');
  await create(server, 'SK');
  await server.stop();
  const folder = tempDir();
  const file = join(folder, 'model.yaml');
  const index = '  ttl: ttl\n  indexes: { byLabel: { key: { label: S } } }';
  writeFileSync(file, readFileSync(kModel, 'utf8').replace(/^ {2}ttl: +ttl$/m, index));
  server = await startServer({ data, http: true, args: ['--model', file], env });
  const { Table: described } = await table(server, 'DescribeTable');
  assert.deepEqual(described.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName), ['byLabel']);
  const { TimeToLiveDescription: ttl } = await table(server, 'DescribeTimeToLive');
  assert.deepEqual([ttl.AttributeName, ttl.TimeToLiveStatus], ['ttl', 'ENABLED']);
  await server.stop();
  removeDir(data);
  removeDir(folder);
});

test('stories and cursors outlive the server', async () => {
  const data = tempDir();
  const user = { token: token({ sub: 'keeper' }) };
  let server = await startServer({ data, http: true, args: ['--model', kModel], env });
  for (const title of ['one', 'two']) {
    const reply = await call('POST', '/v1/stories', { base: server.httpUrl, user, body: { title } });
    assert.equal(reply.status, 201, reply.body);
  }
  const { json } = await call('GET', '/v1/stories?limit=1', { base: server.httpUrl, user });
  await server.stop();
  server = await startServer({ data, http: true, args: ['--model', kModel], env });
  const next = await call('GET', `/v1/stories?limit=1&cursor=${encodeURIComponent(json.cursor)}`, {
    base: server.httpUrl,
    user,
  });
  assert.equal(next.json?.items?.[0].title, 'one', next.body);
  await server.stop();
  removeDir(data);
});
