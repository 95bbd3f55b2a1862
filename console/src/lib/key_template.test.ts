import { describe, expect, it } from 'vitest';
import { readModel } from '../api/models';
import { decodeKey, entityOf, keyValues, missingKeys, parseTemplate } from './key_template';

describe('decodeKey', () => {
  it('splits a key in its parts', () => {
    expect(decodeKey('IMAGE#{createdAt}#{id}', 'IMAGE#2025-03-01#7')).toEqual([
      { text: 'IMAGE#', name: null },
      { text: '2025-03-01', name: 'createdAt' },
      { text: '#', name: null },
      { text: '7', name: 'id' },
    ]);
  });

  it('knows formats', () => {
    expect(decodeKey('{status}#{at:015}', 'pending#001794841985602')?.at(-1)).toEqual({ text: '001794841985602', name: 'at' });
    expect(decodeKey('{at:%Y%m%d}{shard}', '20250301#3')).toEqual([{ text: '20250301', name: 'at' }, { text: '#3', name: 'shard' }]);
    expect(decodeKey('{at:%Y%m%d}{shard}', '20250301')).toEqual([{ text: '20250301', name: 'at' }]);
    expect(decodeKey('LOAN#{dueAt:%Y%m}', 'LOAN#2025')).toBeNull();
  });

  it('lets the last variable hold anything', () => {
    expect(decodeKey('TAG#{tag}', 'TAG#a#b')?.at(-1)?.text).toBe('a#b');
    expect(decodeKey('USER#{id}', 'ALBUM#1')).toBeNull();
    expect(decodeKey('META', 'META')).toEqual([{ text: 'META', name: null }]);
  });

  it('takes characters of regular expressions as they are', () => {
    expect(decodeKey('a.b({x})', 'a.b(1)')?.map(({ text }) => text)).toEqual(['a.b(', '1', ')']);
    expect(decodeKey('a.b({x})', 'aXb(1)')).toBeNull();
  });

  it('parses templates', () => {
    expect(parseTemplate('A#{b:06}')).toEqual([{ literal: 'A#' }, { name: 'b', format: '06' }]);
  });
});

const model = readModel({
  name: 'library',
  table: { name: 'library', key: { PK: 'S', SK: 'S' }, marker: 'kind', indexes: { byDue: { key: { due_pk: 'S', dueAt: 'N' } } } },
  entities: [
    { name: 'Book', marker: 'Book', keys: { PK: 'BOOK#{bookId}', SK: 'META' } },
    { name: 'Loan', marker: 'Loan', keys: { PK: 'USER#{userId}', SK: 'LOAN#{bookId}', due_pk: { template: 'LOAN#{dueAt:%Y%m}', when: 'open' } } },
    { name: 'Anything', keys: { PK: 'USER#{userId}', SK: '{rest}' } },
    { name: 'OldBook', marker: 'OldBook', keys: { PK: 'BOOK#{bookId}', SK: 'META' } },
  ],
});

describe('entityOf', () => {
  const item = (PK: string, SK: string, kind?: string) => ({ PK: { S: PK }, SK: { S: SK }, ...(kind ? { kind: { S: kind } } : {}) });

  it('goes by key shape, the longer literal first', () => {
    expect(entityOf(item('USER#ann', 'LOAN#b1'), model)?.name).toBe('Loan');
    expect(entityOf(item('USER#ann', 'PROFILE'), model)?.name).toBe('Anything');
    expect(entityOf(item('OTHER#1', 'x'), model)).toBeNull();
  });

  it('lets the marker decide between equals', () => {
    expect(entityOf(item('BOOK#1', 'META', 'OldBook'), model)?.name).toBe('OldBook');
    expect(entityOf(item('BOOK#1', 'META', 'Book'), model)?.name).toBe('Book');
  });

  it('reads the variables back, and says what a sparse item lacks', () => {
    expect(keyValues(item('USER#ann', 'LOAN#b1'), model.entities[1]!)).toEqual({ userId: 'ann', bookId: 'b1' });
    expect(missingKeys(item('USER#ann', 'LOAN#b1'), model.table.indexes[0]!)).toEqual(['due_pk', 'dueAt']);
  });
});
