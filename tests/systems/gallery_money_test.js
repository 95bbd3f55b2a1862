// Orders, plans, quotas and coins.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { admin, all, call, fails, get, getRaw, many, newKey, newUser, ok, outbox, scan, service, setClock, signed, tally, task, times, token, updateRaw } from './gallery_fixture.js';

const test = suite('gallery money');
const order = (user, item = 'starter-monthly') => ok(201, 'POST', '/orders', { user, key: newKey(), body: { item } });
const pay = (body, options) => call('POST', '/webhooks/payment', signed('PAYMENT', body, options));
let events = 0;
const paid = ({ orderId, amount, currency }, more = {}) => pay({ eventId: `pay-${(events += 1)}`, orderId, status: 'paid', amount, currency, ...more });

test('GA-O43 GA-R30 GA-E16: an order has the price of the catalogue', async () => {
  const user = await newUser();
  const key = newKey();
  const first = await ok(201, 'POST', '/orders', { user, key, body: { item: 'starter-monthly' } });
  assert.deepEqual([first.amount, first.currency, first.status, first.paymentProvider], ['10.00', 'USD', 'initiated', 'trustpay']);
  assert.equal((await ok(201, 'POST', '/orders', { user, key, body: { item: 'starter-monthly' } })).orderId, first.orderId);
  const raw = await getRaw(`ORDER#${first.orderId}`);
  assert.deepEqual([raw.GSI1PK, raw.GSI2PK, raw.GSI3PK], [`ORDERS_BY_USER#${user.id}`, 'ORDERS_BY_STATUS#initiated', 'ORDER_BY_ITEM#starter-monthly']);
  const rows = await outbox('payment-request', ({ orderId }) => orderId === first.orderId);
  assert.deepEqual(rows.map(({ payload }) => [payload.amount, payload.currency, payload.userId]), [['10.00', 'USD', user.id]]);
  await fails(400, 'UnknownField', 'POST', '/orders', { user, key: newKey(), body: { item: 'starter-monthly', amount: '0.01' } });
  for (const item of ['free-lunch', '', 7, 'a#b']) await fails(400, 'ValidationFailed', 'POST', '/orders', { user, key: newKey(), body: { item } });
  await fails(428, 'IdempotencyKeyRequired', 'POST', '/orders', { user, body: { item: 'starter-monthly' } });
});

test('GA-O44 GA-R31 GA-R11: a payment fulfils once, in the transaction that completes the order', async () => {
  const user = await newUser();
  const it = await order(user);
  await setClock({ now: '2025-09-15T00:00:00Z' });
  try {
    const event = { eventId: 'pay-once', orderId: it.orderId, status: 'paid', amount: '10.00', currency: 'USD', more: 1 };
    const replies = await times(10, () => pay(event));
    assert.deepEqual(tally(replies), { 200: 10 });
    assert.equal(replies.filter(({ json }) => json.applied).length, 1);
    const raw = await user.raw();
    assert.deepEqual([raw.plan, raw.planEndDate, raw.subscriptionStatus, raw.i2vCreditsSecondsFromPlan], ['starter', '2025-10-15T00:00:00.000Z', 'active', 60]);
    assert.deepEqual([raw.GSI4PK, raw.GSI4SK], ['USER_PLAN#starter', `2025-10-15T00:00:00.000Z#${user.id}`]);
    assert.equal((await get(`/orders/${it.orderId}`, user)).status, 'completed');
    assert.deepEqual((await all('/notifications', user)).map(({ notificationType }) => notificationType), ['order_completed']);
    assert.equal((await paid(it)).json.applied, false, 'another event for a completed order');
    // Renewed early: the rest is kept.
    assert.equal((await paid(await order(user))).json.applied, true);
    assert.equal((await user.raw()).planEndDate, '2025-11-15T00:00:00.000Z');
    // A better plan begins now and adds the difference of this month's seconds.
    await updateRaw(`USER#${user.id}`, 'METADATA', 'SET i2vCreditsSecondsFromPlan = :n', { ':n': 10 });
    await paid(await order(user, 'unlimited-monthly'));
    const better = await user.raw();
    assert.deepEqual([better.plan, better.planEndDate, better.i2vCreditsSecondsFromPlan], ['unlimited', '2025-10-15T00:00:00.000Z', 190]);
  } finally {
    await setClock({});
  }
});

test('GA-O44: seconds that were bought are added; what is not a payment is not', async () => {
  const user = await newUser({ i2vCreditsSecondsPurchased: 5 });
  await paid(await order(user, 'video-100'));
  const raw = await user.raw();
  assert.deepEqual([raw.i2vCreditsSecondsPurchased, raw.plan], [105, 'free']);
  const failed = await order(user, 'video-100');
  assert.equal((await pay({ eventId: 'pay-failed-1', orderId: failed.orderId, status: 'failed', amount: '8.00', currency: 'USD' })).json.applied, true);
  assert.equal((await get(`/orders/${failed.orderId}`, user)).status, 'failed');
  const expired = await order(user, 'video-100');
  await pay({ eventId: 'pay-expired-1', orderId: expired.orderId, status: 'expired', amount: '8.00', currency: 'USD' });
  assert.equal((await get(`/orders/${expired.orderId}`, user)).status, 'cancelled');
  assert.equal((await pay({ eventId: 'pay-odd-1', orderId: expired.orderId, status: 'thinking' })).status, 200);
  assert.equal((await user.raw()).i2vCreditsSecondsPurchased, 105);
  const unknown = await pay({ eventId: 'pay-unknown-1', orderId: 'none', status: 'paid', amount: '8.00', currency: 'USD' });
  assert.deepEqual([unknown.status, unknown.json.error.code], [404, 'OrderNotFound']);
});

test('GA-O44: another amount than was asked for fulfils nothing and tells somebody', async () => {
  const user = await newUser();
  for (const more of [{ amount: '0.01' }, { currency: 'EUR' }, { amount: '10.0' }]) {
    const it = await order(user);
    const reply = await paid(it, more);
    assert.deepEqual([reply.status, reply.json.error.code], [409, 'AmountMismatch']);
    assert.equal((await get(`/orders/${it.orderId}`, user)).status, 'failed');
    assert.equal((await outbox('alert', ({ orderId }) => orderId === it.orderId)).length, 1);
  }
  assert.equal((await user.raw()).plan, 'free');
});

test('GA-O44 X-R12: unsigned and stale callbacks are refused; a rotated secret is taken', async () => {
  const it = await order(await newUser());
  const event = { eventId: 'pay-sig', orderId: it.orderId, status: 'paid', amount: '10.00', currency: 'USD' };
  const code = async (options) => (await pay(event, options)).json?.error?.code;
  assert.equal(await code({ secret: 'no' }), 'SignatureInvalid');
  assert.equal(await code({ at: 1 }), 'SignatureExpired');
  assert.equal((await pay(event, { secret: 'an-older-secret' })).json.applied, true);
});

test('GA-O45: an order is cancelled by its owner while nobody has paid', async () => {
  const user = await newUser();
  const it = await order(user);
  await fails(404, 'OrderNotFound', 'POST', `/orders/${it.orderId}/cancel`, { user: await newUser() });
  await ok(200, 'POST', `/orders/${it.orderId}/cancel`, { user });
  assert.equal((await ok(200, 'POST', `/orders/${it.orderId}/cancel`, { user })).changed, false);
  const done = await order(user);
  await paid(done);
  await fails(409, 'OrderNotCancelable', 'POST', `/orders/${done.orderId}/cancel`, { user });
});

test('GA-O45: cancel against payment, a hundred times: fulfilled, or cancelled with the money back', async () => {
  const user = await newUser();
  let bought = 0;
  const check = async () => {
    const it = await order(user, 'video-100');
    await Promise.all([call('POST', `/orders/${it.orderId}/cancel`, { user }), paid(it)]);
    return it.orderId;
  };
  const ids = [];
  for (let at = 0; at < 100; at += 10) ids.push(...(await times(10, check)));
  const back = new Set((await outbox('payment-refund')).map(({ payload }) => payload.orderId));
  for (const id of ids) {
    const { status } = await get(`/orders/${id}`, user);
    assert.ok(['completed', 'cancelled'].includes(status), status);
    assert.equal(back.has(id), status === 'cancelled');
    bought += status === 'completed' ? 100 : 0;
  }
  assert.equal((await user.raw()).i2vCreditsSecondsPurchased, bought);
}, { seconds: 180 });

test('GA-A33 GA-A34 GA-A35: orders by user, by status, by item', async () => {
  const user = await newUser();
  const it = await order(user, 'video-500');
  const ids = (items) => items.map(({ orderId }) => orderId);
  assert.deepEqual(ids(await all('/orders', user)), [it.orderId]);
  assert.deepEqual(ids(await all('/orders', await newUser())), []);
  assert.ok(ids(await all('/admin/orders?status=initiated', admin)).includes(it.orderId));
  assert.deepEqual(ids(await all('/admin/orders?item=video-500', admin)), [it.orderId]);
  await fails(403, 'Forbidden', 'GET', '/admin/orders?status=initiated', { user });
  await fails(404, 'OrderNotFound', 'GET', `/orders/${it.orderId}`, { user: await newUser() });
});

test('GA-O46 GA-A36 GA-R11: plans end; who renewed in time stays', async () => {
  const ended = await newUser({ plan: 'starter', planEndDate: '2025-10-01T00:00:00.000Z' });
  const renewed = await newUser({ plan: 'starter', planEndDate: '2025-11-01T00:00:00.000Z' });
  const forever = await newUser({ plan: 'pro' });
  await setClock({ now: '2025-10-01T00:00:01Z' });
  try {
    await fails(403, 'Forbidden', 'POST', '/admin/tasks/plan-expiry', { user: ended });
    assert.equal((await task('plan-expiry')).done, true);
    const raw = await ended.raw();
    assert.deepEqual([raw.plan, raw.GSI4PK, raw.GSI4SK, raw.subscriptionStatus], ['free', 'USER_PLAN#free', `9999-12-31T00:00:00.000Z#${ended.id}`, 'expired']);
    assert.equal((await renewed.raw()).plan, 'starter');
    assert.equal((await forever.raw()).plan, 'pro');
    const ids = (items) => items.map(({ userId }) => userId);
    assert.ok(ids(await all('/admin/users?plan=starter&to=2025-12-01T00:00:00Z', admin)).includes(renewed.id));
    assert.equal(ids(await all('/admin/users?plan=pro', admin)).at(-1), forever.id, 'without an end comes last');
  } finally {
    await setClock({});
  }
});

test('GA-O47: seconds of a plan are granted once a month', async () => {
  const user = await newUser({ plan: 'unlimited', planEndDate: '2027-01-01T00:00:00.000Z', i2vCreditsSecondsFromPlan: 7 });
  try {
    await setClock({ now: '2025-10-05T00:00:00Z' });
    for (let run = 0; run < 3; run += 1) await task('monthly-grant');
    assert.deepEqual([(await user.raw()).i2vCreditsSecondsFromPlan, (await user.raw()).lastGrantPeriod], [240, '2025-10']);
    await updateRaw(`USER#${user.id}`, 'METADATA', 'SET i2vCreditsSecondsFromPlan = :n', { ':n': 3 });
    await task('monthly-grant');
    assert.equal((await user.raw()).i2vCreditsSecondsFromPlan, 3);
    await setClock({ now: '2025-11-01T00:00:00Z' });
    await task('monthly-grant');
    assert.equal((await user.raw()).i2vCreditsSecondsFromPlan, 240);
  } finally {
    await setClock({});
  }
});

test('GA-O36 GA-R33 GA-T36: three images a day, bonus after that, anew at midnight UTC', async () => {
  const user = await newUser({ bonusGenerationCredits: 2 });
  try {
    await setClock({ now: '2025-12-30T23:59:58Z' });
    const replies = await many(10, 'POST', '/generations', { user, body: {} });
    assert.deepEqual(tally(replies), { 201: 5, '402 QuotaExceeded': 5 });
    assert.equal((await user.raw()).bonusGenerationCredits, 0);
    await setClock({ now: '2025-12-31T00:00:00Z' });
    assert.deepEqual(tally(await many(10, 'POST', '/generations', { user, body: {} })), { 201: 3, '402 QuotaExceeded': 7 });
    assert.equal((await user.raw()).imagesGeneratedThisMonth, 8);
    await setClock({ now: '2026-01-01T00:00:00Z' });
    const key = newKey();
    assert.deepEqual(tally(await many(5, 'POST', '/generations', { user, key, body: {} })), { 201: 5 });
    const raw = await user.raw();
    assert.deepEqual([raw.imagesGeneratedToday, raw.imagesGeneratedThisMonth], [1, 1]);
  } finally {
    await setClock({});
  }
  await fails(404, 'UserNotFound', 'POST', '/generations', { user: { token: token({ sub: 'no-account' }) }, body: {} });
});

test('GA-O36: the month has its own limit', async () => {
  const user = await newUser();
  try {
    for (let day = 1; day <= 11; day += 1) {
      await setClock({ now: `2026-03-${String(day).padStart(2, '0')}T12:00:00Z` });
      const { 201: made = 0 } = tally(await many(3, 'POST', '/generations', { user, body: {} }));
      assert.equal(made, day <= 10 ? 3 : 0);
    }
  } finally {
    await setClock({});
  }
});

test('GA-O35: settings have defaults that are not written, and ranges', async () => {
  const user = await newUser();
  const defaults = await get('/settings/generation', user);
  assert.deepEqual([defaults.imageSize, defaults.customWidth, defaults.batchCount, defaults.cfgScale, defaults.isPublic], ['square_hd', 1024, 1, 7, true]);
  assert.equal(await getRaw(`GEN_SETTINGS#${user.id}`), undefined);
  const bad = [{ customWidth: 255 }, { customWidth: 2056 }, { customHeight: 1025 }, { batchCount: 0 }, { batchCount: 9 }, { cfgScale: 0 }, { cfgScale: 21 }, { steps: 0 }, { steps: 61 }, { imageSize: 'huge' }, { isPublic: 'true' }, { negativePrompt: 1 }];
  for (const body of bad) await fails(400, 'ValidationFailed', 'PUT', '/settings/generation', { user, body });
  await ok(200, 'PUT', '/settings/generation', { user, body: { steps: 20, isPublic: false } });
  await ok(200, 'PUT', '/settings/generation', { user, body: { cfgScale: 3.5 } });
  const saved = await get('/settings/generation', user);
  assert.deepEqual([saved.steps, saved.cfgScale, saved.isPublic, saved.imageSize], [20, 3.5, false, 'square_hd']);
  const raw = await getRaw(`GEN_SETTINGS#${user.id}`);
  assert.deepEqual([raw.isPublic, raw.EntityType], ['false', 'GenerationSettings']);
  assert.ok(!(await all('/feed', user)).some(({ EntityType }) => !['Album', 'Media'].includes(EntityType)), 'GA-T2: settings are no content');
});

test('GA-O48 GA-R32 GA-E19: coins are earned once per reference, spent and withdrawn while they last', async () => {
  const user = await newUser();
  const earn = (amount, refId) => call('POST', '/coins/earn', { user: service, body: { userId: user.id, amount, reason: 'like', refId } });
  const replies = await times(20, () => earn('12.5', 'event-1'));
  assert.deepEqual(tally(replies), { 201: 1, '200 unchanged': 19 });
  assert.equal((await earn(0.00000001, 'event-2')).status, 201);
  const spend = (amount, refId, way = 'spend') => call('POST', `/coins/${way}`, { user, body: { amount, reason: 'x', refId } });
  const race = await times(10, (n) => spend('5', `spend-${n}`));
  assert.deepEqual(tally(race), { 201: 2, '402 InsufficientCoins': 8 });
  assert.equal((await spend('2.5', 'out-1', 'withdraw')).status, 201);
  const raw = await user.raw();
  assert.deepEqual([raw.pscBalance, raw.pscTotalEarned, raw.pscTotalSpent, raw.pscTotalWithdrawn], [0.00000001, 12.50000001, 10, 2.5]);
  assert.equal(raw.GSI5SK, `00000000000012.50000001#${user.id}`);
  const history = await all('/coins/history', user);
  assert.equal(history.length, 5);
  const sum = history.reduce((total, { kind, amount }) => total + Math.round(Number(amount) * 1e8) * (kind === 'earn' ? 1 : -1), 0);
  assert.equal(sum, 1);
  for (const amount of [0, -1, '0.000000001', 'x', null, '100000000000000']) {
    const reply = await spend(amount, 'bad');
    assert.deepEqual([reply.status, reply.json.error.code], [400, 'ValidationFailed'], String(amount));
  }
  await fails(403, 'Forbidden', 'POST', '/coins/earn', { user, body: { userId: user.id, amount: 1, refId: 'mine' } });
  await fails(404, 'UserNotFound', 'POST', '/coins/earn', { user: service, body: { userId: 'nobody', amount: 1, refId: 'x' } });
  await fails(400, 'ValidationFailed', 'POST', '/coins/earn', { user: service, body: { userId: user.id, amount: 1, refId: 'a#b' } });
  await fails(400, 'ValidationFailed', 'POST', '/coins/earn', { user: service, body: { userId: user.id, amount: '99999999999999', refId: 'too-much' } });
});

test('GA-R32: whatever happens at once, the balance is what was earned less what left', async () => {
  const user = await newUser();
  await ok(201, 'POST', '/coins/earn', { user: service, body: { userId: user.id, amount: 20, refId: 'start' } });
  await times(60, (n) => {
    const body = { amount: `${(n % 7) + 1}.5`, refId: `ref-${n}` };
    if (n % 3 === 0) return call('POST', '/coins/earn', { user: service, body: { ...body, userId: user.id } });
    return call('POST', n % 3 === 1 ? '/coins/spend' : '/coins/withdraw', { user, body });
  });
  const raw = await user.raw();
  assert.ok(raw.pscBalance >= 0);
  assert.equal(raw.pscBalance, raw.pscTotalEarned - raw.pscTotalSpent - raw.pscTotalWithdrawn);
  const ledger = await scan((item) => item.PK === `USER#${user.id}` && item.SK.startsWith('PSCTX#'));
  assert.equal(ledger.reduce((sum, { kind, amount }) => sum + (kind === 'earn' ? amount : -amount), 0), raw.pscBalance);
}, { seconds: 120 });

test('GA-O49 GA-R5 GA-A37 GA-A61: the leaderboard is in the order of the amounts', async () => {
  const amounts = ['9', '10', '100.5', '100.50000001', '100.5'];
  const earners = [];
  for (const [at, amount] of amounts.entries()) {
    const user = await newUser({ userId: `earner-${at}` });
    await ok(201, 'POST', '/coins/earn', { user: service, body: { userId: user.id, amount, refId: `board-${at}` } });
    earners.push(user);
  }
  const board = (await all('/coins/leaderboard', undefined, 50)).filter(({ userId }) => userId.startsWith('earner-'));
  assert.deepEqual(board.map(({ userId }) => userId), ['earner-3', 'earner-4', 'earner-2', 'earner-1', 'earner-0']);
  assert.ok(board.every((one) => !('email' in one) && !('pscBalance' in one)));
  assert.equal((await all('/coins/history', earners[0])).length, 1);
  assert.equal((await all('/coins/history', await newUser())).length, 0);
});
