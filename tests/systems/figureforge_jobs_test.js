// Generation jobs: FF-O8 to FF-O12.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from './figureforge_fixture.js';
import {
  admin, all, atOnce, call, callbackToken, count, credits, fails, fal, finish, jobBody, key, newUser, ok, outbox, query, raw, result, statuses, submit,
} from './figureforge_fixture.js';

const test = suite('jobs');
const get = (user, job) => ok(200, 'GET', `/jobs/${job.job_id}`, { user });
const failure = (eventId = `ev-${randomUUID()}`) => ({ eventId, request_id: `req-${randomUUID()}`, status: 'ERROR', error: 'out of memory' });

test('FF-O8, FF-R13: a job costs credits when it is submitted', async () => {
  const user = await newUser({ credits: 10 });
  const job = await submit(user, { count: 3, tags: [' Pose:Standing ', 'pose:standing', 'style:comic'] });
  assert.equal(job.status, 'queued');
  assert.equal(job.credits_charged, 3);
  assert.equal(job.attempt, 1);
  assert.deepEqual(job.prompt_json.tags, ['pose:standing', 'style:comic']);
  assert.ok(Number.isInteger(job.created_at));
  assert.ok(!('callback_token' in job));
  assert.equal(await credits(user), 7);
  const item = await raw(`USER#${user.id}`, `JOB#${job.job_id}`);
  assert.equal(item.jobsByStatus_pk, 'JOBSTATUS#queued');
  const [row] = await outbox('provider-call', (payload) => payload.job_id === job.job_id);
  assert.equal(row.payload.token, item.callback_token);
  assert.equal(row.payload.input.prompt, 'a fox');
});

test('FF-O8: with credits for one job, one of ten gets through', async () => {
  const user = await newUser({ credits: 1 });
  const replies = await atOnce(10, () => call('POST', '/jobs', { user, body: jobBody(), headers: key() }));
  assert.deepEqual(statuses(replies), [201, ...Array(9).fill(402)]);
  assert.equal(replies.find(({ status }) => status === 402).json.error.code, 'InsufficientCredits');
  assert.equal(await credits(user), 0);
});

test('FF-O8: the same key is the same job', async () => {
  const user = await newUser({ credits: 5 });
  const headers = key();
  const replies = await atOnce(20, () => call('POST', '/jobs', { user, body: jobBody(), headers }));
  assert.deepEqual([...new Set(statuses(replies))], [201]);
  assert.equal(new Set(replies.map(({ json }) => json.job_id)).size, 1);
  assert.equal(await credits(user), 4);
  await fails(422, 'IdempotencyKeyReused', 'POST', '/jobs', { user, body: jobBody({ prompt: 'another' }), headers });
  await fails(428, 'IdempotencyKeyRequired', 'POST', '/jobs', { user, body: jobBody() });
});

test('FF-O8: what a job may not be', async () => {
  const user = await newUser({ credits: 50 });
  const post = (status, code, body) => fails(status, code, 'POST', '/jobs', { user, body, headers: key() });
  await post(400, 'ValidationFailed', jobBody({ prompt: '' }));
  await post(400, 'ValidationFailed', jobBody({ prompt: '   ' }));
  await post(400, 'ValidationFailed', jobBody({ prompt: 'x'.repeat(4001) }));
  await post(400, 'ValidationFailed', jobBody({ count: 0 }));
  await post(400, 'ValidationFailed', jobBody({ count: 5 }));
  await post(400, 'ValidationFailed', jobBody({ tags: ['no namespace'] }));
  await post(400, 'ValidationFailed', jobBody({ tags: Array.from({ length: 21 }, (_, i) => `t:${i}`) }));
  await post(400, 'UnknownField', { ...jobBody(), status: 'succeeded' });
  await post(400, 'UnknownField', { ...jobBody(), credits_charged: 0 });
  await post(403, 'ModelNotInPlan', jobBody({ model: 'fal/flux-pro' }));
  await fails(401, 'Unauthenticated', 'POST', '/jobs', { body: jobBody(), headers: key() });
  assert.equal(await credits(user), 50);
});

test('FF-O9, FF-A6, FF-A7: jobs are their owner\'s, newest first', async () => {
  const user = await newUser({ credits: 250 });
  const made = [];
  for (let i = 0; i < 250; i += 25) {
    made.push(...(await atOnce(25, () => submit(user))).map(({ job_id }) => job_id));
  }
  const listed = (await all('/jobs', { user }, 40)).map(({ job_id }) => job_id);
  assert.equal(listed.length, 250);
  assert.deepEqual(new Set(listed), new Set(made));
  assert.deepEqual(listed, [...listed].sort().reverse());
  const first = made.slice(0, 25);
  const place = listed.findIndex((id) => first.includes(id));
  assert.ok(place >= 225, String(place));
  assert.equal((await get(user, { job_id: made[0] })).job_id, made[0]);
  const other = await newUser();
  await fails(404, 'GenerationJobNotFound', 'GET', `/jobs/${made[0]}`, { user: other });
  assert.equal((await all('/jobs', { user: other })).length, 0);
});

test('FF-A8: the list of a status moves with the job', async () => {
  const user = await newUser({ credits: 5 });
  const job = await submit(user);
  const has = async (status) => {
    const from = job.created_at - 1;
    const items = await all(`/admin/jobs?status=${status}&from=${from}&order=desc`, { user: admin });
    return items.some(({ job_id }) => job_id === job.job_id);
  };
  assert.ok(await has('queued'));
  const token = await callbackToken(user, job);
  assert.equal((await fal(token, { eventId: `ev-${randomUUID()}`, request_id: 'r', status: 'IN_PROGRESS' })).json.applied, true);
  assert.ok(!(await has('queued')) && (await has('running')));
  assert.ok((await get(user, job)).started_at);
  await finish(user, job);
  assert.ok(!(await has('running')) && (await has('succeeded')));
  await fails(400, 'ValidationFailed', 'GET', '/admin/jobs?status=done', { user: admin });
  await fails(403, 'Forbidden', 'GET', '/admin/jobs?status=queued', { user });
});

test('FF-O10: a result becomes images with their tags, once', async () => {
  const user = await newUser({ credits: 4 });
  const tags = ['pose:sitting', `run:${randomUUID().slice(0, 8)}`];
  const job = await submit(user, { count: 4, tags });
  const token = await callbackToken(user, job);
  const event = result(4);
  const replies = await atOnce(20, () => fal(token, event));
  assert.deepEqual([...new Set(statuses(replies))], [200]);
  assert.equal(replies.filter(({ json }) => json.applied).length, 1);
  const done = await get(user, job);
  assert.equal(done.status, 'succeeded');
  assert.equal(done.image_ids.length, 4);
  assert.equal((await query(`TAG#${tags[1]}`)).length, 4);
  assert.equal((await all('/images', { user })).length, 4);
  const image = await raw(`IMG#${done.image_ids[0]}`, 'META');
  assert.equal(image.imagesByUser_pk, `USER#${user.id}`);
  assert.equal(image.public, false);
  assert.equal(image.flag_status, 'clean');
  assert.deepEqual(image.tags, tags);
  assert.equal((await outbox('copy-object', ({ image_id }) => done.image_ids.includes(image_id))).length, 4);
  assert.equal((await fal(token, result(4))).json.applied, false);
  assert.equal((await all('/images', { user })).length, 4);
});

test('FF-O10: callbacks must know the token and be signed', async () => {
  const user = await newUser({ credits: 1 });
  const job = await submit(user);
  const token = await callbackToken(user, job);
  assert.equal((await fal(token, result(), { secret: 'x' })).json.error.code, 'SignatureInvalid');
  assert.equal((await fal(token, result(), { at: 1 })).json.error.code, 'SignatureExpired');
  const lost = await fal(randomUUID(), result());
  assert.equal(lost.status, 404);
  assert.equal(lost.json.error.code, 'JobNotFound');
  assert.equal((await get(user, job)).status, 'queued');
});

test('FF-O10, FF-R13: a failure gives the credits back, once', async () => {
  const user = await newUser({ credits: 3 });
  const job = await submit(user, { count: 3 });
  assert.equal(await credits(user), 0);
  const token = await callbackToken(user, job);
  await Promise.all(Array.from({ length: 10 }, (_, i) => fal(token, failure(i % 2 ? 'same' + job.job_id : undefined))));
  const done = await get(user, job);
  assert.equal(done.status, 'failed');
  assert.equal(done.error.message, 'out of memory');
  assert.ok(done.refunded_at);
  assert.equal(await credits(user), 3);
});

test('FF-O10: a result without images is a failure', async () => {
  const user = await newUser({ credits: 1 });
  const job = await submit(user);
  await fal(await callbackToken(user, job), { ...result(), payload: { images: [{ url: 'javascript:alert(1)' }] } });
  assert.equal((await get(user, job)).status, 'failed');
  assert.equal(await credits(user), 1);
});

test('FF-O11, FF-R12: a job that was canceled stays so', async () => {
  const user = await newUser({ credits: 2 });
  const job = await submit(user, { count: 2 });
  const done = await ok(200, 'POST', `/jobs/${job.job_id}/cancel`, { user });
  assert.equal(done.status, 'canceled');
  assert.equal(await credits(user), 2);
  await ok(200, 'POST', `/jobs/${job.job_id}/cancel`, { user });
  assert.equal((await fal(await callbackToken(user, job), result(2))).json.applied, false);
  assert.equal((await get(user, job)).status, 'canceled');
  assert.equal((await all('/images', { user })).length, 0);
  assert.equal(await credits(user), 2);
  await fails(404, 'JobNotFound', 'POST', `/jobs/${job.job_id}/cancel`, { user: await newUser() });
  const other = await newUser({ credits: 1 });
  const finished = await finish(other, await submit(other));
  await fails(409, 'JobNotCancelable', 'POST', `/jobs/${finished.job_id}/cancel`, { user: other });
});

test('FF-O11: canceling against a result has one outcome, and the money fits', async () => {
  for (let round = 0; round < 15; round += 1) {
    const user = await newUser({ credits: 1 });
    const job = await submit(user);
    const token = await callbackToken(user, job);
    const [cancel, webhook] = await Promise.all([call('POST', `/jobs/${job.job_id}/cancel`, { user }), fal(token, result())]);
    const { status } = await get(user, job);
    const images = (await all('/images', { user })).length;
    assert.equal(webhook.status, 200);
    if (status === 'canceled') {
      assert.deepEqual([cancel.status, images, await credits(user)], [200, 0, 1]);
    } else {
      assert.deepEqual([status, cancel.status, images, await credits(user)], ['succeeded', 409, 1, 0]);
    }
    assert.equal((await raw(`USER#${user.id}`, 'PROFILE')).active_jobs, 0);
  }
});

test('FF-O12: a failed job is tried again once', async () => {
  const user = await newUser({ credits: 5 });
  const job = await submit(user, { count: 2 });
  await fails(409, 'JobNotRetryable', 'POST', `/jobs/${job.job_id}/retry`, { user, headers: key() });
  await fal(await callbackToken(user, job), failure());
  assert.equal(await credits(user), 5);
  const replies = await atOnce(5, () => call('POST', `/jobs/${job.job_id}/retry`, { user, headers: key() }));
  assert.equal(count(replies, 201), 1);
  assert.equal(count(replies, 409), 4);
  const again = replies.find(({ status }) => status === 201).json;
  assert.equal(again.retry_of, job.job_id);
  assert.equal(again.attempt, 2);
  assert.equal(again.prompt_json.prompt, 'a fox');
  assert.equal(await credits(user), 3);
  assert.equal((await raw(`USER#${user.id}`, `JOB#${job.job_id}`)).retried_by, again.job_id);
  assert.equal((await outbox('provider-call', ({ job_id }) => job_id === again.job_id)).length, 1);
  assert.equal((await finish(user, again)).status, 'succeeded');
  await fails(404, 'JobNotFound', 'POST', `/jobs/${randomUUID()}/retry`, { user, headers: key() });
});

test('FF-R12: every other move of the status is refused', async () => {
  const user = await newUser({ credits: 3 });
  const job = await finish(user, await submit(user));
  const token = await callbackToken(user, job);
  for (const event of [failure(), { ...result(), status: 'IN_PROGRESS' }, result()]) {
    assert.equal((await fal(token, event)).json.applied, false);
    assert.equal((await get(user, job)).status, 'succeeded');
  }
});
