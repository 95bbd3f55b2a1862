// URLs that carry their signature: what they allow, and until when.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as S3 from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { suite } from '../lib/runner.js';
import { client, data, newBucket, open, s3, setClock, strict, text } from './fixture.js';

const test = suite('presigned', { after: () => setClock({}) });
const code = async (reply) => `${reply.status} ${/<Code>(.*?)<\/Code>/.exec(await reply.text())?.[1] ?? ''}`.trim();

test('upload by PUT and download by GET, as an SDK signs them', async () => {
  for (const server of [open, strict]) {
    const from = client(server);
    const Bucket = await newBucket(from);
    const put = await getSignedUrl(from, new S3.PutObjectCommand({ Bucket, Key: 'a b.jpg', ContentType: 'image/jpeg' }), { expiresIn: 600 });
    const sent = await fetch(put, { method: 'PUT', body: 'picture', headers: { 'content-type': 'image/jpeg' } });
    assert.equal(sent.status, 200, await sent.text());
    const get = await getSignedUrl(from, new S3.GetObjectCommand({ Bucket, Key: 'a b.jpg' }), { expiresIn: 600 });
    const got = await fetch(get);
    assert.deepEqual([got.status, got.headers.get('content-type'), await got.text()], [200, 'image/jpeg', 'picture']);
    const ranged = await fetch(get, { headers: { range: 'bytes=1-3' } });
    assert.deepEqual([ranged.status, await ranged.text()], [206, 'ict']);
    assert.equal(await text(await from.send(new S3.GetObjectCommand({ Bucket, Key: 'a b.jpg' }))), 'picture');
  }
});

test('the answer is changed by signed parameters only', async () => {
  const from = client(strict);
  const Bucket = await newBucket(from);
  await from.send(new S3.PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ContentType: 'text/plain' }));
  const request = { Bucket, Key: 'k', ResponseContentType: 'image/png', ResponseContentDisposition: 'attachment; filename="ü.png"' };
  const url = await getSignedUrl(from, new S3.GetObjectCommand({ ...request, ResponseContentDisposition: 'attachment; filename="u.png"' }));
  const got = await fetch(url);
  assert.deepEqual([got.headers.get('content-type'), got.headers.get('content-disposition')], ['image/png', 'attachment; filename="u.png"']);
  const plain = await getSignedUrl(from, new S3.GetObjectCommand({ Bucket, Key: 'k' }));
  assert.equal(await code(await fetch(`${plain}&response-content-type=text%2Fhtml`)), '403 SignatureDoesNotMatch');
  const split = await getSignedUrl(from, new S3.GetObjectCommand({ Bucket, Key: 'k', ResponseCacheControl: 'a\r\nX-Injected: 1' }));
  assert.equal(await code(await fetch(split)), '400 InvalidArgument');
});

test('row 11, row 12, row 13: another method, key, header or time is refused', async () => {
  const from = client(strict);
  const Bucket = await newBucket(from);
  await from.send(new S3.PutObjectCommand({ Bucket, Key: 'k', Body: 'kept' }));
  const get = await getSignedUrl(from, new S3.GetObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 600 });
  for (const method of ['PUT', 'DELETE']) assert.equal(await code(await fetch(get, { method })), '403 SignatureDoesNotMatch', method);
  assert.equal((await fetch(get, { method: 'HEAD' })).status, 403);
  assert.equal(await code(await fetch(get.replace('/k?', '/other?'))), '403 SignatureDoesNotMatch');
  assert.equal(await code(await fetch(get.replace('X-Amz-Expires=600', 'X-Amz-Expires=6000'))), '403 SignatureDoesNotMatch');
  for (const value of ['0', '-1', '604801', 'x', '']) {
    assert.equal(await code(await fetch(get.replace('X-Amz-Expires=600', `X-Amz-Expires=${value}`))), '400 AuthorizationQueryParametersError', value);
  }
  assert.equal(await code(await fetch(get.replace(/&?X-Amz-Expires=600/, ''))), '400 AuthorizationQueryParametersError');
  const put = await getSignedUrl(from, new S3.PutObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 600 });
  for (const [name, value] of [['x-amz-tagging', 'a=b'], ['x-amz-copy-source', `/${Bucket}/k`], ['x-amz-meta-a', 'b']]) {
    const reply = await fetch(put, { method: 'PUT', body: 'changed', headers: { [name]: value } });
    assert.equal(reply.status, 403);
    assert.match(await reply.text(), /AccessDenied.*not signed/, name);
  }
  assert.equal(await text(await from.send(new S3.GetObjectCommand({ Bucket, Key: 'k' }))), 'kept');
});

test('row 14: expiry goes by the clock in force, to the second', async () => {
  const Bucket = await newBucket();
  await s3.send(new S3.PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const signingDate = new Date('2030-01-01T00:00:00Z');
  const url = await getSignedUrl(s3, new S3.GetObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 600, signingDate });
  for (const [now, wanted] of [
    ['2030-01-01T00:00:00Z', '200'],
    ['2030-01-01T00:10:00Z', '200'],
    ['2030-01-01T00:10:01Z', '403 AccessDenied'],
    ['2029-12-31T23:44:59Z', '403 AccessDenied'],
  ]) {
    await setClock({ now });
    assert.equal(await code(await fetch(url)), wanted, now);
  }
  await setClock({});
});

test("URLs signed with the server's own key are verified even where any key is taken", async () => {
  const [accessKeyId, secretAccessKey] = readFileSync(join(data, 'open/objects/own-key'), 'utf8').trim().split('\n');
  const Bucket = await newBucket();
  await s3.send(new S3.PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const own = client(open, { credentials: { accessKeyId, secretAccessKey } });
  const url = await getSignedUrl(own, new S3.GetObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 600 });
  assert.equal(await code(await fetch(url)), '200');
  assert.equal(await code(await fetch(url.replace('/k?', '/other?'))), '403 SignatureDoesNotMatch');
  assert.equal(await code(await fetch(url, { method: 'DELETE' })), '403 SignatureDoesNotMatch');
  const forged = client(open, { credentials: { accessKeyId, secretAccessKey: 'guessed' } });
  const bad = await getSignedUrl(forged, new S3.GetObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 600 });
  assert.equal(await code(await fetch(bad)), '403 SignatureDoesNotMatch');
  assert.equal(await code(await fetch(url.split('?')[0])), '403 AccessDenied');
});
