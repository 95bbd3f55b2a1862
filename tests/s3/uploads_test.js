// Uploads in parts and from streams.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import * as S3 from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { suite } from '../lib/runner.js';
import { client, failure, newBucket, s3, text } from './fixture.js';

const test = suite('uploads');
const kPart = 5 << 20;
const digest = (body) => createHash('sha256').update(body).digest('hex');

test('a stream of unknown length arrives whole, in parts', async () => {
  const Bucket = await newBucket();
  const body = randomBytes(12_000_000);
  const upload = new Upload({
    client: s3,
    params: { Bucket, Key: 'big', Body: Readable.from(split(body, 700_000)), ContentType: 'video/mp4', Metadata: { a: 'b' } },
  });
  const done = await upload.done();
  assert.match(done.ETag, /-3"$/);
  const got = await s3.send(new S3.GetObjectCommand({ Bucket, Key: 'big' }));
  assert.deepEqual([got.ContentLength, got.ContentType, got.Metadata], [body.length, 'video/mp4', { a: 'b' }]);
  assert.equal(digest(await got.Body.transformToByteArray()), digest(body));
  const range = await s3.send(new S3.GetObjectCommand({ Bucket, Key: 'big', Range: `bytes=${kPart - 10}-${kPart + 100_000}` }));
  assert.equal(digest(await range.Body.transformToByteArray()), digest(body.subarray(kPart - 10, kPart + 100_001)));
  const part = await s3.send(new S3.GetObjectCommand({ Bucket, Key: 'big', PartNumber: 2 }));
  assert.equal(part.PartsCount, 3);
  assert.equal(digest(await part.Body.transformToByteArray()), digest(body.subarray(kPart, 2 * kPart)));
}, { seconds: 240 });

function* split(body, bytes) {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes);
}

test('one PUT of a stream goes in chunks with a trailer', async () => {
  const Bucket = await newBucket();
  const body = randomBytes(3_000_000);
  for (const ChecksumAlgorithm of ['CRC32', 'SHA256', 'CRC64NVME']) {
    const put = await s3.send(
      new S3.PutObjectCommand({ Bucket, Key: 's', Body: Readable.from(split(body, 100_000)), ContentLength: body.length, ChecksumAlgorithm }),
    );
    assert.ok(put[`Checksum${ChecksumAlgorithm}`]);
    const got = await s3.send(new S3.GetObjectCommand({ Bucket, Key: 's' }));
    assert.equal(got.ContentEncoding, undefined);
    assert.equal(digest(await got.Body.transformToByteArray()), digest(body));
  }
}, { seconds: 240 });

test('parts are listed, copied, completed and aborted', async () => {
  const Bucket = await newBucket();
  const Key = 'parts';
  const body = randomBytes(kPart);
  await s3.send(new S3.PutObjectCommand({ Bucket, Key: 'source', Body: body }));
  const { UploadId } = await s3.send(new S3.CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'image/png', Tagging: 'a=b' }));
  const name = { Bucket, Key, UploadId };
  const first = await s3.send(new S3.UploadPartCommand({ ...name, PartNumber: 1, Body: body }));
  const CopySource = `${Bucket}/source`;
  const second = await s3.send(new S3.UploadPartCopyCommand({ ...name, PartNumber: 2, CopySource }));
  const third = await s3.send(new S3.UploadPartCopyCommand({ ...name, PartNumber: 7, CopySource, CopySourceRange: 'bytes=0-99' }));
  const { Parts } = await s3.send(new S3.ListPartsCommand(name));
  assert.deepEqual(Parts.map(({ PartNumber, Size }) => [PartNumber, Size]), [[1, kPart], [2, kPart], [7, 100]]);
  const listed = await s3.send(new S3.ListMultipartUploadsCommand({ Bucket }));
  assert.deepEqual(listed.Uploads.map((each) => each.UploadId), [UploadId]);
  const part = (PartNumber, { ETag }) => ({ PartNumber, ETag });
  const wrong = [part(1, first), { PartNumber: 2, ETag: '"x"' }];
  assert.equal(await failure(s3.send(new S3.CompleteMultipartUploadCommand({ ...name, MultipartUpload: { Parts: wrong } }))), '400 InvalidPart');
  const order = [part(2, second.CopyPartResult), part(1, first)];
  assert.equal(
    await failure(s3.send(new S3.CompleteMultipartUploadCommand({ ...name, MultipartUpload: { Parts: order } }))),
    '400 InvalidPartOrder',
  );
  const all = [part(1, first), part(2, second.CopyPartResult), part(7, third.CopyPartResult)];
  await s3.send(new S3.CompleteMultipartUploadCommand({ ...name, MultipartUpload: { Parts: all } }));
  const got = await s3.send(new S3.GetObjectCommand({ Bucket, Key }));
  assert.deepEqual([got.ContentLength, got.ContentType, got.TagCount], [2 * kPart + 100, 'image/png', 1]);
  assert.equal(digest(await got.Body.transformToByteArray()), digest(Buffer.concat([body, body, body.subarray(0, 100)])));
  const other = await s3.send(new S3.CreateMultipartUploadCommand({ Bucket, Key: 'other' }));
  await s3.send(new S3.AbortMultipartUploadCommand({ Bucket, Key: 'other', UploadId: other.UploadId }));
  assert.equal(
    await failure(s3.send(new S3.UploadPartCommand({ Bucket, Key: 'other', UploadId: other.UploadId, PartNumber: 1, Body: 'x' }))),
    '404 NoSuchUpload',
  );
}, { seconds: 240 });

test('many objects at once', async () => {
  const Bucket = await newBucket();
  const many = client();
  await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const Body = `${i}-`.repeat(1 + i * 100);
      await many.send(new S3.PutObjectCommand({ Bucket, Key: `k${i}`, Body }));
      assert.equal(await text(await many.send(new S3.GetObjectCommand({ Bucket, Key: `k${i}` }))), Body);
    }),
  );
}, { seconds: 240 });
