// A server with the gallery, users of it, requests to it, and its table by the DynamoDB API.

import assert from 'node:assert/strict';
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeDir, startServer, tempDir } from '../lib/server.js';

export const kJwtSecret = 'a secret that only this test knows, 32+ bytes';
export const kWebhookSecrets = { RUNPOD: 'runpod-secret-of-the-test', PAYMENT: 'payment-secret-of-the-test' };
// Keys that stand in for Google's.
const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const folder = tempDir('gallery');
const keySet = join(folder, 'jwks.json');
writeFileSync(keySet, JSON.stringify({ keys: [{ ...google.publicKey.export({ format: 'jwk' }), kid: 'g1', alg: 'RS256', use: 'sig' }] }));
process.on('exit', () => removeDir(folder));

export const server = await startServer({
  http: true,
  s3: true,
  // GALLERY_ARGS="--model systems/gallery/model.yaml --test-clock" tries a changed model without a build.
  args: process.env.GALLERY_ARGS ? process.env.GALLERY_ARGS.split(' ') : ['--systems', 'gallery', '--test-clock'],
  env: {
    GATELEG_JWT_SECRET: kJwtSecret,
    GATELEG_GOOGLE_CLIENT_ID: 'client-of-the-test',
    GATELEG_GOOGLE_JWKS: keySet,
    GATELEG_RUNPOD_WEBHOOK_SECRET: kWebhookSecrets.RUNPOD,
    GATELEG_PAYMENT_WEBHOOK_SECRET: `an-older-secret,${kWebhookSecrets.PAYMENT}`,
  },
});

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export function token(claims) {
  const all = { exp: Math.floor(Date.now() / 1000) + 7200, roles: ['user'], ...claims };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(all)}`;
  return `${signed}.${createHmac('sha256', kJwtSecret).update(signed).digest('base64url')}`;
}

export function googleToken(claims, key = google.privateKey) {
  const all = { iss: 'https://accounts.google.com', aud: 'client-of-the-test', email_verified: true, exp: Math.floor(Date.now() / 1000) + 3600, ...claims };
  const signed = `${encode({ alg: 'RS256', kid: 'g1', typ: 'JWT' })}.${encode(all)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key).toString('base64url')}`;
}

// --- requests

// Resolves to {status, headers, body (text), json}. `body` is sent as JSON unless it is text. Writers that met
// others for too long are told to come again, and do: on a busy machine that is no failure.
export async function call(method, path, options = {}) {
  for (let tries = 0; ; tries += 1) {
    const reply = await send(method, path, options);
    if (reply.status !== 503 || reply.json?.error?.code !== 'Unavailable' || tries === 30) return reply;
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 200));
  }
}

async function send(method, path, { user, body, headers = {}, key }) {
  const all = { ...headers };
  if (user) all.authorization = `Bearer ${user.token}`;
  if (key) all['idempotency-key'] = key;
  if (body !== undefined && !('content-type' in all)) all['content-type'] = 'application/json';
  const reply = await fetch(`${server.httpUrl}/v1/gallery${path}`, {
    method,
    headers: all,
    redirect: 'manual',
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

// The one form every error has.
export async function fails(status, code, method, path, options) {
  const reply = await call(method, path, options);
  const label = `${method} ${path}: ${reply.status} ${reply.body.slice(0, 600)}`;
  assert.equal(reply.status, status, label);
  assert.equal(reply.json?.error?.code, code, label);
  assert.equal(reply.json.error.requestId, reply.headers.get('x-request-id'), label);
  return reply.json.error;
}

export const get = (path, user) => ok(200, 'GET', path, { user });
export const times = (count, make) => Promise.all(Array.from({ length: count }, (_, at) => make(at)));
export const many = (count, method, path, options) => times(count, () => call(method, path, options));
export const tally = (replies) => {
  const found = {};
  for (const { status, json } of replies) {
    const name = json?.error ? `${status} ${json.error.code}` : json?.changed === false ? `${status} unchanged` : String(status);
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
};

let keys = 0;
export const newKey = () => `key-${(keys += 1)}`;

// Every item of a list, page by page.
export async function all(path, user, limit = 100) {
  const items = [];
  let cursor = '';
  do {
    const page = await get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, user);
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor);
  return items;
}

// A task, part by part until it is done. Resolves to what it did in all.
export async function task(name, user = service, path = '/admin/tasks/', body = {}) {
  const sum = { scanned: 0, changed: 0, skipped: 0 };
  let cursor;
  let report;
  do {
    report = await ok(200, 'POST', path + name, { user, body: cursor ? { ...body, cursor } : body });
    for (const count of Object.keys(sum)) sum[count] += report[count];
    cursor = report.cursor;
  } while (!report.done);
  return { ...sum, done: true, cursor };
}

// --- the table

export async function dynamodb(operation, request) {
  const reply = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify({ TableName: 'gallery', ...request }),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}

const toDynamo = (value) => {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toDynamo) };
  return { M: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toDynamo(one)])) };
};
const fromDynamo = (value) => {
  const [[type, inner]] = Object.entries(value);
  if (type === 'N') return Number(inner);
  if (type === 'L') return inner.map(fromDynamo);
  if (type === 'M') return fromItem(inner);
  return type === 'NULL' ? null : inner;
};
export const fromItem = (item) => Object.fromEntries(Object.entries(item).map(([name, one]) => [name, fromDynamo(one)]));

export const putRaw = (item) => dynamodb('PutItem', { Item: toDynamo(item).M });
export async function getRaw(PK, SK = 'METADATA') {
  const { Item } = await dynamodb('GetItem', { Key: { PK: { S: PK }, SK: { S: SK } }, ConsistentRead: true });
  return Item && fromItem(Item);
}
export const updateRaw = (PK, SK, expression, values, names) =>
  dynamodb('UpdateItem', {
    Key: { PK: { S: PK }, SK: { S: SK } },
    UpdateExpression: expression,
    ExpressionAttributeValues: values && toDynamo(values).M,
    ExpressionAttributeNames: names,
  });
export async function scan(keep = () => true) {
  const items = [];
  let start;
  do {
    const page = await dynamodb('Scan', { ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) });
    items.push(...page.Items.map(fromItem).filter(keep));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
}
// Rows that wait, and those that were delivered.
export const outbox = async (kind, keep = () => true) =>
  (await scan((item) => item.PK.startsWith('OUTBOX') && item.kind === kind)).filter(({ payload }) => keep(payload));

// --- time

export const setClock = async (body) => {
  const reply = await fetch(`${server.httpUrl}/_test/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(reply.status, 200, await reply.text());
};

// --- who and what

export const admin = { token: token({ sub: 'operator', roles: ['admin'] }) };
export const service = { token: token({ sub: 'worker', roles: ['service'] }) };
export const moderator = { token: token({ sub: 'moderator-1', roles: ['moderator'] }) };

// A user with an account. `more` are further attributes of it.
let users = 0;
export const kBegin = '2025-01-01T00:00:00.000Z';
export async function newUser(more = {}) {
  users += 1;
  const id = more.userId ?? `user-${users}`;
  const plan = more.plan ?? 'free';
  const earned = more.pscTotalEarned ?? 0;
  const [whole, part = ''] = String(earned).split('.');
  const item = {
    PK: `USER#${id}`,
    SK: 'METADATA',
    EntityType: 'User',
    userId: id,
    email: `${id}@example.com`,
    username: id.replaceAll('-', '_'),
    provider: 'email',
    role: 'user',
    isActive: true,
    isEmailVerified: true,
    createdAt: kBegin,
    plan,
    i2vCreditsSecondsPurchased: 0,
    i2vCreditsSecondsFromPlan: 0,
    pscBalance: 0,
    pscTotalEarned: earned,
    pscTotalSpent: 0,
    pscTotalWithdrawn: 0,
    emailPreferences: {},
    version: 1,
    ...more,
  };
  Object.assign(item, {
    GSI1PK: 'USER_EMAIL',
    GSI1SK: item.email,
    GSI3PK: 'USER_USERNAME',
    GSI3SK: item.username,
    GSI4PK: `USER_PLAN#${plan}`,
    GSI4SK: `${item.planEndDate ?? '9999-12-31T00:00:00.000Z'}#${id}`,
    GSI5PK: 'USER_PSC_TOTAL_EARNED',
    GSI5SK: `${whole.padStart(14, '0')}.${part.padEnd(8, '0')}#${id}`,
  });
  await putRaw(item);
  for (const [scope, value] of [['EMAIL', item.email], ['USERNAME', item.username]]) {
    await putRaw({ PK: `UNIQUE#${scope}#${value}`, SK: `UNIQUE#${scope}#${value}`, ownerId: id });
  }
  return { id, token: token({ sub: id }), raw: () => getRaw(`USER#${id}`) };
}

export const newAlbum = (user, more = {}) => ok(201, 'POST', '/albums', { user, body: { title: 'Sea', isPublic: true, ...more } });

// A media as an upload leaves it.
let medias = 0;
export async function newMedia(user, { isPublic = true, status = 'uploaded', mimeType = 'image/png', createdAt, ...more } = {}) {
  medias += 1;
  const id = more.id ?? `MEDIA-${String(medias).padStart(6, '0')}`;
  const at = createdAt ?? new Date(Date.UTC(2025, 0, 2) + medias).toISOString();
  const type = mimeType.startsWith('video/') ? 'video' : 'image';
  await putRaw({
    PK: `MEDIA#${id}`,
    SK: 'METADATA',
    EntityType: 'Media',
    id,
    filename: `${id}.png`,
    originalFilename: 'picture.png',
    mimeType,
    type,
    status,
    url: `https://media.example/${id}`,
    createdAt: at,
    updatedAt: at,
    isPublic: String(isPublic),
    createdBy: user.id,
    createdByType: 'user',
    version: 1,
    GSI1PK: 'MEDIA_BY_CREATOR',
    GSI1SK: `${user.id}#${at}#${id}`,
    GSI2PK: 'MEDIA_ID',
    GSI2SK: id,
    GSI3PK: `MEDIA_BY_USER_${isPublic}`,
    GSI3SK: `${user.id}#${at}#${id}`,
    GSI4PK: 'MEDIA',
    GSI4SK: `${at}#${id}`,
    GSI5PK: 'MEDIA',
    GSI5SK: String(isPublic),
    GSI6PK: 'POPULARITY',
    GSI6SK: '0',
    GSI7PK: 'CONTENT',
    GSI7SK: at,
    GSI8PK: 'MEDIA_BY_TYPE_AND_CREATOR',
    GSI8SK: `${type}#${user.id}#${at}#${id}`,
    ...more,
  });
  return { id, createdAt: at };
}

export const addToAlbum = (user, album, media) => ok(201, 'PUT', `/albums/${album.id}/media/${media.id}`, { user });

// What a provider sends: the signature is over the exact bytes.
export function signed(provider, body, { at = Math.floor(Date.now() / 1000), secret = kWebhookSecrets[provider] } = {}) {
  const text = JSON.stringify(body);
  const v1 = createHmac('sha256', secret).update(`${at}.${text}`).digest('hex');
  return { body: text, headers: { 'content-type': 'application/json', 'webhook-signature': `t=${at},v1=${v1}` } };
}
