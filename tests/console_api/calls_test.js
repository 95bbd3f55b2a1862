// What each call of the console answers.

import assert from 'node:assert/strict';
import { join } from 'node:path';

import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { Console, request } from './client.js';

const kPassword = 'correct horse battery staple';
const kTable = {
  TableName: 'pets',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'PK', AttributeType: 'S' },
    { AttributeName: 'SK', AttributeType: 'S' },
    { AttributeName: 'GPK', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by-kind',
      KeySchema: [{ AttributeName: 'GPK', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
};

let data;
let server;
let console;

const test = suite('console calls', {
  before: async () => {
    data = tempDir();
    server = await startServer({ data, http: true, s3: true, args: ['--systems', 'all', '--demo', '--test-clock'] });
    console = await Console.signIn(server);
  },
  after: async () => {
    await server?.stop();
    removeDir(data);
  },
});

async function ok(promise) {
  const reply = await promise;
  assert.equal(reply.status, 200, `${reply.status} ${reply.text.slice(0, 500)}`);
  return reply.json;
}

const textOf = async (name) => (await ok(console.get(`/_/api/models/${name}/text`))).yaml;

test('the session says where everything is', async () => {
  const session = await ok(console.get('/_/api/session'));
  assert.equal(session.signedIn, true);
  assert.equal(session.readOnly, false);
  assert.equal(session.store, 'embedded');
  assert.equal(session.testClock, true);
  assert.equal(session.region, 'us-east-1');
  assert.deepEqual(session.urls, { dynamodb: server.url, http: server.httpUrl, s3: server.s3Url });
  assert.equal(session.instance, new URL(server.httpUrl).host);
  assert.deepEqual([...session.systems].sort(), ['figureforge', 'gallery', 'membership', 'moderation', 'stories']);
  assert.equal(session.csrf.length > 30, true);
});

test('the DynamoDB API is there without a signature', async () => {
  await ok(console.dynamodb('CreateTable', kTable));
  for (let i = 0; i < 6; i += 1) {
    for (let j = 0; j < 5; j += 1) {
      const Item = { PK: { S: `PET#${i}` }, SK: { S: `VISIT#${j}` }, ...(j === 0 ? { GPK: { S: `kind${i % 2}` } } : {}) };
      await ok(console.dynamodb('PutItem', { TableName: 'pets', Item }));
    }
  }
  const page = await ok(
    console.dynamodb('Query', {
      TableName: 'pets',
      KeyConditionExpression: 'PK = :p',
      ExpressionAttributeValues: { ':p': { S: 'PET#3' } },
    }),
  );
  assert.equal(page.Count, 5);
  const streams = await console.post('/_/api/dynamodb', {}, { 'x-amz-target': 'DynamoDBStreams_20120810.ListStreams' });
  assert.equal(streams.status, 200, streams.text);
  const refused = await console.dynamodb('GetItem', { TableName: 'none', Key: { PK: { S: 'x' } } });
  assert.equal(refused.status, 400);
  assert.match(refused.json.__type, /ResourceNotFoundException/);
  const unknown = await console.dynamodb('Nothing', {});
  assert.equal(unknown.status, 400);
  assert.equal(unknown.json.error.code, 'ValidationFailed');
});

test('partitions come one after the other, with their first items', async () => {
  const seen = [];
  let after = '';
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await ok(console.get(`/_/api/partitions?table=pets&limit=2&items=3&after=${encodeURIComponent(after)}`));
    assert.ok(page.partitions.length <= 2);
    for (const partition of page.partitions) {
      seen.push(partition.key.PK.S);
      assert.deepEqual(Object.keys(partition.key), ['PK']);
      assert.equal(partition.items.length, 3);
      assert.equal(partition.more, true);
      assert.deepEqual(
        partition.items.map(({ item }) => item.SK.S),
        ['VISIT#0', 'VISIT#1', 'VISIT#2'],
      );
      for (const { bytes } of partition.items) assert.ok(bytes > 10);
    }
    if (page.next === null) break;
    after = page.next;
  }
  assert.deepEqual(seen.sort(), [0, 1, 2, 3, 4, 5].map((i) => `PET#${i}`));
  const index = await ok(console.get('/_/api/partitions?table=pets&index=by-kind'));
  assert.deepEqual(index.partitions.map(({ key }) => key.GPK.S).sort(), ['kind0', 'kind1']);
  assert.equal(index.partitions[0].items.length, 3);
  assert.equal(index.partitions[0].more, false);
  const some = await ok(console.get('/_/api/partitions?table=pets&prefix=PET%234'));
  assert.deepEqual(some.partitions.map(({ key }) => key.PK.S), ['PET#4']);
  for (const [query, status] of [
    ['', 400],
    ['?table=none', 404],
    ['?table=pets&index=none', 400],
    ['?table=pets&limit=many', 400],
    ['?table=pets&limit=501', 400],
    ['?table=pets&after=%3F%3F', 400],
  ])
    assert.equal((await console.get(`/_/api/partitions${query}`)).status, status, query);
});

test('models are described, each with its file', async () => {
  const models = await ok(console.get('/_/api/models'));
  assert.equal(models.length, 5);
  const stories = models.find(({ name }) => name === 'stories');
  assert.equal(stories.title, 'Stories');
  assert.equal(stories.yaml, undefined);
  assert.match(await textOf('stories'), /name: stories/);
  assert.equal((await console.get('/_/api/models/none/text')).status, 404);
  assert.equal(stories.table.key.partition.name, 'PK');
  const node = stories.entities.find(({ name }) => name === 'Node');
  assert.match(node.keys.PK, /\{userId\}/);
  assert.ok(node.attributes.some(({ name, type }) => name === 'version' && type === 'integer'));
  const pattern = stories.patterns.find(({ name }) => name === 'nodes');
  assert.equal(pattern.kind, 'query');
  assert.equal(pattern.route, 'GET /v1/stories/{storyId}/nodes');
  assert.deepEqual(pattern.entities, ['Node']);
  assert.ok(pattern.params.some(({ name, required }) => name === 'storyId' && required));
  assert.ok(stories.operations.some(({ name, method }) => name === 'createStory' && method === 'POST'));
  for (const model of models)
    for (const part of ['table', 'entities', 'patterns', 'operations', 'jobs']) assert.ok(model[part], part);
  const { body } = await console.get('/_/api/models');
  assert.ok(body.length < 200_000, `every page loads ${body.length} bytes`);
  assert.ok(stories.entities.some(({ rows }) => rows.length > 0));
});

test('a model is checked as it is typed', async () => {
  const yaml = await textOf('stories');
  const good = await ok(console.post('/_/api/models/check', { yaml }));
  assert.deepEqual(good.problems.filter(({ severity }) => severity === 'error'), []);
  assert.match(good.doc, /Node/);
  const bad = await ok(console.post('/_/api/models/check', { yaml: yaml.replace('query: StoryIndex', 'query: StoryIndx') }));
  const [problem] = bad.problems.filter(({ severity }) => severity === 'error');
  assert.ok(problem.line > 1 && problem.message && problem.rule);
  assert.equal(bad.doc, null);
  const broken = await ok(console.post('/_/api/models/check', { yaml: '{ not yaml' }));
  assert.ok(broken.problems.length > 0);
  assert.equal((await console.post('/_/api/models/check', {})).status, 400);
  assert.equal((await console.post('/_/api/models/check', '[')).status, 400);
  // Systems whose constants lie in a catalogue are checked with it.
  for (const model of await ok(console.get('/_/api/models'))) {
    const checked = await ok(console.post('/_/api/models/check', { yaml: await textOf(model.name), name: model.name }));
    assert.deepEqual(checked.problems.filter(({ severity }) => severity === 'error'), [], model.name);
  }
});

test('a plan says what a model would change about its table', async () => {
  const fits = await ok(console.post('/_/api/models/stories/plan', {}));
  assert.equal(fits.fits, true);
  const yaml = await textOf('stories');
  const more = yaml.replace(/^( {2}key:.*)$/m, '$1\n  indexes:\n    New1: { key: { GSI9PK: S } }');
  const plan = await console.post('/_/api/models/stories/plan', { yaml: more });
  // The table of stories may already have indexes: then the text above is no model, and is said to be none.
  assert.ok(plan.status === 200 || plan.status === 400, plan.text);
  if (plan.status === 200) assert.ok(plan.json.lines.length > 0);
  assert.equal((await console.post('/_/api/models/none/plan', {})).status, 404);
});

test('an access pattern is explained', async () => {
  const explained = await ok(
    console.post('/_/api/explain', { system: 'stories', pattern: 'nodes', params: { storyId: 'abc' } }),
  );
  assert.equal(explained.requests[0].operation, 'Query');
  assert.equal(explained.requests[0].request.TableName, 'stories');
  assert.match(explained.route, /^\/v1\/stories\/patterns\/nodes\?storyId=abc$/);
  const internal = await ok(
    console.post('/_/api/explain', { system: 'stories', pattern: 'nodesOf', params: { userId: 'ann', storyId: 'x' } }),
  );
  assert.equal(internal.requests[0].operation, 'Query');
  assert.equal(internal.route, null);
  assert.equal((await console.post('/_/api/explain', { system: 'stories', pattern: 'none' })).status, 404);
  assert.equal((await console.post('/_/api/explain', { system: 'stories', pattern: 'nodes', params: {} })).status, 400);
});

test('objects: buckets, pages, links, and their end', async () => {
  const put = await fetch(`${server.s3Url}/photos`, { method: 'PUT', headers: anyKey() });
  assert.equal(put.status, 200);
  const { buckets } = await ok(console.get('/_/api/objects'));
  assert.ok(buckets.some(({ name }) => name === 'photos'));
  for (const key of ['a/1.txt', 'a/2 ü.txt', 'top.txt']) {
    const link = await ok(console.post('/_/api/objects/photos/presign', { key, method: 'PUT', type: 'text/plain' }));
    const sent = await fetch(link.url, { method: 'PUT', headers: link.headers, body: key });
    assert.equal(sent.status, 200);
  }
  const page = await ok(console.get('/_/api/objects/photos?delimiter=/'));
  assert.deepEqual(page.prefixes, ['a/']);
  assert.deepEqual(page.objects.map(({ key }) => key), ['top.txt']);
  assert.equal(page.objects[0].size, 7);
  assert.equal(page.next, null);
  const first = await ok(console.get('/_/api/objects/photos?limit=2'));
  assert.equal(first.objects.length, 2);
  const rest = await ok(console.get(`/_/api/objects/photos?limit=2&after=${encodeURIComponent(first.next)}`));
  assert.equal(rest.objects.length, 1);
  const link = await ok(console.post('/_/api/objects/photos/presign', { key: 'a/2 ü.txt', expires: 60 }));
  assert.equal(await (await fetch(link.url)).text(), 'a/2 ü.txt');
  await ok(console.send('DELETE', '/_/api/objects/photos?key=top.txt'));
  assert.equal((await ok(console.get('/_/api/objects/photos'))).objects.length, 2);
  assert.equal((await console.get('/_/api/objects/none-such')).status, 404);
  assert.equal((await console.post('/_/api/objects/photos/presign', { key: 'x', method: 'DELETE' })).status, 400);
  assert.equal((await console.post('/_/api/objects/photos/presign', { key: 'x', expires: 0 })).status, 400);
});

function anyKey() {
  return {
    authorization:
      'AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=' +
      '0'.repeat(64),
    'x-amz-date': `${new Date().toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
  };
}

test('outbox and jobs of the systems', async () => {
  const { jobs } = await ok(console.get('/_/api/jobs'));
  const expiry = jobs.find(({ system, name }) => system === 'membership' && name === 'expiry');
  assert.equal(expiry.every, 3_600_000);
  const dry = await ok(console.post('/_/api/jobs/run', { system: 'membership', job: 'expiry', dryRun: true }));
  assert.equal(dry.done, true);
  const wet = await ok(console.post('/_/api/jobs/run', { system: 'membership', job: 'expiry', dryRun: false }));
  assert.equal(wet.done, true);
  assert.equal((await console.post('/_/api/jobs/run', { system: 'membership', job: 'none' })).status, 404);
  for (const status of ['', '&status=pending', '&status=dead', '&status=done'])
    assert.ok(Array.isArray((await ok(console.get(`/_/api/outbox?system=gallery${status}`))).rows));
  assert.equal((await console.get('/_/api/outbox?system=none')).status, 404);
  assert.equal((await console.get('/_/api/outbox?system=gallery&status=odd')).status, 400);
  assert.equal((await console.post('/_/api/outbox/retry', { system: 'gallery', id: 'none' })).status, 404);
});

test('access keys are made, shown without their secrets, and revoked', async () => {
  const folder = tempDir();
  const own = await startServer({
    data: join(folder, 'data'),
    http: true,
    env: { GATELEG_KEY_FILE: join(folder, 'master.key') },
  });
  const operator = await Console.signIn(own);
  assert.deepEqual(await ok(operator.get('/_/api/keys')), { any: true, canCreate: true, keys: [] });
  for (const [body, field] of [
    [{ scope: 'read' }, 'name'],
    [{ name: 'a b', scope: 'read' }, 'name'],
    [{ name: 'a' }, 'scope'],
    [{ name: 'a', scope: 'all' }, 'scope'],
  ]) {
    const refused = await operator.post('/_/api/keys', body);
    assert.equal(refused.status, 400, refused.text);
    assert.equal(refused.json.error.field, field, refused.text);
  }
  const made = await ok(operator.post('/_/api/keys', { name: 'report', scope: 'read: pets' }));
  assert.match(made.accessKeyId, /^GLK[A-Z2-7]{17}$/);
  assert.match(made.secretAccessKey, /^[\w-]{40}$/);
  assert.equal(made.scope, 'read:pets');
  assert.equal(made.first, true);
  const listed = await operator.get('/_/api/keys');
  assert.equal(listed.json.any, false);
  const [{ created, ...key }] = listed.json.keys;
  assert.ok(Math.abs(created - Date.now()) < 600_000);
  assert.deepEqual(key, { id: made.accessKeyId, profile: 'report', scope: 'read:pets', revocable: true });
  assert.ok(!listed.text.includes(made.secretAccessKey));
  // The gate of the DynamoDB API is closed at once; the console itself goes on.
  const unsigned = await fetch(own.url, { method: 'POST', headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables' }, body: '{}' });
  assert.equal(unsigned.status, 400);
  assert.equal((await operator.send('DELETE', '/_/api/keys')).status, 400);
  assert.equal((await operator.send('DELETE', '/_/api/keys?id=none')).status, 404);
  await ok(operator.send('DELETE', `/_/api/keys?id=${made.accessKeyId}`));
  assert.deepEqual(await ok(operator.get('/_/api/keys')), { any: false, canCreate: true, keys: [] });
  await ok(operator.post('/_/api/read-only', { on: true }));
  assert.equal((await operator.post('/_/api/keys', { name: 'x', scope: 'read' })).status, 403);
  await own.stop();
  removeDir(folder);

  // Without a data directory there is no place for them, which is said before anybody fills in a form.
  const brief = await startServer({ http: true });
  const visitor = await Console.signIn(brief);
  assert.deepEqual(await ok(visitor.get('/_/api/keys')), { any: true, canCreate: false, keys: [] });
  assert.equal((await visitor.post('/_/api/keys', { name: 'x', scope: 'read' })).status, 501);
  await brief.stop();
});

test('partitions that are called most are told, of tables and of indexes', async () => {
  for (let n = 0; n < 40; n += 1) await ok(console.dynamodb('GetItem', { TableName: 'pets', Key: { PK: { S: 'PET#2' }, SK: { S: 'VISIT#0' } } }));
  for (let n = 0; n < 9; n += 1) {
    await ok(console.dynamodb('Query', { TableName: 'pets', IndexName: 'by-kind', KeyConditionExpression: 'GPK = :k', ExpressionAttributeValues: { ':k': { S: 'kind1' } } }));
  }
  const hot = await ok(console.get('/_/api/hot-keys?table=pets'));
  assert.ok(hot.seconds > 0 && hot.seconds < 70, String(hot.seconds));
  assert.ok(hot.calls >= 49);
  const first = hot.keys[0];
  assert.deepEqual([first.table, first.index, first.key], ['pets', null, { PK: { S: 'PET#2' } }]);
  assert.ok(first.reads >= 40, JSON.stringify(first));
  const index = hot.keys.find((each) => each.index === 'by-kind' && each.key.GPK.S === 'kind1');
  assert.ok(index.reads >= 9, JSON.stringify(index));
  assert.ok(hot.keys.every(({ table }) => table === 'pets'));
  assert.equal((await ok(console.get('/_/api/hot-keys?limit=1'))).keys.length, 1);
  assert.deepEqual((await ok(console.get('/_/api/hot-keys?table=none'))).keys, []);
  assert.equal((await console.get('/_/api/hot-keys?limit=101')).status, 400);
  const metrics = await (await fetch(`${server.httpUrl}/metrics`)).text();
  assert.ok(!metrics.includes('PET#2'), 'keys are for the console alone');
});

test('keys of a changed model are worked out, counted and written page by page', async () => {
  const yaml = (await textOf('stories'))
    .replace('  marker: ItemType\n', '  marker: ItemType\n  indexes:\n    byTitle: { key: { byTitle_pk: S, byTitle_sk: S } }\n')
    .replace('keys: { PK: "USER#{userId}", SK: "STORY#{id}" }', 'keys: { PK: "USER#{userId}", SK: "STORY#{id}", byTitle_pk: "STORIES#{deleted}", byTitle_sk: "{CreatedAt}" }');
  const run = async (body) => {
    let page = { cursor: null };
    do page = await ok(console.post('/_/api/models/stories/backfill', { yaml, entity: 'StoryIndex', ...body, ...(page.cursor ? { cursor: page.cursor } : {}) }));
    while (page.cursor);
    assert.equal(page.done, true);
    return page;
  };
  const dry = await run({ dryRun: true });
  assert.ok(dry.changed > 0 && dry.matched >= dry.changed && dry.scanned > dry.matched, JSON.stringify(dry));
  const scan = async () => (await ok(console.dynamodb('Scan', { TableName: 'stories' }))).Items.filter((item) => item.byTitle_pk);
  assert.equal((await scan()).length, 0, 'a dry run writes nothing');
  const real = await run({ dryRun: false });
  assert.deepEqual([real.changed, real.failed], [dry.changed, 0]);
  const written = await scan();
  assert.equal(written.length, dry.changed);
  assert.match(written[0].byTitle_pk.S, /^STORIES#(true|false)$/);
  assert.equal((await run({ dryRun: true })).changed, 0, 'everything is as the model says');
  for (const [body, status, field] of [
    [{ yaml, entity: 'Nobody' }, 400, 'entity'],
    [{ yaml: 'nonsense: 1', entity: 'Story' }, 400, 'yaml'],
    [{ yaml: await textOf('gallery'), entity: 'Album' }, 400, 'yaml'],
    [{ yaml, entity: 'StoryIndex', cursor: '{}' }, 400, 'cursor'],
    [{ entity: 'Story' }, 400, 'yaml'],
  ]) {
    const refused = await console.post('/_/api/models/stories/backfill', body);
    assert.equal(refused.status, status, refused.text);
    assert.equal(refused.json.error.field, field, refused.text);
  }
  assert.equal((await console.post('/_/api/models/none/backfill', { yaml, entity: 'Story' })).status, 404);
});

test('the systems API knows the console as a user with every role', async () => {
  const created = await console.post('/v1/stories', { title: 'From the console' });
  assert.equal(created.status, 201, created.text);
  const list = await ok(console.get('/v1/stories'));
  assert.ok(list.items.some(({ title }) => title === 'From the console'));
  assert.equal((await request(server.httpUrl, '/v1/stories')).status, 401);
  const forged = await console.post('/v1/stories', { title: 'x' }, { 'x-gateleg-csrf': 'no' });
  assert.equal(forged.status, 403);
  assert.equal(forged.json.error.code, 'CsrfRejected');
  const foreign = await console.get('/v1/stories', { origin: 'http://localhost:1' });
  assert.equal(foreign.status, 403);
  const admin = await console.post('/v1/membership/admin/tasks/expiry', {});
  assert.equal(admin.status, 200, admin.text);
});

test('a session that only reads changes nothing', async () => {
  const yaml = await textOf('stories');
  assert.deepEqual(await ok(console.post('/_/api/read-only', { on: true })), { readOnly: true });
  for (const attempt of [
    console.dynamodb('PutItem', { TableName: 'pets', Item: { PK: { S: 'x' }, SK: { S: 'x' } } }),
    console.dynamodb('DeleteTable', { TableName: 'pets' }),
    console.send('DELETE', '/_/api/objects/photos?key=a'),
    console.post('/_/api/objects/photos/presign', { key: 'x', method: 'PUT' }),
    console.post('/_/api/outbox/retry', { system: 'gallery', id: 'x' }),
    console.post('/_/api/jobs/run', { system: 'membership', job: 'expiry', dryRun: false }),
    console.post('/v1/stories', { title: 'x' }),
    console.post('/_/api/models/stories/backfill', { yaml, entity: 'Story' }),
  ]) {
    const reply = await attempt;
    assert.equal(reply.status, 403, reply.text);
    assert.equal(reply.json.error.code, 'ReadOnly');
  }
  await ok(console.dynamodb('DescribeTable', { TableName: 'pets' }));
  await ok(console.dynamodb('ExecuteStatement', { Statement: "SELECT * FROM pets WHERE PK = 'PET#1'" }));
  const statement = await console.dynamodb('ExecuteStatement', {
    Statement: "DELETE FROM pets WHERE PK = 'PET#1' AND SK = 'VISIT#1'",
  });
  assert.equal(statement.status, 403, statement.text);
  await ok(console.post('/_/api/jobs/run', { system: 'membership', job: 'expiry', dryRun: true }));
  await ok(console.post('/_/api/models/stories/backfill', { yaml, entity: 'Story', dryRun: true }));
  await ok(console.post('/_/api/explain', { system: 'stories', pattern: 'nodes', params: { storyId: 'a' } }));
  assert.equal((await ok(console.get('/_/api/session'))).readOnly, true);
  assert.deepEqual(await ok(console.post('/_/api/read-only', { on: false })), { readOnly: false });
  await ok(console.dynamodb('PutItem', { TableName: 'pets', Item: { PK: { S: 'x' }, SK: { S: 'x' } } }));
  assert.equal((await console.post('/_/api/read-only', { on: 'yes' })).status, 400);
});

test('an account signs in only if it is an administrator', async () => {
  const email = 'console@example.com';
  const made = await request(server.httpUrl, '/v1/gallery/auth/signup', {
    method: 'POST',
    body: { email, username: 'console_person', password: kPassword },
  });
  assert.equal(made.status, 201, made.text);
  const logIn = (body, headers = {}) => request(server.httpUrl, '/_/api/login', { method: 'POST', body, headers });
  assert.equal((await logIn({ system: 'gallery', email, password: 'wrong password' })).status, 401);
  const plain = await logIn({ system: 'gallery', email, password: kPassword });
  assert.equal(plain.status, 403, plain.text);
  assert.equal(plain.headers['set-cookie'], undefined);
  const item = await findUser(email);
  item.role = { S: 'admin' };
  await ok(console.dynamodb('PutItem', { TableName: 'gallery', Item: item }));
  const reply = await logIn({ system: 'gallery', email, password: kPassword });
  assert.equal(reply.status, 200, reply.text);
  const person = await Console.withReply(server.httpUrl, reply);
  assert.equal(person.session.name, email);
  assert.equal((await logIn({ system: 'stories', email, password: kPassword })).status, 400);
  assert.equal((await logIn({ system: 'gallery', email })).status, 400);
  const foreign = await logIn({ system: 'gallery', email, password: kPassword }, { origin: 'http://localhost:1' });
  assert.equal(foreign.status, 403);
  const form = await request(server.httpUrl, '/_/api/login', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ system: 'gallery', email, password: kPassword }),
  });
  assert.equal(form.status, 415);
});

async function findUser(email) {
  let ExclusiveStartKey;
  do {
    const page = await ok(console.dynamodb('Scan', { TableName: 'gallery', ExclusiveStartKey }));
    const found = page.Items.find((item) => item.email?.S === email && item.EntityType?.S === 'User');
    if (found) return found;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  throw new Error('the user is not in the table');
}
