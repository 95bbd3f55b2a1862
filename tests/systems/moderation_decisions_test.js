// Decisions, one by one and many at once, and the races between moderators.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import {
  advance, call, decide, fails, get, ids, list, moderator, newId, newModerator, newUser, ok, other, outboxRows, ownDay, report, rows, statuses, submit,
} from './moderation_fixture.js';

const test = suite('decisions');
const act = (action, id, body = {}, by = moderator) => call('POST', `/items/${id}/${action}`, { user: by, body });
const history = async (id) => (await ok(200, 'GET', `/items/${id}/history`, { user: moderator })).items;

test('MO-O5: approving moves the item, frees its content and is told to the outside', async () => {
  const { range } = await ownDay();
  const user = newUser();
  const item = await submit(user);
  await advance('PT1M');
  const done = await decide('approve', item.moderationId);
  assert.equal(done.status, 'approved');
  assert.equal(done.actionedBy, moderator.sub);
  assert.equal(done.actionedAt, item.submittedAt + 60_000);
  assert.equal(done.version, 2);
  const [row] = await rows(`moderation#${user.sub}`);
  assert.equal(row['status#submittedAt'], `approved#00${item.submittedAt}`);
  assert.equal(row.sk, `media#${item.submittedAt}`);
  assert.ok(!('queueKey' in row));
  assert.deepEqual(await rows(`UNIQUE#CONTENT#${item.contentId}#image`), []);
  assert.deepEqual(await list({ status: 'pending', ...range }), []);
  assert.deepEqual(ids(await list({ status: 'approved', ...range })), [item.moderationId]);
});

test('MO-O5: the same decision by the same moderator again is fine, by another it is not', async () => {
  const item = await submit(newUser());
  await decide('approve', item.moderationId);
  const again = await decide('approve', item.moderationId);
  assert.equal(again.version, 2);
  for (const [action, by] of [['approve', other], ['unapprove', other], ['unapprove', moderator]]) {
    const error = await fails(409, 'AlreadyActioned', 'POST', `/items/${item.moderationId}/${action}`, { user: by, body: { reason: 'x' } });
    assert.equal(error.details.status, 'approved');
    assert.equal(error.details.actionedBy, moderator.sub);
  }
  assert.equal((await history(item.moderationId)).length, 2);
});

test('MO-O5: unknown items and stale versions', async () => {
  await fails(404, 'ModerationNotFound', 'POST', '/items/01960000-0000-7000-8000-000000000000/approve', { user: moderator, body: {} });
  const item = await submit(newUser());
  const headers = { 'if-match': '"7"' };
  await fails(412, 'VersionMismatch', 'POST', `/items/${item.moderationId}/approve`, { user: moderator, body: {}, headers });
  await ok(200, 'POST', `/items/${item.moderationId}/approve`, { user: moderator, body: {}, headers: { 'if-match': '"1"' } });
});

test('MO-O6: unapproving needs a reason and moves the item in every view', async () => {
  const { range } = await ownDay();
  const user = newUser();
  const item = await submit(user);
  for (const body of [{}, { reason: null }, { reason: '' }, { reason: '  ' }]) {
    await fails(400, 'ReasonRequired', 'POST', `/items/${item.moderationId}/unapprove`, { user: moderator, body });
  }
  const done = await decide('unapprove', item.moderationId, 'too loud');
  assert.equal(done.status, 'unapproved');
  assert.equal(done.decisionNote, 'too loud');
  assert.deepEqual(await list({ status: 'pending', ...range }), []);
  assert.deepEqual(ids(await list({ status: 'unapproved', ...range })), [item.moderationId]);
  assert.deepEqual(await list({ user: user.sub, status: 'pending' }), []);
  assert.deepEqual(ids(await list({ user: user.sub, status: 'unapproved' })), [item.moderationId]);
  // The author sees the reason, not the moderator.
  const seen = await get(item.moderationId, user);
  assert.equal(seen.decisionNote, 'too loud');
  assert.ok(!('actionedBy' in seen));
});

test('MO-O5, MO-O6: two moderators decide differently at once: one wins, all views agree', async () => {
  const { range } = await ownDay();
  for (let turn = 0; turn < 10; turn += 1) {
    const user = newUser();
    const item = await submit(user);
    const replies = await Promise.all([act('approve', item.moderationId), act('unapprove', item.moderationId, { reason: 'no' }, other)]);
    assert.deepEqual(statuses(replies), { 200: 1, 409: 1 });
    const won = replies.find(({ status }) => status === 200).json;
    assert.equal(replies.find(({ status }) => status === 409).json.error.details.status, won.status);
    const lost = won.status === 'approved' ? 'unapproved' : 'approved';
    assert.ok(ids(await list({ status: won.status, ...range })).includes(item.moderationId));
    assert.ok(!ids(await list({ status: lost, ...range })).includes(item.moderationId));
    assert.deepEqual(ids(await list({ user: user.sub, status: won.status })), [item.moderationId]);
    assert.deepEqual(await list({ user: user.sub, status: lost }), []);
    assert.equal((await history(item.moderationId)).length, 2);
  }
});

test('MO-O5: fifty moderators decide at once: one of them does', async () => {
  const item = await submit(newUser());
  const replies = await Promise.all(Array.from({ length: 50 }, (_, at) =>
    act(at % 2 ? 'approve' : 'unapprove', item.moderationId, { reason: `reason ${at}` }, newModerator())));
  assert.deepEqual(statuses(replies), { 200: 1, 409: 49 });
  const won = replies.find(({ status }) => status === 200).json;
  assert.deepEqual(await get(item.moderationId), won);
  const events = await history(item.moderationId);
  assert.equal(events.length, 2);
  assert.equal(events[1].by, won.actionedBy);
  const told = (await outboxRows()).filter(({ payload }) => payload.moderationId === item.moderationId);
  assert.equal(told.length, 1);
});

test('MO-O7: a reversal with a reason, told in the history, with a later time', async () => {
  await ownDay();
  const item = await submit(newUser());
  const approved = await decide('approve', item.moderationId);
  for (const body of [{}, { reason: ' ' }]) {
    await fails(400, 'ReasonRequired', 'POST', `/items/${item.moderationId}/reverse`, { user: other, body });
  }
  const reversed = await decide('reverse', item.moderationId, 'looked again', other);
  assert.equal(reversed.status, 'unapproved');
  assert.equal(reversed.actionedBy, other.sub);
  assert.ok(reversed.actionedAt > approved.actionedAt);
  // A request that is repeated does not turn it back; one with another reason does.
  const repeated = await decide('reverse', item.moderationId, 'looked again', other);
  assert.deepEqual(repeated, reversed);
  const events = await history(item.moderationId);
  assert.deepEqual(events.map(({ action, from, to, by }) => [action, from, to, by]), [
    ['submit', undefined, 'pending', item.userId],
    ['approve', 'pending', 'approved', moderator.sub],
    ['reverse', 'approved', 'unapproved', other.sub],
  ]);
  assert.equal(events[2].note, 'looked again');
  assert.equal((await decide('reverse', item.moderationId, 'and again', other)).status, 'approved');
});

test('MO-O7: several reverse at once: one of them does', async () => {
  const item = await submit(newUser());
  await decide('approve', item.moderationId);
  const { version } = await get(item.moderationId);
  const headers = { 'if-match': `"${version}"` };
  const replies = await Promise.all(Array.from({ length: 10 }, (_, at) =>
    call('POST', `/items/${item.moderationId}/reverse`, { user: newModerator(), body: { reason: `r${at}` }, headers })));
  assert.equal(statuses(replies)[200], 1, JSON.stringify(statuses(replies)));
  for (const { status } of replies) assert.ok([200, 409, 412].includes(status), String(status));
  assert.equal((await get(item.moderationId)).status, 'unapproved');
});

test('MO-O8: reopening brings the item back, with nothing decided', async () => {
  const { range } = await ownDay();
  const item = await submit(newUser());
  await fails(409, 'AlreadyPending', 'POST', `/items/${item.moderationId}/reopen`, { user: moderator, body: {} });
  await decide('unapprove', item.moderationId, 'no');
  const open = await decide('reopen', item.moderationId, 'appeal');
  assert.equal(open.status, 'pending');
  for (const name of ['actionedAt', 'actionedBy', 'decisionNote']) assert.ok(!(name in open), name);
  assert.deepEqual(ids(await list({ status: 'pending', ...range })), [item.moderationId]);
  assert.equal((await rows(`UNIQUE#CONTENT#${item.contentId}#image`)).length, 1);
  await fails(409, 'AlreadyPending', 'POST', `/items/${item.moderationId}/reopen`, { user: moderator, body: {} });
  assert.equal((await history(item.moderationId)).at(-1).action, 'reopen');
});

test('MO-O8: what was submitted again meanwhile stands in the way', async () => {
  const user = newUser();
  const old = await submit(user);
  await decide('approve', old.moderationId);
  await submit(user, { contentId: old.contentId });
  await fails(409, 'AlreadyPending', 'POST', `/items/${old.moderationId}/reopen`, { user: moderator, body: {} });
  assert.equal((await get(old.moderationId)).status, 'approved');
  const reporter = newUser();
  const first = await report(reporter, user.sub, old.contentId);
  await decide('unapprove', first.moderationId, 'no');
  await report(reporter, user.sub, old.contentId);
  await fails(409, 'AlreadyReported', 'POST', `/items/${first.moderationId}/reopen`, { user: moderator, body: {} });
});

test('MO-R7: from each status only what the rules allow', async () => {
  const reach = {
    pending: async () => submit(newUser()),
    approved: async () => decide('approve', (await submit(newUser())).moderationId),
    unapproved: async () => decide('unapprove', (await submit(newUser())).moderationId, 'no'),
  };
  const expected = {
    pending: { approve: 'approved', unapprove: 'unapproved', reverse: 'ModerationConflict', reopen: 'AlreadyPending' },
    approved: { approve: 'AlreadyActioned', unapprove: 'AlreadyActioned', reverse: 'unapproved', reopen: 'pending' },
    unapproved: { approve: 'AlreadyActioned', unapprove: 'AlreadyActioned', reverse: 'approved', reopen: 'pending' },
  };
  for (const [status, actions] of Object.entries(expected)) {
    for (const [action, result] of Object.entries(actions)) {
      const item = await reach[status]();
      const { json, status: code } = await act(action, item.moderationId, { reason: 'because' }, other);
      assert.equal(json.status ?? json.error.code, result, `${action} from ${status}`);
      assert.equal(code, json.error ? 409 : 200);
      assert.equal((await get(item.moderationId)).status, json.error ? status : result);
    }
  }
});

test('MO-R8: actionedAt is there exactly when there is a decision, never before submission', async () => {
  await ownDay();
  const user = newUser();
  const items = [];
  for (let at = 0; at < 5; at += 1) items.push(await submit(user));
  const check = async () => {
    for (const row of await rows(`moderation#${user.sub}`)) {
      assert.equal('actionedAt' in row, row.status !== 'pending', JSON.stringify(row));
      if (row.actionedAt) assert.ok(row.actionedAt >= row.submittedAt, JSON.stringify(row));
    }
  };
  await check();
  for (const { moderationId } of items) await decide('approve', moderationId);
  await check();
  await decide('reverse', items[4].moderationId, 'x', other);
  await decide('reopen', items[1].moderationId);
  await check();
});

test('MO-R12: every decision leaves one row in the outbox, with id and version', async () => {
  const user = newUser();
  const item = await submit(user, { type: 'link' });
  await decide('approve', item.moderationId, 'fine');
  await decide('approve', item.moderationId);
  await decide('reverse', item.moderationId, 'not fine', other);
  await decide('reopen', item.moderationId);
  const told = (await outboxRows()).filter(({ payload }) => payload.moderationId === item.moderationId);
  assert.ok(told.every(({ kind }) => kind === 'moderation-decision'));
  const payloads = told.map(({ payload }) => payload).sort((a, b) => a.version - b.version);
  assert.deepEqual(payloads.map(({ version, status }) => [version, status]), [[2, 'approved'], [3, 'unapproved'], [4, 'pending']]);
  assert.deepEqual(payloads[1], {
    moderationId: item.moderationId, version: 3, userId: user.sub, contentId: item.contentId, type: 'link', status: 'unapproved', reason: 'not fine',
  });
  assert.equal((await get(item.moderationId)).version, 4);
});

test('X-R13: decisions are in the audit of their day', async () => {
  const { compact } = await ownDay();
  const item = await submit(newUser());
  await decide('unapprove', item.moderationId, 'no');
  const [entry] = await rows(`AUDIT#${compact}`);
  assert.deepEqual([entry.actor, entry.action, entry.target, entry.before, entry.after, entry.reason], [
    moderator.sub, 'moderation-decision', item.moderationId, 'pending', 'unapproved', 'no',
  ]);
});

test('MO-O9: the priority changes while pending, and the views follow', async () => {
  const { range } = await ownDay();
  const item = await submit(newUser());
  const set = (priority) => call('PUT', `/items/${item.moderationId}/priority`, { user: moderator, body: { priority } });
  assert.equal((await set('high')).json.priority, 'high');
  assert.deepEqual(ids(await list({ priority: 'high', ...range })), [item.moderationId]);
  assert.deepEqual(await list({ priority: 'normal', ...range }), []);
  const same = await set('high');
  assert.deepEqual([same.status, same.json.version], [200, 2]);
  await fails(400, 'ValidationFailed', 'PUT', `/items/${item.moderationId}/priority`, { user: moderator, body: { priority: 'low' } });
  await fails(400, 'ValidationFailed', 'PUT', `/items/${item.moderationId}/priority`, { user: moderator, body: {} });
  assert.deepEqual((await history(item.moderationId)).map(({ action }) => action), ['submit', 'priority']);
  await decide('approve', item.moderationId);
  await fails(409, 'AlreadyActioned', 'PUT', `/items/${item.moderationId}/priority`, { user: moderator, body: { priority: 'normal' } });
});

test('MO-O9: a change of priority races a decision, and neither is lost', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const item = await submit(newUser());
    const [priority, decision] = await Promise.all([
      call('PUT', `/items/${item.moderationId}/priority`, { user: other, body: { priority: 'high' } }),
      act('approve', item.moderationId),
    ]);
    assert.equal(decision.status, 200);
    assert.ok([200, 409].includes(priority.status));
    const now = await get(item.moderationId);
    assert.equal(now.status, 'approved');
    assert.equal(now.priority, priority.status === 200 ? 'high' : 'normal');
  }
});

test('MO-O11: fifty at once, one unknown and one decided: the others are done', async () => {
  const { range } = await ownDay();
  const items = await Promise.all(Array.from({ length: 49 }, () => submit(newUser())));
  await decide('unapprove', items[7].moderationId, 'no', other);
  const unknown = '01960000-0000-7000-8000-000000000000';
  const wanted = [...ids(items), unknown];
  const body = { action: 'approve', ids: wanted };
  const key = newId('bulk');
  const reply = await call('POST', '/items:bulk', { user: moderator, body, key });
  assert.equal(reply.status, 207, reply.body);
  assert.deepEqual(reply.json.results.map(({ id }) => id), wanted);
  assert.deepEqual(statuses(reply.json.results), { 200: 48, 404: 1, 409: 1 });
  assert.deepEqual(reply.json.results[7], { id: items[7].moderationId, status: 409, error: 'AlreadyActioned' });
  assert.deepEqual(reply.json.results[49], { id: unknown, status: 404, error: 'ModerationNotFound' });
  assert.equal((await list({ status: 'approved', ...range })).length, 48);
  const again = await call('POST', '/items:bulk', { user: moderator, body, key });
  assert.equal(again.status, 207);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(again.json, reply.json);
  await fails(422, 'IdempotencyKeyReused', 'POST', '/items:bulk', { user: moderator, key, body: { ...body, action: 'reopen' } });
});

test('MO-O11: limits and reasons of a bulk request', async () => {
  const bulk = (code, body) => fails(400, code, 'POST', '/items:bulk', { user: moderator, body });
  await bulk('ValidationFailed', { action: 'approve', ids: [] });
  await bulk('ValidationFailed', { action: 'approve', ids: Array.from({ length: 51 }, () => newId('x')) });
  await bulk('ValidationFailed', { action: 'delete', ids: ['x'] });
  await bulk('ReasonRequired', { action: 'unapprove', ids: ['x'] });
  const own = await ok(201, 'POST', '/items', { user: moderator, body: { userId: moderator.sub, contentId: newId('c'), type: 'text' } });
  const item = await submit(newUser());
  const body = { action: 'unapprove', reason: 'no', ids: [own.moderationId, item.moderationId] };
  const { results } = await ok(207, 'POST', '/items:bulk', { user: moderator, body });
  assert.deepEqual(results.map(({ status }) => status), [403, 200]);
  assert.equal((await get(item.moderationId)).decisionNote, 'no');
});
