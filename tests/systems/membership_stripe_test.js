// Stripe's webhooks: signatures, duplicates, every order, parked and late events.

import assert from 'node:assert/strict';
import {
  admin, at, balanceOf, call, deliver, event, fails, invoiceObject, item, me, newId, newUser, ok, outbox, outboxOf, partition,
  paymentObject, prove, runJob, send, sign, start, subscriber, subscriptionObject, tierOf, times, suite,
} from './membership_fixture.js';

const test = suite('membership stripe');
const kMarch = '2025-03-01T00:00:00Z';
const kApril = '2025-04-01T00:00:00Z';
const kMay = '2025-05-01T00:00:00Z';

const permutations = (list) =>
  list.length < 2 ? [list] : list.flatMap((one, at_) => permutations(list.filter((_, n) => n !== at_)).map((rest) => [one, ...rest]));
const record = (id) => ok(200, 'GET', `/admin/events/${id}`, { user: admin });

test('X-R12: only what Stripe has signed, in time, is read', async () => {
  await at();
  const one = event('ping', new Date().toISOString(), {});
  const body = JSON.stringify(one);
  const now = Math.floor(Date.now() / 1000);
  const refuse = async (code, signature, text = body) => {
    const reply = await call('POST', '/webhooks/stripe', { body: text, headers: signature === undefined ? {} : { 'stripe-signature': signature } });
    assert.deepEqual([reply.status, reply.json?.error?.code], [400, code], `${signature}: ${reply.body}`);
  };
  await refuse('SignatureInvalid', undefined);
  await refuse('SignatureInvalid', 'nonsense');
  await refuse('SignatureInvalid', sign(body, { secret: 'another' }));
  await refuse('SignatureInvalid', sign(body), `${body} `);
  await refuse('SignatureExpired', sign(body, { time: now - 600 }));
  await refuse('SignatureExpired', sign(body, { time: now + 600 }));
  await refuse('MalformedJson', sign('{'), '{');
  await refuse('ValidationFailed', sign('{}'), '{}');
  assert.equal(await deliver(one), 'ignored');
  const bare = await start([], { GATELEG_STRIPE_WEBHOOK_SECRET: '' });
  try {
    const reply = await send(one, { base: bare });
    assert.deepEqual([reply.status, reply.json.error.code], [503, 'ProviderNotConfigured']);
  } finally {
    await bare.stop();
  }
});

test('ME-O14 ME-T3: unknown types and odd bodies are stored and answered with 200', async () => {
  await at(kMarch);
  const odd = event('some.thing.new', kMarch, { id: 'x', deep: { list: [1, null, 'two'] } });
  assert.equal(await deliver(odd), 'ignored');
  assert.equal(await deliver(odd), 'duplicate');
  const stored = await record(odd.id);
  assert.deepEqual([stored.state, stored.eventType], ['ignored', 'some.thing.new']);
  assert.ok(await item(`EVENT#stripe#${odd.id}`, 'META'));
  for (const [type, object] of [
    ['customer.updated', { object: 'customer', id: 'cus_nobody' }],
    ['customer.deleted', { object: 'customer', id: 'cus_nobody' }],
    ['customer.subscription.updated', null],
    ['invoice.paid', { lines: 'what' }],
    ['charge.refunded', {}],
    ['payment_intent.succeeded', { metadata: [] }],
    ['checkout.session.completed', { mode: 'setup' }],
  ]) {
    assert.ok(['ignored', 'parked', 'review'].includes(await deliver(event(type, kMarch, object))), type);
  }
  const { user, subscription } = await subscriber('SAGE');
  assert.equal(await deliver(event('customer.subscription.trial_will_end', kMarch, subscription)), 'ignored');
  assert.equal(await deliver(event('invoice.payment_action_required', kMarch, invoiceObject(user, subscription))), 'ignored');
  assert.equal((await outboxOf(user, 'mail')).length, 2);
});

test('ME-O7 ME-R19: a subscription event writes subscription, tier and, for cognito, the group', async () => {
  await at(kMarch);
  const local = newUser();
  await deliver(event('customer.subscription.created', kMarch, subscriptionObject(local, { from: kMarch, to: kApril })));
  const stored = (await partition(`USER#${local.sub}`, 'SUBSCRIPTION#'))[0];
  assert.deepEqual(
    [stored.planTier, stored.status, stored.currentPeriodStart, stored.currentPeriodEnd, stored.cancelAtPeriodEnd, stored.provider],
    ['JOURNEYMAN', 'active', kMarch, kApril, false, 'local'],
  );
  assert.deepEqual(await outboxOf(local, 'group-sync'), []);
  const pooled = newUser();
  const subscription = subscriptionObject(pooled, { from: kMarch, to: kApril });
  subscription.metadata.provider = 'cognito';
  await deliver(event('customer.subscription.created', kMarch, subscription));
  const [row] = await outboxOf(pooled, 'group-sync');
  assert.equal(row.payload.addGroup, 'JOURNEYMAN');
  assert.deepEqual(row.payload.removeGroups.sort(), ['GUILDMASTER', 'INITIATE', 'SAGE', 'free'].sort());
  await deliver(event('customer.subscription.updated', '2025-03-02T00:00:00Z', { ...subscription, cancel_at_period_end: true }));
  assert.equal((await outboxOf(pooled, 'group-sync')).length, 1, 'the tier has not changed');
});

test('ME-O7: a price nobody knows waits for a person', async () => {
  await at(kMarch);
  const user = newUser();
  const one = event('customer.subscription.created', kMarch, subscriptionObject(user, { tier: 'PLATINUM', from: kMarch, to: kApril }));
  assert.equal(await deliver(one), 'review');
  assert.equal(await deliver(one), 'review');
  assert.equal((await record(one.id)).note, 'unknown price');
  assert.equal((await outbox((row) => row.kind === 'alert' && row.payload.eventId === one.id)).length, 1);
  assert.equal(await tierOf(user), 'free default');
  const listed = await ok(200, 'GET', '/patterns/eventsToReview?from=2025-02-01T00:00:00Z&to=2025-03-31T00:00:00Z&limit=100', { user: admin });
  assert.ok(listed.items.some(({ eventId }) => eventId === one.id));
});

test('ME-O7 ME-O8 ME-T11: created, updated, deleted in every order end equal', async () => {
  await at('2025-03-10T00:00:00Z');
  const ends = new Set();
  for (const order of permutations([0, 1, 2])) {
    const user = newUser();
    const subscription = subscriptionObject(user, { from: kMarch, to: kApril });
    const events = [
      event('customer.subscription.created', kMarch, { ...subscription, status: 'incomplete' }),
      event('customer.subscription.updated', '2025-03-02T00:00:00Z', subscription),
      event('customer.subscription.deleted', '2025-03-03T00:00:00Z', { ...subscription, status: 'canceled' }),
    ];
    for (const n of order) assert.equal(await deliver(events[n]), 'applied');
    const { subscriptions, tier, until } = await me(user);
    const { status, planTier, currentPeriodEnd, lastEventCreated } = subscriptions[0];
    ends.add(JSON.stringify([status, planTier, currentPeriodEnd, lastEventCreated, tier, until]));
    assert.equal((await item(`USER#${user.sub}`, `PROFILE#${user.sub}`)).tier, 'JOURNEYMAN');
  }
  assert.equal(ends.size, 1, [...ends].join('\n'));
  assert.match([...ends][0], /canceled.*JOURNEYMAN.*2025-04-01/);
});

test('ME-T11: three of one second end equal, and Stripe is asked which is right', async () => {
  await at('2025-03-10T00:00:00Z');
  const ends = new Set();
  for (const order of permutations(['past_due', 'active', 'trialing'])) {
    const user = newUser();
    const subscription = subscriptionObject(user, { from: kMarch, to: kApril });
    for (const status of order) await deliver(event('customer.subscription.updated', kMarch, { ...subscription, status }));
    ends.add((await me(user)).subscriptions[0].status);
    const asked = await outboxOf(user, 'stripe-call');
    assert.ok(asked.length > 0 && asked.every(({ payload }) => payload.path === `/v1/subscriptions/${subscription.id}`));
  }
  assert.deepEqual([...ends], ['active']);
});

test('ME-O8: a late update does not bring a deleted subscription back; access stays to the end', async () => {
  const { user, subscription } = await subscriber('SAGE');
  await at('2025-03-10T00:00:00Z');
  await deliver(event('customer.subscription.deleted', '2025-03-10T00:00:00Z', { ...subscription, status: 'canceled' }));
  await deliver(event('customer.subscription.updated', '2025-03-09T00:00:00Z', subscription));
  const shown = await me(user);
  assert.deepEqual([shown.subscriptions[0].status, shown.tier, shown.until], ['canceled', 'SAGE', kApril]);
  await at(kApril);
  assert.equal(await tierOf(user), 'free default');
  const other = await subscriber('SAGE');
  await at('2025-03-10T00:00:00Z');
  await deliver(event('customer.subscription.deleted', '2025-03-10T00:00:00Z', { ...other.subscription, status: 'canceled', ended_at: Date.parse('2025-03-10T00:00:00Z') / 1000 }));
  assert.equal(await tierOf(other.user), 'free default');
  // Unknown before: recorded all the same.
  const unknown = newUser();
  assert.equal(await deliver(event('customer.subscription.deleted', kMarch, subscriptionObject(unknown, { from: kMarch, to: kApril, status: 'canceled' }))), 'applied');
});

test('X-R12 ME-R10 ME-O9 ME-T12: an invoice grants once, by either event, however often', async () => {
  const { user, subscription } = await subscriber('SAGE', { invoice: false });
  const invoice = invoiceObject(user, subscription, { reason: 'subscription_create' });
  const first = event('invoice.payment_succeeded', kMarch, invoice);
  const states = await times(20, () => deliver(first));
  assert.equal(states.filter((state) => state === 'applied').length, 1, states.join());
  assert.equal(states.filter((state) => state === 'duplicate').length, 19);
  await deliver(event('invoice.paid', kMarch, invoice));
  await deliver(event('invoice.paid', kMarch, invoice));
  assert.equal(await balanceOf(user), 15);
  assert.ok(await item(`USER#${user.sub}`, `GRANT#invoice#${invoice.id}`));
  for (const more of [{ paid: 0 }, { reason: 'subscription_update' }, { reason: 'manual' }]) {
    await deliver(event('invoice.payment_succeeded', kMarch, invoiceObject(user, subscription, more)));
  }
  assert.equal(await prove(user), 15);
});

test('ME-O9 ME-O7 ME-O6: checkout, subscription and invoice arrive in every order', async () => {
  await at(kMarch);
  for (const order of permutations([0, 1, 2])) {
    const user = newUser();
    const subscription = subscriptionObject(user, { from: kMarch, to: kApril });
    const session = {
      object: 'checkout.session', id: newId('cs'), mode: 'subscription', customer: subscription.customer, subscription: subscription.id,
      payment_status: 'paid', metadata: { userId: user.sub, planTier: 'JOURNEYMAN' },
    };
    const events = [
      event('checkout.session.completed', kMarch, session),
      event('customer.subscription.created', '2025-03-01T00:00:01Z', { ...subscription, metadata: {} }),
      event('invoice.payment_succeeded', '2025-03-01T00:00:02Z', invoiceObject(null, subscription, { reason: 'subscription_create' })),
    ];
    for (const n of order) await deliver(events[n]);
    assert.equal(await tierOf(user), 'JOURNEYMAN subscription', `order ${order}`);
    assert.equal(await prove(user), 5, `order ${order}`);
    assert.equal((await me(user)).subscriptions.length, 1);
    for (const { id } of events) assert.equal((await record(id)).state, 'applied', `order ${order}`);
  }
});

test('ME-T10: an event of an unknown customer is parked, and applied when the customer is known', async () => {
  await at(kMarch);
  const user = newUser();
  const subscription = subscriptionObject(user, { from: kMarch, to: kApril });
  const created = event('customer.subscription.created', kMarch, { ...subscription, metadata: {} });
  const failed = event('invoice.payment_failed', kMarch, invoiceObject(null, subscription));
  assert.equal(await deliver(created), 'parked');
  assert.equal(await deliver(created), 'parked');
  assert.equal(await deliver(failed), 'parked');
  assert.equal((await record(created.id)).waitsFor, subscription.customer);
  assert.deepEqual(await partition(`USER#${user.sub}`), []);
  const parked = await ok(200, 'GET', `/patterns/parkedEvents?waitsFor=${subscription.customer}`, { user: admin });
  assert.equal(parked.items.length, 2);
  await deliver(event('payment_intent.succeeded', kMarch, paymentObject(user)));
  assert.equal(await tierOf(user), 'JOURNEYMAN subscription');
  assert.equal((await record(created.id)).state, 'applied');
  assert.deepEqual(await partition(`PARKED#${subscription.customer}`), []);
  assert.equal(await prove(user), 10);
});

test('ME-O24: a parked event can be replayed by hand and by the job; an applied one has no second effect', async () => {
  const { user, subscription } = await subscriber('SAGE', { invoice: false });
  const invoice = event('invoice.paid', kMarch, invoiceObject(user, subscription));
  assert.equal(await deliver(invoice), 'applied');
  const replays = await times(5, () => ok(200, 'POST', `/admin/events/${invoice.id}/replay`, { user: admin, body: {} }));
  assert.ok(replays.every(({ state }) => state === 'duplicate'));
  assert.equal(await prove(user), 15);
  const late = newUser();
  const parked = event('customer.subscription.created', kMarch, { ...subscriptionObject(late, { from: kMarch, to: kApril }), metadata: {} });
  assert.equal(await deliver(parked), 'parked');
  assert.equal((await ok(200, 'POST', `/admin/events/${parked.id}/replay`, { user: admin, body: {} })).state, 'parked');
  assert.equal((await runJob('/admin/tasks/parked-events')).failed, 0);
  await fails(404, 'StripeEventNotFound', 'POST', '/admin/events/evt_never/replay', { user: admin, body: {} });
  await fails(403, 'Forbidden', 'POST', `/admin/events/${parked.id}/replay`, { user: late, body: {} });
});

test('ME-O12: failed and paid in both orders end active; failed alone is past_due, with a mail', async () => {
  for (const order of [[0, 1], [1, 0]]) {
    const { user, subscription } = await subscriber('SAGE');
    await at('2025-04-03T00:00:00Z');
    const invoice = invoiceObject(user, subscription, { from: kApril, to: kMay });
    const events = [event('invoice.payment_failed', kApril, { ...invoice, amount_paid: 0 }), event('invoice.payment_succeeded', '2025-04-02T00:00:00Z', invoice)];
    for (const n of order) await deliver(events[n]);
    const shown = await me(user);
    assert.deepEqual([shown.subscriptions[0].status, shown.subscriptions[0].currentPeriodEnd, shown.tier], ['active', kMay, 'SAGE'], `order ${order}`);
    assert.equal(await prove(user), 30);
  }
  const { user, subscription } = await subscriber('SAGE');
  await at('2025-03-20T00:00:00Z');
  await deliver(event('invoice.payment_failed', '2025-03-20T00:00:00Z', invoiceObject(user, subscription, { paid: 0 })));
  assert.equal((await me(user)).subscriptions[0].status, 'past_due');
  assert.equal(await tierOf(user), 'SAGE subscription');
  assert.equal((await outboxOf(user, 'mail')).length, 1);
  const nobody = newUser();
  assert.equal(await deliver(event('invoice.payment_failed', kMarch, invoiceObject(nobody, subscriptionObject(nobody, { from: kMarch, to: kApril })))), 'parked');
});

test('ME-R24 ME-O16: an upgrade grants the difference once in a period; a downgrade takes nothing', async () => {
  const { user, subscription } = await subscriber('INITIATE');
  const moveTo = (tier, day) =>
    deliver(event('customer.subscription.updated', `2025-03-${day}T00:00:00Z`, { ...subscription, items: { data: [{ price: { lookup_key: tier } }] } }));
  await at('2025-03-10T00:00:00Z');
  assert.equal(await balanceOf(user), 2);
  await moveTo('JOURNEYMAN', '02');
  assert.equal(await balanceOf(user), 5);
  await moveTo('INITIATE', '03');
  await moveTo('JOURNEYMAN', '04');
  assert.equal(await balanceOf(user), 5);
  await moveTo('SAGE', '05');
  await moveTo('JOURNEYMAN', '06');
  await moveTo('SAGE', '07');
  assert.equal(await prove(user), 15);
  // Heard of before the invoice of its period.
  const early = newUser();
  const other = subscriptionObject(early, { tier: 'SAGE', from: kMarch, to: kApril });
  await deliver(event('customer.subscription.updated', '2025-03-05T00:00:00Z', other));
  await deliver(event('invoice.paid', kMarch, invoiceObject(early, other, { tier: 'INITIATE' })));
  assert.equal(await prove(early), 15);
  // Nothing was paid in a trial, so nothing is granted for changing it.
  const trial = newUser();
  const tried = subscriptionObject(trial, { tier: 'INITIATE', status: 'trialing', from: kMarch, to: kApril });
  await deliver(event('customer.subscription.created', kMarch, tried));
  await deliver(event('customer.subscription.updated', '2025-03-05T00:00:00Z', { ...tried, items: { data: [{ price: { lookup_key: 'SAGE' } }] } }));
  assert.equal(await prove(trial), 0);
});

test('ME-T24: another user’s customer or subscription is not taken over', async () => {
  const { user, subscription } = await subscriber('SAGE');
  const thief = newUser();
  const stolen = event('customer.subscription.updated', '2025-03-02T00:00:00Z', { ...subscription, metadata: { userId: thief.sub } });
  assert.equal(await deliver(stolen), 'review');
  const moved = event('customer.subscription.updated', '2025-03-02T00:00:00Z', { ...subscription, customer: 'cus_of_another' });
  assert.equal(await deliver(moved), 'review');
  assert.equal(await tierOf(thief), 'free default');
  assert.equal(await tierOf(user), 'SAGE subscription');
  assert.equal((await outbox((row) => row.kind === 'alert' && [stolen.id, moved.id].includes(row.payload.eventId))).length, 2);
});

test('ME-T13: objects of newer API versions are understood', async () => {
  await at(kMarch);
  const user = newUser();
  const { current_period_start: start_, current_period_end: end, items, ...rest } = subscriptionObject(user, { tier: 'SAGE', from: kMarch, to: kApril });
  const subscription = { ...rest, items: { data: [{ ...items.data[0], current_period_start: start_, current_period_end: end }] } };
  await deliver(event('customer.subscription.created', kMarch, subscription));
  const invoice = {
    id: newId('in'), object: 'invoice', customer: rest.customer, billing_reason: 'subscription_create', amount_paid: 4900,
    parent: { type: 'subscription_details', subscription_details: { subscription: rest.id, metadata: { userId: user.sub } } },
    lines: { data: [{ amount: 4900, period: { start: start_, end }, pricing: { price_details: { price: 'price_x' } } }] },
  };
  assert.equal(await deliver(event('invoice.paid', kMarch, invoice)), 'applied');
  assert.equal(await tierOf(user), 'SAGE subscription');
  assert.equal(await prove(user), 15);
});

test('ME-O15: cancel and resume ask Stripe once; its event sets the flag; after the end neither works', async () => {
  const { user, subscription } = await subscriber('SAGE');
  const path = `/subscriptions/${subscription.id}`;
  assert.equal((await ok(200, 'POST', `${path}/cancel`, { user, body: {} })).pendingCancel, true);
  assert.equal((await ok(200, 'POST', `${path}/cancel`, { user, body: {} })).changed, false);
  const rows = await outboxOf(user, 'stripe-call');
  assert.deepEqual(rows.map(({ payload }) => [payload.path, payload.params]), [[`/v1${path}`, { cancel_at_period_end: true }]]);
  assert.equal((await me(user)).subscriptions[0].cancelAtPeriodEnd, false);
  await deliver(event('customer.subscription.updated', '2025-03-02T00:00:00Z', { ...subscription, cancel_at_period_end: true }));
  const shown = (await me(user)).subscriptions[0];
  assert.deepEqual([shown.cancelAtPeriodEnd, shown.pendingCancel, shown.status], [true, undefined, 'active']);
  assert.equal(await tierOf(user), 'SAGE subscription');
  assert.equal((await ok(200, 'POST', `${path}/cancel`, { user, body: {} })).changed, false);
  assert.equal((await ok(200, 'POST', `${path}/resume`, { user, body: {} })).pendingCancel, false);
  await at(kApril);
  await fails(409, 'NotActive', 'POST', `${path}/resume`, { user, body: {} });
  await fails(409, 'NotActive', 'POST', `${path}/cancel`, { user, body: {} });
  await fails(404, 'SubscriptionNotFound', 'POST', '/subscriptions/sub_none/cancel', { user, body: {} });
  await fails(404, 'SubscriptionNotFound', 'POST', `${path}/cancel`, { user: newUser(), body: {} });
});

test('ME-O16: a change of plan goes to Stripe; the same plan and the enterprise tier do not', async () => {
  const { user, subscription } = await subscriber('INITIATE');
  const path = `/subscriptions/${subscription.id}/change`;
  await fails(409, 'SamePlan', 'POST', path, { user, body: { planTier: 'INITIATE' } });
  await fails(409, 'ContactSales', 'POST', path, { user, body: { planTier: 'GUILDMASTER' } });
  await fails(400, 'ValidationFailed', 'POST', path, { user, body: { planTier: 'PLATINUM' } });
  const key = newId('key');
  const replies = await times(5, () => call('POST', path, { user, key, body: { planTier: 'SAGE' } }));
  for (const { status, json } of replies) assert.deepEqual([status, json.pendingPlan, json.planTier], [200, 'SAGE', 'INITIATE']);
  const rows = await outboxOf(user, 'stripe-call');
  assert.equal(rows.length, 1);
  assert.deepEqual(rows[0].payload.params.metadata, { userId: user.sub, planTier: 'SAGE' });
  assert.equal(await tierOf(user), 'INITIATE subscription');
  await deliver(event('customer.subscription.updated', '2025-03-02T00:00:00Z', { ...subscription, items: { data: [{ price: { lookup_key: 'SAGE' } }] } }));
  assert.equal(await tierOf(user), 'SAGE subscription');
  assert.equal(await prove(user), 15);
  await at(kApril);
  await fails(409, 'NotActive', 'POST', path, { user, body: { planTier: 'JOURNEYMAN' } });
});
