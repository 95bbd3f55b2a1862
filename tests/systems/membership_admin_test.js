// Administrators: passes, tiers, the default tier, and the end of a user.

import assert from 'node:assert/strict';
import {
  admin, at, auditOf, deliver, event, fails, grant, invoiceObject, item, me, newUser, ok, outboxOf, partition, paymentObject,
  prove, put, runJob, subscriber, subscriptionObject, tierOf, times, suite,
} from './membership_fixture.js';

const test = suite('membership admin');
const kMarch = '2025-03-01T00:00:00Z';
const kApril = '2025-04-01T00:00:00Z';

test('ME-O24 X-R13: founder passes given and taken by hand, with audit', async () => {
  await at(kMarch);
  const user = newUser();
  const body = { userId: user.sub, passType: 'FOUNDING_MEMBER', reason: 'for the first stone' };
  await times(5, () => ok(200, 'POST', '/admin/founder', { user: admin, body }));
  assert.equal(await tierOf(user), 'SAGE founder');
  assert.equal(await prove(user), 15);
  const revoked = await ok(200, 'DELETE', `/admin/founder?userId=${user.sub}&passType=FOUNDING_MEMBER&reason=mistake`, { user: admin });
  assert.equal(revoked.tier, 'free');
  await ok(200, 'POST', '/admin/founder', { user: admin, body: { ...body, action: 'revoke' } });
  await ok(200, 'PUT', '/admin/founder', { user: admin, body });
  assert.equal(await tierOf(user), 'SAGE founder');
  assert.equal(await prove(user), 15, 'one grant in a month');
  const audit = await auditOf(user, '20250301');
  assert.deepEqual(audit.map(({ action }) => action).sort(), ['founder.grant', 'founder.grant', 'founder.revoke']);
  assert.ok(audit.every(({ actor }) => actor === 'the-admin'));
  await fails(404, 'FounderPassNotFound', 'POST', '/admin/founder', { user: admin, body: { userId: newUser().sub, passType: 'GUILD_BUILDER', action: 'revoke' } });
  await fails(403, 'Forbidden', 'POST', '/admin/founder', { user, body });
  await fails(400, 'ValidationFailed', 'POST', '/admin/founder', { user: admin, body: { ...body, passType: 'OTHER' } });
});

test('ME-O24: a tier set by hand counts when nothing else does', async () => {
  await at(kMarch);
  const user = newUser();
  const set = (tier) => ok(200, 'PUT', '/admin/tier', { user: admin, body: { userId: user.sub, tier, reason: 'a favour' } });
  assert.deepEqual([(await set('SAGE')).tier, await tierOf(user)], ['SAGE', 'SAGE profile']);
  const profile = await item(`USER#${user.sub}`, `PROFILE#${user.sub}`);
  assert.deepEqual([profile.tier, profile.tierSource], ['SAGE', 'manual']);
  await deliver(event('customer.subscription.created', kMarch, subscriptionObject(user, { tier: 'INITIATE', from: kMarch, to: kApril })));
  assert.equal(await tierOf(user), 'INITIATE subscription');
  await at(kApril);
  assert.equal(await tierOf(user), 'SAGE profile');
  await set('free');
  assert.equal(await tierOf(user), 'free default');
  await fails(400, 'ValidationFailed', 'PUT', '/admin/tier', { user: admin, body: { userId: user.sub, tier: 'FREE' } });
  await fails(403, 'Forbidden', 'PUT', '/admin/tier', { user, body: { userId: user.sub, tier: 'SAGE' } });
  const audit = [...(await auditOf(user, '20250301')), ...(await auditOf(user, '20250401'))];
  assert.deepEqual(audit.map(({ action, after }) => [action, after.tier]), [['tier.set', 'SAGE'], ['tier.set', 'free']]);
});

test('ME-O25: profiles without a tier become free, the others stay, and a second run finds nothing', async () => {
  await at(kMarch);
  const [bare, paid] = [newUser(), newUser()];
  await put({ PK: `USER#${bare.sub}`, SK: `PROFILE#${bare.sub}`, nickname: 'old' });
  await put({ PK: `USER#${paid.sub}`, SK: `PROFILE#${paid.sub}`, tier: 'SAGE' });
  const dry = await ok(200, 'POST', '/admin/migrations/default-tier', { user: admin, body: { dryRun: true } });
  assert.ok(dry.changed >= 1);
  assert.equal((await item(`USER#${bare.sub}`, `PROFILE#${bare.sub}`)).tier, undefined);
  assert.ok((await runJob('/admin/migrations/default-tier')).changed >= 1);
  const profile = await item(`USER#${bare.sub}`, `PROFILE#${bare.sub}`);
  assert.deepEqual([profile.tier, profile.nickname], ['free', 'old']);
  assert.equal((await item(`USER#${paid.sub}`, `PROFILE#${paid.sub}`)).tier, 'SAGE');
  assert.equal((await runJob('/admin/migrations/default-tier')).changed, 0);
  await fails(403, 'Forbidden', 'POST', '/admin/migrations/default-tier', { user: bare, body: {} });
});

test('ME-O26: a deleted user keeps the ledger and nothing else; late events change nothing', async () => {
  const { user, subscription } = await subscriber('SAGE');
  await deliver(event('payment_intent.succeeded', kMarch, paymentObject(user, { kind: 'founder', passType: 'FOUNDING_MEMBER', cents: 29900 })));
  await grant(user, 4);
  await fails(409, 'SubscriptionActive', 'DELETE', `/admin/users/${user.sub}`, { user: admin });
  await fails(403, 'Forbidden', 'DELETE', `/admin/users/${user.sub}`, { user });
  assert.equal((await ok(200, 'DELETE', `/admin/users/${user.sub}?force=true&reason=asked`, { user: admin })).changed, true);
  assert.equal((await ok(200, 'DELETE', `/admin/users/${user.sub}?force=true`, { user: admin })).changed, false);
  assert.equal(await tierOf(user), 'free default');
  assert.equal(await prove(user), 0);
  assert.equal((await partition(`USER#${user.sub}`, 'CREDITS#TXN#')).length, 6);
  assert.equal(await item(`STRIPECUSTOMER#${subscription.customer}`, 'META'), undefined);
  assert.equal((await me(user)).subscriptions[0].status, 'canceled');
  const asked = await outboxOf(user, 'stripe-call');
  assert.deepEqual(asked.map(({ payload }) => payload.path), [`/v1/subscriptions/${subscription.id}`]);
  const before = await partition(`USER#${user.sub}`);
  for (const late of [
    event('customer.subscription.updated', '2025-03-20T00:00:00Z', subscription),
    event('customer.subscription.updated', '2025-03-20T00:00:00Z', { ...subscription, metadata: {} }),
    event('invoice.paid', '2025-03-20T00:00:00Z', invoiceObject(user, subscription)),
    event('payment_intent.succeeded', '2025-03-20T00:00:00Z', paymentObject(user)),
  ]) {
    assert.equal(await deliver(late), 'parked', late.type);
  }
  await runJob('/admin/tasks/parked-events');
  await runJob('/admin/tasks/founder-grants');
  assert.deepEqual(await partition(`USER#${user.sub}`), before);
  await fails(404, 'UserNotFound', 'POST', '/checkout/topup', { user, body: { amountUsd: 5 } });
  await fails(404, 'UserNotFound', 'DELETE', '/admin/users/nobody-at-all', { user: admin });
  const audit = await auditOf(user, '20250301');
  assert.ok(audit.some(({ action, reason }) => action === 'user.delete' && reason === 'asked'));
});

test('X-R1: every route refuses wrong methods, wrong types and strangers', async () => {
  await at(kMarch);
  const user = newUser();
  await fails(405, 'MethodNotAllowed', 'GET', '/access', { user });
  await fails(400, 'MalformedJson', 'POST', '/access', { user, body: '{' });
  for (const [method, path] of [
    ['GET', '/me'], ['GET', '/credits'], ['GET', '/credits/ledger'], ['POST', '/access'], ['POST', '/credits/consume'],
    ['POST', '/credits/reservations'], ['POST', '/reports/mirror'], ['POST', '/checkout/topup'], ['POST', '/admin/reconcile'],
    ['POST', '/admin/tasks/expiry'], ['POST', '/admin/tasks/founder-grants'], ['DELETE', '/admin/users/x'], ['GET', '/admin/events/evt_1'],
  ]) {
    await fails(401, 'Unauthenticated', method, path, method === 'POST' ? { body: {} } : {});
  }
  for (const path of ['/admin/tier', '/admin/founder', '/admin/reconcile', '/admin/credits/grant', '/admin/tasks/parked-events']) {
    await fails(403, 'Forbidden', 'POST', path, { user, key: 'k', body: {} });
  }
});
