// ExecuteStatement, BatchExecuteStatement and ExecuteTransaction.

import assert from 'node:assert/strict';
import { av, call, fails, get, invalid, plainItem, put, putAll, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({
  h: { key: 'pk:S' },
  s: { key: 'pk:S sk:N', gsi: { byG: 'g:S sk:N' } },
});
const test = suite('partiql', hooks);
const H = () => `"${names.h}"`;
const S = () => `"${names.s}"`;

const run = (Statement, ...values) =>
  call('ExecuteStatement', { Statement, ...(values.length ? { Parameters: values.map(av) } : {}) });
const rows = async (...args) => (await run(...args)).Items.map(plainItem);
const refused = (Statement, message, more = {}) => invalid('ExecuteStatement', { Statement, ...more }, message);
const batch = (texts, more = {}) =>
  call('BatchExecuteStatement', { Statements: texts.map((Statement) => ({ Statement })), ...more });
const transact = (texts, more = {}) => ({ TransactStatements: texts.map((Statement) => ({ Statement })), ...more });
const kNotWellFormed = "Statement wasn't well formed, can't be processed: ";
const kNoKey = 'Where clause does not contain a mandatory equality on all key attributes';

test('insert, select, update and delete', async () => {
  assert.deepEqual(
    await rows(
      `INSERT INTO ${H()} VALUE {'pk': 'crud', 'n': 1.50, 'f': false, 'z': null, 'l': [1, 'x'], 'm': {'k': -2E3}, 'q': 'it''s'}`,
    ),
    [],
  );
  assert.deepEqual(await get(names.h, { pk: 'crud' }), {
    pk: 'crud', n: 1.5, f: false, z: null, l: [1, 'x'], m: { k: -2000 }, q: "it's",
  });
  assert.deepEqual(await rows(`SELECT pk, m.k, l[1], none FROM ${H()} WHERE pk = 'crud'`), [
    { pk: 'crud', k: -2000, 'l[1]': 'x' },
  ]);
  assert.deepEqual(
    await rows(`UPDATE ${H()} SET n = n + 1, m.k = 'new' REMOVE z WHERE pk = 'crud' RETURNING MODIFIED NEW *`),
    [{ n: 2.5, m: { k: 'new' } }],
  );
  const gone = await rows(`DELETE FROM ${H()} WHERE pk = 'crud' AND n > 2 RETURNING ALL OLD *`);
  assert.equal(gone[0].pk, 'crud');
  assert.equal(await get(names.h, { pk: 'crud' }), undefined);
});

test('parameters of every type stand for ?', async () => {
  const value = { a: [1, null, new Set(['x', 'y'])], b: true };
  await run(`INSERT INTO ${H()} VALUE {'pk': ?, 'v': ?}`, 'params', value);
  assert.deepEqual(await rows(`SELECT v FROM ${H()} WHERE pk = ? AND v.b = ?`, 'params', true), [{ v: value }]);
  await run(`INSERT INTO ${H()} VALUE ?`, { pk: 'whole', n: 1 });
  assert.deepEqual(await get(names.h, { pk: 'whole' }), { pk: 'whole', n: 1 });
  await refused(`SELECT * FROM ${H()} WHERE pk = ?`, "Number of parameters in request and statement don't match.");
});

test('an insert of a key that exists is refused, and so is an update of one that does not', async () => {
  await put(names.h, { pk: 'dup', v: 1 });
  await fails(
    'ExecuteStatement',
    { Statement: `INSERT INTO ${H()} VALUE {'pk': 'dup'}` },
    'DuplicateItemException',
    'Duplicate primary key exists in table',
  );
  for (const Statement of [
    `UPDATE ${H()} SET v = 2 WHERE pk = 'nobody'`,
    `UPDATE ${H()} SET v = 2 WHERE pk = 'dup' AND v = 7`,
    `DELETE FROM ${H()} WHERE pk = 'dup' AND NOT begins_with(pk, 'd')`,
    `FROM ${H()} WHERE pk = 'dup' AND v IS MISSING SET v = 3`,
  ]) {
    await fails('ExecuteStatement', { Statement }, 'ConditionalCheckFailedException', 'The conditional request failed');
  }
  assert.deepEqual(await rows(`DELETE FROM ${H()} WHERE pk = 'nobody' AND v = 1 RETURNING ALL OLD *`), []);
  assert.deepEqual(await get(names.h, { pk: 'dup' }), { pk: 'dup', v: 1 });
});

test('the item that failed a condition comes back when asked for', async () => {
  await put(names.h, { pk: 'old', v: 1 });
  const error = await fails(
    'ExecuteStatement',
    { Statement: `UPDATE ${H()} SET v = 2 WHERE pk = 'old' AND v = 9`, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
    'ConditionalCheckFailedException',
  );
  assert.deepEqual(plainItem(error.Item), { pk: 'old', v: 1 });
});

test('sets and lists change in place', async () => {
  await put(names.h, { pk: 'sets', ss: new Set(['a', 'b']), l: [1] });
  await run(
    `UPDATE ${H()} SET ss = set_add(ss, <<'c'>>) SET fresh = SET_ADD(fresh, <<1, 2>>) SET l = list_append(l, [2, <<'x'>>]) WHERE pk = 'sets'`,
  );
  await run(`UPDATE ${H()} SET ss = set_delete(ss, <<'a'>>) WHERE pk = 'sets'`);
  assert.deepEqual(await get(names.h, { pk: 'sets' }), {
    pk: 'sets', ss: new Set(['b', 'c']), fresh: new Set([1, 2]), l: [1, 2, new Set(['x'])],
  });
  await refused(`UPDATE ${H()} SET ss = set_add(ss, <<>>) WHERE pk = 'sets'`, 'Empty bags are not supported');
  await refused(
    `UPDATE ${H()} SET ss = set_add(ss, <<1>>) WHERE pk = 'sets'`,
    'An operand in the update expression has an incorrect data type',
  );
});

test('conditions, functions and IS', async () => {
  await put(names.h, { pk: 'cond', n: 5, t: 'text', z: null, s: new Set(['x']) });
  const holds = async (condition) => (await rows(`SELECT pk FROM ${H()} WHERE pk = 'cond' AND ${condition}`)).length === 1;
  for (const condition of [
    'n BETWEEN 4 AND 6', 'n IN [1, 5]', 'n <> 4', 'NOT (n = 4 OR n = 6)', "contains(s, 'x')", 'SIZE(t) >= 4',
    "attribute_type(n, 'N')", 'gone IS MISSING', 'n IS NOT MISSING', 'z IS NULL', 't IS STRING', 'attribute_exists(t)',
  ]) {
    assert.ok(await holds(condition), condition);
  }
  for (const condition of ['n > 5', 'gone IS NULL', 'n IS STRING', "attribute_not_exists(t) OR t = 'x'"]) {
    assert.ok(!(await holds(condition)), condition);
  }
  await refused(
    `SELECT * FROM ${H()} WHERE pk = 'cond' AND n < ?`,
    'Incorrect operand type for operator or function; operator or function: <, operand type: BOOL',
    { Parameters: [{ BOOL: true }] },
  );
});

test('partitions are queried in order, over pages', async () => {
  const all = [];
  for (const pk of ['p1', 'p2', 'p3']) for (let sk = 1; sk <= 5; sk += 1) all.push({ pk, sk, g: `g${sk % 2}` });
  await putAll(names.s, all);
  assert.deepEqual((await rows(`SELECT sk FROM ${S()} WHERE pk = 'p1' AND sk > 2 ORDER BY sk DESC`)).map(({ sk }) => sk), [5, 4, 3]);
  const paged = async (Statement, Limit) => {
    const found = [];
    for (let NextToken; ; ) {
      const page = await call('ExecuteStatement', { Statement, Limit, NextToken });
      assert.ok(page.Items.length <= Limit);
      found.push(...page.Items.map(plainItem));
      NextToken = page.NextToken;
      if (!NextToken) return found;
    }
  };
  assert.deepEqual(
    await paged(`SELECT pk, sk FROM ${S()} WHERE pk IN ['p3', 'p1'] AND sk <> 3 ORDER BY pk ASC, sk ASC`, 2),
    ['p1', 'p3'].flatMap((pk) => [1, 2, 4, 5].map((sk) => ({ pk, sk }))),
  );
  assert.equal((await paged(`SELECT * FROM ${S()} WHERE sk >= 4`, 4)).length, 6);
  assert.equal((await paged(`SELECT * FROM ${S()}."byG" WHERE g = 'g1' AND sk BETWEEN 3 AND 9`, 3)).length, 6);
});

test('a token is good for its own statement only', async () => {
  await putAll(names.s, [{ pk: 'tok', sk: 1 }, { pk: 'tok', sk: 2 }]);
  const { NextToken } = await call('ExecuteStatement', { Statement: `SELECT * FROM ${S()} WHERE pk = 'tok'`, Limit: 1 });
  await refused(`SELECT * FROM ${S()} WHERE pk = 'p1'`, undefined, { NextToken });
  await refused(`SELECT * FROM ${S()} WHERE pk = 'tok'`, undefined, { NextToken: 'nonsense' });
});

test('capacity is told when asked for', async () => {
  await put(names.h, { pk: 'units' });
  const cost = async (more) =>
    (await call('ExecuteStatement', { Statement: `SELECT * FROM ${H()} WHERE pk = 'units'`, ReturnConsumedCapacity: 'TOTAL', ...more }))
      .ConsumedCapacity;
  assert.deepEqual(await cost({}), { TableName: names.h, CapacityUnits: 0.5 });
  assert.equal((await cost({ ConsistentRead: true })).CapacityUnits, 1);
});

test('statements that are refused say why', async () => {
  await refused('SLECT * FROM x', `${kNotWellFormed}Expected data manipulation`);
  await refused(`SELECT * FROM ${H()} WHERE pk = 'a' AND`, `${kNotWellFormed}Missing right-hand side expression of infix operator`);
  await refused(`SELECT * FROM ${H()} WHERE pk = 'a' foo`, `${kNotWellFormed}Unexpected token after expression`);
  await refused(`SELECT * FROM ${H()} t WHERE pk = 'a'`, 'Aliasing is not supported');
  await refused(`DELETE FROM ${H()} WHERE v = 1`, kNoKey);
  await refused(`UPDATE ${S()} SET v = 1 WHERE pk = 'a'`, kNoKey);
  await refused(`SELECT * FROM ${S()}."nope" WHERE pk = 'a'`, 'The table does not have the specified index');
  await refused(`SELECT * FROM ${S()}."byG" WHERE g = 'a'`, 'Strongly consistent read is not supported on Global Secondary Indexes', {
    ConsistentRead: true,
  });
  await refused(
    `INSERT INTO ${H()} VALUE {'pk': 'a', 'n': 1e126}`,
    'Number overflow. Attempting to store a number with magnitude larger than supported range under root',
  );
  await fails('ExecuteStatement', { Statement: 'SELECT * FROM "no-such-table"' }, 'ResourceNotFoundException', /^Requested resource not found/);
  await invalid('ExecuteStatement', { Statement: 'x'.repeat(8193) });
  await invalid('ExecuteStatement', { Statement: `SELECT * FROM ${H()}`, Limit: 0 });
});

test('a batch answers for each statement', async () => {
  await putAll(names.h, [{ pk: 'b1', n: 1 }, { pk: 'b2', n: 2 }]);
  const { Responses } = await batch([
    `INSERT INTO ${H()} VALUE {'pk': 'b3'}`,
    `INSERT INTO ${H()} VALUE {'pk': 'b1'}`,
    `UPDATE ${H()} SET n = 9 WHERE pk = 'b2' AND n = 7`,
    `UPDATE ${H()} SET n = 3 WHERE pk = 'b2' RETURNING ALL NEW *`,
    'DELETE FROM "no-such-table" WHERE pk = 1',
    `DELETE FROM ${H()}`,
  ]);
  assert.deepEqual(
    Responses.map(({ Error }) => Error?.Code),
    [undefined, 'DuplicateItem', 'ConditionalCheckFailed', undefined, 'ResourceNotFound', 'ValidationError'],
  );
  assert.deepEqual(plainItem(Responses[3].Item), { pk: 'b2', n: 3 });
  assert.equal(Responses[2].TableName, names.h);
  const read = await batch([`SELECT n FROM ${H()} WHERE pk = 'b1'`, `SELECT * FROM ${H()} WHERE n = 1`, `SELECT * FROM ${H()} WHERE pk = 'zz'`]);
  assert.deepEqual(plainItem(read.Responses[0].Item), { n: 1 });
  assert.equal(
    read.Responses[1].Error.Message,
    'Select statements within BatchExecuteStatement must specify the primary key in the where clause.',
  );
  assert.equal(read.Responses[2].Item, undefined);
  await invalid('BatchExecuteStatement', { Statements: [] });
  await invalid('BatchExecuteStatement', { Statements: Array(26).fill({ Statement: `SELECT * FROM ${H()} WHERE pk = 'a'` }) });
});

test('a transaction is all or nothing, and once only under its token', async () => {
  await putAll(names.h, [{ pk: 't1', n: 1 }, { pk: 't2', n: 1 }]);
  const error = await fails(
    'ExecuteTransaction',
    transact([
      `UPDATE ${H()} SET n = 5 WHERE pk = 't1'`,
      `INSERT INTO ${H()} VALUE {'pk': 't2'}`,
      `EXISTS(SELECT * FROM ${H()} WHERE pk = 't3' AND n = 1)`,
    ]),
    'TransactionCanceledException',
    'Transaction cancelled, please refer cancellation reasons for specific reasons [None, DuplicateItem, ConditionalCheckFailed]',
  );
  assert.deepEqual(error.CancellationReasons.map(({ Code }) => Code), ['None', 'DuplicateItem', 'ConditionalCheckFailed']);
  assert.equal((await get(names.h, { pk: 't1' })).n, 1);

  const twice = transact(
    [`UPDATE ${H()} SET n = n + 1 WHERE pk = 't1'`, `EXISTS(SELECT * FROM ${H()} WHERE pk = 't2' AND gone IS MISSING)`],
    { ClientRequestToken: 'partiql-token-1', ReturnConsumedCapacity: 'TOTAL' },
  );
  assert.deepEqual((await call('ExecuteTransaction', twice)).Responses, []);
  await call('ExecuteTransaction', twice);
  assert.equal((await get(names.h, { pk: 't1' })).n, 2);
  await fails(
    'ExecuteTransaction',
    transact([`DELETE FROM ${H()} WHERE pk = 't1'`], { ClientRequestToken: 'partiql-token-1' }),
    'IdempotentParameterMismatchException',
  );

  const { Responses } = await call(
    'ExecuteTransaction',
    transact([`SELECT n FROM ${H()} WHERE pk = 't1'`, `SELECT * FROM ${H()} WHERE pk = 'zz'`]),
  );
  assert.deepEqual([plainItem(Responses[0].Item), Responses[1].Item], [{ n: 2 }, undefined]);
});

test('a transaction says which statement is wrong', async () => {
  const wrong = (texts, message) => invalid('ExecuteTransaction', transact(texts), message);
  await wrong(
    [`SELECT * FROM ${H()} WHERE pk = 'a'`, `DELETE FROM ${H()} WHERE pk = 'a'`],
    'ExecuteTransaction API does not support both read and write operations in the same request.',
  );
  await wrong(
    [`UPDATE ${H()} SET v = 1 WHERE pk = 'x' RETURNING ALL NEW *`],
    'Validation failed in TransactStatements[0]: RETURNING clause is not supported in ExecuteTransaction.',
  );
  await wrong(
    [`DELETE FROM ${H()} WHERE pk = 'a'`, `DELETE FROM ${H()} WHERE v = 'a'`],
    `Validation failed in TransactStatements[1]: ${kNoKey}`,
  );
  await wrong(
    [`SELECT * FROM ${S()}."byG" WHERE g = 'x'`],
    'Validation failed in TransactStatements[0]: Reads on indices are not supported within transactions.',
  );
  await invalid('ExecuteTransaction', { TransactStatements: [] });
});
