// Accounts: FF-O1 to FF-O4.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from './figureforge_fixture.js';
import {
  admin, all, atOnce, atTime, call, count, dynamodb, fails, jwt, kPassword, mailed, newEmail, newImage, newUser, ok, outbox, query, raw, server, statuses,
} from './figureforge_fixture.js';

const test = suite('accounts');
const signUp = (email, more = {}) => call('POST', '/users', { body: { email, password: kPassword, ...more.body }, headers: more.headers });
const logIn = (email, password = kPassword) => call('POST', '/sessions', { body: { email, password } });
const me = (token) => call('GET', '/users/me', { user: { token } });

test('FF-O1, FF-A1: signing up gives a user and a session', async () => {
  const email = newEmail();
  const { status, json, headers } = await signUp(`  ${email.toUpperCase()} `, { body: { display_name: 'Ann' } });
  assert.equal(status, 201);
  assert.match(json.token, /^ff_[0-9A-Z]{26}[\w-]{40,}$/);
  assert.ok(Date.parse(json.expiresAt) > Date.now());
  assert.equal(json.user.email, email);
  assert.equal(json.user.display_name, 'Ann');
  assert.equal(json.user.credits, 0);
  assert.equal(json.user.role, 'user');
  assert.equal(json.user.email_verified, false);
  assert.ok(Number.isInteger(json.user.created_at));
  for (const name of ['password', 'password_hash', 'pk', 'sk', 'byEmail_pk']) assert.ok(!(name in json.user), name);
  assert.match(headers.get('set-cookie'), /^gateleg_session=ff_\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  assert.deepEqual((await me(json.token)).json, json.user);

  const item = await raw(`USER#${json.user.user_id}`, 'PROFILE');
  assert.equal(item.byEmail_pk, `EMAIL#${email}`);
  assert.equal(item.byEmail_sk, `USER#${json.user.user_id}`);
  assert.equal(item.deleted_at, null);
  assert.match(item.password_hash, /^\$argon2id\$/);
  assert.equal((await raw(`UNIQUE#EMAIL#${email}`, `UNIQUE#EMAIL#${email}`)).ownerId, json.user.user_id);
  assert.equal((await outbox('verify-mail', (payload) => payload.email === email)).length, 1);
  assert.ok(!server.log.includes(json.token) && !server.log.includes(kPassword));
});

test('FF-O1: what is wrong with a request is said', async () => {
  for (const email of ['', 'x', 'a b@c', 'a@b#c', '@', 7, null]) {
    await fails(400, 'ValidationFailed', 'POST', '/users', { body: { email, password: kPassword } });
  }
  const error = await fails(400, 'ValidationFailed', 'POST', '/users', { body: { email: newEmail(), password: 'seven77' } });
  assert.equal(error.field, 'password');
  for (const field of ['role', 'credits', 'email_verified', 'user_id', 'password_hash', 'plan_id']) {
    await fails(400, 'UnknownField', 'POST', '/users', { body: { email: newEmail(), password: kPassword, [field]: 'x' } });
  }
});

test('FF-O1, FF-R11, FF-A2: of fifty who want one address at once, one gets it', async () => {
  const email = newEmail();
  const replies = await atOnce(50, (i) => signUp(i % 2 ? email : email.toUpperCase()));
  assert.equal(count(replies, 201), 1);
  assert.equal(count(replies, 409), 49);
  for (const { status, json } of replies) if (status === 409) assert.equal(json.error.code, 'EmailTaken');
  const found = await query(`EMAIL#${email}`, { index: 'byEmail', name: 'byEmail_pk' });
  assert.equal(found.length, 1);
});

test('FF-O1: the same key is the same sign-up', async () => {
  const email = newEmail();
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await atOnce(10, () => signUp(email, { headers }));
  assert.deepEqual([...new Set(statuses(replies))], [201]);
  assert.equal(new Set(replies.map(({ json }) => json.user.user_id)).size, 1);
  assert.equal(new Set(replies.map(({ json }) => json.token)).size, 10);
  const again = await signUp(email, { headers });
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal((await me(again.json.token)).json.email, email);
  const other = await signUp(email, { headers, body: { password: 'another password' } });
  assert.equal(other.status, 422);
  const stored = await dynamodb('Scan', { FilterExpression: 'begins_with(pk, :p)', ExpressionAttributeValues: { ':p': { S: 'IDEMP#' } } });
  assert.ok(!JSON.stringify(stored).includes(again.json.token.slice(29)));
});

test('FF-O1: verifying the address, once', async () => {
  const user = await newUser();
  const token = await mailed('verify-mail', user.email);
  await fails(404, 'TokenNotFound', 'POST', '/users/verify-email', { body: { token: 'x'.repeat(64) } });
  const replies = await atOnce(2, () => call('POST', '/users/verify-email', { body: { token } }));
  assert.deepEqual(statuses(replies), [200, 410]);
  assert.equal((await me(user.token)).json.email_verified, true);
  await fails(410, 'TokenUsed', 'POST', '/users/verify-email', { body: { token } });
  const again = await call('POST', '/users/me/verification', { user });
  assert.equal(again.json.changed, false, again.body);
});

test('FF-O1: a verification that came too late, or for an address that was changed', async () => {
  const user = await newUser();
  const first = await mailed('verify-mail', user.email);
  await atTime('PT25H', () => fails(410, 'TokenExpired', 'POST', '/users/verify-email', { body: { token: first } }));
  const email = newEmail();
  await ok(200, 'PATCH', '/users/me', { user, body: { email } });
  await fails(410, 'TokenUsed', 'POST', '/users/verify-email', { body: { token: first } });
  assert.equal((await me(user.token)).json.email_verified, false);
  await ok(200, 'POST', '/users/verify-email', { body: { token: await mailed('verify-mail', email) } });
  assert.equal((await me(user.token)).json.email_verified, true);
});

test('FF-O2: log-in, refresh, log-out', async () => {
  const user = await newUser();
  const { status, json } = await logIn(user.email.toUpperCase());
  assert.equal(status, 201);
  assert.equal(json.user.user_id, user.id);
  const fresh = await ok(200, 'POST', '/sessions/current/refresh', { user: json });
  assert.equal((await me(json.token)).status, 401);
  assert.equal((await me(fresh.token)).status, 200);
  await ok(200, 'DELETE', '/sessions/current', { user: fresh });
  assert.equal((await me(fresh.token)).status, 401);
  assert.equal((await me(user.token)).status, 200);
  for (const token of [`${user.token}x`, user.token.replace('ff_', 'ga_'), 'ff_', user.token.slice(0, 40)]) {
    assert.equal((await me(token)).status, 401, token);
  }
});

test('FF-O2: only hashes of tokens are stored', async () => {
  const user = await newUser();
  const secret = user.token.slice(29);
  const { Items } = await dynamodb('Scan', {});
  const text = JSON.stringify(Items.filter((item) => !item.pk.S.startsWith('OUTBOX')));
  assert.ok(!text.includes(secret));
  assert.ok(!text.includes(await mailed('verify-mail', user.email)));
});

test('FF-O2: a session that is used lives on, and so does its row among the sessions of its user', async () => {
  const user = await newUser();
  const ends = async () => {
    const [row] = (await query(`USER#${user.id}`)).filter(({ sk }) => sk.startsWith('SESSION#'));
    return [row.ttl, (await raw(row.sk, 'META')).ttl];
  };
  const [before] = await ends();
  await atTime('PT480H', () => ok(200, 'GET', '/users/me', { user }));
  const [row, session] = await ends();
  assert.ok(session > before);
  assert.equal(row, session);
});

test('FF-O2: unknown address and wrong password look the same', async () => {
  const user = await newUser();
  const replies = [await logIn(user.email, 'wrong password'), await logIn(newEmail(), 'wrong password')];
  for (const { status, json } of replies) {
    assert.equal(status, 401);
    assert.equal(json.error.code, 'InvalidCredentials');
    delete json.error.requestId;
  }
  assert.deepEqual(replies[0].json, replies[1].json);
});

test('FF-O2: five failures lock the account for a quarter of an hour, also one that nobody has', async () => {
  const user = await newUser();
  for (const email of [user.email, newEmail()]) {
    for (let i = 0; i < 5; i += 1) assert.equal((await logIn(email, `wrong ${i}`)).status, 401);
    const locked = await logIn(email);
    assert.equal(locked.status, 423);
    assert.equal(locked.json.error.code, 'AccountLocked');
  }
  await atTime('PT16M', async () => {
    assert.equal((await logIn(user.email)).status, 201);
    assert.equal((await logIn(user.email, 'wrong')).status, 401);
    assert.equal((await logIn(user.email)).status, 201);
  });
});

test('FF-O2: guesses that come all at once are stopped as well', async () => {
  const user = await newUser();
  const replies = await atOnce(60, (i) => logIn(user.email, `wrong ${i}`));
  assert.ok(count(replies, 423) >= 20, String(statuses(replies)));
  assert.equal((await logIn(user.email)).status, 423);
});

test('FF-O2: sessions are listed and can be ended', async () => {
  const user = await newUser();
  const second = (await logIn(user.email)).json;
  const third = (await logIn(user.email)).json;
  const sessions = await all('/sessions', { user });
  assert.equal(sessions.length, 3);
  assert.ok(!JSON.stringify(sessions).includes('hash'));
  const id = second.token.slice(3, 29);
  assert.ok(sessions.some(({ session_id }) => session_id === id));
  const other = await newUser();
  await fails(404, 'SessionNotFound', 'DELETE', `/sessions/${id}`, { user: other });
  await ok(200, 'DELETE', `/sessions/${id}`, { user });
  assert.equal((await me(second.token)).status, 401);
  await ok(200, 'DELETE', '/sessions', { user });
  assert.equal((await me(third.token)).status, 401);
  assert.equal((await me(user.token)).status, 200);
});

test('FF-O2: a session ends by itself, and lasts longer when it is used', async () => {
  const user = await newUser();
  const idle = await newUser();
  await atTime('P20D', async () => assert.equal((await me(user.token)).status, 200));
  await atTime('P31D', async () => {
    assert.equal((await me(idle.token)).status, 401);
    assert.equal((await me(user.token)).status, 200);
  });
});

test('FF-O2: the cookie needs an origin to change something', async () => {
  const user = await newUser();
  const cookie = `gateleg_session=${user.token}`;
  assert.equal((await call('GET', '/users/me', { headers: { cookie } })).status, 200);
  const body = { display_name: 'x' };
  await fails(403, 'CsrfRejected', 'PATCH', '/users/me', { body, headers: { cookie } });
  await ok(200, 'PATCH', '/users/me', { body, headers: { cookie, 'sec-fetch-site': 'same-origin' } });
});

test('FF-O2: a forgotten password is reset once, and all sessions end', async () => {
  const user = await newUser();
  const answers = [];
  for (const email of [user.email, newEmail()]) answers.push(await ok(202, 'POST', '/users/forgot', { body: { email } }));
  assert.deepEqual(answers[0], answers[1]);
  const token = await mailed('reset-mail', user.email);
  await fails(400, 'ValidationFailed', 'POST', '/users/reset', { body: { token, password: 'short' } });
  const replies = await atOnce(2, (i) => call('POST', '/users/reset', { body: { token, password: `new password ${i}` } }));
  assert.deepEqual(statuses(replies), [200, 410]);
  const winner = replies.findIndex(({ status }) => status === 200);
  assert.equal((await me(user.token)).status, 401);
  assert.equal((await logIn(user.email)).status, 401);
  assert.equal((await logIn(user.email, `new password ${winner}`)).status, 201);
  await ok(202, 'POST', '/users/forgot', { body: { email: user.email } });
  const late = await mailed('reset-mail', user.email);
  await atTime('PT2H', () => fails(410, 'TokenExpired', 'POST', '/users/reset', { body: { token: late, password: kPassword } }));
});

test('FF-O3: name and address are changed, the old address is free again', async () => {
  const user = await newUser();
  const before = (await me(user.token)).json;
  const named = await ok(200, 'PATCH', '/users/me', { user, body: { display_name: 'Bo' } });
  assert.equal(named.display_name, 'Bo');
  assert.equal(named.version, before.version + 1);
  const email = newEmail();
  const moved = await ok(200, 'PATCH', '/users/me', { user, body: { email: email.toUpperCase() } });
  assert.equal(moved.email, email);
  assert.equal(moved.display_name, 'Bo');
  assert.equal((await query(`EMAIL#${user.email}`, { index: 'byEmail', name: 'byEmail_pk' })).length, 0);
  assert.equal((await logIn(email)).status, 201);
  assert.equal((await signUp(user.email)).status, 201);
  for (const field of ['role', 'credits', 'email_verified', 'password_hash']) {
    await fails(400, 'UnknownField', 'PATCH', '/users/me', { user, body: { [field]: 'admin' } });
  }
  await fails(412, 'VersionMismatch', 'PATCH', '/users/me', { user, body: { display_name: 'x' }, headers: { 'if-match': '"1"' } });
});

test('FF-O3: two who move to one address at once', async () => {
  const users = [await newUser(), await newUser()];
  const email = newEmail();
  const replies = await atOnce(2, (i) => call('PATCH', '/users/me', { user: users[i], body: { email } }));
  assert.deepEqual(statuses(replies), [200, 409]);
  assert.equal(replies.find(({ status }) => status === 409).json.error.code, 'EmailTaken');
  const owner = users[replies.findIndex(({ status }) => status === 200)];
  assert.equal((await raw(`UNIQUE#EMAIL#${email}`, `UNIQUE#EMAIL#${email}`)).ownerId, owner.id);
});

test('FF-O3: a new password ends the other sessions', async () => {
  const user = await newUser();
  const other = (await logIn(user.email)).json;
  const change = (currentPassword, newPassword) => call('PUT', '/users/me/password', { user, body: { currentPassword, newPassword } });
  assert.equal((await change('wrong', 'a new password')).json.error.code, 'InvalidCredentials');
  assert.equal((await change(kPassword, 'short')).status, 400);
  assert.equal((await change(kPassword, 'a new password')).status, 200);
  assert.equal((await me(user.token)).status, 200);
  assert.equal((await me(other.token)).status, 401);
  assert.equal((await logIn(user.email, 'a new password')).status, 201);
});

test('FF-A1: others see the name and no more', async () => {
  const user = await newUser({ display_name: 'Cy' });
  const seen = await ok(200, 'GET', `/users/${user.id}`, { user: await newUser() });
  assert.deepEqual(Object.keys(seen).sort(), ['created_at', 'display_name', 'user_id']);
  assert.equal((await ok(200, 'GET', `/users/${user.id}`, { user })).email, user.email);
  assert.equal((await ok(200, 'GET', `/patterns/user?user_id=${user.id}`, { user: admin })).email, user.email);
  await fails(404, 'UserNotFound', 'GET', '/users/01JN00000000000000000000A1');
});

test('FF-A3: administrators see all of a user at once', async () => {
  const user = await newUser();
  const image = await newImage(user, { shared: true });
  await ok(200, 'PUT', `/images/${image}/favorite`, { user });
  await ok(201, 'POST', '/galleries', { user, body: { title: 'Mine' } });
  const { items } = await ok(200, 'GET', `/patterns/ff-a3?user_id=${user.id}`, { user: admin });
  assert.deepEqual([...new Set(items.map(({ entityType }) => entityType))].sort(), ['Favorite', 'Gallery', 'GenerationJob', 'User']);
  await fails(403, 'Forbidden', 'GET', `/patterns/ff-a3?user_id=${user.id}`, { user });
});

test('FF-O4, FF-R11: an account that is deleted', async () => {
  const user = await newUser();
  const image = await newImage(user, { tags: ['pose:gone'], shared: true });
  const sub = jwt(user.id, 'user');
  await ok(200, 'DELETE', '/users/me', { user });
  assert.equal((await me(user.token)).status, 401);
  assert.equal((await logIn(user.email)).status, 401);
  assert.notEqual((await raw(`IMG#${image}`, 'META')).deleted_at, null);
  assert.equal(await raw('TAG#pose:gone', `IMG#${image}`), undefined);
  assert.equal((await query(`USER#${user.id}`)).filter(({ sk }) => sk.startsWith('SESSION#')).length, 0);
  assert.equal(await raw('DELETIONS', user.id), undefined);
  await fails(404, 'UserNotFound', 'GET', `/users/${user.id}`);
  await fails(409, 'AlreadyDeleted', 'DELETE', '/users/me', { user: sub });
  assert.equal((await signUp(user.email)).json.error.code, 'EmailTaken');
});

test('roles: the last administrator stays one', async () => {
  const [first, second] = [await newUser(), await newUser()];
  const setRole = (user, role, by = admin) => call('PUT', `/admin/users/${user.id}/role`, { user: by, body: { role } });
  assert.equal((await setRole(first, 'admin', first)).status, 403);
  assert.equal((await setRole(first, 'admin')).status, 200);
  assert.equal((await setRole(first, 'user', first)).json.error.code, 'LastAdmin');
  assert.equal((await call('DELETE', '/users/me', { user: first })).json.error.code, 'LastAdmin');
  assert.equal((await setRole(second, 'admin', first)).status, 200);
  const replies = await atOnce(2, (i) => setRole([first, second][i], 'user'));
  assert.deepEqual(statuses(replies), [200, 409]);
  assert.equal((await raw('COUNT#ADMINS', 'META')).count, 1);
  assert.equal((await setRole({ id: '01JN00000000000000000000A1' }, 'user')).json.error.code, 'UserNotFound');
  assert.equal((await setRole(first, 'king')).status, 400);
});
