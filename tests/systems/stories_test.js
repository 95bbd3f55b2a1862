// The routes of the stories model.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { call, createStory, dynamodb, fails, newUser, ok, putNode } from './fixture.js';

const test = suite('stories');
const kUlid = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const kNodes = ['01JN00000000000000000000A1', '01JN00000000000000000000A2'];
const list = async (user, query = '') => (await ok(200, 'GET', `/v1/stories${query}`, { user })).json;

test('ST-O1: creating answers 201 with the story and without its keys', async () => {
  const user = newUser();
  const { json: story, headers } = await ok(201, 'POST', '/v1/stories', { user, body: { title: 'One' } });
  assert.match(story.id, kUlid);
  assert.equal(story.title, 'One');
  assert.equal(story.deleted, false);
  assert.equal(story.nodeCount, 0);
  assert.match(story.CreatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(headers.get('etag'), `"${story.version}"`);
  for (const key of ['PK', 'SK', 'ItemType']) assert.ok(!(key in story), key);

  const { Item: item } = await dynamodb('GetItem', {
    TableName: 'stories',
    Key: { PK: { S: `USER#${user.sub}` }, SK: { S: `STORY#${story.id}` } },
  });
  assert.equal(item.title.S, 'One');
  assert.equal(item.ItemType.S, 'StoryIndex');
});

test('a list is {items, cursor}, newest first, of the caller only', async () => {
  const user = newUser();
  const other = newUser();
  assert.deepEqual(await list(user), { items: [], cursor: null });
  const ids = [];
  for (let n = 0; n < 5; n += 1) ids.unshift((await createStory(user, `Story ${n}`)).id);
  await createStory(other);
  assert.deepEqual((await list(user)).items.map(({ id }) => id), ids);

  const seen = [];
  let cursor = '';
  do {
    const page = await list(user, `?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    assert.ok(page.items.length <= 2);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor);
  assert.deepEqual(seen, ids);
});

test('a cursor belongs to its caller and its list, and must be whole', async () => {
  const user = newUser();
  for (let n = 0; n < 3; n += 1) await createStory(user);
  const { cursor } = await list(user, '?limit=1');
  const at = Math.floor(cursor.length / 2);
  const flipped = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
  const tries = [
    [user, '/v1/stories', flipped],
    [user, '/v1/stories', cursor.slice(0, -1)],
    [user, '/v1/stories', 'x'],
    [user, '/v1/stories', ''],
    [user, '/v1/stories/deleted', cursor],
    [newUser(), '/v1/stories', cursor],
  ];
  for (const [who, path, text] of tries) {
    await fails(400, 'InvalidCursor', 'GET', `${path}?cursor=${encodeURIComponent(text)}`, { user: who });
  }
});

test('ST-O4: renaming changes the story and its index', async () => {
  const user = newUser();
  const story = await createStory(user, 'Before');
  await ok(200, 'PATCH', `/v1/stories/${story.id}`, { user, body: { title: 'After' } });
  assert.equal((await list(user)).items[0].title, 'After');
  const { json } = await ok(200, 'GET', `/v1/stories/patterns/story?id=${story.id}`, { user });
  assert.equal(json.title, 'After');
  assert.equal(json.version, story.version + 1);
});

test('X-R9: If-Match guards an edit, by header or by field', async () => {
  const user = newUser();
  const story = await createStory(user);
  const path = `/v1/stories/${story.id}`;
  const rename = (title, tag) => ({ user, body: { title }, headers: { 'if-match': tag } });
  await ok(200, 'PATCH', path, rename('first', `"${story.version}"`));
  await fails(412, 'VersionMismatch', 'PATCH', path, rename('second', `"${story.version}"`));
  await fails(412, 'VersionMismatch', 'PATCH', path, rename('second', '"what"'));
  await ok(200, 'PATCH', path, rename('second', `"${story.version + 1}"`));
  await fails(412, 'VersionMismatch', 'PATCH', path, { user, body: { title: 'third', expectedVersion: 1 } });
  assert.equal((await list(user)).items[0].title, 'second');
});

test('ST-O5 ST-O6 ST-A2: a story can be deleted once, found among the deleted, and restored once', async () => {
  const user = newUser();
  const { id } = await createStory(user, 'Lost and found');
  await ok(200, 'DELETE', `/v1/stories/${id}`, { user });
  const again = await ok(200, 'DELETE', `/v1/stories/${id}`, { user });
  assert.equal(again.json.changed, false);
  assert.deepEqual((await list(user)).items, []);
  const { json: trash } = await ok(200, 'GET', '/v1/stories/deleted', { user });
  assert.deepEqual(trash.items.map((story) => [story.id, story.deleted]), [[id, true]]);
  await fails(409, 'StoryDeleted', 'PATCH', `/v1/stories/${id}`, { user, body: { title: 'x' } });
  await ok(200, 'POST', `/v1/stories/${id}/restore`, { user });
  await fails(409, 'NotDeleted', 'POST', `/v1/stories/${id}/restore`, { user });
  assert.equal((await list(user)).items[0].title, 'Lost and found');
});

test('ST-O9 ST-A3 ST-A5 ST-A9: nodes are listed by their order, read, changed and appended to', async () => {
  const user = newUser();
  const { id } = await createStory(user);
  await putNode(user, id, kNodes[0], 2048, { prompt: { S: 'second' } });
  await putNode(user, id, kNodes[1], 1024, { prompt: { S: 'first' } });
  const nodes = `/v1/stories/${id}/nodes`;
  const { json } = await ok(200, 'GET', nodes, { user });
  assert.deepEqual(json.items.map(({ prompt }) => prompt), ['first', 'second']);
  assert.equal(json.cursor, null);

  await ok(200, 'PATCH', `${nodes}/${kNodes[0]}`, { user, body: { prompt: 'changed', mood: { dark: [1.5, null] } } });
  const { json: node, headers } = await ok(200, 'GET', `${nodes}/${kNodes[0]}`, { user });
  assert.equal(node.prompt, 'changed');
  assert.deepEqual(node.mood, { dark: [1.5, null] });
  assert.equal(headers.get('etag'), '"2"');
  const cached = await call('GET', `${nodes}/${kNodes[0]}`, { user, headers: { 'if-none-match': '"2"' } });
  assert.equal(cached.status, 304);

  for (const response of ['a', { b: 2 }]) {
    const { status, body } = await call('POST', `${nodes}/${kNodes[0]}/responses`, { user, body: { response } });
    assert.ok(status === 200 || status === 201, body);
  }
  const after = await ok(200, 'GET', `${nodes}/${kNodes[0]}`, { user });
  assert.deepEqual(after.json.responses, ['a', { b: 2 }]);
  for (const field of ['id', 'storyId']) {
    await fails(400, 'UnknownField', 'PATCH', `${nodes}/${kNodes[0]}`, { user, body: { [field]: kNodes[1] } });
  }
});

test('a story can be shared, a deleted one cannot', async () => {
  const user = newUser();
  const { id } = await createStory(user);
  const { json } = await ok(201, 'POST', `/v1/stories/${id}/share`, { user });
  assert.equal(json.storyId, id);
  assert.ok(!('userId' in json), 'the owner is hidden');
  await ok(200, 'DELETE', `/v1/stories/${id}`, { user });
  await fails(404, 'StoryNotFound', 'POST', `/v1/stories/${id}/share`, { user });
});

test("ST-R11: another user's story is not there", async () => {
  const owner = newUser();
  const user = newUser({ roles: ['user', 'moderator', 'admin'] });
  const { id } = await createStory(owner, 'Mine');
  await putNode(owner, id, kNodes[0], 1024);
  await fails(404, 'StoryNotFound', 'PATCH', `/v1/stories/${id}`, { user, body: { title: 'Yours' } });
  await fails(404, 'StoryNotFound', 'DELETE', `/v1/stories/${id}`, { user });
  await fails(404, 'StoryNotFound', 'POST', `/v1/stories/${id}/share`, { user });
  await fails(404, 'NodeNotFound', 'GET', `/v1/stories/${id}/nodes/${kNodes[0]}`, { user });
  await fails(404, 'StoryNotFound', 'GET', `/v1/stories/patterns/story?id=${id}`, { user });
  assert.equal((await list(owner)).items[0].title, 'Mine');
});

test('a repeated request with one Idempotency-Key happens once', async () => {
  const user = newUser();
  const send = (title, key, who = user) =>
    call('POST', '/v1/stories', { user: who, body: { title }, headers: { 'idempotency-key': key } });
  const first = await send('Once', 'key-1');
  assert.equal(first.status, 201, first.body);
  assert.equal(first.headers.get('idempotency-replayed'), null);
  const second = await send('Once', 'key-1');
  assert.equal(second.status, 201, second.body);
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(second.json, first.json);
  const reused = await send('Twice', 'key-1');
  assert.deepEqual([reused.status, reused.json.error.code], [422, 'IdempotencyKeyReused']);
  const other = await send('Once', 'key-1', newUser());
  assert.notEqual(other.json.id, first.json.id);
  // A failure is not kept: the key may be used again.
  assert.equal((await send('', 'key-2')).status, 400);
  assert.equal((await send('Good', 'key-2')).status, 201);

  const many = await Promise.all(Array.from({ length: 20 }, () => send('Race', 'key-3')));
  assert.deepEqual(new Set(many.map(({ status }) => status)), new Set([201]), JSON.stringify(many.map(({ json }) => json)));
  assert.equal(new Set(many.map(({ json }) => json.id)).size, 1);
  assert.equal((await list(user)).items.length, 3);
});

test('many renames at once leave one title in both places', async () => {
  const user = newUser();
  const { id } = await createStory(user);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => call('PATCH', `/v1/stories/${id}`, { user, body: { title: `Title ${n}` } })),
  );
  for (const { status, body } of replies) assert.equal(status, 200, body);
  const { json } = await ok(200, 'GET', `/v1/stories/patterns/story?id=${id}`, { user });
  assert.equal((await list(user)).items[0].title, json.title);
});

test('patterns can be asked by name and by row', async () => {
  const user = newUser();
  const { id } = await createStory(user);
  const { json } = await ok(200, 'GET', '/v1/stories/patterns');
  const story = json.items.find(({ name }) => name === 'story');
  assert.deepEqual(story.rows, ['st-a4', 'st-a7']);
  assert.deepEqual(story.parameters.map(({ name, required }) => [name, required]), [['id', true]]);
  assert.equal(story.access, 'signed_in');
  assert.ok(!json.items.some(({ name }) => name === 'nodesOf'), 'internal patterns are not listed');
  await fails(404, 'NotFound', 'GET', '/v1/stories/patterns/nodesOf?userId=u&storyId=s', { user });
  const byRow = await ok(200, 'GET', `/v1/stories/patterns/st-a4?id=${id}`, { user });
  assert.equal(byRow.json.id, id);
  await fails(400, 'ValidationFailed', 'GET', '/v1/stories/patterns/st-a4', { user });
  await fails(401, 'Unauthenticated', 'GET', '/v1/stories/patterns/st-a1');

  await putNode(user, id, kNodes[0], 1024);
  const both = await ok(200, 'GET', `/v1/stories/patterns/st-a6?id=${id}`, { user });
  assert.deepEqual(both.json.items.map(({ ItemType }) => ItemType), ['Story', 'Node']);
});

test('?explain=1 shows the calls that were made', async () => {
  const user = newUser();
  await createStory(user);
  const { json } = await ok(200, 'GET', '/v1/stories?explain=1', { user });
  assert.equal(json.answer.items.length, 1);
  assert.equal(json.explain.calls[0].operation, 'Query');
});
