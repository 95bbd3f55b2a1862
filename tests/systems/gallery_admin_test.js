// Uploads, digests, metrics, migrations, repair.

import assert from 'node:assert/strict';
import { suite, skip } from '../lib/runner.js';
import { addToAlbum, admin, all, call, dynamodb, fails, get, getRaw, newAlbum, newMedia, newUser, ok, outbox, putRaw, scan, service, setClock, signed, tally, task, times, updateRaw } from './gallery_fixture.js';

// Tasks walk over everything that the tests before have left: a busy machine gets time for it.
const add = suite('gallery admin');
const test = (title, body) => add(title, body, { seconds: 300 });
const kUpload = { originalFilename: 'sea.png', mimeType: 'image/png', size: 1000 };
// All of it, or one part of the size that `limit` says.
const migrate = (name, body = {}) =>
  body.limit ? ok(200, 'POST', `/admin/migrations/${name}`, { user: admin, body }) : task(name, admin, '/admin/migrations/', body);

// --- uploads

const start = async (user, more = {}) => {
  const reply = await call('POST', '/media', { user, body: { ...kUpload, ...more } });
  if (reply.json?.error?.code === 'ProviderNotConfigured') skip('this server keeps no objects');
  return reply;
};

test('GA-O17: what is too large or of another type is not begun', async () => {
  const user = await newUser();
  await fails(415, 'UnsupportedMediaType', 'POST', '/media', { user, body: { ...kUpload, mimeType: 'text/html' } });
  await fails(413, 'PayloadTooLarge', 'POST', '/media', { user, body: { ...kUpload, size: 200 * 1024 * 1024 } });
  for (const more of [{ size: 0 }, { size: 'x' }, { originalFilename: '' }, { isPublic: 'true' }]) await fails(400, 'ValidationFailed', 'POST', '/media', { user, body: { ...kUpload, ...more } });
  await fails(401, 'Unauthenticated', 'POST', '/media', { body: kUpload });
  assert.deepEqual(await all(`/users/${user.id}/media`, user), []);
});

test('GA-O17 GA-T8: an upload begins pending, with an address of its own', async () => {
  const user = await newUser();
  await ok(200, 'PUT', '/settings/generation', { user, body: { isPublic: false } });
  const { status, json } = await start(user);
  assert.equal(status, 201);
  assert.deepEqual([json.status, json.isPublic, json.createdBy], ['pending', false, user.id]);
  assert.match(json.uploadUrl, /^https?:/);
  assert.equal((await start(user, { isPublic: true })).json.isPublic, true);
  assert.ok(!(await scan()).some((item) => JSON.stringify(item).includes(json.uploadUrl)), 'no address is stored');
  await fails(404, 'MediaNotFound', 'GET', `/media/${json.id}`, { user: await newUser() });
});

test('GA-O18 GA-R38 GA-R37: finished when the bytes are there, once; listed only then', async () => {
  const user = await newUser();
  const { json: media } = await start(user, { isPublic: true });
  await fails(409, 'ObjectMissing', 'POST', `/media/${media.id}/complete`, { user, body: {} });
  const put = await fetch(media.uploadUrl, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: new Uint8Array(1000) });
  assert.equal(put.status, 200, await put.text());
  await fails(404, 'MediaNotFound', 'POST', `/media/${media.id}/complete`, { user: await newUser(), body: {} });
  const replies = await times(2, () => call('POST', `/media/${media.id}/complete`, { user, body: { width: 10, height: 20, thumbnailUrls: { small: '/s', large: '/l' } } }));
  assert.deepEqual(tally(replies), { 200: 1, '409 MediaNotPending': 1 });
  const done = await get(`/media/${media.id}`);
  assert.deepEqual([done.status, done.size, done.width, done.thumbnailUrl], ['uploaded', 1000, 10, '/s']);
  const content = await call('GET', `/media/${media.id}/content`);
  assert.equal(content.status, 302);
  assert.equal((await (await fetch(content.headers.get('location'))).arrayBuffer()).byteLength, 1000);
});

test('GA-O18 WH-13: the object store says that the bytes are there, once or often', async () => {
  const user = await newUser();
  const begun = await call('POST', '/media', { user, body: { originalFilename: 'a.png', mimeType: 'image/png', size: 1000, isPublic: true } });
  if (begun.json?.error?.code === 'ProviderNotConfigured') skip('this server keeps no objects');
  assert.equal(begun.status, 201, begun.body);
  const media = begun.json;
  const { objectKey } = await getRaw(`MEDIA#${media.id}`);
  const record = (key, eventName = 'ObjectCreated:Put') => ({ eventName, s3: { bucket: { name: 'gallery' }, object: { key, size: 1000 } } });
  const tell = (...Records) => call('POST', '/webhooks/storage', signed('STORAGE', { Records }));
  const told = async (...records) => {
    const reply = await tell(...records);
    assert.equal(reply.status, 200, reply.body);
    return reply.json.applied;
  };
  // Nothing was uploaded, of whatever it speaks.
  assert.equal(await told(record(objectKey)), false);
  const put = await fetch(media.uploadUrl, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: new Uint8Array(1000) });
  assert.equal(put.status, 200, await put.text());
  const strange = [record(objectKey, 'ObjectRemoved:Delete'), record(`${objectKey}x`), record('gallery/somebody-else/x.png'), record('a#b/c#d'), record(''), {}];
  assert.equal(await told(...strange), false);
  assert.equal((await get(`/media/${media.id}`, user)).status, 'pending');
  const replies = await times(4, () => tell(record('other/thing.png'), record(encodeURIComponent(objectKey))));
  assert.deepEqual(replies.map(({ json }) => json.applied).filter(Boolean), [true]);
  const shown = await get(`/media/${media.id}`);
  assert.deepEqual([shown.status, shown.size], ['uploaded', 1000]);
  await fails(409, 'MediaNotPending', 'POST', `/media/${media.id}/complete`, { user });
  assert.equal((await getRaw(`UPLOADS#${user.id}`, 'META')).begun, 0);
  // Anybody could say that.
  const body = JSON.stringify({ Records: [record(objectKey)] });
  await fails(400, 'SignatureInvalid', 'POST', '/webhooks/storage', { body });
  await fails(400, 'SignatureInvalid', 'POST', '/webhooks/storage', signed('STORAGE', {}, { secret: 'another' }));
});

test('GA-O18 SM-4: a failed upload stays hidden', async () => {
  const user = await newUser();
  const media = await newMedia(user, { status: 'pending' });
  const replies = await times(2, () => call('POST', `/media/${media.id}/complete`, { user, body: { failed: true } }));
  assert.deepEqual(tally(replies), { 200: 1, '409 MediaNotPending': 1 });
  assert.equal((await get(`/media/${media.id}`, user)).status, 'failed');
  await fails(404, 'MediaNotFound', 'GET', `/media/${media.id}`);
  await fails(409, 'ObjectMissing', 'GET', `/media/${media.id}/content`, { user });
});

test('GA-O17 GA-R38: abandoned uploads are swept after a day', async () => {
  const user = await newUser();
  const old = await newMedia(user, { status: 'pending', createdAt: '2025-09-01T00:00:00.000Z', objectKey: 'gallery/x/old.png' });
  const young = await newMedia(user, { status: 'pending', createdAt: '2025-09-01T12:00:00.000Z' });
  const done = await newMedia(user, { createdAt: '2025-09-01T00:00:00.000Z' });
  await putRaw({ PK: `UPLOADS#${user.id}`, SK: 'META', EntityType: 'UploadSlots', begun: 2 });
  await setClock({ now: '2025-09-02T00:00:01Z' });
  try {
    await task('upload-sweep');
    assert.equal((await task('upload-sweep')).changed, 0);
    // Delivered rows expire by this clock: afterwards they may be gone.
    assert.equal((await outbox('delete-object', ({ key }) => key === 'gallery/x/old.png')).length, 1);
  } finally {
    await setClock({});
  }
  assert.equal(await getRaw(`MEDIA#${old.id}`), undefined);
  assert.ok((await getRaw(`MEDIA#${young.id}`)) && (await getRaw(`MEDIA#${done.id}`)));
  assert.equal((await getRaw(`UPLOADS#${user.id}`, 'META')).begun, 1);
});

// --- digests

test('GA-O34 GA-R24: a digest goes once a day, to those who want it and have something unread', async () => {
  const [reader, quiet, unwilling, fan] = [await newUser(), await newUser(), await newUser({ emailPreferences: { unreadNotifications: false, pscBalance: false } }), await newUser()];
  for (const user of [reader, unwilling]) await ok(200, 'PUT', `/users/${user.id}/follow`, { user: fan });
  const mails = async (user) => (await outbox('digest', ({ userId }) => userId === user.id)).map(({ payload }) => [payload.email, payload.unread]);
  await setClock({ now: '2025-10-10T08:00:00Z' });
  try {
    await times(2, () => task('digest'));
    assert.deepEqual(await mails(reader), [[`${reader.id}@example.com`, 1]]);
    assert.deepEqual(await mails(quiet), []);
    assert.deepEqual(await mails(unwilling), []);
    await setClock({ advance: 'PT23H' });
    await task('digest');
    assert.equal((await mails(reader)).length, 1);
    await setClock({ advance: 'PT2H' });
    await task('digest');
    assert.equal((await mails(reader)).length, 2);
  } finally {
    await setClock({});
  }
});

test('GA-O34: the coin balance is mailed once a week while there is one', async () => {
  const rich = await newUser({ pscBalance: 3, pscTotalEarned: 3 });
  const mails = async () => (await outbox('coin-digest', ({ userId }) => userId === rich.id)).length;
  await setClock({ now: '2025-10-20T08:00:00Z' });
  try {
    await times(2, () => task('digest'));
    assert.equal(await mails(), 1);
    await setClock({ advance: 'P8D' });
    await task('digest');
    assert.equal(await mails(), 2);
  } finally {
    await setClock({});
  }
});

// --- metrics

test('GA-O50 GA-R40 GA-A23 GA-A24 GA-A56 GA-E11: metrics are written by version and read by range', async () => {
  const at = (day) => `2025-03-0${day}T00:00:00.000Z`;
  const put = (more, user = service) => call('PUT', '/admin/analytics', { user, body: { metricType: 'users', granularity: 'daily', timestamp: at(1), endTimestamp: at(2), metrics: { total: 1 }, ...more } });
  assert.equal((await put({ version: 2 })).status, 200);
  for (const version of [1, 2]) {
    const stale = await put({ version });
    assert.deepEqual([stale.status, stale.json.error.code], [409, 'StaleMetric']);
  }
  assert.equal((await put({ version: 3, metrics: { total: 7, deep: { a: [1] } } })).status, 200);
  await put({ timestamp: at(3), endTimestamp: at(4) });
  await put({ metricType: 'albums' });
  const raw = await getRaw('ANALYTICS#users#daily', at(1));
  assert.deepEqual([raw.GSI1PK, raw.GSI1SK, raw.GSI2PK, raw.GSI2SK, raw.version], ['ANALYTICS', `daily#${at(1)}#users`, 'ANALYTICS_TYPE#users', at(1), 3]);
  assert.deepEqual((await get('/admin/analytics?metricType=users&granularity=daily&from=2025-03-02T00:00:00Z', admin)).items.map(({ timestamp }) => timestamp), [at(3)]);
  assert.equal((await all('/admin/analytics?granularity=daily', admin)).length, 3);
  assert.equal((await all('/patterns/ga-a24?metricType=users', admin)).length, 2);
  assert.equal((await put({ granularity: 'yearly' })).json.error.code, 'ValidationFailed');
  assert.equal((await put({ metricType: 'a#b' })).json.error.code, 'ValidationFailed');
  assert.equal((await put({}, await newUser())).status, 403);
});

test('X-R2 GA-A23: times of any zone are one order, in one width', async () => {
  // The same hours around a midnight, as people in two far zones write them.
  const written = ['2025-07-01T13:00:00+14:00', '2025-06-30T11:30:00-12:00', '2025-07-01T00:00:00Z', '2025-07-01T14:00:00.5+14:00', '2025-06-30T12:00:01-12:00'];
  const meant = written.map((text) => new Date(text).toISOString());
  for (const timestamp of written) {
    await ok(200, 'PUT', '/admin/analytics', { user: service, body: { metricType: 'zones', granularity: 'hourly', timestamp, endTimestamp: timestamp, metrics: {} } });
  }
  const rows = await scan(({ PK }) => PK === 'ANALYTICS#zones#hourly');
  assert.deepEqual(rows.map(({ SK }) => SK).sort(), [...meant].sort());
  const listed = async (query) => (await all(`/admin/analytics?metricType=zones&granularity=hourly${query}`, admin)).map(({ timestamp }) => timestamp).sort();
  assert.deepEqual(await listed(''), [...meant].sort());
  const from = encodeURIComponent('2025-07-01T14:00:00+14:00');  // midnight in UTC
  assert.deepEqual(await listed(`&from=${from}`), meant.filter((text) => text >= '2025-07-01').sort());
});

test('GA-O50 GA-A57 GA-E12 X-R6: a cached metric is gone when its time is over', async () => {
  await setClock({ now: '2025-11-01T00:00:00Z' });
  try {
    await ok(200, 'PUT', '/admin/metrics-cache/total_users', { user: service, body: { value: { n: 42 }, ttl: '2025-11-01T00:10:00Z' } });
    assert.deepEqual((await get('/admin/metrics-cache/total_users', admin)).value, { n: 42 });
    assert.equal((await getRaw('METRICS_CACHE', 'total_users')).ttl, 1761955800);
    assert.ok((await all('/admin/metrics-cache', admin)).some(({ metricKey }) => metricKey === 'total_users'));
    await setClock({ advance: 'PT10M' });
    await fails(404, 'MetricsCacheNotFound', 'GET', '/admin/metrics-cache/total_users', { user: admin });
    assert.ok(!(await all('/admin/metrics-cache', admin)).some(({ metricKey }) => metricKey === 'total_users'));
  } finally {
    await setClock({});
  }
  await fails(400, 'ValidationFailed', 'PUT', '/admin/metrics-cache/a%23b', { user: service, body: { value: 1 } });
  await fails(403, 'Forbidden', 'PUT', '/admin/metrics-cache/x', { user: await newUser(), body: { value: 1 } });
});

// --- migrations

test('GA-R2 GA-O51: isPublic is filled in, once, with the keys that follow from it', async () => {
  const user = await newUser();
  const albums = [];
  for (let n = 0; n < 3; n += 1) {
    const album = await newAlbum(user, { tags: ['old'] });
    await updateRaw(`ALBUM#${album.id}`, 'METADATA', 'REMOVE isPublic, GSI3PK, GSI3SK, GSI5PK, GSI5SK, GSI8PK, GSI8SK');
    albums.push(album);
  }
  const media = await newMedia(user);
  await updateRaw(`MEDIA#${media.id}`, 'METADATA', 'REMOVE isPublic, GSI3PK, GSI3SK, GSI5PK, GSI5SK');
  await fails(403, 'Forbidden', 'POST', '/admin/migrations/backfill-isPublic', { user, body: {} });
  await fails(400, 'ValidationFailed', 'POST', '/admin/migrations/drop-everything', { user: admin, body: {} });
  const dry = await migrate('backfill-isPublic', { dryRun: true });
  assert.deepEqual([dry.changed, dry.done, dry.cursor], [4, true, null]);
  assert.ok(!('isPublic' in (await getRaw(`MEDIA#${media.id}`))));
  // In parts, with a live edit in between.
  let changed = 0;
  let part;
  do {
    part = await migrate('backfill-isPublic', { limit: 7 });
    changed += part.changed;
    await ok(200, 'PATCH', `/albums/${albums[0].id}`, { user, body: { title: `Edited ${changed}` } });
    if (!part.done) assert.equal(typeof part.cursor, 'string');
  } while (!part.done);
  assert.equal(changed, 4);
  const raw = await getRaw(`ALBUM#${albums[0].id}`);
  assert.deepEqual([raw.isPublic, raw.GSI3PK, raw.GSI5SK, raw.GSI8PK], ['true', 'ALBUM_BY_USER_true', 'true', 'VISIBILITY_UPDATED']);
  assert.match(raw.title, /^Edited/);
  assert.equal((await getRaw(`MEDIA#${media.id}`)).GSI3PK, 'MEDIA_BY_USER_true');
  assert.ok((await all('/feed')).some(({ id }) => id === media.id));
  const again = await migrate('backfill-isPublic');
  assert.deepEqual([again.changed, again.done], [0, true]);
  assert.ok(again.scanned >= 4 && again.skipped === again.scanned);
});

test('GA-R3 GA-O51: albums come into the index by creator; those of nobody are left', async () => {
  const user = await newUser();
  const album = await newAlbum(user);
  const nobody = await newAlbum(user);
  await updateRaw(`ALBUM#${album.id}`, 'METADATA', 'REMOVE GSI4PK, GSI4SK');
  await updateRaw(`ALBUM#${nobody.id}`, 'METADATA', 'REMOVE GSI3PK, GSI3SK, GSI4PK, GSI4SK, createdBy');
  assert.equal((await migrate('backfill-gsi4-albums', { dryRun: true })).changed, 1);
  assert.ok(!('GSI4PK' in (await getRaw(`ALBUM#${album.id}`))));
  assert.equal((await migrate('backfill-gsi4-albums')).changed, 1);
  const raw = await getRaw(`ALBUM#${album.id}`);
  assert.deepEqual([raw.GSI4PK, raw.GSI4SK], ['ALBUM_BY_CREATOR', `${user.id}#${album.createdAt}#${album.id}`]);
  assert.ok(!('GSI4PK' in (await getRaw(`ALBUM#${nobody.id}`))));
  assert.equal((await migrate('backfill-gsi4-albums')).changed, 0);
  await dynamodb('DeleteItem', { Key: { PK: { S: `ALBUM#${nobody.id}` }, SK: { S: 'METADATA' } } });
});

test('GA-R4 GA-O51: users come onto the leaderboard', async () => {
  const [some, none] = [await newUser({ pscTotalEarned: 7.25 }), await newUser()];
  await updateRaw(`USER#${some.id}`, 'METADATA', 'REMOVE GSI5PK, GSI5SK');
  await updateRaw(`USER#${none.id}`, 'METADATA', 'REMOVE GSI5PK, GSI5SK, pscTotalEarned');
  assert.equal((await migrate('backfill-gsi5-user-psc-earned', { dryRun: true })).changed, 2);
  assert.equal((await migrate('backfill-gsi5-user-psc-earned')).changed, 2);
  assert.equal((await some.raw()).GSI5SK, `00000000000007.25000000#${some.id}`);
  assert.equal((await none.raw()).GSI5SK, `00000000000000.00000000#${none.id}`);
  assert.equal((await migrate('backfill-gsi5-user-psc-earned')).changed, 0);
});

test('GA-R6 GA-T20 GA-T21 GA-O51: media of the first version become media and edges', async () => {
  const user = await newUser();
  const [a, b] = [await newAlbum(user), await newAlbum(user)];
  const old = (album, id, more = {}) =>
    putRaw({ PK: `ALBUM#${album.id}`, SK: `MEDIA#${id}`, EntityType: 'Media', albumId: album.id, id, filename: `${id}.jpg`, originalFilename: 'old.jpg', mimeType: 'image/jpeg', size: 5, url: `/old/${id}`, createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z', createdBy: user.id, likeCount: 3, ...more });
  await old(a, 'v1-one');
  await old(a, 'v1-two', { isPublic: 'false' });
  await old(b, 'v1-one', { filename: 'other.jpg' });
  for (const [album, n] of [[a, 2], [b, 1]]) await updateRaw(`ALBUM#${album.id}`, 'METADATA', 'SET mediaCount = :n', { ':n': n });
  // Both shapes are read until all are of the new one, and nothing that is for one meets the other.
  const shown = async (album, as) => (await all(`/albums/${album.id}/media`, as, 1)).map(({ id }) => id);
  assert.deepEqual([await shown(a, user), await shown(a), await shown(b)], [['v1-one', 'v1-two'], ['v1-one'], ['v1-one']]);
  const added = await call('PUT', `/albums/${a.id}/media/v1-one`, { user });
  assert.ok([404, 409].includes(added.status), added.body);
  const removed = await call('DELETE', `/albums/${a.id}/media/v1-two`, { user });
  assert.ok([404, 409].includes(removed.status), `${removed.status} ${removed.body}`);
  assert.equal((await getRaw(`ALBUM#${a.id}`, 'MEDIA#v1-two')).filename, 'v1-two.jpg');
  assert.equal((await migrate('media-v2', { dryRun: true })).changed, 3);
  const first = await migrate('media-v2', { limit: 1 });
  assert.deepEqual([first.changed, first.done], [1, false]);
  assert.deepEqual([await shown(a, user), await shown(a), await shown(b)], [['v1-one', 'v1-two'], ['v1-one'], ['v1-one']]);
  const rest = await migrate('media-v2');
  assert.deepEqual([rest.changed, rest.done], [2, true]);
  const media = await get('/media/v1-one');
  assert.deepEqual([media.originalFilename, media.size, media.likeCount, media.status, media.isPublic], ['old.jpg', 5, 3, 'uploaded', true]);
  assert.ok(!('albumId' in (await getRaw('MEDIA#v1-one'))));
  await fails(404, 'MediaNotFound', 'GET', '/media/v1-two');
  assert.equal((await get('/media/v1-two', user)).isPublic, false);
  assert.deepEqual((await get(`/albums/${a.id}/media`, user)).items.map(({ id }) => id), ['v1-one', 'v1-two']);
  assert.deepEqual((await all('/media/v1-one/albums', user)).map(({ id }) => id).sort(), [a.id, b.id].sort());
  const edge = await getRaw(`ALBUM#${a.id}`, 'MEDIA#v1-one');
  assert.deepEqual([edge.EntityType, edge.addedAt, edge.GSI1PK], ['AlbumMedia', '2024-01-01T00:00:00.000Z', 'MEDIA#v1-one']);
  assert.ok(!('filename' in edge));
  assert.deepEqual([(await get(`/albums/${a.id}`, user)).mediaCount, (await get(`/albums/${b.id}`, user)).mediaCount], [2, 1]);
  assert.deepEqual([(await migrate('media-v2')).changed, (await migrate('media-v2')).scanned], [0, 0]);
});

test('GA-O51: one at a time, and under live writes', async () => {
  const user = await newUser();
  const albums = await times(20, () => newAlbum(user));
  for (const album of albums) await updateRaw(`ALBUM#${album.id}`, 'METADATA', 'REMOVE GSI4PK, GSI4SK');
  const [runs] = await Promise.all([
    times(4, () => call('POST', '/admin/migrations/backfill-gsi4-albums', { user: admin, body: {} })),
    ...albums.map((album) => call('PATCH', `/albums/${album.id}`, { user, body: { title: 'Live' } })),
  ]);
  assert.ok(runs.every(({ status, json }) => status === 200 || (status === 409 && json.error.code === 'MigrationRunning')), JSON.stringify(tally(runs)));
  assert.ok(runs.some(({ status }) => status === 200));
  await migrate('backfill-gsi4-albums');
  const raw = await scan((item) => item.EntityType === 'Album' && item.createdBy === user.id);
  assert.ok(raw.every((album) => album.GSI4PK === 'ALBUM_BY_CREATOR' && album.title === 'Live'));
  await putRaw({ PK: 'MIGRATION#media-v2', SK: 'META', EntityType: 'Migration', scanned: 0, changed: 0, skipped: 0, done: false, runner: 'somebody', runnerUntil: '2999-01-01T00:00:00.000Z', startedAt: '2025-01-01T00:00:00.000Z' });
  await fails(409, 'MigrationRunning', 'POST', '/admin/migrations/media-v2', { user: admin, body: {} });
  await updateRaw('MIGRATION#media-v2', 'META', 'REMOVE runner, runnerUntil');
  assert.equal((await migrate('media-v2')).done, true);
  assert.equal((await get('/admin/migrations/media-v2', admin)).done, true);
  await fails(400, 'InvalidCursor', 'POST', '/admin/migrations/media-v2', { user: admin, body: { cursor: '9:x' } });
});

// --- repair

test('GA-O52: counters are set right from the edges, and what belongs to nothing goes', async () => {
  const [user, fan] = [await newUser(), await newUser()];
  const album = await newAlbum(user);
  const media = await newMedia(user);
  await addToAlbum(user, album, media);
  await ok(200, 'PUT', `/albums/${album.id}/like`, { user: fan });
  await ok(200, 'PUT', `/users/${user.id}/follow`, { user: fan });
  await ok(201, 'POST', `/albums/${album.id}/comments`, { user: fan, body: { content: 'x' } });
  await updateRaw(`ALBUM#${album.id}`, 'METADATA', 'SET likeCount = :a, mediaCount = :b, commentCount = :c, bookmarkCount = :d', { ':a': 9, ':b': 0, ':c': 5, ':d': 4 });
  await updateRaw(`USER#${user.id}`, 'METADATA', 'SET followerCount = :n', { ':n': 77 });
  await putRaw({ PK: 'ALBUM#ghost', SK: `MEDIA#${media.id}`, EntityType: 'AlbumMedia', albumId: 'ghost', mediaId: media.id, addedAt: '2025-01-01T00:00:00.000Z', GSI1PK: `MEDIA#${media.id}`, GSI1SK: 'ALBUM#ghost#2025-01-01T00:00:00.000Z', GSI2PK: 'ALBUM_MEDIA_BY_DATE', GSI2SK: `2025-01-01T00:00:00.000Z#ghost#${media.id}` });
  await putRaw({ PK: `USER#${fan.id}`, SK: 'INTERACTION#like#ghost', EntityType: 'UserInteraction', userId: fan.id, interactionType: 'like', targetType: 'album', targetId: 'ghost', createdAt: '2025-01-01T00:00:00.000Z', GSI1PK: 'INTERACTION#like#ghost', GSI1SK: fan.id, GSI2PK: `USER#${fan.id}#INTERACTIONS#like`, GSI2SK: '2025-01-01T00:00:00.000Z', GSI3PK: 'INTERACTION#like', GSI3SK: '2025-01-01T00:00:00.000Z' });
  await fails(403, 'Forbidden', 'POST', '/admin/repair/counters', { user, body: {} });
  const likers = await times(5, () => newUser());
  const repair = async () => {
    let report;
    let cursor;
    const sums = { changed: 0, removed: 0 };
    do {
      report = await ok(200, 'POST', '/admin/repair/counters', { user: admin, body: cursor ? { cursor } : {} });
      sums.changed += report.changed;
      sums.removed += report.removed;
      cursor = report.cursor;
    } while (!report.done);
    return sums;
  };
  const [sums] = await Promise.all([repair(), ...likers.map((one) => call('PUT', `/albums/${album.id}/like`, { user: one }))]);
  assert.ok(sums.removed >= 2, JSON.stringify(sums));
  await repair();
  const fixed = await get(`/albums/${album.id}`, user);
  assert.deepEqual([fixed.likeCount, fixed.mediaCount, fixed.commentCount, fixed.bookmarkCount], [6, 1, 1, 0]);
  assert.equal((await user.raw()).followerCount, 1);
  assert.equal(await getRaw('ALBUM#ghost', `MEDIA#${media.id}`), undefined);
  assert.equal(await getRaw(`USER#${fan.id}`, 'INTERACTION#like#ghost'), undefined);
  assert.deepEqual(await repair(), { changed: 0, removed: 0 });
  await fails(400, 'InvalidCursor', 'POST', '/admin/repair/counters', { user: admin, body: { cursor: 'x' } });
}, { seconds: 240 });

test('X-R8 GA-R8 GA-R17: after all of this, every counter equals its edges', async () => {
  await task('chores');
  const items = await scan();
  const count = (keep) => items.filter(keep).length;
  for (const album of items.filter(({ EntityType, SK }) => EntityType === 'Album' && SK === 'METADATA')) {
    assert.equal(album.mediaCount, count((item) => item.EntityType === 'AlbumMedia' && item.albumId === album.id), `mediaCount of ${album.id}`);
    assert.equal(album.commentCount ?? 0, count((item) => item.EntityType === 'Comment' && item.targetId === album.id), `commentCount of ${album.id}`);
    assert.equal(album.likeCount ?? 0, count((item) => item.SK === `INTERACTION#like#${album.id}`), `likeCount of ${album.id}`);
  }
  for (const guard of items.filter(({ PK }) => PK.startsWith('UNIQUE#'))) {
    const owner = items.find(({ PK, SK }) => PK === `USER#${guard.ownerId}` && SK === 'METADATA');
    assert.ok(owner && [owner.email, owner.username, owner.googleId].includes(guard.PK.split('#')[2]), guard.PK);
  }
}, { seconds: 120 });
