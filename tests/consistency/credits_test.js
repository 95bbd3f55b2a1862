// T13 and T15 on the systems API: credits of members are granted, spent, held, settled and given back by many at once, with the
// server killed under them. Each request is sent until it has an answer, with one Idempotency-Key: it happens once, no balance
// goes below zero, and in the end every balance is what the answers add up to.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { fsckFindsNothing } from '../lib/system.js';
import { Cluster, NoAnswer, insist, kScale, runClients } from './cluster.js';
import { kSystemsEnv, token } from './identity.js';

const test = suite('credits');
const kKills = Math.max(2, Math.round(2 * kScale));
const kMembers = Array.from({ length: 5 }, (_, n) => `member-${n}`);
const kOptions = { http: true, args: ['--systems', 'membership'], env: kSystemsEnv };
const admin = token('the-admin', ['admin']);
const service = token('the-service', ['service']);

// Resolves to the answer; 5xx and silence are asked again.
const post = (client, path, options) =>
  insist(async () => {
    const reply = await client.rest('POST', `/v1/membership${path}`, options);
    if (reply.status >= 500) throw new NoAnswer(`${reply.status}`);
    return reply;
  });
const balanceOf = async (client, member) => {
  const reply = await insist(async () => {
    const answer = await client.rest('GET', '/v1/membership/credits', { token: token(member, ['user']) });
    if (answer.status >= 500) throw new NoAnswer(`${answer.status}`);
    return answer;
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.json));
  return reply.json.balance;
};
const refused = ({ status, json }) => {
  assert.deepEqual([status, json?.error?.code], [402, 'InsufficientCredits'], JSON.stringify(json));
  return 0;
};

test('T13: credits on the systems API: every balance is what the answers add up to, with kills', async () => {
  const cluster = await Cluster.start('credits', kOptions);
  const each = Math.round(24 * kScale);
  const clients = 8;
  cluster.planKills(each * clients, kKills);
  const sums = Object.fromEntries(kMembers.map((member) => [member, 0]));
  const counts = { granted: 0, spent: 0, refused: 0, held: 0, settled: 0, released: 0 };
  const add = (member, amount) => {
    sums[member] += amount;
  };
  await runClients(cluster, clients, async (client, random, number) => {
    const held = [];
    for (let step = 0; step < each; step += 1) {
      const member = random.pick(kMembers);
      const amount = 1 + random.below(9);
      const key = `${number}-${step}`;
      const what = random.next();
      if (what < 0.35) {
        const { status, json } = await post(client, '/admin/credits/grant', { token: admin, key, body: { userId: member, amount: amount + 2, reason: 'a test' } });
        assert.equal(status, 200, JSON.stringify(json));
        add(member, amount + 2);
        counts.granted += 1;
      } else if (what < 0.65) {
        const reply = await post(client, '/credits/consume', { token: service, key, body: { userId: member, amount, reason: 'a test' } });
        if (reply.status === 200) {
          assert.ok(reply.json.balance >= 0, JSON.stringify(reply.json));
          add(member, -amount);
          counts.spent += 1;
        } else {
          counts.refused += 1 + refused(reply);
        }
      } else if (what < 0.85 || held.length === 0) {
        const reply = await post(client, '/credits/reservations', { token: service, key, body: { userId: member, amount, reason: 'a test', holdSeconds: 600 } });
        if (reply.status === 201) {
          add(member, -amount);
          held.push({ member, amount, id: reply.json.reservationId });
          counts.held += 1;
        } else {
          counts.refused += 1 + refused(reply);
        }
      } else {
        const { member: owner, amount: back, id } = held.splice(random.below(held.length), 1)[0];
        const verb = random.below(2) ? 'settle' : 'release';
        const { status, json } = await post(client, `/credits/reservations/${id}/${verb}`, { token: service, body: { userId: owner } });
        // A second try, when the first had come through without an answer, finds it closed.
        assert.ok(status === 200 || json?.error?.code === 'ReservationClosed', JSON.stringify(json));
        if (verb === 'release') add(owner, back);
        counts[`${verb}d`] += 1;
      }
    }
  });
  const client = cluster.client();
  for (const member of kMembers) {
    const balance = await balanceOf(client, member);
    assert.ok(balance >= 0);
    assert.equal(balance, sums[member], member);
  }
  await fsckFindsNothing(await cluster.up, 'membership');
  client.close();
  cluster.report({ transfers: each * clients, ...counts });
  assert.ok(cluster.kills >= kKills, 'the kills never came');
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 0, `${what} never happened`);
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });

test('T15: the last credit on the systems API, asked for by many under a kill: one has it', async () => {
  const cluster = await Cluster.start('last-credit', kOptions);
  const rounds = Math.round(6 * kScale);
  const clients = Array.from({ length: 16 }, () => cluster.client());
  for (let round = 0; round < rounds; round += 1) {
    const member = `last-${round}`;
    const granted = await post(clients[0], '/admin/credits/grant', { token: admin, key: `grant-${round}`, body: { userId: member, amount: 1, reason: 'the last' } });
    assert.equal(granted.status, 200, JSON.stringify(granted.json));
    if (round % 3 === 1) setTimeout(() => cluster.crash(), 1 + (round % 4));
    const replies = await Promise.all(
      clients.map((client, at) => post(client, '/credits/consume', { token: service, key: `spend-${round}-${at}`, body: { userId: member, amount: 1, reason: 'x' } })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1, `round ${round}: ${replies.map(({ status }) => status)}`);
    replies.filter(({ status }) => status !== 200).forEach(refused);
    assert.equal(await balanceOf(clients[0], member), 0);
  }
  cluster.report({ rounds });
  assert.ok(cluster.kills > 0, 'the kills never came');
  for (const client of clients) client.close();
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });
