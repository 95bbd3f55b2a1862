// Every route of stories, badly asked and by people it is not for.

import { keepsPrivate, refusesBadRequests } from '../lib/hostile.js';
import { suite } from '../lib/runner.js';
import { caller, requests } from '../lib/system.js';
import { createStory, newUser, ok, scan, server } from './fixture.js';

const test = suite('stories hostile');
const { call } = requests(server);
const system = {
  call,
  document: '/openapi.json?system=stories',
  scan,
  keys: ['PK', 'SK'],
  ignore: ({ PK }) => /^(OUTBOX|IDEMP|LOGIN|RATE|SCHEDULE)/.test(PK),
};

test('X-R1 X-R5 X-R14: malformed, oversized and forged requests to every route', async () => {
  await refusesBadRequests(system, caller('everybody', 'user', 'moderator', 'admin', 'service'));
}, { seconds: 300 });

test('ST-R11: nobody else sees or changes a story, by any list or id', async () => {
  const secret = 'kept-for-myself';
  const owner = newUser();
  const story = await createStory(owner, secret);
  const { json: node } = await ok(201, 'POST', `/v1/stories/${story.id}/nodes`, { user: owner, body: { prompt: secret } });
  const dropped = await createStory(owner, `${secret}, dropped`);
  await ok(200, 'DELETE', `/v1/stories/${dropped.id}`, { user: owner });
  const ids = [story.id, node.id, dropped.id];
  await keepsPrivate(system, {
    owner,
    others: [undefined, newUser(), caller('a-moderator', 'moderator'), caller('a-service', 'service')],
    secret,
    values: { id: ids, storyId: ids, nodeId: ids, userId: [owner.sub], token: ids },
    atLeast: 5,
  });
}, { seconds: 300 });
