// The server, its data and the check after each bad input.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { call, connect, createTable, item, pages, put, raw } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';
import { startServer, tempDir } from '../lib/server.js';

export const kTable = 'canary';
export const data = tempDir();
export const server = await startServer({ data, args: ['--durability', 'process'] });
connect(server.url);
await createTable({ key: 'pk:S', gsi: { byG: 'g:S' } }, kTable);
for (let n = 0; n < 20; n += 1) await put(kTable, { pk: `k${n}`, g: `g${n % 3}`, v: n });

async function digest() {
  const { items } = await pages('Scan', { TableName: kTable, ConsistentRead: true });
  const { TableNames } = await call('ListTables');
  return createHash('sha256')
    .update(JSON.stringify([items.map((each) => Object.entries(each).sort()), TableNames]))
    .digest('hex');
}
let before = await digest();

// After every bad input: the server lives, answers at once, and nothing has changed.
async function check() {
  const started = Date.now();
  const reply = await raw('GetItem', { TableName: kTable, Key: item({ pk: 'k7' }) });
  assert.equal(reply.status, 200, 'a good request after the bad one');
  assert.deepEqual(reply.json.Item.v, { N: '7' });
  assert.ok(Date.now() - started < 20_000, `a good request took ${Date.now() - started} ms`);
  const [old, now] = [before, await digest()];
  before = now;
  assert.equal(now, old, 'the data has changed');
}

export function badSuite(name) {
  const test = suite(name);
  return (title, body, options) =>
    test(
      title,
      async () => {
        await body();
        await check();
      },
      options,
    );
}
