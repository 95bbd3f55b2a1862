// The HTTP side: headers, checksums, compression, error bodies, connections.

import assert from 'node:assert/strict';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import {
  DynamoDBDocumentClient,
  PutCommand,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  BatchWriteCommand,
  TransactWriteCommand,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { paginateListTables, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { call, endpoint, isLocal, item, put, raw, sdkClient, withTables } from '../lib/dynamo.js';
import { skip, suite } from '../lib/runner.js';

const { names, hooks } = withTables({ t: { key: 'pk:S' }, two: { key: 'pk:S sk:N' } });
const wire = suite('wire', hooks);
// These requests carry no valid signature.
const test = (title, body) => wire(title, () => (isLocal() ? body() : skip('needs unsigned requests')));

const kCrcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
function crc32(data) {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ kCrcTable[(crc ^ byte) & 255];
  return (crc ^ 0xffffffff) >>> 0;
}
const kUnsigned = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'x-amz-date': '20250101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=00',
};
const checkHeaders = ({ headers, body }) => {
  assert.equal(headers['x-amz-crc32'], String(crc32(body)));
  assert.match(headers['x-amzn-requestid'], /^[A-Z0-9]{52}$|^[0-9a-fA-F-]{36}$/);
  assert.equal(headers['content-type'], 'application/x-amz-json-1.0');
  assert.equal(headers['content-length'], String(body.length));
};

test('a good reply has request id, checksum, type and length', async () => {
  await put(names.t, { pk: 'a', v: 'é\u{1F600}' });
  const reply = await raw('GetItem', { TableName: names.t, Key: item({ pk: 'a' }) });
  assert.equal(reply.status, 200);
  checkHeaders(reply);
  const again = await raw('GetItem', { TableName: names.t, Key: item({ pk: 'a' }) });
  assert.notEqual(again.headers['x-amzn-requestid'], reply.headers['x-amzn-requestid']);
});

test("an error reply has them too, and DynamoDB's type", async () => {
  const reply = await raw('GetItem', { TableName: 'no-such-table', Key: item({ pk: 'a' }) });
  assert.equal(reply.status, 400);
  checkHeaders(reply);
  assert.deepEqual(reply.json, {
    __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
    message: 'Requested resource not found',
  });
  const second = await raw('PutItem', { TableName: names.t, Item: {} });
  assert.equal(second.status, 400);
  // AWS uses two name spaces here; clients look only behind the '#'.
  assert.match(second.json.__type, /^com\.amazon\S+#ValidationException$/);
});

test('an empty reply is an empty object', async () => {
  const reply = await raw('PutItem', { TableName: names.t, Item: item({ pk: 'empty' }) });
  assert.equal(reply.body.toString(), '{}');
  checkHeaders(reply);
});

test('a gzip request body', async () => {
  const body = gzipSync(JSON.stringify({ TableName: names.t, Item: item({ pk: 'zip', v: 'x'.repeat(10_000) }) }));
  const reply = await raw('PutItem', body, { headers: { 'content-encoding': 'gzip' } });
  assert.equal(reply.status, 200, reply.body.toString());
  assert.equal((await call('GetItem', { TableName: names.t, Key: item({ pk: 'zip' }) })).Item.v.S.length, 10_000);
});

test('a gzip reply, if given, is whole and its checksum is of the bytes sent', async () => {
  const reply = await raw(
    'GetItem',
    { TableName: names.t, Key: item({ pk: 'zip' }) },
    { headers: { 'accept-encoding': 'gzip' } },
  );
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['x-amz-crc32'], String(crc32(reply.body)));
});

test('a chunked request body', async () => {
  const { hostname, port } = endpoint();
  const status = await new Promise((resolve, reject) => {
    const sent = http.request(
      { hostname, port, method: 'POST', headers: { ...kUnsigned, 'transfer-encoding': 'chunked' } },
      (reply) => {
        reply.resume();
        reply.on('end', () => resolve(reply.statusCode));
      },
    );
    sent.on('error', reject);
    sent.write('{"Li');
    setTimeout(() => sent.end('mit":1}'), 50);
  });
  assert.equal(status, 200);
});

test('a thousand requests on one connection', async () => {
  const { hostname, port } = endpoint();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set();
  for (let n = 0; n < 1000; n += 1) {
    await new Promise((resolve, reject) => {
      const sent = http.request({ hostname, port, agent, method: 'POST', headers: kUnsigned }, (reply) => {
        sockets.add(reply.socket);
        reply.resume();
        reply.on('end', resolve);
      });
      sent.on('error', reject);
      sent.end('{}');
    });
  }
  agent.destroy();
  assert.equal(sockets.size, 1);
});

test('unknown JSON members are ignored', async () => {
  const reply = await raw('ListTables', { Limit: 1, SomethingNew: { deep: [1] } });
  assert.equal(reply.status, 200);
});

test('JSON escapes in names and values', async () => {
  const body = `{"TableName":"${names.t}","Item":{"pk":{"S":"\\u0065sc\\ud83d\\ude00\\n"},"n\\u0061me":{"S":"\\/"}}}`;
  assert.equal((await raw('PutItem', body)).status, 200);
  assert.deepEqual((await call('GetItem', { TableName: names.t, Key: item({ pk: 'esc\u{1F600}\n' }) })).Item.name, {
    S: '/',
  });
});

wire('the document client: put, get, update, query, batch, transaction, paginator', async () => {
  const docs = DynamoDBDocumentClient.from(sdkClient());
  const item1 = {
    pk: 'doc',
    sk: 1,
    text: 'x',
    list: [1, { a: null }],
    set: new Set(['a']),
    bytes: Uint8Array.from([1]),
  };
  await docs.send(new PutCommand({ TableName: names.two, Item: item1 }));
  const { Item } = await docs.send(
    new GetCommand({ TableName: names.two, Key: { pk: 'doc', sk: 1 }, ConsistentRead: true }),
  );
  assert.deepEqual({ ...Item, bytes: [...Item.bytes] }, { ...item1, bytes: [1] });
  const { Attributes } = await docs.send(
    new UpdateCommand({
      TableName: names.two,
      Key: { pk: 'doc', sk: 1 },
      UpdateExpression: 'SET n = :n',
      ExpressionAttributeValues: { ':n': 12345678901234567890n },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  assert.ok('n' in Attributes);
  await docs.send(
    new BatchWriteCommand({
      RequestItems: { [names.two]: [2, 3].map((sk) => ({ PutRequest: { Item: { pk: 'doc', sk } } })) },
    }),
  );
  await docs.send(
    new TransactWriteCommand({ TransactItems: [{ Put: { TableName: names.two, Item: { pk: 'doc', sk: 4 } } }] }),
  );
  const { Items } = await docs.send(
    new QueryCommand({
      TableName: names.two,
      KeyConditionExpression: 'pk = :p AND sk > :s',
      ExpressionAttributeValues: { ':p': 'doc', ':s': 1 },
      ConsistentRead: true,
    }),
  );
  assert.deepEqual(
    Items.map(({ sk }) => sk),
    [2, 3, 4],
  );
  let seen = 0;
  for await (const page of paginateScan({ client: docs, pageSize: 1 }, { TableName: names.two }))
    seen += page.Items.length;
  assert.equal(seen, 4);
});

wire('the paginator of ListTables and the waiter', async () => {
  const all = [];
  for await (const page of paginateListTables({ client: sdkClient(), pageSize: 1 }, {})) all.push(...page.TableNames);
  assert.ok(all.includes(names.t) && all.includes(names.two));
  const result = await waitUntilTableExists({ client: sdkClient(), maxWaitTime: 30 }, { TableName: names.t });
  assert.equal(result.state, 'SUCCESS');
});
