// Start and stop: draining, two servers on one folder, options that are wrong or unsafe.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { exchange, requestText } from '../lib/raw_http.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { badSuite, data, kTable } from './fixture.js';
import { createTable, connect } from '../lib/dynamo.js';
import { server as shared } from './fixture.js';

const test = badSuite('process');
const alone = suite('start_stop');
const run = (...args) => spawnSync(process.env.GATELEG_BIN, args, { encoding: 'utf8', timeout: 15_000 });
const refuses = (result, pattern) => {
  assert.ok(result.status !== 0 && result.status !== null, `exit code ${result.status} signal ${result.signal}`);
  assert.equal(result.signal, null, result.stderr);
  assert.match(result.stderr, pattern);
};

test('a second server on the same folder gets a clear error', async () => {
  const error = await startServer({ data }).then(
    async (other) => {
      await other.stop();
      return null;
    },
    (each) => each,
  );
  assert.ok(error, 'the second server started');
  assert.match(error.server.log, /in use|already|lock|another .*process/i);
  assert.ok(error.server.log.includes(data), 'names the folder');
  const { code, signal } = await error.server.exited;
  assert.ok(code > 0 && signal === null, `code ${code} signal ${signal}`);
});

test('a port in use gets a clear error', async () => {
  const result = run('serve', '--memory', '--dynamodb', `127.0.0.1:${shared.port}`, '--http', 'off', '--s3', 'off');
  refuses(result, new RegExp(`${shared.port}`));
});

alone('unknown options and commands are named', () => {
  refuses(run('serve', '--memory', '--no-such-option'), /no-such-option/);
  refuses(run('no-such-command'), /no-such-command/);
  refuses(run('serve', '--memory', '--durability', 'maybe'), /durability|maybe/);
  refuses(run('serve', '--memory', '--dynamodb', 'not-an-address'), /not-an-address|dynamodb/);
});

alone('--help answers on stdout with exit code 0', async () => {
  for (const args of [['--help'], ['serve', '--help']]) {
    const { status, stdout } = run(...args);
    assert.equal(status, 0);
    assert.match(stdout, /serve/);
  }
});

alone('an address that is not loopback needs credentials and TLS', () => {
  refuses(run('serve', '--memory', '--dynamodb', '0.0.0.0:0', '--http', 'off', '--s3', 'off'), /credentials|anonymous|insecure|TLS/i);
  refuses(run('serve', '--memory', '--dynamodb', '0.0.0.0:0', '--http', 'off', '--s3', 'off', '--insecure'), /credentials|anonymous/i);
});

alone('a folder that cannot be used is named', () => {
  const folder = tempDir();
  const file = join(folder, 'a-file');
  writeFileSync(file, 'x');
  refuses(run('serve', '--data', file, '--dynamodb', '127.0.0.1:0', '--http', 'off', '--s3', 'off'), /a-file/);
  const foreign = join(folder, 'foreign');
  mkdirSync(foreign, { mode: 0o700 });
  writeFileSync(join(foreign, 'CURRENT'), 'MANIFEST-000001\n');
  refuses(run('serve', '--data', foreign, '--dynamodb', '127.0.0.1:0', '--http', 'off', '--s3', 'off'), /foreign/);
  removeDir(folder);
});

alone('the data folder is closed to others', async () => {
  const folder = tempDir();
  const fresh = join(folder, 'fresh');
  const server = await startServer({ data: fresh });
  assert.equal(statSync(fresh).mode & 0o077, 0);
  await server.stop();
  removeDir(folder);
});

alone('SIGTERM: requests under way are answered, new ones are not taken, exit code 0', async () => {
  const folder = tempDir();
  const server = await startServer({ data: folder });
  const host = `127.0.0.1:${server.port}`;
  const client = new DynamoDBClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  connect(server.url);
  await createTable({ key: 'pk:S' }, 'drain').finally(() => connect(shared.url));
  const body = JSON.stringify({ TableName: 'drain', Item: { pk: { S: 'under-way' } } });
  const request = requestText('PutItem', body, { host });
  // Its body ends 300 ms after the signal.
  const underWay = exchange(server.port, [request.slice(0, -10), 600, request.slice(-10)], { seconds: 15 });
  const acknowledged = [];
  let writing = true;
  const writers = Array.from({ length: 4 }, async (_, w) => {
    for (let n = 0; writing; n += 1) {
      const id = `w${w}-${n}`;
      await client.send(new PutItemCommand({ TableName: 'drain', Item: { pk: { S: id } } })).then(
        () => acknowledged.push(id),
        () => {
          writing = false;
        },
      );
    }
  });
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  const started = Date.now();
  const { code, signal } = await server.stop();
  writing = false;
  await Promise.all(writers);
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-2000));
  assert.ok(Date.now() - started < 20_000);
  const { replies } = await underWay;
  assert.equal(replies[0]?.status, 200, 'the request under way');
  const again = await startServer({ data: folder });
  connect(again.url);
  try {
    const { call, item } = await import('../lib/dynamo.js');
    for (const id of ['under-way', ...acknowledged.slice(-20)])
      assert.ok((await call('GetItem', { TableName: 'drain', Key: item({ pk: id }), ConsistentRead: true })).Item, id);
  } finally {
    connect(shared.url);
    await again.stop();
    removeDir(folder);
  }
});

alone('SIGTERM ends idle connections at once', async () => {
  const server = await startServer();
  const idle = exchange(server.port, [], { seconds: 20 });
  await new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
  const started = Date.now();
  const { code } = await server.stop();
  assert.equal(code, 0);
  assert.ok(Date.now() - started < 20_000, `${Date.now() - started} ms`);
  assert.ok((await idle).closed);
});

alone('SIGINT is as good as SIGTERM', async () => {
  const server = await startServer();
  server.child.kill('SIGINT');
  const { code, signal } = await server.exited;
  assert.deepEqual({ code, signal }, { code: 0, signal: null });
});

alone(`tables of one server are not on another (${kTable})`, async () => {
  const server = await startServer();
  const { replies } = await exchange(
    server.port,
    requestText('ListTables', '{}', { host: `127.0.0.1:${server.port}` }),
  );
  assert.deepEqual(replies[0].json, { TableNames: [] });
  await server.stop();
});
