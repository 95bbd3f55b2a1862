// What serve asks of a store before it starts.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { done, dynamodb, kModel, ok, refused, startLesserStore, startOn, startStore } from './fixture.js';

let store;
const test = suite('start', {
  before: async () => {
    store = await startStore();
  },
  after: async () => {
    await store.stop();
  },
});

test('no table is made unasked: serve names what apply has to do', async () => {
  await refused(2, /create table stories[^]*run: gateleg apply /, store.url);
  const { json } = await dynamodb(store.url, 'ListTables', {});
  assert.deepEqual(json.TableNames, []);
  await done('apply', kModel, '--endpoint', store.url);

  const folder = tempDir();
  const file = join(folder, 'model.yaml');
  const index = '  ttl: ttl\n  indexes: { byLabel: { key: { label: S } } }';
  writeFileSync(file, readFileSync(kModel, 'utf8').replace(/^ {2}ttl: +ttl$/m, index));
  await refused(2, /add index byLabel/, store.url, file);
  removeDir(folder);
});

test('a table with another key is refused', async () => {
  const other = await startStore();
  await dynamodb(other.url, 'CreateTable', {
    TableName: 'stories',
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  await refused(2, /exists with the key PK S, but the model says PK S, SK S/, other.url);
  await other.stop();
});

test('a store that is not there, or no store at all, is refused', async () => {
  await refused(1, /cannot be reached/, 'http://127.0.0.1:1');
  await refused(2, /expected dynamodb:\/\/REGION/, 'ftp://example');
});

test('a store without transactions is refused with the operations that need them', async () => {
  const lesser = await startLesserStore(store.url, ['TransactWriteItems', 'TransactGetItems']);
  await refused(2, /has no TransactWriteItems, which these need: stories\.createStory, /, lesser.url);
  lesser.close();
});

test('the directory holds no tables, and the DynamoDB API needs credentials', async () => {
  const folder = tempDir();
  const data = join(folder, 'data');
  const server = await startOn(store.url, { data });
  assert.equal(server.url, '');
  assert.deepEqual(readdirSync(data).sort(), ['admin.sock', 'server-secret']);
  await ok(200, server, 'GET', '/v1/stories');
  await server.stop();

  const keys = join(folder, 'keys.ini');
  writeFileSync(keys, '[app]\naws_access_key_id = app\naws_secret_access_key = secret-of-the-app\n', { mode: 0o600 });
  const open = await startOn(store.url, { data, args: ['--credentials', keys] });
  const { status } = await dynamodb(open.url, 'ListTables', {});
  assert.equal(status, 400);
  await open.stop();

  // The same directory may hold tables later.
  const embedded = await startServer({ data });
  assert.ok(existsSync(join(data, 'admin.sock')));
  await embedded.stop();
  removeDir(folder);
});
