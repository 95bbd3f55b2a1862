import { describe, expect, it } from 'vitest';
import { chargesOf, costSum, dollars, monthlyPrice, requestCost, scanUnits, sumCharges } from './cost';

describe('charges', () => {
  it('are told by table and index', () => {
    const consumed = { TableName: 't', CapacityUnits: 3.5, Table: { CapacityUnits: 2 }, GlobalSecondaryIndexes: { GSI1: { CapacityUnits: 1.5 } } };
    expect(chargesOf('Query', consumed)).toEqual([
      { where: 't', read: 2, write: 0 },
      { where: 't · GSI1', read: 1.5, write: 0 },
    ]);
    expect(chargesOf('PutItem', [consumed, { TableName: 'u', CapacityUnits: 1 }])[2]).toEqual({ where: 'u', read: 0, write: 1 });
    expect(chargesOf('GetItem', undefined)).toEqual([]);
  });

  it('add up over requests', () => {
    const one = requestCost('Query', { Items: [{ pk: { S: 'abc' } }], Count: 1, ScannedCount: 4, LastEvaluatedKey: {}, ConsumedCapacity: { TableName: 't', CapacityUnits: 0.5 } }, 3);
    const two = requestCost('BatchGetItem', { Responses: { t: [{ pk: { S: 'a' } }, { pk: { S: 'b' } }] }, ConsumedCapacity: [{ TableName: 't', CapacityUnits: 1 }] }, 2);
    expect(costSum([one, two])).toEqual({ read: 1.5, write: 0, returned: 3, scanned: 6, bytes: 11, pages: 2, more: true, ms: 5 });
    expect(sumCharges([...one.charges, ...two.charges])).toEqual([{ where: 't', read: 1.5, write: 0 }]);
  });
});

it('knows what a month costs', () => {
  expect(monthlyPrice({ read: 0.5, write: 0 }, 100)).toBeCloseTo(16.425);
  expect(monthlyPrice({ read: 0, write: 2 }, 10, { read: 1, write: 1 })).toBeCloseTo(52.56);
  expect([dollars(16.425), dollars(1234.5)]).toEqual(['$16.43', '$1,235']);
  expect(scanUnits(10_000)).toBe(1.5);
});
