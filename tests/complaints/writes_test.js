import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { call, dynamodb, fails, ok, raw } from './fixture.js';

const test = suite('complaints');
const balance = async (name) => (await ok('GET', `/accounts/${name}`)).balance;

test('6 transaction failures are opaque: here the condition that failed has a name', async () => {
  await ok('PUT', '/accounts/a', { balance: 10 });
  await ok('PUT', '/accounts/b', { balance: 0 });
  await ok('PUT', '/accounts/shut', { balance: 5, open: false });
  const poor = await fails('InsufficientFunds', 'POST', '/transfers', { from: 'a', to: 'b', amount: 11 });
  assert.equal(poor.status, 402);
  await fails('AccountClosed', 'POST', '/transfers', { from: 'shut', to: 'b', amount: 1 });
  await fails('TargetClosed', 'POST', '/transfers', { from: 'a', to: 'shut', amount: 1 });
  await fails('AccountNotFound', 'POST', '/transfers', { from: 'a', to: 'nobody', amount: 1 });
  await fails('SameAccount', 'POST', '/transfers', { from: 'a', to: 'a', amount: 1 });
  assert.equal(await balance('a'), 10);
});

test('7 no transactions in the generated API: one POST moves money, or nothing does', async () => {
  const names = ['t0', 't1', 't2', 't3'];
  for (const name of names) await ok('PUT', `/accounts/${name}`, { balance: 100 });
  const moves = Array.from({ length: 60 }, (_, n) => ({ from: names[n % 4], to: names[(n * 7 + 1) % 4], amount: 1 + (n % 40) })).filter(({ from, to }) => from !== to);
  const replies = await Promise.all(moves.map((body) => call('POST', '/v1/c/transfers', { body })));
  for (const { status, json } of replies) assert.ok(status === 200 || json.error.code === 'InsufficientFunds', JSON.stringify(json));
  const left = await Promise.all(names.map(balance));
  assert.equal(left.reduce((sum, one) => sum + one), 400);
  assert.ok(left.every((one) => one >= 0));
});

test('7 a request that is repeated happens once, with the same answer', async () => {
  await ok('PUT', '/accounts/i1', { balance: 50 });
  await ok('PUT', '/accounts/i2', { balance: 0 });
  const send = (amount) => call('POST', '/v1/c/transfers', { body: { from: 'i1', to: 'i2', amount }, headers: { 'idempotency-key': 'key-1' } });
  const first = await send(20);
  const second = await send(20);
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
  assert.equal(await balance('i1'), 30);
  assert.equal((await send(21)).json.error.code, 'IdempotencyKeyReused');
});

test('11 a loop of ninety puts is one transaction', async () => {
  const photos = Array.from({ length: 90 }, (_, n) => `p${n}`);
  await ok('POST', '/albums/big/photos', { photos });
  await fails('PhotoAlreadyExists', 'POST', '/albums/big/photos', { photos: ['new', 'p7'] });
  assert.equal(await raw('ALBUM#big', 'PHOTO#new'), undefined);
  const { Count } = await dynamodb('Query', {
    TableName: 'complaints', KeyConditionExpression: 'PK = :p AND begins_with(SK, :s)', Select: 'COUNT',
    ExpressionAttributeValues: { ':p': { S: 'ALBUM#big' }, ':s': { S: 'PHOTO#' } },
  });
  assert.equal(Count, 90);
});

test('15 versions are half enforced: delete ignores them', async () => {
  const { version } = await ok('PUT', '/tasks/v1', { owner: 'Hal' });
  await ok('PATCH', '/tasks/v1', { state: 'done' }, { 'if-match': `"${version}"` });
  await fails('VersionMismatch', 'PATCH', '/tasks/v1', { state: 'open' }, { 'if-match': `"${version}"` });
  await fails('VersionMismatch', 'DELETE', '/tasks/v1', undefined, { 'if-match': `"${version}"` });
  await ok('DELETE', '/tasks/v1', undefined, { 'if-match': `"${version + 1}"` });
  await fails('TaskNotFound', 'GET', '/tasks/v1');
});

test('an update never makes an item by accident', async () => {
  await fails('TaskNotFound', 'PATCH', '/tasks/ghost', { state: 'done' });
  await fails('TaskNotFound', 'POST', '/tasks/ghost/points', { n: 1 });
  assert.equal(await raw('TASK#ghost', 'META'), undefined);
});
