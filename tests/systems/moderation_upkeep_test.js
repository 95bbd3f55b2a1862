// The queue, retention and erasure.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import {
  admin, advance, call, decide, fails, freeze, get, ids, list, moderator, newId, newModerator, newUser, ok, other, ownDay, report, rows, scan, service, statuses, submit,
} from './moderation_fixture.js';

const test = suite('upkeep');
const next = (by, key) => call('POST', '/queue/next', { user: by, body: {}, key });

// Decides whatever earlier tests left pending, so that the queue is this test's alone.
async function emptyQueue() {
  const cleaner = newModerator();
  const left = ids(await list({}, { path: '/queue' }));
  for (let at = 0; at < left.length; at += 50) {
    const body = { action: 'approve', ids: left.slice(at, at + 50) };
    await ok(207, 'POST', '/items:bulk', { user: cleaner, body });
  }
  assert.deepEqual(await list({}, { path: '/queue' }), []);
}

test('MO-O10: the queue gives each its own item, high priority first, until nothing is left', async () => {
  await emptyQueue();
  await ownDay();
  const normal = await submit(newUser());
  await advance('PT1S');
  const high = await submit(newUser(), { priority: 'high' });
  const first = await next(moderator);
  assert.equal(first.status, 200, first.body);
  assert.equal(first.json.moderationId, high.moderationId);
  assert.equal(first.json.assignee, moderator.sub);
  assert.equal(first.json.assignedUntil, normal.submittedAt + 1000 + 15 * 60_000);
  assert.equal((await next(other)).json.moderationId, normal.moderationId);
  const nothing = await next(newModerator());
  assert.deepEqual([nothing.status, nothing.body], [204, '']);
  await decide('approve', high.moderationId);
  assert.ok(!('assignee' in await get(high.moderationId)));
  // A claim that is not used ends.
  await advance('PT16M');
  assert.equal((await next(moderator)).json.moderationId, normal.moderationId);
  assert.equal((await get(normal.moderationId)).assignee, moderator.sub);
}, { seconds: 120 });

test('MO-O10: twenty claim at once over five items: five distinct ones', async () => {
  await emptyQueue();
  await ownDay();
  const items = await Promise.all(Array.from({ length: 5 }, () => submit(newUser())));
  const replies = await Promise.all(Array.from({ length: 20 }, () => next(newModerator())));
  assert.deepEqual(statuses(replies), { 200: 5, 204: 15 });
  const claimed = replies.filter(({ status }) => status === 200).map(({ json }) => json);
  assert.deepEqual(ids(claimed).sort(), ids(items).sort());
  assert.equal(new Set(claimed.map(({ assignee }) => assignee)).size, 5);
  await emptyQueue();
}, { seconds: 120 });

test('MO-O10: a repeated claim with its key is the same claim; one\'s own items are for others', async () => {
  await emptyQueue();
  await ownDay();
  const by = newModerator();
  await ok(201, 'POST', '/items', { user: by, body: { userId: by.sub, contentId: newId('c'), type: 'text' } });
  assert.equal((await next(by)).status, 204);
  const items = await Promise.all([submit(newUser()), submit(newUser())]);
  const key = newId('claim');
  const first = await next(by, key);
  assert.ok(ids(items).includes(first.json.moderationId));
  const again = await next(by, key);
  assert.equal(again.json.moderationId, first.json.moderationId);
  assert.notEqual((await next(by)).json.moderationId, first.json.moderationId);
  await emptyQueue();
}, { seconds: 120 });

test('MO-O10: only who has an item gives it back', async () => {
  await emptyQueue();
  await ownDay();
  const item = await submit(newUser());
  await next(moderator);
  const path = `/items/${item.moderationId}/claim`;
  const error = await fails(409, 'ClaimedByOther', 'DELETE', path, { user: other });
  assert.equal(error.details.assignee, moderator.sub);
  const free = await ok(200, 'DELETE', path, { user: moderator });
  assert.ok(!('assignee' in free) && !('assignedUntil' in free));
  assert.equal((await call('DELETE', path, { user: moderator })).status, 200);
  assert.equal((await next(other)).json.moderationId, item.moderationId);
  await fails(404, 'ModerationNotFound', 'DELETE', '/items/nothing/claim', { user: moderator });
}, { seconds: 120 });

const retention = async (by = admin) => {
  const all = { changed: 0, scanned: 0 };
  let cursor;
  do {
    const report = await ok(200, 'POST', '/admin/tasks/retention', { user: by, body: cursor ? { cursor } : {} });
    all.changed += report.changed;
    all.scanned += report.scanned;
    cursor = report.cursor;
  } while (cursor);
  return all;
};

test('MO-R13: what was decided long ago is archived, history kept; pending items stay', async () => {
  // Before all other tests' days, so that only these items are old enough.
  await freeze('2002-01-01T10:00:00Z');
  const user = newUser();
  const decided = [];
  for (let at = 0; at < 3; at += 1) decided.push(await submit(user, { type: 'text' }));
  const pending = await submit(user);
  const late = await submit(user);
  await decide('approve', decided[0].moderationId, 'ok');
  await decide('unapprove', decided[1].moderationId, 'no');
  await decide('approve', decided[2].moderationId);
  await freeze('2002-12-31T10:00:00Z');
  await decide('approve', late.moderationId);
  await freeze('2003-01-01T09:59:59Z');
  await retention();
  assert.equal((await list({ user: user.sub })).length, 5);
  await freeze('2003-01-02T10:00:00Z');
  await fails(403, 'Forbidden', 'POST', '/admin/tasks/retention', { user, body: {} });
  assert.equal((await retention(service)).changed, 3);
  assert.equal((await retention()).changed, 0);
  assert.deepEqual(ids(await list({ user: user.sub })), ids([pending, late]));
  await fails(404, 'ModerationNotFound', 'GET', `/items/${decided[1].moderationId}`, { user: moderator });
  const archived = await list({}, { path: `/users/${user.sub}/archive` });
  assert.deepEqual(ids(archived).sort(), ids(decided).sort());
  const one = archived.find(({ moderationId }) => moderationId === decided[1].moderationId);
  assert.equal(one.status, 'unapproved');
  assert.equal(one.decisionNote, 'no');
  assert.equal(one.submittedAt, decided[1].submittedAt);
  const { items: events } = await ok(200, 'GET', `/items/${decided[1].moderationId}/history`, { user: moderator });
  assert.deepEqual(events.map(({ action }) => action), ['submit', 'unapprove', 'archive']);
}, { seconds: 120 });

test('MO-R13: nobody deletes an item', async () => {
  const user = newUser();
  const item = await submit(user);
  for (const by of [user, moderator, admin]) {
    await fails(405, 'MethodNotAllowed', 'DELETE', `/items/${item.moderationId}`, { user: by });
  }
});

test('MO-O13: erasing a user leaves nothing of them in any view', async () => {
  const day = await ownDay();
  const user = newUser();
  const bystander = await submit(newUser());
  const items = [];
  for (let at = 0; at < 8; at += 1) items.push(await submit(user, { priority: at % 2 ? 'high' : 'normal' }));
  items.push(await report(newUser(), user.sub, newId('c')));
  await decide('approve', items[0].moderationId);
  await decide('unapprove', items[1].moderationId, 'no');
  await decide('reverse', items[1].moderationId, 'yes', other);
  await fails(403, 'Forbidden', 'DELETE', `/users/${user.sub}`, { user });
  const report1 = await ok(200, 'DELETE', `/users/${user.sub}`, { user: admin });
  assert.deepEqual([report1.scanned, report1.changed, report1.done], [9, 9, true]);
  const mine = (found) => found.filter(({ userId }) => userId === user.sub);
  for (const status of ['pending', 'approved', 'unapproved']) {
    assert.deepEqual(mine(await list({ status, ...day.range })), []);
    assert.deepEqual(await list({ user: user.sub, status }), []);
  }
  assert.deepEqual(ids(await list({ day: day.date })), [bystander.moderationId]);
  for (const priority of ['high', 'normal']) assert.deepEqual(mine(await list({ priority, ...day.range })), []);
  for (const type of ['image', 'report']) assert.deepEqual(mine(await list({ type, ...day.range })), []);
  assert.deepEqual(mine(await list(day.range, { path: '/queue' })), []);
  assert.deepEqual(await list({ user: user.sub }), []);
  assert.deepEqual(await rows(`moderation#${user.sub}`), []);
  for (const { moderationId, contentId } of items) {
    await fails(404, 'ModerationNotFound', 'GET', `/items/${moderationId}`, { user: moderator });
    assert.deepEqual(await rows(`event#${moderationId}`), []);
    assert.deepEqual(await rows(`UNIQUE#CONTENT#${contentId}#image`), []);
    assert.deepEqual(await rows(`reports#${contentId}`), []);
  }
  const summary = await ok(200, 'GET', `/users/${user.sub}/summary`, { user: moderator });
  assert.deepEqual(summary.counts, { pending: 0, approved: 0, unapproved: 0 });
  const counts = await ok(200, 'GET', `/counts/${day.compact}`, { user: moderator });
  assert.deepEqual(counts.items.filter(({ n }) => n > 0).map(({ state, level, n }) => [state, level, n]), [['pending', 'normal', 1]]);
  const again = await ok(200, 'DELETE', `/users/${user.sub}`, { user: admin });
  assert.deepEqual([again.scanned, again.done], [0, true]);
}, { seconds: 120 });

test('MO-O13: what was archived is erased as well', async () => {
  await freeze('2001-10-01T10:00:00Z');
  const user = newUser();
  const item = await submit(user);
  await decide('approve', item.moderationId);
  await freeze('2002-10-02T10:00:01Z');
  await retention();
  assert.equal((await list({}, { path: `/users/${user.sub}/archive` })).length, 1);
  await ok(200, 'DELETE', `/users/${user.sub}`, { user: admin });
  assert.deepEqual(await rows(`moderation#${user.sub}`), []);
  assert.deepEqual(await rows(`event#${item.moderationId}`), []);
  const left = (await scan()).filter((row) => !row.pk.startsWith('OUTBOX') && JSON.stringify(row).includes(`"${user.sub}"`));
  assert.deepEqual(left, []);
});
