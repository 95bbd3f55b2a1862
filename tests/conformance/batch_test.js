// BatchGetItem and BatchWriteItem.

import assert from 'node:assert/strict';
import { call, fails, get, invalid, item, plainItem, plainItems, put, putAll, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({ a: { key: 'pk:S' }, b: { key: 'pk:S sk:N' } });
const test = suite('batch', hooks);
const kMissing = 'ResourceNotFoundException';
const puts = (count, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ PutRequest: { Item: item({ pk: `k${from + n}`, v: n }) } }));
const keys = (count) => Array.from({ length: count }, (_, n) => item({ pk: `k${n}` }));

test('BatchWriteItem puts and deletes in several tables', async () => {
  await put(names.a, { pk: 'gone' });
  const reply = await call('BatchWriteItem', {
    RequestItems: {
      [names.a]: [{ PutRequest: { Item: item({ pk: 'x', v: 1 }) } }, { DeleteRequest: { Key: item({ pk: 'gone' }) } }],
      [names.b]: [
        { PutRequest: { Item: item({ pk: 'x', sk: 1 }) } },
        { PutRequest: { Item: item({ pk: 'x', sk: 2 }) } },
      ],
    },
  });
  assert.deepEqual(reply.UnprocessedItems, {});
  assert.deepEqual(await get(names.a, { pk: 'x' }), { pk: 'x', v: 1 });
  assert.equal(await get(names.a, { pk: 'gone' }), undefined);
  assert.deepEqual(await get(names.b, { pk: 'x', sk: 2 }), { pk: 'x', sk: 2 });
});

test('BatchWriteItem replaces whole items', async () => {
  await put(names.a, { pk: 'rep', old: 1 });
  await call('BatchWriteItem', {
    RequestItems: { [names.a]: [{ PutRequest: { Item: item({ pk: 'rep', fresh: 1 }) } }] },
  });
  assert.deepEqual(await get(names.a, { pk: 'rep' }), { pk: 'rep', fresh: 1 });
});

test('25 writes pass, 26 do not', async () => {
  await call('BatchWriteItem', { RequestItems: { [names.a]: puts(25) } });
  await invalid(
    'BatchWriteItem',
    { RequestItems: { [names.a]: puts(26) } },
    /Member must have length less than or equal to 25/,
  );
  await invalid(
    'BatchWriteItem',
    {
      RequestItems: {
        [names.a]: puts(13),
        [names.b]: Array.from({ length: 13 }, (_, sk) => ({ PutRequest: { Item: item({ pk: 'p', sk }) } })),
      },
    },
    /Too many items requested for the BatchWriteItem call|less than or equal to 25/,
  );
});

test('the same key twice in a BatchWriteItem is refused', async () => {
  const message = 'Provided list of item keys contains duplicates';
  await invalid('BatchWriteItem', { RequestItems: { [names.a]: [...puts(1), ...puts(1)] } }, message);
  await invalid(
    'BatchWriteItem',
    { RequestItems: { [names.a]: [...puts(1), { DeleteRequest: { Key: item({ pk: 'k0' }) } }] } },
    message,
  );
  await invalid(
    'BatchWriteItem',
    {
      RequestItems: {
        [names.b]: ['1', '1.0'].map((sk) => ({ PutRequest: { Item: { pk: { S: 'p' }, sk: { N: sk } } } })),
      },
    },
    message,
  );
});

test('one bad item refuses the whole batch', async () => {
  await invalid(
    'BatchWriteItem',
    {
      RequestItems: {
        [names.a]: [{ PutRequest: { Item: item({ pk: 'half' }) } }, { PutRequest: { Item: item({ nokey: 1 }) } }],
      },
    },
    'One or more parameter values were invalid: Missing the key pk in the item',
  );
  assert.equal(await get(names.a, { pk: 'half' }), undefined);
});

test('a missing table refuses the whole batch', async () => {
  await fails(
    'BatchWriteItem',
    { RequestItems: { [names.a]: [{ PutRequest: { Item: item({ pk: 'half2' }) } }], 'no-such-table': puts(1) } },
    kMissing,
  );
  assert.equal(await get(names.a, { pk: 'half2' }), undefined);
});

test('empty requests are refused', async () => {
  await invalid('BatchWriteItem', { RequestItems: {} });
  await invalid('BatchGetItem', { RequestItems: {} });
  await invalid('BatchWriteItem', { RequestItems: { [names.a]: [] } });
  await invalid('BatchGetItem', { RequestItems: { [names.a]: { Keys: [] } } });
  await invalid('BatchWriteItem', { RequestItems: { [names.a]: [{}] } });
});

test('an item over 400 KB in a BatchWriteItem is refused', () =>
  invalid(
    'BatchWriteItem',
    { RequestItems: { [names.a]: [{ PutRequest: { Item: item({ pk: 'big', v: 'x'.repeat(409_600) }) } }] } },
    'Item size has exceeded the maximum allowed size',
  ));

test('BatchGetItem gives what is there, of several tables', async () => {
  await putAll(names.b, [
    { pk: 'bg', sk: 1, v: 1 },
    { pk: 'bg', sk: 2, v: 2 },
  ]);
  await put(names.a, { pk: 'bg', v: 0 });
  const reply = await call('BatchGetItem', {
    RequestItems: {
      [names.a]: { Keys: [item({ pk: 'bg' }), item({ pk: 'missing' })], ConsistentRead: true },
      [names.b]: {
        Keys: [item({ pk: 'bg', sk: 1 }), item({ pk: 'bg', sk: 2 }), item({ pk: 'bg', sk: 3 })],
        ConsistentRead: true,
      },
    },
  });
  assert.deepEqual(plainItems(reply.Responses[names.a]), [{ pk: 'bg', v: 0 }]);
  assert.deepEqual(
    plainItems(reply.Responses[names.b]).sort((x, y) => x.sk - y.sk),
    [
      { pk: 'bg', sk: 1, v: 1 },
      { pk: 'bg', sk: 2, v: 2 },
    ],
  );
  assert.deepEqual(reply.UnprocessedKeys, {});
});

test('BatchGetItem of nothing found still names the table', async () => {
  const { Responses } = await call('BatchGetItem', { RequestItems: { [names.a]: { Keys: [item({ pk: 'nobody' })] } } });
  assert.deepEqual(Responses, { [names.a]: [] });
});

test('BatchGetItem with a projection for each table', async () => {
  await put(names.a, { pk: 'proj', v: 1, w: { x: 2 }, status: 'ok' });
  const { Responses } = await call('BatchGetItem', {
    RequestItems: {
      [names.a]: {
        Keys: [item({ pk: 'proj' })],
        ProjectionExpression: 'w.x, #s',
        ExpressionAttributeNames: { '#s': 'status' },
      },
    },
  });
  assert.deepEqual(plainItem(Responses[names.a][0]), { w: { x: 2 }, status: 'ok' });
});

test('100 keys pass, 101 do not', async () => {
  await putAll(
    names.a,
    Array.from({ length: 100 }, (_, n) => ({ pk: `k${n}` })),
  );
  const { Responses } = await call('BatchGetItem', { RequestItems: { [names.a]: { Keys: keys(100) } } });
  assert.equal(Responses[names.a].length, 100);
  await invalid(
    'BatchGetItem',
    { RequestItems: { [names.a]: { Keys: keys(101) } } },
    /Member must have length less than or equal to 100|Too many items requested/,
  );
});

test('the same key twice in a BatchGetItem is refused', () =>
  invalid(
    'BatchGetItem',
    { RequestItems: { [names.a]: { Keys: [item({ pk: 'a' }), item({ pk: 'a' })] } } },
    'Provided list of item keys contains duplicates',
  ));

test('a key of another shape in a BatchGetItem is refused', () =>
  invalid(
    'BatchGetItem',
    { RequestItems: { [names.b]: { Keys: [item({ pk: 'a' })] } } },
    'The provided key element does not match the schema',
  ));

test('BatchGetItem gives at most 16 MB, the rest as UnprocessedKeys', async () => {
  const text = 'x'.repeat(390_000);
  for (let n = 0; n < 50; n += 1) await put(names.a, { pk: `heavy${n}`, text });
  const RequestItems = {
    [names.a]: {
      Keys: Array.from({ length: 50 }, (_, n) => item({ pk: `heavy${n}` })),
      ProjectionExpression: 'pk, #t',
      ExpressionAttributeNames: { '#t': 'text' },
    },
  };
  const first = await call('BatchGetItem', { RequestItems });
  const got = first.Responses[names.a].length;
  const left = first.UnprocessedKeys[names.a];
  assert.ok(got >= 38 && got < 45, `${got} items of 390 KB`);
  assert.equal(got + left.Keys.length, 50);
  assert.equal(left.ProjectionExpression, 'pk, #t');
  const second = await call('BatchGetItem', { RequestItems: first.UnprocessedKeys });
  assert.equal(second.Responses[names.a].length, left.Keys.length);
});

test('a table is named by its ARN as well, and the reply shows what was written', async () => {
  const { Table } = await call('DescribeTable', { TableName: names.a });
  const arn = Table.TableArn;
  const written = await call('BatchWriteItem', {
    RequestItems: { [arn]: puts(2, 900), [names.b]: [{ PutRequest: { Item: item({ pk: 'x', sk: 9 }) } }] },
    ReturnConsumedCapacity: 'TOTAL',
  });
  assert.deepEqual(written.ConsumedCapacity.map((each) => each.TableName).sort(), [arn, names.b].sort());
  const read = await call('BatchGetItem', {
    RequestItems: { [arn]: { Keys: [item({ pk: 'k900' })] }, [names.b]: { Keys: [item({ pk: 'x', sk: 9 })] } },
    ReturnConsumedCapacity: 'TOTAL',
  });
  assert.deepEqual(plainItems(read.Responses[arn]), [{ pk: 'k900', v: 0 }]);
  assert.deepEqual(plainItems(read.Responses[names.b]), [{ pk: 'x', sk: 9 }]);
  assert.deepEqual(read.ConsumedCapacity.map((each) => each.TableName).sort(), [arn, names.b].sort());
  for (const operation of ['GetItem', 'Query']) {
    const input = {
      GetItem: { Key: item({ pk: 'k900' }) },
      Query: { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: item({ ':p': 'k900' }) },
    }[operation];
    const reply = await call(operation, { TableName: arn, ReturnConsumedCapacity: 'TOTAL', ...input });
    assert.equal(reply.ConsumedCapacity.TableName, arn);
  }
  const transaction = await call('TransactWriteItems', {
    TransactItems: [{ Put: { TableName: arn, Item: item({ pk: 'k902' }) } }],
    ReturnConsumedCapacity: 'TOTAL',
  });
  assert.equal(transaction.ConsumedCapacity[0].TableName, arn);
  await fails('BatchGetItem', { RequestItems: { [`${arn}x`]: { Keys: keys(1) } } }, kMissing);
  await invalid('BatchGetItem', { RequestItems: { [arn]: { Keys: keys(1) }, [names.a]: { Keys: keys(1) } } }, /twice/);
});
