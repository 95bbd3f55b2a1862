// Every route of moderation, badly asked and by people it is not for.

import { keepsPrivate, refusesBadRequests } from '../lib/hostile.js';
import { suite } from '../lib/runner.js';
import { caller, requests } from '../lib/system.js';
import { get, newUser, report, scan, server, submit } from './moderation_fixture.js';

const test = suite('moderation hostile');
const { call } = requests(server);
const system = {
  call,
  document: '/openapi.json?system=moderation',
  scan,
  keys: ['pk', 'sk'],
  ignore: ({ pk }) => /^(OUTBOX|IDEMP|LOGIN|RATE|SCHEDULE)/.test(pk),
};

test('X-R1 X-R5 X-R14: malformed, oversized and forged requests to every route', async () => {
  await refusesBadRequests(system, caller('everybody', 'user', 'moderator', 'admin', 'service'));
}, { seconds: 300 });

test('MO-R11: what somebody submitted or reported, by every list and id', async () => {
  const secret = 'kept-for-myself';
  const owner = newUser();
  const item = await submit(owner, { contentId: secret });
  await keepsPrivate(system, {
    owner,
    others: [undefined, newUser()],
    secret,
    values: { moderationId: [item.moderationId], id: [item.moderationId], userId: [owner.sub], user: [owner.sub], contentId: [secret], reporterId: [owner.sub] },
    atLeast: 1,
  });
  // Who reported is not for the author.
  const reporter = newUser();
  const complaint = await report(reporter, owner.sub, secret, 'told-in-confidence');
  await keepsPrivate(system, {
    owner: reporter,
    others: [undefined, owner, newUser()],
    secret: 'told-in-confidence',
    values: { moderationId: [complaint.moderationId], id: [complaint.moderationId], userId: [owner.sub], user: [owner.sub], contentId: [secret], reporterId: [reporter.sub] },
    atLeast: 1,
  });
  await get(complaint.moderationId);
}, { seconds: 300 });
