// Every route of figureforge, badly asked and by people it is not for.

import { keepsPrivate, refusesBadRequests } from '../lib/hostile.js';
import { suite } from '../lib/runner.js';
import { caller, requests } from '../lib/system.js';
import { admin, finish, newUser, ok, scan, server, submit } from './figureforge_fixture.js';

const test = suite('figureforge hostile');
const { call } = requests(server);
const system = {
  call,
  document: '/openapi.json?system=figureforge',
  scan,
  keys: ['pk', 'sk'],
  ignore: ({ pk }) => /^(OUTBOX|IDEMP|LOGIN|RATE|SCHEDULE)/.test(pk),
};

test('X-R1 X-R5 X-R14: malformed, oversized and forged requests to every route', async () => {
  await refusesBadRequests(system, caller('everybody', 'user', 'moderator', 'admin', 'service'));
}, { seconds: 300 });

test('FF-R6: images, jobs and galleries of somebody, by every list and id', async () => {
  const secret = 'kept-for-myself';
  const owner = await newUser({ credits: 5 });
  const job = await finish(owner, await submit(owner, { prompt: secret, tags: [`theme:${secret}`] }));
  const gallery = await ok(201, 'POST', '/galleries', { user: owner, body: { title: secret } });
  const ids = { image_id: job.image_ids, job_id: [job.job_id], gallery_id: [gallery.gallery_id], user_id: [owner.id] };
  await ok(200, 'PUT', `/galleries/${gallery.gallery_id}/images/${job.image_ids[0]}`, { user: owner });
  await keepsPrivate(system, {
    owner,
    others: [undefined, await newUser(), caller('a-service', 'service')],
    secret,
    values: { ...ids, id: Object.values(ids).flat(), tag: [`theme:${secret}`], tags: [`theme:${secret}`], prefix: [secret] },
    atLeast: 4,
  });
}, { seconds: 300 });
