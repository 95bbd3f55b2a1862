// A server with the model of stories, tokens for its users, and requests to it.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startServer } from '../lib/server.js';

export const kSecret = 'a secret that only this test knows, 32+ bytes';
export const kModel = fileURLToPath(new URL('../../systems/stories/model.yaml', import.meta.url));
export const server = await startServer({
  http: true,
  args: ['--systems', 'stories', '--test-clock'],
  env: { GATELEG_JWT_SECRET: kSecret },
});

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export function token(claims, { header = { alg: 'HS256', typ: 'JWT' }, secret = kSecret } = {}) {
  const all = { exp: Math.floor(Date.now() / 1000) + 3600, roles: ['user'], ...claims };
  const signed = `${encode(header)}.${encode(all)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

// Someone nobody has been before, so that tests do not see each other's stories.
let users = 0;
export function newUser(claims = {}) {
  users += 1;
  const sub = `user-${users}`;
  return { sub, token: token({ sub, ...claims }) };
}

// Resolves to {status, headers, body (text), json}. `body` is sent as JSON unless it is text.
export async function call(method, path, { user, body, headers = {}, base = server.httpUrl } = {}) {
  const all = { ...headers };
  if (user) all.authorization = `Bearer ${user.token}`;
  if (body !== undefined && !('content-type' in all)) all['content-type'] = 'application/json';
  const reply = await fetch(base + path, {
    method,
    headers: all,
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await reply.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: reply.status, headers: reply.headers, body: text, json };
}

export async function ok(status, method, path, options) {
  const reply = await call(method, path, options);
  assert.equal(reply.status, status, `${method} ${path}: ${reply.body}`);
  assert.ok(reply.headers.get('x-request-id'), 'x-request-id');
  return reply;
}

// The one form every error has.
export async function fails(status, code, method, path, options) {
  const reply = await call(method, path, options);
  const label = `${method} ${path}: ${reply.status} ${reply.body.slice(0, 400)}`;
  assert.equal(reply.status, status, label);
  assert.equal(reply.json?.error?.code, code, label);
  assert.equal(typeof reply.json.error.message, 'string', label);
  assert.equal(reply.json.error.requestId, reply.headers.get('x-request-id'), label);
  assert.match(reply.headers.get('content-type'), /^application\/json/, label);
  return reply;
}

export const createStory = async (user, title = 'A story') => (await ok(201, 'POST', '/v1/stories', { user, body: { title } })).json;

// The same data through the other face.
export async function dynamodb(operation, request) {
  const reply = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(request),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}

export async function putNode(user, storyId, id, nodeOrder, more = {}) {
  await dynamodb('PutItem', {
    TableName: 'stories',
    Item: {
      PK: { S: `USER#${user.sub}#STORY#${storyId}` },
      SK: { S: `NODE#${id}` },
      ItemType: { S: 'Node' },
      id: { S: id },
      storyId: { S: storyId },
      nodeOrder: { N: String(nodeOrder) },
      CreatedAt: { S: '2025-03-01T00:00:00.000Z' },
      UpdatedAt: { S: '2025-03-01T00:00:00.000Z' },
      version: { N: '1' },
      ...more,
    },
  });
}
