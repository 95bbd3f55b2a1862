// Plans, checkout and Stripe: FF-O5 to FF-O7.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from './figureforge_fixture.js';
import { admin, atOnce, call, count, credits, fails, key, kStripe, newUser, ok, outbox, query, raw, statuses, stripe } from './figureforge_fixture.js';

const test = suite('billing');
const newPlan = async (more = {}) => {
  const id = `plan-${randomUUID().slice(0, 8)}`;
  await ok(201, 'PUT', `/plans/${id}`, { user: admin, body: { name: 'Pro', price_cents: 900, monthly_images: 50, ...more } });
  return id;
};
const profile = (user) => ok(200, 'GET', '/users/me', { user });

let last = 1_740_000_000;
// Events of one subscription, as Stripe would tell them in the order of `created`.
function story(user, plan, { known = true } = {}) {
  const id = randomUUID().slice(0, 12);
  const sub = `sub_${id}`;
  const customer = `cus_${id}`;
  const metadata = known ? { userId: user.id } : {};
  const start = (last += 1000);
  const object = (status) => ({
    id: sub, customer, status, metadata, cancel_at_period_end: false,
    current_period_start: start, current_period_end: start + 2_592_000,
    items: { data: [{ price: { id: 'price_1', lookup_key: plan } }] },
  });
  const event = (name, at, data) => ({ id: `evt_${name}_${id}`, type: name, created: start + at, data: { object: data } });
  const invoice = { id: `in_${id}`, customer, subscription: sub, metadata, lines: { data: [{ price: { lookup_key: plan } }] } };
  return {
    sub,
    customer,
    created: event('customer.subscription.created', 0, object('incomplete')),
    updated: event('customer.subscription.updated', 10, object('active')),
    late: event('customer.subscription.updated', 5, object('past_due')),
    deleted: event('customer.subscription.deleted', 20, object('canceled')),
    paid: event('invoice.payment_succeeded', 11, invoice),
    paidToo: { ...event('invoice.paid', 11, invoice), id: `evt_paid2_${id}` },
    failed: event('invoice.payment_failed', 15, { ...invoice, id: `in_x${id}` }),
  };
}
const send = async (event) => {
  const reply = await stripe(event);
  assert.equal(reply.status, 200, reply.body);
  return reply.json;
};
const permutations = (list) =>
  list.length < 2 ? [list] : list.flatMap((one, i) => permutations(list.toSpliced(i, 1)).map((rest) => [one, ...rest]));

test('FF-O5, FF-A17, FF-A18: plans are listed in their order', async () => {
  const ids = [await newPlan({ sort_order: 20 }), await newPlan({ sort_order: 3 }), await newPlan({ sort_order: 100 })];
  const { items } = await ok(200, 'GET', '/plans?active=true&limit=100');
  assert.deepEqual(items.map(({ plan_id }) => plan_id).filter((id) => ids.includes(id)), [ids[1], ids[0], ids[2]]);
  const plan = await ok(200, 'GET', `/plans/${ids[0]}`);
  assert.equal(plan.monthly_images, 50);
  assert.equal(plan.currency, 'usd');
  const item = await raw(`PLAN#${ids[0]}`, 'META');
  assert.equal(item.plansByActive_pk, 'PLANACTIVE#true');
  assert.equal(item.plansByActive_sk, `000020#${ids[0]}`);
  await fails(404, 'PlanNotFound', 'GET', '/plans/nothing');
  await fails(403, 'Forbidden', 'PUT', '/plans/x', { user: await newUser(), body: { name: 'x', price_cents: 1, monthly_images: 1 } });
  await fails(401, 'Unauthenticated', 'PUT', '/plans/x', { body: {} });
});

test('FF-O5: creating a plan that exists, and changing it', async () => {
  const id = await newPlan();
  const body = { name: 'Other', price_cents: 100, monthly_images: 1 };
  const headers = { 'if-none-match': '*' };
  await fails(409, 'PlanExists', 'PUT', `/plans/${id}`, { user: admin, body, headers });
  assert.equal((await ok(200, 'PUT', `/plans/${id}`, { user: admin, body })).name, 'Other');
  const fresh = `plan-${randomUUID().slice(0, 8)}`;
  const replies = await atOnce(10, () => call('PUT', `/plans/${fresh}`, { user: admin, body, headers }));
  assert.equal(count(replies, 409), 9);
  for (const wrong of [{ price_cents: -1 }, { monthly_images: 1.5 }, { interval: 'week' }, { sort_order: 1_000_000 }]) {
    await fails(400, 'ValidationFailed', 'PUT', `/plans/${id}`, { user: admin, body: wrong });
  }
  await fails(400, 'ValidationFailed', 'PUT', '/plans/a%23b', { user: admin, body });
});

test('FF-R16: an inactive plan is kept for those who have it', async () => {
  const user = await newUser();
  const id = await newPlan();
  await ok(200, 'PUT', `/plans/${id}`, { user: admin, body: { active: false } });
  const { items } = await ok(200, 'GET', '/plans?limit=100');
  assert.ok(!items.some(({ plan_id }) => plan_id === id));
  assert.equal((await ok(200, 'GET', `/plans/${id}`)).active, false);
  assert.ok((await ok(200, 'GET', '/plans?active=false&limit=100')).items.some(({ plan_id }) => plan_id === id));
  await fails(409, 'PlanInactive', 'POST', '/subscriptions/checkout', { user, body: { plan_id: id }, headers: key() });
});

test('FF-O6: checkout is asked for once, however often', async () => {
  const user = await newUser();
  const plan = await newPlan({ stripe_price_id: 'price_7' });
  await fails(404, 'PlanNotFound', 'POST', '/subscriptions/checkout', { user, body: { plan_id: 'nothing' } });
  const headers = key();
  const same = await atOnce(5, () => call('POST', '/subscriptions/checkout', { user, body: { plan_id: plan }, headers }));
  const more = await atOnce(2, () => call('POST', '/subscriptions/checkout', { user, body: { plan_id: plan }, headers: key() }));
  assert.deepEqual([...new Set(statuses([...same, ...more]))], [202]);
  assert.equal(new Set([...same, ...more].map(({ json }) => json.checkoutId)).size, 1);
  assert.equal(same[0].json.status, 'pending');
  const rows = await outbox('checkout', (payload) => payload.userId === user.id);
  assert.equal(rows.length, 1);
  assert.equal(rows[0].payload.price, 'price_7');
  assert.equal(rows[0].payload.plan_id, plan);
  assert.equal((await ok(200, 'GET', '/subscriptions/checkout', { user })).checkoutId, same[0].json.checkoutId);
  await send(story(user, plan).updated);
  await fails(409, 'AlreadySubscribed', 'POST', '/subscriptions/checkout', { user, body: { plan_id: plan }, headers: key() });
});

test('FF-O7: signatures', async () => {
  const user = await newUser();
  const event = story(user, await newPlan()).updated;
  const now = Math.floor(Date.now() / 1000);
  assert.equal((await stripe(event, { secret: 'wrong' })).json.error.code, 'SignatureInvalid');
  assert.equal((await stripe(event, { at: now - 400 })).json.error.code, 'SignatureExpired');
  assert.equal((await stripe(event, { at: now + 400 })).json.error.code, 'SignatureExpired');
  for (const header of ['', 't=1', 'v1=ab', `t=${now},v1=${'0'.repeat(64)}`]) {
    const reply = await call('POST', '/webhooks/stripe', { body: event, headers: { 'stripe-signature': header } });
    assert.equal(reply.json.error.code, 'SignatureInvalid', header);
    assert.equal(reply.status, 400);
  }
  assert.equal((await profile(user)).plan_id, undefined);
  assert.equal((await stripe(event, { secret: 'old' })).status, 200);
  assert.equal((await profile(user)).plan_id, event.data.object.items.data[0].price.lookup_key);
});

test('FF-O7, FF-A4, FF-A5: a subscription and its month of images', async () => {
  const user = await newUser();
  const plan = await newPlan({ monthly_images: 40 });
  const { sub, created, updated, paid, paidToo } = story(user, plan);
  assert.equal((await send(created)).applied, true);
  assert.equal((await profile(user)).plan_id, undefined);
  await send(updated);
  assert.equal((await profile(user)).plan_id, plan);
  await send(paid);
  await send(paidToo);
  assert.equal(await credits(user), 40);
  const { items } = await ok(200, 'GET', '/subscriptions', { user });
  assert.equal(items.length, 1);
  assert.equal(items[0].status, 'active');
  assert.equal(items[0].stripe_sub_id, sub);
  const [found] = await query(`SUB#${sub}`, { index: 'byStripeSub', name: 'byStripeSub_pk' });
  assert.equal(found.pk, `USER#${user.id}`);
});

test('FF-O7: twenty deliveries of one event at once are one', async () => {
  const user = await newUser();
  const { paid } = story(user, await newPlan({ monthly_images: 10 }));
  const replies = await atOnce(20, () => stripe(paid));
  assert.deepEqual([...new Set(statuses(replies))], [200]);
  assert.equal(replies.filter(({ json }) => json.applied).length, 1);
  assert.equal(await credits(user), 10);
});

test('FF-O7: events in any order, each twice, lead to the same end', async () => {
  const plan = await newPlan({ monthly_images: 10 });
  const ends = new Set();
  for (const order of permutations(['created', 'updated', 'late', 'deleted', 'paid'])) {
    const user = await newUser();
    const events = story(user, plan);
    for (const name of order) await send(events[name]);
    await Promise.all(order.map((name) => send(events[name])));
    const { credits: left, plan_id } = await profile(user);
    const { items } = await ok(200, 'GET', '/subscriptions', { user });
    ends.add(JSON.stringify({ left, plan_id, status: items[0].status, n: items.length }));
  }
  assert.deepEqual([...ends], ['{"left":10,"status":"canceled","n":1}']);
});

test('FF-O7: an event of an unknown user waits until the user is known', async () => {
  const plan = await newPlan({ monthly_images: 7 });
  const user = await newUser();
  const nameless = story(user, plan, { known: false });
  assert.equal((await send(nameless.paid)).applied, false);
  const parked = await raw('PARKED#stripe', nameless.paid.id);
  assert.equal(parked.customer_id, nameless.customer);
  const named = structuredClone(nameless.updated);
  named.data.object.metadata = { userId: user.id };
  await send(named);
  assert.equal(await credits(user), 7);
  assert.equal(await raw('PARKED#stripe', nameless.paid.id), undefined);

  const ghost = story({ id: 'nobody' }, plan);
  assert.equal((await send(ghost.updated)).applied, false);
  assert.ok(await raw('PARKED#stripe', ghost.updated.id));
  assert.equal((await ok(200, 'POST', `/admin/parked-events/${ghost.updated.id}/replay`, { user: admin })).applied, false);
  await fails(404, 'ParkedEventNotFound', 'POST', '/admin/parked-events/evt_none/replay', { user: admin });
  await fails(403, 'Forbidden', 'GET', '/admin/parked-events?provider=stripe', { user });
});

test('FF-O7: kinds without an effect are noted, bodies that are none refused', async () => {
  const id = `evt_${randomUUID()}`;
  assert.deepEqual(await send({ id, type: 'customer.updated', created: 1, data: { object: { anything: [1, { a: null }] } }, more: 1 }), { received: true, applied: false });
  assert.ok(await raw(`EVENT#stripe#${id}`, 'META'));
  assert.equal((await stripe({ type: 'x' })).status, 400);
  assert.equal((await stripe({ id: 'a#b', type: 'x' })).status, 400);
  assert.equal((await stripe('no object')).json.error.code, 'MalformedJson');
});

test('FF-O7: a failed payment changes no credits and tells the user', async () => {
  const user = await newUser();
  const { failed, updated } = story(user, await newPlan());
  await send(updated);
  await send(failed);
  await send(failed);
  assert.equal(await credits(user), 0);
  assert.equal((await outbox('mail', ({ email }) => email === user.email)).length, 1);
});

test('FF-O4: deleting an account ends its subscription', async () => {
  const user = await newUser();
  const { sub, updated } = story(user, await newPlan());
  await send(updated);
  await ok(200, 'DELETE', '/users/me', { user });
  assert.equal((await raw(`USER#${user.id}`, `SUB#${sub}`)).status, 'canceled');
  assert.equal((await outbox('stripe-call', ({ path }) => path === `/v1/subscriptions/${sub}`)).length, 1);
});
