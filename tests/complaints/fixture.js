// A server with the model of the complaints, and requests to it.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { startServer } from '../lib/server.js';

export const kRoot = fileURLToPath(new URL('../../', import.meta.url));
export const kModel = `${kRoot}tests/complaints/model.yaml`;
export const server = await startServer({ http: true, args: ['--model', kModel, '--test-clock'] });

export async function call(method, path, { body, headers = {}, at = server } = {}) {
  const all = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
  const reply = await fetch(at.httpUrl + path, { method, headers: all, body: body === undefined ? undefined : JSON.stringify(body) });
  return { status: reply.status, headers: reply.headers, json: await reply.json() };
}
export async function ok(method, path, body, headers) {
  const reply = await call(method, `/v1/c${path}`, { body, headers });
  assert.ok(reply.status === 200 || reply.status === 201, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.json)}`);
  return reply.json;
}
export async function fails(code, method, path, body, headers) {
  const reply = await call(method, `/v1/c${path}`, { body, headers });
  assert.equal(reply.json?.error?.code, code, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.json)}`);
  return reply;
}

export async function dynamodb(operation, request, at = server) {
  const reply = await fetch(at.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(request),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}
// The item as it is in the table, or undefined.
export async function raw(pk, sk, table = 'complaints', at = server) {
  return (await dynamodb('GetItem', { TableName: table, Key: { PK: { S: pk }, SK: { S: sk } }, ConsistentRead: true }, at)).Item;
}
export async function setClock(body) {
  assert.equal((await call('POST', '/_test/clock', { body })).status, 200);
}
export const ids = ({ items }) => items.map(({ id }) => id);
