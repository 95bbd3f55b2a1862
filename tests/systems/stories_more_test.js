// Nodes, order, copies, links, purges and repair of stories.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { call, createStory, dynamodb, fails, newUser, ok } from './fixture.js';

const test = suite('stories');
const path = (story, rest = '') => `/v1/stories/${story.id}${rest}`;
const addNode = async (user, story, body = {}) => (await ok(201, 'POST', path(story, '/nodes'), { user, body })).json;
const listNodes = async (user, story) => (await ok(200, 'GET', path(story, '/nodes'), { user })).json.items;
const admin = () => newUser({ roles: ['admin'] });

test('ST-O8 ST-R8: nodes are added at the end, first and after another, each with an order of its own', async () => {
  const user = newUser();
  const story = await createStory(user);
  const a = await addNode(user, story, { prompt: 'a', type: 'text' });
  const b = await addNode(user, story, { prompt: 'b' });
  const first = await addNode(user, story, { prompt: 'first', after: null });
  const between = await addNode(user, story, { prompt: 'between', after: a.id });
  assert.deepEqual((await listNodes(user, story)).map((node) => node.id), [first.id, a.id, between.id, b.id]);
  assert.equal((await ok(200, 'GET', path(story), { user })).json.nodeCount, 4);
  await fails(404, 'NodeNotFound', 'POST', path(story, '/nodes'), { user, body: { after: 'nowhere' } });
  await fails(404, 'StoryNotFound', 'POST', '/v1/stories/01JNTZ00000000000000000000/nodes', { user, body: {} });
});

test('ST-O8: fifty nodes at once, half of them after one node, get fifty orders', async () => {
  const user = newUser();
  const story = await createStory(user);
  const anchor = await addNode(user, story);
  await Promise.all(Array.from({ length: 50 }, (_, i) => addNode(user, story, i % 2 ? { after: anchor.id } : {})));
  const nodes = await listNodes(user, story);
  assert.equal(nodes.length, 51);
  assert.equal(new Set(nodes.map((node) => node.nodeOrder)).size, 51);
  assert.equal((await ok(200, 'GET', path(story), { user })).json.nodeCount, 51);
});

test('ST-R8: when there is no room between two nodes, all move and none is lost', async () => {
  const user = newUser();
  const story = await createStory(user);
  const anchor = await addNode(user, story);
  await addNode(user, story);
  const wanted = [];
  for (let i = 0; i < 14; i += 1) wanted.unshift((await addNode(user, story, { after: anchor.id })).id);
  const ids = (await listNodes(user, story)).map((node) => node.id);
  assert.deepEqual(ids.slice(1, 15), wanted);
});

test('ST-O8: a repeated request with one Idempotency-Key adds one node', async () => {
  const user = newUser();
  const story = await createStory(user);
  const request = { user, body: { prompt: 'once', after: null }, headers: { 'idempotency-key': 'one-node' } };
  const replies = await Promise.all(Array.from({ length: 5 }, () => ok(201, 'POST', path(story, '/nodes'), request)));
  assert.equal(new Set(replies.map((reply) => reply.json.id)).size, 1);
  assert.equal((await listNodes(user, story)).length, 1);
});

test('ST-R12 ST-O10: unknown attributes are kept, reserved ones refused', async () => {
  const user = newUser();
  const story = await createStory(user);
  const node = await addNode(user, story, { mood: { deep: [1, 'two', null] }, choices: [{ text: 'on', target: 'x' }] });
  assert.deepEqual(node.mood, { deep: [1, 'two', null] });
  for (const name of ['PK', 'SK', 'ItemType', 'id', 'storyId']) {
    const reply = await call('POST', path(story, '/nodes'), { user, body: { [name]: 'mine' } });
    assert.equal(reply.status, 400, `${name}: ${reply.body}`);
  }
});

test('ST-R7: a node of more than 300 KB is refused', async () => {
  const user = newUser();
  const story = await createStory(user);
  await fails(413, 'PayloadTooLarge', 'POST', path(story, '/nodes'), { user, body: { prompt: 'x'.repeat(310 * 1024) } });
});

test('ST-R9: a deleted story takes no nodes', async () => {
  const user = newUser();
  const story = await createStory(user);
  const node = await addNode(user, story);
  await ok(200, 'DELETE', path(story), { user });
  await fails(409, 'StoryDeleted', 'POST', path(story, '/nodes'), { user, body: {} });
  await fails(409, 'StoryDeleted', 'PATCH', path(story, `/nodes/${node.id}`), { user, body: { prompt: 'x' } });
  await fails(409, 'StoryDeleted', 'DELETE', path(story, `/nodes/${node.id}`), { user });
});

test('ST-O11 ST-R13: fifty responses at once are all there; media is set', async () => {
  const user = newUser();
  const story = await createStory(user);
  const node = await addNode(user, story);
  const at = path(story, `/nodes/${node.id}`);
  await Promise.all(Array.from({ length: 50 }, (_, i) => ok(200, 'POST', `${at}/responses`, { user, body: { response: i } })));
  await ok(200, 'PUT', `${at}/media`, { user, body: { media: { url: 'https://example.com/a.jpg' } } });
  const now = (await ok(200, 'GET', at, { user })).json;
  assert.deepEqual([...now.responses].sort((a, b) => a - b), Array.from({ length: 50 }, (_, i) => i));
  assert.deepEqual(now.media, { url: 'https://example.com/a.jpg' });
});

test('ST-O12: a new order must name every node once, and wins or loses whole', async () => {
  const user = newUser();
  const story = await createStory(user);
  const ids = [];
  for (let i = 0; i < 12; i += 1) ids.push((await addNode(user, story)).id);
  await fails(400, 'ValidationFailed', 'PUT', path(story, '/order'), { user, body: { nodeIds: ids.slice(1) } });
  await fails(400, 'ValidationFailed', 'PUT', path(story, '/order'), { user, body: { nodeIds: [...ids, ids[0]] } });
  const one = [...ids].reverse();
  const other = [...ids.slice(6), ...ids.slice(0, 6)];
  await Promise.all([one, other, one, other].map((nodeIds) => ok(200, 'PUT', path(story, '/order'), { user, body: { nodeIds } })));
  const found = (await listNodes(user, story)).map((node) => node.id);
  assert.ok([one, other].some((order) => order.join() === found.join()), found.join());
  assert.equal((await ok(200, 'PUT', path(story, '/order'), { user, body: { nodeIds: found } })).json.changed, false);
});

test('ST-O12: more nodes than one transaction has are ordered as well', async () => {
  const user = newUser();
  const nodes = Array.from({ length: 150 }, (_, i) => ({ id: `n${i}`, prompt: String(i) }));
  const story = (await ok(201, 'POST', '/v1/stories/import', { user, body: { title: 'Long', nodes } })).json;
  const ids = (await listNodes(user, story)).map((node) => node.id);
  await ok(200, 'PUT', path(story, '/order'), { user, body: { nodeIds: [...ids].reverse() } });
  assert.deepEqual((await listNodes(user, story)).map((node) => node.id), ids.reverse());
});

test('ST-O13: a node that a choice leads to is deleted by force only; ten deletes count once', async () => {
  const user = newUser();
  const story = await createStory(user);
  const target = await addNode(user, story);
  await addNode(user, story, { choices: [{ text: 'go', target: target.id }] });
  await fails(409, 'NodeReferenced', 'DELETE', path(story, `/nodes/${target.id}`), { user });
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => call('DELETE', path(story, `/nodes/${target.id}?force=true`), { user })));
  assert.equal(replies.filter((reply) => reply.status === 200).length, 1, replies.map((reply) => reply.body).join('\n'));
  assert.ok(replies.every((reply) => reply.status === 200 || reply.status === 404));
  assert.equal((await ok(200, 'GET', path(story), { user })).json.nodeCount, 1);
});

test('ST-O3 ST-A6: a story comes with its nodes; from the trash only when asked', async () => {
  const user = newUser();
  const story = await createStory(user, 'Whole');
  await addNode(user, story, { prompt: 'one' });
  const whole = await ok(200, 'GET', path(story), { user });
  assert.equal(whole.json.title, 'Whole');
  assert.deepEqual(whole.json.nodes.map((node) => node.prompt), ['one']);
  assert.ok(!('moves' in whole.json));
  await ok(200, 'DELETE', path(story), { user });
  await fails(410, 'StoryInTrash', 'GET', path(story), { user });
  await ok(200, 'GET', path(story, '?include=deleted'), { user });
  await fails(404, 'StoryNotFound', 'GET', path(story), { user: newUser() });
});

test('ST-A8 ST-R5: newest-updated first; a node moves the story up', async () => {
  const user = newUser();
  const old = await createStory(user, 'old');
  await createStory(user, 'new');
  await new Promise((done) => setTimeout(done, 5));
  await addNode(user, old);
  const items = (await ok(200, 'GET', '/v1/stories?sort=updated', { user })).json.items;
  assert.deepEqual(items.map((item) => item.title), ['old', 'new']);
});

test('ST-O7 ST-R10: purging needs the trash, takes everything, and stops a restore', async () => {
  const user = newUser();
  const story = await createStory(user);
  await addNode(user, story);
  await fails(409, 'NotDeleted', 'DELETE', path(story, '/purge'), { user });
  await ok(200, 'DELETE', path(story), { user });
  await ok(200, 'DELETE', path(story, '/purge'), { user });
  await fails(404, 'StoryNotFound', 'GET', path(story, '?include=deleted'), { user });
  const { Items } = await dynamodb('Query', {
    TableName: 'stories', KeyConditionExpression: 'PK = :p',
    ExpressionAttributeValues: { ':p': { S: `USER#${user.sub}#STORY#${story.id}` } },
  });
  assert.deepEqual(Items, []);
  const second = await createStory(user);
  await ok(200, 'DELETE', path(second), { user });
  assert.equal((await ok(200, 'DELETE', '/v1/stories/deleted', { user })).json.purged, 1);
  assert.deepEqual((await ok(200, 'GET', '/v1/stories/deleted', { user })).json.items, []);
});

test('ST-O14: 150 nodes are copied with new ids, the same order, and choices that lead within the copy', async () => {
  const user = newUser();
  const nodes = Array.from({ length: 150 }, (_, i) => ({ id: `n${i}`, prompt: String(i), choices: [{ text: 'next', target: `n${(i + 1) % 150}` }] }));
  const story = (await ok(201, 'POST', '/v1/stories/import', { user, body: { title: 'Loop', nodes, startNodeId: 'n3' } })).json;
  const request = { user, body: { title: 'Copy' }, headers: { 'idempotency-key': 'copy-1' } };
  const copy = (await ok(201, 'POST', path(story, '/duplicate'), request)).json;
  const again = (await ok(201, 'POST', path(story, '/duplicate'), request)).json;
  assert.equal(again.id, copy.id);
  const from = await listNodes(user, story);
  const to = await listNodes(user, copy);
  assert.deepEqual(to.map((node) => node.prompt), from.map((node) => node.prompt));
  assert.ok(to.every((node, i) => node.id !== from[i].id && node.choices[0].target === to[(i + 1) % 150].id));
  assert.equal(copy.startNodeId, to[3].id);
  assert.equal((await ok(200, 'GET', '/v1/stories', { user })).json.items.length, 2);
});

test('ST-O15: what is exported can be imported; hostile imports are refused', async () => {
  const user = newUser();
  const story = await createStory(user, 'Trip');
  const a = await addNode(user, story, { prompt: 'a', extra: { n: 1.5 } });
  await addNode(user, story, { prompt: 'b', choices: [{ text: 'back', target: a.id }] });
  const exported = (await ok(200, 'GET', path(story, '/export?format=json'), { user })).json;
  const copy = (await ok(201, 'POST', '/v1/stories/import', { user, body: exported })).json;
  const back = (await ok(200, 'GET', path(copy, '/export'), { user })).json;
  const blind = (one) => one.nodes.map(({ id, choices, ...rest }) => ({ ...rest, leads: choices?.length ?? 0 }));
  assert.deepEqual(blind(back), blind(exported));
  const refuse = (status, code, nodes) => fails(status, code, 'POST', '/v1/stories/import', { user, body: { title: 'x', nodes } });
  await refuse(400, 'ImportInvalid', [{ PK: 'USER#somebody' }]);
  await refuse(400, 'ImportInvalid', [{ prompt: 'fine' }, { ItemType: 'Story' }]);
  await refuse(409, 'NodeExists', [{ id: 'a' }, { id: 'a' }]);
  await refuse(400, 'ValidationFailed', ['no node']);
  await refuse(400, 'ValidationFailed', Array.from({ length: 1001 }, () => ({})));
  await fails(400, 'ValidationFailed', 'GET', path(story, '/export?format=pdf'), { user });
});

test('ST-O17 ST-A10 ST-T13: a link shows the story and not its owner, until it is revoked', async () => {
  const user = newUser();
  const story = await createStory(user, 'Open');
  await addNode(user, story, { prompt: 'seen' });
  const links = await Promise.all(Array.from({ length: 5 }, () => call('POST', path(story, '/share'), { user })));
  const tokens = new Set(links.map((reply) => reply.json.token));
  assert.equal(tokens.size, 1, links.map((reply) => reply.body).join('\n'));
  const [token] = tokens;
  const shared = await ok(200, 'GET', `/v1/shared/${token}`);
  assert.equal(shared.json.title, 'Open');
  assert.equal(shared.json.nodes[0].prompt, 'seen');
  assert.ok(!shared.body.includes(user.sub), shared.body);
  await ok(200, 'DELETE', path(story), { user });
  await fails(404, 'ShareNotFound', 'GET', `/v1/shared/${token}`);
  await ok(200, 'POST', path(story, '/restore'), { user });
  await ok(200, 'GET', `/v1/shared/${token}`);
  assert.equal((await ok(200, 'DELETE', path(story, '/share'), { user })).json.changed, true);
  assert.equal((await ok(200, 'DELETE', path(story, '/share'), { user })).json.changed, false);
  await fails(404, 'ShareNotFound', 'GET', `/v1/shared/${token}`);
});

test('ST-O16: without a provider nothing is generated', async () => {
  const user = newUser();
  const story = await createStory(user);
  await fails(503, 'ProviderNotConfigured', 'POST', path(story, '/generate'), { user, body: { prompt: 'go on' } });
});

test('ST-O18 X-R13: an administrator deletes all of a user, and that is noted', async () => {
  const user = newUser();
  for (let i = 0; i < 3; i += 1) await addNode(user, await createStory(user));
  await ok(200, 'DELETE', path(await createStory(user)), { user });
  await fails(403, 'Forbidden', 'DELETE', `/v1/stories/admin/users/${user.sub}`, { user });
  const reply = await ok(200, 'DELETE', `/v1/stories/admin/users/${user.sub}`, { user: admin() });
  assert.deepEqual(reply.json, { deleted: 4, done: true });
  const { Items } = await dynamodb('Scan', {
    TableName: 'stories', FilterExpression: 'contains(PK, :u)', ExpressionAttributeValues: { ':u': { S: `USER#${user.sub}` } },
  });
  assert.deepEqual(Items.filter((item) => !item.PK.S.startsWith('IDEMP#')), []);
  const audit = await dynamodb('Scan', {
    TableName: 'stories', FilterExpression: 'begins_with(PK, :a) AND target = :u',
    ExpressionAttributeValues: { ':a': { S: 'AUDIT#' }, ':u': { S: user.sub } },
  });
  assert.equal(audit.Items.length, 1);
});

test('ST-O19 ST-R1 ST-R4: damage is found, and counts are mended', async () => {
  const user = newUser();
  const story = await createStory(user);
  await addNode(user, story);
  const main = { PK: { S: `USER#${user.sub}#STORY#${story.id}` }, SK: { S: 'METADATA' } };
  await dynamodb('UpdateItem', {
    TableName: 'stories', Key: main, UpdateExpression: 'SET nodeCount = :n', ExpressionAttributeValues: { ':n': { N: '7' } },
  });
  const seen = (await ok(200, 'POST', '/v1/stories/admin/check', { user: admin(), body: {} })).json;
  assert.ok(seen.findings.some((finding) => finding.kind === 'wrong node count'), JSON.stringify(seen));
  const mended = (await ok(200, 'POST', '/v1/stories/admin/check', { user: admin(), body: { repair: true } })).json;
  assert.ok(mended.repaired >= 1, JSON.stringify(mended));
  assert.equal((await ok(200, 'GET', path(story), { user })).json.nodeCount, 1);
  await fails(403, 'Forbidden', 'POST', '/v1/stories/admin/check', { user, body: {} });
});

test('ST-O2 ST-R1 ST-R2 ST-R3: while a story goes to the trash and back it is in exactly one list', async () => {
  const user = newUser();
  const story = await createStory(user, 'Here or there');
  let busy = true;
  const mover = (async () => {
    for (let i = 0; i < 15; i += 1) {
      await ok(200, 'DELETE', path(story), { user });
      await ok(200, 'POST', path(story, '/restore'), { user });
    }
    busy = false;
  })();
  while (busy) {
    const { Responses } = await dynamodb('TransactGetItems', {
      TransactItems: [`USER#${user.sub}`, `DELETED#USER#${user.sub}`].map((PK) => (
        { Get: { TableName: 'stories', Key: { PK: { S: PK }, SK: { S: `STORY#${story.id}` } } } })),
    });
    assert.equal(Responses.filter((one) => one.Item).length, 1);
  }
  await mover;
  const [only] = (await ok(200, 'GET', '/v1/stories', { user })).json.items;
  assert.equal(only.title, 'Here or there');
  assert.equal(only.CreatedAt, story.CreatedAt);
});

test('ST-R6: nobody says from outside that a story is deleted', async () => {
  const user = newUser();
  await fails(400, 'UnknownField', 'POST', '/v1/stories', { user, body: { title: 'x', deleted: true } });
  const story = await createStory(user);
  await fails(400, 'UnknownField', 'PATCH', path(story), { user, body: { title: 'y', deleted: true } });
  assert.equal((await ok(200, 'GET', path(story), { user })).json.deleted, false);
});
