// Likes, bookmarks, comments, follows, blocks, notifications.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { admin, all, call, fails, get, getRaw, many, moderator, newAlbum, newKey, newMedia, newUser, ok, scan, setClock, tally, task, times, updateRaw } from './gallery_fixture.js';

const test = suite('gallery social');
const notes = (user) => all('/notifications', user);

test('GA-O26 GA-R17 GA-R22: a hundred likes of one user are one edge, one count, one notice', async () => {
  const owner = await newUser();
  const fan = await newUser();
  const media = await newMedia(owner);
  assert.deepEqual(tally(await many(100, 'PUT', `/media/${media.id}/like`, { user: fan })), { 200: 1, '200 unchanged': 99 });
  assert.equal((await get(`/media/${media.id}`)).likeCount, 1);
  const edge = await getRaw(`USER#${fan.id}`, `INTERACTION#like#${media.id}`);
  assert.deepEqual([edge.GSI1PK, edge.GSI1SK, edge.GSI2PK, edge.GSI3PK], [`INTERACTION#like#${media.id}`, fan.id, `USER#${fan.id}#INTERACTIONS#like`, 'INTERACTION#like']);
  assert.deepEqual((await notes(owner)).map(({ notificationType, sourceUserId, status }) => [notificationType, sourceUserId, status]), [['like', fan.id, 'unread']]);
  // Toggling does not spam, also after the notice was read.
  const [note] = await notes(owner);
  await ok(200, 'PUT', `/notifications/${note.notificationId}/read`, { user: owner });
  await ok(200, 'DELETE', `/media/${media.id}/like`, { user: fan });
  await ok(200, 'PUT', `/media/${media.id}/like`, { user: fan });
  assert.deepEqual((await notes(owner)).map(({ status }) => status), ['read']);
  // Own likes count and tell nobody.
  await ok(200, 'PUT', `/media/${media.id}/like`, { user: owner });
  assert.equal((await get(`/media/${media.id}`)).likeCount, 2);
  assert.equal((await notes(owner)).length, 1);
});

test('GA-O26 X-R8: a hundred users at once, a hundred edges', async () => {
  const owner = await newUser();
  const album = await newAlbum(owner);
  const fans = await times(100, () => newUser());
  const replies = await Promise.all(fans.map((user) => call('PUT', `/albums/${album.id}/like`, { user })));
  assert.deepEqual(tally(replies), { 200: 100 });
  assert.equal((await get(`/albums/${album.id}`)).likeCount, 100);
  assert.equal((await scan((item) => item.GSI1PK === `INTERACTION#like#${album.id}`)).length, 100);
  assert.equal((await get(`/albums/${album.id}`)).version, album.version, 'a like is no edit');
}, { seconds: 180 });

test('GA-O26: bookmarks, wrong targets, wrong kinds', async () => {
  const owner = await newUser();
  const user = await newUser();
  const album = await newAlbum(owner);
  await ok(200, 'PUT', `/albums/${album.id}/bookmark`, { user });
  assert.equal((await get(`/albums/${album.id}`)).bookmarkCount, 1);
  assert.deepEqual(await notes(owner), [], 'a bookmark is nobody’s business');
  await fails(404, 'TargetNotFound', 'PUT', '/albums/none/like', { user });
  const hidden = await newAlbum(owner, { isPublic: false });
  await fails(404, 'TargetNotFound', 'PUT', `/albums/${hidden.id}/like`, { user });
  await ok(200, 'PUT', `/albums/${hidden.id}/like`, { user: owner });
  await fails(400, 'ValidationFailed', 'PUT', `/albums/${album.id}/adore`, { user });
  const comment = await ok(201, 'POST', `/albums/${album.id}/comments`, { user, body: { content: 'hm' } });
  await fails(400, 'ValidationFailed', 'PUT', `/comments/${comment.id}/bookmark`, { user });
  await fails(404, 'CommentNotFound', 'PUT', '/comments/none/like', { user });
  await fails(401, 'Unauthenticated', 'PUT', `/albums/${album.id}/like`);
});

test('GA-O27: a hundred unlikes take one away', async () => {
  const owner = await newUser();
  const [a, b] = [await newUser(), await newUser()];
  const album = await newAlbum(owner);
  for (const user of [a, b]) await ok(200, 'PUT', `/albums/${album.id}/like`, { user });
  assert.deepEqual(tally(await many(100, 'DELETE', `/albums/${album.id}/like`, { user: a })), { 200: 1, '200 unchanged': 99 });
  assert.equal((await get(`/albums/${album.id}`)).likeCount, 1);
  assert.deepEqual((await notes(owner)).map(({ sourceUserId }) => sourceUserId), [b.id], 'the unread notice went');
  // A count that is wrong already never goes below zero, and the edge goes all the same.
  await updateRaw(`ALBUM#${album.id}`, 'METADATA', 'SET likeCount = :n', { ':n': 0 });
  await ok(200, 'DELETE', `/albums/${album.id}/like`, { user: b });
  assert.equal((await get(`/albums/${album.id}`)).likeCount, 0);
});

test('GA-R19: a comment is liked as a comment', async () => {
  const owner = await newUser();
  const user = await newUser();
  const album = await newAlbum(owner);
  const comment = await ok(201, 'POST', `/albums/${album.id}/comments`, { user, body: { content: 'first' } });
  assert.deepEqual(tally(await many(10, 'PUT', `/comments/${comment.id}/like`, { user: owner })), { 200: 1, '200 unchanged': 9 });
  assert.equal((await getRaw(`USER#${owner.id}`, `INTERACTION#like#${comment.id}`)).targetType, 'comment');
  assert.equal((await get(`/comments/${comment.id}`)).likeCount, 1);
  assert.deepEqual((await notes(user)).map(({ targetType, targetId }) => [targetType, targetId]), [['comment', comment.id]]);
  assert.deepEqual(tally(await many(10, 'DELETE', `/comments/${comment.id}/like`, { user: owner })), { 200: 1, '200 unchanged': 9 });
  assert.equal((await get(`/comments/${comment.id}`)).likeCount, 0);
});

test('GA-O28: a comment, once per key, counted, told to the owner', async () => {
  const owner = await newUser();
  const user = await newUser();
  const media = await newMedia(owner);
  const key = newKey();
  const post = { user, key, body: { content: 'Well seen' } };
  const first = await ok(201, 'POST', `/media/${media.id}/comments`, post);
  const second = await ok(201, 'POST', `/media/${media.id}/comments`, post);
  assert.equal(second.id, first.id);
  assert.equal((await get(`/media/${media.id}`)).commentCount, 1);
  assert.deepEqual([first.username, first.userId, first.targetType], [user.id.replaceAll('-', '_'), user.id, 'media']);
  const raw = await getRaw(`COMMENT#${first.id}`);
  assert.deepEqual([raw.GSI1SK, raw.GSI2SK, raw.GSI3PK], [`media#${media.id}#${first.createdAt}#${first.id}`, `${user.id}#${first.createdAt}#${first.id}`, 'INTERACTION#comment']);
  assert.deepEqual((await notes(owner)).map(({ notificationType }) => notificationType), ['comment']);
  for (const content of ['', '   \n', 'x'.repeat(2001), 7, null]) await fails(400, 'ValidationFailed', 'POST', `/media/${media.id}/comments`, { user, body: { content } });
  await ok(201, 'POST', `/media/${media.id}/comments`, { user, body: { content: 'x'.repeat(2000) } });
  await fails(404, 'TargetNotFound', 'POST', '/media/none/comments', { user, body: { content: 'x' } });
  const hidden = await newMedia(owner, { isPublic: false });
  await fails(404, 'TargetNotFound', 'POST', `/media/${hidden.id}/comments`, { user, body: { content: 'x' } });
});

test('GA-O28: who is blocked cannot comment or follow; who writes too much waits', async () => {
  const owner = await newUser();
  const user = await newUser();
  const album = await newAlbum(owner);
  await ok(200, 'PUT', `/users/${user.id}/block`, { user: owner });
  await fails(403, 'Blocked', 'POST', `/albums/${album.id}/comments`, { user, body: { content: 'x' } });
  await fails(403, 'Blocked', 'PUT', `/users/${owner.id}/follow`, { user });
  await ok(200, 'DELETE', `/users/${user.id}/block`, { user: owner });
  await setClock({ now: '2025-06-01T12:00:30Z' });
  try {
    const replies = await times(40, () => call('POST', `/albums/${album.id}/comments`, { user, body: { content: 'again' } }));
    assert.deepEqual(tally(replies), { 201: 30, '429 RateLimited': 10 });
    assert.equal((await get(`/albums/${album.id}`)).commentCount, 30);
    await setClock({ now: '2025-06-01T12:01:30Z' });
    await ok(201, 'POST', `/albums/${album.id}/comments`, { user, body: { content: 'later' } });
  } finally {
    await setClock({});
  }
});

test('GA-O28: commenting while the target is deleted leaves no orphan', async () => {
  const owner = await newUser();
  const users = await times(6, () => newUser());
  for (let round = 0; round < 3; round += 1) {
    const album = await newAlbum(owner);
    await Promise.all([
      ...users.map((user) => call('POST', `/albums/${album.id}/comments`, { user, body: { content: 'quick' } })),
      call('DELETE', `/albums/${album.id}`, { user: owner }),
    ]);
    await task('chores');
    assert.deepEqual(await scan((item) => item.EntityType === 'Comment' && item.targetId === album.id), []);
  }
});

test('GA-O29 GA-R20: comments are edited by their author for a day', async () => {
  const owner = await newUser();
  const user = await newUser();
  const album = await newAlbum(owner);
  await setClock({ now: '2025-06-02T12:00:00Z' });
  try {
    const comment = await ok(201, 'POST', `/albums/${album.id}/comments`, { user, body: { content: 'tpyo' } });
    await setClock({ advance: 'PT1H' });
    const edited = await ok(200, 'PATCH', `/comments/${comment.id}`, { user, body: { content: 'typo' } });
    assert.deepEqual([edited.content, edited.isEdited, edited.createdAt], ['typo', true, comment.createdAt]);
    assert.notEqual(edited.updatedAt, comment.updatedAt);
    await fails(403, 'Forbidden', 'PATCH', `/comments/${comment.id}`, { user: owner, body: { content: 'mine' } });
    await setClock({ advance: 'PT24H' });
    await fails(409, 'EditWindowOver', 'PATCH', `/comments/${comment.id}`, { user, body: { content: 'too late' } });
    await fails(404, 'CommentNotFound', 'PATCH', '/comments/none', { user, body: { content: 'x' } });
  } finally {
    await setClock({});
  }
});

test('GA-O29: ten deletions count once; author, owner of the target and moderators may', async () => {
  const owner = await newUser();
  const user = await newUser();
  const stranger = await newUser();
  const album = await newAlbum(owner);
  const write = () => ok(201, 'POST', `/albums/${album.id}/comments`, { user, body: { content: 'x' } });
  const comments = [await write(), await write(), await write()];
  await fails(403, 'Forbidden', 'DELETE', `/comments/${comments[0].id}`, { user: stranger });
  await ok(200, 'PUT', `/comments/${comments[0].id}/like`, { user: stranger });
  const replies = await many(10, 'DELETE', `/comments/${comments[0].id}`, { user });
  assert.deepEqual(tally(replies), { 200: 1, '404 CommentNotFound': 9 });
  assert.equal((await get(`/albums/${album.id}`)).commentCount, 2);
  assert.equal(await getRaw(`USER#${stranger.id}`, `INTERACTION#like#${comments[0].id}`), undefined);
  await ok(200, 'DELETE', `/comments/${comments[1].id}`, { user: owner });
  await ok(200, 'DELETE', `/comments/${comments[2].id}?reason=rude`, { user: moderator });
  assert.equal((await get(`/albums/${album.id}`)).commentCount, 0);
  const { items } = await get('/admin/audit', admin);
  assert.deepEqual(items.filter(({ action }) => action === 'delete-comment').map(({ target }) => target).filter((id) => comments.some((one) => one.id === id)), [comments[2].id]);
});

test('GA-O30 GA-T25: fifty follows are one edge and two counts', async () => {
  const a = await newUser();
  const b = await newUser();
  assert.deepEqual(tally(await many(50, 'PUT', `/users/${b.id}/follow`, { user: a })), { 200: 1, '200 unchanged': 49 });
  assert.equal((await b.raw()).followerCount, 1);
  assert.equal((await a.raw()).followingCount, 1);
  const edge = await getRaw(`FOLLOW#${a.id}#${b.id}`);
  assert.deepEqual([edge.GSI1PK, edge.GSI1SK, edge.GSI2PK], [`FOLLOWING#${a.id}`, `${edge.createdAt}#${b.id}`, `FOLLOWERS#${b.id}`]);
  assert.deepEqual((await notes(b)).map(({ notificationType, targetId }) => [notificationType, targetId]), [['follow', a.id]]);
  await fails(400, 'CannotFollowSelf', 'PUT', `/users/${a.id}/follow`, { user: a });
  await fails(404, 'UserNotFound', 'PUT', '/users/nobody/follow', { user: a });
  const gone = await newUser({ isActive: false });
  await fails(404, 'UserNotFound', 'PUT', `/users/${gone.id}/follow`, { user: a });
  assert.equal((await get(`/users/${b.id}/follow`, a)).followedId, b.id);
});

test('GA-O31: fifty times unfollowed is once unfollowed', async () => {
  const a = await newUser();
  const b = await newUser();
  await ok(200, 'PUT', `/users/${b.id}/follow`, { user: a });
  assert.deepEqual(tally(await many(50, 'DELETE', `/users/${b.id}/follow`, { user: a })), { 200: 1, '200 unchanged': 49 });
  assert.equal((await b.raw()).followerCount, 0);
  assert.equal((await a.raw()).followingCount, 0);
  assert.deepEqual((await get(`/users/${b.id}/followers`)).items, []);
  assert.deepEqual((await get(`/users/${a.id}/following`)).items, []);
  await ok(200, 'PUT', `/users/${b.id}/follow`, { user: a });
  await ok(200, 'DELETE', `/users/me/followers/${a.id}`, { user: b });
  assert.equal((await b.raw()).followerCount, 0);
  assert.equal((await a.raw()).followingCount, 0);
});

test('GA-O32 GA-A25 GA-A26: 250 followers page by page, the disabled hidden', async () => {
  const star = await newUser();
  const fans = [];
  for (let at = 0; at < 250; at += 25) fans.push(...(await times(25, () => newUser())));
  for (let at = 0; at < 250; at += 25) {
    await Promise.all(fans.slice(at, at + 25).map((user) => ok(200, 'PUT', `/users/${star.id}/follow`, { user })));
  }
  await updateRaw(`USER#${fans[3].id}`, 'METADATA', 'SET isActive = :no', { ':no': false });
  const listed = (await all(`/users/${star.id}/followers`, undefined, 40)).map(({ userId }) => userId);
  assert.equal(listed.length, 249);
  assert.equal(new Set(listed).size, 249);
  assert.ok(!listed.includes(fans[3].id));
  assert.deepEqual((await get(`/users/${fans[0].id}/following`)).items.map(({ userId }) => userId), [star.id]);
  await fails(404, 'UserNotFound', 'GET', '/users/nobody/followers');
}, { seconds: 240 });

test('GA-A60: the home feed holds what the followed made public, newest first', async () => {
  const me = await newUser();
  const followed = [await newUser(), await newUser(), await newUser()];
  const stranger = await newUser();
  const expected = [];
  for (let at = 0; at < 12; at += 1) {
    const media = await newMedia(followed[at % 3], { isPublic: at % 4 !== 3 });
    if (at % 4 !== 3) expected.unshift(media.id);
    await newMedia(stranger);
  }
  for (const one of followed) await ok(200, 'PUT', `/users/${one.id}/follow`, { user: me });
  for (const path of ['/feed/following', '/patterns/ga-a60']) {
    assert.deepEqual((await all(path, me, 4)).map(({ id }) => id), expected);
  }
  await fails(400, 'InvalidCursor', 'GET', '/feed/following?cursor=abc', { user: me });
  const { cursor } = await get('/feed/following?limit=2', me);
  await fails(400, 'InvalidCursor', 'GET', `/feed/following?cursor=${encodeURIComponent(cursor)}`, { user: stranger });
});

test('GA-O33 GA-R23 GA-A27 GA-A28 GA-A58 GA-T22: notifications are listed, counted and read', async () => {
  const owner = await newUser();
  const fans = await times(4, () => newUser());
  const media = await newMedia(owner);
  try {
    for (const [at, user] of fans.entries()) {
      await setClock({ now: `2025-06-03T12:00:0${at}Z` });
      await ok(200, 'PUT', `/media/${media.id}/like`, { user });
    }
  } finally {
    await setClock({});
  }
  assert.deepEqual(await get('/notifications/unread-count', owner), { count: 4 });
  const [newest] = (await get('/notifications', owner)).items;
  assert.equal(newest.sourceUserId, fans[3].id);
  assert.deepEqual(tally(await many(2, 'PUT', `/notifications/${newest.notificationId}/read`, { user: owner })), { 200: 1, '200 unchanged': 1 });
  const raw = await getRaw(`NOTIFICATION#${newest.notificationId}`);
  assert.ok(raw.readAt);
  assert.equal(raw.GSI1SK, `read#${raw.createdAt}#${newest.notificationId}`);
  assert.equal(raw.GSI2PK, `USER#${owner.id}#NOTIFICATIONS#read`);
  await fails(404, 'NotificationNotFound', 'PUT', `/notifications/${newest.notificationId}/read`, { user: fans[0] });
  await fails(404, 'NotificationNotFound', 'GET', `/notifications/${newest.notificationId}`, { user: fans[0] });
  assert.deepEqual((await get('/notifications', owner)).items.map(({ sourceUserId }) => sourceUserId), fans.map(({ id }) => id).reverse(), 'newest first, read or not');
  assert.equal((await get('/notifications?status=read', owner)).items.length, 1);
  assert.equal((await get('/patterns/ga-a28', owner)).items.length, 3);
  assert.deepEqual((await get('/patterns/ga-a27', owner)).items.map(({ status }) => status), ['unread', 'unread', 'unread', 'read']);
  const report = await ok(200, 'POST', '/notifications/read-all', { user: owner });
  assert.deepEqual([report.changed, report.done], [3, true]);
  assert.deepEqual(await get('/notifications/unread-count', owner), { count: 0 });
  assert.equal((await ok(200, 'POST', '/notifications/read-all', { user: fans[0] })).scanned, 0);
});
