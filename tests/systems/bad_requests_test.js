// Bad requests to the systems API and the clear answer to each.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { call, createStory, fails, kSecret, newUser, ok, server, setClock, token } from './fixture.js';

const test = suite('bad_requests');

test('without a token nobody is signed in', async () => {
  const { headers } = await fails(401, 'Unauthenticated', 'GET', '/v1/stories');
  assert.equal(headers.get('www-authenticate'), 'Bearer');
  await fails(401, 'Unauthenticated', 'POST', '/v1/stories', { body: { title: 'x' } });
});

test('a bad token is refused before anything else is looked at', async () => {
  const now = Math.floor(Date.now() / 1000);
  const good = token({ sub: 'u' });
  const claims = Buffer.from(JSON.stringify({ sub: 'u', exp: now + 60 })).toString('base64url');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const bad = [
    '',
    'x',
    `${good}x`,
    good.replace(/\.[^.]*$/, '.'),
    `${none}.${claims}.`,
    token({ sub: 'u' }, { secret: `${kSecret}!` }),
    token({ sub: 'u' }, { header: { alg: 'HS512' } }),
    token({ sub: 'u' }, { header: { alg: 'RS256' } }),
    token({ sub: 'u', exp: now - 1 }),
    token({ sub: 'u', exp: undefined }),
    token({ sub: 'u', nbf: now + 3600 }),
    token({ sub: 'a#STORY#b' }),
    token({}),
    token({ sub: 'u', roles: 'admin' }),
  ];
  for (const text of bad) {
    for (const path of ['/v1/stories', '/v1/nowhere', '/openapi.json']) {
      await fails(401, 'Unauthenticated', 'GET', path, { headers: { authorization: `Bearer ${text}` } });
    }
  }
  await fails(401, 'Unauthenticated', 'GET', '/v1/stories', { headers: { authorization: `Basic ${good}` } });
});

test('bodies are strict', async () => {
  const user = newUser();
  const post = (status, code, body, headers) => fails(status, code, 'POST', '/v1/stories', { user, body, headers });
  await post(400, 'ValidationFailed', {});
  await post(400, 'ValidationFailed', '');
  await post(400, 'ValidationFailed', '[]');
  await post(400, 'ValidationFailed', { title: '' });
  await post(400, 'ValidationFailed', { title: 'x'.repeat(201) });
  for (const title of [7, true, null, ['x'], { x: 1 }]) await post(400, 'ValidationFailed', { title });
  const { json } = await post(400, 'UnknownField', { title: 'x', deleted: true });
  assert.equal(json.error.field, 'deleted');
  for (const field of ['PK', 'userId', 'version', 'id', 'nodeCount', 'CreatedAt', '__proto__x']) {
    await post(400, 'UnknownField', { title: 'x', [field]: 'y' });
  }
  for (const text of ['{', '{"title":"x"', "{'title':'x'}", '{"title":"x"} x', '{"title":"a","title":"b"}', '{"title":"\u0001"}']) {
    await post(400, 'MalformedJson', text);
  }
  await post(400, 'MalformedJson', `${'['.repeat(200_000)}`);
  await post(415, 'UnsupportedMediaType', '{"title":"x"}', { 'content-type': 'text/plain' });
  await post(415, 'UnsupportedMediaType', 'title=x', { 'content-type': 'application/x-www-form-urlencoded' });
  await ok(201, 'POST', '/v1/stories', { user, body: '{"title":"x"}', headers: { 'content-type': 'application/json; charset=utf-8' } });
});

test('a body of more than 1 MB is refused', async () => {
  const reply = await call('POST', '/v1/stories', { user: newUser(), body: { title: 'x'.repeat(1 << 20) } });
  assert.equal(reply.status, 413);
  assert.equal(reply.json.error.code, 'PayloadTooLarge');
});

test('methods and paths that are not there', async () => {
  const user = newUser();
  const { headers } = await fails(405, 'MethodNotAllowed', 'PUT', '/v1/stories', { user });
  assert.equal(headers.get('allow'), 'GET, HEAD, POST');
  await fails(405, 'MethodNotAllowed', 'POST', '/openapi.json', { user });
  for (const path of ['/v1', '/v1/nowhere', '/v1/stories/a/b/c/d', '/v1//stories', '/v1/stories/%ff', '/v1/stories/%zz', '/nowhere']) {
    await fails(404, 'NotFound', 'GET', path, { user });
  }
});

test('query parameters are checked', async () => {
  const user = newUser();
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=', 'limit=1&limit=2', 'userId=u', 'order=asc', 'x=1', 'limit=%zz']) {
    await fails(400, 'ValidationFailed', 'GET', `/v1/stories?${query}`, { user });
  }
});

test('ids that would forge another key are refused', async () => {
  const user = newUser();
  const { id } = await createStory(user);
  for (const text of ['a%23b', `${id}%00`, `x`.repeat(3000), '..%2f..', '%F0%9F%98%80', "'; drop"]) {
    const reply = await call('PATCH', `/v1/stories/${text}`, { user, body: { title: 'x' } });
    assert.ok(reply.status === 400 || reply.status === 404, `${text}: ${reply.status} ${reply.body}`);
    assert.match(reply.json.error.code, /ValidationFailed|StoryNotFound/);
  }
});

test('headers that must have a form', async () => {
  const user = newUser();
  for (const key of ['a b', 'a#b', 'x'.repeat(129)]) {
    const { json } = await fails(400, 'ValidationFailed', 'POST', '/v1/stories', {
      user,
      body: { title: 'x' },
      headers: { 'idempotency-key': key },
    });
    assert.equal(json.error.field, 'Idempotency-Key');
  }
});

test('foreign pages and foreign hosts are refused', async () => {
  const user = newUser();
  await fails(403, 'CsrfRejected', 'GET', '/v1/stories', { user, headers: { origin: 'https://evil.example' } });
});

test('health is still answered on the same port', async () => {
  const reply = await call('GET', '/healthz');
  assert.equal(reply.status, 200);
  assert.equal(reply.json.status, 'ok');
  await setClock({ now: '2025-03-01T00:00:00Z' });
  const story = await createStory(newUser());
  assert.equal(story.CreatedAt, '2025-03-01T00:00:00.000Z');
  await setClock({});
  assert.ok(!server.log.includes(kSecret));
});
