// Videos and thumbnails from end to end: a stand-in for RunPod fetches the image and hands over a video; small pictures are
// made of what was uploaded.

import assert from 'node:assert/strict';
import { eventually, makePng, pictureSize, startGenerator } from '../lib/generator.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { fromItem, kJwtSecret, token } from '../lib/system.js';

const kRequest = { videoLength: 5, prompt: 'waves', negativePrompt: '', seed: '42', flowShift: 5, inferenceSteps: 30, cfgScale: 5, optimizePrompt: true, width: 720, height: 720 };
const kPatience = { seconds: 400 };
const robot = { token: token({ sub: 'worker', roles: ['service'] }) };

class World {
  async start(data) {
    this.data = data;
    this.generator ??= await startGenerator();
    this.server = await startServer({
      data,
      http: true,
      s3: true,
      args: ['--systems', 'gallery', '--test-clock'],
      env: { GATELEG_JWT_SECRET: kJwtSecret, ...this.generator.env() },
    });
    this.generator.gateleg = this.server.httpUrl;
    return this;
  }

  async end() {
    await this.server.kill();
    await this.generator.close();
  }

  log = () => this.server.log.slice(-3000);

  async call(method, path, { user, body, key } = {}) {
    return fetch(`${this.server.httpUrl}/v1/gallery${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body && { 'content-type': 'application/json' }), ...(user && { authorization: `Bearer ${user.token}` }), ...(key && { 'idempotency-key': key }) },
      body: body && JSON.stringify(body),
    });
  }

  async ok(status, method, path, options) {
    const reply = await this.call(method, path, options);
    const text = await reply.text();
    assert.equal(reply.status, status, `${method} ${path}: ${reply.status} ${text}`);
    return text && JSON.parse(text);
  }

  async dynamodb(operation, request) {
    const reply = await fetch(this.server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: JSON.stringify({ TableName: 'gallery', ...request }),
    });
    return reply.json();
  }

  async rows(prefix, kind) {
    const { Items } = await this.dynamodb('Scan', { ConsistentRead: true, FilterExpression: 'begins_with(PK, :p)', ExpressionAttributeValues: { ':p': { S: prefix } } });
    return Items.map(fromItem).filter((row) => !kind || row.kind === kind);
  }

  // Somebody with seconds of video.
  async newUser(name) {
    const { token: session, user } = await this.ok(201, 'POST', '/auth/signup', { body: { email: `${name}@example.com`, username: name, password: 'correct horse battery' } });
    await this.dynamodb('UpdateItem', {
      Key: { PK: { S: `USER#${user.userId}` }, SK: { S: 'METADATA' } },
      UpdateExpression: 'SET i2vCreditsSecondsPurchased = :s',
      ExpressionAttributeValues: { ':s': { N: '20' } },
    });
    return { id: user.userId, token: session };
  }

  async seconds(user) {
    const { Item } = await this.dynamodb('GetItem', { Key: { PK: { S: `USER#${user.id}` }, SK: { S: 'METADATA' } }, ConsistentRead: true });
    return Number(Item.i2vCreditsSecondsPurchased.N);
  }

  async upload(user, bytes, { isPublic = true } = {}) {
    const media = await this.ok(201, 'POST', '/media', { user, body: { originalFilename: 'sea.png', mimeType: 'image/png', size: bytes.length, isPublic } });
    const put = await fetch(media.uploadUrl, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: bytes });
    assert.equal(put.status, 200, await put.text());
    return this.ok(200, 'POST', `/media/${media.id}/complete`, { user, body: {} });
  }

  // The bytes behind an address of a media.
  async content(url, user) {
    const reply = await this.call('GET', url.replace(/^\/v1\/gallery/, ''), { user });
    assert.equal(reply.status, 302, await reply.text());
    const object = await fetch(reply.headers.get('location'));
    return { status: object.status, bytes: Buffer.from(await object.arrayBuffer()) };
  }

  async submit(user, media) {
    const job = await this.ok(201, 'POST', '/i2v/jobs', { user, key: `key-${media.id}`, body: { mediaId: media.id, ...kRequest } });
    const at = await eventually(() => this.generator.job(({ input }) => input.jobId === job.jobId), this.log);
    return { job, at };
  }

  job = (user, { jobId }) => this.ok(200, 'GET', `/i2v/jobs/${jobId}`, { user });
  clock = (change) => fetch(`${this.server.httpUrl}/_test/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) });
}

let world;
const test = suite('gallery generation', {
  before: async () => { world = await new World().start(); },
  after: async () => world.end(),
});
const video = Buffer.concat([Buffer.from('0000001866747970697336d0000000006d70343269736f6d', 'hex'), Buffer.alloc(5000, 7)]);

test('GA-O37 GA-O38: the provider gets a link to the image, and its video ends in the object store', async () => {
  const user = await world.newUser('videouser');
  const picture = makePng(200, 150, 3);
  const media = await world.upload(user, picture, { isPublic: false });
  const { job, at } = await world.submit(user, media);
  const image = Buffer.from(await (await fetch(at.input.image)).arrayBuffer());
  assert.ok(image.equals(picture), 'the provider can read what it shall move');
  assert.equal(await world.seconds(user), 15);
  const url = world.generator.addFile('waves.mp4', video);
  const report = { id: at.id, status: 'COMPLETED', output: { video_url: url }, delayTime: 1500, executionTime: 42000 };
  const replies = await Promise.all(Array.from({ length: 5 }, () => world.generator.report(at, report)));
  const bodies = await Promise.all(replies.map((reply) => reply.json()));
  assert.equal(bodies.filter(({ applied }) => applied).length, 1, JSON.stringify(bodies));
  const done = await world.job(user, job);
  assert.deepEqual([done.status, done.executionTime], ['COMPLETED', 42]);
  const result = await eventually(async () => {
    const found = await world.ok(200, 'GET', `/media/${done.resultMediaId}`, { user });
    return found.url.endsWith('/content') && found;
  }, world.log);
  assert.deepEqual([result.type, result.size], ['video', video.length]);
  assert.ok((await world.content(result.url, user)).bytes.equals(video));
  assert.equal((await world.call('GET', `/media/${result.id}/content`)).status, 404, 'it is private');
  assert.equal(await world.seconds(user), 15);
}, kPatience);

test('GA-O38: a failure, a refusal and silence give the seconds back or are asked about', async () => {
  const user = await world.newUser('unlucky');
  const first = await world.submit(user, await world.upload(user, makePng(20, 20, 1)));
  await world.generator.report(first.at, { id: first.at.id, status: 'FAILED', error: 'no GPU' });
  assert.equal((await world.job(user, first.job)).status, 'FAILED');
  assert.equal(await world.seconds(user), 20);
  world.generator.statuses = [400];
  const media = await world.upload(user, makePng(20, 20, 2));
  const refused = await world.ok(201, 'POST', '/i2v/jobs', { user, key: 'refused', body: { mediaId: media.id, ...kRequest } });
  await eventually(async () => (await world.job(user, refused)).status === 'FAILED', world.log);
  assert.equal(await world.seconds(user), 20);
  const silent = await world.submit(user, media);
  await eventually(async () => (await world.job(user, silent.job)).providerJobId === silent.at.id, world.log);
  world.generator.results.set(silent.at.id, { id: silent.at.id, status: 'COMPLETED', output: { video_url: world.generator.addFile('asked.mp4', video) } });
  await world.clock({ advance: 'PT2M' });
  try {
    await world.ok(200, 'POST', '/admin/tasks/i2v-poll', { user: robot, body: {} });
    await eventually(async () => (await world.job(user, silent.job)).status === 'COMPLETED', world.log);
    await eventually(async () => (await world.rows('OUTBOX#', 'copy-object')).length === 0, world.log);
  } finally {
    await world.clock({});
  }
  assert.equal(await world.seconds(user), 15);
}, kPatience);

test('X-R11: killed while a video is copied, it is there afterwards, once', async () => {
  const own = await new World().start(tempDir('gateleg-video'));
  try {
    const user = await own.newUser('survivor');
    const { job, at } = await own.submit(user, await own.upload(user, makePng(30, 20)));
    let fetched;
    const fetching = new Promise((resolve) => { fetched = resolve; });
    const held = [];
    own.generator.fileHook = () => {
      fetched();
      return new Promise((resolve) => { held.push(resolve); });
    };
    const report = { id: at.id, status: 'COMPLETED', output: { video_url: own.generator.addFile('v.mp4', video) } };
    assert.equal((await own.generator.report(at, report)).status, 200);
    await fetching;
    await own.server.kill();
    own.generator.fileHook = null;
    held.forEach((resolve) => resolve());
    await own.start(own.data);
    assert.equal((await (await own.generator.report(at, report)).json()).applied, false);
    const { resultMediaId } = await own.job(user, job);
    await eventually(async () => (await own.ok(200, 'GET', `/media/${resultMediaId}`, { user })).url.endsWith('/content'), own.log);
    assert.ok((await own.content(`/media/${resultMediaId}/content`, user)).bytes.equals(video));
    assert.equal((await own.rows('MEDIA#')).filter(({ type }) => type === 'video').length, 1);
  } finally {
    await own.end();
    removeDir(own.data);
  }
}, kPatience);

test('GA-O18 GA-R37 GA-T23: small pictures are made of an uploaded image, and go with it', async () => {
  const user = await world.newUser('painter');
  const picture = makePng(900, 600, 9);
  const media = await world.upload(user, picture);
  assert.deepEqual(Object.keys(media.thumbnailUrls).sort(), ['cover', 'large', 'medium', 'small']);
  assert.equal(media.thumbnailUrl, media.thumbnailUrls.small);
  assert.ok((await world.content(media.url, user)).bytes.equals(picture));
  const edges = { small: 160, medium: 480, large: 900, cover: 640 };
  const links = {};
  for (const [size, edge] of Object.entries(edges)) {
    await eventually(async () => {
      const { bytes } = await world.content(media.thumbnailUrls[size], user);
      return !bytes.equals(picture);  // until it is made, the image itself
    }, world.log);
    const { bytes } = await world.content(media.thumbnailUrls[size], user);
    const [type, width, height] = pictureSize(bytes);
    assert.equal(type, 'jpeg', size);
    assert.equal(width, edge, size);
    assert.ok(Math.abs(height - (edge * 2) / 3) <= 1, `${size}: ${height}`);
    links[size] = (await world.call('GET', `/media/${media.id}/content?size=${size}`, { user })).headers.get('location');
  }
  assert.equal((await world.call('GET', `/media/${media.id}/content?size=huge`, { user })).status, 400);
  // A cover has them too.
  const album = await world.ok(201, 'POST', '/albums', { user, body: { title: 'Sea', isPublic: true } });
  await world.ok(201, 'PUT', `/albums/${album.id}/media/${media.id}`, { user });
  await world.ok(200, 'PUT', `/albums/${album.id}/cover`, { user, body: { mediaId: media.id } });
  const covered = await world.ok(200, 'GET', `/albums/${album.id}`, {});
  assert.equal(covered.thumbnailUrls.cover, media.thumbnailUrls.cover);
  await world.ok(200, 'DELETE', `/media/${media.id}`, { user });
  for (const link of Object.values(links)) await eventually(async () => (await fetch(link)).status === 404, world.log);
}, kPatience);

test('GA-O18: what only calls itself an image has no small picture, and nothing waits for one', async () => {
  const user = await world.newUser('liar');
  const media = await world.upload(user, Buffer.from('this is no picture at all'));
  await eventually(async () => (await world.rows('OUTBOX#', 'make-thumbnail')).length === 0, world.log);
  assert.equal((await world.content(media.thumbnailUrls.small, user)).bytes.toString(), 'this is no picture at all');
}, kPatience);
