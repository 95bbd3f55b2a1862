// OpenAPI and /docs, made from the model that is served.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { call, newUser, ok } from './fixture.js';

const test = suite('documents');

test('OpenAPI is served whole and for one system', async () => {
  const { json: whole, headers } = await ok(200, 'GET', '/openapi.json');
  assert.match(headers.get('content-type'), /^application\/json/);
  assert.equal(whole.openapi, '3.1.0');
  const { json: one } = await ok(200, 'GET', '/openapi.json?system=stories');
  assert.deepEqual(one, (await ok(200, 'GET', '/v1/stories/openapi.json')).json);
  assert.equal((await call('GET', '/openapi.json?system=nothing')).status, 404);
  assert.ok(one.paths['/v1/stories/{id}'].patch);
});

test('every route of the document exists, and asks for a token where it says so', async () => {
  const { json } = await ok(200, 'GET', '/openapi.json');
  for (const [path, methods] of Object.entries(json.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const filled = path.replaceAll(/\{[^}]*\}/g, '01JN00000000000000000000A1');
      const reply = await call(method.toUpperCase(), filled);
      const open = operation.security?.some((each) => Object.keys(each).length === 0);
      assert.ok(reply.status !== 405 && (open || reply.status === 401), `${method} ${path}: ${reply.status}`);
    }
  }
});

test('what a route answers with is among what its document says', async () => {
  const user = newUser();
  const { json } = await ok(200, 'GET', '/openapi.json?system=stories');
  const tries = [
    ['post', '/v1/stories', '/v1/stories', { title: 7 }],
    ['post', '/v1/stories', '/v1/stories', { x: 1 }],
    ['patch', '/v1/stories/{id}', '/v1/stories/01JN00000000000000000000A1', { title: 'x' }],
    ['delete', '/v1/stories/{id}', '/v1/stories/01JN00000000000000000000A1'],
    ['get', '/v1/stories/{storyId}/nodes/{id}', '/v1/stories/01JN00000000000000000000A1/nodes/01JN00000000000000000000A1'],
  ];
  for (const [method, template, path, body] of tries) {
    const reply = await call(method.toUpperCase(), path, { user, body });
    const said = json.paths[template][method].responses[reply.status];
    assert.ok(said, `${method} ${path} answered ${reply.status} ${reply.body}`);
    assert.ok(said.description.split(', ').includes(reply.json.error.code), `${reply.body} not in ${said.description}`);
  }
});

test('/docs is one page with a strict policy and nothing inline', async () => {
  const { body, headers } = await ok(200, 'GET', '/docs');
  assert.match(headers.get('content-type'), /^text\/html/);
  assert.match(headers.get('content-security-policy'), /default-src 'none'.*frame-ancestors 'none'/);
  assert.ok(!/<script|style=|https?:/.test(body));
  assert.match(body, /\/v1\/stories\/\{id\}/);
  const css = await ok(200, 'GET', '/docs/docs.css');
  assert.match(css.headers.get('content-type'), /^text\/css/);
});
