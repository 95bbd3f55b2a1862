import assert from 'node:assert/strict';
import http from 'node:http';
import * as S3 from '@aws-sdk/client-s3';
import { suite } from '../lib/runner.js';
import { client, failure, newBucket, open, s3, text } from './fixture.js';

const test = suite('buckets');

test('are made, found, listed and deleted', async () => {
  const Bucket = await newBucket();
  assert.equal((await s3.send(new S3.HeadBucketCommand({ Bucket }))).BucketRegion, 'us-east-1');
  const { Buckets } = await s3.send(new S3.ListBucketsCommand());
  assert.ok(Buckets.find(({ Name, CreationDate }) => Name === Bucket && CreationDate instanceof Date));
  assert.equal(await failure(s3.send(new S3.CreateBucketCommand({ Bucket }))), '409 BucketAlreadyOwnedByYou');
  await s3.send(new S3.PutObjectCommand({ Bucket, Key: 'x', Body: 'x' }));
  assert.equal(await failure(s3.send(new S3.DeleteBucketCommand({ Bucket }))), '409 BucketNotEmpty');
  await s3.send(new S3.DeleteObjectCommand({ Bucket, Key: 'x' }));
  await s3.send(new S3.DeleteBucketCommand({ Bucket }));
  assert.equal(await failure(s3.send(new S3.ListObjectsV2Command({ Bucket }))), '404 NoSuchBucket');
  assert.equal(await failure(s3.send(new S3.HeadBucketCommand({ Bucket }))), '404 NotFound');
  assert.equal(await failure(s3.send(new S3.CreateBucketCommand({ Bucket: 'No_Such-Name' }))), '400 InvalidBucketName');
});

test('location and versioning are answered, what is not set says so', async () => {
  const Bucket = await newBucket();
  assert.equal((await s3.send(new S3.GetBucketLocationCommand({ Bucket }))).LocationConstraint, undefined);
  assert.equal((await s3.send(new S3.GetBucketVersioningCommand({ Bucket }))).Status, undefined);
  assert.equal(await failure(s3.send(new S3.GetBucketPolicyCommand({ Bucket }))), '404 NoSuchBucketPolicy');
  assert.equal(await failure(s3.send(new S3.GetBucketCorsCommand({ Bucket }))), '404 NoSuchCORSConfiguration');
  assert.equal(await failure(s3.send(new S3.ListObjectVersionsCommand({ Bucket }))), '501 NotImplemented');
  assert.equal((await s3.send(new S3.GetBucketAclCommand({ Bucket }))).Grants[0].Permission, 'FULL_CONTROL');
});

test('are addressed by host name as well', async () => {
  const Bucket = await newBucket();
  const { port } = new URL(open.s3Url);
  const put = await fetch(`http://127.0.0.1:${port}/${Bucket}/by-path`, {
    method: 'PUT',
    body: 'hello',
    headers: { authorization: 'AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0' },
  });
  assert.equal(put.status, 200);
  // Browsers know that names below localhost are this machine; Node asks the resolver, which may not.
  const lookup = (_, options, done) =>
    options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
  const requestHandler = { httpAgent: new http.Agent({ lookup }) };
  const byHost = client(open, { endpoint: `http://localhost:${port}`, forcePathStyle: false, requestHandler });
  assert.equal(await text(await byHost.send(new S3.GetObjectCommand({ Bucket, Key: 'by-path' }))), 'hello');
});

test('CORS rules are kept, and decide about pages of other origins', async () => {
  const Bucket = await newBucket();
  await s3.send(new S3.PutObjectCommand({ Bucket, Key: 'a', Body: 'a' }));
  const rule = {
    ID: 'gallery',
    AllowedOrigins: ['https://*.example.com'],
    AllowedMethods: ['GET', 'PUT'],
    AllowedHeaders: ['content-type', 'x-amz-*'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 60,
  };
  const preflight = (origin, method = 'PUT', headers = 'content-type,x-amz-meta-a') =>
    fetch(`${open.s3Url}/${Bucket}/a`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
    });
  assert.equal((await preflight('https://app.example.com')).status, 403);
  assert.equal((await preflight('http://localhost:5173')).headers.get('access-control-allow-origin'), 'http://localhost:5173');
  await s3.send(new S3.PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }));
  assert.deepEqual((await s3.send(new S3.GetBucketCorsCommand({ Bucket }))).CORSRules, [rule]);
  const allowed = await preflight('https://app.example.com');
  assert.equal(allowed.status, 200);
  assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example.com');
  assert.equal(allowed.headers.get('access-control-max-age'), '60');
  assert.equal((await preflight('https://app.example.com', 'DELETE')).status, 403);
  assert.equal((await preflight('https://app.example.com', 'PUT', 'x-other')).status, 403);
  assert.equal((await preflight('https://evil.example')).status, 403);
  // The request itself: a page without a rule is refused, whatever its signature says.
  const authorization = 'AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0';
  const get = (origin) => fetch(`${open.s3Url}/${Bucket}/a`, { headers: { origin, authorization } });
  assert.equal((await get('https://evil.example')).status, 403);
  const read = await get('https://app.example.com');
  assert.deepEqual([read.status, read.headers.get('access-control-expose-headers')], [200, 'ETag']);
  await s3.send(new S3.DeleteBucketCorsCommand({ Bucket }));
  assert.equal(await failure(s3.send(new S3.GetBucketCorsCommand({ Bucket }))), '404 NoSuchCORSConfiguration');
});
