// ST-O16: a provider writes the next node, and membership's credits pay for it.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { eventually, startGenerator } from '../lib/generator.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { call, kSecret, token } from './fixture.js';

const admin = { token: token({ sub: 'root', roles: ['admin'] }) };

class World {
  async start({ data, systems = 'stories,membership' } = {}) {
    this.data = data;
    this.generator ??= await startGenerator();
    this.server = await startServer({
      data,
      http: true,
      args: ['--systems', systems, '--test-clock'],
      env: { GATELEG_JWT_SECRET: kSecret, ...this.generator.env() },
    });
    this.generator.gateleg = this.server.httpUrl;
    return this;
  }

  async end() {
    await this.server.kill();
    await this.generator.close();
  }

  log = () => this.server.log.slice(-3000);
  // Whoever is told to come again does: on a busy machine that is no failure.
  async call(method, path, options = {}) {
    for (let tries = 0; ; tries += 1) {
      const reply = await call(method, `/v1${path}`, { base: this.server.httpUrl, ...options });
      if (reply.json?.error?.code !== 'Unavailable' || tries === 30) return reply;
      await new Promise((resolve) => { setTimeout(resolve, 50 + Math.random() * 200); });
    }
  }

  async ok(status, method, path, options) {
    const reply = await this.call(method, path, options);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.status} ${reply.body}`);
    return reply.json;
  }

  // Somebody with credits and a story of two nodes.
  async newAuthor(credits = 3) {
    const sub = `author-${randomUUID()}`;
    const user = { sub, token: token({ sub }) };
    if (credits > 0) {
      await this.ok(200, 'POST', '/membership/admin/credits/grant', { user: admin, body: { userId: sub, amount: credits, reason: 'test' }, headers: { 'idempotency-key': randomUUID() } });
    }
    const story = await this.ok(201, 'POST', '/stories', { user, body: { title: 'The door' } });
    for (const prompt of ['You stand before a door.', 'It is locked.']) await this.ok(201, 'POST', `/stories/${story.id}/nodes`, { user, body: { prompt } });
    return { user, story };
  }

  credits = async (user) => (await this.ok(200, 'GET', '/membership/credits', { user })).balance;
  nodes = async (user, story) => (await this.ok(200, 'GET', `/stories/${story.id}/nodes`, { user })).items;
  generate = (user, story, prompt, headers = {}) => this.call('POST', `/stories/${story.id}/generate`, { user, body: { prompt }, headers });
  generation = (user, story, { generationId }) => this.ok(200, 'GET', `/stories/${story.id}/generations/${generationId}`, { user });
  atProvider = (prompt) => eventually(() => this.generator.job(({ input }) => input.prompt === prompt), this.log);
  // The reservation of a generation has come to its end.
  closed = (user, state) =>
    eventually(async () => {
      const reply = await fetch(this.server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.Query' },
        body: JSON.stringify({
          TableName: 'gg_core', ConsistentRead: true, KeyConditionExpression: 'PK = :p AND begins_with(SK, :s)',
          ExpressionAttributeValues: { ':p': { S: `USER#${user.sub}` }, ':s': { S: 'RESERVATION#' } },
        }),
      });
      const { Items } = await reply.json();
      const states = Items.map((item) => item.state.S);
      return states.length > 0 && states.every((one) => one !== 'held') && states.filter((one) => one === state).length > 0 && states;
    }, this.log);
  clock = (change) => fetch(`${this.server.httpUrl}/_test/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) });
}

let world;
const add = suite('stories generation', {
  before: async () => { world = await new World().start(); },
  after: async () => world.end(),
});
const test = (title, body) => add(title, body, { seconds: 300 });
const newPrompt = () => `open it ${randomUUID()}`;
const written = (at, text = 'The door opens.') => ({ eventId: `ev-${at.id}`, request_id: at.id, status: 'OK', payload: { output: text } });

test('ST-O16: a node is written, once, and charged, once', async () => {
  const { user, story } = await world.newAuthor();
  const prompt = newPrompt();
  const reply = await world.generate(user, story, prompt);
  assert.deepEqual([reply.status, reply.json.status, reply.json.prompt, reply.json.credits], [202, 'pending', prompt, 1], reply.body);
  assert.ok(!reply.body.includes(user.sub) && !reply.body.includes('Token'), reply.body);
  const at = await world.atProvider(prompt);
  assert.deepEqual(at.input, { prompt, title: 'The door', previous: ['You stand before a door.', 'It is locked.'] });
  assert.equal(await world.credits(user), 2, 'they are reserved');
  assert.equal((await world.nodes(user, story)).length, 2);
  const replies = await Promise.all(Array.from({ length: 10 }, () => world.generator.report(at, written(at))));
  const bodies = await Promise.all(replies.map((one) => one.json()));
  assert.equal(bodies.filter(({ applied }) => applied).length, 1, JSON.stringify(bodies));
  const done = await world.generation(user, story, reply.json);
  assert.equal(done.status, 'saved');
  const nodes = await world.nodes(user, story);
  assert.equal(nodes.length, 3);
  assert.deepEqual([nodes[2].id, nodes[2].prompt, nodes[2].type, nodes[2].generationId], [done.nodeId, 'The door opens.', 'text', done.generationId]);
  assert.equal((await world.ok(200, 'GET', `/stories/${story.id}`, { user })).nodeCount, 3);
  assert.deepEqual(await world.closed(user, 'settled'), ['settled']);
  assert.equal(await world.credits(user), 2);
});

test('ST-O16: when the provider fails or refuses, the credits come back and there is no node', async () => {
  const { user, story } = await world.newAuthor();
  const prompt = newPrompt();
  const first = await world.generate(user, story, prompt);
  const at = await world.atProvider(prompt);
  await world.generator.report(at, { request_id: at.id, status: 'ERROR', error: 'out of ink' });
  const failed = await world.generation(user, story, first.json);
  assert.deepEqual([failed.status, failed.error.message], ['failed', 'out of ink']);
  assert.deepEqual(await world.closed(user, 'released'), ['released']);
  assert.equal(await world.credits(user), 3);
  assert.equal((await (await world.generator.report(at, written(at))).json()).applied, false, 'it is too late');
  world.generator.statuses = [422];
  const second = await world.generate(user, story, newPrompt());
  await eventually(async () => (await world.generation(user, story, second.json)).status === 'failed', world.log);
  assert.deepEqual(await world.closed(user, 'released'), ['released', 'released']);
  assert.equal(await world.credits(user), 3);
  assert.equal((await world.nodes(user, story)).length, 2);
});

test('ST-O16: without credits nothing begins', async () => {
  const { user, story } = await world.newAuthor(1);
  const replies = await Promise.all(Array.from({ length: 5 }, () => world.generate(user, story, newPrompt())));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 402, 402, 402, 402], replies.map(({ body }) => body).join('\n'));
  assert.equal(replies.find(({ status }) => status === 402).json.error.code, 'InsufficientCredits');
  const poor = await world.newAuthor(0);
  assert.equal((await world.generate(poor.user, poor.story, newPrompt())).status, 402);
  const { user: other } = await world.newAuthor();
  assert.equal((await world.generate(other, story, newPrompt())).json.error.code, 'StoryNotFound');
  assert.equal((await world.generate(user, story, '')).status, 400);
  assert.equal((await world.generate(user, story, 'x'.repeat(4001))).status, 400);
  const started = replies.find(({ status }) => status === 202).json;
  assert.equal((await world.call('GET', `/stories/${story.id}/generations/${started.generationId}`, { user: other })).status, 404);
});

test('ST-O16 X-R3: the same key is the same generation and one reservation', async () => {
  const { user, story } = await world.newAuthor(2);
  const prompt = newPrompt();
  const headers = { 'idempotency-key': randomUUID() };
  await world.ok(200, 'DELETE', `/stories/${story.id}`, { user });
  assert.equal((await world.generate(user, story, prompt, headers)).json.error.code, 'StoryDeleted');
  await world.ok(200, 'POST', `/stories/${story.id}/restore`, { user });
  const replies = await Promise.all(Array.from({ length: 10 }, () => world.generate(user, story, prompt, headers)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [202], replies.map(({ body }) => body).join('\n'));
  assert.equal(new Set(replies.map(({ json }) => json.generationId)).size, 1);
  assert.equal(await world.credits(user), 1, 'ten requests have reserved once');
  assert.equal((await world.generate(user, story, 'another', headers)).json.error.code, 'IdempotencyKeyReused');
  const at = await world.atProvider(prompt);
  await world.generator.report(at, written(at));
  assert.deepEqual(await world.closed(user, 'settled'), ['settled']);
  assert.equal(await world.credits(user), 1);
  assert.equal((await world.nodes(user, story)).length, 3);
  assert.equal(world.generator.submissions(({ body }) => body.includes(prompt)).length, 1);
});

test('ST-O16 ST-R9: into a story that was deleted meanwhile nothing is written, and nobody pays', async () => {
  const { user, story } = await world.newAuthor();
  const prompt = newPrompt();
  const { json } = await world.generate(user, story, prompt);
  const at = await world.atProvider(prompt);
  await world.ok(200, 'DELETE', `/stories/${story.id}`, { user });
  assert.equal((await world.generate(user, story, newPrompt())).json.error.code, 'StoryDeleted');
  await world.generator.report(at, written(at));
  const failed = await world.generation(user, story, json);
  assert.deepEqual([failed.status, failed.error.code], ['failed', 'StoryDeleted']);
  await world.closed(user, 'released');
  assert.equal(await world.credits(user), 3);
  await world.ok(200, 'POST', `/stories/${story.id}/restore`, { user });
  assert.equal((await world.nodes(user, story)).length, 2);
});

test('ST-O16 X-R12: who reports must be signed and know the token', async () => {
  const { user, story } = await world.newAuthor();
  const prompt = newPrompt();
  await world.generate(user, story, prompt);
  const at = await world.atProvider(prompt);
  const code = async (job, options) => (await (await world.generator.report(job, written(at), options)).json()).error.code;
  assert.equal(await code(at, { secret: 'wrong' }), 'SignatureInvalid');
  assert.equal(await code({ ...at, webhook: at.webhook.replace(/[^/]+$/, randomUUID()) }), 'GenerationNotFound');
  assert.equal((await world.nodes(user, story)).length, 2);
});

test('ST-O16: a silent provider is asked; one that stays silent has failed', async () => {
  const { user, story } = await world.newAuthor();
  const [slow, lost] = [newPrompt(), newPrompt()];
  const first = (await world.generate(user, story, slow)).json;
  const second = (await world.generate(user, story, lost)).json;
  const at = await world.atProvider(slow);
  await world.atProvider(lost);
  const tasks = async (name) => world.ok(200, 'POST', `/stories/admin/tasks/${name}`, { user: admin, body: {} });
  await eventually(async () => {
    const page = await fetch(world.server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.GetItem' },
      body: JSON.stringify({ TableName: 'stories', ConsistentRead: true, Key: { PK: { S: `GENERATIONS#${story.id}` }, SK: { S: first.generationId } } }),
    });
    return (await page.json()).Item.requestId?.S === at.id;
  }, world.log);
  world.generator.results.set(at.id, { output: 'It was open all along.' });
  await world.clock({ advance: 'PT2M' });
  try {
    await tasks('generation-poll');
    await eventually(async () => (await world.generation(user, story, first)).status === 'saved', world.log);
    await tasks('generation-watchdog');
    assert.equal((await world.generation(user, story, second)).status, 'pending');
    await world.clock({ advance: 'PT30M' });
    await tasks('generation-watchdog');
    const failed = await world.generation(user, story, second);
    assert.deepEqual([failed.status, failed.error.code], ['failed', 'Timeout']);
    await world.closed(user, 'released');
    assert.equal(await world.credits(user), 2);
    assert.deepEqual((await world.nodes(user, story)).map(({ prompt }) => prompt).slice(2), ['It was open all along.']);
  } finally {
    await world.clock({});
  }
});

test('ST-O16 ST-O19: after all that every row and count is right', async () => {
  const report = await world.ok(200, 'POST', '/stories/admin/check', { user: admin, body: {} });
  assert.equal(report.found, 0, JSON.stringify(report));
});

test('ST-O16 X-R11: killed at every step, there is one node and one charge', async () => {
  const own = await new World().start({ data: tempDir('gateleg-stories') });
  try {
    const { user, story } = await own.newAuthor();
    const prompt = newPrompt();
    let arrived;
    const arrival = new Promise((resolve) => { arrived = resolve; });
    let release;
    own.generator.submitHook = () => {
      arrived();
      return new Promise((resolve) => { release = resolve; });
    };
    const { json } = await own.generate(user, story, prompt);
    await arrival;
    await own.server.kill();
    own.generator.submitHook = null;
    release();
    await own.start({ data: own.data });
    const at = await own.atProvider(prompt);
    assert.equal((await own.generator.report(at, written(at))).status, 200);
    await own.server.kill();
    await own.start({ data: own.data });
    assert.equal((await (await own.generator.report(at, written(at))).json()).applied, false);
    assert.equal((await own.generation(user, story, json)).status, 'saved');
    assert.deepEqual(await own.closed(user, 'settled'), ['settled']);
    assert.equal(await own.credits(user), 2);
    assert.equal((await own.nodes(user, story)).length, 3);
    assert.equal(own.generator.jobs.size, 1);
  } finally {
    await own.end();
    removeDir(own.data);
  }
});

test('ST-O16: where no membership is served, nodes cost nothing', async () => {
  const own = await new World().start({ systems: 'stories' });
  try {
    const { user, story } = await own.newAuthor(0);
    const prompt = newPrompt();
    const reply = await own.generate(user, story, prompt);
    assert.deepEqual([reply.status, reply.json.credits], [202, 0], reply.body);
    const at = await own.atProvider(prompt);
    await own.generator.report(at, written(at));
    assert.equal((await own.nodes(user, story)).length, 3);
  } finally {
    await own.end();
  }
});
