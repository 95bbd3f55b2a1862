// Metrics, the list of requests, request ids, trace ids and the log of slow requests.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

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
  if (!existsSync('/usr/bin/promtool')) skip('no promtool here');
  const { text } = await metrics();
  const checked = spawnSync('/usr/bin/promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
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
      await console.post('/_/api/models/check', { yaml: (await console.get('/_/api/models')).json[0].yaml });
    return server.log.split('\n').find((each) => each.includes('"slow request"') && each.includes('console.check'));
  });
  const entry = JSON.parse(line);
  assert.equal(entry.face, 'http');
  for (const name of ['micros', 'authMicros', 'parseMicros', 'runMicros', 'writeMicros'])
    assert.equal(typeof entry[name], 'number', name);
  assert.ok(entry.requestId.length > 10);
  assert.ok(!server.log.includes(kSecret));
});
