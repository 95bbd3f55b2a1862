// Albums and media: what is in them, who sees them, and what is left when they go.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { addToAlbum, admin, all, call, dynamodb, fails, get, getRaw, many, moderator, newAlbum, newKey, newMedia, newUser, ok, putRaw, scan, tally, task, times } from './gallery_fixture.js';

const test = suite('gallery albums');
const edges = (album) => scan((item) => item.PK === `ALBUM#${album}` && item.SK.startsWith('MEDIA#'));
const ids = (items) => items.map(({ id }) => id);

test('GA-O12 GA-R1 GA-R34 GA-E1: an album is made with its tags, all keys at once', async () => {
  const user = await newUser();
  const album = await newAlbum(user, { tags: [' Sea  View ', 'Fog'], metadata: { camera: 'old' } });
  assert.equal(album.isPublic, true);
  assert.equal(album.mediaCount, 0);
  assert.equal(album.createdBy, user.id);
  for (const key of Object.keys(album)) assert.doesNotMatch(key, /^(PK|SK|GSI\d.K|EntityType)$/);
  const raw = await getRaw(`ALBUM#${album.id}`);
  assert.equal(raw.isPublic, 'true');
  assert.equal(raw.GSI1SK, `${album.createdAt}#${album.id}`);
  assert.equal(raw.GSI3PK, 'ALBUM_BY_USER_true');
  assert.equal(raw.GSI4SK, `${user.id}#${album.createdAt}#${album.id}`);
  assert.equal(raw.GSI6SK, '0');
  assert.equal(raw.GSI8SK, `true#${album.updatedAt}#${album.id}`);
  assert.ok(!('GSI2PK' in raw), 'no cover, no key');
  const tag = await getRaw('ALBUM_TAG#sea view', `ALBUM#${album.id}#${album.createdAt}`);
  assert.equal(tag.GSI2PK, 'ALBUM_TAG#sea view#true');
  assert.equal(tag.GSI3PK, `ALBUM_TAG#${user.id}#true`);
  assert.equal(tag.EntityType, 'AlbumTag');
  assert.deepEqual(ids((await get('/tags/sea%20view/albums')).items).slice(0, 1), [album.id]);
});

test('GA-O12 GA-R1: bad albums are refused and leave nothing', async () => {
  const user = await newUser();
  const bad = [
    { title: '' }, { title: 'x'.repeat(201) }, { title: 7 }, {}, { title: 'x', isPublic: 'TRUE' }, { title: 'x', isPublic: 1 },
    { title: 'x', isPublic: 'yes' }, { title: 'x', tags: ['a#b'] }, { title: 'x', tags: ['  '] }, { title: 'x', tags: ['y'.repeat(81)] },
    { title: 'x', tags: ['y'.repeat(41)] }, { title: 'x', tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, { title: 'x', tags: 'sea' },
  ];
  for (const body of bad) await fails(400, 'ValidationFailed', 'POST', '/albums', { user, body });
  await fails(400, 'UnknownField', 'POST', '/albums', { user, body: { title: 'x', createdBy: 'somebody' } });
  await fails(400, 'UnknownField', 'POST', '/albums', { user, body: { title: 'x', GSI1PK: 'ALBUM' } });
  await fails(401, 'Unauthenticated', 'POST', '/albums', { body: { title: 'x' } });
  assert.deepEqual(await all(`/users/${user.id}/albums`, user), []);
});

test('GA-O12: one Idempotency-Key, twenty at once, one album', async () => {
  const user = await newUser();
  const key = newKey();
  const replies = await many(20, 'POST', '/albums', { user, key, body: { title: 'Once', isPublic: true } });
  assert.deepEqual(tally(replies), { 201: 20 });
  assert.equal(new Set(replies.map(({ json }) => json.id)).size, 1);
  assert.equal((await all(`/users/${user.id}/albums`, user)).length, 1);
  await fails(422, 'IdempotencyKeyReused', 'POST', '/albums', { user, key, body: { title: 'Other' } });
});

test('GA-O13 GA-R35: an edit changes the tag rows with the album, guarded by its version', async () => {
  const user = await newUser();
  const album = await newAlbum(user, { tags: ['a', 'b'] });
  const edited = await ok(200, 'PATCH', `/albums/${album.id}`, { user, body: { title: 'New', tags: ['b', 'c'] } });
  assert.equal(edited.title, 'New');
  const rows = async () => (await scan((item) => item.EntityType === 'AlbumTag' && item.albumId === album.id)).map(({ normalizedTag }) => normalizedTag).sort();
  assert.deepEqual(await rows(), ['b', 'c']);
  const edit = (tags) => ({ user, body: { tags }, headers: { 'if-match': `"${edited.version}"` } });
  const replies = await Promise.all([call('PATCH', `/albums/${album.id}`, edit(['x'])), call('PATCH', `/albums/${album.id}`, edit(['y']))]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412]);
  assert.deepEqual(await rows(), (await get(`/albums/${album.id}`, user)).tags);
  const other = await newUser();
  await fails(403, 'Forbidden', 'PATCH', `/albums/${album.id}`, { user: other, body: { title: 'Mine' } });
  await fails(404, 'AlbumNotFound', 'PATCH', '/albums/none', { user, body: { title: 'x' } });
});

test('GA-O14 GA-A45: a private album leaves every public list, tag rows included', async () => {
  const user = await newUser();
  const other = await newUser();
  const album = await newAlbum(user, { tags: ['hidden-tag', 'two'] });
  await fails(403, 'Forbidden', 'PUT', `/albums/${album.id}/visibility`, { user: other, body: { isPublic: false } });
  await ok(200, 'PUT', `/albums/${album.id}/visibility`, { user, body: { isPublic: false } });
  const raw = await getRaw(`ALBUM#${album.id}`);
  assert.deepEqual([raw.isPublic, raw.GSI3PK, raw.GSI5SK, raw.GSI8SK.split('#')[0]], ['false', 'ALBUM_BY_USER_false', 'false', 'false']);
  assert.deepEqual((await get('/tags/hidden-tag/albums', other)).items, []);
  assert.equal((await getRaw('ALBUM_TAG#hidden-tag', `ALBUM#${album.id}#${album.createdAt}`)).GSI2PK, 'ALBUM_TAG#hidden-tag#false');
  await fails(404, 'AlbumNotFound', 'GET', `/albums/${album.id}`, { user: other });
  await fails(404, 'AlbumNotFound', 'PUT', `/albums/${album.id}/visibility`, { user: other, body: { isPublic: true } });
  assert.equal((await get(`/albums/${album.id}`, user)).isPublic, false);
});

test('GA-O20 GA-R7 GA-R8: twenty adds at once make one edge and one count', async () => {
  const user = await newUser();
  const album = await newAlbum(user);
  const media = await newMedia(user);
  assert.deepEqual(tally(await many(20, 'PUT', `/albums/${album.id}/media/${media.id}`, { user })), { 201: 1, '409 MediaAlreadyInAlbum': 19 });
  assert.equal((await get(`/albums/${album.id}`, user)).mediaCount, 1);
  const [edge] = await edges(album.id);
  assert.deepEqual([edge.GSI1PK, edge.GSI1SK, edge.GSI2PK], [`MEDIA#${media.id}`, `ALBUM#${album.id}#${edge.addedAt}`, 'ALBUM_MEDIA_BY_DATE']);
  const other = await newUser();
  await fails(403, 'Forbidden', 'PUT', `/albums/${album.id}/media/${media.id}`, { user: other });
  await fails(404, 'MediaNotFound', 'PUT', `/albums/${album.id}/media/none`, { user });
  await fails(404, 'AlbumNotFound', 'PUT', `/albums/none/media/${media.id}`, { user });
  const secret = await newMedia(other, { isPublic: false });
  await fails(404, 'MediaNotFound', 'PUT', `/albums/${album.id}/media/${secret.id}`, { user });
});

test('GA-O21: twenty removals at once take one away', async () => {
  const user = await newUser();
  const album = await newAlbum(user);
  const media = [await newMedia(user), await newMedia(user)];
  for (const one of media) await addToAlbum(user, album, one);
  assert.deepEqual(tally(await many(20, 'DELETE', `/albums/${album.id}/media/${media[0].id}`, { user })), { 200: 1, '404 MediaNotInAlbum': 19 });
  assert.equal((await get(`/albums/${album.id}`, user)).mediaCount, 1);
  assert.equal((await edges(album.id)).length, 1);
});

test('GA-O15 GA-A39: a cover is in the album, and goes with what it shows', async () => {
  const user = await newUser();
  const album = await newAlbum(user);
  const media = await newMedia(user, { mimeType: 'video/mp4' });
  await fails(409, 'CoverNotInAlbum', 'PUT', `/albums/${album.id}/cover`, { user, body: { mediaId: media.id } });
  await addToAlbum(user, album, media);
  await ok(200, 'PUT', `/albums/${album.id}/cover`, { user, body: { mediaId: media.id } });
  const raw = await getRaw(`ALBUM#${album.id}`);
  assert.deepEqual([raw.GSI2PK, raw.GSI2SK, raw.type], ['ALBUM_COVER_IMAGE', `${media.id}#${album.id}`, 'video']);
  assert.deepEqual(ids((await get(`/patterns/ga-a39?coverImageMediaId=${media.id}`)).items), [album.id]);
  const other = await newUser();
  await fails(403, 'Forbidden', 'PUT', `/albums/${album.id}/cover`, { user: other, body: { mediaId: media.id } });
  await ok(200, 'DELETE', `/albums/${album.id}/media/${media.id}`, { user });
  const after = await getRaw(`ALBUM#${album.id}`);
  assert.ok(!('GSI2PK' in after) && !('coverImageMediaId' in after) && !('coverImageUrl' in after));
  // A race ends with a cover that is in the album, or with none.
  for (let round = 0; round < 5; round += 1) {
    await addToAlbum(user, album, media);
    await Promise.all([
      call('PUT', `/albums/${album.id}/cover`, { user, body: { mediaId: media.id } }),
      call('DELETE', `/albums/${album.id}/media/${media.id}`, { user }),
    ]);
    assert.ok(!('coverImageMediaId' in (await getRaw(`ALBUM#${album.id}`))));
  }
});

test('GA-O16 GA-R21: a deleted album takes edges, tags, comments and likes along', async () => {
  const user = await newUser();
  const fan = await newUser();
  const album = await newAlbum(user, { tags: ['gone-tag'] });
  const media = await newMedia(user);
  await addToAlbum(user, album, media);
  const comment = await ok(201, 'POST', `/albums/${album.id}/comments`, { user: fan, body: { content: 'nice' } });
  await ok(200, 'PUT', `/comments/${comment.id}/like`, { user });
  await ok(200, 'PUT', `/albums/${album.id}/like`, { user: fan });
  await fails(403, 'Forbidden', 'DELETE', `/albums/${album.id}`, { user: fan });
  await ok(200, 'DELETE', `/albums/${album.id}`, { user });
  await fails(404, 'AlbumNotFound', 'DELETE', `/albums/${album.id}`, { user });
  const left = await scan((item) => JSON.stringify(item).includes(album.id) && !item.PK.startsWith('IDEMP#') && item.EntityType !== 'Notification');
  assert.deepEqual(left, []);
  assert.equal((await get(`/media/${media.id}`)).id, media.id);
  assert.deepEqual(await scan((item) => item.targetId === comment.id && item.EntityType === 'UserInteraction'), []);
});

test('GA-O16: adding while deleting leaves no orphan edge', async () => {
  const user = await newUser();
  const media = await times(8, () => newMedia(user));
  for (let round = 0; round < 3; round += 1) {
    const album = await newAlbum(user);
    await Promise.all([
      ...media.map((one) => call('PUT', `/albums/${album.id}/media/${one.id}`, { user })),
      call('DELETE', `/albums/${album.id}`, { user }),
    ]);
    await task('chores');
    assert.deepEqual(await edges(album.id), []);
  }
});

test('GA-O19 GA-T34: private media of a public album are seen by their owner alone', async () => {
  const user = await newUser();
  const other = await newUser();
  const album = await newAlbum(user);
  const media = await times(3, () => newMedia(user));
  for (const one of media) await addToAlbum(user, album, one);
  const hidden = await ok(200, 'PATCH', `/media/${media[1].id}`, { user, body: { isPublic: false, metadata: { note: 'x' } } });
  assert.equal(hidden.isPublic, false);
  const raw = await getRaw(`MEDIA#${media[1].id}`);
  assert.deepEqual([raw.isPublic, raw.GSI3PK, raw.GSI5SK], ['false', 'MEDIA_BY_USER_false', 'false']);
  assert.equal((await get(`/albums/${album.id}/media`, other)).items.length, 2);
  assert.equal((await get(`/albums/${album.id}/media`, user)).items.length, 3);
  await fails(404, 'MediaNotFound', 'GET', `/media/${media[1].id}`, { user: other });
  await fails(404, 'MediaNotFound', 'PATCH', `/media/${media[1].id}`, { user: other, body: { isPublic: true } });
  await fails(403, 'Forbidden', 'PATCH', `/media/${media[0].id}`, { user: other, body: { isPublic: false } });
  await fails(400, 'UnknownField', 'PATCH', `/media/${media[0].id}`, { user, body: { likeCount: 9 } });
});

test('GA-O22: bulk requests answer for each media', async () => {
  const user = await newUser();
  const album = await newAlbum(user);
  const media = await times(90, () => newMedia(user));
  for (const one of media.slice(0, 10)) await addToAlbum(user, album, one);
  const key = newKey();
  const body = { action: 'add', mediaIds: [...ids(media), ...ids(media.slice(20, 30))] };
  const { results } = await ok(207, 'POST', `/albums/${album.id}/media:bulk`, { user, key, body });
  assert.equal(results.length, 100);
  assert.equal(results.filter(({ status }) => status === 201).length, 80);
  assert.equal(results.filter(({ error }) => error === 'MediaAlreadyInAlbum').length, 20);
  assert.equal((await get(`/albums/${album.id}`, user)).mediaCount, 90);
  assert.deepEqual((await ok(207, 'POST', `/albums/${album.id}/media:bulk`, { user, key, body })).results, results);
  await fails(422, 'IdempotencyKeyReused', 'POST', `/albums/${album.id}/media:bulk`, { user, key, body: { action: 'add', mediaIds: ['x'] } });

  const target = await newAlbum(user);
  const moved = await ok(207, 'POST', `/albums/${album.id}/media:bulk`, { user, body: { action: 'move', mediaIds: ids(media.slice(0, 5)), toAlbumId: target.id } });
  assert.ok(moved.results.every(({ status }) => status === 200));
  const removed = await ok(207, 'POST', `/albums/${album.id}/media:bulk`, { user, body: { action: 'remove', mediaIds: [...ids(media.slice(0, 6)), 'none'] } });
  assert.deepEqual(removed.results.map(({ status }) => status), [404, 404, 404, 404, 404, 200, 404]);
  assert.equal((await get(`/albums/${album.id}`, user)).mediaCount, 84);
  assert.equal((await get(`/albums/${target.id}`, user)).mediaCount, 5);
  const bad = [{ action: 'add', mediaIds: [] }, { action: 'add', mediaIds: Array(101).fill('x') }, { action: 'copy', mediaIds: ['x'] }, { action: 'move', mediaIds: ['x'] }];
  for (const one of bad) await fails(400, 'ValidationFailed', 'POST', `/albums/${album.id}/media:bulk`, { user, body: one });
  const other = await newUser();
  await fails(403, 'Forbidden', 'POST', `/albums/${album.id}/media:bulk`, { user: other, body: { action: 'remove', mediaIds: [media[9].id] } });
}, { seconds: 180 });

test('GA-O23: a media in 150 albums goes from all of them', async () => {
  const user = await newUser();
  const media = await newMedia(user);
  const albums = [];
  for (let at = 0; at < 150; at += 10) albums.push(...(await times(10, () => newAlbum(user))));
  for (const album of albums) await addToAlbum(user, album, media);
  await ok(200, 'PUT', `/albums/${albums[7].id}/cover`, { user, body: { mediaId: media.id } });
  const other = await newUser();
  await fails(403, 'Forbidden', 'DELETE', `/media/${media.id}`, { user: other });
  await ok(200, 'DELETE', `/media/${media.id}`, { user });
  await task('chores');
  assert.deepEqual(await scan((item) => item.SK === `MEDIA#${media.id}` || item.PK === `MEDIA#${media.id}`), []);
  const left = await scan((item) => item.EntityType === 'Album' && item.createdBy === user.id);
  assert.ok(left.every((album) => album.mediaCount === 0 && !('coverImageMediaId' in album)));
  await fails(404, 'MediaNotFound', 'GET', `/media/${media.id}`, { user });
}, { seconds: 240 });

test('GA-O23 X-R13: a moderator deletes, with an entry in the audit and a note to the owner', async () => {
  const user = await newUser();
  const media = await newMedia(user);
  await ok(200, 'DELETE', `/media/${media.id}?reason=spam`, { user: moderator });
  const { items } = await get('/admin/audit', admin);
  const entry = items.find(({ target }) => target === media.id);
  assert.deepEqual([entry.action, entry.actor, entry.reason], ['delete-media', 'moderator-1', 'spam']);
  const notes = await get('/notifications', user);
  assert.deepEqual(notes.items.map(({ notificationType, targetId }) => [notificationType, targetId]), [['moderation', media.id]]);
});

test('GA-O25 GA-R18: a hundred views of one viewer count once, a day later again', async () => {
  const owner = await newUser();
  const viewer = await newUser();
  const album = await newAlbum(owner);
  const replies = await many(100, 'POST', `/albums/${album.id}/view`, { user: viewer });
  assert.deepEqual(tally(replies), { 200: 1, '200 unchanged': 99 });
  await ok(200, 'POST', `/albums/${album.id}/view`);
  await ok(200, 'POST', `/albums/${album.id}/view`);
  assert.equal((await get(`/albums/${album.id}`)).viewCount, 2);
  await fails(404, 'TargetNotFound', 'POST', '/media/none/view', { user: viewer });
  const secret = await newMedia(owner, { isPublic: false });
  await fails(404, 'TargetNotFound', 'POST', `/media/${secret.id}/view`, { user: viewer });
});

test('GA-R34: tags that look the same are one, whatever their bytes', async () => {
  const user = await newUser();
  const spellings = ['\u00C9t\u00E9  Bleu', 'e\u0301te\u0301 bleu', '\u00E9t\u00E9\u00A0BLEU', ' E\u0301TE\u0301 Bleu '];
  const albums = [];
  for (const tag of spellings) albums.push(await newAlbum(user, { tags: [tag] }));
  const found = await all(`/tags/${encodeURIComponent('\u00E9t\u00E9 bleu')}/albums`);
  assert.deepEqual(ids(found).sort(), ids(albums).sort());
  assert.deepEqual((await get(`/tags?prefix=${encodeURIComponent('\u00E9t\u00E9')}`)).items.map(({ normalizedTag }) => normalizedTag), ['\u00E9t\u00E9 bleu']);
  // What differs only in that is one tag of an album, too.
  const both = await newAlbum(user, { tags: spellings });
  assert.equal((await scan(({ PK, albumId }) => PK.startsWith('ALBUM_TAG#') && albumId === both.id)).length, 1);
  assert.deepEqual(ids((await get('/tags/%20\u00E9t\u00E9%20%20BLEU/albums')).items).sort(), ids([...albums, both]).sort());
  for (const tags of [['a#b'], ['x'.repeat(41)], Array.from({ length: 21 }, (_, at) => `tag ${at}`)]) {
    await fails(400, 'ValidationFailed', 'POST', '/albums', { user, body: { title: 'x', tags } });
  }
});

test('GA-R6 X-R5: ids that would forge a key are refused', async () => {
  const user = await newUser();
  const album = await newAlbum(user);
  for (const id of ['a%23b', 'a%23METADATA', '%00', 'x'.repeat(2100)]) {
    const reply = await call('GET', `/albums/${id}`, { user });
    assert.ok([400, 404, 414].includes(reply.status), `${id}: ${reply.status}`);
    const put = await call('PUT', `/albums/${album.id}/media/${id}`, { user });
    assert.ok([400, 404, 414].includes(put.status), `${id}: ${put.status} ${put.body}`);
  }
  await putRaw({ PK: 'ALBUM#raw', SK: 'METADATA', EntityType: 'Something', id: 'raw' });
  await fails(404, 'AlbumNotFound', 'GET', '/albums/raw', { user });
  await dynamodb('DeleteItem', { Key: { PK: { S: 'ALBUM#raw' }, SK: { S: 'METADATA' } } });
});
