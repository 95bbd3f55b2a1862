// Who has access to what: reads, tiers, periods.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { removeDir, tempDir } from '../lib/server.js';
import {
  admin, at, call, deliver, dynamodb, event, fails, item, me, newUser, ok, partition, paymentObject, put, runJob, service,
  start, subscriber, subscriptionObject, tierOf, token, suite,
} from './membership_fixture.js';

const test = suite('membership access');
const kMarch = '2025-03-01T00:00:00Z';
const kApril = '2025-04-01T00:00:00Z';
const pattern = (row, query, user = admin) => ok(200, 'GET', `/patterns/${row}?${new URLSearchParams(query)}`, { user });

const passOf = async (user, passType, id) => {
  const state = await deliver(event('payment_intent.succeeded', kMarch, paymentObject(user, { kind: 'founder', passType, cents: 29900, ...(id ? { id } : {}) })));
  assert.equal(state, 'applied');
};
const subscribe = async (user, more = {}) => {
  const subscription = subscriptionObject(user, { from: kMarch, to: kApril, ...more });
  assert.equal(await deliver(event('customer.subscription.updated', kMarch, subscription)), 'applied');
  return subscription;
};

test('ME-A1 ME-A9 ME-T8: subscriptions that grant access, and all of them', async () => {
  await at('2025-03-05T00:00:00Z');
  const user = newUser();
  for (let n = 0; n < 12; n += 1) await subscribe(user, { status: 'incomplete_expired' });
  const active = await subscribe(user);
  const past = await subscribe(user, { status: 'canceled', from: '2025-01-01T00:00:00Z', to: '2025-02-01T00:00:00Z' });
  const { items } = await pattern('me-a1', { userId: user.sub });
  assert.deepEqual(items.map(({ subscriptionId }) => subscriptionId), [active.id]);
  const all = await pattern('me-a9', { userId: user.sub, limit: 100 });
  assert.equal(all.items.length, 14);
  assert.ok(all.items.some(({ subscriptionId }) => subscriptionId === past.id));
  assert.equal((await ok(200, 'GET', '/subscriptions', { user })).items.length, 14);
  await fails(403, 'Forbidden', 'GET', `/patterns/me-a1?userId=${user.sub}`, { user });
});

test('ME-A2: a subscription by its id, for its owner alone', async () => {
  const { user, subscription } = await subscriber('SAGE');
  const shown = await ok(200, 'GET', `/subscriptions/${subscription.id}`, { user });
  assert.equal(shown.planTier, 'SAGE');
  assert.equal(shown.currentPeriodEnd, kApril);
  for (const hidden of ['PK', 'SK', 'type', 'objectStatus', 'quota', 'stripeItemId']) assert.ok(!(hidden in shown), hidden);
  await fails(404, 'SubscriptionNotFound', 'GET', `/subscriptions/${subscription.id}`, { user: newUser() });
  await ok(200, 'GET', `/patterns/me-a2?subscriptionId=${subscription.id}`, { user });
  const stored = await item(`USER#${user.sub}`, `SUBSCRIPTION#${subscription.id}`);
  assert.equal(stored.type, 'Subscription');
  assert.equal(stored.byPeriodEnd_pk, 'SUBEND#20250401');
  assert.equal(stored.byPeriodEnd_sk, `${kApril}#${user.sub}`);
});

test('ME-A3 ME-A4 ME-A11 ME-A12: balance, ledger newest first, lots by expiry', async () => {
  const user = newUser();
  for (const [day, amount, expiresAt] of [['01', 3, 1_900_000_000], ['02', 4, undefined], ['03', 5, 1_800_000_000]]) {
    await at(`2025-03-${day}T00:00:00Z`);
    await ok(200, 'POST', '/admin/credits/grant', {
      user: admin, key: `a-${user.sub}-${day}`, body: { userId: user.sub, amount, reason: 'gift', ...(expiresAt ? { expiresAt } : {}) },
    });
  }
  assert.equal((await ok(200, 'GET', '/patterns/me-a3', { user })).balance, 12);
  const credits = await ok(200, 'GET', '/credits', { user });
  assert.equal(credits.balance, 12);
  assert.equal(credits.expiresAt, 1_800_000_000);
  const { items } = await ok(200, 'GET', '/credits/ledger', { user });
  assert.deepEqual(items.map(({ amount, balanceAfter }) => [amount, balanceAfter]), [[5, 12], [4, 7], [3, 3]]);
  assert.deepEqual((await pattern('me-a11', {}, user)).items, items);
  const lots = (await pattern('me-a12', { userId: user.sub })).items;
  assert.deepEqual(lots.map(({ expiresAt }) => expiresAt), [1_800_000_000, 1_900_000_000, undefined]);
  const keys = (await partition(`USER#${user.sub}`, 'CREDITS#LOT#')).map(({ SK }) => SK.split('#')[2]);
  assert.deepEqual(keys, ['1800000000', '1900000000', '9999999999']);
});

test('ME-A5 ME-A6 ME-A7 ME-A8 ME-A10: passes, profile, everything at once, user by customer', async () => {
  const { user } = await subscriber('SAGE');
  await passOf(user, 'FOUNDING_MEMBER');
  await passOf(user, 'GUILD_BUILDER');
  const pass = await pattern('me-a5', { userId: user.sub, passType: 'GUILD_BUILDER' });
  assert.deepEqual([pass.grantedTier, pass.lifetimeAccess], ['GUILDMASTER', true]);
  await fails(404, 'FounderPassNotFound', 'GET', '/patterns/me-a5?userId=nobody&passType=GUILD_BUILDER', { user: admin });
  assert.equal((await pattern('me-a6', { userId: user.sub })).items.length, 2);
  assert.equal((await pattern('me-a7', { userId: user.sub })).tier, 'GUILDMASTER');
  const kinds = (await pattern('me-a8', { userId: user.sub })).items.map(({ type }) => type ?? 'Profile').sort();
  assert.deepEqual(kinds, ['Credits', 'FounderPass', 'FounderPass', 'Profile', 'Subscription']);
  assert.equal((await pattern('me-a10', { stripeCustomerId: `cus_${user.sub}` })).userId, user.sub);
  assert.equal((await item(`STRIPECUSTOMER#cus_${user.sub}`, 'META')).userId, user.sub);
});

test('ME-A13: subscriptions whose period has ended, by day', async () => {
  await at('2031-06-01T00:00:00Z');
  const users = [newUser(), newUser(), newUser()];
  const ends = ['2031-05-30T23:59:59Z', '2031-05-31T00:00:00Z', '2031-06-02T12:00:00Z'];
  for (const [n, user] of users.entries()) await subscribe(user, { from: '2031-05-01T00:00:00Z', to: ends[n] });
  const { items } = await pattern('me-a13', { from: '2031-05-25T00:00:00Z', to: '2031-06-01T00:00:00Z' });
  assert.deepEqual(items.map(({ currentPeriodEnd }) => currentPeriodEnd), ends.slice(0, 2));
});

test('ME-R1 ME-O1 ME-R27: all sixteen combinations of sources', async () => {
  await at('2025-03-10T00:00:00Z');
  for (let sources = 0; sources < 16; sources += 1) {
    const user = newUser();
    if (sources & 8) await put({ PK: `USER#${user.sub}`, SK: `PROFILE#${user.sub}`, tier: 'INITIATE' });
    if (sources & 1) await passOf(user, 'FOUNDING_MEMBER');
    if (sources & 2) await passOf(user, 'GUILD_BUILDER');
    if (sources & 4) await subscribe(user);
    const expected =
      sources & 2 ? 'GUILDMASTER founder'
      : sources & 1 ? 'SAGE founder'
      : sources & 4 ? 'JOURNEYMAN subscription'
      : sources & 8 ? 'INITIATE profile'
      : 'free default';
    assert.equal(await tierOf(user), expected, `sources ${sources}`);
    const profile = await item(`USER#${user.sub}`, `PROFILE#${user.sub}`);
    // ME-R20: written by every event.
    if (sources > 0) assert.equal(profile.tier, expected.split(' ')[0], `profile of ${sources}`);
  }
});

test('ME-O1: administrators ask about others, and hear when there is nobody', async () => {
  const { user } = await subscriber('SAGE');
  const shown = await ok(200, 'GET', `/admin/users/${user.sub}`, { user: admin });
  assert.equal(shown.tier, 'SAGE');
  assert.equal(shown.credits.balance, 15);
  assert.deepEqual(shown, await me(user));
  await fails(404, 'UserNotFound', 'GET', '/admin/users/nobody-at-all', { user: admin });
  await fails(403, 'Forbidden', 'GET', `/admin/users/${user.sub}`, { user: newUser() });
  await fails(401, 'Unauthenticated', 'GET', '/me', {});
  const fresh = newUser();
  assert.deepEqual(await me(fresh), {
    userId: fresh.sub, tier: 'free', source: 'default', until: null, credits: { balance: 0 }, subscriptions: [], founderPasses: [],
  });
  for (const sub of ['a#b', 'a b', 'x'.repeat(129)]) {
    await fails(401, 'Unauthenticated', 'GET', '/me', { user: { token: token(sub, ['user']) } });
    await fails(400, 'ValidationFailed', 'GET', `/admin/users/${encodeURIComponent(sub)}`, { user: admin });
  }
});

test('ME-R2 ME-R3 ME-R23: a pass decides, and says so when a subscription is higher', async () => {
  await at('2025-03-10T00:00:00Z');
  const user = newUser();
  await passOf(user, 'FOUNDING_MEMBER');
  await subscribe(user, { tier: 'GUILDMASTER' });
  const shown = await me(user);
  assert.deepEqual([shown.tier, shown.source, shown.until], ['SAGE', 'founder', null]);
  assert.match(shown.warning, /pass/);
  assert.ok(shown.founderPasses.every(({ lifetimeAccess }) => lifetimeAccess === true));
  await fails(400, 'UnknownField', 'POST', '/admin/founder', {
    user: admin, body: { userId: user.sub, passType: 'GUILD_BUILDER', lifetimeAccess: false },
  });
});

test('ME-R4 ME-R5 ME-R6 ME-O2: access by status, to the second', async () => {
  for (const [status, grants] of [
    ['active', true], ['trialing', true], ['canceled', true], ['past_due', true],
    ['incomplete', false], ['incomplete_expired', false], ['unpaid', false], ['paused', false],
  ]) {
    const user = newUser();
    await at('2025-03-10T00:00:00Z');
    await subscribe(user, { status, cancel_at_period_end: status === 'active' });
    const allowed = async () => (await ok(200, 'POST', '/access', { user, body: { tier: 'JOURNEYMAN' } })).allowed;
    assert.equal(await allowed(), grants, status);
    await at('2025-03-31T23:59:59.999Z');
    assert.equal(await allowed(), grants, `${status} at the last moment`);
    await at(kApril);
    assert.equal(await allowed(), false, `${status} at the end`);
    assert.equal(await tierOf(user), 'free default', status);
  }
});

test('ME-O2: access to features and tiers, for oneself or by a service', async () => {
  const { user } = await subscriber('INITIATE');
  const ask = (body, who = user) => ok(200, 'POST', '/access', { user: who, body });
  assert.deepEqual(await ask({ feature: 'veo3_render' }), { allowed: true, tier: 'INITIATE', source: 'subscription', until: kApril });
  assert.equal((await ask({ feature: 'mirror_report' })).allowed, false);
  assert.equal((await ask({ tier: 'free' })).allowed, true);
  assert.equal((await ask({ tier: 'SAGE' })).allowed, false);
  assert.equal((await ask({ tier: 'INITIATE', userId: user.sub }, service)).allowed, true);
  await fails(403, 'Forbidden', 'POST', '/access', { user: newUser(), body: { tier: 'SAGE', userId: user.sub } });
  for (const body of [{}, { feature: 'nothing' }, { tier: 'FREE' }, { tier: 'sage' }, { feature: 'veo3_render', tier: 'SAGE' }, { tier: 3 }]) {
    await fails(400, 'ValidationFailed', 'POST', '/access', { user, body });
  }
  await fails(400, 'UnknownField', 'POST', '/access', { user, body: { tier: 'SAGE', extra: 1 } });
});

test('ME-R7: of several subscriptions the highest, then the one that lasts longest', async () => {
  await at('2025-03-10T00:00:00Z');
  const user = newUser();
  await subscribe(user, { tier: 'INITIATE', to: '2025-12-01T00:00:00Z' });
  await subscribe(user, { tier: 'SAGE', to: '2025-03-20T00:00:00Z' });
  await subscribe(user, { tier: 'SAGE', to: '2025-03-25T00:00:00Z' });
  const shown = await me(user);
  assert.deepEqual([shown.tier, shown.until], ['SAGE', '2025-03-25T00:00:00Z']);
});

test('ME-R20 ME-O23 ME-T1: when the period is over, the sweep makes the profile free', async () => {
  const { user } = await subscriber('SAGE');
  const tier = async () => (await item(`USER#${user.sub}`, `PROFILE#${user.sub}`)).tier;
  assert.equal(await tier(), 'SAGE');
  await at('2025-04-01T00:00:01Z');
  await runJob('/admin/tasks/expiry');
  assert.equal(await tier(), 'free');
  assert.equal(await tierOf(user), 'free default');
});

test('ME-R20: a tier set by hand comes back when the subscription has ended', async () => {
  const user = newUser();
  await at('2025-03-10T00:00:00Z');
  await put({ PK: `USER#${user.sub}`, SK: `PROFILE#${user.sub}`, tier: 'INITIATE', nickname: 'kept' });
  await subscribe(user, { tier: 'SAGE' });
  assert.equal(await tierOf(user), 'SAGE subscription');
  await at('2025-04-02T00:00:00Z');
  await runJob('/admin/tasks/expiry');
  assert.equal(await tierOf(user), 'INITIATE profile');
  const profile = await item(`USER#${user.sub}`, `PROFILE#${user.sub}`);
  assert.deepEqual([profile.tier, profile.tierSource, profile.nickname], ['INITIATE', 'manual', 'kept']);
});

test('ME-R3 ME-R4 ME-T7: the policy and the days of grace are the catalogue’s', async () => {
  const folder = tempDir('catalogue');
  const file = `${folder}/catalog.yaml`;
  writeFileSync(
    file,
    'system: membership\naccessPolicy: highest\ndunningDays: 3\nrenewalSlackSeconds: 60\nfounderGrantStacks: false\n' +
      'monthlyCredits: { free: 0, INITIATE: 7 }\nfeatureCost: { veo3_render: 1 }\nfeatureTier: { veo3_render: free }\n' +
      'founderCredits: { FOUNDING_MEMBER: 15 }\nprices: { INITIATE: 1 }\nstripePrices: {}\n',
  );
  const base = await start(['--catalog', file]);
  try {
    await at('2025-03-10T00:00:00Z', base);
    const user = newUser();
    const tell = (one) => deliver(one, { base });
    await tell(event('payment_intent.succeeded', kMarch, paymentObject(user, { kind: 'founder', passType: 'FOUNDING_MEMBER', cents: 29900 })));
    await tell(event('customer.subscription.created', kMarch, subscriptionObject(user, { tier: 'GUILDMASTER', from: kMarch, to: kApril })));
    const tier = async () => (await ok(200, 'GET', '/me', { user, base })).tier;
    assert.equal(await tier(), 'GUILDMASTER');
    await at('2025-04-01T00:00:59Z', base);
    assert.equal(await tier(), 'GUILDMASTER');
    await at('2025-04-01T00:01:00Z', base);
    assert.equal(await tier(), 'SAGE');
    const late = newUser();
    await tell(event('customer.subscription.created', kMarch, subscriptionObject(late, { tier: 'INITIATE', status: 'past_due', from: kMarch, to: kApril })));
    const lateTier = async () => (await ok(200, 'GET', '/me', { user: late, base })).tier;
    await at('2025-04-03T23:59:59Z', base);
    assert.equal(await lateTier(), 'INITIATE');
    await at('2025-04-04T00:00:00Z', base);
    assert.equal(await lateTier(), 'free');
  } finally {
    await base.stop();
    removeDir(folder);
  }
});

test('X-T1 ME-T4: the table is gg_core, its index as documented, and expiresAt is no TTL', async () => {
  const { Table } = await dynamodb('DescribeTable', {});
  assert.deepEqual(Table.KeySchema.map(({ AttributeName }) => AttributeName), ['PK', 'SK']);
  assert.deepEqual(Table.GlobalSecondaryIndexes.map(({ IndexName, Projection }) => [IndexName, Projection.ProjectionType]), [['byPeriodEnd', 'KEYS_ONLY']]);
  const { TimeToLiveDescription } = await dynamodb('DescribeTimeToLive', {});
  assert.equal(TimeToLiveDescription.AttributeName, 'ttl');
  assert.equal((await call('GET', '/patterns', { user: admin })).status, 200);
});
