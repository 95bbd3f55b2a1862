import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { call, dynamodb, kModel, server } from './fixture.js';

const test = suite('complaints');
const gateleg = (...args) => spawnSync(process.env.GATELEG_BIN, args, { encoding: 'utf8', timeout: 60_000 });

function growing(indexes, patterns) {
  return `
model: { name: grow, path: /grow }
table: { name: grow, key: { PK: S, SK: S }, marker: kind, indexes: { ${indexes} } }
entities:
  Item:
    keys: { PK: "ITEM#{id}", SK: "META" }
    attributes: { id: string!, a: string, b: string, n: integer }
    visible: "true"
patterns:
  item: { get: Item, route: "GET /items/{id}", allow: anyone }
${patterns}
operations:
  add: { route: "POST /items", allow: anyone, input: { id: Item.id, a: Item.a, b: Item.b, n: Item.n }, write: [{ put: Item, copy: [id, a, b, n] }] }
`;
}

test('9 index changes fail to deploy: three indexes at once on a table with items', async () => {
  const folder = tempDir('gateleg-grow');
  const file = join(folder, 'model.yaml');
  const data = join(folder, 'data');
  let own;
  try {
    writeFileSync(file, growing('', ''));
    own = await startServer({ data, http: true, args: ['--model', file] });
    for (let n = 0; n < 30; n += 1) {
      const { status } = await call('POST', '/v1/grow/items', { at: own, body: { id: `i${n}`, a: `a${n % 3}`, b: 'b', n } });
      assert.equal(status, 200);
    }
    await own.stop();
    writeFileSync(file, growing('byA: { key: { a: S, n: N } }, byB: { key: { b: S, n: N } }, byAId: { key: { a: S, id: S } }', `
  byA: { query: Item, index: byA, by: [a], route: "GET /a/{a}", allow: anyone }
  byB: { query: Item, index: byB, by: [b], range: n, route: "GET /b/{b}", allow: anyone }
  byAId: { query: Item, index: byAId, by: [a], route: "GET /aid/{a}", allow: anyone }`));
    own = await startServer({ data, http: true, args: ['--model', file] });
    const { Table } = await dynamodb('DescribeTable', { TableName: 'grow' }, own);
    assert.deepEqual(Table.GlobalSecondaryIndexes.map(({ IndexName, IndexStatus }) => `${IndexName} ${IndexStatus}`).sort(), ['byA ACTIVE', 'byAId ACTIVE', 'byB ACTIVE']);
    assert.equal((await call('GET', '/v1/grow/a/a1', { at: own })).json.items.length, 10);
    assert.equal((await call('GET', '/v1/grow/b/b?limit=100', { at: own })).json.items.length, 30);
    assert.equal((await call('GET', '/v1/grow/aid/a2', { at: own })).json.items.length, 10);
  } finally {
    await own?.stop();
    removeDir(folder);
  }
}, { seconds: 120 });

test('12 no OpenAPI, or an old one: 3.1, with exactly the errors of each call', async () => {
  const { json } = await call('GET', '/openapi.json');
  assert.equal(json.openapi, '3.1.0');
  const { responses } = json.paths['/v1/c/transfers'].post;
  const codes = Object.values(responses).flatMap(({ description }) => description.split(', '));
  for (const code of ['AccountClosed', 'InsufficientFunds', 'TargetClosed', 'AccountNotFound', 'SameAccount']) assert.ok(codes.includes(code), code);
  assert.ok(!codes.includes('EmailTaken'));
  assert.match(responses['402'].description, /^InsufficientFunds$/);
});

test('12 clients are untyped: one is generated, with those errors in its types', async () => {
  const { status, stdout } = gateleg('generate', 'typescript', kModel);
  assert.equal(status, 0);
  const line = /^export type TransferError = (.*);$/m.exec(stdout)[1];
  for (const code of ['AccountClosed', 'InsufficientFunds', 'TargetClosed']) assert.ok(line.includes(`"${code}"`), code);
  assert.match(stdout, /state\?: "open" \| "done" \| "parked";/);
});

test('14 hot partitions are left to the user: the checker names them', async () => {
  const folder = tempDir('gateleg-hot');
  try {
    const file = join(folder, 'model.yaml');
    const text = readFileSync(kModel, 'utf8').replace('teamPK: { template: "TEAM#{team}", when: "state = open" }', 'teamPK: "TEAM"').replace('index: byTeam, by: [team]', 'index: byTeam').replace('/teams/{team}', '/teams');
    writeFileSync(file, text);
    const { stdout } = gateleg('check', file);
    assert.match(stdout, /warning K07: entity Task: every item has the partition .TEAM./);
    assert.ok(!/K07/.test(gateleg('check', kModel).stdout));
  } finally {
    removeDir(folder);
  }
});

test('the table is defined twice, in code and for deployment: here it is printed from the one model', async () => {
  const { stdout } = gateleg('export', kModel, '--format', 'cloudformation');
  const { Properties } = Object.values(JSON.parse(stdout).Resources)[0];
  const { Table } = await dynamodb('DescribeTable', { TableName: 'complaints' }, server);
  assert.deepEqual(Properties.KeySchema, Table.KeySchema);
  assert.deepEqual(Properties.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort(), Table.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort());
});
