// Query on tables: key conditions of every type, order, Limit, filters, Select, projections.

import assert from 'node:assert/strict';
import {
  av,
  bytes,
  call,
  fails,
  invalid,
  item,
  num,
  pages,
  plainItem,
  plainItems,
  put,
  putAll,
  withTables,
} from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({
  str: { key: 'pk:S sk:S' },
  number: { key: 'pk:N sk:N' },
  binary: { key: 'pk:B sk:B' },
  hash: { key: 'pk:S' },
  large: { key: 'pk:S sk:N' },
});
const kStrings = ['', 'a', 'A', 'ab', 'abc', 'b', 'ba', 'z', 'é', '\uffff', '\u{1F600}', 'a\u0000', 'a\u0000b'].slice(
  1,
);
const kNumbers = [
  '-1e125',
  '-1000',
  '-12.5',
  '-12.4',
  '-1',
  '-0.001',
  '-1e-130',
  '0',
  '1e-130',
  '0.001',
  '0.5',
  '1',
  '1.5',
  '2',
  '9',
  '10',
  '99',
  '100',
  '1e10',
  '9.9e125',
];
const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const test = suite('query', {
  ...hooks,
  before: async () => {
    await hooks.before();
    await putAll(
      names.str,
      kStrings.map((sk, at) => ({ pk: 'p', sk, at, even: at % 2 === 0 })),
    );
    await putAll(names.str, [
      { pk: 'other', sk: 'a' },
      { pk: 'pp', sk: 'a' },
      { pk: 'o', sk: 'z' },
    ]);
    await putAll(
      names.number,
      kNumbers.map((sk) => ({ pk: 7, sk: num(sk) })),
    );
    await putAll(
      names.binary,
      [[0], [0, 0], [0, 1], [1], [1, 255], [127], [128], [255], [255, 0]]
        .reverse()
        .map((sk) => ({ pk: bytes(9), sk: bytes(sk) })),
    );
  },
});

const query = (table, condition, values, more = {}) => ({
  TableName: table,
  KeyConditionExpression: condition,
  ExpressionAttributeValues: item(values),
  ...more,
});
const sortKeys = async (...args) => (await pages('Query', query(...args))).items.map(({ sk }) => sk);
const ofP = (condition, values = {}, more) => sortKeys(names.str, condition, { ':p': 'p', ...values }, more);
const kSorted = [...kStrings].sort(byBytes);

test('string sort keys come in the order of their UTF-8 bytes', async () => {
  assert.deepEqual(await ofP('pk = :p'), kSorted);
});

test('ScanIndexForward false reverses', async () => {
  assert.deepEqual(await ofP('pk = :p', {}, { ScanIndexForward: false }), [...kSorted].reverse());
});

test('number sort keys come in numeric order', async () => {
  const got = await sortKeys(names.number, 'pk = :p', { ':p': num('7.0') });
  assert.deepEqual(
    got.map((each) => Number(each.text ?? each)),
    kNumbers.map(Number),
  );
});

test('binary sort keys come in unsigned byte order', async () => {
  const got = await sortKeys(names.binary, 'pk = :p', { ':p': bytes(9) });
  assert.deepEqual(
    got.map((each) => [...each]),
    [[0], [0, 0], [0, 1], [1], [1, 255], [127], [128], [255], [255, 0]],
  );
});

const kRanges = { '=': (c) => c === 0, '<': (c) => c < 0, '<=': (c) => c <= 0, '>': (c) => c > 0, '>=': (c) => c >= 0 };
for (const [operator, keep] of Object.entries(kRanges)) {
  test(`sort key ${operator} at every bound, both directions`, async () => {
    for (const bound of [...kStrings, 'aa', 'zz']) {
      const expected = kSorted.filter((each) => keep(byBytes(each, bound)));
      assert.deepEqual(await ofP(`pk = :p AND sk ${operator} :s`, { ':s': bound }), expected, bound);
      assert.deepEqual(
        await ofP(`pk = :p AND sk ${operator} :s`, { ':s': bound }, { ScanIndexForward: false }),
        [...expected].reverse(),
        bound,
      );
    }
  });
}

test('BETWEEN includes both ends', async () => {
  assert.deepEqual(
    await ofP('pk = :p AND sk BETWEEN :a AND :b', { ':a': 'a', ':b': 'b' }),
    kSorted.filter((each) => byBytes(each, 'a') >= 0 && byBytes(each, 'b') <= 0),
  );
  const got = await sortKeys(names.number, 'pk = :p AND sk BETWEEN :a AND :b', {
    ':p': 7,
    ':a': num('-12.5'),
    ':b': num('0.0010'),
  });
  assert.equal(got.length, 8);
});

test('begins_with on strings and binaries', async () => {
  assert.deepEqual(
    await ofP('pk = :p AND begins_with(sk, :s)', { ':s': 'a' }),
    kSorted.filter((each) => each.startsWith('a')),
  );
  const got = await sortKeys(names.binary, 'pk = :p AND begins_with(sk, :s)', { ':p': bytes(9), ':s': bytes(255) });
  assert.deepEqual(
    got.map((each) => [...each]),
    [[255], [255, 0]],
  );
});

test('the two conditions may stand in either order, in parentheses, by placeholder', async () => {
  for (const condition of [
    'sk < :s AND pk = :p',
    '(pk = :p) AND (sk < :s)',
    '(pk = :p AND sk < :s)',
    ':p = pk AND :s > sk',
  ]) {
    assert.deepEqual(await ofP(condition, { ':s': 'b' }), await ofP('pk = :p and sk < :s', { ':s': 'b' }), condition);
  }
  assert.deepEqual(
    await ofP('#p = :p AND #s < :s', { ':s': 'b' }, { ExpressionAttributeNames: { '#p': 'pk', '#s': 'sk' } }),
    await ofP('pk = :p AND sk < :s', { ':s': 'b' }),
  );
});

test('a partition that is not there is empty, not an error', async () => {
  const reply = await call('Query', query(names.str, 'pk = :p', { ':p': 'nobody' }));
  assert.deepEqual([reply.Items, reply.Count, reply.ScannedCount, reply.LastEvaluatedKey], [[], 0, 0, undefined]);
});

test('every Limit gives the same items, forwards and backwards', async () => {
  for (let Limit = 1; Limit <= kStrings.length + 1; Limit += 1) {
    for (const ScanIndexForward of [true, false]) {
      const { items, pages: count } = await pages(
        'Query',
        query(names.str, 'pk = :p', { ':p': 'p' }, { Limit, ScanIndexForward }),
      );
      assert.deepEqual(
        items.map(({ sk }) => sk),
        ScanIndexForward ? kSorted : [...kSorted].reverse(),
      );
      // A page that ends exactly at the last item cannot know it is the last.
      assert.equal(count, Math.floor(kStrings.length / Limit) + 1);
    }
  }
});

test('LastEvaluatedKey is the key of the last item read', async () => {
  const reply = await call('Query', query(names.str, 'pk = :p', { ':p': 'p' }, { Limit: 2 }));
  assert.deepEqual(plainItem(reply.LastEvaluatedKey), { pk: 'p', sk: kSorted[1] });
});

test('an ExclusiveStartKey need not exist', async () => {
  const got = await ofP('pk = :p', {}, {});
  const { Items } = await call(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { ExclusiveStartKey: item({ pk: 'p', sk: 'aaaa' }) }),
  );
  assert.deepEqual(
    plainItems(Items).map(({ sk }) => sk),
    got.filter((each) => byBytes(each, 'aaaa') > 0),
  );
});

test('a filter works after Limit: Count and ScannedCount', async () => {
  const more = { FilterExpression: '#e = :t', ExpressionAttributeNames: { '#e': 'even' }, Limit: 5 };
  const reply = await call('Query', query(names.str, 'pk = :p', { ':p': 'p', ':t': true }, more));
  assert.equal(reply.ScannedCount, 5);
  assert.equal(reply.Count, reply.Items.length);
  assert.ok(reply.Count < 5);
  const all = await pages('Query', query(names.str, 'pk = :p', { ':p': 'p', ':t': true }, more));
  assert.equal(all.items.length, kStrings.length / 2);
});

test('a filter may not name a key attribute', () =>
  invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p', ':s': 'a' }, { FilterExpression: 'sk > :s' }),
    'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
  ));

test('projection, and a filter on what is not projected', async () => {
  const { Items } = await call(
    'Query',
    query(
      names.str,
      'pk = :p AND sk = :s',
      { ':p': 'p', ':s': 'a', ':n': -1 },
      {
        ProjectionExpression: '#e',
        ExpressionAttributeNames: { '#e': 'even', '#a': 'at' },
        FilterExpression: '#a > :n',
      },
    ),
  );
  assert.deepEqual(plainItems(Items), [{ even: true }]);
});

test('Select COUNT gives counts and no items', async () => {
  const reply = await call('Query', query(names.str, 'pk = :p', { ':p': 'p' }, { Select: 'COUNT' }));
  assert.deepEqual([reply.Items, reply.Count, reply.ScannedCount], [undefined, kStrings.length, kStrings.length]);
});

test('Select ALL_ATTRIBUTES is the default, SPECIFIC_ATTRIBUTES needs a projection', async () => {
  const { Items } = await call(
    'Query',
    query(names.str, 'pk = :p AND sk = :s', { ':p': 'p', ':s': 'a' }, { Select: 'ALL_ATTRIBUTES' }),
  );
  assert.deepEqual(Object.keys(Items[0]).sort(), ['at', 'even', 'pk', 'sk']);
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { Select: 'SPECIFIC_ATTRIBUTES' }),
    /Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES/,
  );
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { Select: 'COUNT', ProjectionExpression: 'sk' }),
    /Cannot specify the ProjectionExpression when choosing to get only the Count$/,
  );
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { Select: 'ALL_PROJECTED_ATTRIBUTES' }),
    /ALL_PROJECTED_ATTRIBUTES .*index/i,
  );
});

test('a table without a sort key', async () => {
  await put(names.hash, { pk: 'h', v: 1 });
  const { Items } = await call('Query', query(names.hash, 'pk = :p', { ':p': 'h' }));
  assert.deepEqual(plainItems(Items), [{ pk: 'h', v: 1 }]);
  await invalid(
    'Query',
    query(names.hash, 'pk = :p AND sk = :s', { ':p': 'h', ':s': 'x' }),
    /Query key condition not supported|Query condition missed key schema element/,
  );
});

test('refused key conditions', async () => {
  const refuse = (condition, values, message) => invalid('Query', query(names.str, condition, values), message);
  await refuse('sk = :s', { ':s': 'a' }, 'Query condition missed key schema element: pk');
  await refuse('pk = :p AND even = :v', { ':p': 'p', ':v': 'x' }, /Query condition missed key schema element: sk/);
  await refuse('pk > :p', { ':p': 'p' }, 'Query key condition not supported');
  await refuse('begins_with(pk, :p)', { ':p': 'p' }, 'Query key condition not supported');
  await refuse(
    'pk = :p AND sk <> :s',
    { ':p': 'p', ':s': 'a' },
    /Unsupported operator on KeyCondition: operator: <>|Invalid operator used in KeyConditionExpression: <>/,
  );
  await refuse('pk = :p OR sk = :s', { ':p': 'p', ':s': 'a' }, 'Invalid operator used in KeyConditionExpression: OR');
  await refuse(
    'pk = :p AND contains(sk, :s)',
    { ':p': 'p', ':s': 'a' },
    'Invalid operator used in KeyConditionExpression: contains',
  );
  await refuse(
    'pk = :p AND sk > :s AND sk < :t',
    { ':p': 'p', ':s': 'a', ':t': 'b' },
    /KeyConditionExpressions must only contain one condition per key/,
  );
});

test('a key condition of the wrong type is refused', async () => {
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 1 }),
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  );
  await invalid('Query', query(names.number, 'pk = :p AND begins_with(sk, :s)', { ':p': 7, ':s': '1' }));
});

test('an empty key value in a condition is refused', () =>
  invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': '' }),
    /One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk/,
  ));

test('Limit 0 and negative are refused', async () => {
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { Limit: 0 }),
    /Value ('0' )?at '[lL]imit' failed to satisfy constraint: Member must have value greater than or equal to 1/,
  );
  await invalid('Query', query(names.str, 'pk = :p', { ':p': 'p' }, { Limit: -1 }));
});

test('an ExclusiveStartKey of another shape or partition is refused', async () => {
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { ExclusiveStartKey: item({ pk: 'p' }) }),
    /The provided starting key is (invalid|not valid)/,
  );
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { ExclusiveStartKey: item({ pk: 'p', sk: 1 }) }),
    /The provided starting key is (invalid|not valid)/,
  );
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { ExclusiveStartKey: item({ pk: 'other', sk: 'a' }) }),
    'The provided starting key is outside query boundaries based on provided conditions',
  );
});

test('no key condition at all is refused', () =>
  invalid(
    'Query',
    { TableName: names.str },
    /Either the KeyConditions or KeyConditionExpression parameter must be specified in the request/,
  ));

test('an unknown index and an unknown table', async () => {
  await invalid(
    'Query',
    query(names.str, 'pk = :p', { ':p': 'p' }, { IndexName: 'nope' }),
    'The table does not have the specified index: nope',
  );
  await fails(
    'Query',
    query('no-such-table', 'pk = :p', { ':p': 'p' }),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});

test('a page ends at 1 MB', async () => {
  const text = 'x'.repeat(100_000);
  for (let at = 0; at < 24; at += 8)
    await putAll(
      names.large,
      Array.from({ length: 8 }, (_, n) => ({ pk: 'big', sk: at + n, text })),
    );
  const first = await call('Query', query(names.large, 'pk = :p', { ':p': 'big' }));
  assert.ok(first.Items.length >= 10 && first.Items.length <= 11, `${first.Items.length} items`);
  assert.ok(first.LastEvaluatedKey);
  const all = await pages('Query', query(names.large, 'pk = :p', { ':p': 'big' }));
  assert.deepEqual([all.items.length, all.pages], [24, 3]);
});

test('1 MB counts what is read, not what passes the filter or is projected', async () => {
  const reply = await call(
    'Query',
    query(
      names.large,
      'pk = :p',
      { ':p': 'big', ':v': 'nothing' },
      { FilterExpression: '#t = :v', ExpressionAttributeNames: { '#t': 'text' } },
    ),
  );
  assert.deepEqual([reply.Count, reply.Items.length], [0, 0]);
  assert.ok(reply.LastEvaluatedKey);
  const counted = await call('Query', query(names.large, 'pk = :p', { ':p': 'big' }, { Select: 'COUNT' }));
  assert.ok(counted.Count <= 11 && counted.LastEvaluatedKey);
});
