import { describe, expect, it } from 'vitest';
import { type Search, changesOf, deleteRequest, putRequest, searchRequest, updateRequest } from './expression';

const search: Search = {
  mode: 'query',
  table: 'gallery',
  index: 'GSI1',
  partition: { name: 'GSI1PK', type: 'S', value: 'ALBUMS' },
  sort: { name: 'createdAt', type: 'N', operator: 'between', value: '1', upper: ' 9 ' },
  filters: [],
  descending: true,
  limit: 50,
};

describe('searchRequest', () => {
  it('builds a Query on an index', () => {
    expect(searchRequest(search)).toEqual({
      operation: 'Query',
      request: {
        TableName: 'gallery',
        IndexName: 'GSI1',
        KeyConditionExpression: '#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2',
        ScanIndexForward: false,
        ExpressionAttributeNames: { '#n0': 'GSI1PK', '#n1': 'createdAt' },
        ExpressionAttributeValues: { ':v0': { S: 'ALBUMS' }, ':v1': { N: '1' }, ':v2': { N: '9' } },
        Limit: 50,
        ReturnConsumedCapacity: 'TOTAL',
      },
    });
  });

  it('uses a name once and builds every filter', () => {
    const filters = [
      { name: 'a', type: 'S', operator: 'contains', value: 'x', upper: '' },
      { name: 'a', type: 'S', operator: 'exists', value: '', upper: '' },
      { name: 'b', type: 'BOOL', operator: '<>', value: 'true', upper: '' },
      { name: '', type: 'S', operator: '=', value: '', upper: '' },
    ] as const;
    const { request, operation } = searchRequest({ ...search, mode: 'scan', filters: [...filters] }, { PK: { S: '1' } });
    expect(operation).toBe('Scan');
    expect(request.FilterExpression).toBe('contains(#n0, :v0) AND attribute_exists(#n0) AND #n1 <> :v1');
    expect(request.ExpressionAttributeValues).toEqual({ ':v0': { S: 'x' }, ':v1': { BOOL: true } });
    expect(request.ExclusiveStartKey).toEqual({ PK: { S: '1' } });
    expect(request).not.toHaveProperty('KeyConditionExpression');
  });
});

describe('changes of an item', () => {
  const before = { PK: { S: 'A' }, SK: { S: 'B' }, title: { S: 'old' }, gone: { N: '1' }, map: { M: { x: { S: '1' }, y: { S: '2' } } } };

  it('sends what changed, on condition of the old values', () => {
    const after = { PK: { S: 'A' }, SK: { S: 'B' }, title: { S: 'new' }, added: { BOOL: true }, map: { M: { y: { S: '2' }, x: { S: '1' } } } };
    expect(changesOf(before, after).map(({ name }) => name)).toEqual(['title', 'gone', 'added']);
    expect(updateRequest('t', ['PK', 'SK'], before, after).request).toEqual({
      TableName: 't',
      Key: { PK: { S: 'A' }, SK: { S: 'B' } },
      UpdateExpression: 'SET #n1 = :v0, #n3 = :v3 REMOVE #n2',
      ConditionExpression: 'attribute_exists(#n0) AND #n1 = :v1 AND #n2 = :v2 AND attribute_not_exists(#n3)',
      ExpressionAttributeNames: { '#n0': 'PK', '#n1': 'title', '#n2': 'gone', '#n3': 'added' },
      ExpressionAttributeValues: { ':v0': { S: 'new' }, ':v1': { S: 'old' }, ':v2': { N: '1' }, ':v3': { BOOL: true } },
    });
  });

  it('refuses another key', () => {
    expect(() => updateRequest('t', ['PK', 'SK'], before, { ...before, SK: { S: 'C' } })).toThrow('part of the key');
  });

  it('never replaces with a new item, and names a missing key', () => {
    expect(putRequest('t', ['PK'], before).request.ConditionExpression).toBe('attribute_not_exists(#n0)');
    expect(() => putRequest('t', ['PK', 'id'], before)).toThrow("'id'");
  });

  it('deletes only what was shown', () => {
    const { request } = deleteRequest('t', ['PK', 'SK'], before);
    expect(request.ConditionExpression).toBe('attribute_exists(#n0) AND #n1 = :v0 AND #n2 = :v1');
    expect(request.Key).toEqual({ PK: { S: 'A' }, SK: { S: 'B' } });
  });
});
