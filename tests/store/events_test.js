// Server-sent events of a table that a store over the network keeps: read from the store's stream.

import assert from 'node:assert/strict';
import { openEvents } from '../lib/events.js';
import { suite } from '../lib/runner.js';
import { token } from '../lib/system.js';
import { call, done, dynamodb, kModel, ok, startOn, startStore } from './fixture.js';

const kStream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };

let store;
let server;
const test = suite('events of a remote store', {
  before: async () => {
    store = await startStore();
    await done('apply', kModel, '--endpoint', store.url);
    server = await startOn(store.url);
  },
  after: async () => {
    await server?.stop();
    await store?.stop();
  },
});
const setStream = async (StreamSpecification) => {
  const reply = await dynamodb(store.url, 'UpdateTable', { TableName: 'stories', StreamSpecification });
  assert.equal(reply.status, 200, JSON.stringify(reply.json));
};
const follow = (user, headers = {}) =>
  openEvents(server.httpUrl, '/v1/stories/events?entity=Story', { authorization: `Bearer ${token({ sub: user })}`, ...headers });
const write = async (user, title) => (await ok(201, server, 'POST', '/v1/stories', { user, body: { title } })).json.id;
const brief = ({ records }) => records.map(({ operation, item }) => `${operation} ${item.title}`);

test('without a stream nobody can follow, and is told how to switch it on', async () => {
  const refused = await call(server, 'GET', '/v1/stories/events');
  assert.equal(refused.status, 409);
  assert.equal(refused.json.error.code, 'StreamDisabled');
  assert.match(refused.json.error.message, /update-table --table-name stories --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES/);
});

test('each caller is told of its own entities, in order, from the moment it follows', async () => {
  await setStream(kStream);
  await write('ann', 'before');
  const [ofAnn, ofBob] = [await follow('ann'), await follow('bob')];
  assert.equal(ofAnn.status, 200, ofAnn.text);
  const id = await write('ann', 'One');
  await call(server, 'PATCH', `/v1/stories/${id}`, { body: { title: 'Uno' } });
  await write('bob', 'Two');
  await ofAnn.until(({ records }) => records.length === 2);
  await ofBob.until(({ records }) => records.length === 1);
  assert.deepEqual(brief(ofAnn), ['INSERT One', 'MODIFY Uno']);
  assert.deepEqual(brief(ofBob), ['INSERT Two']);
  const ids = ofAnn.events.map((event) => event.id);
  assert.ok(ids.every((each) => /^\d{21}$/.test(each)) && ids[0] < ids[1], ids.join(' '));

  // A lost connection goes on where it was.
  await ofAnn.close();
  await write('ann', 'Three');
  const again = await follow('ann', { 'last-event-id': ids[1] });
  await again.until(({ records }) => records.length === 1);
  assert.deepEqual(again.events.map(({ event }) => event), ['record']);
  assert.deepEqual(brief(again), ['INSERT Three']);
  for (const stream of [again, ofBob]) await stream.close();
});

test('after a restart a client that goes on is told of a gap', async () => {
  const before = await follow('ann');
  await write('ann', 'Four');
  await before.until(({ records }) => records.length === 1);
  const { id } = before.events[0];
  await server.stop();
  server = await startOn(store.url);
  const after = await follow('ann', { 'last-event-id': id });
  await write('ann', 'Five');
  await after.until(({ records }) => records.length === 1);
  assert.deepEqual(after.events.map(({ event }) => event), ['gap', 'record']);
  assert.deepEqual(brief(after), ['INSERT Five']);
  await after.close();
});

test('a stream that is switched off ends the events', async () => {
  const stream = await follow('ann');
  await setStream({ StreamEnabled: false });
  assert.ok(await stream.endsWithin(60), 'still followed');
  assert.equal((await call(server, 'GET', '/v1/stories/events')).status, 409);
});
