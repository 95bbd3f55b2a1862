// GetItem and DeleteItem.

import assert from 'node:assert/strict';
import { av, call, fails, get, invalid, item, plainItem, put, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({ one: { key: 'pk:S' }, two: { key: 'pk:S sk:S' } });
const test = suite('get_delete_item', {
  ...hooks,
  before: async () => {
    await hooks.before();
    await seed();
  },
});

const kDeep = {
  pk: 'deep',
  a: 1,
  list: [1, { x: 'y', z: [10, 20] }, 3],
  map: { in: { er: 5, other: 6 }, n: null },
  'with.dot': 'dot',
  status: 'reserved',
};
async function seed() {
  await put(names.one, kDeep);
}
const project = (ProjectionExpression, ExpressionAttributeNames) =>
  get(names.one, { pk: 'deep' }, { ProjectionExpression, ExpressionAttributeNames });

test('a missing item gives no Item at all', async () => {
  const reply = await call('GetItem', { TableName: names.one, Key: item({ pk: 'nobody' }) });
  assert.equal('Item' in reply && reply.Item !== undefined, false);
});

test('reads are the same with and without ConsistentRead', async () => {
  await put(names.two, { pk: 'c', sk: '1', v: 1 });
  for (const ConsistentRead of [true, false, undefined]) {
    const reply = await call('GetItem', { TableName: names.two, Key: item({ pk: 'c', sk: '1' }), ConsistentRead });
    if (ConsistentRead) assert.deepEqual(plainItem(reply.Item), { pk: 'c', sk: '1', v: 1 });
  }
});

test('projection of top-level attributes', async () => {
  assert.deepEqual(await project('a, pk'), { pk: 'deep', a: 1 });
});

test('projection of a nested map attribute keeps the path', async () => {
  assert.deepEqual(await project('#m.#in.er', { '#m': 'map', '#in': 'in' }), { map: { in: { er: 5 } } });
});

test('projection of list elements closes the gaps', async () => {
  assert.deepEqual(await project('#l[2], #l[0]', { '#l': 'list' }), { list: [1, 3] });
});

test('projection into a map inside a list', async () => {
  assert.deepEqual(await project('#l[1].z[1]', { '#l': 'list' }), { list: [{ z: [20] }] });
});

test('projection of paths that do not exist gives an empty item', async () => {
  const reply = await call('GetItem', {
    TableName: names.one,
    Key: item({ pk: 'deep' }),
    ProjectionExpression: 'nothing, a.b, pk[3]',
  });
  assert.deepEqual(reply.Item, {});
});

test('a name with a dot needs a placeholder', async () => {
  assert.deepEqual(await project('#d', { '#d': 'with.dot' }), { 'with.dot': 'dot' });
  assert.deepEqual(await project('#d.dot', { '#d': 'with' }), {});
});

test('a reserved word in a projection is named', () =>
  invalid(
    'GetItem',
    { TableName: names.one, Key: item({ pk: 'deep' }), ProjectionExpression: 'a, status' },
    'Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: status',
  ));

test('overlapping projection paths are refused', async () => {
  const input = { TableName: names.one, Key: item({ pk: 'deep' }), ExpressionAttributeNames: { '#m': 'map' } };
  await invalid(
    'GetItem',
    { ...input, ProjectionExpression: '#m, #m.x' },
    'Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [map], path two: [map, x]',
  );
  await invalid('GetItem', { ...input, ProjectionExpression: '#m.x, #m.x' }, /Two document paths overlap/);
});

test('conflicting projection paths are refused', () =>
  invalid(
    'GetItem',
    { TableName: names.one, Key: item({ pk: 'deep' }), ProjectionExpression: 'a.b, a[1]' },
    'Invalid ProjectionExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]',
  ));

test('a syntax error shows token and neighbourhood', () =>
  invalid(
    'GetItem',
    { TableName: names.one, Key: item({ pk: 'deep' }), ProjectionExpression: 'a,,b' },
    'Invalid ProjectionExpression: Syntax error; token: ",", near: ",,b"',
  ));

test('an unused placeholder is refused', () =>
  invalid(
    'GetItem',
    {
      TableName: names.one,
      Key: item({ pk: 'deep' }),
      ProjectionExpression: 'a',
      ExpressionAttributeNames: { '#x': 'x' },
    },
    'Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}',
  ));

test('an undefined placeholder is refused', () =>
  invalid(
    'GetItem',
    { TableName: names.one, Key: item({ pk: 'deep' }), ProjectionExpression: '#nope' },
    'Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; attribute name: #nope',
  ));

test('GetItem with AttributesToGet, the older form', async () => {
  assert.deepEqual(await get(names.one, { pk: 'deep' }, { AttributesToGet: ['a', 'nothing'] }), { a: 1 });
});

test('AttributesToGet and ProjectionExpression together are refused', () =>
  invalid(
    'GetItem',
    { TableName: names.one, Key: item({ pk: 'deep' }), AttributesToGet: ['a'], ProjectionExpression: 'a' },
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}',
  ));

test('GetItem on a missing table', () =>
  fails(
    'GetItem',
    { TableName: 'no-such-table', Key: item({ pk: 'a' }) },
    'ResourceNotFoundException',
    'Requested resource not found',
  ));

test('DeleteItem removes, and again is no error', async () => {
  await put(names.two, { pk: 'd', sk: '1' });
  await call('DeleteItem', { TableName: names.two, Key: item({ pk: 'd', sk: '1' }) });
  assert.equal(await get(names.two, { pk: 'd', sk: '1' }), undefined);
  await call('DeleteItem', { TableName: names.two, Key: item({ pk: 'd', sk: '1' }) });
});

test('DeleteItem ReturnValues ALL_OLD', async () => {
  await put(names.two, { pk: 'd', sk: '2', v: [1] });
  const input = { TableName: names.two, Key: item({ pk: 'd', sk: '2' }), ReturnValues: 'ALL_OLD' };
  assert.deepEqual(plainItem((await call('DeleteItem', input)).Attributes), { pk: 'd', sk: '2', v: [1] });
  assert.equal((await call('DeleteItem', input)).Attributes, undefined);
});

test('DeleteItem refuses other ReturnValues', () =>
  invalid(
    'DeleteItem',
    { TableName: names.one, Key: item({ pk: 'a' }), ReturnValues: 'ALL_NEW' },
    'ReturnValues can only be ALL_OLD or NONE',
  ));

test('DeleteItem with a condition', async () => {
  await put(names.one, { pk: 'cond', v: 1 });
  const input = (v) => ({
    TableName: names.one,
    Key: item({ pk: 'cond' }),
    ConditionExpression: 'v = :v',
    ExpressionAttributeValues: { ':v': av(v) },
  });
  const error = await fails(
    'DeleteItem',
    { ...input(2), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
    'ConditionalCheckFailedException',
    'The conditional request failed',
  );
  assert.deepEqual(plainItem(error.Item), { pk: 'cond', v: 1 });
  await call('DeleteItem', input(1));
  assert.equal(await get(names.one, { pk: 'cond' }), undefined);
});

test('DeleteItem of a missing item fails a condition on a value', () =>
  fails(
    'DeleteItem',
    {
      TableName: names.one,
      Key: item({ pk: 'nobody' }),
      ConditionExpression: 'v = :v',
      ExpressionAttributeValues: { ':v': av(1) },
    },
    'ConditionalCheckFailedException',
  ));

test('DeleteItem wants the whole key and nothing else', async () => {
  await invalid('DeleteItem', { TableName: names.two, Key: item({ pk: 'a' }) });
  await invalid(
    'DeleteItem',
    { TableName: names.two, Key: item({ pk: 'a', other: 'b' }) },
    'The provided key element does not match the schema',
  );
  await invalid('DeleteItem', { TableName: names.two, Key: item({ pk: 'a', sk: '' }) }, /empty string value. Key: sk/);
});
