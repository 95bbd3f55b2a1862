// T16: transactions that append to lists and read them show no cycle: strictly serialisable, also across kills.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { Cluster, NoAnswer, Refused, insist, kScale, runClients } from './cluster.js';
import { findAnomalies } from './cycles.js';

const checker = suite('cycle checker');
const workload = suite('cycles');

// --- the checker on histories made by hand: 'ax1' appends 1 to x, 'rx12' reads [1, 2] from x, 'lx2' a length of 2

let clock = 0;
function transaction(text, { state = 'done', begin, end } = {}) {
  const operations = text.split(' ').map((word) => {
    const [kind, key, ...values] = word;
    if (kind === 'a') return { append: key, value: `${key}${values.join('')}` };
    if (kind === 'l') return { read: key, length: Number(values.join('')) };
    return { read: key, list: values.map((value) => `${key}${value}`) };
  });
  return { begin, end: state === 'open' ? Infinity : end, state, operations };
}
// All at once, so that time orders nothing.
const together = (...texts) => texts.map((text) => (typeof text === 'string' ? transaction(text, { begin: 0, end: 1000 }) : text));
const failed = (text) => transaction(text, { state: 'failed', begin: 0, end: 1000 });
const open = (text) => transaction(text, { state: 'open', begin: 0 });
// One after the other.
const inTurn = (...texts) =>
  texts.map((text) => {
    clock += 2;
    return transaction(text, { begin: clock, end: clock + 1 });
  });
const types = (history, options) => [...new Set(findAnomalies(history, options).map(({ type }) => type))];

const good = {
  nothing: [],
  'appends and reads in turn': inTurn('ax1', 'rx1', 'ax2 ay1', 'rx12 ry1'),
  'a read beside a write': together('ax1', 'rx', 'rx1'),
  'a failed append that nobody saw': together(failed('ax1'), 'rx'),
  'an open append that was seen': together(open('ax1'), 'rx1'),
  'an open append that was not': together(open('ax1'), 'rx'),
  'a length that was right': inTurn('ax1', 'lx1 ay1', 'rx1 ry1'),
  'two keys, one order': together('ax1 ay1', 'ax2 ay2', 'rx12 ry12'),
};
const bad = {
  'G0: two writers in both orders': [['G0'], together('ax1 ay1', 'ax2 ay2', 'rx12', 'ry21')],
  'G0: three writers in a ring': [['G0'], together('ax1 ay2', 'ay1 az2', 'az1 ax2', 'rx21', 'ry21', 'rz21')],
  'G1a: a failed append was read': [['G1a'], together(failed('ax1'), 'rx1')],
  'G1b: the middle of a transaction was read': [['G1b', 'G-single'], together('ax1 ax2', 'rx1', 'rx12')],
  'G1c: two see each other': [['G1c'], together('ax1 ry1', 'ay1 rx1')],
  'G1c: a ring of three readers': [['G1c'], together('ax1 rz1', 'ay1 rx1', 'az1 ry1')],
  'G-single: half of a transaction was read': [['G-single'], together('ax1 ay1', 'rx1 ry', 'ry1')],
  'G-single: a lost update': [['G-single'], together('rx ax1', 'rx ax2', 'rx12')],
  'G2: write skew': [['G2'], together('rx ay1', 'ry ax1', 'rx1 ry1')],
  'G2: write skew told by lengths': [['G2'], together('lx0 ay1', 'ly0 ax1', 'rx1 ry1')],
  'G2: two readers disagree': [['G2'], together('ax1', 'ay1', 'rx1 ry', 'rx ry1')],
  'an order that is none': [['incompatible-order'], together('ax1', 'ax2', 'rx12', 'rx21')],
  'a value twice': [['duplicate'], together('ax1', 'rx11')],
  'a value from nowhere': [['garbage'], together('rx1')],
  'a value of another key': [['garbage'], together('ax1', { ...transaction('ry1', { begin: 0, end: 1000 }), operations: [{ read: 'y', list: ['x1'] }] })],
  'a lost append': [['lost'], inTurn('ax1', 'ax2', 'rx2')],
  'realtime: a stale read': [['G-single-realtime'], inTurn('ax1', 'rx', 'rx1')],
  'realtime: an append goes back before one that had ended': [['G0-realtime'], inTurn('ax1', 'ax2', 'rx21')],
  'realtime: a stale length': [['G-single-realtime'], inTurn('ax1', 'lx0 ay1', 'rx1 ry1')],
  'realtime: a read from the future': [['G1c-realtime'], inTurn('rx1', 'ax1')],
};
for (const [label, history] of Object.entries(good)) checker(`takes: ${label}`, async () => assert.deepEqual(findAnomalies(history), []));
for (const [label, [expected, history]] of Object.entries(bad)) checker(`finds ${label}`, async () => assert.deepEqual(types(history), expected));

checker('without realtime a stale read is allowed', async () => {
  assert.deepEqual(types(inTurn('ax1', 'rx', 'rx1'), { strict: false }), []);
});

checker('finds one swap in a thousand transactions', async () => {
  const lists = { x: [], y: [] };
  const history = [];
  for (let n = 0; n < 1000; n += 1) {
    const both = { begin: n * 4, end: n * 4 + 9, state: 'done', operations: [] };
    for (const key of ['x', 'y']) {
      both.operations.push({ append: key, value: `${key}${n}` });
      lists[key].push(`${key}${n}`);
    }
    history.push(both);
  }
  const last = { begin: 5000, end: 5001, state: 'done', operations: ['x', 'y'].map((key) => ({ read: key, list: [...lists[key]] })) };
  assert.deepEqual(findAnomalies([...history, last]), []);
  [lists.y[500], lists.y[501]] = [lists.y[501], lists.y[500]];
  last.operations[1].list = lists.y;
  assert.deepEqual(types([...history, last]), ['G0']);
});

// --- the server

const kTable = 'lists';
const kKeys = 20;
const kLongest = 120; // then a key gives way to a fresh one: items stay small
const kKills = Math.max(3, Math.round(3 * kScale));
const address = (key) => ({ pk: { S: key } });
const listOf = (item) => (item?.l?.L ?? []).map(({ S }) => S);

const appendTo = (key, value) => ({
  TableName: kTable,
  Key: address(key),
  UpdateExpression: 'SET l = list_append(if_not_exists(l, :none), :new)',
  ExpressionAttributeValues: { ':new': { L: [{ S: value }] }, ':none': { L: [] } },
});
const lengthIs = (key, length) => ({
  TableName: kTable,
  Key: address(key),
  ...(length === 0
    ? { ConditionExpression: 'attribute_not_exists(l)' }
    : { ConditionExpression: 'size(l) = :n', ExpressionAttributeValues: { ':n': { N: String(length) } } }),
});

// Each sends one request for what `operations` says, and fills in what was read.
async function send(client, kind, operations) {
  if (kind === 'append') {
    // One item: the answer shows the list with the new value at its end.
    const [read, { append: key, value }] = operations;
    const reply = await client.call('UpdateItem', { ...appendTo(key, value), ReturnValues: 'ALL_NEW' });
    const list = listOf(reply.Attributes);
    assert.equal(list.at(-1), value, 'an append is the last value of the list it returns');
    read.list = list.slice(0, -1);
    return;
  }
  if (kind === 'read') {
    const request = { TransactItems: operations.map(({ read: key }) => ({ Get: { TableName: kTable, Key: address(key) } })) };
    const { Responses } = await client.call('TransactGetItems', request);
    operations.forEach((operation, at) => {
      operation.list = listOf(Responses[at].Item);
    });
    return;
  }
  await client.call('TransactWriteItems', {
    TransactItems: operations.map(({ append: key, value, read, length }) => {
      if (key !== undefined) return { Update: appendTo(key, value) };
      return { ConditionCheck: lengthIs(read, length) };
    }),
  });
}

// Between one and four operations on different keys. A `check` appends to one key if the others still have the length
// that this client has just read: the form in which write skew would show.
function compose(random, keys, newValue, known) {
  const chosen = known ? [...known.keys()] : [];
  while (chosen.length < 1 + random.below(4)) {
    const key = random.pick(keys);
    if (!chosen.includes(key)) chosen.push(key);
  }
  const kind = known ? 'check' : random.pick(['read', 'read', 'append', 'write', 'write']);
  if (kind === 'read') return { kind, operations: chosen.map((key) => ({ read: key, list: undefined })) };
  if (kind === 'append') return { kind, operations: [{ read: chosen[0], list: undefined }, { append: chosen[0], value: newValue() }] };
  const checked = kind === 'check' ? chosen.filter((key, at) => known.has(key) && (at > 0 || chosen.length === 1)) : [];
  const appended = chosen.filter((key) => !checked.includes(key));
  if (appended.length === 0) appended.push(keys.find((key) => !chosen.includes(key)));
  return {
    kind,
    operations: [
      ...checked.map((key) => ({ read: key, length: known.get(key) })),
      ...appended.map((key) => ({ append: key, value: newValue() })),
    ],
  };
}

workload('T16: no cycle among transactions, with kills', async () => {
  const cluster = await Cluster.start('cycles');
  await cluster.client().call('CreateTable', {
    TableName: kTable,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  });
  const total = Math.round(4000 * kScale);
  const history = [];
  const keys = Array.from({ length: kKeys }, (_, n) => `k${n}`);
  const allKeys = [...keys];
  let time = 0;
  let values = 0;
  const newValue = () => {
    values += 1;
    return `v${values}`;
  };
  cluster.planKills(total, kKills);
  let checks = 0;

  await runClients(cluster, 12, async (client, random) => {
    let known = null;
    while (history.length < total) {
      const { kind, operations } = compose(random, keys, newValue, known);
      known = null;
      time += 1;
      const entry = { begin: time, end: Infinity, state: 'open', operations };
      history.push(entry);
      try {
        await send(client, kind, operations);
        time += 1;
        entry.end = time;
        entry.state = 'done';
        if (operations.some(({ length }) => length !== undefined)) checks += 1;
      } catch (error) {
        if (error instanceof Refused && error.type === 'TransactionCanceledException') entry.state = 'failed';
        else if (!(error instanceof NoAnswer)) throw error;
      }
      const lists = operations.filter(({ list }) => list);
      if (kind === 'read' && lists.length > 0 && random.below(3) > 0) known = new Map(lists.map(({ read, list }) => [read, list.length]));
      for (const { read: key, list } of lists) {
        const slot = keys.indexOf(key);
        if (list.length <= kLongest || slot < 0) continue;
        keys[slot] = `k${allKeys.length}`;
        allKeys.push(keys[slot]);
      }
    }
  });
  const reader = cluster.client();
  for (const key of allKeys) {
    const operations = [{ read: key, list: undefined }];
    time += 1;
    const entry = { begin: time, state: 'done', operations };
    await insist(() => send(reader, 'read', operations));
    time += 1;
    history.push({ ...entry, end: time });
  }

  const anomalies = findAnomalies(history);
  const count = (state) => history.filter((each) => each.state === state).length;
  cluster.report({ transactions: history.length, done: count('done'), refused: count('failed'), unanswered: count('open'), lengthChecks: checks, anomalies: anomalies.length });
  assert.deepEqual(anomalies.slice(0, 3), []);
  assert.ok(cluster.kills >= kKills, 'the kills never came');
  assert.ok(checks > 0, 'no length was checked within a transaction');
  await cluster.finish();
}, { seconds: 300 * Math.max(1, kScale) });
