import { describe, expect, it } from 'vitest';
import { readModel } from '../api/models';
import { indexEntryOf, referencesOf, renderKey, unitsToWrite } from './related';

const entity = (name: string, keys: Record<string, string>) => ({ name, builtIn: false, keys, marker: null, attributes: [] });
const model = readModel({
  name: 'm',
  yaml: '',
  table: { name: 't', key: { partition: { name: 'PK', type: 'S' }, sort: { name: 'SK', type: 'S' } }, indexes: [] },
  entities: [entity('User', { PK: 'USER#{id}', SK: 'META' }), entity('Album', { PK: 'ALBUM#{id}', SK: 'META' }), entity('AlbumImage', { PK: 'ALBUM#{albumId}', SK: 'IMAGE#{imageId}' }), entity('Image', { PK: 'IMAGE#{imageId}', SK: 'META' })],
  patterns: [],
});

describe('references', () => {
  it('lead to partitions whose key the item knows', () => {
    const item = { PK: { S: 'ALBUM#a1' }, SK: { S: 'IMAGE#i7' }, userId: { S: 'ann' } };
    expect(referencesOf(item, model)).toEqual([
      { partition: 'USER#ann', sort: 'META', entity: 'User' },
      { partition: 'IMAGE#i7', sort: 'META', entity: 'Image' },
    ]);
  });

  it('know an id by the end of its name', () => {
    const item = { PK: { S: 'NOTE#1' }, SK: { S: 'META' }, sourceUserId: { S: 'ben' }, album_id: { S: 'a2' }, visited: { S: 'x' } };
    expect(referencesOf(item, model).map(({ partition }) => partition)).toEqual(['USER#ben', 'ALBUM#a2']);
  });

  it('need every part of the key', () => {
    expect(renderKey('A#{x}#{y}', { x: '1' })).toBeNull();
    expect(renderKey('A#{x:03}', { x: '1' })).toBeNull();
    expect(renderKey('A#{x}#{y}', { x: '1', y: '2' })).toBe('A#1#2');
  });
});

describe('an entry of an index', () => {
  const item = { PK: { S: 'a' }, SK: { S: 'b' }, g: { S: 'x' }, big: { S: 'y'.repeat(2000) } };
  const index = (ProjectionType: string, key: string, NonKeyAttributes?: string[]) => ({ IndexName: 'I', KeySchema: [{ AttributeName: key }], Projection: { ProjectionType, ...(NonKeyAttributes ? { NonKeyAttributes } : {}) } });

  it('holds keys and what is projected', () => {
    expect(indexEntryOf(item, ['PK', 'SK'], index('KEYS_ONLY', 'g'))).toEqual({ index: 'I', missing: [], left: ['big'], bytes: 8 });
    expect(indexEntryOf(item, ['PK', 'SK'], index('INCLUDE', 'g', ['big'])).left).toEqual([]);
    expect(indexEntryOf(item, ['PK', 'SK'], index('ALL', 'h'))).toEqual({ index: 'I', missing: ['h'], left: [], bytes: 0 });
  });

  it('is charged like an item', () => {
    const entries = [indexEntryOf(item, ['PK', 'SK'], index('ALL', 'g')), indexEntryOf(item, ['PK', 'SK'], index('KEYS_ONLY', 'g')), indexEntryOf(item, ['PK', 'SK'], index('ALL', 'h'))];
    expect(unitsToWrite(2010, entries)).toBe(2 + 2 + 1);
  });
});
