// Generated TypeScript compiles as strictly as tsc can be asked, and talks to a real server.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from '../lib/runner.js';
import { dynamodb, folder, gatelegOk, kModels, kRoot, run, server, token } from './fixture.js';

const sources = join(folder, 'typescript');
const built = join(folder, 'built');
const kStrict = {
  target: 'ES2022',
  module: 'ES2022',
  moduleResolution: 'bundler',
  lib: ['ES2022'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  isolatedModules: true,
  outDir: built,
};

async function before() {
  mkdirSync(sources, { recursive: true });
  for (const file of Object.values(kModels)) gatelegOk('generate', 'typescript', file, '-o', sources);
  copyFileSync(`${kRoot}tests/generate/usage.ts`, join(sources, 'usage.ts'));
  mkdirSync(built, { recursive: true });
  for (const at of [sources, built]) writeFileSync(join(at, 'package.json'), '{"type":"module"}');
  writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify({ compilerOptions: kStrict, include: ['*.ts'] }));
}

const test = suite('typescript', { before });
let StoriesClient;
let ApiError;
const client = (sub, more = {}) => new StoriesClient({ baseUrl: server.httpUrl, token: token(sub), ...more });
const collect = async (iterator) => {
  const all = [];
  for await (const item of iterator) all.push(item);
  return all;
};

test('all six clients compile under strict, and so does code that uses their types', async () => {
  const done = run(process.execPath, [`${kRoot}tests/node_modules/typescript/bin/tsc`, '-p', sources]);
  assert.equal(done.code, 0, done.out + done.err);
  ({ StoriesClient, ApiError } = await import(pathToFileURL(join(built, 'stories.js')).href));
}, { seconds: 300 });

test('the client prints the same to stdout as it writes to a folder', async () => {
  const printed = gatelegOk('generate', 'typescript', kModels.stories);
  assert.match(printed, /^\/\/ Client of the model "stories"/);
  assert.match(printed, /export class StoriesClient \{/);
});

test('create, read, rename, delete, restore', async () => {
  const stories = client('ts-1');
  const made = await stories.createStory({ title: 'One' });
  assert.equal(made.title, 'One');
  assert.equal(made.userId, 'ts-1');
  assert.equal(made.nodeCount, 0);
  assert.deepEqual(await stories.renameStory({ id: made.id, title: 'Two' }), { changed: true });
  assert.equal((await stories.story({ id: made.id })).title, 'Two');
  assert.deepEqual(await stories.deleteStory({ id: made.id }), { changed: true });
  assert.deepEqual(await stories.deleteStory({ id: made.id }), { changed: false });
  assert.equal((await stories.deletedStories()).items.length, 1);
  await stories.restoreStory({ id: made.id });
  assert.equal((await stories.stories()).items[0].title, 'Two');
});

test('errors have names, as exceptions and as values', async () => {
  const stories = client('ts-2');
  const made = await stories.createStory({ title: 'One' });
  await assert.rejects(async () => stories.restoreStory({ id: made.id }), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'NotDeleted');
    assert.equal(error.status, 409);
    assert.ok(error.requestId);
    return true;
  });
  const outcome = await stories.createStory({ title: '' }).result();
  assert.equal(outcome.ok, false);
  assert.equal(outcome.error.code, 'ValidationFailed');
  assert.equal(outcome.error.field, 'title');
  const nobody = await new StoriesClient({ baseUrl: server.httpUrl }).stories().result();
  assert.equal(nobody.error.code, 'Unauthenticated');
  const dots = await stories.node({ storyId: '..', id: 'x' }).result();
  assert.equal(dots.error.code, 'ValidationFailed');
});

test('ifMatch guards an edit', async () => {
  const stories = client('ts-3');
  const made = await stories.createStory({ title: 'One' });
  await stories.renameStory({ id: made.id, title: 'Two' }, { ifMatch: made.version });
  const late = await stories.renameStory({ id: made.id, title: 'Three' }, { ifMatch: made.version }).result();
  assert.equal(late.error.code, 'VersionMismatch');
});

test('iteration follows cursors to the end', async () => {
  const stories = client('ts-4');
  const ids = [];
  for (let n = 0; n < 7; n += 1) ids.unshift((await stories.createStory({ title: `${n}` })).id);
  const seen = await collect(stories.iterateStories({ limit: 2 }));
  assert.deepEqual(seen.map(({ id }) => id), ids);
  assert.deepEqual(await collect(client('ts-none').iterateStories()), []);
});

test('further fields of an open entity go along, and several entities are told apart', async () => {
  const stories = client('ts-5');
  const { id: storyId } = await stories.createStory({ title: 'Nodes' });
  const id = '01JN00000000000000000000A1';
  const at = '2025-03-01T00:00:00.000Z';
  await dynamodb('PutItem', {
    TableName: 'stories',
    Item: {
      PK: { S: `USER#ts-5#STORY#${storyId}` }, SK: { S: `NODE#${id}` }, ItemType: { S: 'Node' }, id: { S: id }, storyId: { S: storyId },
      nodeOrder: { N: '1' }, CreatedAt: { S: at }, UpdatedAt: { S: at }, version: { N: '1' },
    },
  });
  await stories.updateNode({ storyId, id, node: { prompt: 'Where?', mood: { dark: [1.5, null] } } });
  const node = await stories.node({ storyId, id });
  assert.equal(node.prompt, 'Where?');
  assert.deepEqual(node.mood, { dark: [1.5, null] });
  const { items } = await stories.storyWithNodes({ id: storyId });
  assert.deepEqual(items.map((item) => item.ItemType).sort(), ['Node', 'Story']);
});

test('a call that is repeated keeps its idempotency key, and happens once', async () => {
  const keys = [];
  let failures = 2;
  const flaky = async (url, request) => {
    if (request.method === 'POST') keys.push(request.headers['idempotency-key']);
    const reply = await fetch(url, request);
    // The answer is lost on its way: the client cannot know that the story was made.
    if (request.method === 'POST' && failures > 0) {
      failures -= 1;
      await reply.text();
      throw new Error('connection reset');
    }
    return reply;
  };
  const stories = client('ts-6', { fetch: flaky });
  const made = await stories.createStory({ title: 'Once' });
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.match(keys[0], /^[0-9a-f]{32}$/);
  assert.deepEqual((await stories.stories()).items.map(({ id }) => id), [made.id]);
  await stories.createStory({ title: 'Twice' });
  assert.notEqual(keys[3], keys[0], 'another call, another key');
});

test('a busy server is asked again; what cannot be repeated safely is not', async () => {
  let busy = 1;
  let asked = 0;
  const once = async (url, request) => {
    asked += 1;
    if (busy > 0) {
      busy -= 1;
      return { status: 503, headers: { get: () => null }, text: async () => '{"error":{"code":"Unavailable","message":"busy","requestId":"r"}}' };
    }
    return fetch(url, request);
  };
  const stories = client('ts-7', { fetch: once });
  await stories.stories();
  assert.equal(asked, 2);
  busy = 1;
  asked = 0;
  const made = await stories.createStory({ title: 'x' });
  assert.equal(asked, 2);
  busy = 1;
  asked = 0;
  const outcome = await stories.renameStory({ id: made.id, title: 'y' }).result();
  assert.equal(outcome.error.code, 'Unavailable');
  assert.equal(asked, 1);
});

test('nobody there is NetworkError, somebody else is BadAnswer', async () => {
  const refused = async () => { throw new Error('refused'); };
  const gone = await client('ts-8', { fetch: refused, retries: 0 }).stories().result();
  assert.equal(gone.error.code, 'NetworkError');
  const page = async () => ({ status: 200, headers: { get: () => null }, text: async () => '<html>' });
  const other = await client('ts-8', { fetch: page }).stories().result();
  assert.equal(other.error.code, 'BadAnswer');
});
