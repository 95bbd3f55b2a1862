// A server with FigureForge, people who use it, and what its providers would send.

import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { suite as plainSuite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';

export const kSecret = 'a secret that only this test knows, 32+ bytes';
export const kStripe = 'whsec_stripe';
export const kFal = 'whsec_fal';
export const server = await startServer({
  http: true,
  s3: true,
  args: ['--systems', 'figureforge', '--test-clock'],
  env: { GATELEG_JWT_SECRET: kSecret, GATELEG_STRIPE_WEBHOOK_SECRET: `old,${kStripe}`, GATELEG_FAL_WEBHOOK_SECRET: kFal },
});

// Tests that send hundreds of requests take their time on a busy machine.
export function suite(name, hooks) {
  const add = plainSuite(name, hooks);
  return (title, body) => add(title, body, { seconds: 400 });
}

// --- requests

// Resolves to {status, headers, body (text), json}. `body` is sent as JSON unless it is text. Writers that met others for
// too long are told to come again, and do: on a busy machine that is no failure.
export async function call(method, path, options = {}) {
  for (let tries = 0; ; tries += 1) {
    const reply = await send(method, path, options);
    if (reply.status !== 503 || reply.json?.error?.code !== 'Unavailable' || tries === 30) return reply;
    await new Promise((resolve) => { setTimeout(resolve, 50 + Math.random() * 200); });
  }
}

async function send(method, path, { user, body, headers = {}, base = server.httpUrl } = {}) {
  const all = { ...headers };
  if (user) all.authorization = `Bearer ${user.token}`;
  if (body !== undefined && !('content-type' in all)) all['content-type'] = 'application/json';
  const reply = await fetch(`${base}/v1/ff${path}`, {
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
  assert.equal(reply.status, status, `${method} ${path}: ${reply.status} ${reply.body.slice(0, 600)}`);
  return reply.json;
}

export async function fails(status, code, method, path, options) {
  const reply = await call(method, path, options);
  const label = `${method} ${path}: ${reply.status} ${reply.body.slice(0, 600)}`;
  assert.equal(reply.status, status, label);
  assert.equal(reply.json?.error?.code, code, label);
  return reply.json.error;
}

// n identical requests at once; resolves to the replies.
export const atOnce = (n, request) => Promise.all(Array.from({ length: n }, (_, i) => request(i)));
export const statuses = (replies) => replies.map(({ status }) => status).sort();
export const count = (replies, status) => replies.filter((reply) => reply.status === status).length;

// All pages of a list.
export async function all(path, options = {}, limit = 100) {
  const items = [];
  let cursor = '';
  do {
    const mark = path.includes('?') ? '&' : '?';
    const page = await ok(200, 'GET', `${path}${mark}limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`, options);
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor);
  return items;
}

export const key = () => ({ 'idempotency-key': randomUUID() });

// --- the same data through the other face

export async function dynamodb(operation, request) {
  const reply = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify({ TableName: 'figureforge', ...request }),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}

// Tests move the clock and back. Expired items must only seem to be gone meanwhile, as they do until DynamoDB deletes them.
await dynamodb('UpdateTimeToLive', { TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: false } });

const plain = (value) => {
  const [type, content] = Object.entries(value)[0];
  if (type === 'N') return Number(content);
  if (type === 'NULL') return null;
  if (type === 'L') return content.map(plain);
  if (type === 'M') return plainItem(content);
  return content;
};
export const plainItem = (item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));

export async function raw(pk, sk) {
  const { Item } = await dynamodb('GetItem', { Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true });
  return Item && plainItem(Item);
}

export async function query(pk, { index, name = 'pk' } = {}) {
  const { Items } = await dynamodb('Query', {
    IndexName: index,
    KeyConditionExpression: '#p = :p',
    ExpressionAttributeNames: { '#p': name },
    ExpressionAttributeValues: { ':p': { S: pk } },
  });
  return Items.map(plainItem);
}

export async function scan() {
  const items = [];
  let start;
  do {
    const page = await dynamodb('Scan', { ExclusiveStartKey: start });
    items.push(...page.Items.map(plainItem));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
}

// Rows of the outbox of one kind, oldest first, whether they still wait or were delivered.
export async function outbox(kind, wanted = () => true) {
  const rows = (await scan()).filter(({ pk }) => pk.startsWith('OUTBOX'));
  return rows.filter((row) => row.kind === kind && wanted(row.payload)).sort((a, b) => (a.sk < b.sk ? -1 : 1));
}
export const mailed = async (kind, email) => (await outbox(kind, (payload) => payload.email === email)).at(-1)?.payload.token;

// --- people

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export function jwt(sub, ...roles) {
  const claims = { sub, roles, exp: Math.floor(Date.now() / 1000) + 3600 };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return { sub, token: `${signed}.${createHmac('sha256', kSecret).update(signed).digest('base64url')}` };
}
export const admin = jwt('root', 'admin');
export const moderator = jwt('mod', 'moderator');
export const service = jwt('robot', 'service');

let people = 0;
export const kPassword = 'correct horse battery';
export const newEmail = () => `person${(people += 1)}.${randomUUID().slice(0, 8)}@example.com`;
// Somebody new who is logged in: {token, id, email}.
export async function newUser({ credits = 0, ...more } = {}) {
  const email = newEmail();
  const { token, user } = await ok(201, 'POST', '/users', { body: { email, password: kPassword, ...more } });
  if (credits > 0) {
    await ok(200, 'POST', `/admin/users/${user.user_id}/credits`, { user: admin, body: { amount: credits, reason: 'test' } });
  }
  return { token, id: user.user_id, email };
}
export const credits = async (user) => (await raw(`USER#${user.id}`, 'PROFILE')).credits;

// --- time

export async function atTime(move, body) {
  const clock = (change) =>
    fetch(`${server.httpUrl}/_test/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) });
  await clock(typeof move === 'string' ? { advance: move } : move);
  try {
    return await body();
  } finally {
    await clock({});
  }
}

// --- providers

export function signature(secret, body, at = Math.floor(Date.now() / 1000)) {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}
export function stripe(event, { secret = kStripe, at } = {}) {
  const body = JSON.stringify(event);
  return call('POST', '/webhooks/stripe', { body, headers: { 'stripe-signature': signature(secret, body, at) } });
}
export function fal(token, event, { secret = kFal, at } = {}) {
  const body = JSON.stringify(event);
  return call('POST', `/webhooks/provider/${token}`, { body, headers: { 'webhook-signature': signature(secret, body, at) } });
}

// --- jobs and images

export const kModelId = 'fal/sdxl-foo';
export const jobBody = ({ tags = [], count: n = 1, prompt = 'a fox', model = kModelId } = {}) => ({
  prompt_json: { prompt, negative_prompt: 'blur', tags },
  provider: 'fal.ai',
  provider_model_id: model,
  count: n,
});
export const submit = (user, options = {}) => ok(201, 'POST', '/jobs', { user, body: jobBody(options), headers: key() });
export const callbackToken = async (user, job) => (await raw(`USER#${user.id}`, `JOB#${job.job_id}`)).callback_token;
export const result = (n = 1, eventId = `ev-${randomUUID()}`) => ({
  eventId,
  request_id: `req-${randomUUID()}`,
  status: 'OK',
  payload: { images: Array.from({ length: n }, (_, i) => ({ url: `https://provider.example/${i}.png`, width: 512, height: 768 })) },
});
export async function finish(user, job, n = job.count) {
  const reply = await fal(await callbackToken(user, job), result(n));
  assert.equal(reply.status, 200, reply.body);
  return ok(200, 'GET', `/jobs/${job.job_id}`, { user });
}
// An image of that user as a job makes it.
export async function newImage(user, { tags = [], shared = false } = {}) {
  await ok(200, 'POST', `/admin/users/${user.id}/credits`, { user: admin, body: { amount: 1, reason: 'test' } });
  const job = await finish(user, await submit(user, { tags }));
  const id = job.image_ids[0];
  if (shared) await ok(200, 'PUT', `/images/${id}/visibility`, { user, body: { public: true } });
  return id;
}
// Tags under which an image can be found, straight from the table.
export async function tagRowsOf(image, tags) {
  const rows = await Promise.all(tags.map((tag) => raw(`TAG#${tag}`, `IMG#${image}`)));
  return tags.filter((_, i) => rows[i]);
}
export const flag = (id, flag_status, user = moderator) =>
  call('POST', `/admin/images/${id}/flag`, { user, body: { flag_status, reason: 'test' } });
