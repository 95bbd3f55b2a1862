// Reports and flags: FF-O21 to FF-O23.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from './figureforge_fixture.js';
import { admin, all, atOnce, call, count, fails, flag, moderator, newImage, newUser, ok, query, raw, service, statuses } from './figureforge_fixture.js';

const test = suite('moderation');
const report = (user, id, body = { reason: 'spam' }) => call('POST', `/images/${id}/reports`, { user, body });
const resolve = (id, reportId, action, user = moderator) =>
  call('POST', `/admin/reports/${id}/${reportId}/resolve`, { user, body: { action, note: 'looked at it' } });
const statusOf = async (id) => (await raw(`IMG#${id}`, 'META')).flag_status;

test('FF-O21, FF-R19: one report of an image for each reporter', async () => {
  const id = await newImage(await newUser(), { shared: true });
  const user = await newUser();
  const replies = await atOnce(10, () => report(user, id, { reason: 'violence', note: 'see the corner' }));
  assert.equal(count(replies, 201), 1);
  assert.equal(count(replies, 200), 9);
  assert.equal(new Set(replies.map(({ json }) => json.report_id)).size, 1);
  const [first] = replies;
  assert.equal(first.json.status, 'open');
  assert.equal((await report(user, id)).json.reason, 'violence');
  const image = await raw(`IMG#${id}`, 'META');
  assert.equal(image.report_count, 1);
  assert.equal(image.flag_status, 'clean');
  const item = await raw(`IMG#${id}`, `REPORT#${first.json.report_id}`);
  assert.equal(item.reportsByStatus_pk, 'REPORTSTATUS#open');
  assert.equal(item.reporter_id, user.id);
  await fails(404, 'ImageNotFound', 'POST', `/images/${randomUUID()}/reports`, { user, body: { reason: 'spam' } });
  await fails(404, 'ImageNotFound', 'POST', `/images/${await newImage(await newUser())}/reports`, { user, body: { reason: 'spam' } });
  for (const body of [{}, { reason: 'bored' }, { reason: 'spam', note: 'x'.repeat(2001) }]) {
    assert.equal((await report(user, id, body)).status, 400);
  }
  assert.equal((await call('POST', `/images/${id}/reports`, { body: { reason: 'spam' } })).status, 401);
});

test('FF-R18: the third reporter makes a person look', async () => {
  const tag = `pose:${randomUUID().slice(0, 8)}`;
  const id = await newImage(await newUser(), { tags: [tag], shared: true });
  for (let i = 0; i < 2; i += 1) {
    await report(await newUser(), id);
    assert.equal(await statusOf(id), 'clean');
  }
  await report(await newUser(), id);
  assert.equal(await statusOf(id), 'human_pending');
  assert.equal((await raw(`TAG#${tag}`, `IMG#${id}`)).flag_status, 'human_pending');
  assert.equal((await call('GET', `/images/${id}`)).status, 404);
  assert.equal((await all(`/search?tags=${tag}`)).length, 0);
});

test('FF-R18: five reporters at once count as five at most', async () => {
  const id = await newImage(await newUser(), { shared: true });
  const people = await atOnce(5, () => newUser());
  const replies = await Promise.all(people.map((user) => report(user, id)));
  const taken = count(replies, 201);
  assert.ok(taken >= 3, String(statuses(replies)));
  const image = await raw(`IMG#${id}`, 'META');
  assert.equal(image.flag_status, 'human_pending');
  assert.equal(image.report_count, taken);
  assert.equal((await query(`IMG#${id}`)).filter(({ sk }) => sk.startsWith('REPORT#')).length, taken);
});

test('FF-A11, FF-A12, FF-A13: the queue and the reports of an image', async () => {
  const id = await newImage(await newUser(), { shared: true });
  const ids = [];
  for (let i = 0; i < 2; i += 1) ids.push((await report(await newUser(), id)).json.report_id);
  const queue = await all('/admin/reports?status=open', { user: moderator });
  assert.deepEqual(queue.map(({ report_id }) => report_id).filter((each) => ids.includes(each)).length, 2);
  assert.deepEqual(queue.map(({ created_at }) => created_at), queue.map(({ created_at }) => created_at).sort((a, b) => a - b));
  const both = await ok(200, 'GET', `/patterns/ff-a11?image_id=${id}`, { user: moderator });
  assert.deepEqual(both.items.map(({ entityType }) => entityType), ['Image', 'Report', 'Report']);
  assert.equal((await all(`/patterns/ff-a12?image_id=${id}`, { user: moderator })).length, 2);
  await fails(403, 'Forbidden', 'GET', '/admin/reports?status=open', { user: await newUser() });
  await fails(400, 'ValidationFailed', 'GET', '/admin/reports?status=closed', { user: moderator });
  const taken = await ok(200, 'POST', `/admin/reports/${id}/${ids[0]}/review`, { user: moderator });
  assert.equal(taken.status, 'reviewing');
  assert.ok((await all('/admin/reports?status=reviewing', { user: moderator })).some(({ report_id }) => report_id === ids[0]));
});

test('FF-O22: two moderators, one decision', async () => {
  const id = await newImage(await newUser(), { shared: true });
  const { report_id } = (await report(await newUser(), id)).json;
  const replies = await atOnce(2, (i) => resolve(id, report_id, ['dismiss', 'remove'][i]));
  assert.deepEqual(statuses(replies), [200, 409]);
  assert.equal(replies.find(({ status }) => status === 409).json.error.code, 'ReportAlreadyResolved');
  const winner = replies.findIndex(({ status }) => status === 200);
  assert.equal(replies[winner].json.status, ['dismissed', 'actioned'][winner]);
  assert.equal(replies[winner].json.resolved_by, 'mod');
  assert.equal(await statusOf(id), ['clean', 'removed'][winner]);
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const rows = (await query(`AUDIT#${day}`)).filter(({ target, action }) => target === id && action === 'resolve-report');
  assert.equal(rows.length, 1);
  assert.equal(rows[0].actor, 'mod');
  assert.equal(rows[0].reason, 'looked at it');
  assert.equal((await resolve(id, 'nothing', 'dismiss')).status, 404);
  assert.equal((await resolve(id, report_id, 'dismiss', await newUser())).status, 403);
  assert.equal((await resolve(id, report_id, 'forgive')).status, 400);
});

test('FF-O22: dismissing gives an image back, and counting begins anew', async () => {
  const id = await newImage(await newUser(), { shared: true });
  const ids = [];
  for (let i = 0; i < 3; i += 1) ids.push((await report(await newUser(), id)).json.report_id);
  assert.equal(await statusOf(id), 'human_pending');
  assert.equal((await resolve(id, ids[0], 'dismiss')).status, 200);
  assert.equal(await statusOf(id), 'clean');
  assert.equal((await call('GET', `/images/${id}`)).status, 200);
  await report(await newUser(), id);
  assert.equal(await statusOf(id), 'clean');
  assert.equal((await resolve(id, ids[1], 'block')).status, 200);
  assert.equal(await statusOf(id), 'auto_blocked');
  assert.equal((await resolve(id, ids[2], 'remove')).status, 200);
  assert.equal(await statusOf(id), 'removed');
});

test('FF-R7: the moves a flag can make', async () => {
  const moves = {
    clean: ['auto_blocked', 'human_pending'],
    auto_blocked: ['human_pending'],
    human_pending: ['clean', 'removed'],
    removed: [],
  };
  const path = { clean: [], auto_blocked: ['auto_blocked'], human_pending: ['human_pending'], removed: ['human_pending', 'removed'] };
  const user = await newUser();
  for (const [from, allowed] of Object.entries(moves)) {
    for (const to of Object.keys(moves)) {
      const id = await newImage(user);
      for (const step of path[from]) assert.equal((await flag(id, step)).status, 200);
      const reply = await flag(id, to);
      assert.equal(reply.status, allowed.includes(to) ? 200 : 409, `${from} to ${to}: ${reply.body}`);
      if (reply.status === 409) assert.equal(reply.json.error.code, 'FlagTransitionInvalid');
      assert.equal(await statusOf(id), allowed.includes(to) ? to : from);
    }
  }
  const id = await newImage(user);
  for (const step of path.removed) await flag(id, step);
  assert.equal((await flag(id, 'clean', admin)).status, 200);
  assert.equal((await flag(id, 'clean', user)).status, 403);
  assert.equal((await flag(id, 'odd')).status, 400);
  assert.equal((await flag(randomUUID(), 'auto_blocked')).json.error.code, 'ImageNotFound');
});

test('FF-O23: a machine does not overrule a person', async () => {
  const user = await newUser();
  const verdict = (id, event_id) => call('POST', `/admin/images/${id}/flag`, { user: service, body: { flag_status: 'auto_blocked', reason: 'model', event_id } });
  const first = await newImage(user);
  const event = `ev-${randomUUID()}`;
  const replies = await atOnce(5, () => verdict(first, event));
  assert.deepEqual([...new Set(statuses(replies))], [200]);
  assert.equal(await statusOf(first), 'auto_blocked');
  await flag(first, 'human_pending');
  await flag(first, 'clean');
  const late = await verdict(first, `ev-${randomUUID()}`);
  assert.equal(late.status, 409);
  assert.equal(await statusOf(first), 'clean');
  const other = await newImage(user);
  assert.equal((await flag(other, 'human_pending', service)).status, 403);
});
