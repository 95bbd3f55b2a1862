// Which items of a partition a Query reads: its key condition, evaluated on what the page shows.

import { type Attribute, type Item, typeOf, valueOf } from './attribute';

export interface ReadRange {
  index: string | null;
  partitionName: string;
  partition: Attribute;
  descending: boolean;
  limit: number | null;
  reads: (item: Item) => boolean;
}

export function compareAttributes(a: Attribute, b: Attribute): number {
  if (typeOf(a) === 'N' && typeOf(b) === 'N') return Number(valueOf(a)) - Number(valueOf(b));
  const [left, right] = [String(valueOf(a)), String(valueOf(b))];
  if (left === right) return 0;
  // DynamoDB compares UTF-8 bytes, which is the order of code points.
  const [x, y] = [[...left], [...right]];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const difference = x[at]!.codePointAt(0)! - y[at]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return x.length - y.length;
}

type Values = Record<string, Attribute>;

function term(text: string, names: Record<string, string>, values: Values): { name: string; equals: Attribute | null; test: (value: Attribute) => boolean } | null {
  const nameOf = (token: string) => names[token] ?? token;
  let match = /^begins_with\s*\(\s*([#\w.-]+)\s*,\s*(:\w+)\s*\)$/i.exec(text);
  if (match) {
    const prefix = String(valueOf(values[match[2]!]));
    return { name: nameOf(match[1]!), equals: null, test: (value) => String(valueOf(value)).startsWith(prefix) };
  }
  match = /^([#\w.-]+)\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)$/i.exec(text);
  if (match) {
    const [low, high] = [values[match[2]!]!, values[match[3]!]!];
    return { name: nameOf(match[1]!), equals: null, test: (value) => compareAttributes(value, low) >= 0 && compareAttributes(value, high) <= 0 };
  }
  match = /^([#\w.-]+)\s*(=|<=|>=|<|>)\s*(:\w+)$/.exec(text);
  const operand = match ? values[match[3]!] : undefined;
  if (!match || !operand) return null;
  const tests: Record<string, (difference: number) => boolean> = { '=': (d) => d === 0, '<': (d) => d < 0, '<=': (d) => d <= 0, '>': (d) => d > 0, '>=': (d) => d >= 0 };
  const holds = tests[match[2]!]!;
  return { name: nameOf(match[1]!), equals: match[2] === '=' ? operand : null, test: (value) => holds(compareAttributes(value, operand)) };
}

// Splits at AND, except the one of BETWEEN.
function terms(expression: string): string[] {
  const parts = expression.trim().split(/\s+AND\s+/i);
  const joined: string[] = [];
  for (const piece of parts) {
    const last = joined.at(-1);
    if (last !== undefined && /\sBETWEEN\s+:\w+$/i.test(last)) joined[joined.length - 1] = `${last} AND ${piece}`;
    else joined.push(piece);
  }
  return joined.map((text) => text.trim().replace(/^\((.*)\)$/, '$1').trim());
}

function ofQuery(request: Record<string, unknown>): ReadRange | null {
  const names = (request.ExpressionAttributeNames ?? {}) as Record<string, string>;
  const values = (request.ExpressionAttributeValues ?? {}) as Values;
  const parsed = terms(String(request.KeyConditionExpression ?? '')).map((text) => term(text, names, values));
  if (parsed.length === 0 || parsed.some((entry) => entry === null)) return null;
  const [hash, ...rest] = parsed as NonNullable<(typeof parsed)[number]>[];
  if (!hash?.equals) return null;
  return {
    index: (request.IndexName as string | undefined) ?? null,
    partitionName: hash.name,
    partition: hash.equals,
    descending: request.ScanIndexForward === false,
    limit: typeof request.Limit === 'number' ? request.Limit : null,
    reads: (item) => rest.every(({ name, test }) => item[name] !== undefined && test(item[name])),
  };
}

function ofKey(key: Item, keys: readonly string[]): ReadRange | null {
  const [hash, sort] = keys;
  if (!hash || !key[hash]) return null;
  return {
    index: null,
    partitionName: hash,
    partition: key[hash],
    descending: false,
    limit: null,
    reads: (item) => sort === undefined || (item[sort] !== undefined && key[sort] !== undefined && compareAttributes(item[sort], key[sort]) === 0),
  };
}

// The ranges of one explained request; `keys` names the table's key.
export function rangesOf(operation: string, request: Record<string, unknown>, keys: readonly string[]): ReadRange[] {
  const found: (ReadRange | null)[] = [];
  if (operation === 'Query') found.push(ofQuery(request));
  if (operation === 'GetItem') found.push(ofKey(request.Key as Item, keys));
  if (operation === 'BatchGetItem') {
    for (const { Keys } of Object.values((request.RequestItems ?? {}) as Record<string, { Keys: Item[] }>)) found.push(...Keys.map((key) => ofKey(key, keys)));
  }
  return found.filter((range) => range !== null);
}
