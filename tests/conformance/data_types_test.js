// Attribute values: every type round trips, numbers are exact decimals, what is refused.

import assert from 'node:assert/strict';
import { av, bytes, call, get, invalid, item, num, put, raw, isLocal, withTables } from '../lib/dynamo.js';
import { skip, suite } from '../lib/runner.js';

const { names, hooks } = withTables({ one: { key: 'pk:S' } });
const test = suite('data_types', hooks);
const kInvalid = 'One or more parameter values were invalid: ';

async function roundTrip(value) {
  await put(names.one, { pk: 'rt', v: value });
  return (await get(names.one, { pk: 'rt' })).v;
}
const refuse = (value, message) =>
  invalid('PutItem', { TableName: names.one, Item: { pk: { S: 'bad' }, v: value } }, message);
const numberOf = async (text) => {
  await call('PutItem', { TableName: names.one, Item: { pk: { S: 'num' }, v: { N: text } } });
  return (await call('GetItem', { TableName: names.one, Key: item({ pk: 'num' }), ConsistentRead: true })).Item.v.N;
};

const kValues = {
  string: 'text',
  'empty string': '',
  'text beyond the BMP': '\u{1F600}é\u0000\n"\\',
  number: -12.5,
  true: true,
  false: false,
  null: null,
  binary: bytes(0, 255, 128),
  'empty binary': bytes(),
  list: [1, 'a', [null, [true]]],
  'empty list': [],
  map: { a: { b: { c: 1 } }, '': 'x' },
  'empty map': {},
  'string set': new Set(['a', 'b']),
  'number set': new Set([1, 2.5]),
};
for (const [label, value] of Object.entries(kValues)) {
  if (label === 'map') delete value[''];
  test(`${label} comes back as it went in`, async () => assert.deepEqual(await roundTrip(value), value));
}

test('a binary set comes back as it went in', async () => {
  assert.deepEqual(await roundTrip(new Set([bytes(1), bytes(2, 3)])), ['01', '0203']);
});

for (const [given, expected] of [
  ['1.0', '1'],
  ['007', '7'],
  ['-0', '0'],
  ['1e3', '1000'],
  ['1E-3', '0.001'],
  ['+5', '5'],
  ['.5', '0.5'],
  ['123456789012345678901234567890.12345678', '123456789012345678901234567890.12345678'],
  ['100000000000000000000000000000000000000000', '100000000000000000000000000000000000000000'],
]) {
  test(`number ${given} is normalised`, async () => assert.equal(Number(await numberOf(given)), Number(expected)));
}

test('38 digits are kept exactly', async () => {
  const digits = '12345678901234567890123456789012345678';
  assert.equal(await numberOf(digits), digits);
  assert.equal(await numberOf(`0.${digits}`), `0.${digits}`);
  assert.equal(await numberOf(`-${digits}`), `-${digits}`);
});

test('trailing and leading zeros do not count as digits', async () => {
  assert.equal(await numberOf(`${'0'.repeat(50)}1`), '1');
  assert.equal(await numberOf(`1.${'0'.repeat(60)}`), '1');
});

test('39 significant digits are refused', () =>
  refuse({ N: '1'.repeat(39) }, 'Attempting to store more than 38 significant digits in a Number'));

test('the largest and smallest magnitudes', async () => {
  const largest = '9.9999999999999999999999999999999999999E+125';
  assert.equal(BigInt(await numberOf(largest)), BigInt('9'.repeat(38)) * 10n ** 88n);
  assert.equal(Number(await numberOf('1E-130')), 1e-130);
  await refuse(
    { N: '1E126' },
    'Number overflow. Attempting to store a number with magnitude larger than supported range',
  );
  await refuse(
    { N: '1E-131' },
    'Number underflow. Attempting to store a number with magnitude smaller than supported range',
  );
});

for (const text of ['', ' 1', '1 ', 'NaN', 'Infinity', '0x1', '1_000', 'abc', '1e', '--1', '1.2.3']) {
  test(`number '${text}' is refused`, () =>
    refuse(
      { N: text },
      text === '' || text.trim() === text
        ? text === ''
          ? /cannot be converted to a numeric value/
          : `The parameter cannot be converted to a numeric value: ${text}`
        : /cannot be converted to a numeric value/,
    ));
}

test('empty sets are refused', async () => {
  await refuse({ SS: [] }, `${kInvalid}An string set  may not be empty`);
  await refuse({ NS: [] }, `${kInvalid}An number set  may not be empty`);
  await refuse({ BS: [] }, /Binary sets should not be empty|An binary set  may not be empty/);
});

test('duplicates in a set are refused', async () => {
  await refuse({ SS: ['a', 'b', 'a'] }, `${kInvalid}Input collection [a, b, a] contains duplicates.`);
  await refuse({ NS: ['1', '1'] }, 'Input collection contains duplicates');
  await refuse({ NS: ['1', '1.0'] }, 'Input collection contains duplicates');
  await refuse({ BS: [bytes(1), bytes(1)] }, `${kInvalid}Input collection [AQ==, AQ==]of type BS contains duplicates.`);
});

test('a set may hold an empty string', async () => {
  assert.deepEqual(await roundTrip(new Set(['', 'a'])), new Set(['', 'a']));
});

test('NULL must be true', () =>
  refuse({ NULL: false }, `${kInvalid}Null attribute value types must have the value of true`));

const refusedRaw = async (value) => {
  if (!isLocal()) skip('needs unsigned requests');
  const reply = await raw('PutItem', { TableName: names.one, Item: { pk: { S: 'x' }, v: value } });
  assert.equal(reply.status, 400);
  return reply.json;
};

test('a value with two types is refused', async () => {
  const { __type, message } = await refusedRaw({ S: 'a', N: '1' });
  assert.match(__type, /ValidationException$/);
  assert.match(
    message,
    /Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes/,
  );
});

test('a value with no type is refused', async () => {
  const { __type, message } = await refusedRaw({});
  assert.match(__type, /ValidationException$/);
  assert.match(message, /Supplied AttributeValue is empty, must contain exactly one of the supported datatypes/);
});

test('JSON of a wrong kind is a SerializationException', async () => {
  for (const value of [{ S: 1 }, { N: 1 }, { BOOL: 'x' }, { L: {} }, { M: [] }, { SS: 'a' }, 'text']) {
    assert.match((await refusedRaw(value)).__type, /SerializationException$/, JSON.stringify(value));
  }
});

test('binary that is no base64 is refused', async () => {
  assert.match((await refusedRaw({ B: '!!!' })).__type, /SerializationException$|ValidationException$/);
});

const wrapped = (levels) => {
  let value = av('core');
  for (let level = 0; level < levels; level += 1) value = { M: { m: value } };
  return value;
};

test('31 maps deep pass, 32 do not', async () => {
  await call('PutItem', { TableName: names.one, Item: { pk: { S: 'deep' }, v: wrapped(31) } });
  await refuse(
    wrapped(32),
    'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
  );
});

test('an item of exactly 400 KB passes, a byte more does not', async () => {
  // Size: 2 (name) + 4 (key) + 1 (name) + text.
  const text = 'x'.repeat(409_600 - 2 - 4 - 1);
  await put(names.one, { pk: 'full', v: text });
  assert.equal((await get(names.one, { pk: 'full' })).v.length, text.length);
  await invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'full', v: `${text}x` }) },
    'Item size has exceeded the maximum allowed size',
  );
});

test('sizes count UTF-8 bytes', () =>
  invalid(
    'PutItem',
    { TableName: names.one, Item: item({ pk: 'utf8', v: 'é'.repeat(204_800) }) },
    'Item size has exceeded the maximum allowed size',
  ));

test('numbers in sets and lists are exact too', async () => {
  const digits = num('12345678901234567890.123456789');
  assert.deepEqual(await roundTrip([digits, { n: digits }]), [digits, { n: digits }]);
});
