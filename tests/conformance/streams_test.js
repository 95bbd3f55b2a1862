import assert from 'node:assert/strict';
import { av, call, createTable, dropTable, endpoint, fails, invalid, isLocal, item, plainItem, put, sleep } from '../lib/dynamo.js';
import { skip, suite } from '../lib/runner.js';
import { brief, connectStreams } from '../lib/streams.js';

let streams;
const made = [];
const test = suite('streams', {
  before: async () => {
    if (isLocal()) streams = connectStreams(endpoint().href);
  },
  after: () => Promise.all(made.map(dropTable)),
});

async function tableWith(view, more = {}) {
  if (!isLocal()) skip('reads with the credentials and the endpoint of a local server');
  const name = await createTable({
    key: 'pk:S sk:N',
    ...(view ? { StreamSpecification: { StreamEnabled: true, StreamViewType: view } } : {}),
    ...more,
  });
  made.push(name);
  const { Table } = await call('DescribeTable', { TableName: name });
  return { name, table: Table, arn: Table.LatestStreamArn };
}

const update = (TableName, StreamSpecification) => call('UpdateTable', { TableName, StreamSpecification });
const atLeast = (count) => (records) => records.length >= count;

for (const [view, shows] of Object.entries({
  KEYS_ONLY: [false, false],
  NEW_IMAGE: [false, true],
  OLD_IMAGE: [true, false],
  NEW_AND_OLD_IMAGES: [true, true],
})) {
  test(`${view}: records of a put, an update and a delete`, async () => {
    const { name, table, arn } = await tableWith(view);
    assert.deepEqual(table.StreamSpecification, { StreamEnabled: true, StreamViewType: view });
    assert.equal(arn, `${table.TableArn}/stream/${table.LatestStreamLabel}`);
    assert.match(table.LatestStreamLabel, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
    const key = { pk: 'a', sk: 1 };
    await put(name, { ...key, n: 1 });
    await call('UpdateItem', {
      TableName: name,
      Key: item(key),
      UpdateExpression: 'SET n = :n',
      ExpressionAttributeValues: { ':n': av(2) },
    });
    await call('DeleteItem', { TableName: name, Key: item(key) });
    const records = await streams.follow(arn, atLeast(3));
    const image = (side, n) => (shows[side] ? { ...key, n } : undefined);
    assert.deepEqual(records.map(brief), [
      ['INSERT', key, undefined, image(1, 1)],
      ['MODIFY', key, image(0, 1), image(1, 2)],
      ['REMOVE', key, image(0, 2), undefined],
    ]);
    for (const record of records) {
      assert.match(record.eventID, /^[0-9a-f]{32}$/);
      assert.equal(record.eventVersion, '1.1');
      assert.equal(record.eventSource, 'aws:dynamodb');
      assert.equal(record.awsRegion, 'us-east-1');
      assert.equal(record.userIdentity, undefined);
      assert.equal(record.dynamodb.StreamViewType, view);
      assert.match(record.dynamodb.SequenceNumber, /^\d{21,40}$/);
      assert.ok(record.dynamodb.SizeBytes > 0);
      assert.ok(record.dynamodb.ApproximateCreationDateTime instanceof Date);
    }
    const numbers = records.map((each) => BigInt(each.dynamodb.SequenceNumber));
    assert.ok(numbers[0] < numbers[1] && numbers[1] < numbers[2]);
  });
}

test('no record for a write that changes nothing', async () => {
  const { name, arn } = await tableWith('NEW_IMAGE');
  await put(name, { pk: 'a', sk: 1, set: new Set(['x', 'y']) });
  await put(name, { pk: 'a', sk: 1, set: new Set(['y', 'x']) });
  await call('DeleteItem', { TableName: name, Key: item({ pk: 'a', sk: 2 }) });
  await call('UpdateItem', { TableName: name, Key: item({ pk: 'a', sk: 1 }) });
  await put(name, { pk: 'a', sk: 3 });
  const records = await streams.follow(arn, (all) => all.some((each) => each.dynamodb.Keys.sk.N === '3'));
  assert.deepEqual(records.map((each) => [each.eventName, each.dynamodb.Keys.sk.N]), [['INSERT', '1'], ['INSERT', '3']]);
});

test('batches and transactions are in it, failed ones are not', async () => {
  const { name, arn } = await tableWith('KEYS_ONLY');
  const requests = [1, 2, 3].map((sk) => ({ PutRequest: { Item: item({ pk: 'a', sk }) } }));
  await call('BatchWriteItem', { RequestItems: { [name]: requests } });
  await call('TransactWriteItems', {
    TransactItems: [
      { Put: { TableName: name, Item: item({ pk: 'a', sk: 4 }) } },
      { Delete: { TableName: name, Key: item({ pk: 'a', sk: 1 }) } },
    ],
  });
  const missing = { TableName: name, Key: item({ pk: 'none', sk: 0 }), ConditionExpression: 'attribute_exists(pk)' };
  await fails(
    'TransactWriteItems',
    { TransactItems: [{ Put: { TableName: name, Item: item({ pk: 'a', sk: 5 }) } }, { ConditionCheck: missing }] },
    'TransactionCanceledException',
  );
  await call('BatchWriteItem', { RequestItems: { [name]: [{ DeleteRequest: { Key: item({ pk: 'a', sk: 2 }) } }] } });
  const records = await streams.follow(arn, atLeast(6));
  assert.deepEqual(records.map((each) => [each.eventName, each.dynamodb.Keys.sk.N]), [
    ['INSERT', '1'],
    ['INSERT', '2'],
    ['INSERT', '3'],
    ['INSERT', '4'],
    ['REMOVE', '1'],
    ['REMOVE', '2'],
  ]);
});

test('expired items are removed by the service', async () => {
  const { name, arn } = await tableWith('OLD_IMAGE');
  await call('UpdateTimeToLive', { TableName: name, TimeToLiveSpecification: { AttributeName: 'ends', Enabled: true } });
  await put(name, { pk: 'a', sk: 1, ends: Math.floor(Date.now() / 1000) - 60 });
  const [, removed] = await streams.follow(arn, atLeast(2));
  assert.equal(removed.eventName, 'REMOVE');
  assert.deepEqual(removed.userIdentity, { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' });
  assert.equal(removed.dynamodb.OldImage.pk.S, 'a');
});

test('enabled and disabled by UpdateTable, with its complaints', async () => {
  const { name, table } = await tableWith(undefined, { StreamSpecification: { StreamEnabled: false } });
  assert.equal(table.StreamSpecification, undefined);
  assert.equal(table.LatestStreamArn, undefined);
  const refused = (StreamSpecification, message) => invalid('UpdateTable', { TableName: name, StreamSpecification }, message);
  await refused({ StreamEnabled: false }, `Table has no stream to disable: TableName: ${name}`);
  const parameter = 'One or more parameter values were invalid: ';
  await refused({ StreamEnabled: true }, `${parameter}If stream is being enabled then UpdateViewType is required`);
  await refused(
    { StreamEnabled: false, StreamViewType: 'KEYS_ONLY' },
    `${parameter}If stream is being disabled, then UpdateViewType must not be specified`,
  );
  await refused({ StreamEnabled: true, StreamViewType: 'ALL' }, /enum value set: \[OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE\]/);
  await refused({}, /Value null at 'streamSpecification.streamEnabled'/);
  const { TableDescription: on } = await update(name, { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' });
  assert.equal(on.TableStatus, 'UPDATING');
  assert.deepEqual(on.StreamSpecification, { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' });
  await refused({ StreamEnabled: true, StreamViewType: 'KEYS_ONLY' }, `Table already has an enabled stream: TableName: ${name}`);
  await put(name, { pk: 'a', sk: 1 });
  await update(name, { StreamEnabled: false });
  await put(name, { pk: 'a', sk: 2 });
  const { Table: off } = await call('DescribeTable', { TableName: name });
  assert.equal(off.StreamSpecification, undefined);
  assert.equal(off.LatestStreamArn, on.LatestStreamArn);
  const { TableDescription: again } = await update(name, { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' });
  assert.notEqual(again.LatestStreamArn, on.LatestStreamArn);
  const { Streams } = await streams.call('ListStreams', { TableName: name });
  assert.deepEqual(Streams.map((each) => each.StreamArn).sort(), [on.LatestStreamArn, again.LatestStreamArn].sort());
  // The old one is read to its end: its shards are closed.
  const { StreamDescription } = await streams.call('DescribeStream', { StreamArn: on.LatestStreamArn });
  assert.equal(StreamDescription.StreamStatus, 'DISABLED');
  let count = 0;
  for (const { ShardId, SequenceNumberRange } of StreamDescription.Shards) {
    assert.ok(SequenceNumberRange.EndingSequenceNumber);
    const page = await streams.call('GetRecords', {
      ShardIterator: await streams.iterator(on.LatestStreamArn, ShardId, 'TRIM_HORIZON'),
    });
    assert.equal(page.NextShardIterator, undefined);
    count += page.Records.length;
  }
  assert.equal(count, 1);
});

test('a deleted table leaves its stream for a day', async () => {
  const { name, arn } = await tableWith('NEW_IMAGE');
  await put(name, { pk: 'a', sk: 1 });
  const { TableDescription } = await call('DeleteTable', { TableName: name });
  assert.equal(TableDescription.TableStatus, 'DELETING');
  const { StreamDescription } = await streams.call('DescribeStream', { StreamArn: arn });
  assert.equal(StreamDescription.StreamStatus, 'DISABLED');
  assert.equal(StreamDescription.TableName, name);
  assert.deepEqual((await streams.follow(arn, atLeast(1))).map((each) => each.eventName), ['INSERT']);
});

test('DescribeStream and ListStreams in pages', async () => {
  const { name, table, arn } = await tableWith('NEW_IMAGE');
  const { StreamDescription } = await streams.call('DescribeStream', { StreamArn: arn });
  assert.equal(StreamDescription.StreamStatus, 'ENABLED');
  assert.equal(StreamDescription.StreamViewType, 'NEW_IMAGE');
  assert.equal(StreamDescription.StreamLabel, table.LatestStreamLabel);
  assert.deepEqual(StreamDescription.KeySchema, table.KeySchema);
  assert.ok(StreamDescription.CreationRequestDateTime instanceof Date);
  const ids = StreamDescription.Shards.map((each) => each.ShardId);
  assert.ok(ids.length > 1);
  assert.deepEqual(ids, [...ids].sort());
  for (const id of ids) assert.ok(id.length >= 28 && id.length <= 65, id);
  assert.deepEqual((await streams.shards(arn)).map((each) => each.ShardId), ids);
  const behind = await streams.call('DescribeStream', { StreamArn: arn, ExclusiveStartShardId: ids.at(-1) });
  assert.deepEqual(behind.StreamDescription.Shards, []);
  const children = await streams.call('DescribeStream', { StreamArn: arn, ShardFilter: { Type: 'CHILD_SHARDS', ShardId: ids[0] } });
  assert.deepEqual(children.StreamDescription.Shards, []);

  const other = await tableWith('KEYS_ONLY');
  const listed = [];
  let last;
  do {
    const page = await streams.call('ListStreams', { Limit: 1, ExclusiveStartStreamArn: last });
    assert.ok(page.Streams.length <= 1);
    listed.push(...page.Streams);
    last = page.LastEvaluatedStreamArn;
  } while (last);
  for (const each of [{ name, arn }, other]) {
    assert.equal(listed.filter(({ TableName, StreamArn }) => TableName === each.name && StreamArn === each.arn).length, 1);
  }
});

test('iterators of all four kinds', async () => {
  const { name, arn } = await tableWith('NEW_IMAGE');
  for (let sk = 1; sk <= 5; sk += 1) await put(name, { pk: 'a', sk });
  const records = await streams.follow(arn, atLeast(5));
  const inOrder = async (place) => {
    const seen = [];
    for (;;) {
      const page = await streams.call('GetRecords', { ShardIterator: place, Limit: 2 });
      if (page.Records.length === 0) return seen;
      assert.ok(page.Records.length <= 2);
      seen.push(...page.Records.map((each) => Number(each.dynamodb.Keys.sk.N)));
      place = page.NextShardIterator;
    }
  };
  let shard;
  for (const { ShardId } of await streams.shards(arn)) {
    if ((await inOrder(await streams.iterator(arn, ShardId, 'TRIM_HORIZON'))).length > 0) shard = ShardId;
  }
  const third = records[2].dynamodb.SequenceNumber;
  assert.deepEqual(await inOrder(await streams.iterator(arn, shard, 'TRIM_HORIZON')), [1, 2, 3, 4, 5]);
  assert.deepEqual(await inOrder(await streams.iterator(arn, shard, 'AT_SEQUENCE_NUMBER', third)), [3, 4, 5]);
  assert.deepEqual(await inOrder(await streams.iterator(arn, shard, 'AFTER_SEQUENCE_NUMBER', third)), [4, 5]);
  const latest = await streams.iterator(arn, shard, 'LATEST');
  assert.deepEqual(await inOrder(latest), []);
  await put(name, { pk: 'a', sk: 6 });
  assert.deepEqual(await inOrder(latest), [6]);
});

test('what is not there, and what is not right', async () => {
  const { arn } = await tableWith('NEW_IMAGE');
  const [{ ShardId }] = await streams.shards(arn);
  const place = (more) => ({ StreamArn: arn, ShardId, ShardIteratorType: 'LATEST', ...more });
  const nonsense = 'nonsense-that-is-long-enough-to-pass-for-something';
  await streams.fails('DescribeStream', { StreamArn: nonsense }, 'ValidationException');
  await streams.fails('DescribeStream', { StreamArn: 'short' }, 'ValidationException');
  await streams.fails('DescribeStream', { StreamArn: `${arn}9` }, 'ResourceNotFoundException', /^Requested resource not found/);
  await streams.fails('GetShardIterator', place({ StreamArn: `${arn}9` }), 'ResourceNotFoundException');
  await streams.fails('GetShardIterator', place({ ShardId: nonsense }), 'ResourceNotFoundException');
  await streams.fails('GetShardIterator', place({ ShardIteratorType: 'LAST' }), 'ValidationException');
  await streams.fails('GetShardIterator', place({ ShardIteratorType: 'AT_SEQUENCE_NUMBER' }), 'ValidationException');
  const zeros = '0'.repeat(21);
  await streams.fails('GetShardIterator', place({ SequenceNumber: zeros }), 'ValidationException');
  await streams.fails('GetShardIterator', place({ ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber: zeros }), 'ValidationException');
  await streams.fails('GetRecords', { ShardIterator: nonsense }, 'ValidationException', /^Invalid ShardIterator/);
  const iterator = await streams.iterator(arn, ShardId, 'LATEST');
  for (const Limit of [0, 1001]) await streams.fails('GetRecords', { ShardIterator: iterator, Limit }, 'ValidationException');
  await streams.fails('GetRecords', { ShardIterator: `${iterator.slice(0, -6)}AAAAA=` }, 'ValidationException');
  await streams.fails('ListStreams', { Limit: 0 }, 'ValidationException');
  await streams.fails('ListStreams', { ExclusiveStartStreamArn: nonsense }, 'ValidationException');
});

test('a page holds at most a megabyte', async () => {
  const { name, arn } = await tableWith('NEW_IMAGE');
  for (let sk = 0; sk < 5; sk += 1) await put(name, { pk: 'a', sk, filler: 'x'.repeat(300_000) });
  const sizes = [];
  for (const { ShardId } of await streams.shards(arn)) {
    let place = await streams.iterator(arn, ShardId, 'TRIM_HORIZON');
    for (;;) {
      const page = await streams.call('GetRecords', { ShardIterator: place });
      if (page.Records.length === 0) break;
      sizes.push(page.Records.length);
      place = page.NextShardIterator;
    }
  }
  assert.deepEqual(sizes, [3, 2]);
});

test('all shards read while eight clients write: each write once, in order per key', async () => {
  const { name, arn } = await tableWith('NEW_AND_OLD_IMAGES');
  const writers = 8;
  const rounds = 40;
  const keys = 4;
  const write = async (writer) => {
    for (let n = 1; n <= rounds; n += 1) {
      const key = { pk: `${writer}-${n % keys}`, sk: 0 };
      if (n % 5 === 0) {
        await call('TransactWriteItems', { TransactItems: [{ Put: { TableName: name, Item: item({ ...key, n }) } }] });
      } else {
        await put(name, { ...key, n });
      }
      if (n % 7 === 0) await sleep(1);
    }
  };
  const reading = streams.follow(arn, atLeast(writers * rounds), { limit: 20 });
  const [records] = await Promise.all([reading, ...[...Array(writers).keys()].map(write)]);
  assert.equal(records.length, writers * rounds);
  assert.equal(new Set(records.map((each) => each.eventID)).size, records.length);
  const last = new Map();
  for (const record of records) {
    const [event, key, before, after] = brief(record);
    assert.equal(event, last.has(key.pk) ? 'MODIFY' : 'INSERT');
    assert.equal(before?.n, last.get(key.pk));
    assert.ok(after.n > (before?.n ?? 0));
    last.set(key.pk, after.n);
  }
  assert.equal(last.size, writers * keys);
  const { Items } = await call('Scan', { TableName: name, ConsistentRead: true });
  for (const each of Items.map(plainItem)) assert.equal(last.get(each.pk), each.n);
});
