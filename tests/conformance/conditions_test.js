// Condition expressions: comparators, functions, paths, precedence; and what is refused.

import assert from 'node:assert/strict';
import { bytes, call, invalid, item, num, put, withTables } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';

const { names, hooks } = withTables({ one: { key: 'pk:S' } });
const kItem = {
  pk: 'x',
  s: 'banana',
  n: 5,
  b: bytes(1, 2, 3),
  t: true,
  nul: null,
  l: [1, 'two', [3], { k: 4 }],
  m: { a: 1, deep: { er: 'e' } },
  ss: new Set(['a', 'b']),
  ns: new Set([1, 2]),
  bs: new Set([bytes(1), bytes(2)]),
  big: num('1e100'),
  blank: '',
};
const test = suite('conditions', {
  ...hooks,
  before: async () => {
    await hooks.before();
    await put(names.one, kItem);
  },
});

const request = (condition, values, namesUsed) => ({
  TableName: names.one,
  Key: item({ pk: 'x' }),
  ConditionExpression: condition,
  UpdateExpression: 'SET touched = if_not_exists(touched, pk)',
  ...(values && Object.keys(values).length ? { ExpressionAttributeValues: item(values) } : {}),
  ...(namesUsed ? { ExpressionAttributeNames: namesUsed } : {}),
});
async function holds(condition, values, namesUsed) {
  try {
    await call('UpdateItem', request(condition, values, namesUsed));
    return true;
  } catch (error) {
    if (error.name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}
// A table of cases: [condition, values, expected].
function table(title, cases) {
  test(title, async () => {
    for (const [condition, values, expected, used] of cases) {
      assert.equal(await holds(condition, values, used), expected, `${condition} with ${JSON.stringify(values)}`);
    }
  });
}
const refuse = (condition, values, message, used) => invalid('UpdateItem', request(condition, values, used), message);

table('= and <> on every type', [
  ['s = :v', { ':v': 'banana' }, true],
  ['s = :v', { ':v': 'Banana' }, false],
  ['n = :v', { ':v': num('5.000') }, true],
  ['b = :v', { ':v': bytes(1, 2, 3) }, true],
  ['t = :v', { ':v': true }, true],
  ['t = :v', { ':v': false }, false],
  ['nul = :v', { ':v': null }, true],
  ['l = :v', { ':v': [1, 'two', [3], { k: 4 }] }, true],
  ['l = :v', { ':v': [1] }, false],
  ['m = :v', { ':v': { deep: { er: 'e' }, a: 1 } }, true],
  ['m = :v', { ':v': { a: 1 } }, false],
  ['ss = :v', { ':v': new Set(['b', 'a']) }, true],
  ['ns = :v', { ':v': new Set([2, 1]) }, true],
  ['ns = :v', { ':v': new Set([1]) }, false],
  ['s <> :v', { ':v': 'other' }, true],
  ['s <> :v', { ':v': 5 }, true],
  ['n <> :v', { ':v': num('5.0') }, false],
]);
table('a comparison with a missing attribute is false, <> is true', [
  ['nope = :v', { ':v': 1 }, false],
  ['nope < :v', { ':v': 1 }, false],
  ['nope <> :v', { ':v': 1 }, true],
  ['NOT nope = :v', { ':v': 1 }, true],
  ['nope = nada', {}, false],
]);
table('ordering of numbers', [
  ['n < :v', { ':v': 6 }, true],
  ['n < :v', { ':v': 5 }, false],
  ['n <= :v', { ':v': 5 }, true],
  ['n > :v', { ':v': -100 }, true],
  ['n >= :v', { ':v': num('5.0000001') }, false],
  ['big > :v', { ':v': num('9.9e99') }, true],
  ['n > :v', { ':v': num('1e-130') }, true],
]);
table('ordering of strings and binaries is by bytes', [
  ['s < :v', { ':v': 'bananas' }, true],
  ['s > :v', { ':v': 'Z' }, true],
  ['s < :v', { ':v': '\u00e9' }, true],
  ['b < :v', { ':v': bytes(1, 2, 3, 0) }, true],
  ['b > :v', { ':v': bytes(0, 255) }, true],
]);
table('ordering of different types is false', [
  ['s < :v', { ':v': 5 }, false],
  ['s > :v', { ':v': 5 }, false],
  ['n < :v', { ':v': 'z' }, false],
]);
table('BETWEEN and IN', [
  ['n BETWEEN :a AND :b', { ':a': 5, ':b': 5 }, true],
  ['n BETWEEN :a AND :b', { ':a': 1, ':b': 4 }, false],
  ['s BETWEEN :a AND :b', { ':a': 'a', ':b': 'c' }, true],
  ['n IN (:a, :b)', { ':a': 1, ':b': 5 }, true],
  ['n IN (:a)', { ':a': '5' }, false],
  ['m.a IN (:a, n)', { ':a': 1 }, true],
  ['nope IN (:a)', { ':a': 1 }, false],
]);
table('AND, OR, NOT and parentheses bind as documented', [
  ['n = :x OR n = :y AND s = :z', { ':x': 5, ':y': 1, ':z': 'no' }, true],
  ['(n = :x OR n = :y) AND s = :z', { ':x': 5, ':y': 1, ':z': 'no' }, false],
  ['NOT n = :x AND n = :y', { ':x': 1, ':y': 5 }, true],
  ['NOT (n = :x AND n = :y)', { ':x': 5, ':y': 5 }, false],
  ['not n = :x or attribute_exists(s)', { ':x': 5 }, true],
  ['(n = :x)', { ':x': 5 }, true],
]);
table('attribute_exists and attribute_not_exists', [
  ['attribute_exists(s)', {}, true],
  ['attribute_exists(nope)', {}, false],
  ['attribute_not_exists(nope)', {}, true],
  ['attribute_exists(nul)', {}, true],
  ['attribute_exists(m.deep.er)', {}, true],
  ['attribute_exists(m.deep.nope)', {}, false],
  ['attribute_exists(l[3].k)', {}, true],
  ['attribute_exists(l[4])', {}, false],
  ['attribute_exists(s.x)', {}, false],
]);
table('attribute_type knows every type', [
  ...Object.entries({
    s: 'S',
    n: 'N',
    b: 'B',
    t: 'BOOL',
    nul: 'NULL',
    l: 'L',
    m: 'M',
    ss: 'SS',
    ns: 'NS',
    bs: 'BS',
  }).map(([name, type]) => [`attribute_type(${name}, :t)`, { ':t': type }, true]),
  ['attribute_type(s, :t)', { ':t': 'N' }, false],
  ['attribute_type(nope, :t)', { ':t': 'S' }, false],
]);
table('begins_with', [
  ['begins_with(s, :v)', { ':v': 'ban' }, true],
  ['begins_with(s, :v)', { ':v': 'ana' }, false],
  ['begins_with(s, :v)', { ':v': '' }, true],
  ['begins_with(b, :v)', { ':v': bytes(1, 2) }, true],
  ['begins_with(n, :v)', { ':v': '5' }, false],
  ['begins_with(nope, :v)', { ':v': 'a' }, false],
]);
table('contains on strings, sets, lists and binaries', [
  ['contains(s, :v)', { ':v': 'nan' }, true],
  ['contains(s, :v)', { ':v': 'x' }, false],
  ['contains(ss, :v)', { ':v': 'a' }, true],
  ['contains(ss, :v)', { ':v': 'ab' }, false],
  ['contains(ns, :v)', { ':v': num('2.0') }, true],
  ['contains(l, :v)', { ':v': 'two' }, true],
  ['contains(l, :v)', { ':v': [3] }, true],
  ['contains(l, :v)', { ':v': 2 }, false],
  ['contains(b, :v)', { ':v': bytes(2, 3) }, true],
  ['contains(m, :v)', { ':v': 'a' }, false],
  ['contains(n, :v)', { ':v': 5 }, false],
  ['contains(bs, :v)', { ':v': bytes(2) }, true],
]);
table('size of strings, binaries, sets, lists and maps', [
  ['size(s) = :v', { ':v': 6 }, true],
  ['size(b) = :v', { ':v': 3 }, true],
  ['size(ss) = :v', { ':v': 2 }, true],
  ['size(l) = :v', { ':v': 4 }, true],
  ['size(m) = :v', { ':v': 2 }, true],
  ['size(blank) = :v', { ':v': 0 }, true],
  ['size(nope) = :v', { ':v': 0 }, false],
  ['size(m.deep.er) BETWEEN :a AND :b', { ':a': 1, ':b': 2 }, true],
  [':v < size(s)', { ':v': 5 }, true],
  ['size(s) IN (:v)', { ':v': 6 }, true],
]);
table('paths into lists and maps, names by placeholder', [
  ['l[0] = :v', { ':v': 1 }, true],
  ['l[2][0] = :v', { ':v': 3 }, true],
  ['l[3].k = :v', { ':v': 4 }, true],
  ['m.#d.#e = :v', { ':v': 'e' }, true, { '#d': 'deep', '#e': 'er' }],
  ['#m.a = n', {}, false, { '#m': 'm' }],
  ['l[0] = m.a', {}, true],
  ['l[99] = :v', { ':v': 1 }, false],
]);
table('operands on either side, also two values', [
  [':v = n', { ':v': 5 }, true],
  [':a < :b', { ':a': 1, ':b': 2 }, true],
  ['contains(:v, s)', { ':v': 'a banana split' }, true],
]);

test('reserved words are named as written', async () => {
  await refuse(
    'Name = :v',
    { ':v': 1 },
    'Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: Name',
  );
  for (const word of ['status', 'size', 'date', 'user', 'value', 'count', 'zone', 'abort'])
    await refuse(`attribute_exists(${word})`, undefined);
});

test('an undefined value is named', () =>
  refuse(
    'n = :nope',
    undefined,
    'Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :nope',
  ));

test('an undefined name is named', () =>
  refuse(
    '#nope = n',
    undefined,
    'Invalid ConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #nope',
  ));

test('unused names and values are named', async () => {
  await refuse(
    'n = :v',
    { ':v': 1, ':w': 2 },
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}',
  );
  await refuse('n = :v', { ':v': 1 }, 'Value provided in ExpressionAttributeNames unused in expressions: keys: {#u}', {
    '#u': 'u',
  });
});

test('malformed placeholders are refused', async () => {
  await refuse('n = :v', { ':v': 1, v: 2 }, /ExpressionAttributeValues contains invalid key: Syntax error; key: "v"/);
  await refuse('n = :v', { ':v': 1 }, /ExpressionAttributeNames contains invalid key: Syntax error; key: "x"/, {
    x: 'n',
  });
});

test('functions: unknown, wrong count, wrong place', async () => {
  await refuse('nofunc(s)', undefined, 'Invalid ConditionExpression: Invalid function name; function: nofunc');
  await refuse(
    'attribute_exists(s, n)',
    undefined,
    'Invalid ConditionExpression: Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
  );
  await refuse(
    'size(s)',
    undefined,
    'Invalid ConditionExpression: The function is not allowed to be used this way in an expression; function: size',
  );
  await refuse(
    'attribute_exists(s) = :v',
    { ':v': true },
    'Invalid ConditionExpression: The function is not allowed to be used this way in an expression; function: attribute_exists',
  );
});

test('operand types are checked before the item is looked at', async () => {
  await refuse(
    'begins_with(s, :v)',
    { ':v': 5 },
    'Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
  );
  await refuse(
    's < :v',
    { ':v': [1] },
    'Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: <, operand type: L',
  );
  await refuse('attribute_type(s, :v)', { ':v': 'X' }, /Invalid attribute type name found; type: X/);
});

test('the same operand twice is refused', () =>
  refuse(
    's = s',
    undefined,
    'Invalid ConditionExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [s]',
  ));

test('BETWEEN with its bounds swapped or mixed is refused', async () => {
  await refuse(
    'n BETWEEN :b AND :a',
    { ':a': 1, ':b': 2 },
    'Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}',
  );
  await refuse(
    'n BETWEEN :a AND :b',
    { ':a': 1, ':b': 'x' },
    /The BETWEEN operator requires same data type for lower and upper bounds/,
  );
});

test('redundant parentheses are refused', () =>
  refuse(
    '((n = :v) AND ((s = :w)))',
    { ':v': 1, ':w': 'x' },
    'Invalid ConditionExpression: The expression has redundant parentheses;',
  ));

test('syntax errors show token and neighbourhood', async () => {
  await refuse('n = ', undefined, /^Invalid ConditionExpression: Syntax error; token: "<EOF>", near: /);
  await refuse('n == :v', { ':v': 1 }, /^Invalid ConditionExpression: Syntax error; token: "=", near: /);
  await refuse('n = :v AND', { ':v': 1 }, /^Invalid ConditionExpression: Syntax error; token: "<EOF>", near: /);
});

test('expression size: 4096 bytes pass, 4097 do not', async () => {
  const name = `#${'n'.repeat(250)}`;
  const padded = (length) => `${name} = :v`.padEnd(length, ' ');
  assert.equal(await holds(padded(4096), { ':v': 5 }, { [name]: 'n' }), true);
  await refuse(
    padded(4097),
    { ':v': 5 },
    'Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097',
    { [name]: 'n' },
  );
});

test('operators: 300 pass, 301 do not', async () => {
  const chain = (count) =>
    Array(count + 1)
      .fill('n=:v')
      .join(' OR ');
  // Each comparison counts, and so does each OR: n comparisons are 2n - 1 operators.
  assert.equal(await holds(chain(149), { ':v': 5 }), true);
  await refuse(
    chain(150),
    { ':v': 5 },
    'Invalid ConditionExpression: The expression contains too many operators; operator count: 301',
  );
});

test('IN takes 100 operands, not 101', async () => {
  const values = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`:v${at}`, at]));
  const { ':v100': _, ...hundred } = values;
  assert.equal(await holds(`n IN (${Object.keys(hundred).join(',')})`, hundred), true);
  await refuse(
    `n IN (${Object.keys(values).join(',')})`,
    values,
    /number of operands: 10[12]|Incorrect number of operands|too many/,
  );
});
