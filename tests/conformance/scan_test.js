// Scan: completeness, pagination, segments, filters, Select.

import assert from 'node:assert/strict';
import { call, fails, invalid, item, pages, plainItem, putAll, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({ t: { key: 'pk:S sk:N' }, empty: { key: 'pk:S' }, large: { key: 'pk:S' } });
const kRows = Array.from({ length: 60 }, (_, n) => ({ pk: `p${n % 7}`, sk: n, odd: n % 2 === 1, deep: { n } }));
const test = suite('scan', {
  ...hooks,
  before: async () => {
    await hooks.before();
    await putAll(names.t, kRows);
  },
});
const ids = (items) => items.map(({ sk }) => sk).sort((a, b) => a - b);
const kIds = kRows.map(({ sk }) => sk);

test('gives every item once', async () => {
  const { items } = await pages('Scan', { TableName: names.t, ConsistentRead: true });
  assert.deepEqual(ids(items), kIds);
  assert.deepEqual(
    items.find(({ sk }) => sk === 5),
    kRows[5],
  );
});

test('an empty table', async () => {
  const reply = await call('Scan', { TableName: names.empty });
  assert.deepEqual([reply.Items, reply.Count, reply.ScannedCount, reply.LastEvaluatedKey], [[], 0, 0, undefined]);
});

test('every Limit gives every item once', async () => {
  for (let Limit = 1; Limit <= 61; Limit += 1) {
    const { items } = await pages('Scan', { TableName: names.t, Limit });
    assert.deepEqual(ids(items), kIds, `Limit ${Limit}`);
  }
});

test('items of a partition come together and in key order', async () => {
  const { items } = await pages('Scan', { TableName: names.t });
  const seen = new Map();
  items.forEach(({ pk, sk }, at) => seen.set(pk, [...(seen.get(pk) ?? []), [at, sk]]));
  for (const list of seen.values()) {
    assert.equal(list.at(-1)[0] - list[0][0], list.length - 1);
    assert.deepEqual(
      list.map(([, sk]) => sk),
      ids(list.map(([, sk]) => ({ sk }))),
    );
  }
});

for (const TotalSegments of [1, 2, 3, 8, 50]) {
  test(`${TotalSegments} segments together give every item once`, async () => {
    const parts = await Promise.all(
      Array.from({ length: TotalSegments }, (_, Segment) =>
        pages('Scan', { TableName: names.t, Segment, TotalSegments, Limit: 3 }),
      ),
    );
    assert.deepEqual(ids(parts.flatMap(({ items }) => items)), kIds);
  });
}

test('a filter, Count and ScannedCount', async () => {
  const reply = await call('Scan', {
    TableName: names.t,
    FilterExpression: 'odd = :t AND deep.n < :n',
    ExpressionAttributeValues: item({ ':t': true, ':n': 20 }),
  });
  assert.deepEqual([reply.Count, reply.ScannedCount, reply.Items.length], [10, 60, 10]);
});

test('a filter may name key attributes', async () => {
  const reply = await call('Scan', {
    TableName: names.t,
    FilterExpression: 'begins_with(pk, :p) AND sk >= :n',
    ExpressionAttributeValues: item({ ':p': 'p1', ':n': 30 }),
  });
  assert.deepEqual([...new Set(reply.Items.map(({ pk }) => pk.S))], ['p1']);
});

test('an empty page with LastEvaluatedKey when nothing passes', async () => {
  const reply = await call('Scan', { TableName: names.t, Limit: 10, FilterExpression: 'attribute_exists(nope)' });
  assert.deepEqual([reply.Count, reply.ScannedCount, reply.Items], [0, 10, []]);
  assert.ok(reply.LastEvaluatedKey);
});

test('projection and Select COUNT', async () => {
  const { items } = await pages('Scan', { TableName: names.t, ProjectionExpression: 'deep.n, sk' });
  assert.ok(items.every(({ sk, deep, ...rest }) => deep.n === sk && Object.keys(rest).length === 0));
  const counted = await call('Scan', { TableName: names.t, Select: 'COUNT' });
  assert.deepEqual([counted.Items, counted.Count], [undefined, 60]);
});

test('LastEvaluatedKey is a full key', async () => {
  const reply = await call('Scan', { TableName: names.t, Limit: 1 });
  const { pk, sk } = plainItem(reply.Items[0]);
  assert.deepEqual(plainItem(reply.LastEvaluatedKey), { pk, sk });
});

test('a page ends at 1 MB', async () => {
  const text = 'x'.repeat(200_000);
  for (let n = 0; n < 12; n += 4)
    await putAll(
      names.large,
      Array.from({ length: 4 }, (_, at) => ({ pk: `k${n + at}`, text })),
    );
  const first = await call('Scan', { TableName: names.large });
  assert.ok(
    first.Items.length >= 5 && first.Items.length <= 6 && first.LastEvaluatedKey,
    `${first.Items.length} items`,
  );
  const { items } = await pages('Scan', { TableName: names.large });
  assert.equal(new Set(items.map(({ pk }) => pk)).size, 12);
});

test('segment parameters are checked', async () => {
  await invalid(
    'Scan',
    { TableName: names.t, Segment: 0 },
    'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
  );
  await invalid(
    'Scan',
    { TableName: names.t, TotalSegments: 4 },
    'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
  );
  await invalid(
    'Scan',
    { TableName: names.t, Segment: 4, TotalSegments: 4 },
    'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 4 is not less than TotalSegments: 4',
  );
  await invalid('Scan', { TableName: names.t, Segment: 0, TotalSegments: 1_000_001 });
});

test('Limit 0 and an empty filter are refused', async () => {
  await invalid('Scan', { TableName: names.t, Limit: 0 });
  await invalid(
    'Scan',
    { TableName: names.t, FilterExpression: '' },
    'Invalid FilterExpression: The expression can not be empty;',
  );
});

test('an ExclusiveStartKey of another shape is refused', async () => {
  await invalid(
    'Scan',
    { TableName: names.t, ExclusiveStartKey: item({ pk: 'a' }) },
    /The provided starting key is (invalid|not valid)/,
  );
  await invalid('Scan', { TableName: names.t, ExclusiveStartKey: item({ pk: 'a', sk: 'x' }) });
});

test('a start key of another segment is refused', async () => {
  const keys = await Promise.all(
    [0, 1].map((Segment) => call('Scan', { TableName: names.t, Segment, TotalSegments: 2, Limit: 1 })),
  );
  await invalid(
    'Scan',
    { TableName: names.t, Segment: 0, TotalSegments: 2, ExclusiveStartKey: keys[1].LastEvaluatedKey },
    'The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 0',
  );
});

test('unknown table and unknown index', async () => {
  await fails('Scan', { TableName: 'no-such-table' }, 'ResourceNotFoundException', 'Requested resource not found');
  await invalid('Scan', { TableName: names.t, IndexName: 'nope' }, 'The table does not have the specified index: nope');
});
