// T13: money moves between accounts and never appears or disappears, in any reader's eyes, also across kills.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from '../lib/runner.js';
import { Cluster, NoAnswer, Refused, insist, kScale, runClients } from './cluster.js';

const test = suite('bank');
const kTable = 'bank';
const kAccounts = 100;
const kStart = 100;
const kWriters = 10;
const kReaders = 4;
const kKills = Math.max(3, Math.round(3 * kScale));

const address = (account) => ({ pk: { S: `account-${account}` } });
const moneyOf = (item) => Number(item.money.N);
const sum = (list) => list.reduce((total, each) => total + each, 0);

const transfer = (from, to, amount) => ({
  ClientRequestToken: randomUUID(),
  TransactItems: [
    {
      Update: {
        TableName: kTable,
        Key: address(from),
        UpdateExpression: 'SET money = money - :a',
        ConditionExpression: 'money >= :a',
        ExpressionAttributeValues: { ':a': { N: String(amount) } },
      },
    },
    {
      Update: {
        TableName: kTable,
        Key: address(to),
        UpdateExpression: 'SET money = money + :a',
        ExpressionAttributeValues: { ':a': { N: String(amount) } },
      },
    },
  ],
});

async function readAll(client) {
  const { Responses } = await client.call('TransactGetItems', {
    TransactItems: Array.from({ length: kAccounts }, (_, n) => ({ Get: { TableName: kTable, Key: address(n) } })),
  });
  return Responses.map(({ Item }) => moneyOf(Item));
}

async function open(client) {
  await client.call('CreateTable', {
    TableName: kTable,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  });
  for (let first = 0; first < kAccounts; first += 25)
    await client.call('BatchWriteItem', {
      RequestItems: {
        [kTable]: Array.from({ length: 25 }, (_, n) => ({ PutRequest: { Item: { ...address(first + n), money: { N: String(kStart) } } } })),
      },
    });
}

test('T13: the sum is exact in every reading, no account is below zero, every transfer counts once, with kills', async () => {
  const cluster = await Cluster.start('bank');
  await open(cluster.client());
  const total = Math.round(2500 * kScale);
  const expected = Array(kAccounts).fill(kStart);
  let begun = 0;
  let moved = 0;
  let refused = 0;
  let repeated = 0;
  let readings = 0;
  let writing = kWriters;
  cluster.planKills(total, kKills);

  await runClients(cluster, kWriters + kReaders, async (client, random, number) => {
    if (number >= kWriters) {
      while (writing > 0) {
        try {
          const money = await readAll(client);
          readings += 1;
          assert.equal(sum(money), kAccounts * kStart, `reading ${readings}: ${money}`);
          assert.ok(Math.min(...money) >= 0, `reading ${readings}: ${money}`);
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
        }
      }
      return;
    }
    try {
      while (begun < total) {
        begun += 1;
        const from = random.below(kAccounts);
        const to = (from + 1 + random.below(kAccounts - 1)) % kAccounts;
        const amount = 1 + random.below(60);
        const request = transfer(from, to, amount);
        let tries = 0;
        try {
          // Without an answer the same token is sent again: the money moves once.
          await insist(() => {
            tries += 1;
            return client.call('TransactWriteItems', request);
          });
          moved += 1;
          expected[from] -= amount;
          expected[to] += amount;
        } catch (error) {
          if (!(error instanceof Refused) || error.type !== 'TransactionCanceledException') throw error;
          refused += 1;
        }
        if (tries > 1) repeated += 1;
      }
    } finally {
      writing -= 1;
    }
  });

  const client = cluster.client();
  const money = await insist(() => readAll(client));
  assert.deepEqual(money, expected, 'each account holds what its transfers say');
  const { Items } = await client.call('Scan', { TableName: kTable, ConsistentRead: true });
  assert.equal(sum(Items.map(moneyOf)), kAccounts * kStart);
  cluster.report({ transfers: moved, refused, repeated, readings });
  assert.ok(cluster.kills >= kKills, 'the kills never came');
  assert.ok(readings > 0 && refused > 0, 'nothing was read, or no account was ever short');
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });
