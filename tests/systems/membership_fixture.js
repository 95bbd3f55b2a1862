// A server with membership, its users, a clock that tests set, and Stripe as the tests play it.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite as plainSuite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';

const kJwtSecret = 'a secret that only this test knows, 32+ bytes';
export const kStripeSecret = 'whsec_test';

// Tests here race many requests: a busy machine gets time for them.
export function suite(name, hooks) {
  const test = plainSuite(name, hooks);
  return (title, body) => test(title, body, { seconds: 300 });
}

export function start(args = [], env = {}) {
  return startServer({
    http: true,
    args: ['--systems', 'membership', '--test-clock', ...args],
    env: { GATELEG_JWT_SECRET: kJwtSecret, GATELEG_STRIPE_WEBHOOK_SECRET: kStripeSecret, ...env },
  });
}
export const server = await start();

// --- callers

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export function token(sub, roles) {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub, roles, exp: Math.floor(Date.now() / 1000) + 36_000 })}`;
  return `${signed}.${createHmac('sha256', kJwtSecret).update(signed).digest('base64url')}`;
}
const caller = (sub, roles) => ({ sub, token: token(sub, roles) });
let made = 0;
export function newUser() {
  made += 1;
  return caller(`member-${made}`, ['user']);
}
export const admin = caller('the-admin', ['admin']);
export const service = caller('the-service', ['service']);
export const newId = (prefix) => {
  made += 1;
  return `${prefix}_${made}`;
};

// --- requests

// A client that is told to try again does so, with the same key.
const kTries = 20;
export async function call(method, path, options = {}) {
  for (let tries = 1; ; tries += 1) {
    const reply = await callOnce(method, path, options);
    if (reply.json?.error?.code !== 'Unavailable' || tries === kTries) return reply;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
}

// Resolves to {status, headers, body (text), json}.
async function callOnce(method, path, { user, body, key, headers = {}, base = server } = {}) {
  const all = { ...headers };
  if (user) all.authorization = `Bearer ${user.token}`;
  if (key) all['idempotency-key'] = key;
  if (body !== undefined) all['content-type'] = 'application/json';
  const reply = await fetch(`${base.httpUrl}/v1/membership${path}`, {
    method,
    headers: all,
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
}

export async function ok(status, method, path, options) {
  const reply = await call(method, path, options);
  assert.equal(reply.status, status, `${method} ${path}: ${reply.body}`);
  return reply.json;
}

export async function fails(status, code, method, path, options) {
  const reply = await call(method, path, options);
  const label = `${method} ${path}: ${reply.status} ${reply.body.slice(0, 400)}`;
  assert.equal(reply.status, status, label);
  assert.equal(reply.json?.error?.code, code, label);
  assert.ok(reply.json.error.requestId, label);
  return reply.json.error;
}

export const times = (count, make) => Promise.all(Array.from({ length: count }, (_, at) => make(at)));

// --- time

export async function at(time, base = server) {
  const reply = await fetch(`${base.httpUrl}/_test/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(time === undefined ? {} : { now: time }),
  });
  assert.equal(reply.status, 200, await reply.text());
}
export const seconds = (time) => Math.floor(Date.parse(time) / 1000);

// --- the table

export async function dynamodb(operation, request, base = server) {
  const reply = await fetch(base.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify({ TableName: 'gg_core', ...request }),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}
const plain = (value) => {
  if ('N' in value) return Number(value.N);
  if ('L' in value) return value.L.map(plain);
  if ('M' in value) return Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, plain(one)]));
  if ('NULL' in value) return null;
  return Object.values(value)[0];
};
export const plainItem = (item) => item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));
export async function item(PK, SK, base = server) {
  const { Item } = await dynamodb('GetItem', { Key: { PK: { S: PK }, SK: { S: SK } }, ConsistentRead: true }, base);
  return plainItem(Item);
}
const stored = (value) => {
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  return { S: value };
};
export async function put(values, base = server) {
  const Item = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, stored(value)]));
  await dynamodb('PutItem', { Item }, base);
}
// Every item of a partition, whatever its pages.
export async function partition(PK, prefix = '', base = server) {
  const items = [];
  let start;
  do {
    const condition = prefix ? 'PK = :p AND begins_with(SK, :s)' : 'PK = :p';
    const values = { ':p': { S: PK }, ...(prefix ? { ':s': { S: prefix } } : {}) };
    const page = await dynamodb(
      'Query',
      {
        KeyConditionExpression: condition,
        ExpressionAttributeValues: values,
        ConsistentRead: true,
        ...(start ? { ExclusiveStartKey: start } : {}),
      },
      base,
    );
    items.push(...page.Items.map(plainItem));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
}
// Rows of the outbox that `wanted` picks.
export async function outbox(wanted, base = server) {
  const slots = await times(16, (n) => partition(`OUTBOX#${String(n).padStart(2, '0')}`, '', base));
  return slots.flat().filter(wanted);
}
export const outboxOf = (user, kind, base = server) => outbox((row) => row.kind === kind && row.payload.userId === user.sub, base);
export const auditOf = async (user, day) => (await partition(`AUDIT#${day}`)).filter((row) => row.target === user.sub);

// --- Stripe

export const sign = (body, { secret = kStripeSecret, time = Math.floor(Date.now() / 1000) } = {}) =>
  `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;

// An event of that type; `created` is a time as text.
export const event = (type, created, object, id = newId('evt')) => ({
  id,
  object: 'event',
  type,
  created: seconds(created),
  data: { object },
});
export async function send(one, { base = server, signature } = {}) {
  const body = JSON.stringify(one);
  return call('POST', '/webhooks/stripe', { body, headers: { 'stripe-signature': signature ?? sign(body) }, base });
}
// Sends it and gives the state it came to.
export async function deliver(one, options) {
  const reply = await send(one, options);
  assert.equal(reply.status, 200, `${one.type}: ${reply.body}`);
  assert.equal(reply.json.received, true);
  return reply.json.state;
}

export const subscriptionObject = (user, { id = newId('sub'), customer = `cus_${user.sub}`, tier = 'JOURNEYMAN', status = 'active', from, to, ...more } = {}) => ({
  id,
  object: 'subscription',
  customer,
  status,
  cancel_at_period_end: false,
  current_period_start: seconds(from),
  current_period_end: seconds(to),
  items: { data: [{ id: `si_${id}`, price: { id: 'price_x', lookup_key: tier } }] },
  metadata: { userId: user.sub },
  ...more,
});
export const invoiceObject = (user, subscription, { id = newId('in'), tier, from, to, paid = 1500, reason = 'subscription_cycle', ...more } = {}) => ({
  id,
  object: 'invoice',
  customer: subscription.customer,
  subscription: subscription.id,
  billing_reason: reason,
  amount_paid: paid,
  lines: {
    data: [
      {
        amount: paid,
        period: { start: from ? seconds(from) : subscription.current_period_start, end: to ? seconds(to) : subscription.current_period_end },
        price: { lookup_key: tier ?? subscription.items.data[0].price.lookup_key },
      },
    ],
  },
  subscription_details: { metadata: user ? { userId: user.sub } : {} },
  ...more,
});
export const paymentObject = (user, { id = newId('pi'), cents = 500, kind = 'topup', passType, customer = `cus_${user.sub}`, ...more } = {}) => ({
  id,
  object: 'payment_intent',
  amount: cents,
  amount_received: cents,
  currency: 'usd',
  customer,
  metadata: { userId: user.sub, kind, ...(passType ? { passType } : {}) },
  ...more,
});

// A member with a paid subscription for March 2025, as of that month.
export async function subscriber(tier = 'JOURNEYMAN', { user = newUser(), from = '2025-03-01T00:00:00Z', to = '2025-04-01T00:00:00Z', invoice = true } = {}) {
  await at(from);
  const subscription = subscriptionObject(user, { tier, from, to });
  assert.equal(await deliver(event('customer.subscription.created', from, subscription)), 'applied');
  if (invoice) assert.equal(await deliver(event('invoice.payment_succeeded', from, invoiceObject(user, subscription, { reason: 'subscription_create' }))), 'applied');
  return { user, subscription };
}
export const grant = (user, amount, more = {}) =>
  ok(200, 'POST', '/admin/credits/grant', { user: admin, key: newId('key'), body: { userId: user.sub, amount, reason: 'test', ...more } });
export const balanceOf = async (user) => (await ok(200, 'GET', '/credits', { user })).balance;
export const me = (user) => ok(200, 'GET', '/me', { user });
export const tierOf = async (user) => {
  const { tier, source } = await me(user);
  return `${tier} ${source}`;
};

// ME-R18: balance = what is left in the lots = the sum of the ledger; nothing below 0.
export async function prove(user) {
  const all = await partition(`USER#${user.sub}`, 'CREDITS#');
  const balance = all.find(({ SK }) => SK === 'CREDITS#BALANCE')?.balance ?? 0;
  const sum = (prefix, name) => all.filter(({ SK }) => SK.startsWith(prefix)).reduce((total, one) => total + one[name], 0);
  const label = `member ${user.sub}`;
  assert.equal(sum('CREDITS#LOT#', 'remaining'), balance, `${label}: lots`);
  assert.equal(sum('CREDITS#TXN#', 'amount'), balance, `${label}: ledger`);
  assert.ok(balance >= 0 && all.every((one) => !('remaining' in one) || (one.remaining >= 0 && one.remaining <= one.granted)), label);
  return balance;
}
export const runJob = async (path) => {
  let cursor;
  const total = { changed: 0, skipped: 0, failed: 0 };
  do {
    const report = await ok(200, 'POST', path, { user: admin, body: cursor ? { cursor } : {} });
    for (const name of Object.keys(total)) total[name] += report[name] ?? 0;
    cursor = report.cursor;
  } while (cursor);
  return total;
};
