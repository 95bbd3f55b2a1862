import { describe, expect, it } from 'vitest';
import type { Item } from './attribute';
import { proveBalance } from './ledger';

const entry = (at: string, amount: number, after: number): Item => ({
  SK: { S: `CREDITS#TXN#${at}#t` },
  amount: { N: String(amount) },
  balanceAfter: { N: String(after) },
  kind: { S: amount > 0 ? 'admin_grant' : 'consume' },
  txnId: { S: at },
  createdAt: { S: at },
});
const items: Item[] = [
  { SK: { S: 'CREDITS#BALANCE' }, balance: { N: '9' } },
  { SK: { S: 'CREDITS#LOT#9999999999#a' }, remaining: { N: '4' }, granted: { N: '7' }, lotId: { S: 'a' } },
  { SK: { S: 'CREDITS#LOT#1826377985#b' }, remaining: { N: '5' }, granted: { N: '5' }, lotId: { S: 'b' } },
  entry('2026-01-02', -3, 9),
  entry('2026-01-01', 12, 12),
  { SK: { S: 'PROFILE#ann' } },
];

describe('proveBalance', () => {
  it('adds up lots and ledger, oldest entry first', () => {
    const proof = proveBalance(items, 'SK');
    expect([proof.balance, proof.lotSum, proof.ledgerSum, proof.holds]).toEqual([9, 9, 9, true]);
    expect(proof.lines.map(({ computed }) => computed)).toEqual([12, 9]);
    expect(proof.lots.map(({ expires }) => expires)).toEqual([null, 1826377985]);
  });

  it('takes entries of one moment in the order of their balances', () => {
    const at = '2026-01-02T00:00:00.001Z';
    const same = [entry(at, -1, 8), entry(at, -2, 10), entry(at, -1, 9)].map((one, index) => ({ ...one, SK: { S: `CREDITS#TXN#${at}#${index}` } }));
    const proof = proveBalance([entry('2026-01-01T00:00:00.000Z', 12, 12), ...same], 'SK');
    expect(proof.lines.map(({ computed }) => computed)).toEqual([12, 10, 9, 8]);
    expect(proof.firstWrong).toBe(null);
  });

  it('finds the entry that is wrong', () => {
    const proof = proveBalance([...items.slice(0, 3), entry('2026-01-01', 12, 12), entry('2026-01-02', -3, 8)], 'SK');
    expect([proof.holds, proof.firstWrong?.id]).toEqual([false, '2026-01-02']);
  });

  it('holds for somebody who has nothing', () => {
    expect(proveBalance([], 'SK')).toMatchObject({ balance: 0, holds: true });
  });
});
