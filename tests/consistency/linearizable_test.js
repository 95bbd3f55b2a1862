// T12: each item behaves as if there were one copy and one operation at a time, also across kills.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { Cluster, NoAnswer, Refused, insist, kScale, runClients } from './cluster.js';
import { isLinearizable } from './linearizable.js';

const checker = suite('linearizability checker');
const workload = suite('linearizability');

// --- the checker on histories made by hand

const at = (begin, end, kind, more) => ({ begin, end, kind, ...more });
const good = {
  'nothing happened': [],
  'a read of nothing': [at(1, 2, 'read', { seen: null })],
  'write, then read': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'read', { seen: 1 })],
  'a read beside a write sees either': [at(1, 9, 'put', { value: 1 }), at(2, 3, 'read', { seen: null }), at(4, 5, 'read', { seen: 1 })],
  'one of two creates': [at(1, 9, 'create', { value: 1, done: false }), at(2, 8, 'create', { value: 2, done: true }), at(10, 11, 'read', { seen: 2 })],
  'an open write that happened late': [at(1, Infinity, 'put', { value: 1 }), at(2, 3, 'read', { seen: null }), at(8, 9, 'read', { seen: 1 })],
  'an open write that never happened': [at(1, Infinity, 'put', { value: 1 }), at(2, 3, 'read', { seen: null }), at(8, 9, 'read', { seen: null })],
  'a swap after its expected write': [at(1, 5, 'put', { value: 1 }), at(2, 6, 'swap', { expected: 1, value: 2, done: true }), at(7, 8, 'read', { seen: 2 })],
  'a delete that says what it took': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'delete', { old: 1 }), at(5, 6, 'read', { seen: null })],
};
const bad = {
  'a read of what nobody wrote': [at(1, 2, 'read', { seen: 1 })],
  'a stale read': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'put', { value: 2 }), at(5, 6, 'read', { seen: 1 })],
  'a lost write': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'read', { seen: null })],
  'two creates that both won': [at(1, 9, 'create', { value: 1, done: true }), at(2, 8, 'create', { value: 2, done: true })],
  'no create won': [at(1, 9, 'create', { value: 1, done: false }), at(2, 8, 'create', { value: 2, done: false })],
  'two swaps of one value': [at(1, 2, 'put', { value: 1 }), at(3, 9, 'swap', { expected: 1, value: 2, done: true }), at(4, 8, 'swap', { expected: 1, value: 3, done: true })],
  'a swap refused for no reason': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'swap', { expected: 1, value: 2, done: false })],
  'new, then old': [at(1, 9, 'put', { value: 1 }), at(2, 3, 'read', { seen: 1 }), at(4, 5, 'read', { seen: null })],
  'two readers disagree on the order': [
    at(1, 20, 'put', { value: 1 }), at(2, 21, 'put', { value: 2 }),
    at(3, 4, 'read', { seen: 1 }), at(5, 6, 'read', { seen: 2 }), at(7, 8, 'read', { seen: 1 }),
  ],
  'a put that names a wrong old value': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'put', { value: 2, old: null })],
  'deleted, and back': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'delete', {}), at(5, 6, 'read', { seen: 1 })],
  'an open write seen before it began': [at(1, 2, 'read', { seen: 1 }), at(3, Infinity, 'put', { value: 1 })],
  'an open write that came and went': [at(1, Infinity, 'put', { value: 1 }), at(2, 3, 'read', { seen: 1 }), at(4, 5, 'read', { seen: null })],
  'a removal of what was not there': [at(1, 2, 'put', { value: 1 }), at(3, 4, 'remove', { expected: 7, done: true })],
};
for (const [label, history] of Object.entries(good))
  checker(`takes: ${label}`, async () => assert.equal(isLinearizable(history), true));
for (const [label, history] of Object.entries(bad))
  checker(`finds: ${label}`, async () => assert.equal(isLinearizable(history), false));

checker('sees one wrong answer in a long history of many clients', async () => {
  const history = [];
  for (let n = 0; n < 200; n += 1) history.push(at(n * 10, n * 10 + 25, 'put', { value: n }), at(n * 10 + 3, n * 10 + 26, 'read', { seen: n }));
  assert.equal(isLinearizable(history), true);
  history[201].seen = 7;
  assert.equal(isLinearizable(history), false);
});

// --- the server

const kTable = 'register';
const kClients = 10;
const kHot = 5; // items that are worked on at once
const kPerItem = 50;
const kKills = Math.max(3, Math.round(3 * kScale));

const key = (pk) => ({ pk: { S: pk } });
const valueOf = (item) => (item ? Number(item.v.N) : null);
const reads = {
  GetItem: async (client, pk) => valueOf((await client.call('GetItem', { TableName: kTable, Key: key(pk), ConsistentRead: true })).Item),
  Query: async (client, pk) => {
    const request = { TableName: kTable, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: pk } }, ConsistentRead: true };
    return valueOf((await client.call('Query', request)).Items[0]);
  },
  // An index is never behind its table, so that it answers like the table.
  index: async (client, pk) => {
    const request = { TableName: kTable, IndexName: 'byOwner', KeyConditionExpression: 'o = :p', ExpressionAttributeValues: { ':p': { S: pk } } };
    return valueOf((await client.call('Query', request)).Items[0]);
  },
  TransactGetItems: async (client, pk) =>
    valueOf((await client.call('TransactGetItems', { TransactItems: [{ Get: { TableName: kTable, Key: key(pk) } }] })).Responses[0].Item),
  BatchGetItem: async (client, pk) =>
    valueOf((await client.call('BatchGetItem', { RequestItems: { [kTable]: { Keys: [key(pk)], ConsistentRead: true } } })).Responses[kTable][0]),
};

// Each sends one request and completes `operation`, which says what was asked.
const makeItem = (pk, value) => ({ pk: { S: pk }, o: { S: pk }, v: { N: String(value) } });
const actions = {
  read: async (client, pk, random, operation) => {
    operation.seen = await reads[random.pick(Object.keys(reads))](client, pk);
  },
  put: async (client, pk, random, operation) => {
    const item = makeItem(pk, operation.value);
    const how = random.below(3);
    if (how === 0) await client.call('BatchWriteItem', { RequestItems: { [kTable]: [{ PutRequest: { Item: item } }] } });
    else if (how === 1) await client.call('TransactWriteItems', { TransactItems: [{ Put: { TableName: kTable, Item: item } }] });
    else {
      const reply = await client.call('PutItem', { TableName: kTable, Item: item, ReturnValues: 'ALL_OLD' });
      operation.old = valueOf(reply.Attributes);
    }
  },
  delete: async (client, pk, random, operation) => {
    const reply = await client.call('DeleteItem', { TableName: kTable, Key: key(pk), ReturnValues: 'ALL_OLD' });
    operation.old = valueOf(reply.Attributes);
  },
  create: (client, pk, random, operation) =>
    decided(operation, client.call('PutItem', { TableName: kTable, Item: makeItem(pk, operation.value), ConditionExpression: 'attribute_not_exists(pk)' })),
  swap: (client, pk, random, operation) => {
    const update = {
      TableName: kTable,
      Key: key(pk),
      UpdateExpression: 'SET v = :new, o = :p',
      ConditionExpression: 'v = :old',
      ExpressionAttributeValues: { ':new': { N: String(operation.value) }, ':old': { N: String(operation.expected) }, ':p': { S: pk } },
    };
    return decided(operation, random.below(3) ? client.call('UpdateItem', update) : client.call('TransactWriteItems', { TransactItems: [{ Update: update }] }));
  },
  remove: (client, pk, random, operation) =>
    decided(
      operation,
      client.call('DeleteItem', {
        TableName: kTable,
        Key: key(pk),
        ConditionExpression: 'v = :old',
        ExpressionAttributeValues: { ':old': { N: String(operation.expected) } },
      }),
    ),
};

async function decided(operation, reply) {
  try {
    await reply;
    operation.done = true;
  } catch (error) {
    const types = ['ConditionalCheckFailedException', 'TransactionCanceledException'];
    if (!(error instanceof Refused) || !types.includes(error.type)) throw error;
    operation.done = false;
  }
}

async function createTable(client) {
  await client.call('CreateTable', {
    TableName: kTable,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: ['pk', 'o'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: [{ IndexName: 'byOwner', KeySchema: [{ AttributeName: 'o', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }],
  });
}

workload('T12: every history of an item is linearizable, with kills', async () => {
  const cluster = await Cluster.start('linearizability');
  await createTable(cluster.client());
  const items = Math.round(200 * kScale);
  const histories = new Map();
  const hot = [];
  let clock = 0;
  let value = 0;
  const replace = (slot) => {
    hot[slot] = histories.size < items ? `item-${histories.size}` : null;
    if (hot[slot]) histories.set(hot[slot], []);
  };
  for (let slot = 0; slot < kHot; slot += 1) replace(slot);
  cluster.planKills(items * kPerItem, kKills);

  await runClients(cluster, kClients, async (client, random) => {
    // What this client saw last is what its conditions expect: about half of them hold.
    const lastSeen = new Map();
    for (;;) {
      const open = hot.flatMap((pk, slot) => (pk ? [slot] : []));
      if (open.length === 0) return;
      const slot = random.pick(open);
      const pk = hot[slot];
      const history = histories.get(pk);
      const expected = lastSeen.get(pk) ?? null;
      const kind = random.pick(['read', 'read', 'read', 'put', 'create', 'delete', ...(expected === null ? ['create'] : ['swap', 'swap', 'remove'])]);
      value += 1;
      clock += 1;
      const operation = { begin: clock, end: Infinity, kind, value, expected };
      history.push(operation);
      if (history.length >= kPerItem) replace(slot);
      try {
        await actions[kind](client, pk, random, operation);
        clock += 1;
        operation.end = clock;
        if (kind === 'read') lastSeen.set(pk, operation.seen);
        else if (kind === 'put' || operation.done) lastSeen.set(pk, kind === 'remove' ? null : operation.value);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
    }
  });
  // A last look at every item, from outside.
  await runClients(cluster, 4, async (client, random, number) => {
    for (const [index, [pk, history]] of [...histories].entries()) {
      if (index % 4 !== number) continue;
      const seen = await insist(() => reads.GetItem(client, pk));
      history.push({ begin: clock + 1, end: clock + 2, kind: 'read', seen });
    }
  });

  const wrong = [...histories].filter(([, history]) => !isLinearizable(history));
  const all = [...histories.values()].flat();
  cluster.report({ histories: histories.size, operations: all.length, unanswered: all.filter(({ end }) => end === Infinity).length, wrong: wrong.length });
  const show = ([pk, history]) => `${pk}:\n${history.map((each) => JSON.stringify(each)).join('\n')}`;
  assert.deepEqual(wrong.slice(0, 1).map(show), []);
  assert.ok(cluster.kills >= kKills, 'the kills never came');
  assert.ok(all.some(({ done }) => done === true) && all.some(({ done }) => done === false), 'conditions that hold and that do not');
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });
