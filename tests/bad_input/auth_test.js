// Rows 1-9: a server with --credentials takes a request with a good signature and no other.

import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { exchange } from '../lib/raw_http.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { signedHeaders } from '../lib/sigv4.js';

const kGood = { accessKeyId: 'AKIDEXAMPLE123456789', secretAccessKey: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12' };
const kReader = { accessKeyId: 'AKIDREADER0000000000', secretAccessKey: 'aSecretOfSomebodyWhoMayOnlyReadThings12345' };
const kOther = { accessKeyId: 'AKIDOTHER00000000000', secretAccessKey: 'anotherSecretKeyThatIsAlsoFortyCharsLong' };
let folder;
let server;
let host;

const test = suite('auth', {
  before: async () => {
    folder = tempDir();
    const file = join(folder, 'credentials');
    writeFileSync(
      file,
      [kGood, kOther]
        .map(
          ({ accessKeyId, secretAccessKey }, n) =>
            `[${n ? 'second' : 'default'}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
        )
        .concat(`[reader]\naws_access_key_id = ${kReader.accessKeyId}\naws_secret_access_key = ${kReader.secretAccessKey}\ngateleg_scope = read\n`)
        .join('\n'),
    );
    chmodSync(file, 0o600);
    server = await startServer({ args: ['--credentials', file] });
    host = new URL(server.url).host;
  },
  after: async () => {
    await server?.stop();
    removeDir(folder);
  },
});

async function send(headers, body = '{}', path = '/') {
  const lines = Object.entries(headers)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  const { replies, error } = await exchange(
    server.port,
    `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
  assert.equal(replies.length, 1, `no answer ${error?.code ?? ''}`);
  return replies[0];
}
const sign = (options = {}, credentials = kGood, body = '{}') =>
  signedHeaders('ListTables', body, credentials, { host, ...options });
const minutes = (n) => new Date(Date.now() + n * 60_000);

// The request is refused with one of these errors, before anything else is said about it.
async function refused(headers, types, message, body, path) {
  const { status, json } = await send(headers, body, path);
  const type = json?.__type?.split('#').at(-1);
  assert.equal(status, 400, `status ${status} ${type}`);
  assert.ok([types].flat().includes(type), `${type}: ${json?.message}`);
  if (message) assert.match(json.message, message);
  const good = await send(sign());
  assert.equal(good.status, 200, 'a good request after the bad one');
}
const kInvalid = 'InvalidSignatureException';
const kIncomplete = 'IncompleteSignatureException';
const kNone = 'MissingAuthenticationTokenException';
const kUnknown = 'UnrecognizedClientException';

test('a good signature passes, of the SDK and of this test, for both keys', async () => {
  for (const credentials of [kGood, kOther]) {
    const client = new DynamoDBClient({ endpoint: server.url, region: 'us-east-1', credentials, maxAttempts: 1 });
    assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
    assert.equal((await send(sign({}, credentials))).status, 200);
  }
});

test('a good signature over more headers, spaces folded', async () => {
  assert.equal((await send(sign({ extra: { 'x-amz-meta': '  a   b  ', 'user-agent': 'x' } }))).status, 200);
});

test('row 1: no Authorization', async () => {
  await refused({ ...sign(), authorization: undefined }, kNone);
  await refused({ ...sign(), authorization: '' }, [kNone, kIncomplete]);
});

test('row 1: no Authorization, and a body nobody should parse', () =>
  refused({ ...sign(), authorization: undefined, 'content-length': 3 }, kNone, undefined, '{{{'));

test('row 1: another scheme', async () => {
  await refused({ ...sign(), authorization: 'Basic dGVzdDp0ZXN0' }, [kNone, kIncomplete]);
  await refused({ ...sign(), authorization: 'Bearer abc' }, [kNone, kIncomplete]);
});

test('row 2: an unknown access key', () =>
  refused(
    sign({}, { ...kGood, accessKeyId: 'AKIDNOBODY0000000000' }),
    kUnknown,
    /^The security token included in the request is invalid\.?$/,
  ));

test('row 2: an empty access key', () => refused(sign({}, { ...kGood, accessKeyId: '' }), [kUnknown, kIncomplete]));

test('row 3: a wrong secret', () => refused(sign({}, { ...kGood, secretAccessKey: kOther.secretAccessKey }), kInvalid));

test('row 3: an empty secret', () => refused(sign({}, { ...kGood, secretAccessKey: '' }), kInvalid));

test('row 3: one bit of the signature changed, at each end', async () => {
  const headers = sign();
  const at = headers.authorization.length;
  for (const position of [at - 1, at - 64]) {
    const digit = headers.authorization[position];
    const changed =
      headers.authorization.slice(0, position) +
      (digit === '0' ? '1' : '0') +
      headers.authorization.slice(position + 1);
    await refused({ ...headers, authorization: changed }, kInvalid);
  }
});

test('row 3: a signature of zeros, of another length, in capitals', async () => {
  await refused(sign({ signature: '0'.repeat(64) }), kInvalid);
  await refused(sign({ signature: '' }), [kInvalid, kIncomplete]);
  await refused(sign({ signature: 'ab' }), [kInvalid, kIncomplete]);
  const headers = sign();
  await refused(
    { ...headers, authorization: headers.authorization.replace(/Signature=(.*)$/, (_, hex) => `Signature=${hex}00`) },
    [kInvalid, kIncomplete],
  );
});

test('row 4: a date 16 minutes old', () =>
  refused(
    sign({ when: minutes(-16) }),
    kInvalid,
    /^Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 15 min\.\)$/,
  ));

test('row 4: a date 16 minutes ahead', () =>
  refused(sign({ when: minutes(16) }), kInvalid, /^Signature not yet current: \d{8}T\d{6}Z is still later than /));

test('row 4: 14 minutes either way pass', async () => {
  assert.equal((await send(sign({ when: minutes(-14) }))).status, 200);
  assert.equal((await send(sign({ when: minutes(14) }))).status, 200);
});

test('row 4: no date, a date that is none, the date of another day in the scope', async () => {
  await refused({ ...sign(), 'x-amz-date': undefined }, [kInvalid, kIncomplete]);
  await refused({ ...sign(), 'x-amz-date': 'yesterday' }, [kInvalid, kIncomplete]);
  await refused(sign({ scopeDate: '20200101' }), kInvalid);
});

test('row 5: another service in the scope', () =>
  refused(sign({ service: 's3' }), kInvalid, /^Credential should be scoped to /));

test('row 5: a scope that does not end in aws4_request', async () => {
  const headers = sign();
  await refused({ ...headers, authorization: headers.authorization.replace('aws4_request', 'aws5_request') }, [
    kInvalid,
    kIncomplete,
  ]);
});

test('row 6: Authorization cut short at every part', async () => {
  const { authorization } = sign();
  for (const part of [
    'AWS4-HMAC-SHA256',
    authorization.split(', ')[0],
    authorization.split(', ').slice(0, 2).join(', '),
    authorization.replace(/Credential=[^,]*, /, ''),
    authorization.replace(/\/\d{8}\/[^,]*/, ''),
  ]) {
    await refused({ ...sign(), authorization: part }, [kIncomplete, kInvalid, kNone, kUnknown]);
  }
});

test('row 6: host not signed', () =>
  refused(sign({ signed: ['x-amz-date', 'x-amz-target'] }), [kInvalid, kIncomplete]));

test('row 6: x-amz-target not signed', () =>
  refused(sign({ signed: ['host', 'x-amz-date'] }), [kInvalid, kIncomplete]));

test('row 6: x-amz-date not signed', () =>
  refused(sign({ signed: ['host', 'x-amz-target'] }), [kInvalid, kIncomplete]));

test('row 6: an unsigned x-amz header added on the way', async () =>
  refused({ ...sign(), 'x-amz-security-token': 'extra' }, [kInvalid, kIncomplete, kUnknown]));

test('row 6: signature that is no hex', async () => {
  await refused(sign({ signature: 'z'.repeat(64) }), [kInvalid, kIncomplete]);
  await refused(sign({ signature: `${'0'.repeat(63)} ` }), [kInvalid, kIncomplete]);
});

test('row 7: UNSIGNED-PAYLOAD', async () => {
  await refused(
    sign({ payloadHash: 'UNSIGNED-PAYLOAD', extra: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }),
    kInvalid,
  );
  await refused(sign({ payloadHash: 'UNSIGNED-PAYLOAD' }), kInvalid);
  await refused(
    sign({
      payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      extra: { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' },
    }),
    kInvalid,
  );
});

test('row 8: the body changed after signing', () => refused(sign({}, kGood, '{}'), kInvalid, undefined, '[]'));

test('row 8: target, host or date changed after signing', async () => {
  await refused({ ...sign(), 'x-amz-target': 'DynamoDB_20120810.DeleteTable' }, kInvalid);
  await refused({ ...sign(), host: `localhost:${server.port}` }, kInvalid);
  await refused({ ...sign(), 'x-amz-date': sign({ when: minutes(-1) })['x-amz-date'] }, kInvalid);
});

test('row 8: a wrong x-amz-content-sha256', () =>
  refused(sign({ extra: { 'x-amz-content-sha256': '0'.repeat(64) } }), kInvalid));

test('row 9: credentials in header and query', () =>
  refused(
    sign(),
    kInvalid,
    undefined,
    '{}',
    `/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${kGood.accessKeyId}%2F20250101%2Fus-east-1%2Fdynamodb%2Faws4_request&X-Amz-Signature=00`,
  ));

test('row 9: a query that was not signed', () => refused(sign(), kInvalid, undefined, '{}', '/?x=1'));

test('row 19: a key that may only read changes nothing', async () => {
  const client = new DynamoDBClient({ endpoint: server.url, region: 'us-east-1', credentials: kReader, maxAttempts: 1 });
  assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
  const calls = {
    CreateTable: '{"TableName":"t","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}',
    PutItem: '{"TableName":"t","Item":{"pk":{"S":"a"}}}',
    UpdateItem: '{"TableName":"t","Key":{"pk":{"S":"a"}}}',
    DeleteItem: '{"TableName":"t","Key":{"pk":{"S":"a"}}}',
    BatchWriteItem: '{"RequestItems":{"t":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}}',
    TransactWriteItems: '{"TransactItems":[{"Put":{"TableName":"t","Item":{"pk":{"S":"a"}}}}]}',
    UpdateTimeToLive: '{"TableName":"t","TimeToLiveSpecification":{"AttributeName":"x","Enabled":true}}',
    UpdateTable: '{"TableName":"t"}',
    DeleteTable: '{"TableName":"t"}',
    TagResource: '{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/t","Tags":[{"Key":"a","Value":"b"}]}',
  };
  for (const [operation, body] of Object.entries(calls)) {
    const { status, json } = await send(signedHeaders(operation, body, kReader, { host }), body);
    assert.deepEqual([status, json?.__type?.split('#').at(-1)], [400, 'AccessDeniedException'], `${operation}: ${JSON.stringify(json)}`);
  }
  assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
});

test('two Authorization headers', async () => {
  const headers = sign();
  const { status } = await send({ ...headers, Authorization: sign({}, kOther).authorization });
  assert.ok(status === 400 || status === 403, `${status}`);
});

test('replies never hold the secret or what should have been signed', async () => {
  const { body } = await send(sign({ signature: '0'.repeat(64) }));
  assert.ok(!body.toString().includes(kGood.secretAccessKey));
  assert.ok(!server.log.includes(kGood.secretAccessKey));
});

test('a credentials file that is empty, missing or weak stops the start', async () => {
  for (const content of ['', '[default]\n', '[default]\naws_access_key_id =\naws_secret_access_key =\n', null]) {
    const file = join(folder, `bad-${content === null ? 'missing' : content.length}`);
    if (content !== null) writeFileSync(file, content, { mode: 0o600 });
    const started = await startServer({ args: ['--credentials', file] }).then(
      async (other) => {
        await other.stop();
        return true;
      },
      (error) => error,
    );
    assert.notEqual(started, true, `started with ${JSON.stringify(content)}`);
    assert.ok(started.server.log.length > 10, 'says why');
  }
});
