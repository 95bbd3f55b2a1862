// The proof of the balances: random sequences with a fixed seed, and after them every sum agrees.

import assert from 'node:assert/strict';
import { at, call, deliver, event, grant, invoiceObject, newId, paymentObject, prove, runJob, seconds, service, subscriber, times, suite } from './membership_fixture.js';

const test = suite('membership proof');

// A small generator with a seed: the same numbers in every run.
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

async function play(seed, steps) {
  const random = generator(seed);
  const { user, subscription } = await subscriber('SAGE', { invoice: random(2) === 0 });
  const payments = [];
  const held = [];
  let day = 0;
  const now = () => new Date(Date.parse('2025-03-01T00:00:00Z') + day * 86_400_000).toISOString();
  const actions = [
    () => grant(user, 1 + random(9), random(2) ? { expiresAt: seconds(now()) + 86_400 * (1 + random(20)) } : {}),
    () => call('POST', '/credits/consume', { user: service, key: newId('key'), body: { userId: user.sub, amount: 1 + random(6), reason: 'x' } }),
    () => times(3, () => call('POST', '/credits/consume', { user: service, key: newId('key'), body: { userId: user.sub, amount: 1 + random(4), reason: 'x' } })),
    async () => {
      const { status, json } = await call('POST', '/credits/reservations', { user: service, key: newId('key'), body: { userId: user.sub, amount: 1 + random(4), reason: 'x' } });
      if (status === 201) held.push(json.reservationId);
    },
    () => held.length && call('POST', `/credits/reservations/${held[random(held.length)]}/${random(2) ? 'release' : 'settle'}`, { user: service, body: { userId: user.sub } }),
    async () => {
      const payment = paymentObject(user, { cents: 500 * (1 + random(3)) });
      payments.push(payment);
      await deliver(event('payment_intent.succeeded', now(), payment));
    },
    async () => {
      if (payments.length === 0) return;
      const payment = payments[random(payments.length)];
      const charge = { object: 'charge', payment_intent: payment.id, amount: payment.amount, amount_refunded: 1 + random(payment.amount) };
      await Promise.all([
        deliver(event('charge.refunded', now(), charge)),
        call('POST', '/credits/consume', { user: service, key: newId('key'), body: { userId: user.sub, amount: 2, reason: 'x' } }),
      ]);
    },
    async () => {
      if (payments.length === 0) return;
      const dispute = { object: 'dispute', id: newId('dp'), payment_intent: payments[random(payments.length)].id, amount: 500 };
      await deliver(event('charge.dispute.created', now(), dispute));
      if (random(2)) await deliver(event('charge.dispute.closed', now(), { ...dispute, status: 'won' }));
    },
    () => deliver(event('invoice.paid', now(), invoiceObject(user, subscription))),
    async () => {
      day += random(12);
      await at(now());
    },
    () => call('GET', '/credits', { user }),
  ];
  for (let step = 0; step < steps; step += 1) {
    await actions[random(actions.length)]();
    await prove(user);
  }
  return user;
}

test('ME-R18: after every step of random sequences, ledger = balance = lots', async () => {
  const users = [];
  for (const seed of [1, 7, 42, 2025]) users.push(await play(seed, 40));
  await at('2027-01-01T00:00:00Z');
  await runJob('/admin/tasks/expiry');
  for (const user of users) await prove(user);
});

test('ME-R18 ME-O13: refunds, consumption, releases and top-ups of one member at once', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  const payments = Array.from({ length: 4 }, () => paymentObject(user));
  for (const payment of payments) await deliver(event('payment_intent.succeeded', '2025-03-01T00:00:00Z', payment));
  const held = await times(3, () => call('POST', '/credits/reservations', { user, key: newId('key'), body: { feature: 'veo3_render' } }));
  assert.ok(held.every(({ status }) => status === 201));
  const refund = (payment) => deliver(event('charge.refunded', '2025-03-01T00:00:00Z', { object: 'charge', payment_intent: payment.id, amount: 500, amount_refunded: 500 }));
  await Promise.all([
    ...payments.map(refund),
    ...held.map(({ json }) => call('POST', `/credits/reservations/${json.reservationId}/release`, { user: service, body: { userId: user.sub } })),
    ...Array.from({ length: 10 }, () => call('POST', '/credits/consume', { user, key: newId('key'), body: { feature: 'veo3_render' } })),
    deliver(event('payment_intent.succeeded', '2025-03-01T00:00:00Z', paymentObject(user))),
  ]);
  await prove(user);
});
