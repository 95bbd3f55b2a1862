// The changes of a table as they happen: what comes, in which order, who may follow, and what a slow or lost client costs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { openEvents } from '../lib/events.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { Console, request } from './client.js';

const kStream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };

let data;
let server;
let console;

const test = suite('console tail', {
  before: async () => {
    data = tempDir();
    server = await startServer({ data, http: true, args: ['--systems', 'stories', '--test-clock'] });
    console = await Console.signIn(server);
    for (const name of ['changes', 'slow', 'brief', 'old']) await create(name, kStream);
    await create('silent');
  },
  after: async () => {
    await server?.stop();
    removeDir(data);
  },
});

async function dynamodb(operation, body) {
  const reply = await console.dynamodb(operation, body);
  assert.equal(reply.status, 200, `${operation}: ${reply.text.slice(0, 300)}`);
  return reply.json;
}
const create = (TableName, StreamSpecification) =>
  dynamodb('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    StreamSpecification,
  });
const put = (TableName, id, n, more = {}) => dynamodb('PutItem', { TableName, Item: { id: { S: id }, n: { N: String(n) }, ...more } });
const remove = (TableName, id) => dynamodb('DeleteItem', { TableName, Key: { id: { S: id } } });
const tail = (query, headers = {}) => openEvents(server.httpUrl, `/_/api/tail?${query}`, { cookie: console.cookie, ...headers });
const sleep = (ms) => new Promise((wake) => { setTimeout(wake, ms); });

test('a change is told at once, with its images', async () => {
  const stream = await tail('table=changes');
  assert.equal(stream.status, 200);
  assert.match(stream.headers['content-type'], /^text\/event-stream/);
  assert.equal(stream.headers['cache-control'], 'no-store');
  assert.ok(stream.headers['x-request-id']);
  await put('changes', 'a#1', 1);
  const began = Date.now();
  await put('changes', 'a#1', 2);
  await remove('changes', 'a#1');
  await stream.upTo(3);
  assert.ok(Date.now() - began < 5000, `${Date.now() - began} ms`);
  const [first, second, third] = stream.records;
  assert.deepEqual(
    [first, second, third].map(({ operation, table, keys }) => [operation, table, keys.id.S]),
    [['INSERT', 'changes', 'a#1'], ['MODIFY', 'changes', 'a#1'], ['REMOVE', 'changes', 'a#1']],
  );
  assert.deepEqual([first.old, first.new.n], [undefined, { N: '1' }]);
  assert.deepEqual([second.old.n, second.new.n], [{ N: '1' }, { N: '2' }]);
  assert.deepEqual([third.old.n, third.new], [{ N: '2' }, undefined]);
  assert.ok(Math.abs(first.at - Date.now()) < 3_600_000);
  assert.equal(first.system, undefined);
  for (const { id, data: record } of stream.events) assert.equal(id, record.sequence);
  await stream.close();
});

test('the order is that of the writes, whatever shard they are in, and a resumed client misses nothing', async () => {
  const from = await tail('table=changes');
  const count = 240;
  const seen = [];
  let stream = from;
  const writer = (async () => {
    for (let i = 0; i < count; i += 1) await put('changes', `item-${i % 37}`, i);
  })();
  // Every now and then the connection is lost, and a new one goes on behind the last event.
  while (seen.length < count) {
    await stream.upTo(Math.min(40, count - seen.length));
    const taken = stream.records;
    seen.push(...taken);
    await stream.close();
    if (seen.length < count) stream = await tail('table=changes', { 'last-event-id': taken.at(-1).sequence });
  }
  await writer;
  assert.deepEqual(seen.map((record) => Number(record.new.n.N)), Array.from({ length: count }, (_, i) => i));
  const numbers = seen.map(({ sequence }) => BigInt(sequence));
  assert.ok(numbers.every((number, i) => i === 0 || number > numbers[i - 1]));
  // A number begins with its record, the horizon with the first one that is left.
  const again = await tail(`table=changes&from=${seen[200].sequence}`);
  await again.upTo(40);
  assert.deepEqual(again.records.map(({ sequence }) => sequence), seen.slice(200).map(({ sequence }) => sequence));
  await again.close();
  const all = await tail('table=changes&from=horizon');
  await all.upTo(count + 3);
  assert.equal(all.records[0].operation, 'INSERT');
  assert.ok(all.events.every(({ event }) => event === 'record'));
  await all.close();
});

test('filters: operation, text of the key, entity of the model', async () => {
  await dynamodb('UpdateTable', { TableName: 'stories', StreamSpecification: kStream });
  const removed = await tail('table=changes&operation=REMOVE');
  const keyed = await tail(`table=changes&key=${encodeURIComponent('needle "x"')}`);
  const stories = await tail('table=stories&entity=Story');
  const every = await tail('table=stories');
  await put('changes', 'hay', 1);
  await put('changes', 'in the needle "x" it is', 1);
  await remove('changes', 'hay');
  const made = await console.post('/v1/stories', { title: 'Followed' });
  assert.equal(made.status, 201, made.text);
  await removed.upTo(1);
  assert.deepEqual(removed.records.map(({ keys }) => keys.id.S), ['hay']);
  await keyed.upTo(1);
  assert.deepEqual(keyed.records.map(({ keys }) => keys.id.S), ['in the needle "x" it is']);
  await stories.upTo(1);
  assert.deepEqual(stories.records.map(({ system, entity }) => [system, entity]), [['stories', 'Story']]);
  assert.equal(stories.records[0].new.title.S, 'Followed');
  await every.until(({ records }) => new Set(records.map(({ entity }) => entity)).size > 1);
  for (const stream of [removed, keyed, stories, every]) await stream.close();
});

test('what cannot be followed is said', async () => {
  for (const [query, status, code] of [
    ['', 400, 'ValidationFailed'],
    ['table=none', 404, 'NotFound'],
    ['table=silent', 409, 'StreamDisabled'],
    ['table=changes&operation=UPSERT', 400, 'ValidationFailed'],
    ['table=changes&from=yesterday', 400, 'ValidationFailed'],
    ['table=changes&from=999999999999999999999', 400, 'ValidationFailed'],
    ['table=changes&entity=Story', 400, 'ValidationFailed'],
    ['table=stories&entity=Nothing', 400, 'ValidationFailed'],
  ]) {
    const refused = await tail(query);
    assert.equal(refused.status, status, query);
    assert.equal(refused.json.error.code, code);
    assert.equal(refused.json.error.requestId, refused.headers['x-request-id']);
  }
  assert.match((await tail('table=silent')).json.error.message, /update-table --table-name silent --stream-specification/);
  assert.equal((await tail('table=changes', { 'last-event-id': 'x' })).status, 400);
  assert.equal((await console.post('/_/api/tail?table=changes', {})).status, 405);
  const head = await request(server.httpUrl, '/_/api/tail?table=changes', { method: 'HEAD', headers: { cookie: console.cookie } });
  assert.equal(head.status, 200);
  assert.match(head.headers['content-type'], /^text\/event-stream/);
});

test('nobody else follows, and the end of a session ends its streams', async () => {
  for (const headers of [{}, { cookie: 'gateleg_console=forged' }]) {
    const refused = await openEvents(server.httpUrl, '/_/api/tail?table=changes', headers);
    assert.equal(refused.status, 401);
  }
  assert.equal((await tail('table=changes', { origin: 'https://evil.example' })).status, 403);
  assert.equal((await tail('table=changes', { 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await tail('table=changes', { host: 'rebound.example' })).status, 421);
  const other = await startServer({ http: true });
  const session = await Console.signIn(other);
  await session.dynamodb('CreateTable', {
    TableName: 'tailed',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    StreamSpecification: kStream,
  });
  const stream = await openEvents(other.httpUrl, '/_/api/tail?table=tailed', { cookie: session.cookie });
  assert.equal(stream.status, 200);
  assert.equal((await session.post('/_/api/logout', {})).status, 200);
  assert.ok(await stream.endsWithin(10), 'a stream outlives its session');
  await other.stop();
});

test('one session follows sixteen at most, and those that leave make room', async () => {
  const open = [];
  for (let i = 0; i < 16; i += 1) open.push(await tail('table=changes'));
  assert.ok(open.every(({ status }) => status === 200));
  const refused = await tail('table=changes');
  assert.equal(refused.status, 429);
  assert.equal(refused.json.error.code, 'TooManyStreams');
  await put('changes', 'for all', 1);
  for (const stream of open) await stream.upTo(1);
  for (const stream of open) await stream.close();
  let room;
  for (let tries = 0; tries < 100 && room?.status !== 200; tries += 1) {
    await sleep(50);
    room = await tail('table=changes');
  }
  assert.equal(room.status, 200, 'a client that left still counts');
  await room.close();
});

const residentBytes = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1]) * 1024;

test('a client that takes nothing costs little, and loses nothing when it goes on', async () => {
  const stream = await tail('table=slow');
  stream.stall();
  const text = 'x'.repeat(100_000);
  const before = residentBytes();
  const count = 150;  // fifteen megabytes of new images, and as much of old ones
  for (let i = 0; i < count; i += 1) await put('slow', `item-${i % 3}`, i, { text: { S: text } });
  const quick = await tail('table=slow&from=horizon');
  await quick.upTo(count, 100);
  await quick.close();
  const grown = residentBytes() - before;
  // Of the store, which takes the writes themselves; a sanitizer also keeps what was freed, up to 256 MB.
  const memtables = (/asan|tsan/.test(process.env.GATELEG_BIN) ? 400 : 120) << 20;
  assert.ok(grown < memtables, `${grown} bytes more`);
  stream.goOn();
  await stream.upTo(count, 100);
  assert.deepEqual(stream.records.map((record) => Number(record.new.n.N)), Array.from({ length: count }, (_, i) => i));
  await stream.close();
});

test('a stream that is switched off ends, and begins again with a gap', async () => {
  const stream = await tail('table=brief');
  await put('brief', 'a', 1);
  await stream.upTo(1);
  const last = stream.records[0].sequence;
  await dynamodb('UpdateTable', { TableName: 'brief', StreamSpecification: { StreamEnabled: false } });
  assert.ok(await stream.endsWithin(30));
  assert.equal((await tail('table=brief')).status, 409);
  await dynamodb('UpdateTable', { TableName: 'brief', StreamSpecification: kStream });
  const again = await tail('table=brief', { 'last-event-id': last });
  await put('brief', 'b', 2);
  await again.upTo(1);
  assert.deepEqual(again.events.map(({ event }) => event), ['gap', 'record']);
  await again.close();
});

test('records of more than a day ago are gone, and a client behind them is told', async () => {
  await put('old', 'a', 1);
  const first = await tail('table=old&from=horizon');
  await first.upTo(1);
  const { sequence } = first.records[0];
  await first.close();
  const moved = await request(server.httpUrl, '/_test/clock', { method: 'POST', body: { advance: 'P2D' } });
  assert.equal(moved.status, 200, moved.text);
  await put('old', 'b', 2);
  const late = await tail('table=old', { 'last-event-id': sequence });
  await late.upTo(1);
  assert.deepEqual(late.events.map(({ event }) => event), ['gap', 'record']);
  assert.equal(late.records[0].keys.id.S, 'b');
  await late.close();
  const horizon = await tail('table=old&from=horizon');
  await horizon.upTo(1);
  assert.deepEqual(horizon.events.map(({ event }) => event), ['record']);
  await horizon.close();
});

test('a killed server loses nothing that it told, and the tail goes on after it', async () => {
  const folder = tempDir();
  let one = await startServer({ data: folder, http: true });
  let session = await Console.signIn(one);
  const putN = (n) => session.dynamodb('PutItem', { TableName: 'tailed', Item: { id: { S: `i${n % 5}` }, n: { N: String(n) } } });
  const follow = (headers = {}) => openEvents(one.httpUrl, '/_/api/tail?table=tailed', { cookie: session.cookie, ...headers });
  await session.dynamodb('CreateTable', {
    TableName: 'tailed',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    StreamSpecification: kStream,
  });
  let stream = await follow();
  for (let n = 0; n < 10; n += 1) await putN(n);
  await stream.upTo(4);
  await one.kill();
  assert.ok(await stream.endsWithin(10));
  const seen = stream.records;
  one = await startServer({ data: folder, http: true });
  session = await Console.signIn(one);
  stream = await follow({ 'last-event-id': seen.at(-1).sequence });
  for (let n = 10; n < 20; n += 1) await putN(n);
  await stream.upTo(20 - seen.length);
  const all = [...seen, ...stream.records];
  assert.deepEqual(all.map((record) => Number(record.new.n.N)), Array.from({ length: 20 }, (_, n) => n));
  // A server that is told to stop does not wait for those who follow.
  const began = Date.now();
  assert.deepEqual(await one.stop(), { code: 0, signal: null });
  assert.ok(Date.now() - began < 8000, `${Date.now() - began} ms`);
  assert.ok(await stream.endsWithin(5));
  removeDir(folder);
});
