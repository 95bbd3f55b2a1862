// Metrics, the list of requests, request ids, trace ids and the log of slow requests.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { skip, suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { Console, request } from './client.js';
import { readExposition } from './exposition.js';

const kTrace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const kSecret = 'this-value-must-not-show';

let server;
let console;

const test = suite('console metrics', {
  before: async () => {
    // Everything is slow that takes a millisecond, so that the log has something to say.
    server = await startServer({ http: true, s3: true, args: ['--systems', 'stories', '--slow-ms', '1'] });
    console = await Console.signIn(server);
  },
  after: async () => {
    await server?.stop();
  },
});

function dynamodb(operation, body, headers = {}) {
  return request(server.url, '/', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization: 'AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      ...headers,
    },
  });
}

async function metrics() {
  const reply = await request(server.httpUrl, '/metrics');
  assert.equal(reply.status, 200);
  assert.match(reply.headers['content-type'], /^text\/plain; version=0\.0\.4/);
  return { text: reply.text, families: readExposition(reply.text) };
}

function requestsOf(families, wanted) {
  return families
    .get('gateleg_requests_total')
    .samples.filter(({ labels }) => Object.entries(wanted).every(([name, value]) => labels[name] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

async function until(condition) {
  for (let tries = 0; tries < 400; tries += 1) {
    const value = await condition();
    if (value) return value;
    await new Promise((wake) => {
      setTimeout(wake, 50);
    });
  }
  throw new Error('it did not come to be');
}

test('requests are counted by face, operation and status', async () => {
  const made = await dynamodb('CreateTable', {
    TableName: 'counted',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  assert.equal(made.status, 200, made.text);
  const before = (await metrics()).families;
  for (let i = 0; i < 7; i += 1) {
    await dynamodb('PutItem', { TableName: 'counted', Item: { id: { S: `${kSecret}${i}` } } });
    await dynamodb('GetItem', { TableName: 'counted', Key: { id: { S: `${kSecret}${i}` } } });
  }
  for (let i = 0; i < 3; i += 1) await dynamodb('GetItem', { TableName: 'no-such-table', Key: { id: { S: kSecret } } });
  await request(server.httpUrl, '/v1/stories');
  await fetch(`${server.s3Url}/`);
  const { families, text } = await metrics();
  const grown = (wanted) => requestsOf(families, wanted) - requestsOf(before, wanted);
  assert.equal(grown({ face: 'dynamodb', operation: 'PutItem', status: '200' }), 7);
  assert.equal(grown({ face: 'dynamodb', operation: 'GetItem', status: '200' }), 7);
  assert.equal(grown({ face: 'dynamodb', operation: 'GetItem', status: '400' }), 3);
  assert.equal(grown({ face: 'http', operation: 'stories.stories', status: '401' }), 1);
  assert.equal(grown({ face: 's3' }), 1);
  const count = families
    .get('gateleg_request_duration_seconds')
    .samples.find(({ name, labels }) => name.endsWith('_count') && labels.operation === 'PutItem');
  assert.ok(count.value >= 7);
  const items = families.get('gateleg_table_items').samples.find(({ labels }) => labels.table === 'counted');
  assert.equal(items.value, 7);
  assert.ok(!text.includes(kSecret), 'a value out of a request is in the metrics');
});

test('storage, engine and process are there too', async () => {
  const { families } = await metrics();
  for (const name of [
    'gateleg_build_info',
    'gateleg_storage_disk_bytes',
    'gateleg_storage_up',
    'gateleg_engine_commits_total',
    'gateleg_engine_writes_total',
    'gateleg_engine_queued_writes',
    'gateleg_http_connections',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
    'process_cpu_seconds_total',
  ])
    assert.equal(families.get(name)?.samples.length, 1, name);
  assert.equal(families.get('gateleg_storage_up').samples[0].value, 1);
  assert.ok(families.get('process_resident_memory_bytes').samples[0].value > 1_000_000);
  assert.ok(Math.abs(families.get('process_start_time_seconds').samples[0].value - Date.now() / 1000) < 86_400);
});

test('promtool has no complaint', async () => {
  // Debian has it in the package prometheus, which is too large to ask for. The strict reader has read all of it anyway.
  const { text } = await metrics();
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  if (checked.error?.code === 'ENOENT') skip('no promtool here');
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
});

test('the list of requests has names and times, and no values', async () => {
  const reply = await dynamodb('GetItem', { TableName: 'counted', Key: { id: { S: kSecret } } }, { traceparent: kTrace });
  const id = reply.headers['x-amzn-requestid'];
  const answer = await console.get('/_/api/requests?operation=GetItem');
  assert.equal(answer.status, 200);
  const { requests } = answer.json;
  const entry = requests.find((each) => each.id === id);
  assert.ok(entry, 'the request is not in the list');
  assert.equal(entry.face, 'dynamodb');
  assert.equal(entry.table, 'counted');
  assert.equal(entry.status, 200);
  assert.equal(entry.code, null);
  assert.equal(entry.trace, kTrace);
  assert.deepEqual(Object.keys(entry.stages), ['auth', 'parse', 'run', 'write']);
  const staged = Object.values(entry.stages).reduce((sum, each) => sum + each, 0);
  assert.ok(Math.abs(staged - entry.us) <= 4, `${staged} of ${entry.us}`);
  assert.ok(entry.bytesIn > 0 && entry.bytesOut >= 2);
  assert.ok(requests.every((each, i) => i === 0 || each.t <= requests[i - 1].t + 1000));
  const failed = (await console.get('/_/api/requests?operation=GetItem&status=4xx')).json.requests;
  assert.ok(failed.length >= 3 && failed.every(({ status, code }) => status === 400 && /ResourceNotFound/.test(code)));
  assert.equal((await console.get('/_/api/requests?limit=1')).json.requests.length, 1);
  assert.equal((await console.get('/_/api/requests?limit=x')).status, 400);
  assert.ok(!JSON.stringify(requests).includes(kSecret));
});

test('a traceparent that is none is left out', async () => {
  const reply = await dynamodb('ListTables', {}, { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` });
  const { requests } = (await console.get('/_/api/requests?operation=ListTables')).json;
  assert.equal(requests.find((each) => each.id === reply.headers['x-amzn-requestid']).trace, null);
});

test('a reply goes on with the trace of its request', async () => {
  for (const reply of [
    await dynamodb('ListTables', {}, { traceparent: kTrace }),
    await request(server.httpUrl, '/v1/stories', { headers: { traceparent: kTrace } }),
    await request(server.httpUrl, '/healthz', { headers: { traceparent: kTrace } }),
  ]) {
    const [version, trace, span, flags] = reply.headers.traceparent.split('-');
    assert.deepEqual([version, trace, flags], ['00', kTrace.split('-')[1], '01']);
    assert.match(span, /^[0-9a-f]{16}$/);
    assert.notEqual(span, kTrace.split('-')[2]);
  }
  assert.equal((await dynamodb('ListTables', {})).headers.traceparent, undefined);
  assert.equal((await dynamodb('ListTables', {}, { traceparent: 'nonsense' })).headers.traceparent, undefined);
});

test('every reply has an id of its own, and errors say it too', async () => {
  const seen = new Set();
  for (const [base, path, options] of [
    [server.httpUrl, '/'],
    [server.httpUrl, '/assets/none.js'],
    [server.httpUrl, '/_/login?token=x'],
    [server.httpUrl, '/_/api/session'],
    [server.httpUrl, '/_/api/models'],
    [server.httpUrl, '/_/api/models', { headers: { cookie: console.cookie } }],
    [server.httpUrl, '/_/api/nothing', { headers: { cookie: console.cookie } }],
    [server.httpUrl, '/metrics'],
    [server.httpUrl, '/healthz'],
    [server.httpUrl, '/_test/clock', { method: 'POST' }],
    [server.httpUrl, '/docs'],
    [server.httpUrl, '/openapi.json'],
    [server.httpUrl, '/v1/stories'],
    [server.httpUrl, '/nothing'],
    [server.httpUrl, '/v1/stories', { headers: { host: 'rebound.example' } }],
    [server.httpUrl, '/healthz', { headers: { host: 'rebound.example' } }],
    [server.httpUrl, '/v1/stories', { method: 'POST', body: 'x'.repeat(3 << 20) }],
    [server.url, '/', { method: 'POST', body: '{}' }],
    [server.url, '/', { method: 'POST', body: '{}', headers: { host: 'rebound.example' } }],
    [server.s3Url, '/'],
    [server.s3Url, '/none/none'],
  ]) {
    const reply = await request(base, path, options);
    const { headers } = reply;
    const id = headers['x-request-id'] ?? headers['x-amzn-requestid'] ?? headers['x-amz-request-id'];
    const label = `${options?.method ?? 'GET'} ${path} ${JSON.stringify(options?.headers ?? {})}: ${reply.status}`;
    assert.ok(id?.length > 10, label);
    assert.ok(!seen.has(id), label);
    seen.add(id);
    if (reply.json?.error) assert.equal(reply.json.error.requestId, id, label);
  }
});

test('points of the last minutes add up', async () => {
  const putsIn = (points) => points.reduce((sum, { byOperation }) => sum + (byOperation.PutItem?.n ?? 0), 0);
  const { step, points: seen } = await until(async () => {
    const { json } = await console.get('/_/api/metrics');
    return putsIn(json.points) >= 7 && json.points.length >= 3 ? json : null;
  });
  assert.equal(step, 1000);
  assert.equal(putsIn(seen), 7);
  for (const point of seen) {
    assert.ok(point.p50 <= point.p95 && point.p95 <= point.p99);
    assert.ok(point.rss > 1_000_000);
    assert.ok(point.errors <= point.requests);
  }
  const since = seen.at(-2).t;
  const later = (await console.get(`/_/api/metrics?since=${since}`)).json.points;
  assert.ok(later.length >= 1 && later.every(({ t }) => t > since));
});

test('slow requests are logged with the time of each stage', async () => {
  const line = await until(async () => {
    for (let i = 0; i < 20; i += 1)
      await console.post('/_/api/models/check', { yaml: (await console.get('/_/api/models/stories/text')).json.yaml });
    return server.log.split('\n').find((each) => each.includes('"slow request"') && each.includes('console.check'));
  });
  const entry = JSON.parse(line);
  assert.equal(entry.face, 'http');
  for (const name of ['micros', 'authMicros', 'parseMicros', 'runMicros', 'writeMicros'])
    assert.equal(typeof entry[name], 'number', name);
  assert.ok(entry.requestId.length > 10);
  assert.ok(!server.log.includes(kSecret));
});

test('every line of the log is JSON with a time, and none has a secret', async () => {
  const secrets = {
    GATELEG_JWT_SECRET: 'the secret of tokens, which nobody logs',
    GATELEG_METRICS_TOKEN: 'the-token-of-metrics',
    GATELEG_STRIPE_WEBHOOK_SECRET: 'whsec_of_nobody',
  };
  const one = await startServer({
    http: true,
    s3: true,
    args: ['--systems', 'all', '--demo', '--slow-ms', '1'],
    env: { ...secrets, GATELEG_LOG: 'json' },
  });
  const session = await Console.signIn(one);
  const password = 'correct horse battery staple';
  const made = await request(one.httpUrl, '/v1/figureforge/auth/signup', {
    method: 'POST',
    body: { email: 'logged@example.com', password, display_name: 'L' },
  });
  const token = made.json?.token ?? made.json?.session?.token;
  const bearer = token ?? 'a.bearer.token-that-is-none';
  await request(one.httpUrl, '/v1/figureforge/users/me', { headers: { authorization: `Bearer ${bearer}` } });
  await request(one.httpUrl, '/_/api/login', {
    method: 'POST',
    body: { system: 'figureforge', email: 'logged@example.com', password: `${password}x` },
  });
  await session.dynamodb('PutItem', { TableName: 'stories', Item: { PK: { S: kSecret }, SK: { S: kSecret } } });
  const link = /token=(\S+)/.exec(one.output)[1];
  await one.stop();
  const lines = one.log.trim().split('\n');
  assert.ok(lines.length > 3);
  for (const line of lines) {
    const entry = JSON.parse(line);
    assert.match(entry.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.match(entry.level, /^(debug|info|warn|error)$/);
    assert.ok(entry.event);
    if (entry.event === 'slow request') assert.ok(entry.requestId.length > 10, line);
  }
  for (const secret of [...Object.values(secrets), password, bearer, link, session.csrf, session.cookie.split('=')[1], kSecret])
    assert.ok(!one.log.includes(secret), `the log has ${secret}`);
});
