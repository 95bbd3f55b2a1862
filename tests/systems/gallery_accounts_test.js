// Accounts: who comes in, by what, for how long, and what is left of who goes.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { suite } from '../lib/runner.js';
import { addToAlbum, admin, all, call, fails, get, getRaw, googleToken, newAlbum, newKey, newMedia, newUser, ok, outbox, scan, setClock, tally, task, times, updateRaw } from './gallery_fixture.js';

const test = suite('gallery accounts');
let signUps = 0;
const kPassword = 'correct horse battery';
async function signUp(more = {}) {
  signUps += 1;
  const body = { email: `person${signUps}@example.com`, username: `person_${signUps}`, password: kPassword, ...more };
  const { token, user, expiresAt } = await ok(201, 'POST', '/auth/signup', { body });
  return { id: user.userId, token, user, expiresAt, email: body.email, username: body.username, raw: () => getRaw(`USER#${user.userId}`) };
}
const mailed = async (kind, userId) => {
  const rows = await outbox(kind, (payload) => payload.userId === userId);
  return rows.sort((a, b) => (a.SK < b.SK ? -1 : 1)).at(-1)?.payload.token;
};
const logIn = (email, password = kPassword) => call('POST', '/auth/login', { body: { email, password } });
const bySession = (path, token) => call('GET', path, { user: { token } });

test('GA-O1 GA-E6 GA-E18 GA-R4 GA-R14: sign-up writes user, guards, token and mail', async () => {
  const person = await signUp({ email: ' Ann@Example.COM ', username: 'Ann_1', firstName: 'Ann' });
  assert.equal(person.user.email, 'ann@example.com');
  for (const name of ['passwordHash', 'salt', 'verificationHash']) assert.ok(!(name in person.user), name);
  const raw = await person.raw();
  assert.deepEqual([raw.GSI1SK, raw.GSI3SK, raw.GSI4PK, raw.GSI4SK, raw.GSI5SK], ['ann@example.com', 'ann_1', 'USER_PLAN#free', `9999-12-31T00:00:00.000Z#${person.id}`, `00000000000000.00000000#${person.id}`]);
  assert.ok(!('GSI2PK' in raw), 'GA-R10');
  assert.match(raw.passwordHash, /argon2id/);
  assert.ok(raw.salt);
  assert.doesNotMatch(JSON.stringify(await scan((item) => item.PK.startsWith('USER#') || item.PK.startsWith('IDEMP#'))), /correct horse/);
  for (const [scope, value] of [['EMAIL', 'ann@example.com'], ['USERNAME', 'ann_1']]) {
    assert.equal((await getRaw(`UNIQUE#${scope}#${value}`, `UNIQUE#${scope}#${value}`)).ownerId, person.id);
  }
  assert.ok(await mailed('verify-mail', person.id));
  assert.equal((await get('/users/me', person)).email, 'ann@example.com');
});

test('GA-O1 GA-R9 X-R4: fifty sign-ups with one address, fifty with one name', async () => {
  const byMail = await times(50, (n) => call('POST', '/auth/signup', { body: { email: n % 2 ? 'Same@Example.com' : 'same@example.com', username: `same_mail_${n}`, password: kPassword } }));
  assert.deepEqual(tally(byMail), { 201: 1, '409 EmailTaken': 49 });
  const byName = await times(50, (n) => call('POST', '/auth/signup', { body: { email: `same-name-${n}@example.com`, username: n % 2 ? 'SAME_name' : 'same_name', password: kPassword } }));
  assert.deepEqual(tally(byName), { 201: 1, '409 UsernameTaken': 49 });
  assert.equal((await scan((item) => item.GSI1SK === 'same@example.com')).length, 1);
  assert.equal((await scan((item) => item.GSI3PK === 'USER_USERNAME' && item.GSI3SK === 'same_name')).length, 1);
}, { seconds: 180 });

test('GA-O1 GA-R9 GA-R14: bad names, addresses and passwords; one key, one account', async () => {
  const good = { email: 'ok@example.com', username: 'okay', password: kPassword };
  const bad = [{ email: 'no' }, { email: 'a#b@example.com' }, { username: 'ab' }, { username: 'a'.repeat(31) }, { username: 'has space' }, { username: 'a#b' }, { username: 'admin' }, { username: 'ADMIN' }, { password: 'short' }, { password: 'x'.repeat(257) }, { password: 7 }];
  for (const more of bad) await fails(400, 'ValidationFailed', 'POST', '/auth/signup', { body: { ...good, ...more } });
  await fails(400, 'UnknownField', 'POST', '/auth/signup', { body: { ...good, role: 'admin' } });
  const key = newKey();
  const body = { email: 'once@example.com', username: 'once_only', password: kPassword };
  const replies = await times(5, () => call('POST', '/auth/signup', { key, body }));
  assert.deepEqual(tally(replies), { 201: 5 });
  assert.equal(new Set(replies.map(({ json }) => json.user.userId)).size, 1);
  assert.equal(new Set(replies.map(({ json }) => json.token)).size, 5, 'no token is stored');
  await fails(422, 'IdempotencyKeyReused', 'POST', '/auth/signup', { key, body: { ...body, password: 'another password' } });
}, { seconds: 120 });

test('GA-O3 GA-R13 GA-E9: a verification counts once, and only the newest', async () => {
  const person = await signUp();
  const old = await mailed('verify-mail', person.id);
  await ok(202, 'POST', '/auth/resend', { user: person, body: {} });
  const fresh = await mailed('verify-mail', person.id);
  assert.notEqual(old, fresh);
  await fails(410, 'TokenUsed', 'POST', '/auth/verify-email', { body: { token: old } });
  const tokens = await scan((item) => item.EntityType === 'EmailVerificationToken' && item.userId === person.id);
  for (const item of tokens) {
    assert.equal(item.GSI1SK, `${item.expiresAt}#${item.token}`);
    assert.equal(item.ttl, Math.floor(Date.parse(item.expiresAt) / 1000));
    assert.ok(item.token !== fresh && item.token !== old, 'GA-T17: only a hash is stored');
  }
  const replies = await times(5, () => call('POST', '/auth/verify-email', { body: { token: fresh } }));
  assert.deepEqual(tally(replies), { 200: 1, '410 TokenUsed': 4 });
  assert.equal((await person.raw()).isEmailVerified, true);
  await fails(404, 'TokenNotFound', 'POST', '/auth/verify-email', { body: { token: 'made-up' } });
});

test('GA-O3: a token is for the address it was mailed to, and for a day', async () => {
  const person = await signUp();
  const old = await mailed('verify-mail', person.id);
  await ok(200, 'PUT', '/users/me/email', { user: person, body: { email: 'moved@example.com' } });
  await fails(410, 'TokenUsed', 'POST', '/auth/verify-email', { body: { token: old } });
  const fresh = await mailed('verify-mail', person.id);
  await setClock({ advance: 'PT25H' });
  try {
    await fails(410, 'TokenExpired', 'POST', '/auth/verify-email', { body: { token: fresh } });
  } finally {
    await setClock({});
  }
  assert.equal((await person.raw()).isEmailVerified, false);
});

test('GA-O4: unknown address and wrong password look the same; five failures lock', async () => {
  const person = await signUp();
  const good = await logIn(person.email.toUpperCase());
  assert.equal(good.status, 200, good.body);
  assert.match(good.headers.get('set-cookie'), /^gateleg_session=.*HttpOnly/);
  assert.ok((await person.raw()).lastLoginAt);
  const wrong = await logIn(person.email, 'wrong password');
  const unknown = await logIn('nobody@example.com', 'wrong password');
  const text = ({ status, json }) => [status, json.error.code, json.error.message];
  assert.deepEqual(text(wrong), text(unknown));
  assert.equal(wrong.status, 401);
  for (let n = 0; n < 4; n += 1) await logIn(person.email, 'wrong password');
  await fails(423, 'AccountLocked', 'POST', '/auth/login', { body: { email: person.email, password: kPassword } });
  await setClock({ advance: 'PT16M' });
  try {
    assert.equal((await logIn(person.email)).status, 200);
  } finally {
    await setClock({});
  }
});

test('GA-O4 GA-R39 GA-O10: a disabled account is out at once, and what it shows with it', async () => {
  const person = await signUp();
  const fan = await newUser();
  const album = await newAlbum(person);
  const media = await newMedia(person);
  const theirs = await newAlbum(fan);
  const comment = await ok(201, 'POST', `/albums/${theirs.id}/comments`, { user: person, body: { content: 'hello' } });
  await fails(403, 'Forbidden', 'PUT', `/admin/users/${person.id}/active`, { user: fan, body: { isActive: false } });
  await ok(200, 'PUT', `/admin/users/${person.id}/active`, { user: admin, body: { isActive: false, reason: 'abuse' } });
  assert.equal((await bySession('/users/me', person.token)).status, 401);
  await fails(403, 'AccountDisabled', 'POST', '/auth/login', { body: { email: person.email, password: kPassword } });
  await fails(404, 'AlbumNotFound', 'GET', `/albums/${album.id}`, { user: fan });
  await fails(404, 'MediaNotFound', 'GET', `/media/${media.id}`, { user: fan });
  assert.deepEqual(await all(`/users/${person.id}/albums`, fan), []);
  assert.ok(!(await all('/feed', fan)).some(({ createdBy }) => createdBy === person.id));
  assert.deepEqual(await all(`/albums/${theirs.id}/comments`, fan), []);
  assert.equal((await ok(200, 'PUT', `/admin/users/${person.id}/active`, { user: admin, body: { isActive: false } })).changed, false);
  await ok(200, 'PUT', `/admin/users/${person.id}/active`, { user: admin, body: { isActive: true } });
  assert.equal((await get(`/albums/${album.id}`, fan)).id, album.id);
  assert.deepEqual((await all(`/albums/${theirs.id}/comments`, fan)).map(({ id }) => id), [comment.id]);
  assert.equal((await logIn(person.email)).status, 200);
  await fails(404, 'UserNotFound', 'PUT', '/admin/users/nobody/active', { user: admin, body: { isActive: false } });
  const { items } = await get('/admin/audit', admin);
  assert.ok(items.some(({ action, target, reason }) => action === 'set-active' && target === person.id && reason === 'abuse'));
});

test('GA-O5 GA-R12 GA-E7 GA-T16: sessions are listed without secrets, revoked one by one or all', async () => {
  const person = await signUp();
  const tokens = [person.token];
  for (let n = 0; n < 3; n += 1) tokens.push((await logIn(person.email)).json.token);
  const sessions = await all('/auth/sessions', person);
  assert.equal(sessions.length, 4);
  for (const session of sessions) {
    assert.ok(!('secretHash' in session));
    const raw = await getRaw(`SESSION#${session.sessionId}`);
    assert.equal(raw.ttl, Math.floor(Date.parse(raw.expiresAt) / 1000));
    assert.deepEqual([raw.GSI1PK, raw.GSI2PK], ['USER_SESSION_EXPIRY', `USER#${person.id}#SESSION`]);
    assert.ok(!tokens.some((token) => JSON.stringify(raw).includes(token)));
    assert.equal((await bySession('/users/me', session.sessionId)).status, 401, 'an id is no key');
  }
  const idOf = (token) => sessions.find(({ sessionId }) => token.includes(sessionId)).sessionId;
  const other = await signUp();
  await fails(404, 'SessionNotFound', 'DELETE', `/auth/sessions/${idOf(tokens[1])}`, { user: other });
  await ok(200, 'DELETE', `/auth/sessions/${idOf(tokens[1])}`, { user: person });
  assert.equal((await bySession('/users/me', tokens[1])).status, 401);
  await ok(200, 'POST', '/auth/logout', { user: { token: tokens[2] }, body: {} });
  assert.equal((await bySession('/users/me', tokens[2])).status, 401);
  await ok(200, 'DELETE', '/auth/sessions', { user: person });
  assert.equal((await bySession('/users/me', tokens[3])).status, 401);
  assert.equal((await bySession('/users/me', person.token)).status, 200);
});

test('GA-R12: a session ends after thirty days, and lives on while it is used', async () => {
  const [used, idle] = [await signUp(), await signUp()];
  try {
    await setClock({ advance: 'P20D' });
    assert.equal((await bySession('/users/me', used.token)).status, 200);
    await setClock({ advance: 'P15D' });
    assert.equal((await bySession('/users/me', used.token)).status, 200, 'its life began anew');
    assert.equal((await bySession('/users/me', idle.token)).status, 401);
  } finally {
    await setClock({});
  }
});

test('GA-O6 GA-R13 GA-R14 GA-E10 GA-T18: a forgotten password is reset once, and everybody is out', async () => {
  const person = await signUp();
  for (const email of [person.email, 'nobody@example.com']) {
    assert.deepEqual(await ok(202, 'POST', '/auth/forgot', { body: { email } }), { accepted: true });
  }
  const first = await mailed('reset-mail', person.id);
  await ok(202, 'POST', '/auth/forgot', { body: { email: person.email } });
  const token = await mailed('reset-mail', person.id);
  await fails(410, 'TokenUsed', 'POST', '/auth/reset', { body: { token: first, password: 'a new password' } });
  await fails(400, 'ValidationFailed', 'POST', '/auth/reset', { body: { token, password: 'weak' } });
  const replies = await times(2, () => call('POST', '/auth/reset', { body: { token, password: 'a new password' } }));
  assert.deepEqual(tally(replies), { 200: 1, '410 TokenUsed': 1 });
  assert.equal((await bySession('/users/me', person.token)).status, 401);
  assert.equal((await logIn(person.email)).status, 401);
  assert.equal((await logIn(person.email, 'a new password')).status, 200);
  const stored = await scan((item) => item.EntityType === 'PasswordResetToken');
  assert.ok(stored.every(({ SK }) => SK === 'TOKEN'));
  await ok(202, 'POST', '/auth/forgot', { body: { email: person.email } });
  const late = await mailed('reset-mail', person.id);
  await setClock({ advance: 'PT61M' });
  try {
    await fails(410, 'TokenExpired', 'POST', '/auth/reset', { body: { token: late, password: 'a new password' } });
  } finally {
    await setClock({});
  }
});

test('GA-O7: a changed password keeps this session and ends the others', async () => {
  const person = await signUp();
  const other = (await logIn(person.email)).json.token;
  await fails(401, 'InvalidCredentials', 'PUT', '/users/me/password', { user: person, body: { currentPassword: 'wrong one', newPassword: 'a better password' } });
  await fails(400, 'ValidationFailed', 'PUT', '/users/me/password', { user: person, body: { currentPassword: kPassword, newPassword: 'weak' } });
  await ok(200, 'PUT', '/users/me/password', { user: person, body: { currentPassword: kPassword, newPassword: 'a better password' } });
  assert.equal((await bySession('/users/me', person.token)).status, 200);
  assert.equal((await bySession('/users/me', other)).status, 401);
  assert.equal((await logIn(person.email, 'a better password')).status, 200);
});

test('GA-O7 GA-T26: a new name and a new address move their guards, comments and sessions follow', async () => {
  const person = await signUp();
  const album = await newAlbum(person);
  const comment = await ok(201, 'POST', `/albums/${album.id}/comments`, { user: person, body: { content: 'signed' } });
  const rival = await signUp();
  await fails(409, 'UsernameTaken', 'PUT', '/users/me/username', { user: person, body: { username: rival.username } });
  await fails(409, 'EmailTaken', 'PUT', '/users/me/email', { user: person, body: { email: rival.email } });
  await fails(400, 'ValidationFailed', 'PUT', '/users/me/username', { user: person, body: { username: 'root' } });
  await ok(200, 'PUT', '/users/me/username', { user: person, body: { username: 'Renamed_One' } });
  assert.equal((await get(`/comments/${comment.id}`)).username, 'renamed_one');
  assert.equal((await get('/users/renamed_one')).userId, person.id);
  await fails(404, 'UserNotFound', 'GET', `/users/${person.username}`);
  assert.equal(await getRaw(`UNIQUE#USERNAME#${person.username}`, `UNIQUE#USERNAME#${person.username}`), undefined);
  await ok(200, 'PUT', '/users/me/email', { user: person, body: { email: 'new-address@example.com' } });
  await task('chores');
  assert.deepEqual((await all('/auth/sessions', person)).map(({ userEmail }) => userEmail), ['new-address@example.com']);
  assert.equal((await logIn('new-address@example.com')).status, 200);
  assert.equal((await logIn(person.email)).status, 401);
  // Two take one name: one of them gets it.
  const replies = await Promise.all([person, rival].map((user) => call('PUT', '/users/me/username', { user, body: { username: 'wanted_name' } })));
  assert.deepEqual(tally(replies), { 200: 1, '409 UsernameTaken': 1 });
});

test('GA-O8: a profile changes in what it may', async () => {
  const person = await signUp();
  const body = { bio: 'Hi', location: 'Here', website: 'https://example.com', preferredLanguage: 'de', emailPreferences: { unreadNotifications: false }, firstName: 'A', lastName: 'B' };
  const changed = await ok(200, 'PATCH', '/users/me', { user: person, body });
  assert.deepEqual([changed.bio, changed.preferredLanguage, changed.emailPreferences], ['Hi', 'de', { unreadNotifications: false }]);
  const before = await person.raw();
  for (const more of [{ role: 'admin' }, { pscBalance: 100 }, { isEmailVerified: true }, { plan: 'pro' }, { followerCount: 9 }, { userId: 'x' }, { GSI4PK: 'x' }]) {
    await fails(400, 'UnknownField', 'PATCH', '/users/me', { user: person, body: more });
  }
  for (const more of [{ website: 'javascript:alert(1)' }, { website: 'ftp://x' }, { preferredLanguage: 'german' }, { preferredLanguage: 'DE' }, { bio: 'x'.repeat(1001) }, { emailPreferences: { a: 'yes' } }]) {
    await fails(400, 'ValidationFailed', 'PATCH', '/users/me', { user: person, body: more });
  }
  assert.deepEqual(await person.raw(), before);
  await fails(412, 'VersionMismatch', 'PATCH', '/users/me', { user: person, body: { bio: 'x' }, headers: { 'if-match': '"1"' } });
});

test('GA-O9 GA-T32: a deleted account leaves counts right, guards free and comments nameless', async () => {
  const person = await signUp();
  const friend = await newUser();
  const album = await newAlbum(person, { tags: ['left-behind'] });
  const media = await newMedia(person);
  await addToAlbum(person, album, media);
  const theirs = await newAlbum(friend);
  await ok(200, 'PUT', `/albums/${theirs.id}/like`, { user: person });
  const comment = await ok(201, 'POST', `/albums/${theirs.id}/comments`, { user: person, body: { content: 'stays' } });
  await ok(200, 'PUT', `/comments/${comment.id}/like`, { user: friend });
  await ok(200, 'PUT', `/users/${friend.id}/follow`, { user: person });
  await ok(200, 'PUT', `/users/${person.id}/follow`, { user: friend });
  await fails(401, 'Unauthenticated', 'DELETE', '/users/me');
  await ok(200, 'DELETE', '/users/me', { user: person });
  assert.equal((await bySession('/users/me', person.token)).status, 401);
  await task('chores');
  const raw = await friend.raw();
  assert.deepEqual([raw.followerCount, raw.followingCount], [0, 0]);
  assert.equal((await get(`/albums/${theirs.id}`, friend)).likeCount, 0);
  const [left] = await all(`/albums/${theirs.id}/comments`, friend);
  assert.deepEqual([left.content, left.username], ['stays', 'deleted user']);
  assert.equal(await person.raw(), undefined);
  const kept = await scan((item) => JSON.stringify(item).includes(person.id));
  assert.deepEqual(kept.filter(({ PK }) => !/^(OUTBOX|IDEMP|AUDIT|COMMENT|EMAIL_VERIFICATION|NOTIFICATION|RATE)/.test(PK)), []);
  await signUp({ email: person.email, username: person.username });
});

test('GA-O10 GA-R15 GA-R16: roles are set by administrators, take effect at once, and one stays', async () => {
  const [a, b] = [await signUp(), await signUp()];
  await fails(403, 'Forbidden', 'GET', '/admin/users', { user: a });
  await fails(403, 'Forbidden', 'PUT', `/admin/users/${a.id}/role`, { user: a, body: { role: 'admin' } });
  await ok(200, 'PUT', `/admin/users/${a.id}/role`, { user: admin, body: { role: 'admin' } });
  assert.equal((await call('GET', '/admin/users', { user: a })).status, 200, 'the open session is an administrator now');
  await fails(400, 'ValidationFailed', 'PUT', `/admin/users/${b.id}/role`, { user: a, body: { role: 'emperor' } });
  await fails(404, 'UserNotFound', 'PUT', '/admin/users/nobody/role', { user: a, body: { role: 'admin' } });
  const only = (await scan((item) => item.EntityType === 'User' && item.role === 'admin')).length === 1;
  assert.ok(only);
  await fails(409, 'LastAdmin', 'PUT', `/admin/users/${a.id}/role`, { user: a, body: { role: 'user' } });
  await fails(409, 'LastAdmin', 'PUT', `/admin/users/${a.id}/active`, { user: admin, body: { isActive: false } });
  await fails(409, 'LastAdmin', 'DELETE', '/users/me', { user: a });
  await ok(200, 'PUT', `/admin/users/${b.id}/role`, { user: a, body: { role: 'admin' } });
  const race = await Promise.all([
    call('PUT', `/admin/users/${b.id}/role`, { user: a, body: { role: 'user' } }),
    call('PUT', `/admin/users/${a.id}/role`, { user: b, body: { role: 'user' } }),
  ]);
  assert.ok(race.some(({ status }) => status === 200) && race.some(({ status }) => status !== 200), JSON.stringify(tally(race)));
  assert.equal((await scan((item) => item.EntityType === 'User' && item.role === 'admin')).length, 1);
  await ok(200, 'PUT', `/admin/users/${b.id}/role`, { user: admin, body: { role: 'moderator' } }).catch(() => undefined);
  const withoutRole = await newUser();
  await updateRaw(`USER#${withoutRole.id}`, 'METADATA', 'REMOVE #r', undefined, { '#r': 'role' });
  await fails(403, 'Forbidden', 'GET', '/admin/users', { user: withoutRole });
  assert.ok((await get('/admin/audit', admin)).items.some(({ action, target }) => action === 'set-role' && target === a.id));
});

test('GA-O2 GA-R10: with Google, an account is made once and found again', async () => {
  const claims = { sub: 'google-1', email: 'Gina@Example.com', given_name: 'Gina' };
  const replies = await times(5, () => call('POST', '/auth/google', { body: { idToken: googleToken(claims) } }));
  assert.ok(replies.some(({ status }) => status === 201), JSON.stringify(tally(replies)));
  const users = await scan((item) => item.EntityType === 'User' && item.googleId === 'google-1');
  assert.equal(users.length, 1);
  assert.deepEqual([users[0].provider, users[0].email, users[0].isEmailVerified, users[0].GSI2PK, users[0].GSI2SK], ['google', 'gina@example.com', true, 'USER_GOOGLE', 'google-1']);
  assert.match(users[0].username, /^[a-z0-9_]{3,30}$/);
  assert.ok(await getRaw('UNIQUE#GOOGLE#google-1', 'UNIQUE#GOOGLE#google-1'));
  const again = await ok(200, 'POST', '/auth/google', { body: { idToken: googleToken({ ...claims, email: 'other@example.com' }) } });
  assert.equal(again.user.userId, users[0].userId);
  assert.equal((await get('/users/me', again)).email, 'gina@example.com');
});

test('GA-O2: a verified account is linked, one that anybody could have made is not', async () => {
  const person = await signUp({ email: 'hal@example.com' });
  const idToken = googleToken({ sub: 'google-2', email: 'hal@example.com' });
  await fails(409, 'AccountExistsUnverified', 'POST', '/auth/google', { body: { idToken } });
  assert.ok(!('googleId' in (await person.raw())));
  await ok(200, 'POST', '/auth/verify-email', { body: { token: await mailed('verify-mail', person.id) } });
  const linked = await ok(200, 'POST', '/auth/google', { body: { idToken } });
  assert.equal(linked.user.userId, person.id);
  assert.deepEqual([(await person.raw()).googleId, (await person.raw()).GSI2SK], ['google-2', 'google-2']);
});

test('GA-O2: tokens of others, for others, or too old are refused', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claims = { sub: 'google-3', email: 'ivy@example.com' };
  const bad = [googleToken(claims, privateKey), googleToken({ ...claims, aud: 'somebody-else' }), googleToken({ ...claims, iss: 'https://evil.example' }), googleToken({ ...claims, exp: 1 }), googleToken({ ...claims, email_verified: false }), 'x.y.z', 'nothing'];
  for (const idToken of bad) await fails(401, 'OAuthStateInvalid', 'POST', '/auth/google', { body: { idToken } });
  await fails(400, 'ValidationFailed', 'POST', '/auth/google', { body: {} });
  assert.deepEqual(await scan((item) => item.email === 'ivy@example.com'), []);
});

test('GA-O9: a deactivated account comes back as it was', async () => {
  const person = await signUp();
  const album = await newAlbum(person);
  await ok(200, 'POST', '/users/me/deactivate', { user: person, body: {} });
  await fails(404, 'AlbumNotFound', 'GET', `/albums/${album.id}`);
  await fails(403, 'AccountDisabled', 'POST', '/auth/login', { body: { email: person.email, password: kPassword } });
  await ok(200, 'PUT', `/admin/users/${person.id}/active`, { user: admin, body: { isActive: true } });
  assert.equal((await get(`/albums/${album.id}`)).id, album.id);
});
