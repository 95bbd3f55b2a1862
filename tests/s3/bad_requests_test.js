// Requests that no SDK would send.

import assert from 'node:assert/strict';
import http from 'node:http';
import * as S3 from '@aws-sdk/client-s3';
import { exchange } from '../lib/raw_http.js';
import { suite } from '../lib/runner.js';
import { send, signS3 } from '../lib/s3_sign.js';
import { kKey, newBucket, open, s3, text } from './fixture.js';

const test = suite('bad requests');
const { host, port } = new URL(open.s3Url);
const authorization = 'AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0';

const call = (method, path, { body, headers = {}, query } = {}) =>
  send(open.s3Url, signS3({ host, method, path, body, headers, query }, { key: kKey }));
async function refused(promise, status, code) {
  const reply = await promise;
  assert.deepEqual([reply.status, reply.code], [status, code], reply.body);
}

test('row 15: keys are data: dots, slashes, NUL and long names', async () => {
  const Bucket = await newBucket();
  const other = await newBucket();
  for (const path of ['../../etc/passwd', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', 'a%00b', './/../', '%5C..%5Cx', `../${other}/k`]) {
    assert.equal((await call('PUT', `/${Bucket}/${path}`, { body: path })).status, 200, path);
    const got = await call('GET', `/${Bucket}/${path}`);
    // Two spellings of one key are one key.
    assert.equal(got.status, 200);
    assert.match(got.body, /passwd|%00|\.\.|%5C/);
  }
  assert.equal((await s3.send(new S3.ListObjectsV2Command({ Bucket: other }))).KeyCount, 0);
  // A source of a copy is a bucket and a key as well: dots in it lead nowhere.
  await s3.send(new S3.PutObjectCommand({ Bucket: other, Key: 'secret', Body: 'x' }));
  for (const source of [`/${Bucket}/../${other}/secret`, `/${Bucket}/%2e%2e%2f${other}%2fsecret`, '/../../etc/passwd'])
    assert.notEqual((await call('PUT', `/${Bucket}/stolen`, { headers: { 'x-amz-copy-source': source } })).status, 200, source);
  assert.equal((await call('GET', `/${Bucket}/stolen`)).status, 404);
  await refused(call('PUT', `/${Bucket}/${'k'.repeat(1025)}`, { body: 'x' }), 400, 'KeyTooLongError');
  assert.equal((await call('PUT', `/${Bucket}/${'k'.repeat(1024)}`, { body: 'x' })).status, 200);
  await refused(call('GET', `/${Bucket}/%ff`), 400, 'InvalidURI');
});

test('XML that is none, or too much', async () => {
  const Bucket = await newBucket();
  const post = (body) => call('POST', `/${Bucket}`, { query: [['delete', '']], body });
  for (const body of ['', '<Delete>', '<!DOCTYPE x [<!ENTITY a "b">]><Delete><Object><Key>&a;</Key></Object></Delete>', '<Other/>', '<Delete/>']) {
    await refused(post(body), 400, 'MalformedXML');
  }
  await refused(post(`<Delete>${'<Object><Key>k</Key></Object>'.repeat(1001)}</Delete>`), 400, 'MalformedXML');
  await refused(post('x'.repeat(8_500_000)), 400, 'MaxMessageLengthExceeded');
  const cors = { query: [['cors', '']] };
  await refused(call('PUT', `/${Bucket}`, { ...cors, body: '<CORSConfiguration/>' }), 400, 'MalformedXML');
});

test('row 18: a PUT without a length, without a body, with one that ends early', async () => {
  const Bucket = await newBucket();
  const head = (more) => `PUT /${Bucket}/k HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n${more}\r\n`;
  const none = await exchange(Number(port), [head('')]);
  assert.equal(none.replies[0].status, 411);
  assert.match(none.text, /MissingContentLength/);
  const early = await exchange(Number(port), [head('Content-Length: 100\r\n'), 'only this'], { end: true });
  assert.ok(early.replies.length === 0 || early.replies[0].status === 400);
  const chunks = await exchange(Number(port), [head('Transfer-Encoding: chunked\r\n'), '5\r\nhello\r\n0\r\n\r\n']);
  assert.equal(chunks.replies[0].status, 200);
  assert.equal(await text(await s3.send(new S3.GetObjectCommand({ Bucket, Key: 'k' }))), 'hello');
  const large = await exchange(Number(port), [head(`Content-Length: ${6 * 2 ** 30}\r\n`)]);
  assert.match(large.text, /EntityTooLarge/);
});

test('Expect: 100-continue is answered when the body is wanted, and not before', async () => {
  const Bucket = await newBucket();
  const head = (bucket) =>
    `PUT /${bucket}/k HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`;
  const missing = await exchange(Number(port), [head('no-such-bucket-here')]);
  assert.deepEqual([missing.replies[0].status, missing.text.includes('100 Continue')], [404, false]);
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization, expect: '100-continue', 'content-length': '5' };
    const put = http.request(`${open.s3Url}/${Bucket}/k`, { method: 'PUT', headers }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    });
    put.on('error', reject);
    put.on('continue', () => put.end('hello'));
    put.flushHeaders();
  });
  assert.equal(status, 200);
});

test('foreign hosts, unknown methods and subresources', async () => {
  const Bucket = await newBucket();
  const foreign = await exchange(Number(port), [`GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n`]);
  assert.equal(foreign.replies[0].status, 421);
  await refused(call('PATCH', `/${Bucket}/k`), 405, 'MethodNotAllowed');
  await refused(call('POST', `/${Bucket}/k`), 501, 'NotImplemented');
  await refused(call('GET', `/${Bucket}`, { query: [['inventory', '']] }), 501, 'NotImplemented');
  await refused(call('PUT', `/${Bucket}/k`, { query: [['acl', '']], body: 'x' }), 501, 'NotImplemented');
  await refused(call('GET', `/${Bucket}/k`, { query: [['versionId', 'abc']] }), 400, 'InvalidArgument');
  const customer = { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' };
  await refused(call('PUT', `/${Bucket}/k`, { headers: customer, body: 'x' }), 501, 'NotImplemented');
  await refused(call('PUT', `/${Bucket}/k`, { headers: { 'x-amz-copy-source': 'nothing' } }), 400, 'InvalidArgument');
  for (const source of [`${Bucket}/../../etc/passwd`, `/${Bucket}/%2e%2e%2fpasswd`]) {
    await refused(call('PUT', `/${Bucket}/k`, { headers: { 'x-amz-copy-source': source } }), 404, 'NoSuchKey');
  }
});
