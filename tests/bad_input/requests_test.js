// Rows 20-29 and 35-38: requests that are well-formed HTTP but not good DynamoDB requests.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { av, call, createTable, dropTable, fails, invalid, item, raw, tableRequest } from '../lib/dynamo.js';
import { badSuite, kTable } from './fixture.js';

const test = badSuite('requests');
const typeOf = (reply) => reply.json?.__type?.split('#').at(-1);
const expectError = (reply, type, message) => {
  assert.equal(reply.status, 400, reply.body.toString().slice(0, 300));
  assert.equal(typeOf(reply), type, reply.body.toString().slice(0, 300));
  if (message) assert.match(reply.json.message ?? reply.json.Message ?? '', message);
};
const putValue = (v) => ({ TableName: kTable, Item: { pk: { S: 'bad' }, v } });
const putText = (value) => `{"TableName":"${kTable}","Item":{"pk":{"S":"bad"},"v":${value}}}`;
const condition = (ConditionExpression, values, names) => ({
  TableName: kTable,
  Item: item({ pk: 'bad' }),
  ConditionExpression,
  ...(values ? { ExpressionAttributeValues: item(values) } : {}),
  ...(names ? { ExpressionAttributeNames: names } : {}),
});

test('row 20: an unknown operation', async () => {
  expectError(await raw('DropEverything', {}), 'UnknownOperationException');
  expectError(await raw('putitem', {}), 'UnknownOperationException');
  expectError(
    await raw(undefined, {}, { headers: { 'x-amz-target': 'DynamoDB_20111205.PutItem' } }),
    'UnknownOperationException',
  );
  expectError(await raw(undefined, {}, { headers: { 'x-amz-target': 'Nonsense' } }), 'UnknownOperationException');
  expectError(await raw(undefined, {}, { headers: { 'x-amz-target': undefined } }), 'UnknownOperationException');
});

for (const [label, body] of Object.entries({
  'truncated JSON': '{"TableName":"x"',
  'single quotes': "{'a':1}",
  'trailing bytes': '{} x',
  'two values': '{}{}',
  'an array': '[]',
  'a bare word': 'nope',
  'an empty body': '',
  NaN: '{"Limit":NaN}',
  'a comment': '{/*x*/}',
  'a trailing comma': '{"Limit":1,}',
  'a lone surrogate escape': '{"a":"\\ud800"',
  'a control character': '{"a":"\u0001"}',
})) {
  test(`row 21: ${label} is a SerializationException`, async () => {
    const reply = await raw('ListTables', body);
    expectError(reply, 'SerializationException');
  });
}

test('row 21: invalid UTF-8 is a SerializationException', async () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]) {
    const body = Buffer.concat([
      Buffer.from(`{"TableName":"${kTable}","Item":{"pk":{"S":"`),
      Buffer.from(bytes),
      Buffer.from('"}}}'),
    ]);
    expectError(await raw('PutItem', body), 'SerializationException');
  }
});

test('row 21: duplicate keys are a SerializationException', async () => {
  expectError(
    await raw('PutItem', `{"TableName":"${kTable}","TableName":"other","Item":{"pk":{"S":"bad"}}}`),
    'SerializationException',
  );
  expectError(
    await raw('PutItem', `{"TableName":"${kTable}","Item":{"pk":{"S":"bad"},"pk":{"S":"worse"}}}`),
    'SerializationException',
  );
});

test('row 21: members of the wrong JSON kind', async () => {
  for (const body of [
    '{"TableName":1}',
    '{"TableName":{}}',
    `{"TableName":"${kTable}","Item":[]}`,
    `{"TableName":"${kTable}","Item":"x"}`,
    `{"TableName":"${kTable}","Item":{"pk":"x"}}`,
  ]) {
    expectError(await raw('PutItem', body), 'SerializationException');
  }
});

for (const [label, open, close] of [
  ['arrays', '[', ']'],
  ['objects', '{"a":', '}'],
  ['lists of values', '{"L":[', ']}'],
]) {
  test(`row 22: 200,000 nested ${label}`, async () => {
    for (const closed of [true, false]) {
      const depth = 200_000;
      const inner = open.repeat(depth) + (closed ? `${open === '[' ? '' : '1'}${close.repeat(depth)}` : '');
      const started = Date.now();
      const reply = await raw(
        'PutItem',
        `{"TableName":"${kTable}","Item":{"pk":{"S":"bad"},"v":${inner}}${closed ? '}' : ''}`,
      );
      assert.equal(reply.status, 400, reply.body.toString().slice(0, 300));
      assert.ok(['SerializationException', 'ValidationException'].includes(typeOf(reply)), typeOf(reply));
      assert.ok(Date.now() - started < 20_000, `${Date.now() - started} ms`);
    }
  });
}

const wrapped = (levels, kind) => {
  let value = av('core');
  for (let n = 0; n < levels; n += 1) value = kind === 'L' ? { L: [value] } : { M: { m: value } };
  return value;
};
test('row 23: an item nested beyond 32 levels, as map and list, item and value', async () => {
  const message =
    'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
  for (const kind of ['M', 'L']) {
    await invalid('PutItem', putValue(wrapped(32, kind)), message);
    await invalid(
      'PutItem',
      { ...condition('v = :v'), ExpressionAttributeValues: { ':v': wrapped(32, kind) } },
      /Nesting Levels have exceeded supported limits/,
    );
    await invalid(
      'UpdateItem',
      {
        TableName: kTable,
        Key: item({ pk: 'bad' }),
        UpdateExpression: 'SET v = :v',
        ExpressionAttributeValues: { ':v': wrapped(40, kind) },
      },
      /Nesting Levels/,
    );
  }
});

test('row 24: an item of 409,601 bytes in Put, Update, Batch, Transact', async () => {
  const text = 'x'.repeat(409_601 - 3 - 2 - 1);
  const message = /^Item size has exceeded the maximum allowed size/;
  await invalid('PutItem', { TableName: kTable, Item: item({ pk: 'bad', v: text }) }, message);
  await invalid(
    'BatchWriteItem',
    { RequestItems: { [kTable]: [{ PutRequest: { Item: item({ pk: 'bad', v: text }) } }] } },
    message,
  );
  await invalid(
    'UpdateItem',
    {
      TableName: kTable,
      Key: item({ pk: 'bad' }),
      UpdateExpression: 'SET v = :v',
      ExpressionAttributeValues: { ':v': av(text) },
    },
    /^Item size to update has exceeded the maximum allowed size|^Item size has exceeded/,
  );
  const error = await call('TransactWriteItems', {
    TransactItems: [{ Put: { TableName: kTable, Item: item({ pk: 'bad', v: text }) } }],
  }).then(
    () => null,
    (each) => each,
  );
  assert.ok(['ValidationException', 'TransactionCanceledException'].includes(error?.name), error?.name);
});

test('row 25: numbers that are none', async () => {
  for (const text of [
    '1'.repeat(39),
    '1E126',
    '-1E126',
    '1E-131',
    'NaN',
    'Infinity',
    '-Infinity',
    '0x1',
    ' 1',
    '1 ',
    '',
    '1e999999999999',
    '1,5',
    '٣',
    '1e',
    '.',
    '-',
    '+-1',
  ]) {
    await invalid('PutItem', putValue({ N: text }));
    await invalid('PutItem', putValue({ NS: ['1', text] }));
  }
  await invalid(
    'PutItem',
    putValue({ N: '1'.repeat(39) }),
    'Attempting to store more than 38 significant digits in a Number',
  );
});

test('row 26: a number of 5 MB is refused in no time', async () => {
  for (const digits of [
    '9'.repeat(5_000_000),
    '0'.repeat(5_000_000),
    `0.${'0'.repeat(5_000_000)}1`,
    `1e${'9'.repeat(5_000_000)}`,
  ]) {
    const started = Date.now();
    const reply = await raw('PutItem', putText(`{"N":"${digits}x"}`));
    expectError(reply, 'ValidationException');
    assert.ok(Date.now() - started < 20_000, `${Date.now() - started} ms`);
  }
});

test('row 27: expressions that are too long, too deep, too many', async () => {
  await invalid(
    'PutItem',
    condition(`v = :v${' '.repeat(4091)}`, { ':v': 1 }),
    /Expression size has exceeded the maximum allowed size/,
  );
  await invalid('PutItem', condition('('.repeat(4096)), /^Invalid ConditionExpression: /);
  await invalid('PutItem', condition('('.repeat(15_000)), /Expression size has exceeded the maximum allowed size/);
  await invalid(
    'PutItem',
    condition(`${'('.repeat(2000)}v = :v${')'.repeat(2000)}`, { ':v': 1 }),
    /^Invalid ConditionExpression: /,
  );
  await invalid('PutItem', condition(`${'NOT '.repeat(1000)}v = :v`, { ':v': 1 }), /^Invalid ConditionExpression: /);
  await invalid(
    'PutItem',
    condition(Array(151).fill('v=:v').join(' OR '), { ':v': 1 }),
    /too many operators; operator count: 301/,
  );
  await invalid('PutItem', condition(`attribute_exists(v${'.a'.repeat(2000)})`), /^Invalid ConditionExpression: /);
  await invalid('PutItem', condition(`attribute_exists(v${'[0]'.repeat(1300)})`), /^Invalid ConditionExpression: /);
  await invalid('PutItem', condition('attribute_exists(v[99999999999999999999])'), /^Invalid ConditionExpression: /);
});

test('row 28: operands, placeholders, reserved words, overlapping paths', async () => {
  const values = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`:v${n}`, n]));
  await invalid('PutItem', condition(`v IN (${Object.keys(values).join()})`, values));
  await invalid('PutItem', condition('v = :v', { ':v': 1, ':w': 1 }), /unused in expressions: keys: \{:w\}/);
  await invalid('PutItem', condition('#a = :v', { ':v': 1 }), /is not defined; attribute name: #a/);
  await invalid('PutItem', condition('name = :v', { ':v': 1 }), /reserved keyword: name/);
  await invalid(
    'UpdateItem',
    {
      TableName: kTable,
      Key: item({ pk: 'k1' }),
      UpdateExpression: 'SET a.b = :v, a = :v',
      ExpressionAttributeValues: { ':v': av(1) },
    },
    /Two document paths overlap/,
  );
});

test('row 29: keys that are empty, too long, of another type', async () => {
  await invalid('PutItem', { TableName: kTable, Item: item({ pk: '' }) });
  await invalid('PutItem', { TableName: kTable, Item: item({ pk: 'x'.repeat(2049) }) });
  await invalid('PutItem', { TableName: kTable, Item: item({ pk: 1 }) });
  await invalid('PutItem', { TableName: kTable, Item: item({ pk: 'bad', g: 5 }) });
  await invalid('GetItem', { TableName: kTable, Key: item({ pk: null }) });
  await invalid('GetItem', { TableName: kTable, Key: {} });
  await call('GetItem', { TableName: kTable, Key: item({ pk: 'a\u0000b' }) });
});

test('row 35: too many items, the same item twice, more than 4 MB', async () => {
  const puts = (count, text = '') =>
    Array.from({ length: count }, (_, n) => ({ Put: { TableName: kTable, Item: item({ pk: `bad${n}`, v: text }) } }));
  await invalid('TransactWriteItems', { TransactItems: puts(101) });
  await invalid(
    'TransactWriteItems',
    { TransactItems: [...puts(1), ...puts(1)] },
    'Transaction request cannot include multiple operations on one item',
  );
  await invalid('TransactWriteItems', { TransactItems: puts(11, 'x'.repeat(400_000)) });
  await invalid('BatchWriteItem', {
    RequestItems: { [kTable]: puts(26).map(({ Put }) => ({ PutRequest: { Item: Put.Item } })) },
  });
  await invalid('BatchGetItem', {
    RequestItems: { [kTable]: { Keys: puts(101).map(({ Put }) => ({ pk: Put.Item.pk })) } },
  });
  await invalid('BatchGetItem', { RequestItems: { [kTable]: { Keys: [item({ pk: 'k1' }), item({ pk: 'k1' })] } } });
});

test('row 36: conflicts and false conditions are never a 500', async () => {
  const kAllowed = [
    'TransactionCanceledException',
    'TransactionConflictException',
    'ConditionalCheckFailedException',
    'ThrottlingException',
    'TransactionInProgressException',
  ];
  const seen = await Promise.all(
    Array.from({ length: 200 }, (_, n) => {
      const guard = { ConditionExpression: 'v = :no', ExpressionAttributeValues: { ':no': av(-1) } };
      const action =
        n % 2
          ? call('TransactWriteItems', {
              TransactItems: [
                { Put: { TableName: kTable, Item: item({ pk: 'k1' }), ...guard } },
                { Delete: { TableName: kTable, Key: item({ pk: 'k2' }) } },
              ],
            })
          : call('UpdateItem', { TableName: kTable, Key: item({ pk: 'k1' }), UpdateExpression: 'REMOVE v', ...guard });
      return action.then(
        () => 'done',
        (error) => error.name,
      );
    }),
  );
  assert.deepEqual(
    seen.filter((name) => !kAllowed.includes(name)),
    [],
  );
});

test('row 37: a token used with another request', async () => {
  const ClientRequestToken = randomUUID();
  const check = (pk) => ({
    TransactItems: [
      { ConditionCheck: { TableName: kTable, Key: item({ pk }), ConditionExpression: 'attribute_exists(pk)' } },
    ],
    ClientRequestToken,
  });
  await call('TransactWriteItems', check('k1'));
  await fails('TransactWriteItems', check('k2'), 'IdempotentParameterMismatchException');
});

test('row 38: tables that are missing or there already', async () => {
  await fails('PutItem', { TableName: 'missing', Item: item({ pk: 'a' }) }, 'ResourceNotFoundException');
  await fails('CreateTable', tableRequest(kTable, { key: 'pk:S' }), 'ResourceInUseException');
  await fails('DeleteTable', { TableName: 'missing' }, 'ResourceNotFoundException');
});

test('row 43: a parameter of a statement is data, and a statement is one', async () => {
  const run = (Statement, Parameters) => call('ExecuteStatement', { Statement, ...(Parameters ? { Parameters } : {}) });
  const table = await createTable({ key: 'pk:S' });
  await call('PutItem', { TableName: table, Item: { pk: { S: 'mine' } } });
  for (const text of ["x' OR pk = 'mine", "mine' --", '"; DROP', "'; DELETE FROM", 'a\u0000b']) {
    const { Items } = await run(`SELECT * FROM "${table}" WHERE pk = ?`, [{ S: text }]);
    assert.deepEqual(Items, [], text);
  }
  for (const statement of [
    `SELECT * FROM "${table}" WHERE pk = 'mine'; DELETE FROM "${table}" WHERE pk = 'mine'`,
    `SELECT COUNT(*) FROM "${table}"`, `SELECT * FROM "${table}" a, "${table}" b`, `DROP TABLE "${table}"`, `${' '.repeat(8193)}`, '',
  ]) {
    await assert.rejects(run(statement), { name: 'ValidationException' }, statement.slice(0, 80));
  }
  assert.equal((await call('Scan', { TableName: table })).Count, 1);
  await dropTable(table);
});

test('row 42: forged start keys', async () => {
  const query = {
    TableName: kTable,
    IndexName: 'byG',
    KeyConditionExpression: 'g = :g',
    ExpressionAttributeValues: { ':g': av('g1') },
  };
  for (const key of [
    { pk: 'k1' },
    { g: 'g1' },
    { pk: 'k1', g: 5 },
    { pk: 'k1', g: 'g1', more: 1 },
    { pk: 'k1', g: 'g2' },
    {},
  ]) {
    await invalid('Query', { ...query, ExclusiveStartKey: item(key) });
  }
});
