// Every route of gallery, badly asked and by people it is not for.

import { keepsPrivate, refusesBadRequests } from '../lib/hostile.js';
import { suite } from '../lib/runner.js';
import { caller, requests } from '../lib/system.js';
import { addToAlbum, newAlbum, newKey, newMedia, newUser, ok, scan, server } from './gallery_fixture.js';

const test = suite('gallery hostile');
const { call } = requests(server);
const system = {
  call,
  document: '/openapi.json?system=gallery',
  scan,
  keys: ['PK', 'SK'],
  ignore: ({ PK }) => /^(OUTBOX|IDEMP|LOGIN|RATE|SCHEDULE)/.test(PK),
};

test('X-R1 X-R5 X-R14: malformed, oversized and forged requests to every route', async () => {
  await refusesBadRequests(system, caller('everybody', 'user', 'moderator', 'admin', 'service'), {
    // Says of each id whether it was liked, and knows no id that cannot be.
    allow: ({ path }, { what }, { status }) => path.endsWith('/interactions') && what.startsWith('?ids=') && status === 200,
  });
}, { seconds: 300 });

test('GA-O24 GA-R1: private albums, media, comments, likes and settings, by every list and id', async () => {
  const secret = 'kept-for-myself';
  const owner = await newUser({ i2vCreditsSecondsPurchased: 60 });
  const album = await newAlbum(owner, { title: secret, tags: [secret], isPublic: false });
  const media = await newMedia(owner, { isPublic: false, originalFilename: secret });
  await addToAlbum(owner, album, media);
  const comment = await ok(201, 'POST', `/albums/${album.id}/comments`, { user: owner, body: { content: secret } });
  await ok(200, 'PUT', '/settings/generation', { user: owner, body: { negativePrompt: secret } });
  const job = await ok(201, 'POST', '/i2v/jobs', { user: owner, key: newKey(), body: { mediaId: media.id, videoLength: 5, prompt: secret } });
  const ids = [album.id, media.id, comment.id];
  await keepsPrivate(system, {
    owner,
    others: [undefined, await newUser()],
    secret,
    values: {
      id: ids, targetId: ids, albumId: [album.id], mediaId: [media.id], jobId: [job.jobId], normalizedTag: [secret], tag: [secret], prefix: [secret],
      userId: [owner.id], createdBy: [owner.id], username: [owner.id.replaceAll('-', '_')], followedId: [owner.id], followerId: [owner.id],
      isPublic: ['true', 'false'], interactionType: ['like', 'bookmark'], targetType: ['album', 'media'],
    },
    atLeast: 15,
  });
}, { seconds: 300 });
