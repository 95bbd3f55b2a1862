// A system as tests meet it: its server, people who call it, requests, the table behind it, and time.
//
// GATELEG_TEST_STORE=1 keeps the tables in a second server, which the first reaches by --store; raw reads and writes then
// go there. GATELEG_TEST_MODEL=systems/gallery/model.yaml tries a changed model without a build.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { done, kNobodysKeys, run } from './command.js';
import { send as sendS3, signS3 } from './s3_sign.js';
import { startServer } from './server.js';

export const kJwtSecret = 'a secret that only this test knows, 32+ bytes';
export const isRemote = process.env.GATELEG_TEST_STORE === '1';
const modelOf = (system) => process.env.GATELEG_TEST_MODEL ?? system;

// --- servers

// `url` of what it resolves to is where the table can be read; stop() ends both servers when there are two. `bucket` is
// where the system keeps objects: the S3 API is then on, in the server that has the tables.
export async function startSystem(system, { bucket, args = [], env = {} } = {}) {
  const s3 = bucket !== undefined;
  const model = process.env.GATELEG_TEST_MODEL ? ['--model', modelOf(system)] : ['--systems', system];
  const options = { http: true, s3, args: [...model, '--test-clock', ...args], env: { GATELEG_JWT_SECRET: kJwtSecret, ...env } };
  if (!isRemote) return startServer(options);

  // The store has a clock of its own: it deletes what has expired.
  const store = await startServer({ http: true, s3, args: ['--test-clock'] });
  await done('apply', modelOf(system), '--endpoint', store.url);
  Object.assign(options.env, kNobodysKeys);
  if (s3) {
    const request = { method: 'PUT', path: `/${bucket}`, host: new URL(store.s3Url).host };
    const made = await sendS3(store.s3Url, signS3(request, { key: { accessKeyId: 'local', secretAccessKey: 'local' } }));
    assert.equal(made.status, 200, made.body);
    options.env.GATELEG_S3_ENDPOINT = store.s3Url;
  }
  const server = await startServer({ ...options, s3: false, args: [...options.args, '--store', store.url] });
  return server.keepTablesIn(store);
}

// {now}, {advance}, or {} for the real time, in every server that has a clock.
export async function setClock(server, change) {
  for (const each of [server.store, server]) {
    if (!each) continue;
    const reply = await fetch(`${each.httpUrl}/_test/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
    assert.equal(reply.status, 200, await reply.text());
  }
}

// --- callers

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export function token(claims, { header = { alg: 'HS256', typ: 'JWT' }, secret = kJwtSecret } = {}) {
  const all = { exp: Math.floor(Date.now() / 1000) + 36_000, roles: ['user'], ...claims };
  const signed = `${encode(header)}.${encode(all)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
export const caller = (sub, ...roles) => ({ sub, token: token({ sub, roles }) });

// What a provider sends beside a body: the signature is over the exact bytes.
export const webhookSignature = (secret, body, at = Math.floor(Date.now() / 1000)) =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;

// --- requests

export const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
export const times = (count, make) => Promise.all(Array.from({ length: count }, (_, at) => make(at)));

const kTries = 30;

// Requests to paths below `prefix`. `base` of a request is another server, or its address.
export function requests(server, prefix = '') {
  // Resolves to {status, headers, body (text), json}. `body` is sent as JSON unless it is text.
  const send = async (method, path, { user, body, key, headers = {}, base = server }) => {
    const all = { ...headers };
    if (user) all.authorization = `Bearer ${user.token}`;
    if (key) all['idempotency-key'] = key;
    if (body !== undefined && !('content-type' in all)) all['content-type'] = 'application/json';
    const reply = await fetch((typeof base === 'string' ? base : base.httpUrl) + prefix + path, {
      method,
      headers: all,
      redirect: 'manual',
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await reply.text();
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: reply.status, headers: reply.headers, body: text, json };
  };
  // Writers that met others for too long are told to come again, and do: on a busy machine that is no failure.
  const call = async (method, path, options = {}) => {
    for (let tries = 1; ; tries += 1) {
      const reply = await send(method, path, options);
      if (reply.json?.error?.code !== 'Unavailable' || tries === kTries) return reply;
      await sleep(50 + Math.random() * 200);
    }
  };
  const expect = async (status, method, path, options) => {
    const reply = await call(method, path, options);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.status} ${reply.body.slice(0, 600)}`);
    assert.ok(reply.headers.get('x-request-id'), 'x-request-id');
    return reply;
  };
  // The one form every error has.
  const expectError = async (status, code, method, path, options) => {
    const reply = await call(method, path, options);
    const label = `${method} ${path}: ${reply.status} ${reply.body.slice(0, 600)}`;
    assert.equal(reply.status, status, label);
    assert.equal(reply.json?.error?.code, code, label);
    assert.equal(typeof reply.json.error.message, 'string', label);
    assert.equal(reply.json.error.requestId, reply.headers.get('x-request-id'), label);
    assert.match(reply.headers.get('content-type'), /^application\/json/, label);
    return reply;
  };
  return {
    call,
    expect,
    expectError,
    ok: async (...request) => (await expect(...request)).json,
    fails: async (...request) => (await expectError(...request)).json.error,
  };
}

// --- the table

const toValue = (value) => {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toValue) };
  return { M: toItem(value) };
};
export const toItem = (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(value)]));

const fromValue = (value) => {
  const [[type, inner]] = Object.entries(value);
  if (type === 'N') return Number(inner);
  if (type === 'NULL') return null;
  if (type === 'L') return inner.map(fromValue);
  if (type === 'M') return fromItem(inner);
  return inner;
};
export const fromItem = (item) => item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromValue(value)]));

// The table `name` through the DynamoDB API; items go in and come out as plain objects.
export function table(server, name, [hash, sort] = ['PK', 'SK']) {
  const dynamodb = async (operation, request = {}, base = server) => {
    const reply = await fetch(base.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: JSON.stringify({ TableName: name, ...request }),
    });
    const json = await reply.json();
    assert.equal(reply.status, 200, JSON.stringify(json));
    return json;
  };
  const keyOf = (pk, sk) => ({ [hash]: { S: pk }, [sort]: { S: sk } });
  const pages = async (operation, request, base) => {
    const items = [];
    let start;
    do {
      const page = await dynamodb(operation, { ...request, ...(start && { ExclusiveStartKey: start }) }, base);
      items.push(...page.Items.map(fromItem));
      start = page.LastEvaluatedKey;
    } while (start);
    return items;
  };
  return {
    dynamodb,
    put: (fields, base) => dynamodb('PutItem', { Item: toItem(fields) }, base),
    get: async (pk, sk, base) => fromItem((await dynamodb('GetItem', { Key: keyOf(pk, sk), ConsistentRead: true }, base)).Item),
    update: (pk, sk, expression, values, names) =>
      dynamodb('UpdateItem', {
        Key: keyOf(pk, sk),
        UpdateExpression: expression,
        ExpressionAttributeValues: values && toItem(values),
        ExpressionAttributeNames: names,
      }),
    query: (request, base) => pages('Query', request, base),
    scan: async (keep = () => true, base = server) => (await pages('Scan', { ConsistentRead: true }, base)).filter(keep),
    // Every item of a partition whose sort key begins so.
    partition: (pk, prefix = '', base = server) =>
      pages(
        'Query',
        {
          KeyConditionExpression: prefix ? '#p = :p AND begins_with(#s, :s)' : '#p = :p',
          ExpressionAttributeNames: { '#p': hash, ...(prefix && { '#s': sort }) },
          ExpressionAttributeValues: toItem({ ':p': pk, ...(prefix && { ':s': prefix }) }),
          ConsistentRead: true,
        },
        base,
      ),
  };
}

// Every item is what the model says of it: keys, derived attributes, rows of tags, guards and counters' edges.
export async function fsckFindsNothing(server, system, isKnown = () => false) {
  const { code, output } = await run('fsck', modelOf(system), '--endpoint', server.url, '--output', 'json', '--most', '1000');
  if (code === 0) return;
  assert.equal(code, 5, output);
  const { findings } = JSON.parse(output);
  const unknown = findings.filter((finding) => !isKnown(finding));
  assert.deepEqual(unknown.slice(0, 10), [], `${unknown.length} findings`);
}
