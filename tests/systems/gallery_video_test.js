// Image to video: seconds are charged, jobs end once, refunds go back where they came from.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { admin, all, call, fails, get, getRaw, many, newKey, newMedia, newUser, ok, outbox, scan, setClock, signed, tally, task, times } from './gallery_fixture.js';

const test = suite('gallery video');
const kRequest = { videoLength: 5, prompt: 'waves', negativePrompt: '', seed: '42', flowShift: 5, inferenceSteps: 30, cfgScale: 5, optimizePrompt: true, width: 720, height: 720 };
const submit = (user, mediaId, more = {}, key = newKey()) => ({ user, key, body: { mediaId, ...kRequest, ...more } });
const seconds = async (user) => {
  const raw = await user.raw();
  return [raw.i2vCreditsSecondsFromPlan, raw.i2vCreditsSecondsPurchased];
};
async function newJob(more = {}, request = {}) {
  const user = await newUser({ i2vCreditsSecondsPurchased: 5, ...more });
  const media = await newMedia(user);
  const job = await ok(201, 'POST', '/i2v/jobs', submit(user, media.id, request));
  return { user, media, job, token: (await getRaw(`I2VJOB#${job.jobId}`)).callbackToken };
}
const report = (token, body, options) => call('POST', `/webhooks/runpod/${token}`, signed('RUNPOD', body, options));
const state = async ({ user, job }) => (await get(`/i2v/jobs/${job.jobId}`, user)).status;

test('GA-O37 GA-R25: plan seconds first, then purchased; the job and the request to the provider at once', async () => {
  const it = await newJob({ i2vCreditsSecondsFromPlan: 3, i2vCreditsSecondsPurchased: 4 }, { isPublic: true });
  assert.deepEqual(await seconds(it.user), [0, 2]);
  assert.equal(it.job.status, 'IN_QUEUE');
  assert.equal(it.job.request.videoLength, 5);
  assert.equal(it.job.request.seed, '42');
  assert.equal(it.job.submittedAt, it.job.createdAt);
  assert.ok(!('callbackToken' in it.job));
  const raw = await getRaw(`I2VJOB#${it.job.jobId}`);
  assert.deepEqual([raw.chargedFromPlan, raw.chargedFromPurchased, raw.request.isPublic], [3, 2, true]);
  assert.deepEqual([raw.GSI1PK, raw.GSI2PK, raw.GSI3PK, raw.GSI4PK], [`I2VJOB_BY_USER#${it.user.id}`, `I2VJOB_BY_MEDIA#${it.media.id}`, 'I2VJOB_STATUS#IN_QUEUE', `I2VJOB_STATUS_USER#${it.user.id}#IN_QUEUE`]);
  const [{ payload }] = await outbox('runpod-submit', ({ jobId }) => jobId === it.job.jobId);
  assert.equal(payload.input.request.prompt, 'waves');
  assert.equal(payload.input.image, `https://media.example/${it.media.id}`);
  assert.equal(payload.token, it.token);
  assert.ok(it.token.length >= 20);
});

test('GA-O37: ten seconds, five requests of five at once, two jobs', async () => {
  const user = await newUser({ i2vCreditsSecondsFromPlan: 7, i2vCreditsSecondsPurchased: 3 });
  const media = await newMedia(user);
  const replies = await times(5, () => call('POST', '/i2v/jobs', submit(user, media.id)));
  assert.deepEqual(tally(replies), { 201: 2, '402 InsufficientVideoSeconds': 3 });
  assert.deepEqual(await seconds(user), [0, 0]);
  assert.equal((await all('/i2v/jobs', user)).length, 2);
});

test('GA-O37: one key is one job; without a key nothing is charged', async () => {
  const user = await newUser({ i2vCreditsSecondsPurchased: 30 });
  const media = await newMedia(user);
  const key = newKey();
  const replies = await times(10, () => call('POST', '/i2v/jobs', submit(user, media.id, {}, key)));
  assert.deepEqual(tally(replies), { 201: 10 });
  assert.deepEqual(await seconds(user), [0, 25]);
  await fails(428, 'IdempotencyKeyRequired', 'POST', '/i2v/jobs', { user, body: { mediaId: media.id, ...kRequest } });
});

test('GA-O37 GA-E15R: requests out of range, media that will not do', async () => {
  const user = await newUser({ i2vCreditsSecondsPurchased: 100 });
  const other = await newUser();
  const media = await newMedia(user);
  const bad = [{ videoLength: 6 }, { videoLength: '5' }, { flowShift: 11 }, { flowShift: 0 }, { inferenceSteps: 19 }, { inferenceSteps: 41 }, { cfgScale: 0.5 }, { cfgScale: 10.5 }, { seed: 42 }, { isPublic: 'true' }, { prompt: 7 }];
  for (const more of bad) await fails(400, 'ValidationFailed', 'POST', '/i2v/jobs', submit(user, media.id, more));
  await fails(400, 'UnknownField', 'POST', '/i2v/jobs', submit(user, media.id, { chargedFromPlan: 0 }));
  await fails(404, 'MediaNotFound', 'POST', '/i2v/jobs', submit(user, 'none'));
  await fails(404, 'MediaNotFound', 'POST', '/i2v/jobs', submit(user, (await newMedia(other, { isPublic: false })).id));
  await fails(409, 'MediaConflict', 'POST', '/i2v/jobs', submit(user, (await newMedia(user, { mimeType: 'video/mp4' })).id));
  await fails(409, 'MediaConflict', 'POST', '/i2v/jobs', submit(user, (await newMedia(user, { status: 'pending' })).id));
  await fails(402, 'InsufficientVideoSeconds', 'POST', '/i2v/jobs', submit(other, media.id));
  assert.deepEqual(await seconds(user), [0, 100]);
});

test('GA-O38 GA-R29 GA-T13 GA-T27: a completed job becomes one video, whatever is sent again', async () => {
  const it = await newJob({}, { isPublic: true });
  const started = { id: 'rp-done-1', status: 'IN_PROGRESS', delayTime: 1500 };
  assert.equal((await report(it.token, started)).json.applied, true);
  assert.equal(await state(it), 'IN_PROGRESS');
  assert.equal((await get(`/i2v/jobs/rp-done-1`, it.user)).jobId, it.job.jobId, 'by the id of the provider');
  const done = { id: 'rp-done-1', status: 'COMPLETED', output: { video_url: 'https://provider.example/v.mp4' }, delayTime: 2500, executionTime: 61250, extra: { kept: true } };
  const replies = await times(10, () => report(it.token, done));
  assert.deepEqual(replies.map(({ status }) => status), Array(10).fill(200));
  assert.equal(replies.filter(({ json }) => json.applied).length, 1);
  const job = await get(`/i2v/jobs/${it.job.jobId}`, it.user);
  assert.deepEqual([job.status, job.delayTime, job.executionTime], ['COMPLETED', 2.5, 61.25]);
  const videos = await scan((item) => item.EntityType === 'Media' && item.createdBy === it.user.id && item.type === 'video');
  assert.deepEqual(videos.map(({ id, isPublic, url, status }) => [id, isPublic, url, status]), [[job.resultMediaId, 'true', 'https://provider.example/v.mp4', 'uploaded']]);
  assert.deepEqual((await all('/notifications', it.user)).map(({ notificationType }) => notificationType), ['job_completed']);
  assert.equal((await outbox('copy-object', ({ mediaId }) => mediaId === job.resultMediaId)).length, 1);
  assert.deepEqual(await seconds(it.user), [0, 0]);
  // Late news change nothing.
  assert.equal((await report(it.token, { id: 'rp-done-1', status: 'FAILED' })).json.applied, false);
  assert.equal((await report(it.token, { id: 'rp-done-1', status: 'IN_QUEUE' })).json.applied, false);
  assert.equal(await state(it), 'COMPLETED');
  assert.deepEqual(await seconds(it.user), [0, 0]);
});

test('GA-O38 GA-R26 GA-T24: a failed job pays back once, into the pots it came from', async () => {
  for (const status of ['FAILED', 'TIMED_OUT', 'CANCELLED', 'COMPLETED']) {
    const it = await newJob({ i2vCreditsSecondsFromPlan: 2, i2vCreditsSecondsPurchased: 3 });
    const replies = await times(5, (n) => report(it.token, { eventId: `ev-${it.job.jobId}-${n}`, id: `rp-${it.job.jobId}`, status }));
    assert.deepEqual(tally(replies), { 200: 5 });
    assert.equal(replies.filter(({ json }) => json.applied).length, 1);
    assert.equal(await state(it), status === 'COMPLETED' ? 'FAILED' : status, 'a success without a video is none');
    assert.deepEqual(await seconds(it.user), [2, 3]);
    assert.equal((await get(`/i2v/jobs/${it.job.jobId}`, it.user)).refundedSeconds, 5);
    assert.deepEqual((await all('/notifications', it.user)).map(({ notificationType }) => notificationType), ['job_failed']);
  }
});

test('GA-R28: events in any order end in one of the ends, with the seconds kept or paid back', async () => {
  const orders = [];
  const permute = (done, left) => (left.length ? left.forEach((one, at) => permute([...done, one], left.toSpliced(at, 1))) : orders.push(done));
  permute([], ['IN_PROGRESS', 'COMPLETED', 'FAILED', 'SOMETHING_NEW']);
  for (const order of orders) {
    const it = await newJob();
    const id = `rp-${it.job.jobId}`;
    for (const status of order) {
      const output = status === 'COMPLETED' ? { output: { video_url: 'https://provider.example/v.mp4' } } : {};
      assert.equal((await report(it.token, { id, status, ...output })).status, 200);
    }
    const end = order.find((status) => ['COMPLETED', 'FAILED'].includes(status));
    assert.equal(await state(it), end, order.join());
    assert.deepEqual(await seconds(it.user), end === 'FAILED' ? [0, 5] : [0, 0], order.join());
    const videos = (await all(`/users/${it.user.id}/media`, it.user)).filter(({ type }) => type === 'video');
    assert.equal(videos.length, end === 'COMPLETED' ? 1 : 0);
  }
}, { seconds: 300 });

test('GA-O38 X-R12: only signed, fresh reports with the right token count', async () => {
  const it = await newJob();
  const body = { id: 'rp-sig', status: 'FAILED' };
  const send = (options) => call('POST', `/webhooks/runpod/${it.token}`, options);
  const good = signed('RUNPOD', body);
  const code = async (options) => (await send(options)).json?.error?.code;
  assert.equal(await code({ body: good.body, headers: { 'content-type': 'application/json' } }), 'SignatureInvalid');
  assert.equal(await code({ ...good, body: good.body.replace('FAILED', 'FAILED ') }), 'SignatureInvalid');
  assert.equal(await code(signed('RUNPOD', body, { secret: 'wrong' })), 'SignatureInvalid');
  assert.equal(await code(signed('RUNPOD', body, { at: Math.floor(Date.now() / 1000) - 1000 })), 'SignatureExpired');
  assert.equal(await code(signed('RUNPOD', body, { at: Math.floor(Date.now() / 1000) + 1000 })), 'SignatureExpired');
  const stranger = await call('POST', '/webhooks/runpod/0b0b0b0b-0000-4000-8000-000000000000', good);
  assert.deepEqual([stranger.status, stranger.json.error.code], [404, 'I2VJobNotFound']);
  for (const bad of [{}, { id: 'a#b', status: 'FAILED' }, { id: 7, status: 'FAILED' }, { id: 'x' }]) assert.equal((await send(signed('RUNPOD', bad))).status, 400);
  assert.equal(await state(it), 'IN_QUEUE');
});

test('GA-O39: a queued job is cancelled at once and paid back once', async () => {
  const it = await newJob({ i2vCreditsSecondsFromPlan: 5, i2vCreditsSecondsPurchased: 0 });
  const other = await newUser();
  await fails(404, 'I2VJobNotFound', 'POST', `/i2v/jobs/${it.job.jobId}/cancel`, { user: other });
  const replies = await many(5, 'POST', `/i2v/jobs/${it.job.jobId}/cancel`, { user: it.user });
  assert.deepEqual(tally(replies), { 200: 1, '200 unchanged': 4 });
  assert.deepEqual(await seconds(it.user), [5, 0]);
  assert.equal((await getRaw(`I2VJOB#${it.job.jobId}`)).GSI3PK, 'I2VJOB_STATUS#CANCELLED');
});

test('GA-O39: a running job is asked to stop, a finished one is not', async () => {
  const it = await newJob();
  const id = `rp-${it.job.jobId}`;
  await report(it.token, { id, status: 'IN_PROGRESS' });
  await ok(200, 'POST', `/i2v/jobs/${it.job.jobId}/cancel`, { user: it.user });
  assert.equal(await state(it), 'IN_PROGRESS');
  assert.deepEqual((await outbox('runpod-cancel', ({ jobId }) => jobId === it.job.jobId)).map(({ payload }) => payload.runpodJobId), [id]);
  await report(it.token, { id, status: 'CANCELLED' });
  assert.equal(await state(it), 'CANCELLED');
  assert.deepEqual(await seconds(it.user), [0, 0], 'what was begun is not paid back');
  const done = await newJob();
  await report(done.token, { id: `rp-${done.job.jobId}`, status: 'COMPLETED', output: { video_url: 'https://provider.example/v.mp4' } });
  await fails(409, 'JobNotCancelable', 'POST', `/i2v/jobs/${done.job.jobId}/cancel`, { user: done.user });
});

test('GA-O39: cancel against completion ends in one of the two, seconds to match', async () => {
  for (let round = 0; round < 10; round += 1) {
    const it = await newJob();
    await Promise.all([
      call('POST', `/i2v/jobs/${it.job.jobId}/cancel`, { user: it.user }),
      report(it.token, { id: `rp-${it.job.jobId}`, status: 'COMPLETED', output: { video_url: 'https://provider.example/v.mp4' } }),
    ]);
    const end = await state(it);
    assert.ok(['CANCELLED', 'COMPLETED'].includes(end), end);
    assert.deepEqual(await seconds(it.user), end === 'CANCELLED' ? [0, 5] : [0, 0]);
  }
});

test('GA-O40 GA-R27: five retries at once make one new job, linked both ways', async () => {
  const it = await newJob();
  await report(it.token, { id: `rp-${it.job.jobId}`, status: 'FAILED' });
  const replies = await times(5, () => call('POST', `/i2v/jobs/${it.job.jobId}/retry`, { user: it.user, key: newKey() }));
  assert.deepEqual(tally(replies), { 201: 1, '409 JobAlreadyRetried': 4 });
  const retried = replies.find(({ status }) => status === 201).json;
  assert.equal(retried.retryOfJobId, it.job.jobId);
  assert.equal((await get(`/i2v/jobs/${it.job.jobId}`, it.user)).retryJobId, retried.jobId);
  assert.deepEqual(await seconds(it.user), [0, 0], 'what was paid back is charged again');
  assert.equal((await outbox('runpod-submit', ({ jobId }) => jobId === retried.jobId)).length, 1);
  await fails(409, 'JobNotRetryable', 'POST', `/i2v/jobs/${retried.jobId}/retry`, { user: it.user, key: newKey() });
  const poor = await newJob();
  await report(poor.token, { id: `rp-${poor.job.jobId}`, status: 'FAILED' });
  const media = await newMedia(poor.user);
  await ok(201, 'POST', '/i2v/jobs', submit(poor.user, media.id));
  await fails(402, 'InsufficientVideoSeconds', 'POST', `/i2v/jobs/${poor.job.jobId}/retry`, { user: poor.user, key: newKey() });
  await fails(404, 'I2VJobNotFound', 'POST', `/i2v/jobs/${it.job.jobId}/retry`, { user: poor.user, key: newKey() });
});

test('GA-O41 X-R13: an administrator pays back once', async () => {
  const it = await newJob({ i2vCreditsSecondsFromPlan: 1, i2vCreditsSecondsPurchased: 4 });
  await fails(409, 'JobRunning', 'POST', `/admin/i2v/jobs/${it.job.jobId}/refund`, { user: admin, body: {} });
  await report(it.token, { id: `rp-${it.job.jobId}`, status: 'COMPLETED', output: { video_url: 'https://provider.example/v.mp4' } });
  await fails(403, 'Forbidden', 'POST', `/admin/i2v/jobs/${it.job.jobId}/refund`, { user: it.user, body: {} });
  const replies = await many(20, 'POST', `/admin/i2v/jobs/${it.job.jobId}/refund`, { user: admin, body: { reason: 'black video' } });
  assert.deepEqual(tally(replies), { 200: 1, '409 AlreadyRefunded': 19 });
  assert.deepEqual(await seconds(it.user), [1, 4]);
  const { items } = await get('/admin/audit', admin);
  assert.equal(items.find(({ target }) => target === it.job.jobId).reason, 'black video');
});

test('GA-O42 GA-A59 GA-A31: the watchdog ends what hangs; a late success changes nothing', async () => {
  await setClock({ now: '2025-08-01T10:00:00Z' });
  try {
    const it = await newJob();
    await setClock({ now: '2025-08-01T10:29:00Z' });
    const fresh = await newJob();
    await setClock({ now: '2025-08-01T10:31:00Z' });
    const ran = await task('i2v-watchdog');
    assert.equal(ran.done, true);
    assert.equal(await state(it), 'TIMED_OUT');
    assert.equal(await state(fresh), 'IN_QUEUE');
    assert.deepEqual(await seconds(it.user), [0, 5]);
    const late = await report(it.token, { id: 'rp-late', status: 'COMPLETED', output: { video_url: 'https://provider.example/v.mp4' } });
    assert.deepEqual([late.status, late.json.applied], [200, false]);
    assert.equal(await state(it), 'TIMED_OUT');
    assert.deepEqual(await seconds(it.user), [0, 5]);
    const { items } = await get('/admin/audit', admin);
    assert.ok(items.some(({ action, target }) => action === 'late-event' && target === it.job.jobId));
    const listed = await all('/admin/i2v/jobs?status=TIMED_OUT', admin);
    assert.ok(listed.some(({ jobId }) => jobId === it.job.jobId));
  } finally {
    await setClock({});
  }
});

test('GA-A29 GA-A30 GA-A32: jobs by user, by media, by status; only their owner sees them', async () => {
  const it = await newJob({ i2vCreditsSecondsPurchased: 10 });
  const other = await newUser();
  const ids = (items) => items.map(({ jobId }) => jobId);
  assert.deepEqual(ids(await all('/i2v/jobs', it.user)), [it.job.jobId]);
  assert.deepEqual(ids(await all(`/patterns/ga-a30?mediaId=${it.media.id}`, it.user)), [it.job.jobId]);
  assert.deepEqual(ids(await all('/i2v/jobs?status=IN_QUEUE', it.user)), [it.job.jobId]);
  assert.deepEqual(ids(await all('/i2v/jobs?status=FAILED', it.user)), []);
  assert.deepEqual(ids(await all('/i2v/jobs', other)), []);
  assert.deepEqual(ids(await all(`/patterns/ga-a30?mediaId=${it.media.id}`, other)), []);
  await fails(404, 'I2VJobNotFound', 'GET', `/i2v/jobs/${it.job.jobId}`, { user: other });
  await fails(403, 'Forbidden', 'GET', '/admin/i2v/jobs?status=IN_QUEUE', { user: other });
  await fails(400, 'ValidationFailed', 'GET', '/i2v/jobs?status=CANCELED', { user: other });
});
