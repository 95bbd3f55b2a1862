// What is paid once: checkouts, top-ups, founder passes, and money that goes back.

import assert from 'node:assert/strict';
import {
  admin, at, balanceOf, call, deliver, event, fails, item, me, newId, newUser, ok, outbox, outboxOf, partition, paymentObject,
  prove, runJob, subscriber, tierOf, times, suite,
} from './membership_fixture.js';

const test = suite('membership payments');
const kMarch = '2025-03-01T00:00:00Z';

const checkout = (user, kind, body, key = newId('key')) => call('POST', `/checkout/${kind}`, { user, key, body });
const pay = (user, more) => deliver(event('payment_intent.succeeded', kMarch, paymentObject(user, more)));
const founder = (user, passType, more = {}) => paymentObject(user, { kind: 'founder', passType, cents: 29900, ...more });
const charge = (payment, more = {}) => ({ object: 'charge', id: newId('ch'), payment_intent: payment.id, amount: payment.amount, amount_refunded: payment.amount, ...more });
const consume = (user, feature) => ok(200, 'POST', '/credits/consume', { user, key: newId('key'), body: { feature } });

test('ME-O3 ME-R8: a checkout is accepted, told to Stripe once, and open when Stripe has answered', async () => {
  await at(kMarch);
  const user = newUser();
  const key = newId('key');
  const first = await checkout(user, 'subscription', { planTier: 'JOURNEYMAN' }, key);
  assert.equal(first.status, 202);
  assert.equal(first.json.status, 'pending');
  const replay = await checkout(user, 'subscription', { planTier: 'JOURNEYMAN' }, key);
  assert.deepEqual([replay.status, replay.json], [202, first.json]);
  assert.equal((await checkout(user, 'subscription', { planTier: 'SAGE' }, key)).json.error.code, 'IdempotencyKeyReused');
  const shown = await ok(200, 'GET', `/checkout/${first.json.checkoutId}`, { user });
  assert.deepEqual([shown.status, shown.kind, shown.planTier, shown.amountUsd], ['pending', 'subscription', 'JOURNEYMAN', 15]);
  await fails(404, 'CheckoutNotFound', 'GET', `/checkout/${first.json.checkoutId}`, { user: newUser() });
  const rows = await outboxOf(user, 'checkout');
  assert.equal(rows.length, 1);
  const { payload } = rows[0];
  assert.deepEqual([payload.mode, payload.amount, payload.planTier, payload.checkoutId, payload.kind], ['subscription', 1500, 'JOURNEYMAN', first.json.checkoutId, 'subscription']);
  await fails(409, 'ContactSales', 'POST', '/checkout/subscription', { user, body: { planTier: 'GUILDMASTER' } });
  await fails(400, 'ValidationFailed', 'POST', '/checkout/subscription', { user, body: { planTier: 'free' } });
  await fails(400, 'ValidationFailed', 'POST', '/checkout/subscription', { user, body: {} });
  await fails(401, 'Unauthenticated', 'POST', '/checkout/subscription', { body: { planTier: 'SAGE' } });
  const subscribed = await subscriber('INITIATE');
  await fails(409, 'AlreadySubscribed', 'POST', '/checkout/subscription', { user: subscribed.user, body: { planTier: 'SAGE' } });
});

test('ME-R8: what the tiers cost', async () => {
  await at(kMarch);
  for (const [planTier, usd] of [['INITIATE', 1], ['JOURNEYMAN', 15], ['SAGE', 49]]) {
    const user = newUser();
    const { json } = await checkout(user, 'subscription', { planTier });
    assert.equal((await ok(200, 'GET', `/checkout/${json.checkoutId}`, { user })).amountUsd, usd, planTier);
  }
});

test('ME-O3: two checkouts at once are one; a completed one says so', async () => {
  await at(kMarch);
  const user = newUser();
  const replies = await times(6, () => checkout(user, 'subscription', { planTier: 'SAGE' }));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [202]);
  assert.equal(new Set(replies.map(({ json }) => json.checkoutId)).size, 1);
  assert.equal((await outboxOf(user, 'checkout')).length, 1);
  const { checkoutId } = replies[0].json;
  const session = {
    object: 'checkout.session', id: 'cs_1', mode: 'subscription', customer: `cus_${user.sub}`, subscription: newId('sub'), client_reference_id: checkoutId,
    payment_status: 'paid', metadata: { userId: user.sub, planTier: 'SAGE', checkoutId },
  };
  assert.equal(await deliver(event('checkout.session.completed', kMarch, session)), 'applied');
  assert.equal((await ok(200, 'GET', `/checkout/${checkoutId}`, { user })).status, 'completed');
  assert.equal((await item(`STRIPECUSTOMER#cus_${user.sub}`, 'META')).userId, user.sub);
  // Half an hour later the first is not offered again.
  await at('2025-03-01T00:30:01Z');
  const later = await checkout(user, 'subscription', { planTier: 'SAGE' });
  assert.notEqual(later.json.checkoutId, checkoutId);
});

test('ME-O5 ME-R13: top-ups are multiples of five dollars', async () => {
  await at(kMarch);
  const user = newUser();
  for (const [amountUsd, credits] of [[5, 10], [25, 50]]) {
    const { status, json } = await checkout(user, 'topup', { amountUsd });
    assert.deepEqual([status, json.credits], [202, credits]);
    assert.equal((await ok(200, 'GET', `/checkout/${json.checkoutId}`, { user })).credits, credits);
  }
  for (const amountUsd of [7, 0, -5, 5.5, 1000]) await fails(400, 'InvalidTopUpAmount', 'POST', '/checkout/topup', { user, body: { amountUsd } });
  await fails(400, 'ValidationFailed', 'POST', '/checkout/topup', { user, body: { amountUsd: 'five' } });
  await fails(400, 'UnknownField', 'POST', '/checkout/topup', { user, body: { amountUsd: 5, credits: 1000 } });
  assert.deepEqual((await outboxOf(user, 'checkout')).map(({ payload }) => payload.amount).sort((a, b) => a - b), [500, 2500]);
});

test('ME-O10 ME-O6: a payment tops up once, by whichever events tell of it', async () => {
  await at(kMarch);
  const user = newUser();
  const payment = paymentObject(user, { cents: 2500 });
  const session = {
    object: 'checkout.session', id: newId('cs'), mode: 'payment', payment_status: 'paid', payment_intent: payment.id, amount_total: 2500, currency: 'usd',
    customer: payment.customer, metadata: { userId: user.sub, kind: 'topup' },
  };
  const events = [event('payment_intent.succeeded', kMarch, payment), event('checkout.session.completed', kMarch, session)];
  await times(20, (n) => deliver(events[n % 2]));
  assert.equal(await prove(user), 50);
  assert.equal((await item(`USER#${user.sub}`, 'CREDITS#BALANCE')).lastTopUp, kMarch);
  assert.ok(await item(`USER#${user.sub}`, `GRANT#topup#${payment.id}`));
  for (const more of [{ cents: 700 }, { cents: 500, currency: 'eur' }]) {
    const odd = event('payment_intent.succeeded', kMarch, paymentObject(user, more));
    assert.equal(await deliver(odd), 'review');
    assert.equal((await outbox((row) => row.kind === 'alert' && row.payload.eventId === odd.id)).length, 1);
  }
  const unpaid = event('checkout.session.completed', kMarch, { ...session, id: newId('cs'), payment_intent: newId('pi'), payment_status: 'unpaid' });
  assert.equal(await deliver(unpaid), 'ignored');
  assert.equal(await prove(user), 50);
});

test('ME-O11 ME-R22 ME-R2: a founder pass, ten times told, is one pass with one grant', async () => {
  await at(kMarch);
  for (const [passType, tier] of [['FOUNDING_MEMBER', 'SAGE'], ['GUILD_BUILDER', 'GUILDMASTER']]) {
    const user = newUser();
    const one = event('payment_intent.succeeded', kMarch, founder(user, passType));
    const states = await times(10, () => deliver(one));
    assert.equal(states.filter((state) => state === 'applied').length, 1);
    const pass = await item(`USER#${user.sub}`, `FOUNDER#${passType}`);
    assert.deepEqual(
      [pass.type, pass.grantedTier, pass.lifetimeAccess, pass.purchasedAt, pass.stripePaymentIntentId],
      ['FounderPass', tier, true, kMarch, one.data.object.id],
    );
    assert.equal(await tierOf(user), `${tier} founder`);
    assert.equal(await prove(user), 15);
    assert.equal((await item(`USER#${user.sub}`, `PROFILE#${user.sub}`)).tier, tier);
  }
});

test('ME-O4 ME-R22: an owned pass is not sold again, and refunded if it was paid twice', async () => {
  await at(kMarch);
  const user = newUser();
  const started = await times(4, () => checkout(user, 'founder', { passType: 'FOUNDING_MEMBER' }));
  assert.equal(new Set(started.map(({ json }) => json.checkoutId)).size, 1);
  const payments = [founder(user, 'FOUNDING_MEMBER'), founder(user, 'FOUNDING_MEMBER')];
  const events = payments.map((payment) => event('payment_intent.succeeded', kMarch, payment));
  await Promise.all(events.map((one) => deliver(one)));
  // The session of the refused payment tells of it once more.
  const bought = (await item(`USER#${user.sub}`, 'FOUNDER#FOUNDING_MEMBER')).stripePaymentIntentId;
  const refused = payments.find(({ id }) => id !== bought);
  const session = { object: 'checkout.session', mode: 'payment', payment_status: 'paid', payment_intent: refused.id, customer: refused.customer, metadata: refused.metadata };
  await deliver(event('checkout.session.completed', kMarch, session));
  const refunds = await outboxOf(user, 'stripe-refund');
  assert.deepEqual(refunds.map(({ payload }) => payload.payment_intent), [refused.id]);
  assert.equal(await prove(user), 15);
  await fails(409, 'PassAlreadyOwned', 'POST', '/checkout/founder', { user, body: { passType: 'FOUNDING_MEMBER' } });
  assert.equal((await checkout(user, 'founder', { passType: 'GUILD_BUILDER' })).status, 202);
  // Its refund is our own doing.
  assert.equal(await deliver(event('charge.refunded', kMarch, charge(refused))), 'ignored');
  assert.equal(await tierOf(user), 'SAGE founder');
});

test('ME-O4 ME-R22: four payments for one pass at once: one buys it, three go back', async () => {
  await at(kMarch);
  for (let round = 0; round < 20; round += 1) {
    const user = newUser();
    const payments = Array.from({ length: 4 }, () => founder(user, 'FOUNDING_MEMBER'));
    const states = await Promise.all(
      payments.map((payment) => deliver(event('payment_intent.succeeded', kMarch, payment))),
    );
    assert.deepEqual(states, ['applied', 'applied', 'applied', 'applied']);
    const bought = (await item(`USER#${user.sub}`, 'FOUNDER#FOUNDING_MEMBER')).stripePaymentIntentId;
    const refunds = await outboxOf(user, 'stripe-refund');
    assert.deepEqual(
      refunds.map(({ payload }) => payload.payment_intent).sort(),
      payments.map(({ id }) => id).filter((id) => id !== bought).sort(),
    );
    assert.equal(await prove(user), 15);
  }
});

test('ME-O13 ME-R25: a refund takes what is left of the lot and notes what was spent', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  const payment = paymentObject(user);
  await deliver(event('payment_intent.succeeded', kMarch, payment));
  await consume(user, 'veo3_render');
  await consume(user, 'mentor_feedback');
  assert.equal(await balanceOf(user), 6);
  const refund = event('charge.refunded', kMarch, charge(payment));
  const states = await times(10, () => deliver(refund));
  assert.equal(states.filter((state) => state === 'applied').length, 1);
  assert.equal(await prove(user), 0);
  const entries = (await partition(`USER#${user.sub}`, 'CREDITS#TXN#')).filter(({ kind }) => kind === 'clawback');
  assert.deepEqual(entries.map(({ amount, deficit }) => [amount, deficit]), [[-6, 4]]);
  // Other lots are not touched.
  await ok(200, 'POST', '/admin/credits/grant', { user: admin, key: newId('key'), body: { userId: user.sub, amount: 5, reason: 'x' } });
  await deliver(event('charge.refunded', kMarch, charge(payment)));
  assert.equal(await prove(user), 5);
});

test('ME-O13: partial refunds are proportional, rounded up, and add up', async () => {
  await at(kMarch);
  const user = newUser();
  const payment = paymentObject(user);
  await deliver(event('payment_intent.succeeded', kMarch, payment));
  for (const [refunded, left] of [[51, 8], [51, 8], [250, 5], [100, 5], [500, 0]]) {
    await deliver(event('charge.refunded', kMarch, charge(payment, { amount_refunded: refunded })));
    assert.equal(await prove(user), left, `${refunded} cents`);
  }
});

test('ME-O13: a dispute takes, and gives back when it is won, in both orders', async () => {
  await at(kMarch);
  for (const order of [[0, 1], [1, 0]]) {
    const user = newUser();
    const payment = paymentObject(user);
    await deliver(event('payment_intent.succeeded', kMarch, payment));
    const dispute = { object: 'dispute', id: newId('dp'), payment_intent: payment.id, amount: 500 };
    const events = [
      event('charge.dispute.created', kMarch, { ...dispute, status: 'needs_response' }),
      event('charge.dispute.closed', '2025-03-20T00:00:00Z', { ...dispute, status: 'won' }),
    ];
    const seen = [];
    for (const n of order) {
      await deliver(events[n]);
      seen.push(await prove(user));
    }
    assert.deepEqual(seen, order[0] === 0 ? [0, 10] : [10, 10]);
    await deliver(event('charge.dispute.closed', '2025-03-21T00:00:00Z', { ...dispute, id: newId('dp'), status: 'lost' }));
    assert.equal(await prove(user), 0);
  }
});

test('ME-O13: a refund that comes before its payment waits for it', async () => {
  await at(kMarch);
  const user = newUser();
  const payment = paymentObject(user);
  const refund = event('charge.refunded', kMarch, charge(payment));
  assert.equal(await deliver(refund), 'parked');
  await deliver(event('payment_intent.succeeded', kMarch, payment));
  assert.equal(await prove(user), 0);
  assert.equal((await ok(200, 'GET', `/admin/events/${refund.id}`, { user: admin })).state, 'applied');
});

test('ME-R26 ME-O13: a refunded or disputed pass is revoked, and the next source decides', async () => {
  const { user } = await subscriber('JOURNEYMAN');
  const payment = founder(user, 'GUILD_BUILDER');
  await deliver(event('payment_intent.succeeded', kMarch, payment));
  assert.equal(await tierOf(user), 'GUILDMASTER founder');
  await deliver(event('charge.refunded', kMarch, charge(payment, { amount_refunded: 100 })));
  assert.equal(await tierOf(user), 'GUILDMASTER founder');
  const dispute = { object: 'dispute', id: newId('dp'), payment_intent: payment.id, amount: payment.amount };
  await deliver(event('charge.dispute.created', kMarch, dispute));
  assert.equal(await tierOf(user), 'JOURNEYMAN subscription');
  assert.ok((await item(`USER#${user.sub}`, 'FOUNDER#GUILD_BUILDER')).revokedAt);
  await deliver(event('charge.dispute.closed', '2025-03-02T00:00:00Z', { ...dispute, status: 'won' }));
  assert.equal(await tierOf(user), 'GUILDMASTER founder');
  await deliver(event('charge.refunded', '2025-03-03T00:00:00Z', charge(payment)));
  assert.equal(await tierOf(user), 'JOURNEYMAN subscription');
  assert.equal((await item(`USER#${user.sub}`, `PROFILE#${user.sub}`)).tier, 'JOURNEYMAN');
  // It can be bought again.
  assert.equal(await pay(user, { kind: 'founder', passType: 'GUILD_BUILDER', cents: 29900 }), 'applied');
  assert.equal(await tierOf(user), 'GUILDMASTER founder');
});

test('ME-R11 ME-O22 ME-T18: founders get their month on its day, clamped, once, whoever runs the job', async () => {
  await at('2025-01-31T12:00:00Z');
  const user = newUser();
  await deliver(event('payment_intent.succeeded', '2025-01-31T12:00:00Z', founder(user, 'FOUNDING_MEMBER')));
  const run = () => runJob('/admin/tasks/founder-grants');
  const months = async () => (await partition(`USER#${user.sub}`, 'GRANT#founder#')).map(({ SK }) => SK.slice(-7));
  for (const [time, expected] of [
    ['2025-01-31T12:00:00Z', ['2025-01']],
    ['2025-02-28T11:59:59Z', ['2025-01']],
    ['2025-02-28T12:00:00Z', ['2025-01', '2025-02']],
    ['2025-03-30T12:00:00Z', ['2025-01', '2025-02']],
    ['2025-03-31T12:00:00Z', ['2025-01', '2025-02', '2025-03']],
  ]) {
    await at(time);
    await times(3, run);
    assert.deepEqual(await months(), expected, time);
    assert.equal(await prove(user), 15 * expected.length, time);
  }
  // Two months without the job are made up for.
  await at('2025-05-31T12:00:00Z');
  await run();
  assert.equal(await prove(user), 75);
  const lots = await partition(`USER#${user.sub}`, 'CREDITS#LOT#');
  assert.ok(lots.every(({ source, granted }) => source === 'founder' && granted === 15));
});

test('ME-R23: pass and subscription both grant; the checkout warns that the pass decides', async () => {
  const { user } = await subscriber('JOURNEYMAN');
  await pay(user, { kind: 'founder', passType: 'FOUNDING_MEMBER', cents: 29900 });
  assert.equal(await prove(user), 20);
  assert.equal((await me(user)).subscriptions.length, 1);
  const pioneer = newUser();
  await pay(pioneer, { kind: 'founder', passType: 'FOUNDING_MEMBER', cents: 29900 });
  assert.match((await checkout(pioneer, 'subscription', { planTier: 'SAGE' })).json.warning, /pass/);
});
