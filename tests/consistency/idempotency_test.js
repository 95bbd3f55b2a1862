// T15: the last credit is spent once, and a request that is sent again happens once: at the same time, and after a kill.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from '../lib/runner.js';
import { Cluster, NoAnswer, Refused, insist, kScale } from './cluster.js';
import { kSystemsEnv, token } from './identity.js';

const test = suite('idempotency');
const kTable = 'credits';
const kKills = Math.max(2, Math.round(2 * kScale));
const kCopies = 8;
// In which rounds the server is killed, and how many milliseconds after the requests were sent.
const killRounds = (rounds) => new Map(Array.from({ length: kKills }, (_, n) => [Math.floor(((n + 1) * rounds) / (kKills + 1)), 1 + (n % 3)]));
const times = (count, make) => Promise.all(Array.from({ length: count }, (_, at) => make(at)));

async function open(cluster) {
  await cluster.client().call('CreateTable', {
    TableName: kTable,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  });
  return Array.from({ length: 32 }, () => cluster.client());
}
const put = (client, pk, n) => insist(() => client.call('PutItem', { TableName: kTable, Item: { pk: { S: pk }, n: { N: String(n) } } }));
const left = async (client, pk) => {
  const { Item } = await insist(() => client.call('GetItem', { TableName: kTable, Key: { pk: { S: pk } }, ConsistentRead: true }));
  return Number(Item.n.N);
};
const spend = (pk) => ({
  TableName: kTable,
  Key: { pk: { S: pk } },
  UpdateExpression: 'SET n = n - :one',
  ConditionExpression: 'n >= :one',
  ExpressionAttributeValues: { ':one': { N: '1' } },
});

test('T15: 32 clients spend the last credit: one has it', async () => {
  const cluster = await Cluster.start('double-spend');
  const clients = await open(cluster);
  const rounds = Math.round(60 * kScale);
  let unanswered = 0;
  const kill = killRounds(rounds);
  for (let round = 0; round < rounds; round += 1) {
    const pk = `last-${round}`;
    await put(clients[0], pk, 1);
    if (kill.has(round)) setTimeout(() => cluster.crash(), kill.get(round));
    const outcomes = await times(32, async (at) => {
      const client = clients[at];
      try {
        if (at % 2) await client.call('UpdateItem', spend(pk));
        else await client.call('TransactWriteItems', { TransactItems: [{ Update: spend(pk) }] });
        return 'spent';
      } catch (error) {
        if (error instanceof NoAnswer) return 'open';
        assert.ok(['ConditionalCheckFailedException', 'TransactionCanceledException'].includes(error.type), error.message);
        return 'refused';
      }
    });
    const count = (what) => outcomes.filter((each) => each === what).length;
    unanswered += count('open');
    const rest = await left(clients[0], pk);
    assert.ok(count('spent') <= 1, `round ${round}: spent ${count('spent')} times`);
    assert.ok(rest === 0 || rest === 1, `round ${round}: ${rest} left`);
    if (count('spent') === 1) assert.equal(rest, 0, `round ${round}: spent, and still there`);
    // Whoever was refused saw that another had it.
    if (count('refused') > 0) assert.equal(rest, 0, `round ${round}: refused, and still there`);
    if (count('open') === 0) assert.equal(count('spent'), 1, `round ${round}: nobody had it`);
  }
  cluster.report({ rounds, unanswered });
  assert.ok(cluster.kills >= kKills, 'the kills never came');
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });

test(`T15: one ClientRequestToken, ${kCopies} times at once and again after a kill: one debit`, async () => {
  const cluster = await Cluster.start('tokens');
  const clients = await open(cluster);
  const rounds = Math.round(20 * kScale);
  const requests = [];
  await put(clients[0], 'purse', 1_000_000);
  const request = (round) => ({
    ClientRequestToken: randomUUID(),
    TransactItems: [{ Update: spend('purse') }, { Put: { TableName: kTable, Item: { pk: { S: `receipt-${round}` }, n: { N: '1' } } } }],
  });
  const kill = killRounds(rounds);
  for (let round = 0; round < rounds; round += 1) {
    const one = request(round);
    requests.push(one);
    const copies = times(kCopies, (at) => clients[at].call('TransactWriteItems', one).then(() => 'done', (error) => error));
    if (kill.has(round)) setTimeout(() => cluster.crash(), kill.get(round));
    const outcomes = await copies;
    const wrong = outcomes.filter((each) => each !== 'done' && !(each instanceof NoAnswer) && each.type !== 'TransactionInProgressException');
    assert.deepEqual(wrong.map(String), [], `round ${round}`);
    await insist(() => clients[0].call('TransactWriteItems', one));
    assert.equal(await left(clients[0], 'purse'), 1_000_000 - requests.length, `round ${round}: one debit`);
  }
  // All of them once more, on a server that was not there when they were made.
  await cluster.crash();
  for (const one of requests) await insist(() => clients[0].call('TransactWriteItems', one));
  assert.equal(await left(clients[0], 'purse'), 1_000_000 - rounds);
  for (const one of requests.slice(0, 5)) {
    const other = { ...request('other'), ClientRequestToken: one.ClientRequestToken };
    const answer = await clients[0].call('TransactWriteItems', other).then(() => 'done', (error) => (error instanceof Refused ? error.type : String(error)));
    assert.equal(answer, 'IdempotentParameterMismatchException');
  }
  assert.equal(await left(clients[0], 'purse'), 1_000_000 - rounds);
  cluster.report({ rounds, requests: rounds * (kCopies + 2) });
  assert.ok(cluster.kills > kKills, 'the kills never came');
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });

test(`T15: one Idempotency-Key on the systems API, ${kCopies} times at once and again after a kill: one debit`, async () => {
  const cluster = await Cluster.start('idempotency-keys', { http: true, args: ['--systems', 'membership'], env: kSystemsEnv });
  const clients = Array.from({ length: kCopies }, () => cluster.client());
  const [admin, service] = [token('the-admin', ['admin']), token('the-service', ['service'])];
  const rounds = Math.round(12 * kScale);
  // 503 says that it may be tried again with the same key, as no answer does.
  const rest = (client, path, options) =>
    insist(async () => {
      const reply = await client.rest('POST', `/v1/membership${path}`, options);
      if (reply.status >= 500) throw new NoAnswer(`${reply.status}`);
      return reply;
    });
  const granted = await rest(clients[0], '/admin/credits/grant', { token: admin, key: 'grant', body: { userId: 'spender', amount: 1000, reason: 'test' } });
  assert.equal(granted.status, 200, JSON.stringify(granted.json));
  const balance = async () => {
    const { json } = await insist(() => clients[0].rest('GET', '/v1/membership/credits', { token: token('spender', ['user']) }));
    return json.balance;
  };
  const spent = [];
  const kill = killRounds(rounds);
  for (let round = 0; round < rounds; round += 1) {
    const options = { token: service, key: `spend-${round}`, body: { userId: 'spender', amount: 3, reason: `round ${round}` } };
    const copies = times(kCopies, (at) => rest(clients[at], '/credits/consume', options));
    if (kill.has(round)) setTimeout(() => cluster.crash(), kill.get(round));
    const replies = await copies;
    for (const { status, json } of replies) {
      assert.equal(status, 200, JSON.stringify(json));
      assert.deepEqual(json, replies[0].json, 'the same answer for everybody');
    }
    spent.push({ options, answer: replies[0].json });
    assert.equal(await balance(), 1000 - 3 * spent.length, `round ${round}: one debit`);
  }
  await cluster.crash();
  for (const { options, answer } of spent) {
    const again = await rest(clients[0], '/credits/consume', options);
    assert.deepEqual(again.json, answer);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    const other = await rest(clients[0], '/credits/consume', { ...options, body: { ...options.body, amount: 4 } });
    assert.deepEqual([other.status, other.json.error?.code], [422, 'IdempotencyKeyReused']);
  }
  assert.equal(await balance(), 1000 - 3 * rounds);
  cluster.report({ rounds, requests: rounds * (kCopies + 2) });
  assert.ok(cluster.kills > kKills, 'the kills never came');
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });
