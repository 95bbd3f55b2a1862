// Every access pattern finds what it is for, and shows nobody what is private.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { addToAlbum, admin, all, call, fails, get, newAlbum, newMedia, newUser, ok, putRaw, scan, service, setClock, task, times, token, updateRaw } from './gallery_fixture.js';

const test = suite('gallery lists');
const ids = (items) => items.map(({ id }) => id);
const pattern = (row, values = {}, user) => all(`/patterns/${row}?${new URLSearchParams(values)}`, user);

// One owner with public and private things, made once.
let made;
const world = () => (made ??= build());
async function build() {
  const owner = await newUser();
  const fan = await newUser();
  const world = { owner, fan };
  await setClock({ now: '2025-04-01T00:00:00.000Z' });
  try {
    world.open = await newAlbum(owner, { title: 'Open', tags: ['alpha', 'Beta'] });
    await setClock({ advance: 'PT1S' });
    world.shut = await newAlbum(owner, { title: 'Shut', tags: ['alpha', 'secret-tag'], isPublic: false });
    await setClock({ advance: 'PT1S' });
    world.shown = await newMedia(owner, { createdAt: '2025-04-01T00:00:05.000Z' });
    world.hidden = await newMedia(owner, { createdAt: '2025-04-01T00:00:06.000Z', isPublic: false });
    world.pending = await newMedia(owner, { createdAt: '2025-04-01T00:00:07.000Z', status: 'pending' });
    world.film = await newMedia(owner, { createdAt: '2025-04-01T00:00:08.000Z', mimeType: 'video/mp4' });
    for (const album of [world.open, world.shut]) {
      for (const media of [world.shown, world.hidden]) {
        await setClock({ advance: 'PT1S' });
        await addToAlbum(owner, album, media);
      }
      await ok(200, 'PUT', `/albums/${album.id}/cover`, { user: owner, body: { mediaId: world.shown.id } });
    }
    world.said = await ok(201, 'POST', `/albums/${world.open.id}/comments`, { user: fan, body: { content: 'in the open' } });
    await setClock({ advance: 'PT1S' });
    world.whispered = await ok(201, 'POST', `/albums/${world.shut.id}/comments`, { user: owner, body: { content: 'to myself' } });
    await ok(200, 'PUT', `/albums/${world.open.id}/like`, { user: fan });
    await ok(200, 'PUT', `/media/${world.shown.id}/bookmark`, { user: fan });
    await ok(200, 'PUT', `/albums/${world.shut.id}/like`, { user: owner });
    await ok(200, 'PUT', `/users/${owner.id}/follow`, { user: fan });
  } finally {
    await setClock({});
  }
  return world;
}

// What each list shows of the owner's things: to everybody, and to the owner.
const kLists = [
  ['ga-a1', () => ({}), ['open'], ['shut', 'open']],
  ['ga-a2', ({ owner }) => ({ createdBy: owner.id }), ['open'], ['shut', 'open']],
  ['ga-a3', () => ({ isPublic: 'true' }), ['open'], ['open']],
  ['ga-a3', () => ({ isPublic: 'false' }), [], ['shut']],
  ['ga-a4', () => ({}), ['open'], ['shut', 'open']],
  ['ga-a5', () => ({}), ['film', 'shown', 'open'], ['film', 'pending', 'hidden', 'shown', 'shut', 'open']],
  ['ga-a7', ({ open }) => ({ albumId: open.id }), ['shown'], ['shown', 'hidden']],
  ['ga-a8', ({ shown }) => ({ mediaId: shown.id }), ['open'], ['open', 'shut']],
  ['ga-a9', ({ owner }) => ({ createdBy: owner.id }), ['film', 'shown'], ['film', 'pending', 'hidden', 'shown']],
  ['ga-a10', () => ({}), ['film', 'shown'], ['film', 'pending', 'hidden', 'shown']],
  ['ga-a11', ({ owner }) => ({ isPublic: 'true', createdBy: owner.id }), ['film', 'shown'], ['film', 'pending', 'shown']],
  ['ga-a11', ({ owner }) => ({ isPublic: 'false', createdBy: owner.id }), [], ['hidden']],
  ['ga-a12', () => ({}), ['film', 'shown'], ['film', 'pending', 'shown']],
  ['ga-a13', ({ open }) => ({ targetType: 'album', targetId: open.id }), ['said'], ['said']],
  ['ga-a14', ({ owner }) => ({ userId: owner.id }), [], ['whispered']],
  ['ga-a14', ({ fan }) => ({ userId: fan.id }), ['said'], ['said']],
  ['ga-a39', ({ shown }) => ({ coverImageMediaId: shown.id }), ['open'], ['open', 'shut']],
  ['ga-a40', ({ owner }) => ({ isPublic: 'true', createdBy: owner.id }), ['open'], ['open']],
  ['ga-a40', ({ owner }) => ({ isPublic: 'false', createdBy: owner.id }), [], ['shut']],
  ['ga-a41', () => ({ isPublic: 'false' }), [], ['shut']],
  ['ga-a42', ({ owner }) => ({ type: 'video', createdBy: owner.id }), ['film'], ['film']],
  ['ga-a43', () => ({}), ['shown'], ['hidden', 'shown', 'hidden', 'shown']],
  ['ga-a44', () => ({ normalizedTag: 'alpha' }), ['open'], ['open', 'shut']],
  ['ga-a45', () => ({ normalizedTag: 'alpha' }), ['open'], ['open']],
  ['ga-a48', () => ({}), ['film', 'shown', 'open'], ['film', 'pending', 'shown', 'open']],
];
for (const [row, values, toAll, toOwner] of kLists) {
  test(`${row.toUpperCase()} GA-O24: lists what the caller may see (${toAll.length} of ${toOwner.length})`, async () => {
    const it = await world();
    const named = (items) => {
      const known = new Map(['open', 'shut', 'shown', 'hidden', 'pending', 'film', 'said', 'whispered'].map((name) => [it[name].id, name]));
      return ids(items).map((id) => known.get(id)).filter(Boolean);
    };
    const loose = ['ga-a4', 'ga-a8', 'ga-a12', 'ga-a39', 'ga-a44'].includes(row);
    const same = (found, wanted) => assert.deepEqual(loose ? found.sort() : found, loose ? [...wanted].sort() : wanted);
    same(named(await pattern(row, values(it))), toAll);
    same(named(await pattern(row, values(it), it.fan)), toAll);
    same(named(await pattern(row, values(it), it.owner)), toOwner);
  });
}

test('GA-O24: what belongs to a private thing is not there for others', async () => {
  const { shut, hidden, owner, fan } = await world();
  for (const path of [`/albums/${shut.id}`, `/albums/${shut.id}/media`, `/albums/${shut.id}/comments`]) {
    await fails(404, 'AlbumNotFound', 'GET', path, { user: fan });
    await get(path, owner);
  }
  for (const path of [`/media/${hidden.id}`, `/media/${hidden.id}/albums`, `/media/${hidden.id}/comments`]) {
    await fails(404, 'MediaNotFound', 'GET', path, { user: fan });
    await get(path, owner);
  }
  await fails(404, 'TargetNotFound', 'GET', `/patterns/ga-a13?targetType=album&targetId=${shut.id}`, { user: fan });
  await fails(404, 'MediaNotFound', 'GET', `/patterns/mediaById?id=${hidden.id}`, { user: fan });
});

test('GA-A6: a media by its id, through the index and by its key', async () => {
  const { shown } = await world();
  assert.equal((await get(`/patterns/mediaById?id=${shown.id}`)).id, shown.id);
  assert.equal((await get(`/media/${shown.id}`)).id, shown.id);
});

test('GA-A11 GA-A40: routes by user list both kinds to the owner', async () => {
  const { owner, fan, film, pending, hidden, shown, shut, open } = await world();
  assert.deepEqual(ids((await get(`/users/${owner.id}/media`, owner)).items), ids([film, pending, hidden, shown]));
  assert.deepEqual(ids((await get(`/users/${owner.id}/media`, fan)).items), ids([film, shown]));
  assert.deepEqual(ids((await get(`/users/${owner.id}/albums`, owner)).items), ids([shut, open]));
  assert.deepEqual(ids((await get(`/users/${owner.id}/albums?isPublic=true`, owner)).items), ids([open]));
});

test('GA-A38: an album, and an album with its edges in one read', async () => {
  const { open } = await world();
  assert.equal((await get(`/patterns/ga-a38?id=${open.id}`)).id, open.id);
  const both = await pattern('albumWithMedia', { id: open.id }, admin);
  assert.deepEqual(both.map(({ EntityType }) => EntityType), ['Album', 'AlbumMedia', 'AlbumMedia']);
  await fails(403, 'Forbidden', 'GET', `/patterns/albumWithMedia?id=${open.id}`, { user: (await world()).fan });
});

test('GA-A46 GA-A47: tags are listed once, and private ones not at all', async () => {
  const { owner, fan } = await world();
  await newAlbum(owner, { tags: ['alphabet', 'alpha'] });
  const tags = async (path, user) => (await all(path, user, 1)).map(({ normalizedTag }) => normalizedTag);
  assert.deepEqual(await tags('/tags?prefix=alpha', fan), ['alpha', 'alphabet']);
  assert.ok(!(await tags('/tags', fan)).includes('secret-tag'));
  assert.ok((await tags('/tags', owner)).includes('secret-tag'));
  const found = await tags('/tags', fan);
  assert.equal(new Set(found).size, found.length);
  assert.deepEqual(await tags(`/patterns/ga-a47?userId=${owner.id}&isPublic=true`, fan), ['alpha', 'alphabet', 'beta']);
  assert.deepEqual(await tags(`/patterns/ga-a47?userId=${owner.id}&isPublic=false`, fan), []);
});

test('GA-A15 GA-A52: all comments and all likes are for the staff', async () => {
  const { fan, said, open } = await world();
  await fails(403, 'Forbidden', 'GET', '/patterns/ga-a15', { user: fan });
  assert.ok(ids(await pattern('ga-a15', {}, admin)).includes(said.id));
  await fails(403, 'Forbidden', 'GET', '/patterns/ga-a52?interactionType=like', { user: fan });
  assert.ok((await pattern('ga-a52', { interactionType: 'like' }, admin)).some(({ targetId }) => targetId === open.id));
});

test('GA-A16 GA-A17 GA-A18: users by address, by Google id and by name', async () => {
  const user = await newUser({ googleId: 'g-77', GSI2PK: 'USER_GOOGLE', GSI2SK: 'g-77', passwordHash: 'secret-hash', salt: 'secret-salt' });
  const raw = await user.raw();
  assert.equal((await get(`/patterns/ga-a16?email=${encodeURIComponent(raw.email)}`, service)).userId, user.id);
  assert.equal((await get('/patterns/ga-a17?googleId=g-77', service)).userId, user.id);
  const other = await newUser();
  await fails(403, 'Forbidden', 'GET', `/patterns/ga-a16?email=${raw.email}`, { user: other });
  const shown = await get(`/users/${raw.username}`, other);
  assert.deepEqual(Object.keys(shown).sort(), ['createdAt', 'userId', 'username']);
  const own = await get('/users/me', user);
  assert.equal(own.email, raw.email);
  assert.doesNotMatch(JSON.stringify(own), /secret-/);
  await fails(404, 'UserNotFound', 'GET', '/users/nobody_at_all');
  await updateRaw(`USER#${user.id}`, 'METADATA', 'SET isActive = :no', { ':no': false });
  await fails(404, 'UserNotFound', 'GET', `/users/${raw.username}`, { user: other });
});

test('GA-A19 GA-A20 GA-A21 GA-A22 GA-A55: sessions and tokens by their end', async () => {
  const user = await newUser();
  const session = (id, expiresAt) => putRaw({
    PK: `SESSION#${id}`, SK: 'METADATA', EntityType: 'UserSession', sessionId: id, userId: user.id, userEmail: 'x@example.com', secretHash: 'hash-of-a-secret',
    createdAt: '2099-01-01T00:00:00.000Z', lastAccessedAt: '2099-01-01T00:00:00.000Z', expiresAt, ttl: Math.floor(Date.parse(expiresAt) / 1000),
    GSI1PK: 'USER_SESSION_EXPIRY', GSI1SK: `${expiresAt}#${id}`, GSI2PK: `USER#${user.id}#SESSION`, GSI2SK: `2099-01-01T00:00:00.000Z#${id}`,
  });
  await session('01JN0000000000000000000AS1', '2099-02-01T00:00:00.000Z');
  await session('01JN0000000000000000000AS2', '2099-03-01T00:00:00.000Z');
  const listed = await pattern('ga-a19', { from: '2099-01-01T00:00:00Z', to: '2099-02-15T00:00:00Z' }, service);
  assert.deepEqual(listed.map(({ sessionId }) => sessionId), ['01JN0000000000000000000AS1']);
  const own = await all('/auth/sessions', user);
  assert.equal(own.length, 2);
  assert.doesNotMatch(JSON.stringify(own), /hash-of-a-secret/);
  assert.deepEqual(await all('/auth/sessions', await newUser()), []);
  for (const [row, kind, sk] of [['ga-a21', 'EMAIL_VERIFICATION', 'METADATA'], ['ga-a22', 'PASSWORD_RESET', 'TOKEN']]) {
    const expiresAt = '2099-04-01T00:00:00.000Z';
    await putRaw({
      PK: `${kind}#t-${row}`, SK: sk, EntityType: kind === 'PASSWORD_RESET' ? 'PasswordResetToken' : 'EmailVerificationToken', token: `t-${row}`, userId: user.id,
      email: 'x@example.com', createdAt: '2099-01-01T00:00:00.000Z', expiresAt, ttl: Date.parse(expiresAt) / 1000, GSI1PK: `${kind}_EXPIRY`, GSI1SK: `${expiresAt}#t-${row}`,
    });
    const tokens = await pattern(row, { from: '2099-03-31T00:00:00Z' }, service);
    assert.deepEqual(tokens.map(({ userId }) => userId), [user.id]);
    assert.doesNotMatch(JSON.stringify(tokens), /t-ga-a2/);
    await fails(403, 'Forbidden', 'GET', `/patterns/${row}`, { user });
  }
});

test('GA-A49 GA-A50 GA-A51 GA-A53 GA-T31: who likes what, and who follows whom', async () => {
  const { owner, fan, open, shut, shown } = await world();
  assert.equal((await get(`/patterns/ga-a49?interactionType=like&targetId=${open.id}`, fan)).targetId, open.id);
  await fails(404, 'UserInteractionNotFound', 'GET', `/patterns/ga-a49?interactionType=bookmark&targetId=${open.id}`, { user: fan });
  assert.deepEqual((await pattern('ga-a50', { interactionType: 'like', targetId: open.id })).map(({ userId }) => userId), [fan.id]);
  assert.deepEqual(await pattern('ga-a50', { interactionType: 'like', targetId: shut.id }, fan), []);
  assert.deepEqual((await get('/interactions/bookmark', fan)).items.map(({ targetId }) => targetId), [shown.id]);
  assert.equal((await get(`/patterns/ga-a53?followerId=${fan.id}&followedId=${owner.id}`, fan)).followedId, owner.id);
  await fails(404, 'FollowNotFound', 'GET', `/patterns/ga-a53?followerId=${owner.id}&followedId=${fan.id}`, { user: fan });
  const { items } = await get(`/interactions?ids=${open.id},${shown.id},none`, fan);
  const of = Object.fromEntries(items.map((one) => [one.targetId, [one.like, one.bookmark]]));
  assert.deepEqual(of, { [open.id]: [true, false], [shown.id]: [false, true], none: [false, false] });
  await fails(400, 'ValidationFailed', 'GET', '/interactions?ids=', { user: fan });
});

test('GA-A54: single things by their id, for those who may', async () => {
  const { fan, said, whispered } = await world();
  assert.equal((await get(`/comments/${said.id}`)).id, said.id);
  await fails(404, 'CommentNotFound', 'GET', `/comments/${whispered.id}`, { user: fan });
  await fails(404, 'OrderNotFound', 'GET', '/orders/none', { user: fan });
  await fails(404, 'NotificationNotFound', 'GET', '/notifications/none', { user: fan });
  await fails(404, 'I2VJobNotFound', 'GET', '/patterns/i2vJob?jobId=none', { user: fan });
});

test('GA-A4 GA-R36: popular by the ranking, never by a single like', async () => {
  const user = await newUser();
  const fans = await times(3, () => newUser());
  const [low, high, none] = [await newAlbum(user), await newAlbum(user), await newAlbum(user)];
  await ok(200, 'PUT', `/albums/${low.id}/like`, { user: fans[0] });
  for (const fan of fans) await ok(200, 'PUT', `/albums/${high.id}/like`, { user: fan });
  assert.ok((await scan((item) => item.id === high.id && item.EntityType === 'Album'))[0].GSI6SK === '0', 'not yet');
  const report = await task('ranking');
  assert.equal(report.done, true);
  const order = ids(await all('/popular/albums')).filter((id) => [low.id, high.id, none.id].includes(id));
  assert.deepEqual(order, [high.id, low.id, none.id]);
  const [raw] = await scan((item) => item.id === high.id && item.EntityType === 'Album');
  assert.equal(raw.GSI6SK, `000000000012#${high.id}`);
  assert.equal((await task('ranking')).changed, 0);
  await fails(403, 'Forbidden', 'POST', '/admin/tasks/ranking', { user });
});

test('X-R7 GA-T10: 250 items of one moment page without loss or repetition', async () => {
  const user = await newUser();
  const made = [];
  for (let at = 0; at < 250; at += 50) made.push(...(await times(50, () => newMedia(user, { createdAt: '2025-05-05T05:05:05.555Z' }))));
  const listed = ids(await all(`/users/${user.id}/media`, user, 33));
  assert.deepEqual([...listed].sort(), ids(made).sort());
  const { cursor } = await get(`/users/${user.id}/media?limit=10`, user);
  const at = Math.floor(cursor.length / 2);
  const flipped = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
  for (const bad of [flipped, 'x', cursor.slice(1)]) await fails(400, 'InvalidCursor', 'GET', `/users/${user.id}/media?cursor=${encodeURIComponent(bad)}`, { user });
  await fails(400, 'InvalidCursor', 'GET', `/users/${user.id}/albums?cursor=${encodeURIComponent(cursor)}`, { user });
  for (const bad of ['0', '101', 'x', '-1']) await fails(400, 'ValidationFailed', 'GET', `/feed?limit=${bad}`);
}, { seconds: 120 });

test('GA-O53: users by the beginning of their name', async () => {
  const names = ['prefix_aa', 'prefix_ab', 'prefix_b'];
  for (const username of names) await newUser({ username });
  await newUser({ username: 'prefix_ac', isActive: false });
  const user = await newUser();
  const { items } = await get('/users?prefix=PREFIX_a', user);
  assert.deepEqual(items.map(({ username }) => username), ['prefix_aa', 'prefix_ab']);
  assert.ok(items.every((one) => !('email' in one)));
  await times(25, (n) => newUser({ username: `crowd_${String(n).padStart(2, '0')}` }));
  assert.equal((await get('/users?prefix=crowd_', user)).items.length, 20);
  for (const bad of ['a', '', 'a%23b', 'x'.repeat(31)]) await fails(400, 'ValidationFailed', 'GET', `/users?prefix=${bad}`, { user });
  await fails(401, 'Unauthenticated', 'GET', '/users?prefix=ab');
  await setClock({ now: '2025-07-01T00:00:10Z' });
  try {
    const replies = await times(70, () => call('GET', '/users?prefix=crowd_', { user }));
    assert.equal(replies.filter(({ status }) => status === 429).length, 10);
  } finally {
    await setClock({});
  }
});

test('every access pattern of the document is listed', async () => {
  const { items } = await get('/patterns');
  const rows = new Set(items.flatMap(({ rows }) => rows));
  const missing = [];
  for (let n = 1; n <= 61; n += 1) if (!rows.has(`ga-a${n}`) && n !== 60) missing.push(`ga-a${n}`);
  assert.deepEqual(missing, []);
  assert.equal((await call('GET', '/patterns/ga-a60', { user: { token: token({ sub: 'user-1' }) } })).status, 200);
});
