import { expect, it } from 'vitest';
import { scopeText, scopeWords } from './scope';

it('writes a scope as the server reads it', () => {
  expect(scopeText({ all: 'write', tables: { a: 'read' } })).toBe('read;write');
  expect(scopeText({ all: 'tables', tables: { Users: 'read', Orders: 'write', Old: 'none' } })).toBe('read:Orders,Users;write:Orders');
  expect(scopeText({ all: 'tables', tables: {} })).toBe('');
});

it('says a scope in words', () => {
  expect(scopeWords(null)).toBe('everything');
  expect(scopeWords('read')).toBe('read every table');
  expect(scopeWords('read;write')).toBe('read and write every table');
  expect(scopeWords('write')).toBe('write every table');
  expect(scopeWords('read:Orders,Users;write:Orders')).toBe('read Orders, Users; write Orders');
});
