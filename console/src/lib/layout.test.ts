import { describe, expect, it } from 'vitest';
import { entityColours } from './colours';
import { ago, bytes, micros, units } from './format';
import { layers } from './graph';
import { compareAttributes, rangesOf } from './read_range';

describe('entityColours', () => {
  const names = Array.from({ length: 26 }, (_, at) => `Entity${at}`);

  it('gives each of many entities a colour of its own', () => {
    const seen = new Set([...entityColours(names).values()].map(({ hue, tone }) => `${hue}/${tone}`));
    expect(seen.size).toBe(names.length);
  });

  it('does not change earlier entities when one is added', () => {
    const [few, more] = [entityColours(names.slice(0, 9)), entityColours(names.slice(0, 10))];
    for (const [name, colour] of few) expect(more.get(name)).toEqual(colour);
  });

  it('ends for more entities than colours', () => {
    expect(entityColours(Array.from({ length: 90 }, (_, at) => `E${at}`)).size).toBe(90);
  });
});

describe('rangesOf', () => {
  const item = (SK: string) => ({ PK: { S: 'USER#ann' }, SK: { S: SK } });

  it('reads what the key condition says', () => {
    const [range] = rangesOf('Query', {
      TableName: 't',
      KeyConditionExpression: '#h = :h AND #r BETWEEN :a AND :b',
      ExpressionAttributeNames: { '#h': 'PK', '#r': 'SK' },
      ExpressionAttributeValues: { ':h': { S: 'USER#ann' }, ':a': { S: 'LOAN#' }, ':b': { S: 'LOAN#~' } },
      ScanIndexForward: false,
    }, ['PK', 'SK']);
    expect(range).toMatchObject({ partitionName: 'PK', partition: { S: 'USER#ann' }, descending: true, index: null });
    expect([range!.reads(item('LOAN#1')), range!.reads(item('PROFILE'))]).toEqual([true, false]);
  });

  it('knows begins_with, comparisons and whole partitions', () => {
    const read = (condition: string, value: { S: string }) =>
      rangesOf('Query', { KeyConditionExpression: condition, ExpressionAttributeValues: { ':h': { S: 'USER#ann' }, ':v': value } }, [])[0]!.reads(item('B'));
    expect(read('PK = :h AND begins_with(SK, :v)', { S: 'B' })).toBe(true);
    expect(read('PK = :h AND SK > :v', { S: 'B' })).toBe(false);
    expect(read('PK = :h', { S: '' })).toBe(true);
  });

  it('reads single items, and gives up on what it does not know', () => {
    const key = item('B');
    expect(rangesOf('GetItem', { Key: key }, ['PK', 'SK'])[0]!.reads(key)).toBe(true);
    expect(rangesOf('BatchGetItem', { RequestItems: { t: { Keys: [key, item('C')] } } }, ['PK', 'SK'])).toHaveLength(2);
    expect(rangesOf('Query', { KeyConditionExpression: 'something else' }, [])).toEqual([]);
    expect(rangesOf('TransactWriteItems', {}, [])).toEqual([]);
  });

  it('compares as DynamoDB does', () => {
    expect(compareAttributes({ N: '9' }, { N: '10' })).toBeLessThan(0);
    expect(compareAttributes({ S: '9' }, { S: '10' })).toBeGreaterThan(0);
    expect(compareAttributes({ S: '\u{ffff}' }, { S: '\u{1f600}' })).toBeLessThan(0);
  });
});

describe('layers', () => {
  it('puts a node right of those that lead to it', () => {
    const placed = layers(['a', 'b', 'c', 'd'], [{ from: 'a', to: 'b' }, { from: 'b', to: 'c' }, { from: 'a', to: 'c' }, { from: 'a', to: 'd' }]);
    const column = Object.fromEntries(placed.map((node) => [node.id, node.column]));
    expect(column).toEqual({ a: 0, b: 1, c: 2, d: 1 });
  });

  it('ends with cycles, with itself, and with edges to nowhere', () => {
    const placed = layers(['a', 'b'], [{ from: 'a', to: 'b' }, { from: 'b', to: 'a' }, { from: 'a', to: 'a' }, { from: 'a', to: 'gone' }]);
    expect(placed.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  });
});

it('formats for people', () => {
  expect([bytes(12), bytes(1500), bytes(3 * 1024 * 1024)]).toEqual(['12 B', '1.5 KB', '3.0 MB']);
  expect([micros(12), micros(1500), micros(2_500_000)]).toEqual(['12 µs', '1.5 ms', '2.5 s']);
  expect([units(0.5), units(null)]).toEqual(['0.5', '–']);
  expect([ago(0, 1000), ago(0, 90_000), ago(90_000, 0)]).toEqual(['now', '2 min ago', 'in 2 min']);
});
