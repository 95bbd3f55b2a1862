// X-R2, X-R10 and X-R14 over several systems: one server has them all.

import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { makePng } from '../lib/generator.js';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';

const kSecret = 'a secret that only this test knows, 32+ bytes';
let server;
const add = suite('rules', {
  before: async () => {
    server = await startServer({ http: true, s3: true, args: ['--systems', 'all', '--test-clock'], env: { GATELEG_JWT_SECRET: kSecret } });
  },
  after: async () => server.kill(),
});
const test = (title, body) => add(title, body, { seconds: 300 });

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
function caller(sub, ...roles) {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub, roles, exp: Math.floor(Date.now() / 1000) + 36_000 })}`;
  return { sub, token: `${signed}.${createHmac('sha256', kSecret).update(signed).digest('base64url')}` };
}
const admin = caller('root', 'admin');
const moderator = caller('mod', 'moderator');
let people = 0;
const newName = () => `person${(people += 1)}`;

async function call(method, path, { user, body, key } = {}) {
  const reply = await fetch(`${server.httpUrl}/v1${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...(user && { authorization: `Bearer ${user.token}` }), ...(key && { 'idempotency-key': key }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await reply.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: reply.status, json, body: text };
}
async function ok(status, method, path, options) {
  const reply = await call(method, path, options);
  assert.equal(reply.status, status, `${method} ${path}: ${reply.status} ${reply.body.slice(0, 600)}`);
  return reply.json;
}
async function fails(status, code, method, path, options) {
  const reply = await call(method, path, options);
  assert.deepEqual([reply.status, reply.json?.error?.code], [status, code], `${method} ${path}: ${reply.body.slice(0, 600)}`);
}

async function dynamodb(operation, request) {
  const reply = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(request),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}
const plain = (value) => {
  const [[type, inner]] = Object.entries(value);
  if (type === 'N') return Number(inner);
  if (type === 'L') return inner.map(plain);
  if (type === 'M') return plainItem(inner);
  return type === 'NULL' ? null : inner;
};
const plainItem = (item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));
async function find(table, index, key) {
  const names = Object.keys(key);
  const { Items } = await dynamodb('Query', {
    TableName: table,
    IndexName: index,
    KeyConditionExpression: names.map((_, i) => `#n${i} = :v${i}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#n${i}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name, i) => [`:v${i}`, typeof key[name] === 'number' ? { N: String(key[name]) } : { S: key[name] }])),
  });
  return Items.map(plainItem);
}
async function item(table, key) {
  const { Item } = await dynamodb('GetItem', { TableName: table, ConsistentRead: true, Key: Object.fromEntries(Object.entries(key).map(([name, value]) => [name, { S: value }])) });
  return Item && plainItem(Item);
}

async function atTime(now, body) {
  const clock = async (change) => {
    const reply = await fetch(`${server.httpUrl}/_test/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) });
    assert.equal(reply.status, 200, await reply.text());
  };
  await clock({ now });
  try {
    return await body();
  } finally {
    await clock({});
  }
}

const newFfUser = async () => {
  const { token, user } = await ok(201, 'POST', '/ff/users', { body: { email: `${newName()}@example.com`, password: 'correct horse battery' } });
  return { token, id: user.user_id, email: user.email };
};
const newGalleryUser = async () => {
  const name = newName();
  const { token, user } = await ok(201, 'POST', '/gallery/auth/signup', { body: { email: `${name}@example.com`, username: name, password: 'correct horse battery' } });
  return { token, id: user.userId, username: name };
};
async function newFfImage(user) {
  const upload = await ok(201, 'POST', '/ff/images/uploads', { user, body: { content_type: 'image/png' } });
  const put = await fetch(upload.uploadUrl, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: makePng(8, 8) });
  assert.equal(put.status, 200, await put.text());
  return ok(201, 'POST', '/ff/images', { user, body: { image_id: upload.image_id, tags: ['style:comic'], public: false } });
}
const kFixed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

// --- X-R2

// One moment each, from the far east of the date line to the far west of it, and their order.
const kMoments = [
  ['2025-03-01T13:59:59.999+14:00', '2025-02-28T23:59:59.999Z'],
  ['2025-03-01T14:00+14:00', '2025-03-01T00:00:00.000Z'],
  ['2025-02-28T12:00:00.001-12:00', '2025-03-01T00:00:00.001Z'],
  ['2025-03-01T00:00:00.5Z', '2025-03-01T00:00:00.500Z'],
  ['2025-02-28T12:00:01-12:00', '2025-03-01T00:00:01.000Z'],
  ['2025-03-01T23:59:59+14:00', '2025-03-01T09:59:59.000Z'],
  ['2025-03-01T12:00:00-12:00', '2025-03-02T00:00:00.000Z'],
];

test('X-R2: moments from every zone lie in their order, in one form', async () => {
  const metricType = `zones-${randomUUID()}`;
  const shuffled = [3, 0, 5, 1, 6, 2, 4].map((i) => kMoments[i]);
  const accepted = [];
  for (const [given, stored] of shuffled) {
    // A form without seconds may be refused; what is taken is converted.
    const reply = await call('PUT', '/gallery/admin/analytics', { user: admin, body: { metricType, granularity: 'hourly', timestamp: given, endTimestamp: given, metrics: { n: 1 } } });
    if (reply.status === 400) continue;
    assert.equal(reply.status, 200, reply.body);
    assert.equal(reply.json.timestamp, stored, given);
    accepted.push(stored);
  }
  assert.ok(accepted.length >= 6, JSON.stringify(accepted));
  const rows = await find('gallery', undefined, { PK: `ANALYTICS#${metricType}#hourly` });
  assert.deepEqual(rows.map(({ SK }) => SK), [...accepted].sort());
  for (const row of rows) {
    assert.match(row.SK, kFixed);
    assert.equal(row.GSI2SK, row.timestamp);
    assert.match(row.endTimestamp, kFixed);
  }
  const listed = async (range) => (await ok(200, 'GET', `/gallery/admin/analytics?metricType=${metricType}&granularity=hourly&${range}`, { user: admin })).items.map(({ timestamp }) => timestamp);
  const range = (from, to) => `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`;
  const firstOfMarch = await listed(range('2025-03-01T00:00:00Z', '2025-03-01T23:59:59.999Z'));
  assert.deepEqual(firstOfMarch, [...accepted].sort().filter((at) => at.startsWith('2025-03-01')));
  assert.deepEqual(await listed(range('2025-03-01T14:00:00+14:00', '2025-03-01T11:59:59.999-12:00')), firstOfMarch, 'the same day, as others call it');
  for (const bad of ['2025-02-30T00:00:00Z', '2025-03-01', 'yesterday', '2025-03-01T00:00:00+25:00', '1740787200']) {
    await fails(400, 'ValidationFailed', 'PUT', '/gallery/admin/analytics', { user: admin, body: { metricType, granularity: 'hourly', timestamp: bad, endTimestamp: bad, metrics: {} } });
  }
});

test('X-R2: the server sets times, in UTC, and lists follow them over midnight', async () => {
  const user = await newGalleryUser();
  const author = caller(newName(), 'user');
  const albums = [];
  for (const [, stored] of kMoments) {
    await atTime(stored, async () => {
      albums.push((await ok(201, 'POST', '/gallery/albums', { user, body: { title: stored, isPublic: true } })).id);
      await ok(201, 'POST', '/stories', { user: author, body: { title: stored } });
      await ok(201, 'POST', '/moderation/items', { user: author, body: { userId: author.sub, contentId: `c-${stored.replaceAll(/[^0-9]/g, '')}`, type: 'image' } });
    });
  }
  const mine = (await ok(200, 'GET', `/gallery/users/${user.id}/albums?limit=100`, { user })).items;
  assert.deepEqual(mine.map(({ id }) => id), [...albums].reverse());
  assert.deepEqual(mine.map(({ createdAt }) => createdAt), kMoments.map(([, stored]) => stored).reverse());
  const row = await item('gallery', { PK: `ALBUM#${albums[0]}`, SK: 'METADATA' });
  assert.equal(row.GSI4SK, `${user.id}#2025-02-28T23:59:59.999Z#${albums[0]}`);
  const stories = await find('stories', undefined, { PK: `USER#${author.sub}` });
  for (const story of stories) assert.match(story.CreatedAt, kFixed);
  assert.deepEqual(stories.map(({ CreatedAt }) => CreatedAt).sort(), kMoments.map(([, stored]) => stored));
  const items = (await ok(200, 'GET', `/moderation/users/${author.sub}/items?limit=100`, { user: moderator })).items;
  assert.deepEqual(items.map(({ submittedAt }) => submittedAt), kMoments.map(([, stored]) => Date.parse(stored)).reverse());
  const days = (await find('moderation', undefined, { pk: `moderation#${author.sub}` })).map(({ dayKey }) => dayKey.slice(0, 8));
  assert.deepEqual([...new Set(days)].sort(), ['20250228', '20250301', '20250302']);
  await fails(400, 'UnknownField', 'POST', '/stories', { user: author, body: { title: 'x', CreatedAt: kMoments[0][1] } });
  await fails(400, 'UnknownField', 'POST', '/gallery/albums', { user, body: { title: 'x', isPublic: true, createdAt: kMoments[0][1] } });
});

test('X-R2: membership shows whole seconds', async () => {
  const member = newName();
  await atTime('2025-03-01T00:00:00.750Z', async () => {
    await ok(200, 'POST', '/membership/admin/credits/grant', { user: admin, key: randomUUID(), body: { userId: member, amount: 3, reason: 'test' } });
    const { items } = await ok(200, 'GET', '/membership/credits/ledger', { user: caller(member, 'user') });
    assert.match(items[0].createdAt, /^2025-03-01T00:00:00(\.\d+)?Z$/);
    const credits = await ok(200, 'GET', '/membership/credits', { user: caller(member, 'user') });
    assert.equal(credits.updatedAt, '2025-03-01T00:00:00Z');
  });
});

// --- X-R10

// Moves a source attribute: the item leaves its old place in the index and is at the new one, with no trace of the first.
async function moves({ table, index, before, after, id, change }) {
  const has = async (key) => (key ? (await find(table, index, key)).filter(id).length : null);
  assert.equal(await has(before), before ? 1 : null, `${index}: at the old place before`);
  assert.equal(await has(after), after ? 0 : null, `${index}: not yet at the new place`);
  await change();
  assert.equal(await has(before), before ? 0 : null, `${index}: gone from the old place`);
  assert.equal(await has(after), after ? 1 : null, `${index}: at the new place`);
}

test('X-R10: figureforge: e-mail, status, visibility and activity move their index keys', async () => {
  const user = await newFfUser();
  const email = `${newName()}@example.com`;
  await moves({
    table: 'figureforge', index: 'byEmail', before: { byEmail_pk: `EMAIL#${user.email}` }, after: { byEmail_pk: `EMAIL#${email}` },
    id: ({ pk }) => pk === `USER#${user.id}`,
    change: () => ok(200, 'PATCH', '/ff/users/me', { user, body: { email } }),
  });
  const image = await newFfImage(user);
  const month = new Date(image.created_at * 1000).toISOString().slice(0, 7).replace('-', '');
  const isImage = ({ pk }) => pk === `IMG#${image.image_id}`;
  const feed = { publicFeed_pk: `FEED#${month}` };
  await moves({ table: 'figureforge', index: 'publicFeed', after: feed, id: isImage, change: () => ok(200, 'PUT', `/ff/images/${image.image_id}/visibility`, { user, body: { public: true } }) });
  await moves({ table: 'figureforge', index: 'publicFeed', before: feed, id: isImage, change: () => ok(200, 'POST', `/ff/admin/images/${image.image_id}/flag`, { user: moderator, body: { flag_status: 'human_pending' } }) });
  const hidden = await item('figureforge', { pk: `IMG#${image.image_id}`, sk: 'META' });
  assert.ok(!('publicFeed_pk' in hidden), 'a key without its source is absent, not empty');
  assert.equal(hidden.imagesByUser_pk, `USER#${user.id}`);
  await ok(200, 'POST', `/ff/admin/users/${user.id}/credits`, { user: admin, body: { amount: 1, reason: 'test' } });
  const job = await ok(201, 'POST', '/ff/jobs', { user, key: randomUUID(), body: { prompt_json: { prompt: 'a fox' }, provider: 'fal.ai', provider_model_id: 'fal/sdxl-foo', count: 1 } });
  await moves({
    table: 'figureforge', index: 'jobsByStatus', before: { jobsByStatus_pk: 'JOBSTATUS#queued' }, after: { jobsByStatus_pk: 'JOBSTATUS#canceled' },
    id: ({ sk }) => sk === `JOB#${job.job_id}`,
    change: () => ok(200, 'POST', `/ff/jobs/${job.job_id}/cancel`, { user }),
  });
  const plan = `plan-${randomUUID()}`;
  const putPlan = (more) => ok(200, 'PUT', `/ff/plans/${plan}`, { user: admin, body: { name: 'P', price_cents: 1, monthly_images: 1, ...more } });
  await call('PUT', `/ff/plans/${plan}`, { user: admin, body: { name: 'P', price_cents: 1, monthly_images: 1, sort_order: 7 } });
  const isPlan = ({ pk }) => pk === `PLAN#${plan}`;
  await moves({
    table: 'figureforge', index: 'plansByActive', before: { plansByActive_pk: 'PLANACTIVE#true', plansByActive_sk: `000007#${plan}` },
    after: { plansByActive_pk: 'PLANACTIVE#true', plansByActive_sk: `000450#${plan}` }, id: isPlan, change: () => putPlan({ sort_order: 450 }),
  });
  await moves({
    table: 'figureforge', index: 'plansByActive', before: { plansByActive_pk: 'PLANACTIVE#true', plansByActive_sk: `000450#${plan}` },
    after: { plansByActive_pk: 'PLANACTIVE#false', plansByActive_sk: `000450#${plan}` }, id: isPlan, change: () => putPlan({ sort_order: 450, active: false }),
  });
  await fails(400, 'UnknownField', 'PATCH', '/ff/users/me', { user, body: { byEmail_pk: 'EMAIL#somebody@example.com' } });
});

test('X-R10: gallery: visibility, cover and name move their index keys', async () => {
  const user = await newGalleryUser();
  const album = await ok(201, 'POST', '/gallery/albums', { user, body: { title: 'Sea', tags: ['ships'], isPublic: true } });
  const isAlbum = ({ PK, EntityType }) => PK === `ALBUM#${album.id}` && EntityType === 'Album';
  const created = await item('gallery', { PK: `ALBUM#${album.id}`, SK: 'METADATA' });
  assert.ok(!('GSI2PK' in created), 'no cover, no key of a cover');
  const place = `${user.id}#${album.createdAt}#${album.id}`;
  await moves({
    table: 'gallery', index: 'GSI3', before: { GSI3PK: 'ALBUM_BY_USER_true', GSI3SK: place }, after: { GSI3PK: 'ALBUM_BY_USER_false', GSI3SK: place }, id: isAlbum,
    change: () => ok(200, 'PUT', `/gallery/albums/${album.id}/visibility`, { user, body: { isPublic: false } }),
  });
  const hidden = await item('gallery', { PK: `ALBUM#${album.id}`, SK: 'METADATA' });
  assert.equal(hidden.GSI5SK, 'false');
  assert.ok(hidden.GSI8SK.startsWith('false#'), hidden.GSI8SK);
  const name = newName();
  await moves({
    table: 'gallery', index: 'GSI3', before: { GSI3PK: 'USER_USERNAME', GSI3SK: user.username }, after: { GSI3PK: 'USER_USERNAME', GSI3SK: name },
    id: ({ PK }) => PK === `USER#${user.id}`,
    change: () => ok(200, 'PUT', '/gallery/users/me/username', { user, body: { username: name } }),
  });
  await fails(400, 'UnknownField', 'PATCH', `/gallery/albums/${album.id}`, { user, body: { title: 'x', GSI3PK: 'ALBUM_BY_USER_true' } });
});

test('X-R10: moderation: a decision and a priority move every key, and the queue lets go', async () => {
  const author = caller(newName(), 'user');
  const made = await ok(201, 'POST', '/moderation/items', { user: author, body: { userId: author.sub, contentId: `c-${randomUUID()}`, type: 'image' } });
  const raw = async () => (await find('moderation', undefined, { pk: `moderation#${author.sub}` }))[0];
  const first = await raw();
  assert.ok(first['status#submittedAt'].startsWith('pending#'));
  assert.equal(first.queueKey, 'pending#normal');
  await ok(200, 'PUT', `/moderation/items/${made.moderationId}/priority`, { user: moderator, body: { priority: 'high' } });
  assert.equal((await raw()).queueKey, 'pending#high');
  await ok(200, 'POST', `/moderation/items/${made.moderationId}/approve`, { user: moderator, body: {} });
  const decided = await raw();
  assert.equal(decided['status#submittedAt'], first['status#submittedAt'].replace('pending', 'approved'));
  assert.ok(!('queueKey' in decided), 'it waits no more');
});

// --- X-R14

test('X-R14: an item of 400 KB and a byte is refused, and nothing of it is kept', async () => {
  const author = caller(newName(), 'user');
  const story = await ok(201, 'POST', '/stories', { user: author, body: { title: 'Long' } });
  const node = await ok(201, 'POST', `/stories/${story.id}/nodes`, { user: author, body: { prompt: 'x'.repeat(250_000) } });
  await fails(413, 'PayloadTooLarge', 'POST', `/stories/${story.id}/nodes`, { user: author, body: { prompt: 'x'.repeat(400 * 1024 + 1) } });
  const path = `/stories/${story.id}/nodes/${node.id}`;
  await ok(200, 'POST', `${path}/responses`, { user: author, body: { response: 'y'.repeat(100_000) } });
  await fails(413, 'PayloadTooLarge', 'POST', `${path}/responses`, { user: author, body: { response: 'z'.repeat(100_000) } });
  const kept = await ok(200, 'GET', path, { user: author });
  assert.deepEqual([kept.prompt.length, kept.responses.map((one) => one[0])], [250_000, ['y']]);
});

test('X-R14: parts of keys have a length', async () => {
  const long = 'k'.repeat(2049);
  const user = await newFfUser();
  await fails(400, 'ValidationFailed', 'POST', '/ff/users', { body: { email: `${long}@example.com`, password: 'correct horse battery' } });
  await fails(400, 'ValidationFailed', 'PUT', `/ff/flags/${long}`, { user: admin, body: { enabled: true } });
  await fails(400, 'ValidationFailed', 'POST', '/moderation/items', { user: moderator, body: { userId: long, contentId: 'c', type: 'image' } });
  await fails(400, 'ValidationFailed', 'PUT', `/gallery/admin/metrics-cache/${long}`, { user: admin, body: { value: 1 } });
  const { status } = await call('GET', `/stories/${long}`, { user: caller('u', 'user') });
  assert.ok([400, 404].includes(status), String(status));
  const image = await newFfImage(user);
  await fails(400, 'ValidationFailed', 'PUT', `/ff/images/${image.image_id}/tags`, { user, body: { tags: [`a:${long}`] } });
});

test('X-R14: pages are small, whatever there is, and lists above a megabyte are whole', async () => {
  const author = caller(newName(), 'user');
  const story = await ok(201, 'POST', '/stories', { user: author, body: { title: 'Large' } });
  for (let i = 0; i < 6; i += 1) await ok(201, 'POST', `/stories/${story.id}/nodes`, { user: author, body: { prompt: String(i).repeat(250_000) } });
  const { items } = await ok(200, 'GET', `/stories/${story.id}/nodes`, { user: author });
  assert.deepEqual(items.map(({ prompt }) => [prompt[0], prompt.length]), Array.from({ length: 6 }, (_, i) => [String(i), 250_000]));
  for (const limit of [0, 101, -1, 'x']) await fails(400, 'ValidationFailed', 'GET', `/stories?limit=${limit}`, { user: author });
});

test('X-R14: an album of 101 media is deleted by a chore, and a bulk takes 100', async () => {
  const user = await newGalleryUser();
  const album = await ok(201, 'POST', '/gallery/albums', { user, body: { title: 'Crowd', isPublic: true } });
  const bytes = Buffer.from('no picture: nothing is made of it');
  const ids = [];
  for (let i = 0; i < 101; i += 1) {
    const media = await ok(201, 'POST', '/gallery/media', { user, body: { originalFilename: 'm.png', mimeType: 'image/png', size: bytes.length } });
    const put = await fetch(media.uploadUrl, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: bytes });
    assert.equal(put.status, 200, await put.text());
    await ok(200, 'POST', `/gallery/media/${media.id}/complete`, { user, body: {} });
    ids.push(media.id);
  }
  const bulk = (action, mediaIds) => ({ user, key: randomUUID(), body: { action, mediaIds } });
  await fails(400, 'ValidationFailed', 'POST', `/gallery/albums/${album.id}/media:bulk`, bulk('add', ids));
  const { results } = await ok(207, 'POST', `/gallery/albums/${album.id}/media:bulk`, bulk('add', ids.slice(0, 100)));
  assert.ok(results.every(({ status }) => status < 300), JSON.stringify(results.slice(0, 3)));
  await ok(201, 'PUT', `/gallery/albums/${album.id}/media/${ids[100]}`, { user });
  assert.equal((await ok(200, 'GET', `/gallery/albums/${album.id}`, { user })).mediaCount, 101);
  await ok(200, 'DELETE', `/gallery/albums/${album.id}`, { user });
  await fails(404, 'AlbumNotFound', 'GET', `/gallery/albums/${album.id}`, { user });
  const deadline = Date.now() + 60_000;
  while ((await find('gallery', undefined, { PK: `ALBUM#${album.id}` })).length > 0) {
    assert.ok(Date.now() < deadline, 'edges are left');
    await call('POST', '/gallery/admin/tasks/chores', { user: admin, body: {} });
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
  assert.equal((await ok(200, 'GET', `/gallery/media/${ids[0]}`, { user })).id, ids[0], 'media stay');
});
