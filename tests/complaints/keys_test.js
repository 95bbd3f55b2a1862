import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { call, dynamodb, fails, ids, ok, raw, setClock } from './fixture.js';

const test = suite('complaints', { after: async () => setClock({}) });

test('1 index keys go stale, vanish or throw when one part is updated', async () => {
  await ok('PUT', '/tasks/k1', { owner: 'Ann', points: 7, team: 'red', due: '2030-01-02T00:00:00Z' });
  // Only one part of a key of three is given each time.
  await ok('PATCH', '/tasks/k1', { state: 'done' });
  let item = await raw('TASK#k1', 'META');
  assert.equal(item.statePK.S, 'STATE#Ann#done');
  assert.equal(item.stateSK.S, '000007#k1');
  await ok('PATCH', '/tasks/k1', { owner: 'Bob' });
  await ok('POST', '/tasks/k1/points', { n: 35 });
  item = await raw('TASK#k1', 'META');
  assert.equal(item.statePK.S, 'STATE#Bob#done');
  assert.equal(item.stateSK.S, '000042#k1');
  assert.deepEqual(ids(await ok('GET', '/owners/Ann/open')), []);
  assert.deepEqual(ids(await ok('GET', '/owners/Bob/done')), ['k1']);
});

test('1 a counter inside a padded key is right after a dozen writers at once', async () => {
  await ok('PUT', '/tasks/k2', { owner: 'Cem' });
  await Promise.all(Array.from({ length: 12 }, (_, n) => ok('POST', '/tasks/k2/points', { n: n + 1 })));
  const item = await raw('TASK#k2', 'META');
  assert.equal(item.points.N, '78');
  assert.equal(item.stateSK.S, '000078#k2');
});

test('2 sparse indexes: half-written keys, prefix+undefined, items that stay', async () => {
  await ok('PUT', '/tasks/s1', { owner: 'Dan', team: 'blue' });
  assert.deepEqual(ids(await ok('GET', '/teams/blue')), ['s1']);
  await ok('PATCH', '/tasks/s1', { state: 'parked' });
  let item = await raw('TASK#s1', 'META');
  assert.ok(!('teamPK' in item) && !('teamSK' in item), 'both keys are gone, not one');
  assert.deepEqual(ids(await ok('GET', '/teams/blue')), []);
  await ok('PATCH', '/tasks/s1', { state: 'open' });
  assert.deepEqual(ids(await ok('GET', '/teams/blue')), ['s1']);
  await ok('PATCH', '/tasks/s1', { team: null });
  item = await raw('TASK#s1', 'META');
  assert.ok(!('teamPK' in item) && !('teamSK' in item) && !('team' in item));
  await ok('PUT', '/tasks/s2', { owner: 'Dan' });
  item = await raw('TASK#s2', 'META');
  assert.ok(!('teamPK' in item), 'a part that was never given makes no key');
  assert.ok(!JSON.stringify(item).includes('undefined'));
});

const kLegacy = `
model: { name: legacy, path: /legacy }
table: { name: Legacy, key: { PK: S, SK: S }, marker: none }
entities:
  Customer:
    keys: { PK: "Cust#{Id}", SK: "Profile" }
    attributes: { Id: { type: string!, stored: false }, Name: string, Email: string }
    visible: "true"
    open: true
patterns:
  customer: { get: Customer, route: "GET /{Id}", allow: anyone }
operations:
  rename: { route: "PATCH /{Id}", allow: anyone, input: { Id: Customer.Id, Name: Customer.Name }, write: [{ update: Customer($Id), copy: [Name] }] }
`;

test('3 an existing table cannot be adopted: forced case, fields of the tool', async () => {
  const folder = tempDir('gateleg-adopt');
  const file = join(folder, 'model.yaml');
  writeFileSync(file, kLegacy);
  const data = join(folder, 'data');
  let own;
  try {
    own = await startServer({ data });
    await dynamodb('CreateTable', {
      TableName: 'Legacy', BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }, { AttributeName: 'SK', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }, { AttributeName: 'SK', KeyType: 'RANGE' }],
    }, own);
    const item = { PK: { S: 'Cust#MiXeD' }, SK: { S: 'Profile' }, Name: { S: 'Ada' }, Email: { S: 'ADA@Example.ORG' }, Old_Field: { M: { x: { N: '1' } } } };
    await dynamodb('PutItem', { TableName: 'Legacy', Item: item }, own);
    await own.stop();
    own = await startServer({ data, http: true, args: ['--model', file] });
    const read = await call('GET', '/v1/legacy/MiXeD', { at: own });
    assert.deepEqual(read.json, { Id: 'MiXeD', Name: 'Ada', Email: 'ADA@Example.ORG', Old_Field: { x: 1 } });
    assert.equal((await call('GET', '/v1/legacy/mixed', { at: own })).status, 404);
    assert.equal((await call('PATCH', '/v1/legacy/MiXeD', { at: own, body: { Name: 'ADA' } })).status, 200);
    assert.deepEqual(await raw('Cust#MiXeD', 'Profile', 'Legacy', own), { ...item, Name: { S: 'ADA' } });
  } finally {
    await own?.stop();
    removeDir(folder);
  }
});

test('4 unique values: on create, change, delete and soft delete', async () => {
  await ok('PUT', '/users/u1', { email: 'One@x.org' });
  await fails('EmailTaken', 'PUT', '/users/u2', { email: ' one@X.org ' });
  assert.equal(await raw('USER#u2', 'PROFILE'), undefined, 'nothing of the refused one is written');
  await ok('PUT', '/users/u2', { email: 'two@x.org' });
  await fails('EmailTaken', 'PATCH', '/users/u2', { email: 'one@x.org' });
  await ok('PATCH', '/users/u1', { email: 'new@x.org' });
  await ok('PATCH', '/users/u2', { email: 'one@x.org' });
  await ok('PATCH', '/users/u2', { deleted: true });
  assert.equal(await raw('EMAIL#one@x.org', 'GUARD'), undefined);
  await ok('PUT', '/users/u3', { email: 'one@x.org' });
  await fails('EmailTaken', 'PATCH', '/users/u2', { deleted: false });
  await ok('DELETE', '/users/u3');
  await ok('PATCH', '/users/u2', { deleted: false });
  await fails('EmailTaken', 'PUT', '/users/u4', { email: 'one@x.org' });
});

test('4 twenty at once want one address: one gets it', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => call('PUT', `/v1/c/users/race${n}`, { body: { email: 'race@x.org' } })));
  const statuses = replies.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status < 300).length, 1, statuses.join());
  for (const { status, json } of replies) if (status >= 300) assert.equal(json.error.code, 'EmailTaken');
});

test('4 expired users hold their address for ever', async () => {
  await setClock({ now: '2031-01-01T00:00:00Z' });
  await ok('PUT', '/users/t1', { email: 'ttl@x.org', ttl: '2031-01-02T00:00:00Z' });
  assert.equal((await raw('EMAIL#ttl@x.org', 'GUARD')).ttl.N, String(Date.parse('2031-01-02T00:00:00Z') / 1000), 'the guard ends with its owner');
  await fails('EmailTaken', 'PUT', '/users/t2', { email: 'ttl@x.org' });
  await setClock({ now: '2031-01-02T00:00:01Z' });
  await fails('UserNotFound', 'GET', '/users/t1');
  await ok('PUT', '/users/t2', { email: 'ttl@x.org' });
  await setClock({});
});
