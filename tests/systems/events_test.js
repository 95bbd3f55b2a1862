// Changes of a system as they happen: each caller is told what it could read, and nothing else.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { openEvents } from '../lib/events.js';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { caller, kJwtSecret, requests, toItem, token } from '../lib/system.js';
import * as stories from './fixture.js';

const kModel = fileURLToPath(new URL('events.yaml', import.meta.url));
const kStream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
const ann = caller('ann', 'user');
const bob = caller('bob', 'user');
const admin = caller('root', 'admin');

let server;
let fails;

const test = suite('events', {
  before: async () => {
    server = await startServer({ http: true, args: ['--model', kModel, '--test-clock'], env: { GATELEG_JWT_SECRET: kJwtSecret } });
    ({ fails } = requests(server));
  },
  after: async () => {
    await server?.stop();
  },
});

async function dynamodb(operation, body, { url } = server) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization: 'AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  assert.equal(reply.status, 200, `${operation} ${text}`);
}
const put = (kind, PK, SK, fields) => dynamodb('PutItem', { TableName: 'feed', Item: toItem({ PK, SK, kind, ...fields }) });
const remove = (PK, SK) => dynamodb('DeleteItem', { TableName: 'feed', Key: toItem({ PK, SK }) });
const follow = (user, query = '', headers = {}) =>
  openEvents(server.httpUrl, `/v1/feed/events${query}`, { authorization: `Bearer ${user.token}`, ...headers });

const board = (boardId, ownerId, open) => put('Board', `BOARD#${boardId}`, 'INFO', { boardId, ownerId, open });
const note = (boardId, noteId, ownerId, more = {}) =>
  put('Note', `BOARD#${boardId}`, `NOTE#${noteId}`, {
    boardId, noteId, ownerId, ownerPK: `OWNER#${ownerId}`, createdAt: '2025-03-01T00:00:00.000Z', text: `note ${noteId}`, secret: 'hush', remark: 'mine', ...more,
  });
const letter = (userId, letterId, draft = false) =>
  put('Letter', `USER#${userId}`, `LETTER#${letterId}`, { userId, letterId, text: 'dear', draft });

// Everything up to a board that all of them see.
let fences = 0;
async function fence(...streams) {
  fences += 1;
  const boardId = `fence-${fences}`;
  await board(boardId, 'nobody', true);
  for (const stream of streams) await stream.until(({ records }) => records.some(({ item }) => item.boardId === boardId));
}
const brief = ({ records }) =>
  records
    .filter(({ item }) => !String(item.boardId ?? '').startsWith('fence'))
    .map(({ operation, entity, item }) => `${operation} ${entity} ${item.noteId ?? item.letterId ?? item.boardId ?? item.reportId ?? item.thinId ?? item.entryId}`);

test('without a stream with both images nobody can follow, and is told how to switch it on', async () => {
  const { message } = await fails(409, 'StreamDisabled', 'GET', '/v1/feed/events', { user: ann });
  assert.match(message, /update-table --table-name feed --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES/);
  await dynamodb('UpdateTable', { TableName: 'feed', StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } });
  await fails(409, 'StreamDisabled', 'GET', '/v1/feed/events', { user: ann });
  await dynamodb('UpdateTable', { TableName: 'feed', StreamSpecification: { StreamEnabled: false } });
  await dynamodb('UpdateTable', { TableName: 'feed', StreamSpecification: kStream });
});

test('each sees what a read would show, and no hidden field', async () => {
  const [ofAnn, ofBob, ofAdmin] = [await follow(ann), await follow(bob), await follow(admin)];
  assert.match(ofAnn.headers['content-type'], /^text\/event-stream/);
  assert.ok(ofAnn.headers['x-request-id']);
  await board('open', 'ann', true);
  await board('closed', 'ann', false);
  await note('open', 'n1', 'ann');
  await note('closed', 'n2', 'ann');
  await letter('ann', 'l1');
  await letter('ann', 'l2', true);
  await letter('bob', 'l3');
  await put('Report', 'REPORT#r1', 'INFO', { reportId: 'r1', text: 'bad' });
  await put('Journal', 'JOURNAL#j1', 'INFO', { entryId: 'j1', text: 'dear diary' });
  await put('Thin', 'THIN#t1', 'INFO', { thinId: 't1', text: 'not in the index', thinPK: 'THIN', thinSK: 't1' });
  await put('Stranger', 'STRANGER#x', 'INFO', { text: 'of no entity' });
  await remove('BOARD#open', 'NOTE#n1');
  await fence(ofAnn, ofBob, ofAdmin);
  assert.deepEqual(brief(ofAnn), [
    'INSERT Board open', 'INSERT Board closed', 'INSERT Note n1', 'INSERT Note n2', 'INSERT Letter l1', 'REMOVE Note n1',
  ]);
  assert.deepEqual(brief(ofBob), ['INSERT Board open', 'INSERT Note n1', 'INSERT Letter l3', 'REMOVE Note n1']);
  assert.deepEqual(brief(ofAdmin), ['INSERT Board open', 'INSERT Note n1', 'INSERT Report r1', 'REMOVE Note n1']);
  const noteOf = ({ records }) => records.find(({ entity }) => entity === 'Note').item;
  assert.deepEqual(noteOf(ofBob), { boardId: 'open', noteId: 'n1', ownerId: 'ann', text: 'note n1' });
  assert.deepEqual(Object.keys(noteOf(ofAnn)).sort(), ['boardId', 'createdAt', 'noteId', 'ownerId', 'remark', 'text']);
  for (const { data, id } of [...ofAnn.events, ...ofBob.events, ...ofAdmin.events]) {
    assert.equal(data.sequence, id);
    assert.match(data.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.doesNotMatch(JSON.stringify(data), /hush|PK|dear diary|not in the index/);
  }
  for (const stream of [ofAnn, ofBob, ofAdmin]) await stream.close();
});

test('the state after the change decides, for a removal the one before', async () => {
  await board('mine', 'ann', true);
  const ofBob = await follow(bob, '?entity=Board');
  await board('mine', 'ann', false);  // closed: no longer his to see
  await board('mine', 'ann', true);
  await board('shut', 'ann', false);
  await remove('BOARD#shut', 'INFO');
  await remove('BOARD#mine', 'INFO');
  await fence(ofBob);
  assert.deepEqual(brief(ofBob), ['MODIFY Board mine', 'REMOVE Board mine']);
  await ofBob.close();
});

test('one entity, resuming, and bad requests', async () => {
  const all = await follow(ann, '?entity=Board&from=horizon');
  await fence(all);
  assert.ok(all.records.every(({ entity }) => entity === 'Board'));
  const last = all.records.at(-2).sequence;
  await all.close();
  await letter('ann', 'later');
  const resumed = await follow(ann, '', { 'last-event-id': last });
  await resumed.until(({ records }) => records.some(({ entity }) => entity === 'Letter'));
  assert.ok(resumed.records.every(({ sequence }) => sequence > last));
  assert.equal(resumed.records.length, 2);
  await resumed.close();
  for (const query of ['?entity=Nothing', '?entity=Outbox', '?from=now', '?from=-1', '?table=feed', '?entity=Board&entity=Note', `?from=${'9'.repeat(21)}`])
    await fails(400, 'ValidationFailed', 'GET', `/v1/feed/events${query}`, { user: ann });
  await fails(400, 'ValidationFailed', 'GET', '/v1/feed/events', { user: ann, headers: { 'last-event-id': 'x' } });
  await fails(401, 'Unauthenticated', 'GET', '/v1/feed/events');
  await fails(401, 'Unauthenticated', 'GET', '/v1/feed/events', { user: { token: 'a.b.c' } });
  await fails(405, 'MethodNotAllowed', 'POST', '/v1/feed/events', { user: ann, body: {} });
  const { paths } = await (await fetch(`${server.httpUrl}/openapi.json`)).json();
  assert.deepEqual(Object.keys(paths['/v1/feed/events']), ['get']);
  assert.deepEqual(Object.keys(paths['/v1/feed/events'].get.responses['200'].content), ['text/event-stream']);
});

test('the end of a token ends its stream', async () => {
  const brieflyAnn = { token: token({ sub: 'ann', exp: Math.floor(Date.now() / 1000) + 3 }) };
  const stream = await follow(brieflyAnn);
  assert.equal(stream.status, 200);
  assert.ok(await stream.endsWithin(20), 'a stream outlives its token');
});

test('one caller follows sixteen at most; others are not in its way', async () => {
  const open = [];
  for (let i = 0; i < 16; i += 1) open.push(await follow(ann));
  const refused = await follow(ann);
  assert.equal(refused.status, 429);
  assert.equal(refused.json.error.code, 'TooManyStreams');
  assert.ok(refused.headers['retry-after']);
  open.push(await follow(bob));
  await fence(...open);
  for (const stream of open) await stream.close();
});

test('a log-out ends the streams of its session', async () => {
  const gallery = await startServer({ http: true, args: ['--systems', 'gallery'] });
  const send = requests(gallery, '/v1/gallery');
  const body = { email: 'eve@example.com', username: 'eve_follows', password: 'correct horse battery staple' };
  const { token: session } = (await send.expect(201, 'POST', '/auth/signup', { body })).json;
  await dynamodb('UpdateTable', { TableName: 'gallery', StreamSpecification: kStream }, gallery);
  const byHeader = await openEvents(gallery.httpUrl, '/v1/gallery/events', { authorization: `Bearer ${session}` });
  const byCookie = await openEvents(gallery.httpUrl, '/v1/gallery/events?entity=User', { cookie: `gateleg_session=${session}` });
  assert.deepEqual([byHeader.status, byCookie.status], [200, 200]);
  // Others are seen as their profile shows them, and none of what belongs to an account.
  const other = { email: 'mal@example.com', username: 'mal_appears', password: 'correct horse battery staple' };
  await send.expect(201, 'POST', '/auth/signup', { body: other });
  await byCookie.until(({ records }) => records.some(({ item }) => item.username === 'mal_appears'));
  assert.doesNotMatch(JSON.stringify([byHeader.events, byCookie.events]), /mal@example|assword|token|_hash|Hash/);
  assert.ok((await send.call('POST', '/auth/logout', { user: { token: session }, body: {} })).status < 300);
  assert.ok(await byHeader.endsWithin(30), 'a stream outlives its session');
  assert.ok(await byCookie.endsWithin(30), 'a stream outlives its session');
  await gallery.stop();
});

test('without a stream nobody follows a table of a remote store either', async () => {
  await stories.fails(409, 'StreamDisabled', 'GET', '/v1/stories/events', { user: stories.newUser() });
});
