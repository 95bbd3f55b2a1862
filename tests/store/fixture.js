// A Gateleg that keeps the tables, and others that use it as their store.

import assert from 'node:assert/strict';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { done, kNobodysKeys, run } from '../lib/command.js';
import { startServer } from '../lib/server.js';
import { kJwtSecret, token } from '../lib/system.js';

export { done, run };
export const kModel = fileURLToPath(new URL('../../systems/stories/model.yaml', import.meta.url));

// Serve that must refuse to start.
export async function refused(code, pattern, store, model = kModel) {
  const faces = ['--dynamodb', 'off', '--http', '127.0.0.1:0'];
  const reply = await run('serve', '--memory', ...faces, '--model', model, '--store', store);
  assert.equal(reply.code, code, reply.log);
  assert.match(reply.output + reply.log, pattern);
}

export const startStore = (data) => startServer({ data });
export const startOn = (storeUrl, { data, args = [], env = {} } = {}) =>
  startServer({
    data,
    http: true,
    args: ['--store', storeUrl, '--model', kModel, ...args],
    env: { ...kNobodysKeys, GATELEG_JWT_SECRET: kJwtSecret, ...env },
  });

export async function call(server, method, path, { user = 'ann', body, headers = {} } = {}) {
  const reply = await fetch(server.httpUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token({ sub: user })}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: text === '' ? undefined : JSON.parse(text) };
}

export async function ok(status, ...request) {
  const reply = await call(...request);
  assert.equal(reply.status, status, `${request[1]} ${request[2]}: ${reply.text}`);
  return reply;
}

export async function dynamodb(url, operation, request) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(request),
  });
  return { status: reply.status, json: await reply.json() };
}

// Passes requests on to a store, but knows no operation of `missing`. Resolves to {url, close}.
export function startLesserStore(storeUrl, missing) {
  const server = http.createServer((request, response) => {
    const operation = (request.headers['x-amz-target'] ?? '').split('.').pop();
    if (missing.includes(operation)) {
      request.resume();
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#UnknownOperationException' }));
      return;
    }
    const passed = http.request(storeUrl, { method: request.method, headers: request.headers }, (reply) => {
      response.writeHead(reply.statusCode, reply.headers);
      reply.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const close = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ url: `http://127.0.0.1:${server.address().port}`, close });
    });
  });
}
