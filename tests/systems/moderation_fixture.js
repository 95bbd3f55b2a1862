// A server with moderation, its callers, a clock that tests set, and the table behind it.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { startServer } from '../lib/server.js';

const kJwtSecret = 'a secret that only this test knows, 32+ bytes';
export const server = await startServer({
  http: true,
  args: ['--systems', 'moderation', '--test-clock'],
  env: { GATELEG_JWT_SECRET: kJwtSecret },
});

// --- callers

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
function caller(sub, roles) {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub, roles, exp: Math.floor(Date.now() / 1000) + 36_000 })}`;
  return { sub, token: `${signed}.${createHmac('sha256', kJwtSecret).update(signed).digest('base64url')}` };
}
let made = 0;
export const newId = (prefix) => {
  made += 1;
  return `${prefix}-${made}`;
};
export const newUser = () => caller(newId('user'), ['user']);
export const newModerator = () => caller(newId('moderator'), ['moderator']);
export const moderator = newModerator();
export const other = newModerator();
export const admin = caller('the-admin', ['admin']);
export const service = caller('the-service', ['service']);

// --- requests

// A client that is told to try again does so, with the same key.
const kTries = 20;
export async function call(method, path, options = {}) {
  for (let tries = 1; ; tries += 1) {
    const reply = await callOnce(method, path, options);
    if (reply.json?.error?.code !== 'Unavailable' || tries === kTries) return reply;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
}

// Resolves to {status, headers, body (text), json}.
async function callOnce(method, path, { user, body, key, headers = {} } = {}) {
  const all = { ...headers };
  if (user) all.authorization = `Bearer ${user.token}`;
  if (key) all['idempotency-key'] = key;
  if (body !== undefined) all['content-type'] = 'application/json';
  const reply = await fetch(`${server.httpUrl}/v1/moderation${path}`, {
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
  return reply.json;
}

export async function fails(status, code, method, path, options) {
  const reply = await call(method, path, options);
  const label = `${method} ${path}: ${reply.status} ${reply.body.slice(0, 400)}`;
  assert.equal(reply.status, status, label);
  assert.equal(reply.json?.error?.code, code, label);
  return reply.json.error;
}

// How many of them answered with each status, such as {200: 1, 409: 49}.
export function statuses(replies) {
  const counts = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

// --- what most tests begin with

export const submit = (user, more = {}, options = {}) =>
  ok(201, 'POST', '/items', { user, body: { userId: user.sub, contentId: newId('content'), type: 'image', ...more }, ...options });
export const report = (reporter, userId, contentId, reason = 'spam') =>
  ok(201, 'POST', '/reports', { user: reporter, body: { userId, contentId, reason } });
export const decide = (action, id, reason, by = moderator) =>
  ok(200, 'POST', `/items/${id}/${action}`, { user: by, body: reason === undefined ? {} : { reason } });
export const get = (id, user = moderator) => ok(200, 'GET', `/items/${id}`, { user });

// Every item of a list, page by page.
export async function list(query, { limit = 100, path = '/items', user = moderator } = {}) {
  const items = [];
  let cursor = '';
  for (let page = 0; page < 1000; page += 1) {
    const text = new URLSearchParams({ ...query, limit, ...(cursor ? { cursor } : {}) });
    const json = await ok(200, 'GET', `${path}?${text}`, { user });
    assert.ok(json.items.length <= limit);
    items.push(...json.items);
    if (!json.cursor) return items;
    cursor = json.cursor;
  }
  throw new Error('a list without an end');
}
export const ids = (items) => items.map(({ moderationId }) => moderationId);

// --- time

export async function setClock(body) {
  const reply = await fetch(`${server.httpUrl}/_test/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(reply.status, 200, await reply.text());
}
export const freeze = async (now) => {
  await setClock({ now });
  return Date.parse(now);
};
export const advance = (duration) => setClock({ advance: duration });

// A day that no other test uses, so that lists over all users show this test's items only.
let days = 0;
export async function ownDay(time = '10:00:00.000') {
  days += 1;
  const date = new Date(Date.UTC(2015, 0, 1 + days * 10)).toISOString().slice(0, 10);
  const start = Date.parse(`${date}T00:00:00Z`);
  await freeze(`${date}T${time}Z`);
  return { date, compact: date.replaceAll('-', ''), start, end: start + 86_400_000 - 1, range: { from: start, to: start + 86_400_000 - 1 } };
}

// --- the table

export async function dynamodb(operation, request) {
  const reply = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify({ TableName: 'moderation', ...request }),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}

const plain = (item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value.S ?? (value.N !== undefined ? Number(value.N) : value)]));

export async function rows(partition) {
  const found = [];
  let start;
  do {
    const page = await dynamodb('Query', {
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: partition } },
      ...(start ? { ExclusiveStartKey: start } : {}),
    });
    found.push(...page.Items.map(plain));
    start = page.LastEvaluatedKey;
  } while (start);
  return found;
}

export async function indexRows(index, names, condition, values) {
  const found = [];
  let start;
  do {
    const page = await dynamodb('Query', {
      IndexName: index,
      KeyConditionExpression: condition,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
      ...(start ? { ExclusiveStartKey: start } : {}),
    });
    found.push(...page.Items.map(plain));
    start = page.LastEvaluatedKey;
  } while (start);
  return found;
}

export async function scanAll() {
  const found = [];
  let start;
  do {
    const page = await dynamodb('Scan', start ? { ExclusiveStartKey: start } : {});
    found.push(...page.Items);
    start = page.LastEvaluatedKey;
  } while (start);
  return found;
}

export async function outboxRows() {
  const found = [];
  for (let slot = 0; slot < 16; slot += 1) {
    const { Items } = await dynamodb('Query', {
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: `OUTBOX#${String(slot).padStart(2, '0')}` } },
    });
    found.push(...Items.map((item) => ({ kind: item.kind.S, payload: plain(item.payload.M) })));
  }
  return found;
}
