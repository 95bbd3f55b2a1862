// A server with FigureForge, people who use it, and what its providers would send.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite as plainSuite } from '../lib/runner.js';
import { caller, fromItem, kJwtSecret, requests, setClock, startSystem, table, times, webhookSignature } from '../lib/system.js';

export const kSecret = kJwtSecret;
export const kStripe = 'whsec_stripe';
export const kFal = 'whsec_fal';
export const kStorage = 'whsec_storage';
export const server = await startSystem('figureforge', {
  bucket: 'figureforge-prod',
  env: { GATELEG_STRIPE_WEBHOOK_SECRET: `old,${kStripe}`, GATELEG_FAL_WEBHOOK_SECRET: kFal, GATELEG_STORAGE_WEBHOOK_SECRET: kStorage },
});
export const { call, ok, fails } = requests(server, '/v1/ff');
const figureforge = table(server, 'figureforge', ['pk', 'sk']);
export const { dynamodb, get: raw, scan } = figureforge;
export const plainItem = fromItem;

// Tests that send hundreds of requests take their time on a busy machine.
export function suite(name, hooks) {
  const add = plainSuite(name, hooks);
  return (title, body) => add(title, body, { seconds: 400 });
}

// --- requests

// n identical requests at once; resolves to the replies.
export const atOnce = times;
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

// Tests move the clock and back. Expired items must only seem to be gone meanwhile, as they do until DynamoDB deletes them.
await dynamodb('UpdateTimeToLive', { TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: false } });

export const query = (pk, { index, name = 'pk' } = {}) =>
  figureforge.query({
    IndexName: index,
    KeyConditionExpression: '#p = :p',
    ExpressionAttributeNames: { '#p': name },
    ExpressionAttributeValues: { ':p': { S: pk } },
  });

// Rows of the outbox of one kind, oldest first, whether they still wait or were delivered. One that is delivered while pages are
// read may be in two of them.
export async function outbox(kind, wanted = () => true) {
  const rows = (await scan()).filter(({ pk }) => pk.startsWith('OUTBOX'));
  return [...new Map(rows.map((row) => [row.sk, row])).values()].filter((row) => row.kind === kind && wanted(row.payload)).sort((a, b) => (a.sk < b.sk ? -1 : 1));
}
export const mailed = async (kind, email) => (await outbox(kind, (payload) => payload.email === email)).at(-1)?.payload.token;

// --- people

export const jwt = caller;
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
  await setClock(server, typeof move === 'string' ? { advance: move } : move);
  try {
    return await body();
  } finally {
    await setClock(server, {});
  }
}

// --- providers

export const signature = webhookSignature;
export function stripe(event, { secret = kStripe, at } = {}) {
  const body = JSON.stringify(event);
  return call('POST', '/webhooks/stripe', { body, headers: { 'stripe-signature': signature(secret, body, at) } });
}
export function fal(token, event, { secret = kFal, at } = {}) {
  const body = JSON.stringify(event);
  return call('POST', `/webhooks/provider/${token}`, { body, headers: { 'webhook-signature': signature(secret, body, at) } });
}

// Tells that objects were made.
export function storage(keys, { secret = kStorage, at } = {}) {
  const body = JSON.stringify({ Records: keys.map((key) => ({ eventName: 'ObjectCreated:Put', s3: { object: { key: encodeURIComponent(key) } } })) });
  return call('POST', '/webhooks/storage', { body, headers: { 'webhook-signature': signature(secret, body, at) } });
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
