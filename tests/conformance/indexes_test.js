// Global and local secondary indexes: projections, sparse entries, upkeep, pagination.

import assert from 'node:assert/strict';
import {
  av,
  call,
  invalid,
  item,
  num,
  pages,
  plainItem,
  plainItems,
  put,
  putAll,
  sleep,
  isLocal,
  withTables,
} from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({
  t: {
    key: 'pk:S sk:S',
    gsi: { all: 'gpk:S gsk:N ALL', keys: 'gpk:S gsk:N KEYS_ONLY', some: 'gpk:S INCLUDE a,b', inverse: 'sk:S pk:S ALL' },
    lsi: { lall: 'lsk:N ALL', lkeys: 'lsk:N KEYS_ONLY', lsome: 'lsk:N INCLUDE a' },
  },
});
const kRows = Array.from({ length: 12 }, (_, n) => ({
  pk: `p${n % 3}`,
  sk: `s${String(n).padStart(2, '0')}`,
  gpk: `g${n % 2}`,
  gsk: n % 4,
  lsk: 100 - n,
  a: `a${n}`,
  b: n,
  c: 'c',
}));
const test = suite('indexes', {
  ...hooks,
  before: async () => {
    await hooks.before();
    await putAll(names.t, kRows);
    await settle();
  },
});
// Global indexes lag behind on AWS, never here.
const settle = () => (isLocal() ? undefined : sleep(2000));

const query = (IndexName, condition, values, more = {}) => ({
  TableName: names.t,
  IndexName,
  KeyConditionExpression: condition,
  ExpressionAttributeValues: item(values),
  ...more,
});
const found = async (...args) => (await pages('Query', query(...args))).items;

test('a GSI query sorts by the index sort key', async () => {
  const items = await found('all', 'gpk = :g', { ':g': 'g0' });
  assert.deepEqual(
    items.map(({ gsk }) => gsk),
    [0, 0, 0, 2, 2, 2],
  );
  assert.deepEqual(
    items.map(({ pk, sk }) => pk + sk).sort(),
    kRows
      .filter(({ gpk }) => gpk === 'g0')
      .map(({ pk, sk }) => pk + sk)
      .sort(),
  );
});

test('a GSI range and the reverse order', async () => {
  assert.deepEqual(
    (await found('all', 'gpk = :g AND gsk > :n', { ':g': 'g1', ':n': 1 })).map(({ gsk }) => gsk),
    [3, 3, 3],
  );
  assert.deepEqual(
    (await found('all', 'gpk = :g', { ':g': 'g1' }, { ScanIndexForward: false })).map(({ gsk }) => gsk),
    [3, 3, 3, 1, 1, 1],
  );
});

test('projections: ALL, KEYS_ONLY, INCLUDE', async () => {
  const attributes = async (index, condition, values) =>
    Object.keys((await found(index, condition, values))[0])
      .sort()
      .join();
  assert.equal(await attributes('all', 'gpk = :g', { ':g': 'g0' }), 'a,b,c,gpk,gsk,lsk,pk,sk');
  assert.equal(await attributes('keys', 'gpk = :g', { ':g': 'g0' }), 'gpk,gsk,pk,sk');
  assert.equal(await attributes('some', 'gpk = :g', { ':g': 'g0' }), 'a,b,gpk,pk,sk');
  assert.equal(await attributes('lall', 'pk = :p', { ':p': 'p0' }), 'a,b,c,gpk,gsk,lsk,pk,sk');
  assert.equal(await attributes('lkeys', 'pk = :p', { ':p': 'p0' }), 'lsk,pk,sk');
  assert.equal(await attributes('lsome', 'pk = :p', { ':p': 'p0' }), 'a,lsk,pk,sk');
});

test('an inverted index swaps the keys', async () => {
  assert.deepEqual(await found('inverse', 'sk = :s', { ':s': 's04' }), [kRows[4]]);
});

test('an LSI sorts within the partition', async () => {
  assert.deepEqual(
    (await found('lall', 'pk = :p', { ':p': 'p1' })).map(({ lsk }) => lsk),
    [90, 93, 96, 99],
  );
  assert.deepEqual(
    (
      await found(
        'lall',
        'pk = :p AND lsk BETWEEN :a AND :b',
        { ':p': 'p1', ':a': 91, ':b': 96 },
        { ConsistentRead: true },
      )
    ).map(({ lsk }) => lsk),
    [93, 96],
  );
});

test('an LSI fetches unprojected attributes from the table when asked', async () => {
  const { Items } = await call(
    'Query',
    query('lkeys', 'pk = :p', { ':p': 'p0' }, { Select: 'ALL_ATTRIBUTES', Limit: 1 }),
  );
  assert.equal(plainItem(Items[0]).c, 'c');
  const projected = await found('lkeys', 'pk = :p', { ':p': 'p0' }, { ProjectionExpression: 'c, lsk' });
  assert.deepEqual(projected[0], { c: 'c', lsk: 91 });
});

test('a GSI cannot give what it does not project', async () => {
  await invalid(
    'Query',
    query('keys', 'gpk = :g', { ':g': 'g0' }, { Select: 'ALL_ATTRIBUTES' }),
    'One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index keys because its projection type is not ALL',
  );
  await invalid(
    'Query',
    query('keys', 'gpk = :g', { ':g': 'g0' }, { ProjectionExpression: 'a' }),
    /Global secondary index keys does not project/,
  );
});

test('ConsistentRead on a GSI is refused', async () => {
  await invalid(
    'Query',
    query('all', 'gpk = :g', { ':g': 'g0' }, { ConsistentRead: true }),
    'Consistent reads are not supported on global secondary indexes',
  );
  await invalid(
    'Scan',
    { TableName: names.t, IndexName: 'all', ConsistentRead: true },
    'Consistent reads are not supported on global secondary indexes',
  );
});

test('every Limit gives the same items on GSI and LSI, both ways', async () => {
  for (const [index, condition, values] of [
    ['all', 'gpk = :v', { ':v': 'g0' }],
    ['some', 'gpk = :v', { ':v': 'g1' }],
    ['lall', 'pk = :v', { ':v': 'p2' }],
  ]) {
    for (const ScanIndexForward of [true, false]) {
      const whole = await found(index, condition, values, { ScanIndexForward });
      for (let Limit = 1; Limit <= whole.length + 1; Limit += 1) {
        assert.deepEqual(
          await found(index, condition, values, { Limit, ScanIndexForward }),
          whole,
          `${index} Limit ${Limit}`,
        );
      }
    }
  }
});

test('LastEvaluatedKey of an index has its keys and the table keys', async () => {
  const gsi = await call('Query', query('all', 'gpk = :g', { ':g': 'g0' }, { Limit: 1 }));
  assert.deepEqual(Object.keys(gsi.LastEvaluatedKey).sort(), ['gpk', 'gsk', 'pk', 'sk']);
  const lsi = await call('Query', query('lkeys', 'pk = :p', { ':p': 'p0' }, { Limit: 1 }));
  assert.deepEqual(Object.keys(lsi.LastEvaluatedKey).sort(), ['lsk', 'pk', 'sk']);
});

test('an ExclusiveStartKey without the index keys is refused', () =>
  invalid(
    'Query',
    query('all', 'gpk = :g', { ':g': 'g0' }, { ExclusiveStartKey: item({ pk: 'p0', sk: 's00' }) }),
    /The provided starting key is (invalid|not valid)/,
  ));

test('items without the index key are not in the index', async () => {
  await putAll(names.t, [
    { pk: 'sparse', sk: '1' },
    { pk: 'sparse', sk: '2', gpk: 'gs' },
    { pk: 'sparse', sk: '3', gpk: 'gs', gsk: 1 },
    { pk: 'sparse', sk: '4', lsk: 1 },
  ]);
  await settle();
  assert.deepEqual(
    (await found('all', 'gpk = :g', { ':g': 'gs' })).map(({ sk }) => sk),
    ['3'],
  );
  assert.deepEqual(
    (await found('some', 'gpk = :g', { ':g': 'gs' })).map(({ sk }) => sk),
    ['2', '3'],
  );
  assert.deepEqual(
    (await found('lall', 'pk = :p', { ':p': 'sparse' })).map(({ sk }) => sk),
    ['4'],
  );
});

test('an index follows put, update and delete', async () => {
  const key = item({ pk: 'move', sk: '1' });
  const at = async (g) =>
    (await found('all', 'gpk = :g', { ':g': g })).filter(({ pk }) => pk === 'move').map(({ gsk, v }) => [gsk, v]);
  await put(names.t, { pk: 'move', sk: '1', gpk: 'from', gsk: 1, v: 1 });
  await settle();
  assert.deepEqual(await at('from'), [[1, 1]]);
  await call('UpdateItem', {
    TableName: names.t,
    Key: key,
    UpdateExpression: 'SET gpk = :to, gsk = gsk + :one, v = :v',
    ExpressionAttributeValues: item({ ':to': 'to', ':one': 1, ':v': 2 }),
  });
  await settle();
  assert.deepEqual([await at('from'), await at('to')], [[], [[2, 2]]]);
  await call('UpdateItem', {
    TableName: names.t,
    Key: key,
    UpdateExpression: 'SET v = :v',
    ExpressionAttributeValues: item({ ':v': 3 }),
  });
  await settle();
  assert.deepEqual(await at('to'), [[2, 3]]);
  await call('UpdateItem', { TableName: names.t, Key: key, UpdateExpression: 'REMOVE gsk' });
  await settle();
  assert.deepEqual(await at('to'), []);
  await put(names.t, { pk: 'move', sk: '1', gpk: 'to', gsk: 9, v: 4 });
  await call('DeleteItem', { TableName: names.t, Key: key });
  await settle();
  assert.deepEqual(await at('to'), []);
});

test('many items may share one index key', async () => {
  await putAll(
    names.t,
    Array.from({ length: 30 }, (_, n) => ({ pk: `same${n}`, sk: 'x', gpk: 'same', gsk: 5 })),
  );
  await settle();
  for (const Limit of [1, 7, 29, 30]) {
    const items = await found('keys', 'gpk = :g AND gsk = :n', { ':g': 'same', ':n': num('5.0') }, { Limit });
    assert.equal(new Set(items.map(({ pk }) => pk)).size, 30);
    assert.equal(items.length, 30);
  }
});

test('Scan of an index gives each entry once, with every Limit', async () => {
  const whole = (await pages('Scan', { TableName: names.t, IndexName: 'some' })).items;
  const ids = (items) => items.map(({ pk, sk }) => `${pk}/${sk}`).sort();
  assert.equal(new Set(ids(whole)).size, whole.length);
  for (let Limit = 1; Limit <= 12; Limit += 1) {
    assert.deepEqual(ids((await pages('Scan', { TableName: names.t, IndexName: 'some', Limit })).items), ids(whole));
  }
});

test('a filter on a GSI may name table keys, not index keys', async () => {
  const items = await found('all', 'gpk = :g', { ':g': 'g0', ':p': 'p0' }, { FilterExpression: 'pk = :p' });
  assert.ok(items.length > 0 && items.every(({ pk }) => pk === 'p0'));
  await invalid(
    'Query',
    query('all', 'gpk = :g', { ':g': 'g0', ':n': 1 }, { FilterExpression: 'gsk = :n' }),
    /Primary key attribute: gsk/,
  );
});

test('an update that leaves the index untouched keeps it right', async () => {
  await call('UpdateItem', {
    TableName: names.t,
    Key: item({ pk: 'p0', sk: 's00' }),
    UpdateExpression: 'SET c = :c',
    ExpressionAttributeValues: { ':c': av('new') },
  });
  await settle();
  const [entry] = (await found('all', 'gpk = :g', { ':g': 'g0' })).filter(({ sk }) => sk === 's00');
  assert.equal(entry.c, 'new');
  assert.deepEqual(
    plainItems(
      (await call('Query', query('keys', 'gpk = :g AND gsk = :n', { ':g': 'g0', ':n': 0 }, { Limit: 1 }))).Items,
    ).length,
    1,
  );
});
