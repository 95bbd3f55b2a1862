// PutItem: replacement, conditions, return values, keys.

import assert from 'node:assert/strict';
import { av, bytes, call, fails, get, invalid, item, num, plainItem, put, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({
  one: { key: 'pk:S' },
  two: { key: 'pk:S sk:N' },
  binary: { key: 'pk:B sk:B' },
  indexed: { key: 'pk:S sk:S', gsi: { gsi: 'gpk:S gsk:N' }, lsi: { lsi: 'lsk:S' } },
});
const test = suite('put_item', hooks);
const kSchema = 'The provided key element does not match the schema';
const kInvalid = 'One or more parameter values were invalid: ';

test('stores an item and answers nothing but metadata', async () => {
  const reply = await put(names.one, { pk: 'a', n: 1 });
  assert.equal(reply.Attributes, undefined);
  assert.equal(reply.ConsumedCapacity, undefined);
  assert.deepEqual(await get(names.one, { pk: 'a' }), { pk: 'a', n: 1 });
});

test('replaces the whole item', async () => {
  await put(names.one, { pk: 'r', old: 1, kept: 1 });
  await put(names.one, { pk: 'r', kept: 2 });
  assert.deepEqual(await get(names.one, { pk: 'r' }), { pk: 'r', kept: 2 });
});

test('ReturnValues ALL_OLD gives the old item, nothing for a new one', async () => {
  const first = await put(names.one, { pk: 'rv', n: 1 }, { ReturnValues: 'ALL_OLD' });
  assert.equal(first.Attributes, undefined);
  const second = await put(names.one, { pk: 'rv', n: 2 }, { ReturnValues: 'ALL_OLD' });
  assert.deepEqual(plainItem(second.Attributes), { pk: 'rv', n: 1 });
  const none = await put(names.one, { pk: 'rv', n: 3 }, { ReturnValues: 'NONE' });
  assert.equal(none.Attributes, undefined);
});

for (const value of ['ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW']) {
  test(`ReturnValues ${value} is refused`, () =>
    invalid(
      'PutItem',
      { TableName: names.one, Item: item({ pk: 'a' }), ReturnValues: value },
      'ReturnValues can only be ALL_OLD or NONE',
    ));
}

test('an unknown ReturnValues names the allowed ones', () =>
  invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'a' }), ReturnValues: 'SOME' },
    /^1 validation error detected: Value 'SOME' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: \[/,
  ));

test('attribute_not_exists lets one of two puts through', async () => {
  const more = { ConditionExpression: 'attribute_not_exists(pk)' };
  await put(names.one, { pk: 'once', n: 1 }, more);
  await fails(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'once', n: 2 }), ...more },
    'ConditionalCheckFailedException',
    'The conditional request failed',
  );
  assert.deepEqual(await get(names.one, { pk: 'once' }), { pk: 'once', n: 1 });
});

test('ReturnValuesOnConditionCheckFailure ALL_OLD puts the item into the error', async () => {
  await put(names.one, { pk: 'occ', v: 7 });
  const input = {
    TableName: names.one,
    Item: item({ pk: 'occ', v: 8 }),
    ConditionExpression: 'v = :v',
    ExpressionAttributeValues: { ':v': av(1) },
  };
  const with_ = await fails(
    'PutItem',
    { ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
    'ConditionalCheckFailedException',
  );
  assert.deepEqual(plainItem(with_.Item), { pk: 'occ', v: 7 });
  const without = await fails(
    'PutItem',
    { ...input, ReturnValuesOnConditionCheckFailure: 'NONE' },
    'ConditionalCheckFailedException',
  );
  assert.equal(without.Item, undefined);
});

test('no item in the error when there was none', async () => {
  const error = await fails(
    'PutItem',
    {
      TableName: names.one,
      Item: item({ pk: 'nobody' }),
      ConditionExpression: 'attribute_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
    'ConditionalCheckFailedException',
  );
  assert.equal(error.Item, undefined);
});

test('a condition sees the item as it was, not as it will be', async () => {
  await put(names.one, { pk: 'seen', v: 1 });
  await fails(
    'PutItem',
    {
      TableName: names.one,
      Item: item({ pk: 'seen', v: 2 }),
      ConditionExpression: 'v = :v',
      ExpressionAttributeValues: { ':v': av(2) },
    },
    'ConditionalCheckFailedException',
  );
});

test('a missing key attribute is named', () =>
  invalid('PutItem', { TableName: names.two, Item: item({ pk: 'a' }) }, `${kInvalid}Missing the key sk in the item`));

test('a key attribute of the wrong type is named', () =>
  invalid(
    'PutItem',
    { TableName: names.two, Item: item({ pk: 'a', sk: 'x' }) },
    `${kInvalid}Type mismatch for key sk expected: N actual: S`,
  ));

test('an empty string key is refused', () =>
  invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: '' }) },
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
  ));

test('an empty binary key is refused', () =>
  invalid(
    'PutItem',
    { TableName: names.binary, Item: item({ pk: bytes(), sk: bytes(1) }) },
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary value. Key: pk',
  ));

test('an index key of the wrong type is refused', () =>
  invalid(
    'PutItem',
    { TableName: names.indexed, Item: item({ pk: 'a', sk: 'b', gpk: 1 }) },
    /Type mismatch for Index Key gpk Expected: S Actual: N IndexName: gsi/,
  ));

test('an empty string in an index key is refused', () =>
  invalid('PutItem', { TableName: names.indexed, Item: item({ pk: 'a', sk: 'b', gpk: '' }) }, /empty string value/));

test('a partition key has at most 2048 bytes', async () => {
  await put(names.one, { pk: 'k'.repeat(2048) });
  await invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'k'.repeat(2049) }) },
    `${kInvalid}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
  );
});

test('a sort key has at most 1024 bytes', async () => {
  await put(names.binary, { pk: bytes(1), sk: bytes(Array(1024).fill(7)) });
  await invalid(
    'PutItem',
    { TableName: names.binary, Item: item({ pk: bytes(1), sk: bytes(Array(1025).fill(7)) }) },
    `${kInvalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
  );
});

test('number keys are equal by value, not by text', async () => {
  await put(names.two, { pk: 'n', sk: num('1.50'), v: 1 });
  await put(names.two, { pk: 'n', sk: num('15e-1'), v: 2 });
  assert.deepEqual(await get(names.two, { pk: 'n', sk: num('1.5') }), { pk: 'n', sk: 1.5, v: 2 });
});

test('a key with NUL bytes and every byte value is legal data', async () => {
  const pk = bytes([...Array(256).keys()]);
  await put(names.binary, { pk, sk: bytes(0), v: 1 });
  await put(names.binary, { pk, sk: bytes(0, 0), v: 2 });
  assert.equal((await get(names.binary, { pk, sk: bytes(0) })).v, 1);
  assert.equal((await get(names.binary, { pk, sk: bytes(0, 0) })).v, 2);
  await put(names.one, { pk: 'a\u0000b', v: 3 });
  assert.equal((await get(names.one, { pk: 'a\u0000b' })).v, 3);
});

test('items of other keys are untouched', async () => {
  await put(names.two, { pk: 'x', sk: 1, v: 1 });
  await put(names.two, { pk: 'x', sk: 2, v: 2 });
  await put(names.two, { pk: 'x', sk: 1, v: 3 });
  assert.equal((await get(names.two, { pk: 'x', sk: 2 })).v, 2);
});

test('a missing table', () =>
  fails(
    'PutItem',
    { TableName: 'no-such-table', Item: item({ pk: 'a' }) },
    'ResourceNotFoundException',
    'Requested resource not found',
  ));

test('table names are checked', async () => {
  const input = { Item: item({ pk: 'a' }) };
  await invalid(
    'PutItem',
    { ...input, TableName: 'a!b' },
    /Member must satisfy regular expression pattern: \[a-zA-Z0-9_\.-\]\+/,
  );
  await invalid('PutItem', { ...input, TableName: 'n'.repeat(256) });
});

test('a table may be named by its ARN', async () => {
  const { Table } = await call('DescribeTable', { TableName: names.one });
  await call('PutItem', { TableName: Table.TableArn, Item: item({ pk: 'by-arn', v: 1 }) });
  assert.deepEqual(await get(names.one, { pk: 'by-arn' }), { pk: 'by-arn', v: 1 });
});

test('values without an expression are refused', () =>
  invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'a' }), ExpressionAttributeValues: { ':v': av(1) } },
    'ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null',
  ));

test('names without an expression are refused', () =>
  invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'a' }), ExpressionAttributeNames: { '#a': 'b' } },
    /^ExpressionAttributeNames can only be specified when using expressions/,
  ));

test('an empty condition is refused', () =>
  invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'a' }), ConditionExpression: '' },
    'Invalid ConditionExpression: The expression can not be empty;',
  ));

test('a key in another shape fails GetItem, not PutItem', async () => {
  await put(names.one, { pk: 'shape', sk: 'an ordinary attribute here' });
  await invalid(
    'GetItem',
    { TableName: names.one, Key: item({ pk: 'shape', sk: 'x' }) },
    /^The number of conditions on the keys is invalid$|^The provided key element does not match the schema$/,
  );
  await invalid(
    'GetItem',
    { TableName: names.two, Key: item({ pk: 'shape' }) },
    /^The number of conditions on the keys is invalid$|^The provided key element does not match the schema$/,
  );
  await invalid('GetItem', { TableName: names.one, Key: item({ pk: 5 }) }, kSchema);
});
