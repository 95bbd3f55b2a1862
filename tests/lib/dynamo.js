// Short forms for tests of the DynamoDB API: calls, expected errors, tables, values.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import * as sdk from '@aws-sdk/client-dynamodb';

let client;
let base;
let local = true;

// Every later call goes to this endpoint. `local`: any credentials will do.
export function connect(url, { region = 'us-east-1', credentials, isLocal = true } = {}) {
  base = new URL(url);
  local = isLocal;
  client = new sdk.DynamoDBClient({
    endpoint: url,
    region,
    maxAttempts: isLocal ? 1 : 5,
    ...(credentials || isLocal ? { credentials: credentials ?? { accessKeyId: 'test', secretAccessKey: 'test' } } : {}),
  });
  return client;
}

export const isLocal = () => local;
export const endpoint = () => base;
export const sdkClient = () => client;

export function call(operation, input = {}) {
  return client.send(new sdk[`${operation}Command`](input));
}

// The call must fail with this error name; `message` is the whole text, a RegExp, or left out.
export async function fails(operation, input, name, message) {
  let reply;
  try {
    reply = await call(operation, input);
  } catch (error) {
    assert.equal(error.name, name, `${error.name}: ${error.message}`);
    // AWS is moving more and more messages into this envelope; both forms are seen.
    const text = error.message.replace(/^1 validation error detected: (?!Value)/, '');
    if (message instanceof RegExp) assert.match(text, message);
    else if (message !== undefined) assert.equal(text, message);
    return error;
  }
  return assert.fail(`${operation} should fail with ${name}, got ${JSON.stringify(reply).slice(0, 300)}`);
}

export const invalid = (operation, input, message) => fails(operation, input, 'ValidationException', message);

// One HTTP request as is. Resolves to {status, headers, body (Buffer), json}.
export function raw(operation, body, { headers = {}, method = 'POST', path = '/' } = {}) {
  const payload = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const all = {
    host: base.host,
    'content-type': 'application/x-amz-json-1.0',
    authorization:
      'AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/dynamodb/aws4_request, ' +
      `SignedHeaders=host;x-amz-date, Signature=${createHash('sha256').update(payload).digest('hex')}`,
    'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    ...(operation ? { 'x-amz-target': `DynamoDB_20120810.${operation}` } : {}),
    'content-length': payload.length,
    ...headers,
  };
  for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
  const { request } = base.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(base, { method, path, headers: all, agent: false }, (reply) => {
      const chunks = [];
      reply.on('data', (chunk) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        const bytes = Buffer.concat(chunks);
        let json;
        try {
          json = JSON.parse(bytes);
        } catch {
          json = undefined;
        }
        resolve({ status: reply.statusCode, headers: reply.headers, body: bytes, json });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

// ---- values -------------------------------------------------------------------------------

// A number in its wire text, for what a double cannot hold.
export class Num {
  constructor(text) {
    this.text = String(text);
  }
}
export const num = (text) => new Num(text);
export const bytes = (...list) => Uint8Array.from(list.flat());

export function av(value) {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (value instanceof Num) return { N: value.text };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: value };
  if (Array.isArray(value)) return { L: value.map(av) };
  if (value instanceof Set) {
    const list = [...value];
    if (typeof list[0] === 'string') return { SS: list };
    if (list[0] instanceof Uint8Array) return { BS: list };
    return { NS: list.map((each) => (each instanceof Num ? each.text : String(each))) };
  }
  return { M: item(value) };
}

export function item(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, av(value)]));
}

// Numbers become doubles when their text survives that, else Num; sets are sorted.
export function plain(value) {
  const [[type, inner]] = Object.entries(value);
  const number = (text) => (String(Number(text)) === text ? Number(text) : new Num(text));
  const sorted = (list) => new Set(list.sort((a, b) => (a < b ? -1 : 1)));
  switch (type) {
    case 'N':
      return number(inner);
    case 'NULL':
      return null;
    case 'L':
      return inner.map(plain);
    case 'M':
      return plainItem(inner);
    case 'SS':
      return sorted([...inner]);
    case 'NS':
      return sorted(inner.map(number));
    case 'B':
      return Uint8Array.from(inner);
    case 'BS':
      return inner.map((each) => Buffer.from(each).toString('hex')).sort();
    default:
      return inner;
  }
}

export const plainItem = (fields) =>
  fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
export const plainItems = (list) => list.map(plainItem);

// ---- tables -------------------------------------------------------------------------------

// A CreateTable request in short: key 'pk:S sk:N', gsi { byCity: 'city:S age:N INCLUDE a,b' }.
export function tableRequest(name, { key, gsi = {}, lsi = {}, ...rest }) {
  const types = new Map();
  const schema = (words) =>
    words
      .filter((word) => word.includes(':'))
      .map((word, position) => {
        const [attribute, type] = word.split(':');
        types.set(attribute, type);
        return { AttributeName: attribute, KeyType: position === 0 ? 'HASH' : 'RANGE' };
      });
  const index =
    (prefix) =>
    ([indexName, text]) => {
      const words = text.split(' ').filter(Boolean);
      const at = words.findIndex((word) => !word.includes(':'));
      const [kind, attributes] = at < 0 ? ['ALL'] : words.slice(at);
      return {
        IndexName: indexName,
        KeySchema: [...prefix, ...schema(at < 0 ? words : words.slice(0, at))].map((element, position) => ({
          ...element,
          KeyType: position === 0 ? 'HASH' : 'RANGE',
        })),
        Projection: { ProjectionType: kind, ...(attributes ? { NonKeyAttributes: attributes.split(',') } : {}) },
      };
    };
  const keySchema = schema(key.split(' '));
  const globals = Object.entries(gsi).map(index([]));
  const locals = Object.entries(lsi).map(index([keySchema[0]]));
  return {
    TableName: name,
    KeySchema: keySchema,
    ...(globals.length ? { GlobalSecondaryIndexes: globals } : {}),
    ...(locals.length ? { LocalSecondaryIndexes: locals } : {}),
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    BillingMode: 'PAY_PER_REQUEST',
    ...rest,
  };
}

const stamp = Date.now().toString(36);
let serial = 0;
export const freshName = (label = 'table') => `t-${stamp}-${serial++}-${label}`;

export async function waitActive(name) {
  for (;;) {
    const { Table } = await call('DescribeTable', { TableName: name });
    const indexes = Table.GlobalSecondaryIndexes ?? [];
    if (Table.TableStatus === 'ACTIVE' && indexes.every((each) => each.IndexStatus === 'ACTIVE')) return Table;
    await sleep(local ? 20 : 1000);
  }
}

export async function createTable(spec, name = freshName()) {
  await call('CreateTable', tableRequest(name, spec));
  await waitActive(name);
  return name;
}

export async function dropTable(name) {
  await call('DeleteTable', { TableName: name }).catch((error) => {
    if (error.name !== 'ResourceNotFoundException') throw error;
  });
}

// Hooks for suite(): tables { people: spec } are there as names.people while the suite runs.
export function withTables(specs) {
  const names = Object.fromEntries(Object.keys(specs).map((label) => [label, freshName(label)]));
  return {
    names,
    hooks: {
      before: () => Promise.all(Object.entries(specs).map(([label, spec]) => createTable(spec, names[label]))),
      after: () => Promise.all(Object.values(names).map(dropTable)),
    },
  };
}

export const sleep = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

// ---- items --------------------------------------------------------------------------------

export const put = (table, fields, more = {}) => call('PutItem', { TableName: table, Item: item(fields), ...more });

export async function get(table, key, more = {}) {
  const reply = await call('GetItem', { TableName: table, Key: item(key), ConsistentRead: true, ...more });
  return plainItem(reply.Item);
}

export async function putAll(table, list) {
  for (let at = 0; at < list.length; at += 25) {
    const requests = list.slice(at, at + 25).map((fields) => ({ PutRequest: { Item: item(fields) } }));
    let left = { [table]: requests };
    while (Object.keys(left).length > 0) left = (await call('BatchWriteItem', { RequestItems: left })).UnprocessedItems;
  }
}

// All pages of a Query or Scan, as plain items.
export async function pages(operation, input) {
  const items = [];
  let count = 0;
  let start;
  do {
    const reply = await call(operation, { ...input, ExclusiveStartKey: start });
    items.push(...plainItems(reply.Items ?? []));
    count += 1;
    assert.ok(count < 10_000, 'pagination does not end');
    start = reply.LastEvaluatedKey;
  } while (start);
  return { items, pages: count };
}
