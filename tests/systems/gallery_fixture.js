// A server with the gallery, users of it, requests to it, and its table by the DynamoDB API.

import { createSign, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeDir, tempDir } from '../lib/server.js';
import { requests, setClock as moveClock, startSystem, table, times, token, webhookSignature } from '../lib/system.js';

export { times, token };
export const kWebhookSecrets = { RUNPOD: 'runpod-secret-of-the-test', PAYMENT: 'payment-secret-of-the-test', STORAGE: 'storage-secret-of-the-test' };
// Keys that stand in for Google's.
const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const folder = tempDir('gallery');
const keySet = join(folder, 'jwks.json');
writeFileSync(keySet, JSON.stringify({ keys: [{ ...google.publicKey.export({ format: 'jwk' }), kid: 'g1', alg: 'RS256', use: 'sig' }] }));
process.on('exit', () => removeDir(folder));

export const server = await startSystem('gallery', {
  bucket: 'gallery',
  env: {
    GATELEG_GOOGLE_CLIENT_ID: 'client-of-the-test',
    GATELEG_GOOGLE_JWKS: keySet,
    GATELEG_RUNPOD_WEBHOOK_SECRET: kWebhookSecrets.RUNPOD,
    GATELEG_STORAGE_WEBHOOK_SECRET: kWebhookSecrets.STORAGE,
    GATELEG_PAYMENT_WEBHOOK_SECRET: `an-older-secret,${kWebhookSecrets.PAYMENT}`,
  },
});
export const { call, ok, fails } = requests(server, '/v1/gallery');
export const setClock = (change) => moveClock(server, change);

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export function googleToken(claims, key = google.privateKey) {
  const all = { iss: 'https://accounts.google.com', aud: 'client-of-the-test', email_verified: true, exp: Math.floor(Date.now() / 1000) + 3600, ...claims };
  const signed = `${encode({ alg: 'RS256', kid: 'g1', typ: 'JWT' })}.${encode(all)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key).toString('base64url')}`;
}

// --- requests

export const get = (path, user) => ok(200, 'GET', path, { user });
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

export const { dynamodb, put: putRaw, update: updateRaw, scan } = table(server, 'gallery');
const { get: getItem } = table(server, 'gallery');
export const getRaw = (PK, SK = 'METADATA') => getItem(PK, SK);
// Tests move the clock and back. Expired items must only seem to be gone meanwhile, as they do until DynamoDB deletes them.
await dynamodb('UpdateTimeToLive', { TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: false } });

// Rows that wait, and those that were delivered. One that is delivered while pages are read may be in two of them.
export const outbox = async (kind, keep = () => true) => {
  const rows = await scan((item) => item.PK.startsWith('OUTBOX') && item.kind === kind);
  return [...new Map(rows.map((row) => [row.SK, row])).values()].filter(({ payload }) => keep(payload));
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
  for (const [scope, value] of [['EMAIL', item.email], ['USERNAME', item.username], ['GOOGLE', item.googleId]]) {
    if (value) await putRaw({ PK: `UNIQUE#${scope}#${value}`, SK: `UNIQUE#${scope}#${value}`, ownerId: id });
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

export function signed(provider, body, { at, secret = kWebhookSecrets[provider] } = {}) {
  const text = JSON.stringify(body);
  return { body: text, headers: { 'content-type': 'application/json', 'webhook-signature': webhookSignature(secret, text, at) } };
}
