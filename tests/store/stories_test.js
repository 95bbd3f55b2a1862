// The routes of stories on a store over the network, and a store that goes away.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { removeDir, tempDir } from '../lib/server.js';
import { call, done, dynamodb, kModel, ok, startOn, startStore } from './fixture.js';

let store;
let server;
const test = suite('stories', {
  before: async () => {
    store = await startStore();
    await done('apply', kModel, '--endpoint', store.url);
    server = await startOn(store.url);
  },
  after: async () => {
    await server.stop();
    await store.stop();
  },
});
const titles = async (path = '/v1/stories', user = 'ann') =>
  (await ok(200, server, 'GET', path, { user })).json.items.map(({ title }) => title);

test('a story is made, listed, renamed, deleted and restored; the rows are in the store', async () => {
  const { json: story } = await ok(201, server, 'POST', '/v1/stories', { body: { title: 'One' } });
  await ok(201, server, 'POST', '/v1/stories', { body: { title: 'Two' } });
  assert.deepEqual(await titles(), ['Two', 'One']);
  assert.deepEqual(await titles('/v1/stories', 'bob'), []);
  const renamed = await call(server, 'PATCH', `/v1/stories/${story.id}`, { body: { title: 'Uno' } });
  assert.ok(renamed.status < 300, renamed.text);
  assert.deepEqual(await titles(), ['Two', 'Uno']);
  const deleted = await call(server, 'DELETE', `/v1/stories/${story.id}`);
  assert.ok(deleted.status < 300, deleted.text);
  assert.deepEqual(await titles(), ['Two']);
  assert.deepEqual(await titles('/v1/stories/deleted'), ['Uno']);
  const restored = await call(server, 'POST', `/v1/stories/${story.id}/restore`, { body: {} });
  assert.ok(restored.status < 300, restored.text);
  assert.deepEqual(await titles(), ['Two', 'Uno']);

  const { json } = await dynamodb(store.url, 'GetItem', {
    TableName: 'stories',
    Key: { PK: { S: 'USER#ann' }, SK: { S: `STORY#${story.id}` } },
  });
  assert.equal(json.Item.title.S, 'Uno');
  await done('fsck', kModel, '--endpoint', store.url);
});

test('pages go on behind a cursor', async () => {
  for (const title of ['a', 'b', 'c']) await ok(201, server, 'POST', '/v1/stories', { user: 'pia', body: { title } });
  const seen = [];
  let cursor = '';
  do {
    const query = `?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { json } = await ok(200, server, 'GET', `/v1/stories${query}`, { user: 'pia' });
    seen.push(...json.items.map(({ title }) => title));
    cursor = json.cursor;
  } while (cursor);
  assert.deepEqual(seen, ['c', 'b', 'a']);
});

test('a repeated request gets the stored answer', async () => {
  const request = { user: 'ida', body: { title: 'Once' }, headers: { 'idempotency-key': 'key-1' } };
  const replies = await Promise.all(Array.from({ length: 5 }, () => call(server, 'POST', '/v1/stories', request)));
  const made = replies.filter(({ status }) => status === 201 || status === 200);
  assert.ok(made.length > 0, replies.map(({ text }) => text).join('\n'));
  const again = await ok(201, server, 'POST', '/v1/stories', request);
  for (const { json } of made) assert.equal(json.id, again.json.id);
  assert.deepEqual(await titles('/v1/stories', 'ida'), ['Once']);
  const other = await call(server, 'POST', '/v1/stories', { ...request, body: { title: 'Twice' } });
  assert.equal(other.json.error.code, 'IdempotencyKeyReused', other.text);
});

test('what is refused is refused as on the embedded store', async () => {
  const missing = await call(server, 'PATCH', '/v1/stories/01JN00000000000000000000ZZ', { body: { title: 'x' } });
  assert.deepEqual([missing.status, missing.json.error.code], [404, 'StoryNotFound']);
  const bad = await call(server, 'POST', '/v1/stories', { body: { title: '' } });
  assert.deepEqual([bad.status, bad.json.error.code], [400, 'ValidationFailed']);
});

test('a dead store is 503 Unavailable, and what it had acknowledged is there when it is back', async () => {
  const data = tempDir();
  let behind = await startStore(data);
  await done('apply', kModel, '--endpoint', behind.url);
  const front = await startOn(behind.url);
  await ok(201, front, 'POST', '/v1/stories', { body: { title: 'Before' } });
  await behind.kill();
  for (const [method, body] of [['GET'], ['POST', { title: 'Lost' }]]) {
    const reply = await call(front, method, '/v1/stories', { body });
    assert.deepEqual([reply.status, reply.json?.error?.code], [503, 'Unavailable'], reply.text);
  }
  behind = await startStore(data);
  const next = await startOn(behind.url);
  const { json } = await ok(200, next, 'GET', '/v1/stories');
  assert.deepEqual(json.items.map(({ title }) => title), ['Before']);
  await next.stop();
  await front.stop();
  await behind.stop();
  removeDir(data);
});
