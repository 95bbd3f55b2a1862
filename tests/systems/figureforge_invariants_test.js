// What holds of the whole table after everything above.

import assert from 'node:assert/strict';
import { fsckFindsNothing } from '../lib/system.js';
import { scan, server, suite } from './figureforge_fixture.js';

const test = suite('invariants');
const sorted = (set) => [...set].sort();

test('FF-R4: tag rows are the tags of live images; FF-R14, FF-O19: counters and lists are their edges', async () => {
  const items = await scan();
  const images = items.filter(({ pk, sk }) => pk.startsWith('IMG#') && sk === 'META');
  const rows = new Set(items.filter(({ pk }) => pk.startsWith('TAG#')).map(({ pk, sk }) => `${pk} ${sk}`));
  const wanted = new Set(images.filter((image) => image.deleted_at === null).flatMap(({ pk, tags }) => tags.map((tag) => `TAG#${tag} ${pk}`)));
  assert.deepEqual(sorted(rows), sorted(wanted));

  const fans = new Map();
  for (const { sk } of items.filter((item) => item.pk.startsWith('USER#') && item.sk.startsWith('FAV#'))) {
    fans.set(sk.slice(4), (fans.get(sk.slice(4)) ?? 0) + 1);
  }
  const edges = new Set(items.filter(({ pk }) => pk.startsWith('GALLERY#')).map(({ pk, sk }) => `${pk.slice(8)} ${sk.slice(4)}`));
  const listed = new Set();
  for (const { pk, favorited_count, private_gallery_ids } of images) {
    const id = pk.slice(4);
    assert.equal(favorited_count, fans.get(id) ?? 0, id);
    for (const gallery of private_gallery_ids) listed.add(`${gallery} ${id}`);
  }
  assert.deepEqual(sorted(edges), sorted(listed));
});

test('FF-R11, FF-R13: guards are their owners, money is never negative', async () => {
  const items = await scan();
  const users = items.filter(({ pk, sk }) => pk.startsWith('USER#') && sk === 'PROFILE');
  const guards = new Map(items.filter(({ pk }) => pk.startsWith('UNIQUE#EMAIL#')).map(({ pk, ownerId }) => [pk.slice(13), ownerId]));
  assert.equal(guards.size, users.length);
  for (const { email, user_id, credits, active_jobs, pk } of users) {
    assert.equal(guards.get(email), user_id);
    assert.ok(credits >= 0);
    const running = items.filter((item) => item.pk === pk && item.sk.startsWith('JOB#') && ['queued', 'running'].includes(item.status));
    assert.equal(active_jobs, running.length, user_id);
  }
});

test('fsck finds nothing', () => fsckFindsNothing(server, 'figureforge'));
