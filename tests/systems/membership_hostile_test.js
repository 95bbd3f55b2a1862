// Every route of membership, badly asked and by people it is not for.

import { keepsPrivate, refusesBadRequests } from '../lib/hostile.js';
import { suite } from '../lib/runner.js';
import { caller, requests } from '../lib/system.js';
import { at, deliver, event, grant, invoiceObject, newUser, scan, server, subscriptionObject } from './membership_fixture.js';

const test = suite('membership hostile');
const { call } = requests(server);
const system = {
  call,
  document: '/openapi.json?system=membership',
  scan,
  keys: ['PK', 'SK'],
  ignore: ({ PK }) => /^(OUTBOX|IDEMP|LOGIN|RATE|SCHEDULE)/.test(PK),
};

test('X-R1 X-R5 X-R14: malformed, oversized and forged requests to every route', async () => {
  await refusesBadRequests(system, caller('everybody', 'user', 'moderator', 'admin', 'service'));
}, { seconds: 300 });

test('ME-R20: what a member has and pays, by every list and id', async () => {
  const secret = 'kept-for-myself';
  const owner = newUser();
  const from = '2025-03-01T00:00:00Z';
  await at(from);
  const subscription = subscriptionObject(owner, { customer: `cus_${secret}`, from, to: '2025-04-01T00:00:00Z' });
  await deliver(event('customer.subscription.created', from, subscription));
  await deliver(event('invoice.payment_succeeded', from, invoiceObject(owner, subscription, { reason: 'subscription_create' })));
  await grant(owner, 5, { reason: secret });
  await keepsPrivate(system, {
    owner,
    others: [undefined, newUser(), caller('a-moderator', 'moderator')],
    secret,
    values: { userId: [owner.sub], id: [owner.sub, subscription.id], subscriptionId: [subscription.id], stripeCustomerId: [`cus_${secret}`] },
    atLeast: 2,
  });
}, { seconds: 300 });
