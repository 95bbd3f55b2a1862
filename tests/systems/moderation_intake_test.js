// What comes in: submissions, reports, and who sees them.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import {
  admin, call, decide, dynamodb, fails, freeze, get, ids, indexRows, list, moderator, newId, newUser, ok, other, ownDay, report, rows, scan, service, statuses, submit,
} from './moderation_fixture.js';

const test = suite('intake');

test('MO-O1: a user submits own content, and it is pending with normal priority', async () => {
  const { start } = await ownDay('10:20:30.400');
  const user = newUser();
  const item = await submit(user, { contentId: 'm1', type: 'video' });
  assert.match(item.moderationId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const { moderationId, ...rest } = item;
  assert.deepEqual(rest, {
    userId: user.sub, contentId: 'm1', type: 'video', status: 'pending', priority: 'normal', submittedAt: start + 37_230_400, version: 1,
  });
  const [row] = await rows(`moderation#${user.sub}`);
  assert.equal(row.sk, `media#${item.submittedAt}`);
  assert.equal(row['status#submittedAt'], `pending#00${item.submittedAt}`);
  assert.equal(row.queueKey, 'pending#normal');
  assert.ok(!('actionedAt' in row));
  const guard = 'UNIQUE#CONTENT#m1#video';
  assert.deepEqual(await rows(guard), [{ pk: guard, sk: guard, moderationId, itemUser: user.sub, itemAt: item.submittedAt }]);
  await decide('approve', moderationId);
});

test('MO-O1: service, moderator and administrator submit for anyone, others for themselves only', async () => {
  const user = newUser();
  for (const by of [service, moderator, admin]) {
    await ok(201, 'POST', '/items', { user: by, body: { userId: user.sub, contentId: newId('c'), type: 'text' } });
  }
  await fails(403, 'Forbidden', 'POST', '/items', { user: newUser(), body: { userId: user.sub, contentId: 'c', type: 'text' } });
  await fails(401, 'Unauthenticated', 'POST', '/items', { body: { userId: user.sub, contentId: 'c', type: 'text' } });
});

test('MO-O1: what is not allowed in a submission is refused by name', async () => {
  const user = newUser();
  const good = { userId: user.sub, contentId: 'c', type: 'image' };
  const refused = (code, body) => fails(400, code, 'POST', '/items', { user: service, body });
  await refused('ValidationFailed', { ...good, type: 'audio' });
  await refused('ValidationFailed', { ...good, priority: 'urgent' });
  await refused('ValidationFailed', { ...good, contentId: 'a#b' });
  await refused('ValidationFailed', { ...good, userId: 'a#b' });
  await refused('ValidationFailed', { ...good, contentId: 'x'.repeat(129) });
  await refused('ValidationFailed', { userId: user.sub, type: 'image' });
  await refused('ValidationFailed', { userId: user.sub, contentId: 'c' });
  for (const field of ['status', 'actionedAt', 'moderationId', 'dayKey', 'pk', 'assignee', 'reporterId', 'version']) {
    await refused('UnknownField', { ...good, [field]: 'x' });
  }
  assert.deepEqual(await rows(`moderation#${user.sub}`), []);
});

test('MO-R1: submittedAt is the server\'s own, and ranges are numbers', async () => {
  const user = newUser();
  await fails(400, 'UnknownField', 'POST', '/items', { user, body: { userId: user.sub, contentId: 'c', type: 'image', submittedAt: 1 } });
  for (const query of ['from=yesterday', 'to=2025-03-01T00:00:00Z', 'from=1.5', 'from=']) {
    await fails(400, 'ValidationFailed', 'GET', `/items?status=pending&${query}`, { user: moderator });
  }
});

test('MO-R9: a report needs a reporter, who is the caller, and a reason; the rest need none', async () => {
  const author = newUser();
  const reporter = newUser();
  await fails(400, 'ValidationFailed', 'POST', '/items', { user: service, body: { userId: author.sub, contentId: 'c', type: 'report' } });
  for (const body of [{ userId: author.sub, contentId: 'c' }, { userId: author.sub, contentId: 'c', reason: '  ' }, { contentId: 'c', reason: 'x' }]) {
    await fails(400, 'ValidationFailed', 'POST', '/reports', { user: reporter, body });
  }
  await fails(400, 'UnknownField', 'POST', '/reports', { user: reporter, body: { userId: author.sub, contentId: 'c', reason: 'x', reporterId: 'me' } });
  const item = await report(reporter, author.sub, newId('c'), ' rude ');
  assert.equal(item.type, 'report');
  assert.equal(item.userId, author.sub);
  assert.equal(item.reporterId, reporter.sub);
  assert.equal(item.reason, 'rude');
});

test('MO-O1: one open item per content and type; the answer names it', async () => {
  const user = newUser();
  const contentId = newId('c');
  const item = await submit(user, { contentId });
  const body = { userId: user.sub, contentId, type: 'image' };
  const error = await fails(409, 'AlreadyPending', 'POST', '/items', { user, body });
  assert.equal(error.details.moderationId, item.moderationId);
  await submit(user, { contentId, type: 'text' });
  await decide('approve', item.moderationId);
  const again = await submit(user, { contentId });
  assert.notEqual(again.moderationId, item.moderationId);
});

test('MO-O1: fifty submit one content at once, one of them succeeds', async () => {
  const users = Array.from({ length: 50 }, newUser);
  const contentId = newId('c');
  const replies = await Promise.all(users.map((user) => call('POST', '/items', { user, body: { userId: user.sub, contentId, type: 'image' } })));
  assert.deepEqual(statuses(replies), { 201: 1, 409: 49 });
  const winner = replies.find(({ status }) => status === 201).json;
  for (const { json } of replies.filter(({ status }) => status === 409)) {
    assert.equal(json.error.code, 'AlreadyPending');
    assert.equal(json.error.details.moderationId, winner.moderationId);
  }
  const found = await list({ content: contentId });
  assert.deepEqual(ids(found), [winner.moderationId]);
});

test('MO-R14: fifty at once in one millisecond by one user: fifty items, none overwritten', async () => {
  await ownDay();
  const user = newUser();
  const items = await Promise.all(Array.from({ length: 50 }, () => submit(user)));
  assert.equal(new Set(items.map(({ submittedAt }) => submittedAt)).size, 50);
  const kept = await rows(`moderation#${user.sub}`);
  assert.equal(kept.length, 50);
  assert.deepEqual(kept.map(({ moderationId }) => moderationId).sort(), ids(items).sort());
  for (const { sk, submittedAt } of kept) assert.equal(sk, `media#${submittedAt}`);
  // One more finds a free moment at once, however many are taken.
  const last = await submit(user);
  assert.equal(last.submittedAt, Math.max(...items.map(({ submittedAt }) => submittedAt)) + 1);
}, { seconds: 120 });

test('MO-O1: a repeated request with its key is answered, another body is refused', async () => {
  const user = newUser();
  const key = newId('key');
  const body = { userId: user.sub, contentId: newId('c'), type: 'link' };
  const replies = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/items', { user, body, key })));
  assert.deepEqual(statuses(replies), { 201: 20 });
  assert.equal(new Set(replies.map(({ json }) => json.moderationId)).size, 1);
  assert.equal((await rows(`moderation#${user.sub}`)).length, 1);
  const again = await call('POST', '/items', { user, body, key });
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  await fails(422, 'IdempotencyKeyReused', 'POST', '/items', { user, key, body: { ...body, contentId: 'other' } });
});

test('MO-R3: the day is the UTC day of submission, and decisions do not change it', async () => {
  const user = newUser();
  await freeze('2014-03-01T23:59:59.999Z');
  const before = await submit(user);
  await freeze('2014-03-02T00:00:00.000Z');
  const after = await submit(user);
  const dayKeys = async () => (await rows(`moderation#${user.sub}`)).map(({ dayKey }) => dayKey);
  assert.deepEqual(await dayKeys(), ['20140301', '20140302']);
  await decide('approve', before.moderationId);
  await decide('unapprove', after.moderationId, 'no');
  assert.deepEqual(await dayKeys(), ['20140301', '20140302']);
  assert.deepEqual(ids(await list({ day: '2014-03-01' })), [before.moderationId]);
  assert.deepEqual(ids(await list({ day: '20140302' })), [after.moderationId]);
});

test('MO-R10, MO-O2: the third distinct reporter raises the priority', async () => {
  const { range } = await ownDay();
  const author = newUser();
  const contentId = newId('c');
  const reporters = [newUser(), newUser(), newUser(), newUser()];
  const items = [];
  for (const reporter of reporters) items.push(await report(reporter, author.sub, contentId));
  assert.deepEqual(items.map(({ priority }) => priority), ['normal', 'normal', 'high', 'high']);
  assert.deepEqual(ids(await list({ priority: 'high', ...range })), ids(items.slice(2)));
  const high = await indexRows('GSI_Priority', { '#p': 'priority' }, '#p = :p', { ':p': { S: 'high' } });
  assert.ok(high.some(({ moderationId }) => moderationId === items[2].moderationId));
});

test('MO-R10: a reporter counts once for a content, however often they report it', async () => {
  const author = newUser();
  const contentId = newId('c');
  const [first, second] = [newUser(), newUser()];
  for (let turn = 0; turn < 3; turn += 1) {
    const item = await report(first, author.sub, contentId);
    assert.equal(item.priority, 'normal');
    await decide('approve', item.moderationId);
  }
  assert.equal((await report(second, author.sub, contentId)).priority, 'normal');
  assert.equal((await report(newUser(), author.sub, contentId)).priority, 'high');
});

test('MO-R10: ten report one content at once: exactly two of them stay normal', async () => {
  const author = newUser();
  const contentId = newId('c');
  const items = await Promise.all(Array.from({ length: 10 }, newUser).map((user) => report(user, author.sub, contentId)));
  assert.equal(items.filter(({ priority }) => priority === 'normal').length, 2);
});

test('MO-O2: the same reporter again while the report is open is told so', async () => {
  const author = newUser();
  const reporter = newUser();
  const contentId = newId('c');
  const item = await report(reporter, author.sub, contentId);
  const body = { userId: author.sub, contentId, reason: 'again' };
  const error = await fails(409, 'AlreadyReported', 'POST', '/reports', { user: reporter, body });
  assert.equal(error.details.moderationId, item.moderationId);
  const replies = await Promise.all(Array.from({ length: 10 }, () => call('POST', '/reports', { user: reporter, body: { ...body, contentId: `${contentId}-2` } })));
  assert.deepEqual(statuses(replies), { 201: 1, 409: 9 });
});

test('MO-O2: too many reports of one reporter in an hour are refused until the next', async () => {
  const { date } = await ownDay('10:10:00.000');
  const author = newUser();
  const reporter = newUser();
  const one = () => call('POST', '/reports', { user: reporter, body: { userId: author.sub, contentId: newId('c'), reason: 'x' } });
  for (let turn = 0; turn < 60; turn += 1) assert.equal((await one()).status, 201);
  const reply = await one();
  assert.equal(reply.status, 429);
  assert.equal(reply.json.error.code, 'RateLimited');
  assert.ok(reply.headers.get('retry-after'));
  await freeze(`${date}T11:00:00Z`);
  assert.equal((await one()).status, 201);
}, { seconds: 120 });

test('MO-O3, MO-A8: an item is there by its id right after it was made', async () => {
  const user = newUser();
  const item = await submit(user);
  const reply = await call('GET', `/items/${item.moderationId}`, { user });
  assert.equal(reply.status, 200);
  assert.deepEqual(reply.json, item);
  assert.equal(reply.headers.get('etag'), '"1"');
  const { moderationId } = await ok(200, 'GET', `/patterns/mo-a8?moderationId=${item.moderationId}`, { user: moderator });
  assert.equal(moderationId, item.moderationId);
});

test('MO-O3: strangers and unknown ids get the same 404', async () => {
  const author = newUser();
  const reporter = newUser();
  const item = await report(reporter, author.sub, newId('c'));
  await fails(404, 'ModerationNotFound', 'GET', `/items/${item.moderationId}`, { user: newUser() });
  for (const id of ['01960000-0000-7000-8000-000000000000', 'nothing', 'a%23b', 'x'.repeat(100)]) {
    await fails(404, 'ModerationNotFound', 'GET', `/items/${id}`, { user: moderator });
  }
  assert.equal((await get(item.moderationId, reporter)).reporterId, reporter.sub);
  // The author does not learn who reported.
  const seen = await get(item.moderationId, author);
  assert.ok(!('reporterId' in seen) && !('reason' in seen));
  assert.equal((await get(item.moderationId, service)).reporterId, reporter.sub);
});

test('MO-R11: lists, decisions and chores are for their roles', async () => {
  const user = newUser();
  const item = await submit(user);
  const one = `/items/${item.moderationId}`;
  for (const path of ['/items?status=pending', `/items?user=${user.sub}`, '/queue', `${one}/history`, '/patterns/mo-a5']) {
    await fails(403, 'Forbidden', 'GET', path, { user });
    await fails(401, 'Unauthenticated', 'GET', path);
  }
  for (const action of ['approve', 'unapprove', 'reverse', 'reopen']) {
    for (const by of [user, service]) await fails(403, 'Forbidden', 'POST', `${one}/${action}`, { user: by, body: { reason: 'x' } });
  }
  await fails(403, 'Forbidden', 'PUT', `${one}/priority`, { user, body: { priority: 'high' } });
  await fails(403, 'Forbidden', 'POST', '/queue/next', { user, body: {} });
  await fails(403, 'Forbidden', 'POST', '/items:bulk', { user, body: { action: 'approve', ids: [item.moderationId] } });
  for (const by of [user, moderator]) {
    await fails(403, 'Forbidden', 'PUT', '/admin/shards', { user: by, body: { count: 2 } });
    await fails(403, 'Forbidden', 'DELETE', `/users/${user.sub}`, { user: by });
    await fails(403, 'Forbidden', 'POST', '/admin/tasks/retention', { user: by, body: {} });
  }
  assert.deepEqual(await get(item.moderationId, user), item);
});

test('MO-R11: nobody decides about themselves', async () => {
  const own = await ok(201, 'POST', '/items', { user: moderator, body: { userId: moderator.sub, contentId: newId('c'), type: 'image' } });
  const reported = await report(moderator, newUser().sub, newId('c'));
  for (const { moderationId } of [own, reported]) {
    for (const action of ['approve', 'unapprove']) {
      await fails(403, 'SelfReview', 'POST', `/items/${moderationId}/${action}`, { user: moderator, body: { reason: 'x' } });
    }
    await decide('approve', moderationId, undefined, other);
    for (const action of ['reverse', 'reopen']) {
      await fails(403, 'SelfReview', 'POST', `/items/${moderationId}/${action}`, { user: moderator, body: { reason: 'x' } });
    }
  }
});

test('MO-R6: nothing but items and the added kinds is in the table', async () => {
  const kinds = [/^moderation#/, /^UNIQUE#(CONTENT|REPORT)#/, /^event#/, /^reports#/, /^quota#/, /^count#/, /^OUTBOX/, /^AUDIT#/, /^IDEMP#/, /^SHARDS#/, /^SCHEDULE#/];
  const all = await scan();
  for (const { pk } of all) assert.ok(kinds.some((kind) => kind.test(pk)), pk);
  const items = all.filter(({ pk, sk }) => pk.startsWith('moderation#') && sk.startsWith('media#'));
  // Each view has every item once, and nothing else.
  const byId = await dynamodbIndexCount('GSI_ByModerationId');
  assert.equal(byId, items.length);
  assert.equal(await dynamodbIndexCount('GSI_StatusDate'), items.length);
  assert.equal(await dynamodbIndexCount('GSI_UserStatusDate'), items.length);
  assert.equal(await dynamodbIndexCount('GSI_AllByDate'), items.length);
  assert.equal(await dynamodbIndexCount('GSI_Priority'), items.length);
  assert.equal(await dynamodbIndexCount('GSI_TypeDate'), items.length);
  assert.equal(await dynamodbIndexCount('GSI_Queue'), items.filter(({ status }) => status === 'pending').length);
});

async function dynamodbIndexCount(IndexName) {
  let count = 0;
  let start;
  do {
    const page = await dynamodb('Scan', { IndexName, Select: 'COUNT', ...(start ? { ExclusiveStartKey: start } : {}) });
    count += page.Count;
    start = page.LastEvaluatedKey;
  } while (start);
  return count;
}
