import { expect, it } from 'vitest';
import type { TableDescription } from '../api/dynamodb';
import { changeCalls, createCalls, draftOf, newIndex, newTable, problemsOf } from './table_draft';

const table = {
  TableName: 'Orders',
  TableStatus: 'ACTIVE',
  KeySchema: [
    { AttributeName: 'SK', KeyType: 'RANGE' },
    { AttributeName: 'PK', KeyType: 'HASH' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'PK', AttributeType: 'S' },
    { AttributeName: 'SK', AttributeType: 'N' },
    { AttributeName: 'x', AttributeType: 'B' },
  ],
  GlobalSecondaryIndexes: [{ IndexName: 'ByX', KeySchema: [{ AttributeName: 'x', KeyType: 'HASH' }], Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['a', 'b'] } }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
} as unknown as TableDescription;

it('creates a table with one request, and sets what expires with another', () => {
  const draft = { ...newTable(), name: 'Orders', ttl: 'expires', stream: 'KEYS_ONLY', isProtected: true, indexes: [{ ...newIndex(), name: 'GSI1', hash: { name: 'a', type: 'N' }, projection: 'INCLUDE' as const, include: 'b, c' }] };
  expect(createCalls(draft).map(({ operation, request }) => [operation, request])).toEqual([
    [
      'CreateTable',
      {
        TableName: 'Orders',
        AttributeDefinitions: [
          { AttributeName: 'PK', AttributeType: 'S' },
          { AttributeName: 'SK', AttributeType: 'S' },
          { AttributeName: 'a', AttributeType: 'N' },
        ],
        KeySchema: [
          { AttributeName: 'PK', KeyType: 'HASH' },
          { AttributeName: 'SK', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        GlobalSecondaryIndexes: [{ IndexName: 'GSI1', KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }], Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['b', 'c'] } }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
        DeletionProtectionEnabled: true,
      },
    ],
    ['UpdateTimeToLive', { TableName: 'Orders', TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } }],
  ]);
});

it('asks for nothing while nothing is different', () => {
  const draft = draftOf(table, 'ttl');
  expect(draft).toMatchObject({ hash: { name: 'PK', type: 'S' }, sort: { name: 'SK', type: 'N' }, stream: 'NEW_IMAGE', ttl: 'ttl' });
  expect(changeCalls(draft, draftOf(table, 'ttl'))).toEqual([]);
});

it('changes one thing a request', () => {
  const before = draftOf(table, 'ttl');
  const after = { ...before, ttl: 'until', stream: 'KEYS_ONLY', isProtected: true, indexes: [{ ...newIndex(), name: 'ByX', hash: { name: 'y', type: 'S' } }] };
  const calls = changeCalls(before, after);
  expect(calls.map(({ what }) => what)).toEqual([
    'without the index ByX',
    'the index ByX, filled from the items there are',
    'no stream',
    'a stream of changes',
    'items no longer expire at ttl',
    'items expire at until',
    'protected from deletion',
  ]);
  expect(calls[1]!.request).toEqual({
    TableName: 'Orders',
    AttributeDefinitions: [
      { AttributeName: 'PK', AttributeType: 'S' },
      { AttributeName: 'SK', AttributeType: 'N' },
      { AttributeName: 'y', AttributeType: 'S' },
    ],
    GlobalSecondaryIndexUpdates: [{ Create: { IndexName: 'ByX', KeySchema: [{ AttributeName: 'y', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } } }],
  });
});

it('says what DynamoDB would refuse', () => {
  const index = { ...newIndex(), name: 'GSI1', hash: { name: 'PK', type: 'N' }, projection: 'INCLUDE' as const };
  expect(problemsOf({ ...newTable(), name: 'ab', indexes: [index, index] })).toEqual([
    'The name of the table has 3 to 255 letters, digits, _ . or -',
    'GSI1 names no attribute to include',
    'Two indexes are called GSI1',
    'PK is S in one key and N in another',
  ]);
  expect(problemsOf({ ...newTable(), name: 'abc' })).toEqual([]);
});
