// A server with membership, its users, a clock that tests set, and Stripe as the tests play it.

import assert from 'node:assert/strict';
import { suite as plainSuite } from '../lib/runner.js';
import { caller, fromItem, requests, setClock, startSystem, table, times, token as tokenOf, webhookSignature } from '../lib/system.js';

export { times };
export const kStripeSecret = 'whsec_test';

// Tests here race many requests: a busy machine gets time for them.
export function suite(name, hooks) {
  const test = plainSuite(name, hooks);
  return (title, body) => test(title, body, { seconds: 300 });
}

export const start = (args = [], env = {}) =>
  startSystem('membership', { args, env: { GATELEG_STRIPE_WEBHOOK_SECRET: kStripeSecret, ...env } });
export const server = await start();
export const { call, ok, fails } = requests(server, '/v1/membership');
export const { dynamodb, get: item, put, partition, scan } = table(server, 'gg_core');
export const plainItem = fromItem;

// --- callers

export const token = (sub, roles) => tokenOf({ sub, roles });
let made = 0;
export function newUser() {
  made += 1;
  return caller(`member-${made}`, 'user');
}
export const admin = caller('the-admin', 'admin');
export const service = caller('the-service', 'service');
export const newId = (prefix) => {
  made += 1;
  return `${prefix}_${made}`;
};

// --- time

export const at = (time, base = server) => setClock(base, time === undefined ? {} : { now: time });
export const seconds = (time) => Math.floor(Date.parse(time) / 1000);

// --- the table

// Rows of the outbox that `wanted` picks.
export async function outbox(wanted, base = server) {
  const slots = await times(16, (n) => partition(`OUTBOX#${String(n).padStart(2, '0')}`, '', base));
  return slots.flat().filter(wanted);
}
export const outboxOf = (user, kind, base = server) => outbox((row) => row.kind === kind && row.payload.userId === user.sub, base);
export const auditOf = async (user, day) => (await partition(`AUDIT#${day}`)).filter((row) => row.target === user.sub);

// --- Stripe

export const sign = (body, { secret = kStripeSecret, time } = {}) => webhookSignature(secret, body, time);

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
