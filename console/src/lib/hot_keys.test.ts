import { describe, expect, it } from 'vitest';
import type { HotKeysAnswer } from '../api/operate';
import { hotPartitions, percentOf, perSecond } from './hot_keys';

const answer: HotKeysAnswer = {
  seconds: 40,
  calls: 200_000,
  keys: [
    { table: 'shop', index: null, key: { PK: { S: 'A' } }, reads: 80_000, writes: 400, spare: 0 },
    { table: 'shop', index: 'GSI1', key: { kind: { N: '7' } }, reads: 0, writes: 24_000, spare: 80 },
    { table: 'shop', index: 'GSI2', key: { a: { S: 'x' }, b: { S: 'y' } }, reads: 0, writes: 44_000, spare: 0 },
  ],
};

describe('hot partitions', () => {
  it('are rates, with their share of all calls', () => {
    const [first] = hotPartitions(answer);
    expect(first).toMatchObject({ id: '{"S":"A"}', text: 'A', reads: 2000, writes: 10, more: 0 });
    expect(first!.share).toBeCloseTo(0.402);
  });
  it('are held against what a partition takes on AWS', () => {
    expect(hotPartitions(answer).map(({ level }) => level)).toEqual(['warn', 'warn', 'bad']);
    expect(hotPartitions({ ...answer, seconds: 4000 }).map(({ level }) => level)).toEqual(['good', 'good', 'good']);
  });
  it('have the values of a key with several attributes', () => {
    expect(hotPartitions(answer)[2]!.text).toBe('x · y');
  });
  it('do not divide by nothing', () => {
    expect(hotPartitions({ seconds: 0, calls: 0, keys: [{ ...answer.keys[0]!, reads: 3 }] })[0]).toMatchObject({ reads: 3, share: 0 });
  });
  it('are written as people read them', () => {
    expect([0, 0.001, 0.333, 12.4, 1204.2].map(perSecond)).toEqual(['0', '< 0.01', '0.33', '12', '1,204']);
    expect([0.001, 0.4, 1].map(percentOf)).toEqual(['< 1 %', '40 %', '100 %']);
  });
});
