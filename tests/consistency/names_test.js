// T14: of many who sign up with one name at once, in whatever case they write it, one has it; also across kills.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { Cluster, NoAnswer, insist, kScale, Random, kSeed } from './cluster.js';
import { kSystemsEnv } from './identity.js';

const test = suite('unique names');
const kKills = Math.max(2, Math.round(2 * kScale));
const kRivals = 32;
const kPassword = 'correct horse battery';

// The same name with some of its letters large.
function variant(name, random) {
  return [...name].map((letter) => (random.below(2) ? letter.toUpperCase() : letter)).join('');
}

async function scan(client) {
  const items = [];
  let start;
  do {
    const page = await insist(() => client.call('Scan', { TableName: 'gallery', ConsistentRead: true, ...(start ? { ExclusiveStartKey: start } : {}) }));
    items.push(...page.Items);
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
}

test('T14: one sign-up wins each name, no reservation is left behind, with kills', async () => {
  // Under a clock for tests hashes of passwords are cheap.
  const cluster = await Cluster.start('unique-names', { http: true, args: ['--systems', 'gallery', '--test-clock'], env: kSystemsEnv });
  const random = new Random(kSeed);
  const clients = Array.from({ length: kRivals }, () => cluster.client());
  const names = Math.round(6 * kScale);
  const totals = { won: 0, taken: 0, open: 0 };
  const winners = new Map();
  cluster.planKills(names * kRivals, kKills);
  for (let n = 0; n < names; n += 1) {
    const name = `the_name_${n}`;
    const outcomes = await Promise.all(
      clients.map(async (client, at) => {
        const username = at === 0 ? name : variant(name, random);
        const body = { email: `rival-${n}-${at}@example.com`, username, password: kPassword };
        try {
          for (;;) {
            const { status, json } = await client.rest('POST', '/v1/gallery/auth/signup', { body });
            if (status === 201) return { what: 'won', id: json.user.userId };
            if (status === 409) return { what: json.error.code === 'UsernameTaken' ? 'taken' : json.error.code };
            // Told to come again, for too many met here.
            if (status !== 503) return { what: `${status} ${json?.error?.code}` };
          }
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
          return { what: 'open' };
        }
      }),
    );
    for (const { what } of outcomes) {
      assert.ok(what in totals, `${name}: ${what}`);
      totals[what] += 1;
    }
    const won = outcomes.filter(({ what }) => what === 'won');
    assert.ok(won.length <= 1, `${name}: ${won.length} have it`);
    if (!outcomes.some(({ what }) => what === 'open')) assert.equal(won.length, 1, `${name}: nobody has it`);
    if (won.length === 1) winners.set(name, won[0].id);
  }

  // Each name has one user, each user has the reservations of his name and address, and nothing else is reserved.
  const items = await scan(clients[0]);
  const users = new Map();
  const reserved = new Map();
  for (const item of items) {
    if (item.PK.S.startsWith('USER#') && item.SK.S === 'METADATA') users.set(item.userId.S, item);
    if (item.PK.S.startsWith('UNIQUE#')) reserved.set(item.PK.S, item.ownerId.S);
  }
  assert.ok(users.size >= winners.size && users.size <= names, `${users.size} users for ${names} names`);
  const held = new Map();
  for (const [id, user] of users) {
    const [name, email] = [user.username.S.toLowerCase(), user.email.S];
    assert.ok(!held.has(name), `${name}: two users`);
    held.set(name, id);
    assert.equal(reserved.get(`UNIQUE#USERNAME#${name}`), id, `${name}: no reservation`);
    assert.equal(reserved.get(`UNIQUE#EMAIL#${email}`), id, `${email}: no reservation`);
  }
  for (const [name, id] of winners) assert.equal(held.get(name), id, `${name}: whoever was told so has it`);
  for (const [key, owner] of reserved) assert.ok(users.has(owner), `${key} is reserved for nobody`);
  assert.equal(reserved.size, users.size * 2, [...reserved.keys()].join());
  cluster.report({ names, ...totals, users: users.size });
  assert.ok(cluster.kills >= kKills, 'the kills never came');
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });
