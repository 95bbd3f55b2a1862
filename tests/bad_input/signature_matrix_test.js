// T21: every operation of the DynamoDB and Streams APIs, with its signature bent in every way. The operations are read from the
// source, so a new one is among them; only what is good gets past the gate, and what is bent changes nothing.

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { amzDate, signedHeaders } from '../lib/sigv4.js';

const kKey = { accessKeyId: 'AKIDMATRIX0000000000', secretAccessKey: 'theSecretOfTheMatrixWithFortyCharacters1' };
const kStreams = 'DynamoDBStreams_20120810.';
const kRefusals = ['MissingAuthenticationTokenException', 'UnrecognizedClientException', 'InvalidSignatureException', 'IncompleteSignatureException'];
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
let folder;
let server;
let host;

const test = suite('signature matrix', {
  before: async () => {
    folder = tempDir();
    const file = join(folder, 'credentials');
    writeFileSync(file, `[default]\naws_access_key_id = ${kKey.accessKeyId}\naws_secret_access_key = ${kKey.secretAccessKey}\n`);
    chmodSync(file, 0o600);
    server = await startServer({ args: ['--credentials', file] });
    host = new URL(server.url).host;
  },
  after: async () => {
    agent.destroy();
    await server?.stop();
    removeDir(folder);
  },
});

function namesIn(file, word) {
  const source = readFileSync(new URL(`../../src/api/dynamodb/${file}`, import.meta.url), 'utf8');
  return [...source.matchAll(new RegExp(`\\b${word}\\{\\s*"([A-Z][A-Za-z]+)"`, 'g'))].map(([, name]) => name);
}
const kOperations = [
  ...[...namesIn('operations.cc', 'Operation'), ...namesIn('tool_operations.cc', 'ToolOperation')].map((name) => ({ name, prefix: 'DynamoDB_20120810.' })),
  ...namesIn('backup_operations.cc', 'BackupOperation').map((name) => ({ name, prefix: 'DynamoDB_20120810.' })),
  ...namesIn('transfer_operations.cc', 'TransferOperation').map((name) => ({ name, prefix: 'DynamoDB_20120810.' })),
  ...namesIn('stream_operations.cc', 'StreamOperation').map((name) => ({ name, prefix: kStreams })),
];

// A body that would do something if it came through.
const kBodies = {
  CreateTable: {
    TableName: 'forged', BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }], AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  },
  DeleteTable: { TableName: 'kept' },
  PutItem: { TableName: 'kept', Item: { pk: { S: 'forged' } } },
  UpdateItem: { TableName: 'kept', Key: { pk: { S: 'forged' } } },
  DeleteItem: { TableName: 'kept', Key: { pk: { S: 'mine' } } },
  BatchWriteItem: { RequestItems: { kept: [{ DeleteRequest: { Key: { pk: { S: 'mine' } } } }] } },
  TransactWriteItems: { TransactItems: [{ Put: { TableName: 'kept', Item: { pk: { S: 'forged' } } } }] },
  ExecuteStatement: { Statement: "DELETE FROM kept WHERE pk = 'mine'" },
};
const bodyOf = (name) => JSON.stringify(kBodies[name] ?? {});

const minutes = (count) => new Date(Date.now() + count * 60_000);
const yesterday = () => amzDate(minutes(-1440)).slice(0, 8);
// Each makes {headers, body?, path?} of a request that is to be refused.
const bent = (options, key = kKey) => ({ name, prefix }) => ({ headers: signedHeaders(name, bodyOf(name), key, { host, prefix, ...options() }) });
const kBends = {
  wrongSecret: bent(() => ({}), { ...kKey, secretAccessKey: 'wrong' }),
  emptySecret: bent(() => ({}), { ...kKey, secretAccessKey: '' }),
  unknownKey: bent(() => ({}), { ...kKey, accessKeyId: 'AKIANOBODY0000000000' }),
  wrongSignature: bent(() => ({ signature: '0'.repeat(64) })),
  shortSignature: bent(() => ({ signature: 'abc' })),
  foreignRegion: bent(() => ({ region: 'eu-west-1' })),
  foreignService: bent(() => ({ service: 's3' })),
  dateMismatch: bent(() => ({ scopeDate: yesterday() })),
  expired: bent(() => ({ when: minutes(-16) })),
  future: bent(() => ({ when: minutes(16) })),
  unsignedPayload: bent(() => ({ payloadHash: 'UNSIGNED-PAYLOAD', extra: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } })),
  streaming: bent(() => ({ payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', extra: { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' } })),
  unsignedTrailer: bent(() => ({ payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', extra: { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' } })),
  targetNotSigned: bent(() => ({ signed: ['host', 'x-amz-date'] })),
  hostNotSigned: bent(() => ({ signed: ['x-amz-date', 'x-amz-target'] })),
  noSignature: (each) => ({ headers: { ...bent(() => ({}))(each).headers, authorization: undefined } }),
  unsignedHeader: (each) => ({ headers: { ...bent(() => ({}))(each).headers, 'x-amz-extra': 'x' } }),
  unsignedToken: (each) => ({ headers: { ...bent(() => ({}))(each).headers, 'x-amz-security-token': 'someone-elses' } }),
  signedForAnother: (each) => ({ headers: { ...bent(() => ({}))({ ...each, name: each.name === 'ListTables' ? 'Scan' : 'ListTables' }).headers, 'x-amz-target': each.prefix + each.name } }),
  otherBody: (each) => ({ ...bent(() => ({}))(each), body: `${bodyOf(each.name)} ` }),
  unsignedQuery: (each) => ({ ...bent(() => ({}))(each), path: '/?x=1' }),
  bothPlaces: (each) => ({ ...bent(() => ({}))(each), path: presigned() }),
  presignedOnly: (each) => ({ headers: { ...bent(() => ({}))(each).headers, authorization: undefined }, path: presigned() }),
};

// As S3 signs a URL, for this service: the DynamoDB API takes none.
function presigned() {
  const date = amzDate();
  const scope = `${date.slice(0, 8)}/us-east-1/dynamodb/aws4_request`;
  const query = Object.entries({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256', 'X-Amz-Credential': `${kKey.accessKeyId}/${scope}`,
    'X-Amz-Date': date, 'X-Amz-Expires': '300', 'X-Amz-SignedHeaders': 'host',
  }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const sha256 = (text) => createHash('sha256').update(text).digest('hex');
  const canonical = ['POST', '/', query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
  const key = ['us-east-1', 'dynamodb', 'aws4_request'].reduce(hmac, hmac(`AWS4${kKey.secretAccessKey}`, date.slice(0, 8)));
  return `/?${query}&X-Amz-Signature=${hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex')}`;
}

function send({ headers, body, path = '/' }, name) {
  const bytes = Buffer.from(body ?? bodyOf(name));
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, host: '127.0.0.1', port: server.port, method: 'POST', path, headers: { ...given, 'content-length': bytes.length } }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        let type;
        try {
          type = JSON.parse(text).__type?.split('#').at(-1);
        } catch {
          type = undefined;
        }
        resolve({ status: reply.statusCode, type, text });
      });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}
const sendGood = (name, body) => send({ headers: signedHeaders(name, body, kKey, { host }), body }, name);

test('T21: the operations are found in the source', () => {
  assert.ok(kOperations.length >= 45, `${kOperations.length} found`);
  for (const name of ['PutItem', 'ExecuteStatement', 'RestoreTableFromBackup', 'GetRecords', 'PutResourcePolicy'])
    assert.ok(kOperations.some((each) => each.name === name), name);
});

test('T21: a good signature gets past the gate on every operation', async () => {
  await sendGood('CreateTable', JSON.stringify({ ...kBodies.CreateTable, TableName: 'kept' }));
  assert.equal((await sendGood('PutItem', '{"TableName":"kept","Item":{"pk":{"S":"mine"}}}')).status, 200);
  for (const each of kOperations) {
    const body = '{}';
    const { status, type, text } = await send({ headers: signedHeaders(each.name, body, kKey, { host, prefix: each.prefix }), body }, each.name);
    assert.ok(status < 500 && !kRefusals.includes(type) && type !== 'UnknownOperationException', `${each.name}: ${status} ${text}`);
  }
});

test('T21: a bent signature is refused on every operation, and nothing happens', async () => {
  const cases = kOperations.flatMap((each) => Object.entries(kBends).map(([bend, make]) => ({ each, bend, make })));
  const wrong = [];
  let refused = 0;
  const worker = async () => {
    for (let next = cases.pop(); next; next = cases.pop()) {
      const { status, type, text } = await send(next.make(next.each), next.each.name);
      if (status === 400 && kRefusals.includes(type)) refused += 1;
      else wrong.push(`${next.each.name} ${next.bend}: ${status} ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  assert.deepEqual(wrong.slice(0, 20), []);
  assert.equal(refused, kOperations.length * Object.keys(kBends).length);
  const tables = JSON.parse((await sendGood('ListTables', '{}')).text).TableNames;
  assert.deepEqual(tables, ['kept']);
  const { Items } = JSON.parse((await sendGood('Scan', '{"TableName":"kept"}')).text);
  assert.deepEqual(Items, [{ pk: { S: 'mine' } }]);
  console.log(`     counts signatures refused=${refused} | operations=${kOperations.length}`);
}, { seconds: 120 });
