// Credits: granted, spent, reserved, given back, expired.

import assert from 'node:assert/strict';
import {
  admin, at, auditOf, balanceOf, call, deliver, event, fails, grant, invoiceObject, item, newId, newUser, ok, partition,
  paymentObject, prove, put, runJob, seconds, service, subscriber, times, suite,
} from './membership_fixture.js';

const test = suite('membership credits');
const kMarch = '2025-03-01T00:00:00Z';

const consume = (user, body, key = newId('key')) => call('POST', '/credits/consume', { user, key, body });
const codes = (replies) => {
  const counts = {};
  for (const { status, json } of replies) {
    const name = `${status}${json?.error ? ` ${json.error.code}` : ''}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
const ledger = async (user) => (await partition(`USER#${user.sub}`, 'CREDITS#TXN#')).map(({ kind, amount }) => `${kind} ${amount}`);

test('ME-R21 ME-O17 ME-T19: ten first reads at once make one record with balance 0', async () => {
  await at(kMarch);
  const user = newUser();
  const replies = await times(10, () => ok(200, 'GET', '/credits', { user }));
  for (const reply of replies) assert.equal(reply.balance, 0);
  const stored = await item(`USER#${user.sub}`, 'CREDITS#BALANCE');
  assert.deepEqual([stored.type, stored.balance, stored.createdAt], ['Credits', 0, kMarch]);
  assert.deepEqual((await ok(200, 'GET', '/credits/ledger', { user })).items, []);
  assert.equal(await prove(user), 0);
});

test('ME-O18: a grant by an administrator, once for a key, with audit', async () => {
  await at(kMarch);
  const user = newUser();
  const request = { user: admin, key: newId('key'), body: { userId: user.sub, amount: 7, reason: 'a gift' } };
  const replies = await times(10, () => call('POST', '/admin/credits/grant', request));
  assert.deepEqual(codes(replies), { 200: 10 });
  for (const { json } of replies) assert.deepEqual(json, replies[0].json);
  assert.equal(replies.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, 9);
  assert.equal(await balanceOf(user), 7);
  assert.equal(await prove(user), 7);
  await fails(422, 'IdempotencyKeyReused', 'POST', '/admin/credits/grant', { ...request, body: { ...request.body, amount: 8 } });
  await fails(428, 'IdempotencyKeyRequired', 'POST', '/admin/credits/grant', { user: admin, body: request.body });
  await fails(403, 'Forbidden', 'POST', '/admin/credits/grant', { ...request, user });
  const audit = await auditOf(user, '20250301');
  assert.deepEqual(audit.map(({ actor, action, reason }) => [actor, action, reason]), [['the-admin', 'credits.grant', 'a gift']]);
  const [entry] = (await ok(200, 'GET', '/credits/ledger', { user })).items;
  assert.deepEqual([entry.kind, entry.amount, entry.balanceAfter, entry.reason], ['admin_grant', 7, 7, 'a gift']);
});

test('ME-R15: amounts are positive whole numbers', async () => {
  const user = newUser();
  for (const amount of [0, -1, 1.5, '3', null, [], 1e30]) {
    await fails(400, 'ValidationFailed', 'POST', '/admin/credits/grant', { user: admin, key: newId('key'), body: { userId: user.sub, amount, reason: 'x' } });
    await fails(400, 'ValidationFailed', 'POST', '/credits/consume', { user: service, key: newId('key'), body: { userId: user.sub, amount, reason: 'x' } });
  }
  for (const userId of ['a#b', '', 'x'.repeat(129), 'a\u0000b', 7]) {
    await fails(400, 'ValidationFailed', 'POST', '/admin/credits/grant', { user: admin, key: newId('key'), body: { userId, amount: 1, reason: 'x' } });
  }
  await fails(400, 'ValidationFailed', 'POST', '/admin/credits/grant', { user: admin, key: newId('key'), body: { userId: 'someone', amount: 1, reason: '' } });
  await at(kMarch);
  await fails(400, 'ValidationFailed', 'POST', '/admin/credits/grant', {
    user: admin, key: newId('key'), body: { userId: 'someone', amount: 1, reason: 'late', expiresAt: seconds(kMarch) },
  });
});

test('ME-O19 ME-R12: features cost what the catalogue says, and need their tier', async () => {
  const { user } = await subscriber('JOURNEYMAN');
  await grant(user, 10);
  const render = await ok(200, 'POST', '/credits/consume', { user, key: newId('key'), body: { feature: 'veo3_render' } });
  assert.deepEqual([render.amount, render.balance, render.feature], [3, 12, 'veo3_render']);
  const feedback = await ok(200, 'POST', '/credits/consume', { user, key: newId('key'), body: { feature: 'mentor_feedback' } });
  assert.deepEqual([feedback.amount, feedback.balance], [1, 11]);
  const forUser = await ok(200, 'POST', '/credits/consume', { user: service, key: newId('key'), body: { userId: user.sub, amount: 2, reason: 'a chat' } });
  assert.equal(forUser.balance, 9);
  await fails(428, 'IdempotencyKeyRequired', 'POST', '/credits/consume', { user, body: { feature: 'veo3_render' } });
  await fails(400, 'ValidationFailed', 'POST', '/credits/consume', { user, key: newId('key'), body: { feature: 'flying' } });
  await fails(400, 'ValidationFailed', 'POST', '/credits/consume', { user, key: newId('key'), body: {} });
  await fails(400, 'ValidationFailed', 'POST', '/credits/consume', { user: service, key: newId('key'), body: { feature: 'veo3_render', amount: 1 } });
  await fails(403, 'Forbidden', 'POST', '/credits/consume', { user, key: newId('key'), body: { amount: 1, reason: 'mine' } });
  await fails(403, 'Forbidden', 'POST', '/credits/consume', { user: newUser(), key: newId('key'), body: { feature: 'veo3_render', userId: user.sub } });
  const poor = newUser();
  await grant(poor, 5);
  const low = await fails(403, 'TierTooLow', 'POST', '/credits/consume', { user: poor, key: newId('key'), body: { feature: 'veo3_render' } });
  assert.deepEqual(low.details, { needed: 'INITIATE', tier: 'free' });
  const broke = await fails(402, 'InsufficientCredits', 'POST', '/credits/consume', { user: service, key: newId('key'), body: { userId: poor.sub, amount: 6, reason: 'x' } });
  assert.deepEqual(broke.details, { needed: 6, balance: 5 });
  assert.equal(await prove(user), 9);
  assert.equal(await prove(poor), 5);
});

test('ME-R14 ME-O19: a hundred at once on 30 credits: ten renders, and then nothing', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  await grant(user, 17);
  await grant(user, 13, { expiresAt: seconds('2026-01-01T00:00:00Z') });
  const replies = await times(100, () => consume(user, { feature: 'veo3_render' }));
  assert.deepEqual(codes(replies), { 200: 10, '402 InsufficientCredits': 90 });
  assert.equal(await prove(user), 0);
  const after = replies.filter(({ status }) => status === 200).map(({ json }) => json.balance).sort((a, b) => a - b);
  assert.deepEqual(after, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
});

test('ME-O19: fifty at once for the last credit: one gets it', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  await grant(user, 1);
  const replies = await times(50, () => consume(user, { feature: 'mentor_feedback' }));
  assert.deepEqual(codes(replies), { 200: 1, '402 InsufficientCredits': 49 });
  assert.equal(await prove(user), 0);
});

test('X-R3 ME-O19: twenty times the same key spend once and answer the same, also when nothing is left', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  await grant(user, 3);
  const key = newId('key');
  const replies = await times(20, () => consume(user, { feature: 'veo3_render' }, key));
  assert.deepEqual(codes(replies), { 200: 20 });
  for (const { json } of replies) assert.deepEqual(json, replies[0].json);
  const again = await consume(user, { feature: 'veo3_render' }, key);
  assert.deepEqual(again.json, replies[0].json);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal((await consume(user, { feature: 'mentor_feedback' }, key)).json.error.code, 'IdempotencyKeyReused');
  const refused = newId('key');
  assert.equal((await consume(user, { feature: 'veo3_render' }, refused)).status, 402);
  await grant(user, 3);
  // A failure is not stored: the same key works once there is enough.
  assert.equal((await consume(user, { feature: 'veo3_render' }, refused)).status, 200);
  assert.equal(await prove(user), 0);
});

test('ME-R17 ME-T23: soonest first, given before bought, and expired lots leave', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  const soon = seconds('2025-03-10T00:00:00Z');
  await deliver(event('payment_intent.succeeded', kMarch, paymentObject(user)));
  await grant(user, 4);
  await grant(user, 2, { expiresAt: soon });
  await grant(user, 2, { expiresAt: soon + 86_400 });
  const remaining = async () => (await ok(200, 'GET', `/patterns/me-a12?userId=${user.sub}`, { user: admin })).items.map(({ source, remaining: left }) => `${source} ${left}`).sort();
  await consume(user, { feature: 'veo3_render' });
  assert.deepEqual(await remaining(), ['admin 0', 'admin 1', 'admin 4', 'top_up 10']);
  await at('2025-03-10T00:00:00Z');
  assert.equal(await balanceOf(user), 15);
  await at('2025-03-11T00:00:00Z');
  // The last dated credit has gone: the read itself takes it out.
  assert.equal(await balanceOf(user), 14);
  assert.deepEqual((await ledger(user)).filter((line) => line.startsWith('expire')), ['expire -1']);
  for (let n = 0; n < 2; n += 1) assert.equal((await consume(user, { feature: 'veo3_render' })).status, 200);
  assert.deepEqual(await remaining(), ['admin 0', 'admin 0', 'admin 0', 'top_up 8']);
  assert.equal((await ok(200, 'GET', '/credits', { user })).expiresAt, undefined);
  assert.equal(await prove(user), 8);
});

test('ME-R17: what has expired cannot be spent, a moment before it can', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  await grant(user, 6, { expiresAt: seconds('2025-03-20T00:00:00Z') });
  await at('2025-03-19T23:59:59Z');
  assert.equal((await consume(user, { feature: 'veo3_render' })).status, 200);
  await at('2025-03-20T00:00:00Z');
  const late = await consume(user, { feature: 'veo3_render' });
  assert.deepEqual([late.status, late.json.error.details], [402, { needed: 3, balance: 0 }]);
  assert.equal(await prove(user), 0);
});

test('ME-O23: the sweep takes expired lots out, once, however many sweep', async () => {
  await at(kMarch);
  const user = newUser();
  await grant(user, 6, { expiresAt: seconds('2025-03-20T00:00:00Z') });
  await grant(user, 5);
  await at('2025-03-20T00:00:01Z');
  await times(3, () => runJob('/admin/tasks/expiry'));
  assert.equal((await item(`USER#${user.sub}`, 'CREDITS#BALANCE')).balance, 5);
  assert.deepEqual((await ledger(user)).filter((line) => line.startsWith('expire')), ['expire -6']);
  assert.equal(await prove(user), 5);
  await fails(403, 'Forbidden', 'POST', '/admin/tasks/expiry', { user, body: {} });
});

test('ME-R9 ME-R10 ME-R16: every tier grants its quota each month, and months add up', async () => {
  for (const [tier, quota] of [['INITIATE', 2], ['JOURNEYMAN', 5], ['SAGE', 15], ['GUILDMASTER', 15]]) {
    const { user, subscription } = await subscriber(tier);
    assert.equal(await balanceOf(user), quota, tier);
    await at('2025-04-01T00:00:00Z');
    const renewal = invoiceObject(user, subscription, { from: '2025-04-01T00:00:00Z', to: '2025-05-01T00:00:00Z' });
    assert.equal(await deliver(event('invoice.paid', '2025-04-01T00:00:00Z', renewal)), 'applied');
    assert.equal(await balanceOf(user), 2 * quota, tier);
    const credits = await item(`USER#${user.sub}`, 'CREDITS#BALANCE');
    assert.equal(credits.lastReset, '2025-04-01T00:00:00Z');
    assert.equal(await prove(user), 2 * quota);
    // A year after each, they are gone.
    await at('2026-03-01T00:00:00Z');
    assert.equal(await balanceOf(user), quota, tier);
    await at('2026-04-01T00:00:00Z');
    assert.equal(await balanceOf(user), 0, tier);
    assert.equal(await prove(user), 0);
  }
});

test('ME-O20 ME-R28 SM-10: reserve, settle or release, once', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  await grant(user, 2, { expiresAt: seconds('2025-06-01T00:00:00Z') });
  await grant(user, 8);
  const reserve = (more = {}) => ok(201, 'POST', '/credits/reservations', { user, key: newId('key'), body: { feature: 'veo3_render', ...more } });
  const close = (how, reservationId) => call('POST', `/credits/reservations/${reservationId}/${how}`, { user: service, body: { userId: user.sub } });
  const first = await reserve();
  assert.deepEqual([first.amount, first.state, first.balance], [3, 'held', 7]);
  const key = newId('key');
  const twice = await times(5, () => call('POST', '/credits/reservations', { user, key, body: { feature: 'veo3_render' } }));
  assert.equal(new Set(twice.map(({ json }) => json.reservationId)).size, 1);
  const second = twice[0].json;
  assert.equal(await prove(user), 4);
  assert.equal((await close('settle', first.reservationId)).json.state, 'settled');
  assert.equal((await close('settle', first.reservationId)).json.changed, false);
  assert.equal((await close('release', first.reservationId)).json.error.code, 'ReservationClosed');
  const released = await times(10, () => close('release', second.reservationId));
  assert.deepEqual(codes(released), { 200: 1, '409 ReservationClosed': 9 });
  assert.equal(await prove(user), 7);
  assert.equal((await close('settle', second.reservationId)).json.error.code, 'ReservationClosed');
  assert.equal((await close('release', '01JN0000000000000000000000')).json.error.code, 'ReservationNotFound');
  await fails(403, 'Forbidden', 'POST', `/credits/reservations/${second.reservationId}/release`, { user, body: { userId: user.sub } });
  assert.equal((await ok(200, 'GET', `/credits/reservations/${second.reservationId}`, { user })).state, 'released');
  await fails(404, 'ReservationNotFound', 'GET', `/credits/reservations/${second.reservationId}`, { user: newUser() });
  await fails(400, 'ValidationFailed', 'POST', '/credits/reservations', { user, key: newId('key'), body: { feature: 'mirror_report' } });
  await fails(400, 'ValidationFailed', 'POST', '/credits/reservations', { user, key: newId('key'), body: { feature: 'veo3_render', holdSeconds: 86_401 } });
});

test('ME-O20: a reservation that nobody closes is given back by the sweep', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  await grant(user, 3, { expiresAt: seconds('2025-03-01T00:30:00Z') });
  await grant(user, 3);
  const held = [];
  for (let n = 0; n < 2; n += 1) {
    held.push(await ok(201, 'POST', '/credits/reservations', { user, key: newId('key'), body: { feature: 'veo3_render', holdSeconds: 3600 } }));
  }
  assert.equal(await prove(user), 0);
  await at('2025-03-01T01:00:00Z');
  const late = await call('POST', `/credits/reservations/${held[0].reservationId}/settle`, { user: service, body: { userId: user.sub } });
  assert.deepEqual([late.status, late.json.error.code], [410, 'ReservationExpired']);
  await runJob('/admin/tasks/expiry');
  // The lot of the first has expired meanwhile: its credits come back in a new one.
  assert.equal(await prove(user), 6);
  const lots = (await partition(`USER#${user.sub}`, 'CREDITS#LOT#')).filter(({ remaining }) => remaining > 0);
  assert.deepEqual(lots.map(({ source, remaining }) => `${source} ${remaining}`).sort(), ['admin 3', 'refund 3']);
  for (const { reservationId } of held) {
    const reply = await call('POST', `/credits/reservations/${reservationId}/release`, { user: service, body: { userId: user.sub } });
    assert.deepEqual([reply.status, reply.json.error.code], [410, 'ReservationExpired']);
  }
  assert.equal(await prove(user), 6);
});

test('ME-R28: releases race new spending, and nothing is lost', async () => {
  const { user } = await subscriber('SAGE', { invoice: false });
  await grant(user, 30);
  const held = [];
  for (let n = 0; n < 5; n += 1) held.push(await ok(201, 'POST', '/credits/reservations', { user, key: newId('key'), body: { feature: 'veo3_render' } }));
  const replies = await Promise.all([
    ...held.map(({ reservationId }) => call('POST', `/credits/reservations/${reservationId}/release`, { user: service, body: { userId: user.sub } })),
    ...Array.from({ length: 12 }, () => consume(user, { feature: 'veo3_render' })),
  ]);
  const released = replies.slice(0, 5);
  assert.deepEqual(codes(released), { 200: 5 });
  const spent = replies.slice(5).filter(({ status }) => status === 200).length;
  assert.ok(spent >= 5 && spent <= 10, `${spent} of 12`);
  assert.equal(await prove(user), 30 - 3 * spent);
});

test('ME-O21 ME-R12 ME-T14: one mirror report in a calendar month', async () => {
  const { user } = await subscriber('JOURNEYMAN');
  await grant(user, 20);
  await at('2025-03-31T23:59:59Z');
  const replies = await times(8, () => call('POST', '/reports/mirror', { user, body: {} }));
  assert.deepEqual(codes(replies), { 201: 1, '409 ReportAlreadyThisMonth': 7 });
  const report = replies.find(({ status }) => status === 201).json;
  assert.deepEqual([report.amount, report.month, report.balance], [5, '2025-03', 20]);
  const again = await fails(409, 'ReportAlreadyThisMonth', 'POST', '/reports/mirror', { user, body: {} });
  assert.deepEqual([again.details.reportId, again.details.month], [report.reportId, '2025-03']);
  // The same by another door.
  await fails(409, 'ReportAlreadyThisMonth', 'POST', '/credits/consume', { user, key: newId('key'), body: { feature: 'mirror_report' } });
  assert.ok(await item(`USER#${user.sub}`, 'GRANT#mirror#2025-03'));
  await deliver(event('payment_intent.succeeded', kMarch, paymentObject(user, { kind: 'founder', passType: 'FOUNDING_MEMBER', cents: 29900 })));
  await at('2025-04-01T00:00:00Z');
  assert.equal((await ok(201, 'POST', '/reports/mirror', { user, body: {} })).month, '2025-04');
  await prove(user);
  const low = newUser();
  await fails(403, 'TierTooLow', 'POST', '/reports/mirror', { user: low, body: {} });
});

test('ME-O24: reconcile makes balance, ledger and tier agree again', async () => {
  const { user } = await subscriber('SAGE');
  const key = { PK: `USER#${user.sub}`, SK: 'CREDITS#BALANCE' };
  const credits = await item(key.PK, key.SK);
  await put({ ...credits, balance: 99 });
  const profile = await item(key.PK, `PROFILE#${user.sub}`);
  await put({ ...profile, tier: 'GUILDMASTER' });
  const done = await ok(200, 'POST', '/admin/reconcile', { user: admin, body: { userId: user.sub } });
  assert.deepEqual([done.repaired.sort(), done.balance, done.tier], [['balance', 'tier'], 15, 'SAGE']);
  assert.equal(await prove(user), 15);
  assert.deepEqual((await ok(200, 'POST', '/admin/reconcile', { user: admin, body: { userId: user.sub } })).repaired, []);
  const [lot] = await partition(key.PK, 'CREDITS#LOT#');
  await put({ ...lot, remaining: 12 });
  await ok(200, 'POST', '/admin/reconcile', { user: admin, body: { userId: user.sub } });
  assert.equal(await prove(user), 12);
  await fails(404, 'UserNotFound', 'POST', '/admin/reconcile', { user: admin, body: { userId: 'nobody-at-all' } });
  await fails(403, 'Forbidden', 'POST', '/admin/reconcile', { user, body: { userId: user.sub } });
});
