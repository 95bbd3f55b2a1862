import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as S3 from '@aws-sdk/client-s3';
import { suite } from '../lib/runner.js';
import { failure, newBucket, s3, text } from './fixture.js';

const test = suite('objects');
const md5 = (body) => createHash('md5').update(body).digest('hex');

test('come back as they were put, with what was said about them', async () => {
  const Bucket = await newBucket();
  const Key = 'users/ü/2025/03/01/a b+c&d.jpg';
  const put = await s3.send(
    new S3.PutObjectCommand({
      Bucket,
      Key,
      Body: 'hello',
      ContentType: 'image/jpeg',
      CacheControl: 'max-age=60',
      ContentDisposition: 'inline; filename="a.jpg"',
      ContentLanguage: 'de',
      Metadata: { owner: 'u-1', 'with-dash': 'x' },
      Tagging: 'a=b&c=d%20e',
    }),
  );
  assert.equal(put.ETag, `"${md5('hello')}"`);
  const got = await s3.send(new S3.GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
  assert.equal(await text(got), 'hello');
  assert.deepEqual(
    [got.ContentType, got.CacheControl, got.ContentDisposition, got.ContentLanguage, got.ContentLength, got.TagCount],
    ['image/jpeg', 'max-age=60', 'inline; filename="a.jpg"', 'de', 5, 2],
  );
  assert.deepEqual(got.Metadata, { owner: 'u-1', 'with-dash': 'x' });
  assert.equal(got.ChecksumCRC32, 'NhCmhg==');
  const head = await s3.send(new S3.HeadObjectCommand({ Bucket, Key }));
  assert.deepEqual([head.ContentLength, head.ETag, head.ContentType], [5, put.ETag, 'image/jpeg']);
  assert.equal(head.LastModified.getTime(), got.LastModified.getTime());
  const attributes = await s3.send(
    new S3.GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['ETag', 'ObjectSize', 'Checksum'] }),
  );
  assert.deepEqual([attributes.ETag, attributes.ObjectSize, attributes.Checksum.ChecksumCRC32], [md5('hello'), 5, 'NhCmhg==']);
});

test('row 17: every checksum is verified and given back', async () => {
  const Bucket = await newBucket();
  for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']) {
    const put = await s3.send(new S3.PutObjectCommand({ Bucket, Key: ChecksumAlgorithm, Body: 'hello', ChecksumAlgorithm }));
    const got = await s3.send(new S3.GetObjectCommand({ Bucket, Key: ChecksumAlgorithm, ChecksumMode: 'ENABLED' }));
    assert.equal(got[`Checksum${ChecksumAlgorithm}`], put[`Checksum${ChecksumAlgorithm}`]);
    assert.ok(got[`Checksum${ChecksumAlgorithm}`]);
    assert.equal(await text(got), 'hello');
  }
  const wrong = { Bucket, Key: 'wrong', Body: 'hello' };
  assert.equal(await failure(s3.send(new S3.PutObjectCommand({ ...wrong, ChecksumCRC32: 'AAAAAA==' }))), '400 BadDigest');
  const ContentMD5 = createHash('md5').update('other').digest('base64');
  assert.equal(await failure(s3.send(new S3.PutObjectCommand({ ...wrong, ContentMD5 }))), '400 BadDigest');
  assert.equal(await failure(s3.send(new S3.HeadObjectCommand({ Bucket, Key: 'wrong' }))), '404 NotFound');
});

test('ranges and conditions', async () => {
  const Bucket = await newBucket();
  const Key = 'k';
  const body = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 255));
  const { ETag } = await s3.send(new S3.PutObjectCommand({ Bucket, Key, Body: body }));
  const get = (more) => s3.send(new S3.GetObjectCommand({ Bucket, Key, ...more }));
  for (const [range, from, to] of [
    ['bytes=0-0', 0, 1],
    ['bytes=10-99', 10, 100],
    ['bytes=100000-', 100_000, 300_000],
    ['bytes=-5', 299_995, 300_000],
    ['bytes=299999-999999', 299_999, 300_000],
    ['bytes=1000-250000', 1000, 250_001],
  ]) {
    const got = await get({ Range: range });
    assert.equal(got.$metadata.httpStatusCode, 206);
    assert.equal(got.ContentRange, `bytes ${from}-${to - 1}/300000`);
    assert.ok(Buffer.from(await got.Body.transformToByteArray()).equals(body.subarray(from, to)), range);
  }
  assert.equal(await failure(get({ Range: 'bytes=300000-' })), '416 InvalidRange');
  assert.equal((await get({ Range: 'bytes=5-1' })).ContentLength, 300_000);
  assert.ok(Buffer.from(await (await get()).Body.transformToByteArray()).equals(body));
  assert.equal((await get({ IfMatch: ETag })).ContentLength, 300_000);
  assert.equal(await failure(get({ IfMatch: '"x"' })), '412 PreconditionFailed');
  assert.match(await failure(get({ IfNoneMatch: ETag })), /^304 /);
  assert.match(await failure(get({ IfModifiedSince: new Date(Date.now() + 5000) })), /^304 |no error/);
  assert.equal(await failure(get({ IfUnmodifiedSince: new Date(0) })), '412 PreconditionFailed');
  // A write may be conditional too.
  assert.equal(
    await failure(s3.send(new S3.PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }))),
    '412 PreconditionFailed',
  );
  await s3.send(new S3.PutObjectCommand({ Bucket, Key, Body: 'x', IfMatch: ETag }));
  assert.equal(await text(await get()), 'x');
});

test('lists: prefixes, delimiters, pages, odd names', async () => {
  const Bucket = await newBucket();
  const keys = ['a/1', 'a/2', 'b', 'c/x/1', 'c/y', 'd e+f', '../../etc/passwd', '//', 'ü'];
  await Promise.all(keys.map((Key) => s3.send(new S3.PutObjectCommand({ Bucket, Key, Body: Key }))));
  const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const all = await s3.send(new S3.ListObjectsV2Command({ Bucket }));
  assert.deepEqual(all.Contents.map(({ Key }) => Key), sorted);
  assert.equal(all.KeyCount, keys.length);
  const folders = await s3.send(new S3.ListObjectsV2Command({ Bucket, Delimiter: '/', Prefix: 'c/' }));
  assert.deepEqual(folders.Contents.map(({ Key }) => Key), ['c/y']);
  assert.deepEqual(folders.CommonPrefixes, [{ Prefix: 'c/x/' }]);
  const found = [];
  for await (const page of S3.paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket, EncodingType: 'url' })) {
    assert.ok(page.Contents.length <= 2);
    found.push(...page.Contents.map(({ Key }) => decodeURIComponent(Key)));
  }
  assert.deepEqual(found, sorted);
  const first = await s3.send(new S3.ListObjectsCommand({ Bucket, MaxKeys: 3, Delimiter: '/' }));
  assert.equal(first.IsTruncated, true);
  const second = await s3.send(new S3.ListObjectsCommand({ Bucket, Delimiter: '/', Marker: first.NextMarker }));
  const names = (page) => [...(page.Contents ?? []).map(({ Key }) => Key), ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix)];
  assert.deepEqual([...names(first), ...names(second)].sort(), ['../', '/', 'a/', 'b', 'c/', 'd e+f', 'ü'].sort());
  for (const Key of keys) {
    assert.equal(await text(await s3.send(new S3.GetObjectCommand({ Bucket, Key }))), Key);
  }
});

test('are deleted one by one and many at once', async () => {
  const Bucket = await newBucket();
  for (const Key of ['a', 'b', 'c<&>', 'd']) await s3.send(new S3.PutObjectCommand({ Bucket, Key, Body: 'x' }));
  const { Deleted } = await s3.send(
    new S3.DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'a' }, { Key: 'c<&>' }, { Key: 'none' }] } }),
  );
  assert.deepEqual(Deleted.map(({ Key }) => Key), ['a', 'c<&>', 'none']);
  await s3.send(new S3.DeleteObjectCommand({ Bucket, Key: 'b' }));
  await s3.send(new S3.DeleteObjectCommand({ Bucket, Key: 'never' }));
  assert.deepEqual((await s3.send(new S3.ListObjectsV2Command({ Bucket }))).Contents.map(({ Key }) => Key), ['d']);
  assert.equal(await failure(s3.send(new S3.GetObjectCommand({ Bucket, Key: 'a' }))), '404 NoSuchKey');
});

test('are copied, with their metadata or with other', async () => {
  const Bucket = await newBucket();
  const other = await newBucket();
  const source = { Bucket, Key: 'ä/1 2', Body: 'hello', ContentType: 'text/css', Metadata: { a: 'b' }, Tagging: 't=1' };
  await s3.send(new S3.PutObjectCommand(source));
  const CopySource = `${Bucket}/${encodeURIComponent(source.Key)}`;
  const { CopyObjectResult } = await s3.send(new S3.CopyObjectCommand({ Bucket: other, Key: 'same', CopySource }));
  assert.equal(CopyObjectResult.ETag, `"${md5('hello')}"`);
  const same = await s3.send(new S3.GetObjectCommand({ Bucket: other, Key: 'same' }));
  assert.deepEqual([same.ContentType, same.Metadata, same.TagCount], ['text/css', { a: 'b' }, 1]);
  assert.equal(await text(same), 'hello');
  await s3.send(
    new S3.CopyObjectCommand({
      Bucket: other, Key: 'new', CopySource, MetadataDirective: 'REPLACE', ContentType: 'text/plain', Metadata: { c: 'd' },
    }),
  );
  const replaced = await s3.send(new S3.HeadObjectCommand({ Bucket: other, Key: 'new' }));
  assert.deepEqual([replaced.ContentType, replaced.Metadata], ['text/plain', { c: 'd' }]);
  assert.equal(await failure(s3.send(new S3.CopyObjectCommand({ Bucket, Key: source.Key, CopySource }))), '400 InvalidRequest');
  const missing = { Bucket, Key: 'x', CopySource: `${Bucket}/../${other}/same` };
  assert.equal(await failure(s3.send(new S3.CopyObjectCommand(missing))), '404 NoSuchKey');
});

test('tags are put, read and taken away', async () => {
  const Bucket = await newBucket();
  const Key = 'k';
  await s3.send(new S3.PutObjectCommand({ Bucket, Key, Body: 'x' }));
  const TagSet = [{ Key: 'a', Value: '1' }, { Key: 'b<', Value: 'ü&' }];
  await s3.send(new S3.PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet } }));
  assert.deepEqual((await s3.send(new S3.GetObjectTaggingCommand({ Bucket, Key }))).TagSet, TagSet);
  await s3.send(new S3.DeleteObjectTaggingCommand({ Bucket, Key }));
  assert.deepEqual((await s3.send(new S3.GetObjectTaggingCommand({ Bucket, Key }))).TagSet, []);
});

test('row 53: pages and drawings are served as attachments in a sandbox', async () => {
  const Bucket = await newBucket();
  for (const ContentType of ['text/html', 'image/svg+xml', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml']) {
    await s3.send(new S3.PutObjectCommand({ Bucket, Key: 'page', Body: '<script>1</script>', ContentType }));
    let headers;
    const command = new S3.GetObjectCommand({ Bucket, Key: 'page', ResponseContentDisposition: 'inline' });
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        headers = result.response.headers;
        return result;
      },
      { step: 'deserialize', priority: 'low' },
    );
    await text(await s3.send(command));
    assert.match(headers['content-disposition'], /^attachment/, ContentType);
    assert.match(headers['content-security-policy'], /sandbox/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
});
