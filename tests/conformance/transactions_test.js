// TransactWriteItems and TransactGetItems: atomicity, reasons, tokens, isolation.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { av, call, fails, get, invalid, item, plainItem, put, putAll, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({
  a: { key: 'pk:S', gsi: { byOwner: 'owner:S' } },
  b: { key: 'pk:S sk:N' },
  bank: { key: 'pk:S' },
});
const test = suite('transactions', hooks);
const T = () => names.a;

const doPut = (fields, more = {}) => ({ Put: { TableName: T(), Item: item(fields), ...more } });
const doDelete = (key, more = {}) => ({ Delete: { TableName: T(), Key: item(key), ...more } });
const doUpdate = (key, UpdateExpression, values, more = {}) => ({
  Update: {
    TableName: T(),
    Key: item(key),
    UpdateExpression,
    ...(values ? { ExpressionAttributeValues: item(values) } : {}),
    ...more,
  },
});
const doCheck = (key, ConditionExpression, values, more = {}) => ({
  ConditionCheck: {
    TableName: T(),
    Key: item(key),
    ConditionExpression,
    ...(values ? { ExpressionAttributeValues: item(values) } : {}),
    ...more,
  },
});
const write = (TransactItems, more = {}) => call('TransactWriteItems', { TransactItems, ...more });
const cancelled = (TransactItems, message) =>
  fails('TransactWriteItems', { TransactItems }, 'TransactionCanceledException', message);
const kNotThere = { ConditionExpression: 'attribute_not_exists(pk)' };
const codes = (error) => error.CancellationReasons.map(({ Code }) => Code);

test('all four actions together, in two tables', async () => {
  await putAll(T(), [{ pk: 'del' }, { pk: 'upd', n: 1 }, { pk: 'chk', ok: true }]);
  await write([
    doPut({ pk: 'new', v: 1 }),
    doDelete({ pk: 'del' }),
    doUpdate({ pk: 'upd' }, 'SET n = n + :one', { ':one': 1 }),
    doCheck({ pk: 'chk' }, 'ok = :t', { ':t': true }),
    { Put: { TableName: names.b, Item: item({ pk: 'x', sk: 1 }) } },
  ]);
  assert.deepEqual(
    [await get(T(), { pk: 'new' }), await get(T(), { pk: 'del' }), await get(T(), { pk: 'upd' })],
    [{ pk: 'new', v: 1 }, undefined, { pk: 'upd', n: 2 }],
  );
  assert.deepEqual(await get(names.b, { pk: 'x', sk: 1 }), { pk: 'x', sk: 1 });
});

test('one false condition and nothing happens; reasons stand in order', async () => {
  await put(T(), { pk: 'there', v: 1 });
  const error = await cancelled(
    [doPut({ pk: 'never1' }), doPut({ pk: 'there', v: 2 }, kNotThere), doPut({ pk: 'never2' })],
    'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, None]',
  );
  assert.deepEqual(codes(error), ['None', 'ConditionalCheckFailed', 'None']);
  assert.equal(error.CancellationReasons[1].Message, 'The conditional request failed');
  assert.equal(error.CancellationReasons[0].Message ?? null, null);
  assert.deepEqual([await get(T(), { pk: 'never1' }), (await get(T(), { pk: 'there' })).v], [undefined, 1]);
});

test('every failing action has its reason', async () => {
  await put(T(), { pk: 'multi', v: 1 });
  const error = await cancelled([
    doCheck({ pk: 'nobody' }, 'attribute_exists(pk)'),
    doDelete({ pk: 'multi' }, { ConditionExpression: 'v = :v', ExpressionAttributeValues: item({ ':v': 9 }) }),
    doUpdate({ pk: 'nobody2' }, 'SET a = :v', { ':v': 1, ':w': 2 }, { ConditionExpression: 'a = :w' }),
  ]);
  assert.deepEqual(codes(error), Array(3).fill('ConditionalCheckFailed'));
});

test('ReturnValuesOnConditionCheckFailure puts the item into the reason', async () => {
  await put(T(), { pk: 'reason', v: 7 });
  const error = await cancelled([
    doCheck({ pk: 'reason' }, 'v = :v', { ':v': 1 }, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    doPut({ pk: 'reason2' }),
  ]);
  assert.deepEqual(plainItem(error.CancellationReasons[0].Item), { pk: 'reason', v: 7 });
});

test('an update that cannot be applied is a ValidationError reason', async () => {
  await put(T(), { pk: 'string', v: 'text' });
  const error = await cancelled([
    doPut({ pk: 'not-written' }),
    doUpdate({ pk: 'string' }, 'SET v = v + :one', { ':one': 1 }),
  ]);
  assert.deepEqual(codes(error), ['None', 'ValidationError']);
  assert.equal(error.CancellationReasons[1].Message, 'An operand in the update expression has an incorrect data type');
  assert.equal(await get(T(), { pk: 'not-written' }), undefined);
});

test('two actions on one item are refused', async () => {
  const message = 'Transaction request cannot include multiple operations on one item';
  await invalid('TransactWriteItems', { TransactItems: [doPut({ pk: 'twice' }), doDelete({ pk: 'twice' })] }, message);
  await invalid(
    'TransactWriteItems',
    { TransactItems: [doCheck({ pk: 'twice' }, 'attribute_exists(pk)'), doPut({ pk: 'twice' })] },
    message,
  );
});

test('the same key in two tables is two items', () =>
  write([doPut({ pk: 'both' }), { Put: { TableName: names.b, Item: item({ pk: 'both', sk: 0 }) } }]));

test('100 actions pass, 101 and none do not', async () => {
  const many = (count) => Array.from({ length: count }, (_, n) => doPut({ pk: `m${n}` }));
  await write(many(100));
  assert.deepEqual(await get(T(), { pk: 'm99' }), { pk: 'm99' });
  await invalid(
    'TransactWriteItems',
    { TransactItems: many(101) },
    /Member must have length less than or equal to 100/,
  );
  await invalid('TransactWriteItems', { TransactItems: [] }, /Member must have length greater than or equal to 1/);
});

test('at most 4 MB in one transaction', async () => {
  const big = (count) => Array.from({ length: count }, (_, n) => doPut({ pk: `mb${n}`, v: 'x'.repeat(399_000) }));
  await write(big(10));
  await invalid('TransactWriteItems', { TransactItems: big(11) });
});

test('an action with two operations or none is refused', async () => {
  await invalid(
    'TransactWriteItems',
    { TransactItems: [{ ...doPut({ pk: 'x' }), ...doDelete({ pk: 'y' }) }] },
    /TransactItems can only contain one of Check, Put, Update or Delete/,
  );
  await invalid('TransactWriteItems', { TransactItems: [{}] });
});

test('a missing table', () =>
  fails(
    'TransactWriteItems',
    { TransactItems: [doPut({ pk: 'x' }), { Put: { TableName: 'no-such-table', Item: item({ pk: 'y' }) } }] },
    'ResourceNotFoundException',
  ));

test('indexes follow a transaction', async () => {
  await write([doPut({ pk: 'i1', owner: 'o' }), doPut({ pk: 'i2', owner: 'o' })]);
  const { Count } = await call('Query', {
    TableName: T(),
    IndexName: 'byOwner',
    KeyConditionExpression: '#o = :o',
    ExpressionAttributeNames: { '#o': 'owner' },
    ExpressionAttributeValues: { ':o': av('o') },
  });
  assert.equal(Count, 2);
});

test('a token replays the answer and changes nothing twice', async () => {
  await put(T(), { pk: 'tok', n: 0 });
  const input = {
    TransactItems: [doUpdate({ pk: 'tok' }, 'ADD n :one', { ':one': 1 })],
    ClientRequestToken: randomUUID(),
  };
  for (let n = 0; n < 3; n += 1) await call('TransactWriteItems', input);
  assert.equal((await get(T(), { pk: 'tok' })).n, 1);
  await call('TransactWriteItems', { ...input, ClientRequestToken: randomUUID() });
  assert.equal((await get(T(), { pk: 'tok' })).n, 2);
});

test('a token with another request is a mismatch', async () => {
  const ClientRequestToken = randomUUID();
  await write([doPut({ pk: 'mm', v: 1 })], { ClientRequestToken });
  await fails(
    'TransactWriteItems',
    { TransactItems: [doPut({ pk: 'mm', v: 2 })], ClientRequestToken },
    'IdempotentParameterMismatchException',
  );
  assert.equal((await get(T(), { pk: 'mm' })).v, 1);
});

test('a token of a cancelled transaction may be used again', async () => {
  const input = {
    TransactItems: [doPut({ pk: 'retry', v: 1 }), doCheck({ pk: 'gate' }, 'attribute_exists(pk)')],
    ClientRequestToken: randomUUID(),
  };
  await fails('TransactWriteItems', input, 'TransactionCanceledException');
  await put(T(), { pk: 'gate' });
  await call('TransactWriteItems', input);
  assert.equal((await get(T(), { pk: 'retry' })).v, 1);
});

test('a token has 1 to 36 characters', () =>
  invalid(
    'TransactWriteItems',
    { TransactItems: [doPut({ pk: 'x' })], ClientRequestToken: 'x'.repeat(37) },
    /clientRequestToken/,
  ));

test('one token sent eight times at once changes one thing once', async () => {
  await put(T(), { pk: 'par', n: 0 });
  const input = {
    TransactItems: [doUpdate({ pk: 'par' }, 'ADD n :one', { ':one': 1 })],
    ClientRequestToken: randomUUID(),
  };
  const settled = await Promise.allSettled(Array.from({ length: 8 }, () => call('TransactWriteItems', input)));
  const bad = settled.filter(
    ({ status, reason }) =>
      status === 'rejected' &&
      !['TransactionInProgressException', 'TransactionCanceledException'].includes(reason.name),
  );
  assert.deepEqual(bad, []);
  assert.equal((await get(T(), { pk: 'par' })).n, 1);
});

test('TransactGetItems answers in order, with {} for what is not there', async () => {
  await putAll(T(), [
    { pk: 'g1', v: 1, w: 2 },
    { pk: 'g2', v: 2 },
  ]);
  const Get = (pk, more) => ({ Get: { TableName: T(), Key: item({ pk }), ...more } });
  const { Responses } = await call('TransactGetItems', {
    TransactItems: [Get('g2'), Get('nobody'), Get('g1', { ProjectionExpression: 'w' })],
  });
  assert.deepEqual(
    Responses.map(({ Item }) => plainItem(Item)),
    [{ pk: 'g2', v: 2 }, undefined, { w: 2 }],
  );
});

test('TransactGetItems limits', async () => {
  const gets = (count) =>
    Array.from({ length: count }, (_, n) => ({ Get: { TableName: T(), Key: item({ pk: `m${n}` }) } }));
  assert.equal((await call('TransactGetItems', { TransactItems: gets(100) })).Responses.length, 100);
  await invalid('TransactGetItems', { TransactItems: gets(101) }, /Member must have length less than or equal to 100/);
  await fails(
    'TransactGetItems',
    { TransactItems: [{ Get: { TableName: 'no-such-table', Key: item({ pk: 'a' }) } }] },
    'ResourceNotFoundException',
  );
});

test('64 clients create one item: one wins', async () => {
  const settled = await Promise.allSettled(
    Array.from({ length: 64 }, (_, n) =>
      write([doPut({ pk: 'race', winner: n }, kNotThere), doPut({ pk: `race-side-${n}` })]),
    ),
  );
  const won = settled.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []));
  assert.equal(won.length, 1);
  assert.equal((await get(T(), { pk: 'race' })).winner, won[0]);
  for (const { status, reason } of settled) {
    if (status === 'rejected')
      assert.ok(['ConditionalCheckFailed', 'TransactionConflict'].includes(codes(reason)[0]), reason.message);
  }
  for (const n of [0, 31, 63]) assert.equal((await get(T(), { pk: `race-side-${n}` })) !== undefined, n === won[0]);
});

test('concurrent increments are all there', async () => {
  await put(T(), { pk: 'count', n: 0 });
  let done = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let n = 0; n < 15; n += 1) {
        const action =
          n % 3 === 0
            ? write([doUpdate({ pk: 'count' }, 'ADD n :one', { ':one': 1 })])
            : call('UpdateItem', {
                TableName: T(),
                Key: item({ pk: 'count' }),
                UpdateExpression: 'ADD n :one',
                ExpressionAttributeValues: item({ ':one': 1 }),
              });
        const one = await action.then(
          () => 1,
          (error) => {
            if (!['TransactionCanceledException', 'TransactionConflictException'].includes(error.name)) throw error;
            return 0;
          },
        );
        done += one;
      }
    }),
  );
  assert.equal((await get(T(), { pk: 'count' })).n, done);
});

// Money moves between accounts; every TransactGetItems of all accounts must see the same sum.
test('bank: the sum is exact in every TransactGetItems', async () => {
  const kAccounts = 20;
  const account = (n) => ({ pk: `acc${n}` });
  await putAll(
    names.bank,
    Array.from({ length: kAccounts }, (_, n) => ({ ...account(n), money: 100 })),
  );
  const change = (n, amount) => ({
    Update: {
      TableName: names.bank,
      Key: item(account(n)),
      UpdateExpression: 'SET money = money + :a',
      ...(amount < 0 ? { ConditionExpression: 'money >= :need' } : {}),
      ExpressionAttributeValues: item({ ':a': amount, ...(amount < 0 ? { ':need': -amount } : {}) }),
    },
  });
  const kConflict = ['TransactionCanceledException', 'TransactionConflictException'];
  const tolerate = (promise) =>
    promise.catch((error) => {
      if (!kConflict.includes(error.name)) throw error;
    });
  let seed = 42;
  const random = (limit) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * limit);
  };
  let moving = true;
  let sums = 0;
  const movers = Array.from({ length: 8 }, async () => {
    for (let n = 0; n < 60; n += 1) {
      const from = random(kAccounts);
      const amount = 1 + random(60);
      await tolerate(write([change(from, -amount), change((from + 1 + random(kAccounts - 1)) % kAccounts, amount)]));
    }
  });
  const readers = Array.from({ length: 3 }, async () => {
    while (moving) {
      const reply = await tolerate(
        call('TransactGetItems', {
          TransactItems: Array.from({ length: kAccounts }, (_, n) => ({
            Get: { TableName: names.bank, Key: item(account(n)) },
          })),
        }),
      );
      if (!reply) continue;
      const money = reply.Responses.map(({ Item }) => Number(Item.money.N));
      assert.equal(
        money.reduce((a, b) => a + b),
        kAccounts * 100,
      );
      assert.ok(money.every((each) => each >= 0));
      sums += 1;
    }
  });
  await Promise.all(movers).finally(() => {
    moving = false;
  });
  await Promise.all(readers);
  assert.ok(sums > 10, `only ${sums} sums were read`);
});
