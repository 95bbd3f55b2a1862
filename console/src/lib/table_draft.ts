// A table as a form holds it, and the requests that make it or bring a table there: DynamoDB changes one thing a call.

import { type IndexDescription, type TableDescription, indexesOf, keyNames } from '../api/dynamodb';

export interface KeyDraft {
  name: string;
  type: string; // S, N or B
}
export interface IndexDraft {
  name: string;
  hash: KeyDraft;
  sort: KeyDraft; // an empty name: none
  projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  include: string; // names with commas between
  exists: boolean;
}
export interface TableDraft {
  name: string;
  hash: KeyDraft;
  sort: KeyDraft;
  indexes: IndexDraft[];
  ttl: string; // attribute, or empty for off
  stream: string; // view type, or empty for off
  isProtected: boolean;
}
export interface TableCall {
  operation: string;
  request: Record<string, unknown>;
  what: string; // in words, for the review
}

export const kStreamViews = [
  { value: '', title: 'off' },
  { value: 'NEW_AND_OLD_IMAGES', title: 'new and old images' },
  { value: 'NEW_IMAGE', title: 'new image' },
  { value: 'OLD_IMAGE', title: 'old image' },
  { value: 'KEYS_ONLY', title: 'keys' },
];

export const newIndex = (): IndexDraft => ({ name: '', hash: { name: '', type: 'S' }, sort: { name: '', type: 'S' }, projection: 'ALL', include: '', exists: false });

export const newTable = (): TableDraft => ({ name: '', hash: { name: 'PK', type: 'S' }, sort: { name: 'SK', type: 'S' }, indexes: [], ttl: '', stream: '', isProtected: false });

function keyOf(table: TableDescription, names: string[]): [KeyDraft, KeyDraft] {
  const typed = (name: string | undefined): KeyDraft => ({ name: name ?? '', type: table.AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S' });
  return [typed(names[0]), typed(names[1])];
}

function indexDraftOf(table: TableDescription, index: IndexDescription): IndexDraft {
  const [hash, sort] = keyOf(table, keyNames(index.KeySchema));
  return { name: index.IndexName, hash, sort, projection: index.Projection.ProjectionType as IndexDraft['projection'], include: index.Projection.NonKeyAttributes?.join(', ') ?? '', exists: true };
}

export function draftOf(table: TableDescription, ttl: string | null): TableDraft {
  const [hash, sort] = keyOf(table, keyNames(table.KeySchema));
  return {
    name: table.TableName,
    hash,
    sort,
    indexes: (table.GlobalSecondaryIndexes ?? []).map((index) => indexDraftOf(table, index)),
    ttl: ttl ?? '',
    stream: table.StreamSpecification?.StreamEnabled ? (table.StreamSpecification.StreamViewType ?? 'NEW_AND_OLD_IMAGES') : '',
    isProtected: table.DeletionProtectionEnabled === true,
  };
}

const schemaOf = ({ hash, sort }: { hash: KeyDraft; sort: KeyDraft }) => [
  { AttributeName: hash.name, KeyType: 'HASH' },
  ...(sort.name ? [{ AttributeName: sort.name, KeyType: 'RANGE' }] : []),
];

const included = (index: IndexDraft) => index.include.split(',').map((name) => name.trim()).filter(Boolean);

const indexRequest = (index: IndexDraft) => ({
  IndexName: index.name,
  KeySchema: schemaOf(index),
  Projection: { ProjectionType: index.projection, ...(index.projection === 'INCLUDE' ? { NonKeyAttributes: included(index) } : {}) },
});

function definitions(keys: KeyDraft[]) {
  const types = new Map(keys.filter(({ name }) => name).map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}

const keysOf = (draft: TableDraft, indexes: readonly IndexDraft[]) => [draft, ...indexes].flatMap(({ hash, sort }) => [hash, sort]);
const streamOf = (view: string) => (view ? { StreamEnabled: true, StreamViewType: view } : { StreamEnabled: false });
const ttlCall = (table: string, attribute: string, on: boolean): TableCall => ({
  operation: 'UpdateTimeToLive',
  request: { TableName: table, TimeToLiveSpecification: { AttributeName: attribute, Enabled: on } },
  what: on ? `items expire at ${attribute}` : `items no longer expire at ${attribute}`,
});

export function createCalls(draft: TableDraft): TableCall[] {
  const request: Record<string, unknown> = {
    TableName: draft.name,
    AttributeDefinitions: definitions(keysOf(draft, draft.indexes)),
    KeySchema: schemaOf(draft),
    BillingMode: 'PAY_PER_REQUEST',
  };
  if (draft.indexes.length > 0) request.GlobalSecondaryIndexes = draft.indexes.map(indexRequest);
  if (draft.stream) request.StreamSpecification = streamOf(draft.stream);
  if (draft.isProtected) request.DeletionProtectionEnabled = true;
  const calls: TableCall[] = [{ operation: 'CreateTable', request, what: 'the table' }];
  if (draft.ttl) calls.push(ttlCall(draft.name, draft.ttl, true));
  return calls;
}

export function changeCalls(before: TableDraft, after: TableDraft): TableCall[] {
  const calls: TableCall[] = [];
  const update = (request: Record<string, unknown>, what: string) => calls.push({ operation: 'UpdateTable', request: { TableName: before.name, ...request }, what });
  const kept = before.indexes.filter((index) => after.indexes.some(({ exists, name }) => exists && name === index.name));
  for (const index of before.indexes) {
    if (!kept.includes(index)) update({ GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: index.name } }] }, `without the index ${index.name}`);
  }
  const standing = [...kept];
  for (const index of after.indexes.filter(({ exists }) => !exists)) {
    standing.push(index);
    update({ AttributeDefinitions: definitions(keysOf(before, standing)), GlobalSecondaryIndexUpdates: [{ Create: indexRequest(index) }] }, `the index ${index.name}, filled from the items there are`);
  }
  if (before.stream !== after.stream) {
    // The kind of a stream cannot be changed: it ends, and another one begins.
    if (before.stream) update({ StreamSpecification: streamOf('') }, 'no stream');
    if (after.stream) update({ StreamSpecification: streamOf(after.stream) }, 'a stream of changes');
  }
  if (before.ttl !== after.ttl) {
    if (before.ttl) calls.push(ttlCall(before.name, before.ttl, false));
    if (after.ttl) calls.push(ttlCall(before.name, after.ttl, true));
  }
  if (before.isProtected !== after.isProtected) update({ DeletionProtectionEnabled: after.isProtected }, after.isProtected ? 'protected from deletion' : 'not protected from deletion');
  return calls;
}

// What DynamoDB would refuse, said beside the form.
export function problemsOf(draft: TableDraft): string[] {
  const problems: string[] = [];
  const named = (name: string, what: string) => {
    if (!/^[A-Za-z0-9_.-]{3,255}$/.test(name)) problems.push(`${what} has 3 to 255 letters, digits, _ . or -`);
  };
  named(draft.name, 'The name of the table');
  if (!draft.hash.name) problems.push('The table needs a partition key');
  const names = new Set<string>();
  for (const index of draft.indexes) {
    named(index.name, index.name ? `The name ${index.name}` : 'The name of an index');
    if (names.has(index.name)) problems.push(`Two indexes are called ${index.name}`);
    names.add(index.name);
    if (!index.hash.name) problems.push(`${index.name || 'The index'} needs a partition key`);
    if (index.projection === 'INCLUDE' && included(index).length === 0) problems.push(`${index.name || 'The index'} names no attribute to include`);
  }
  for (const { hash, sort } of [draft, ...draft.indexes]) if (hash.name && hash.name === sort.name) problems.push(`${hash.name} cannot be both keys at once`);
  const types = new Map<string, string>();
  for (const { name, type } of keysOf(draft, draft.indexes)) {
    if (name && types.has(name) && types.get(name) !== type) problems.push(`${name} is ${types.get(name)} in one key and ${type} in another`);
    if (name) types.set(name, type);
  }
  if (draft.indexes.length > 20) problems.push('A table has at most 20 indexes');
  return [...new Set(problems)];
}

export const isReady = (table: TableDescription) => table.TableStatus === 'ACTIVE' && indexesOf(table).every(({ IndexStatus }) => !IndexStatus || IndexStatus === 'ACTIVE');
