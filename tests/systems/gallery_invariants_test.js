// What holds of the whole table of the gallery after everything else.

import assert from 'node:assert/strict';
import { countersAreEdges, groupBy, guardsAreOwners, sum } from '../lib/invariants.js';
import { suite } from '../lib/runner.js';
import { fsckFindsNothing } from '../lib/system.js';
import { scan, server, task } from './gallery_fixture.js';

const test = suite('gallery invariants');
const ofType = (items, type) => items.filter(({ EntityType, SK }) => EntityType === type && (type !== 'Media' || SK === 'METADATA'));

// Chores of what tests have deleted may still run.
test('GA-R8 GA-R9 GA-R10 GA-R11: every counter is the number of its edges', async () => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await compareCounters();
    } catch (error) {
      if (tries === 10) throw error;
      await task('chores');
    }
  }
});

async function compareCounters() {
  const items = await scan();
  const targets = [['album', 'Album'], ['media', 'Media'], ['comment', 'Comment']];
  const interactions = ofType(items, 'UserInteraction');
  for (const [targetType, type] of targets) {
    const owners = ofType(items, type);
    for (const [counter, kind] of [['likeCount', 'like'], ['bookmarkCount', 'bookmark']]) {
      const edges = interactions.filter((one) => one.targetType === targetType && one.interactionType === kind);
      countersAreEdges(`${kind}s of ${type}`, owners.map((one) => [one.id, one[counter]]), edges.map(({ targetId }) => targetId));
    }
    if (type === 'Comment') continue;
    const comments = ofType(items, 'Comment').filter((one) => one.targetType === targetType);
    countersAreEdges(`comments of ${type}`, owners.map((one) => [one.id, one.commentCount]), comments.map(({ targetId }) => targetId));
  }
  countersAreEdges('media of albums', ofType(items, 'Album').map(({ id, mediaCount }) => [id, mediaCount]), ofType(items, 'AlbumMedia').map(({ albumId }) => albumId));
  const users = ofType(items, 'User');
  const follows = ofType(items, 'Follow');
  countersAreEdges('followers', users.map(({ userId, followerCount }) => [userId, followerCount]), follows.map(({ followedId }) => followedId));
  countersAreEdges('following', users.map(({ userId, followingCount }) => [userId, followingCount]), follows.map(({ followerId }) => followerId));
}

test('GA-R32: balances are what was earned, spent and withdrawn, and what the ledger says', async () => {
  const items = await scan();
  const ledger = groupBy(ofType(items, 'CoinTransaction'), ({ userId }) => userId);
  for (const user of ofType(items, 'User')) {
    const rows = ledger.get(user.userId) ?? [];
    const kinds = (kind) => sum(rows.filter((row) => row.kind === kind).map(({ amount }) => ({ amount: Math.abs(amount) })), 'amount');
    const close = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-6, `${user.userId} ${what}: ${a}, ledger ${b}`);
    assert.ok(user.pscBalance >= 0, user.userId);
    if (rows.length === 0) continue;
    close(user.pscBalance, kinds('earn') - kinds('spend') - kinds('withdraw'), 'balance');
    close(user.pscTotalSpent, kinds('spend'), 'spent');
    close(user.pscTotalWithdrawn, kinds('withdraw'), 'withdrawn');
  }
});

test('GA-R4 GA-R5: a name, an address and a Google account belong to whom its guard says', async () => {
  const items = await scan();
  const users = ofType(items, 'User');
  for (const [scope, attribute] of [['EMAIL', 'email'], ['USERNAME', 'username'], ['GOOGLE', 'googleId']]) {
    const prefix = `UNIQUE#${scope}#`;
    guardsAreOwners(
      scope,
      items.filter(({ PK }) => PK.startsWith(prefix)).map(({ PK, ownerId }) => [PK.slice(prefix.length), ownerId]),
      users.filter((user) => user[attribute]).map((user) => [user[attribute], user.userId]),
    );
  }
});

test('X-R10: every derived key follows from its sources, and fsck finds nothing else', () => fsckFindsNothing(server, 'gallery'));
