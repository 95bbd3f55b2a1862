// Generation from end to end: a stand-in for the providers takes the jobs, reports on them and serves the images, which
// end in the object store. Servers of their own, some of which are killed.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { eventually, makePng, startGenerator } from '../lib/generator.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { admin, call, fails, jobBody, kPassword, kSecret, newEmail, ok, plainItem, service, suite } from './figureforge_fixture.js';

// A server with its providers; `data` survives the server.
class World {
  static async start({ data, env = {} } = {}) {
    const world = new World();
    world.generator = await startGenerator();
    world.data = data;
    await world.restart(env);
    return world;
  }

  async restart(env = {}) {
    this.server = await startServer({
      data: this.data,
      http: true,
      s3: true,
      args: ['--systems', 'figureforge', '--test-clock'],
      env: { GATELEG_JWT_SECRET: kSecret, ...this.generator.env(), ...env },
    });
    this.base = this.server.httpUrl;
    this.generator.gateleg = this.base;
  }

  async end() {
    await this.server.kill();
    await this.generator.close();
  }

  ok = (status, method, path, options = {}) => ok(status, method, path, { base: this.base, ...options });

  async newUser(credits = 10) {
    const { token, user } = await this.ok(201, 'POST', '/users', { body: { email: newEmail(), password: kPassword } });
    await this.ok(200, 'POST', `/admin/users/${user.user_id}/credits`, { user: admin, body: { amount: credits, reason: 'test' } });
    return { token, id: user.user_id };
  }

  submit(user, { provider = 'fal.ai', ...options } = {}) {
    return this.ok(201, 'POST', '/jobs', { user, body: { ...jobBody(options), provider }, headers: { 'idempotency-key': randomUUID() } });
  }

  job = (user, { job_id }) => this.ok(200, 'GET', `/jobs/${job_id}`, { user });
  credits = async (user) => (await this.ok(200, 'GET', '/users/me', { user })).credits;
  images = async (user) => (await this.ok(200, 'GET', '/images?limit=100', { user })).items;

  // The job at the provider, as soon as it is there.
  atProvider = (prompt) => eventually(() => this.generator.job(({ input }) => input.prompt === prompt), () => this.server.log.slice(-3000));
  ended = (user, job) =>
    eventually(async () => {
      const now = await this.job(user, job);
      return ['succeeded', 'failed', 'canceled'].includes(now.status) && now;
    }, () => this.server.log.slice(-3000));
  // All images of the user, as soon as their bytes are here.
  stored = (user, count) =>
    eventually(async () => {
      const images = await this.images(user);
      const one = await Promise.all(images.map(({ image_id }) => this.ok(200, 'GET', `/images/${image_id}`, { user })));
      return images.length === count && one.every(({ expiresAt }) => expiresAt) && one;
    }, () => this.server.log.slice(-3000));

  async rows(prefix) {
    const reply = await fetch(this.server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.Scan' },
      body: JSON.stringify({ TableName: 'figureforge', ConsistentRead: true, FilterExpression: 'begins_with(pk, :p)', ExpressionAttributeValues: { ':p': { S: prefix } } }),
    });
    return (await reply.json()).Items.map(plainItem);
  }

  clock = (change) => fetch(`${this.base}/_test/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) });
  async object(key) {
    const client = new S3Client({ endpoint: this.server.s3Url, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId: 'any', secretAccessKey: 'any' } });
    try {
      const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket: 'figureforge-prod', Key: key }));
      return { bytes: Buffer.from(await Body.transformToByteArray()), type: ContentType };
    } finally {
      client.destroy();
    }
  }
}

let shared;
const test = suite('generation', {
  before: async () => { shared = await World.start(); },
  after: async () => shared.end(),
});
const newPrompt = () => `a fox ${randomUUID()}`;
const bytesOf = async (url) => {
  const reply = await fetch(url);
  assert.equal(reply.status, 200, await (reply.ok ? '' : reply.text()));
  return Buffer.from(await reply.arrayBuffer());
};
// What the two kinds of providers say of a job that is done.
const success = {
  'fal.ai': (job, urls) => ({ eventId: `ev-${job.id}`, request_id: job.id, status: 'OK', payload: { images: urls.map((url) => ({ url, width: 64, height: 48 })) } }),
  runpod: (job, urls) => ({ id: job.id, status: 'COMPLETED', output: { images: urls.map((url) => ({ url })) }, delayTime: 10, executionTime: 900 }),
};
const failure = {
  'fal.ai': (job) => ({ request_id: job.id, status: 'ERROR', error: 'no GPU is free' }),
  runpod: (job) => ({ id: job.id, status: 'FAILED', error: 'no GPU is free' }),
};
const kProviders = ['fal.ai', 'runpod'];

for (const provider of kProviders) {
  test(`FF-O8 FF-O10 ${provider}: a job becomes images whose bytes are in the object store`, async () => {
    const user = await shared.newUser();
    const prompt = newPrompt();
    const job = await shared.submit(user, { provider, prompt, count: 2, tags: ['style:comic'] });
    const at = await shared.atProvider(prompt);
    assert.equal(at.service, provider === 'runpod' ? 'runpod' : 'fal');
    assert.deepEqual(at.input, { prompt, negative_prompt: 'blur', num_images: 2 });
    assert.match(at.webhook, /^https:\/\/gateleg.example\/v1\/ff\/webhooks\/provider\/[0-9a-f-]{36}$/);
    await eventually(async () => (await shared.job(user, job)).provider_request_id === at.id);
    const pictures = [makePng(64, 48, 1), makePng(64, 48, 2)];
    const urls = pictures.map((bytes, i) => shared.generator.addFile(`${at.id}-${i}.png`, bytes));
    const reply = await shared.generator.report(at, success[provider](at, urls));
    assert.deepEqual([reply.status, await reply.json()], [200, { received: true, applied: true }]);
    const done = await shared.job(user, job);
    assert.equal(done.status, 'succeeded');
    const images = await shared.stored(user, 2);
    assert.deepEqual(images.map(({ image_id }) => image_id).sort(), [...done.image_ids].sort());
    for (const image of images) {
      assert.deepEqual([image.width, image.height, image.tags], [64, 48, ['style:comic']]);
      const object = await shared.object(image.s3_key);
      assert.equal(object.type, 'image/png', 'the type is that of the bytes');
      assert.ok(pictures.some((bytes) => bytes.equals(object.bytes)));
      assert.ok(object.bytes.equals(await bytesOf(image.url)), 'the link of the answer');
      const { url } = await shared.ok(200, 'POST', `/images/${image.image_id}/signed-url`, { user, body: { ttl: 60 } });
      assert.ok(object.bytes.equals(await bytesOf(url)), 'a link that was asked for');
    }
    assert.equal(await shared.credits(user), 8);
    await eventually(async () => (await shared.rows('OUTBOX#')).every(({ payload }) => payload.user_id !== user.id || payload.email));
  });

  test(`FF-O10 FF-R13 ${provider}: a failure gives the credits back once`, async () => {
    const user = await shared.newUser();
    const prompt = newPrompt();
    const job = await shared.submit(user, { provider, prompt, count: 4 });
    const at = await shared.atProvider(prompt);
    assert.equal(await shared.credits(user), 6);
    for (let i = 0; i < 3; i += 1) assert.equal((await shared.generator.report(at, failure[provider](at))).status, 200);
    const done = await shared.job(user, job);
    assert.deepEqual([done.status, done.error.message], ['failed', 'no GPU is free']);
    assert.equal(await shared.credits(user), 10);
    const late = await shared.generator.report(at, success[provider](at, [shared.generator.addFile('late.png', makePng(8, 8))]));
    assert.deepEqual(await late.json(), { received: true, applied: false });
    assert.deepEqual(await shared.images(user), []);
    // Only whoever has the job can speak of it.
    const other = provider === 'runpod' ? 'whsec_fal_stand_in' : 'whsec_runpod_stand_in';
    assert.equal((await shared.generator.report(at, failure[provider](at), { secret: other })).status, 400);
  });

  test(`FF-O10 X-R12 ${provider}: the same report many times, at once, is one`, async () => {
    const user = await shared.newUser();
    const prompt = newPrompt();
    await shared.submit(user, { provider, prompt });
    const at = await shared.atProvider(prompt);
    const url = shared.generator.addFile(`${at.id}.png`, makePng(32, 32));
    const replies = await Promise.all(Array.from({ length: 10 }, () => shared.generator.report(at, success[provider](at, [url]))));
    const bodies = await Promise.all(replies.map((reply) => reply.json()));
    assert.equal(bodies.filter(({ applied }) => applied).length, 1, JSON.stringify(bodies));
    await shared.stored(user, 1);
    assert.equal(await shared.credits(user), 9);
  });

  test(`FF-O10 ${provider}: a provider that never calls back is asked`, async () => {
    const user = await shared.newUser();
    const prompt = newPrompt();
    const job = await shared.submit(user, { provider, prompt });
    const at = await shared.atProvider(prompt);
    await eventually(async () => (await shared.job(user, job)).provider_request_id);
    const poll = async (minutes) => {
      await shared.clock({ advance: `PT${minutes}M` });
      await shared.ok(200, 'POST', '/admin/tasks/poll-jobs', { user: service, body: {} });
    };
    try {
      await poll(2);
      await eventually(async () => (await shared.job(user, job)).status === 'running', () => shared.server.log.slice(-3000));
      const url = shared.generator.addFile(`${at.id}.png`, makePng(40, 30));
      const report = success[provider](at, [url]);
      shared.generator.results.set(at.id, provider === 'runpod' ? report : report.payload);
      await poll(2);
      assert.equal((await shared.ended(user, job)).status, 'succeeded');
      await shared.stored(user, 1);
      assert.equal(await shared.credits(user), 9);
      const asked = shared.generator.requests.filter(({ method, path }) => method === 'GET' && path.includes(at.id)).length;
      await poll(2);
      assert.equal((await shared.rows('OUTBOX#')).filter(({ kind }) => kind === 'provider-poll').length, 0, 'nobody asks any more');
      assert.ok(asked >= 2);
    } finally {
      await shared.clock({});
    }
  });
}

test('FF-O8 FF-R13: what a provider refuses has failed at once', async () => {
  const user = await shared.newUser();
  const prompt = newPrompt();
  shared.generator.statuses = [422];
  const job = await shared.submit(user, { prompt });
  const done = await shared.ended(user, job);
  assert.equal(done.status, 'failed');
  assert.match(done.error.message, /422/);
  assert.equal(await shared.credits(user), 10);
  assert.equal(shared.generator.submissions(({ body }) => body.includes(prompt)).length, 1);
  const again = await shared.ok(201, 'POST', `/jobs/${job.job_id}/retry`, { user, headers: { 'idempotency-key': randomUUID() } });
  assert.equal(again.attempt, 2);
  assert.ok(await shared.atProvider(prompt));
});

test('X-R11: a provider that is busy gets the job later, under the same key', async () => {
  const user = await shared.newUser();
  const prompt = newPrompt();
  shared.generator.statuses = [503, 429, 500];
  await shared.submit(user, { prompt });
  const at = await shared.atProvider(prompt);
  const sent = shared.generator.submissions(({ body }) => body.includes(prompt));
  assert.equal(sent.length, 4);
  assert.equal(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size, 1);
  await shared.generator.report(at, success['fal.ai'](at, [shared.generator.addFile(`${at.id}.png`, makePng(16, 16))]));
  await shared.stored(user, 1);
});

test('FF-O11: a provider is told that a job was canceled, and what it still sends counts for nothing', async () => {
  for (const provider of kProviders) {
    const user = await shared.newUser();
    const prompt = newPrompt();
    const job = await shared.submit(user, { provider, prompt });
    const at = await shared.atProvider(prompt);
    await eventually(async () => (await shared.job(user, job)).provider_request_id);
    await shared.ok(200, 'POST', `/jobs/${job.job_id}/cancel`, { user });
    await eventually(() => at.canceled, () => shared.server.log.slice(-3000));
    const late = await shared.generator.report(at, success[provider](at, [shared.generator.addFile('x.png', makePng(8, 8))]));
    assert.equal((await late.json()).applied, false);
    assert.equal(await shared.credits(user), 10);
    assert.deepEqual(await shared.images(user), []);
  }
});

test('FF-R12 FF-R13: with a provider that is down the watchdog pays back; a job that has ended is not sent any more', async () => {
  const world = await World.start({ env: { GATELEG_OUTBOX_BACKOFF: 'PT10M' } });
  try {
    const user = await world.newUser();
    const prompt = newPrompt();
    world.generator.statuses = [503];
    const job = await world.submit(user, { prompt });
    const waits = async () => (await world.rows('OUTBOX#')).find(({ kind, payload }) => kind === 'provider-call' && payload.job_id === job.job_id);
    await eventually(async () => (await waits())?.attempts === 1, () => world.server.log.slice(-3000));
    await world.clock({ advance: 'PT1M' });
    await world.ok(200, 'POST', '/admin/tasks/job-watchdog', { user: service, body: {} });
    assert.equal((await world.job(user, job)).status, 'queued');
    const kept = await world.submit(user, { prompt: newPrompt() });
    await world.ok(200, 'POST', `/jobs/${job.job_id}/cancel`, { user });
    assert.equal(await world.credits(user), 9);
    await world.clock({ advance: 'PT61M' });
    await world.ok(200, 'POST', '/admin/tasks/job-watchdog', { user: service, body: {} });
    const ended = await world.job(user, kept);
    assert.deepEqual([ended.status, ended.error.code], ['failed', 'Timeout']);
    assert.equal(await world.credits(user), 10);
    await eventually(async () => !(await waits()), () => world.server.log.slice(-3000));
    assert.equal(world.generator.submissions(({ body }) => body.includes(prompt)).length, 1, 'the provider works for nobody');
    const [done] = (await world.rows('OUTBOXDONE#')).filter(({ payload }) => payload.job_id === job.job_id && payload.input);
    assert.deepEqual(done.answer, { skipped: 'JobEnded' });
  } finally {
    await world.end();
  }
});

test('X-R11 X-H5: killed at every step, nothing is lost and nothing happens twice', async () => {
  const data = tempDir('gateleg-generation');
  const none = { GATELEG_FAL_URL: '', GATELEG_RUNPOD_URL: '' };
  const world = await World.start({ data, env: none });
  try {
    // Before the provider has heard of it.
    const user = await world.newUser();
    const prompt = newPrompt();
    const job = await world.submit(user, { prompt, count: 2 });
    await world.server.kill();
    // While the provider takes it.
    let arrived;
    const arrival = new Promise((resolve) => { arrived = resolve; });
    let release;
    world.generator.submitHook = () => {
      arrived();
      return new Promise((resolve) => { release = resolve; });
    };
    await world.restart();
    await arrival;
    await world.server.kill();
    world.generator.submitHook = null;
    release();
    await world.restart();
    const at = await world.atProvider(prompt);
    await eventually(async () => (await world.job(user, job)).provider_request_id === at.id, () => world.server.log.slice(-3000));
    assert.equal(world.generator.jobs.size, 1, 'one job at the provider');
    // While the images are on their way.
    const pictures = [makePng(80, 60, 5), makePng(80, 60, 6)];
    const urls = pictures.map((bytes, i) => world.generator.addFile(`${at.id}-${i}.png`, bytes));
    let fetched;
    const fetching = new Promise((resolve) => { fetched = resolve; });
    const held = [];
    world.generator.fileHook = () => {
      fetched();
      return new Promise((resolve) => { held.push(resolve); });
    };
    assert.equal((await world.generator.report(at, success['fal.ai'](at, urls))).status, 200);
    await fetching;
    await world.server.kill();
    world.generator.fileHook = null;
    held.forEach((resolve) => resolve());
    await world.restart();
    // The provider does not know whether it was heard.
    const again = await world.generator.report(at, success['fal.ai'](at, urls));
    assert.deepEqual(await again.json(), { received: true, applied: false });
    const images = await world.stored(user, 2);
    for (const image of images) {
      const { bytes } = await world.object(image.s3_key);
      assert.ok(pictures.some((picture) => picture.equals(bytes)));
    }
    assert.equal((await world.job(user, job)).status, 'succeeded');
    assert.equal(await world.credits(user), 8);
    assert.equal((await world.rows('IMG#')).length, 2);
    await world.server.kill();
    await world.restart();
    assert.equal((await world.images(user)).length, 2);
    assert.equal((await world.object(images[0].s3_key)).type, 'image/png');
  } finally {
    await world.end();
    removeDir(data);
  }
});

test('FF-T16: what leaves the public is purged from the CDN', async () => {
  const world = await World.start({ env: { } });
  await world.server.kill();
  const purges = [];
  const cdn = await startGenerator();
  cdn.server.removeAllListeners('request');
  cdn.server.on('request', async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    purges.push(JSON.parse(Buffer.concat(pieces).toString()));
    response.end('{}');
  });
  await world.restart({
    GATELEG_CDN_PURGE_URL: `http://127.0.0.1:${cdn.port}/purge`,
    GATELEG_OUTBOUND_ALLOW: `127.0.0.1:${world.generator.port},127.0.0.1:${cdn.port}`,
  });
  try {
    const user = await world.newUser();
    const publish = async (shared = true) => {
      const prompt = newPrompt();
      const job = await world.submit(user, { prompt });
      const at = await world.atProvider(prompt);
      await world.generator.report(at, success['fal.ai'](at, [world.generator.addFile(`${at.id}.png`, makePng(8, 8))]));
      const [id] = (await world.ended(user, job)).image_ids;
      if (shared) await world.ok(200, 'PUT', `/images/${id}/visibility`, { user, body: { public: true } });
      return id;
    };
    const purged = (id) => purges.filter(({ payload }) => payload.image_id === id).map(({ kind, payload }) => [kind, payload.url]);
    const [hidden, deleted, blocked, unseen] = [await publish(), await publish(), await publish(), await publish(false)];
    await world.ok(200, 'PUT', `/images/${hidden}/visibility`, { user, body: { public: false } });
    await world.ok(200, 'DELETE', `/images/${deleted}`, { user });
    await world.ok(200, 'DELETE', `/images/${unseen}`, { user });
    await world.ok(200, 'POST', `/admin/images/${blocked}/flag`, { user: admin, body: { flag_status: 'auto_blocked', reason: 'test' } });
    for (const id of [hidden, deleted, blocked]) {
      await eventually(() => purged(id).length > 0, () => world.server.log.slice(-3000));
      const [image] = await world.rows(`IMG#${id}`);
      assert.deepEqual(purged(id), [['cdn-purge', `https://cdn.figureforge.example/${image.s3_key}`]]);
    }
    await world.ok(200, 'DELETE', `/images/${hidden}`, { user });
    await world.ok(200, 'DELETE', `/images/${deleted}`, { user });
    await eventually(async () => (await world.rows('OUTBOX#')).every(({ kind }) => kind !== 'cdn-purge'));
    assert.deepEqual([purged(hidden).length, purged(deleted).length, purged(unseen).length], [1, 1, 0]);
  } finally {
    await world.end();
    await cdn.close();
  }
});

test('FF-R1: administrators and moderators list what was deleted as well', async () => {
  const user = await shared.newUser();
  const ids = [];
  for (let i = 0; i < 3; i += 1) {
    const prompt = newPrompt();
    const job = await shared.submit(user, { prompt });
    const at = await shared.atProvider(prompt);
    await shared.generator.report(at, success['fal.ai'](at, [shared.generator.addFile(`${at.id}.png`, makePng(8, 8))]));
    ids.push((await shared.ended(user, job)).image_ids[0]);
  }
  await shared.ok(200, 'DELETE', `/images/${ids[1]}`, { user });
  const listed = async (path, as) => (await shared.ok(200, 'GET', path, { user: as })).items.map(({ image_id }) => image_id).sort();
  assert.deepEqual(await listed('/images', user), [ids[0], ids[2]].sort());
  assert.deepEqual(await listed(`/users/${user.id}/images?include=deleted`, admin), [...ids].sort());
  const page = await shared.ok(200, 'GET', `/users/${user.id}/images?include=deleted&limit=2`, { user: admin });
  const rest = await shared.ok(200, 'GET', `/users/${user.id}/images?include=deleted&limit=2&cursor=${encodeURIComponent(page.cursor)}`, { user: admin });
  assert.deepEqual([...page.items, ...rest.items].map(({ image_id }) => image_id).sort(), [...ids].sort());
  assert.equal(page.items.concat(rest.items).filter(({ deleted_at }) => deleted_at).length, 1);
  const refuse = (status, code, path, as) => fails(status, code, 'GET', path, { user: as, base: shared.base });
  await refuse(403, 'Forbidden', '/images?include=deleted', user);
  await refuse(403, 'Forbidden', `/users/${user.id}/images?include=deleted`, user);
  await refuse(401, 'Unauthenticated', `/users/${user.id}/images?include=deleted`);
  await refuse(400, 'ValidationFailed', `/users/${user.id}/images?include=everything`, admin);
  await refuse(400, 'InvalidCursor', `/users/${user.id}/images?include=deleted&cursor=x`, admin);
  assert.deepEqual((await call('GET', '/images?include=deleted', { user: admin, base: shared.base })).json.items, []);
});
