// Who may call the console, and how it answers those who may not.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { kNobodysKeys } from '../lib/command.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { Console, linkOf, request } from './client.js';

const kCalls = [
  ['GET', '/_/api/models'],
  ['GET', '/_/api/models/stories/text'],
  ['GET', '/_/api/tail?table=stories'],
  ['POST', '/_/api/models/check'],
  ['POST', '/_/api/models/stories/plan'],
  ['POST', '/_/api/explain'],
  ['GET', '/_/api/partitions?table=t'],
  ['GET', '/_/api/metrics'],
  ['GET', '/_/api/requests'],
  ['GET', '/_/api/keys'],
  ['POST', '/_/api/keys'],
  ['DELETE', '/_/api/keys?id=k'],
  ['GET', '/_/api/outbox?system=stories'],
  ['POST', '/_/api/outbox/retry'],
  ['GET', '/_/api/jobs'],
  ['POST', '/_/api/jobs/run'],
  ['GET', '/_/api/objects'],
  ['GET', '/_/api/objects/b'],
  ['POST', '/_/api/objects/b/presign'],
  ['DELETE', '/_/api/objects/b?key=k'],
  ['POST', '/_/api/read-only'],
  ['POST', '/_/api/logout'],
  ['POST', '/_/api/dynamodb'],
  ['GET', '/_/api/nothing'],
  ['PUT', '/_/api/models'],
];

// And whatever else the server has: a new route needs no line here to be tried.
const kSource = readFileSync(new URL('../../src/api/console/face.cc', import.meta.url), 'utf8');
const kRoutes = [...kSource.matchAll(/\{"console\.\w+",\s*"([A-Z]+)",\s*"(\/_\/api\/[^"]*)"/g)].map(([, method, path]) => [method, path.replace(/\{\w+\}/g, 'x')]);
for (const [method, path] of kRoutes)
  if (path !== '/_/api/login' && !kCalls.some(([verb, known]) => verb === method && known.split('?')[0] === path)) kCalls.push([method, path]);

let server;
let data;
let console;

const test = suite('console gate', {
  before: async () => {
    data = tempDir();
    server = await startServer({ data, http: true, args: ['--systems', 'stories'] });
    console = await Console.signIn(server);
  },
  after: async () => {
    await server?.stop();
    removeDir(data);
  },
});

test('T21: every route of the source is among those tried', () => {
  assert.ok(kRoutes.length >= 19, `${kRoutes.length} found`);
  assert.equal((kSource.match(/\{"console\.\w+",/g) ?? []).length, kRoutes.length, 'a route is written in another way');
});

test('without a session every call is refused, whether it exists or not', async () => {
  for (const [method, path] of kCalls) {
    const reply = await request(server.httpUrl, path, { method, body: method === 'GET' ? undefined : {} });
    assert.equal(reply.status, 401, `${method} ${path}`);
    assert.equal(reply.json.error.code, 'Unauthenticated');
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.equal(reply.headers['cache-control'], 'no-store');
  }
  const forged = await request(server.httpUrl, '/_/api/models', { headers: { cookie: 'gateleg_console=forged' } });
  assert.equal(forged.status, 401);
});

test('only the question who is signed in goes without', async () => {
  const reply = await request(server.httpUrl, '/_/api/session');
  assert.equal(reply.status, 200);
  assert.deepEqual(Object.keys(reply.json).sort(), ['signedIn', 'version']);
  assert.equal(reply.json.signedIn, false);
});

test('what changes, or looks as if, carries the CSRF token', async () => {
  for (const [method, path] of kCalls.filter(([verb]) => verb !== 'GET')) {
    for (const token of [undefined, '', 'wrong', `${console.csrf}x`]) {
      const headers = { cookie: console.cookie };
      if (token !== undefined) headers['x-gateleg-csrf'] = token;
      const reply = await request(server.httpUrl, path, { method, headers, body: {} });
      assert.equal(reply.status, 403, `${method} ${path} ${token}`);
      assert.equal(reply.json.error.code, 'CsrfRejected');
    }
  }
});

test('pages of other origins are refused, also those on another port of this machine', async () => {
  const own = server.httpUrl;
  for (const [headers, status] of [
    [{ origin: own }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ origin: 'http://127.0.0.1:1' }, 403],
    [{ origin: 'http://localhost:3000' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
  ]) {
    const read = await console.get('/_/api/keys', headers);
    assert.equal(read.status, status, JSON.stringify(headers));
    const check = await console.post('/_/api/models/check', { yaml: '' }, headers);
    assert.equal(check.status, status, JSON.stringify(headers));
    assert.equal(check.headers['access-control-allow-origin'], undefined);
  }
});

test('a name that is not this server is refused, for every path', async () => {
  for (const path of ['/', '/_/api/session', '/_/api/models', '/_/login?token=x', '/metrics', '/assets/x.js']) {
    const reply = await console.get(path, { host: 'rebound.example' });
    assert.equal(reply.status, 421, path);
  }
});

test('a link signs in once', async () => {
  const link = await linkOf(server);
  assert.equal(link.host, new URL(server.httpUrl).host);
  const again = await request(server.httpUrl, link.pathname + link.search);
  assert.equal(again.status, 403);
  assert.match(again.headers['content-type'], /text\/html/);
  assert.match(again.text, /gateleg console --data/);
  assert.equal(again.headers['set-cookie'], undefined);
  for (const query of ['', '?token=', '?token=x', '?token=x&token=y', '?token=%zz']) {
    const reply = await request(server.httpUrl, `/_/login${query}`);
    assert.equal(reply.status, 403, query);
  }
});

test('the command prints a fresh link, which previews do not use up', async () => {
  const line = execFileSync(process.env.GATELEG_BIN, ['console', '--data', data], { encoding: 'utf8' }).trim();
  const link = new URL(line);
  const preview = await request(server.httpUrl, link.pathname + link.search, { method: 'HEAD' });
  assert.equal(preview.status, 405);
  const reply = await request(server.httpUrl, link.pathname + link.search);
  assert.equal(reply.status, 303);
  assert.equal(reply.headers.location, '/');
  const cookie = reply.headers['set-cookie'][0];
  for (const part of [/^gateleg_console=[\w-]{40,};/, /HttpOnly/, /SameSite=Strict/, /Path=\//, /Max-Age=43200/])
    assert.match(cookie, part);
  assert.doesNotMatch(cookie, /Secure/);
  const other = await Console.withReply(server.httpUrl, reply);
  assert.notEqual(other.csrf, console.csrf);
  // The token of one session is none for another.
  const crossed = await console.post('/_/api/models/check', { yaml: '' }, { 'x-gateleg-csrf': other.csrf });
  assert.equal(crossed.status, 403);
  // Signing out ends that session and no other.
  const out = await other.post('/_/api/logout', {});
  assert.equal(out.status, 200);
  assert.match(out.headers['set-cookie'][0], /Max-Age=0/);
  assert.equal((await other.get('/_/api/keys')).status, 401);
  assert.equal((await console.get('/_/api/keys')).status, 200);
});

test('pages and files carry the content security policy', async () => {
  for (const path of ['/', '/assets/none.js', '/favicon.svg', '/_/login']) {
    const reply = await request(server.httpUrl, path);
    const policy = reply.headers['content-security-policy'];
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      assert.ok(policy?.includes(part), `${path}: ${policy}`);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.equal(reply.headers['referrer-policy'], 'no-referrer');
  }
});

test('the first page is there, and is asked for again only when it has changed', async () => {
  const page = await request(server.httpUrl, '/');
  assert.equal(page.status, 200);
  assert.match(page.headers['content-type'], /text\/html/);
  const asset = /(?:src|href)="(\/assets\/[^"]+)"/.exec(page.text)?.[1];
  if (!asset) return;  // this build has no console
  assert.equal(page.headers['cache-control'], 'no-cache');
  const same = await request(server.httpUrl, '/', { headers: { 'if-none-match': page.headers.etag } });
  assert.equal(same.status, 304);
  const file = await request(server.httpUrl, asset);
  assert.equal(file.status, 200);
  assert.match(file.headers['cache-control'], /immutable/);
  const packed = await request(server.httpUrl, asset, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.ok(packed.body.length < file.body.length);
  assert.equal((await request(server.httpUrl, '/', { method: 'POST' })).status, 405);
});

test('with --console off there is neither link nor page nor call', async () => {
  const plain = await startServer({ http: true, args: ['--console', 'off', '--systems', 'stories'] });
  assert.doesNotMatch(plain.output, /console:/);
  for (const path of ['/', '/_/api/session', '/_/login?token=x', '/_/api/models'])
    assert.equal((await request(plain.httpUrl, path)).status, 404, path);
  assert.equal((await request(plain.httpUrl, '/metrics')).status, 200);
  await plain.stop();
});

test('with a remote store a session only reads at first, and a table needs a stream to be followed', async () => {
  const store = await startServer({});
  const near = await startServer({ http: true, args: ['--store', store.url], env: kNobodysKeys });
  const session = await Console.signIn(near);
  assert.equal(session.session.readOnly, true);
  assert.equal(session.session.store, store.url);
  const table = {
    TableName: 'remote',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  };
  const refused = await session.dynamodb('CreateTable', table);
  assert.equal(refused.status, 403, refused.text);
  assert.equal(refused.json.error.code, 'ReadOnly');
  assert.equal((await session.dynamodb('ListTables', {})).status, 200);
  assert.equal((await session.get('/_/api/tail?table=remote')).status, 404);
  assert.equal((await session.get('/_/api/hot-keys')).status, 501);
  assert.equal((await session.post('/_/api/read-only', { on: false })).status, 200);
  assert.equal((await session.dynamodb('CreateTable', table)).status, 200);
  const tail = await session.get('/_/api/tail?table=remote');
  assert.equal(tail.status, 409, tail.text);
  assert.match(tail.json.error.message, /update-table --table-name remote --stream-specification/);
  await near.stop();
  await store.stop();
});
