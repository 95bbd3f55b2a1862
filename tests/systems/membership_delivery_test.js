// The outbox with a Stripe that answers: checkouts get their page, changes and refunds arrive.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { admin, at, deliver, event, newUser, ok, paymentObject, start, subscriptionObject, suite } from './membership_fixture.js';

const requests = [];
const answers = new Map(); // path -> {status, body}, instead of what is answered otherwise
let stripe;
let base;

const test = suite('membership delivery', {
  before: async () => {
    stripe = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const form = Object.fromEntries(new URLSearchParams(body));
      requests.push({ path: request.url, form, key: request.headers['idempotency-key'], authorization: request.headers.authorization });
      const { status, body: answer } = answers.get(request.url) ?? { status: 200, body: { id: 'cs_1', object: 'checkout.session', url: 'https://pay.example/cs_1' } };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
    await new Promise((resolve) => { stripe.listen(0, '127.0.0.1', resolve); });
    const host = `127.0.0.1:${stripe.address().port}`;
    base = await start([], {
      GATELEG_STRIPE_URL: `http://${host}`,
      GATELEG_STRIPE_KEY: 'sk_test',
      GATELEG_OUTBOUND_ALLOW: host,
      GATELEG_OUTBOX_ATTEMPTS: '2',
      GATELEG_OUTBOX_BACKOFF: 'PT0.1S',
      GATELEG_OUTBOX_POLL: 'PT0.1S',
    });
  },
  after: async () => {
    await base?.stop();
    stripe?.closeAllConnections();
    stripe?.close();
  },
});

// Asks until it is so; the runner's deadline ends it otherwise.
async function until(ask, holds) {
  for (;;) {
    const found = await ask();
    if (holds(found)) return found;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}
const kMarch = '2025-03-01T00:00:00Z';

test('ME-O3 ME-O5 X-R11: a checkout is pending, then open with its page', async () => {
  await at(kMarch, base);
  const user = newUser();
  const { checkoutId } = await ok(202, 'POST', '/checkout/subscription', { user, key: 'k1', body: { planTier: 'SAGE' }, base });
  const shown = await until(() => ok(200, 'GET', `/checkout/${checkoutId}`, { user, base }), ({ status }) => status !== 'pending');
  assert.deepEqual([shown.status, shown.url], ['open', 'https://pay.example/cs_1']);
  const request = requests.find(({ form }) => form['metadata[checkoutId]'] === checkoutId);
  assert.equal(request.path, '/v1/checkout/sessions');
  assert.equal(request.authorization, 'Bearer sk_test');
  assert.ok(request.key);
  const { form } = request;
  assert.deepEqual(
    [form.mode, form['line_items[0][price_data][unit_amount]'], form['metadata[userId]'], form['subscription_data[metadata][planTier]']],
    ['subscription', '4900', user.sub, 'SAGE'],
  );
  const again = await ok(202, 'POST', '/checkout/subscription', { user, key: 'k2', body: { planTier: 'SAGE' }, base });
  assert.deepEqual([again.checkoutId, again.url], [checkoutId, 'https://pay.example/cs_1']);
});

test('X-R11: a checkout that Stripe refuses has failed', async () => {
  const user = newUser();
  answers.set('/v1/checkout/sessions', { status: 400, body: { error: { message: 'no' } } });
  const { checkoutId } = await ok(202, 'POST', '/checkout/topup', { user, body: { amountUsd: 5 }, base });
  let minutes = 0;
  const read = async () => {
    minutes += 1; // the next attempt waits by the clock of the system
    await at(new Date(Date.parse(kMarch) + minutes * 60_000).toISOString(), base);
    return ok(200, 'GET', `/checkout/${checkoutId}`, { user, base });
  };
  const shown = await until(read, ({ status }) => status !== 'pending');
  assert.equal(shown.status, 'failed');
  answers.delete('/v1/checkout/sessions');
});

test('ME-O15 ME-O24: the answer to a change, or to a question, is what holds', async () => {
  await at(kMarch, base);
  const user = newUser();
  const subscription = subscriptionObject(user, { from: kMarch, to: '2025-04-01T00:00:00Z' });
  await deliver(event('customer.subscription.created', kMarch, subscription), { base });
  await at('2025-03-02T00:00:00Z', base);
  const path = `/v1/subscriptions/${subscription.id}`;
  answers.set(path, { status: 200, body: { ...subscription, cancel_at_period_end: true } });
  await ok(200, 'POST', `/subscriptions/${subscription.id}/cancel`, { user, body: {}, base });
  const read = () => ok(200, 'GET', `/subscriptions/${subscription.id}`, { user, base });
  await until(read, ({ cancelAtPeriodEnd }) => cancelAtPeriodEnd);
  assert.equal(requests.find((one) => one.path === path).form.cancel_at_period_end, 'true');
  // An event was lost: Stripe knows that it is over.
  await at('2025-03-03T00:00:00Z', base);
  answers.set(path, { status: 200, body: { ...subscription, status: 'canceled', ended_at: Date.parse('2025-03-03T00:00:00Z') / 1000 } });
  await ok(200, 'POST', '/admin/reconcile', { user: admin, body: { userId: user.sub }, base });
  await until(read, ({ status }) => status === 'canceled');
  assert.equal((await ok(200, 'GET', '/me', { user, base })).tier, 'free');
});

test('ME-R22: a pass that was paid twice is refunded', async () => {
  await at(kMarch, base);
  const user = newUser();
  const payments = [1, 2].map(() => paymentObject(user, { kind: 'founder', passType: 'GUILD_BUILDER', cents: 99900 }));
  for (const payment of payments) await deliver(event('payment_intent.succeeded', kMarch, payment), { base });
  await until(() => requests.filter(({ path }) => path === '/v1/refunds'), ({ length }) => length > 0);
  const refunds = requests.filter(({ path }) => path === '/v1/refunds');
  assert.deepEqual([...new Set(refunds.map(({ form }) => form.payment_intent))], [payments[1].id]);
});
