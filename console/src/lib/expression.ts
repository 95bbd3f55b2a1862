// Requests that the pages build: Query and Scan with typed operators, and changes of one item that hold only while the
// item is still as it was read.

import { type Attribute, type Item, typeOf } from './attribute';

export type SortOperator = '=' | '<' | '<=' | '>' | '>=' | 'between' | 'begins_with';
export type FilterOperator = SortOperator | '<>' | 'contains' | 'exists' | 'absent';

export const kSortOperators: SortOperator[] = ['=', 'begins_with', 'between', '<', '<=', '>', '>='];
export const kFilterOperators: FilterOperator[] = ['=', '<>', '<', '<=', '>', '>=', 'between', 'begins_with', 'contains', 'exists', 'absent'];

export interface Filter {
  name: string;
  type: string; // S, N or BOOL
  operator: FilterOperator;
  value: string;
  upper: string;
}

export interface Search {
  mode: 'query' | 'scan';
  table: string;
  index: string | null;
  partition: { name: string; type: string; value: string } | null;
  sort: { name: string; type: string; operator: SortOperator; value: string; upper: string } | null;
  filters: Filter[];
  descending: boolean;
  limit: number;
}

export function typed(type: string, value: string): Attribute {
  if (type === 'BOOL') return { BOOL: value === 'true' };
  if (type === 'NULL') return { NULL: true };
  return { [type]: type === 'N' ? value.trim() : value };
}

// Collects names and values of an expression, each once.
class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, Attribute> = {};

  name(attribute: string): string {
    const known = Object.keys(this.names).find((key) => this.names[key] === attribute);
    const key = known ?? `#n${Object.keys(this.names).length}`;
    this.names[key] = attribute;
    return key;
  }

  value(attribute: Attribute): string {
    const key = `:v${Object.keys(this.values).length}`;
    this.values[key] = attribute;
    return key;
  }

  into(request: Record<string, unknown>) {
    if (Object.keys(this.names).length > 0) request.ExpressionAttributeNames = this.names;
    if (Object.keys(this.values).length > 0) request.ExpressionAttributeValues = this.values;
  }
}

function comparison(names: Placeholders, filter: { name: string; type: string; operator: FilterOperator; value: string; upper: string }): string {
  const name = names.name(filter.name);
  const value = () => names.value(typed(filter.type, filter.value));
  switch (filter.operator) {
    case 'exists':
      return `attribute_exists(${name})`;
    case 'absent':
      return `attribute_not_exists(${name})`;
    case 'begins_with':
    case 'contains':
      return `${filter.operator}(${name}, ${value()})`;
    case 'between':
      return `${name} BETWEEN ${value()} AND ${names.value(typed(filter.type, filter.upper))}`;
    default:
      return `${name} ${filter.operator} ${value()}`;
  }
}

export function searchRequest(search: Search, start?: Item): { operation: 'Query' | 'Scan'; request: Record<string, unknown> } {
  const names = new Placeholders();
  const request: Record<string, unknown> = { TableName: search.table };
  if (search.index) request.IndexName = search.index;
  if (search.mode === 'query' && search.partition) {
    const terms = [`${names.name(search.partition.name)} = ${names.value(typed(search.partition.type, search.partition.value))}`];
    if (search.sort && search.sort.value !== '') terms.push(comparison(names, search.sort));
    request.KeyConditionExpression = terms.join(' AND ');
    if (search.descending) request.ScanIndexForward = false;
  }
  const filters = search.filters.filter(({ name }) => name !== '');
  if (filters.length > 0) request.FilterExpression = filters.map((filter) => comparison(names, filter)).join(' AND ');
  names.into(request);
  request.Limit = search.limit;
  request.ReturnConsumedCapacity = 'TOTAL';
  if (start) request.ExclusiveStartKey = start;
  return { operation: search.mode === 'query' ? 'Query' : 'Scan', request };
}

export function keyOf(item: Item, keys: readonly string[]): Item {
  return Object.fromEntries(keys.filter((name) => item[name]).map((name) => [name, item[name]!]));
}

// Two attributes are the same when their text is; objects come from the same server, names of maps in the same order.
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

export const sameAttribute = (a: Attribute | undefined, b: Attribute | undefined) => canonical(a) === canonical(b);

export interface Change {
  name: string;
  before: Attribute | undefined;
  after: Attribute | undefined;
}

export function changesOf(before: Item, after: Item): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !sameAttribute(before[name], after[name])).map((name) => ({ name, before: before[name], after: after[name] }));
}

export interface Written {
  operation: 'UpdateItem' | 'PutItem' | 'DeleteItem';
  request: Record<string, unknown>;
}

// An edit of an item that exists: only what changed is sent, on condition that it is still what was shown.
export function updateRequest(table: string, keys: readonly string[], before: Item, after: Item): Written {
  const names = new Placeholders();
  const sets: string[] = [];
  const removes: string[] = [];
  const conditions: string[] = [`attribute_exists(${names.name(keys[0]!)})`];
  for (const change of changesOf(before, after)) {
    if (keys.includes(change.name)) throw new Error(`'${change.name}' is part of the key: an item keeps its key. Make a new item instead.`);
    const name = names.name(change.name);
    if (change.after) sets.push(`${name} = ${names.value(change.after)}`);
    else removes.push(name);
    conditions.push(change.before ? `${name} = ${names.value(change.before)}` : `attribute_not_exists(${name})`);
  }
  const update = [sets.length > 0 ? `SET ${sets.join(', ')}` : '', removes.length > 0 ? `REMOVE ${removes.join(', ')}` : ''].filter(Boolean).join(' ');
  const request: Record<string, unknown> = {
    TableName: table,
    Key: keyOf(before, keys),
    UpdateExpression: update,
    ConditionExpression: conditions.join(' AND '),
  };
  names.into(request);
  return { operation: 'UpdateItem', request };
}

// A new item never replaces one that is there.
export function putRequest(table: string, keys: readonly string[], item: Item): Written {
  for (const name of keys) if (!item[name]) throw new Error(`The item needs '${name}', which is part of the key.`);
  return {
    operation: 'PutItem',
    request: { TableName: table, Item: item, ConditionExpression: 'attribute_not_exists(#n0)', ExpressionAttributeNames: { '#n0': keys[0]! } },
  };
}

// A delete holds only while every attribute that can be compared is what was shown.
export function deleteRequest(table: string, keys: readonly string[], item: Item): Written {
  const names = new Placeholders();
  const compared = Object.entries(item).filter(([name, value]) => !keys.includes(name) && ['S', 'N', 'BOOL'].includes(typeOf(value)));
  const conditions = [`attribute_exists(${names.name(keys[0]!)})`, ...compared.slice(0, 40).map(([name, value]) => `${names.name(name)} = ${names.value(value)}`)];
  const request: Record<string, unknown> = { TableName: table, Key: keyOf(item, keys), ConditionExpression: conditions.join(' AND ') };
  names.into(request);
  return { operation: 'DeleteItem', request };
}
