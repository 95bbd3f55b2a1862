// Every route, with every form of signature, bent in every way: only what is good is 2xx.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as S3 from '@aws-sdk/client-s3';
import { suite } from '../lib/runner.js';
import { kForms, send, signS3 } from '../lib/s3_sign.js';
import { client, kKey, kReader, strict } from './fixture.js';

const test = suite('signatures');
const s3 = client(strict);
const host = new URL(strict.s3Url).host;
const Bucket = 'matrix';
const cors = '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>';
const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
const put = (Key, more = {}) => s3.send(new S3.PutObjectCommand({ Bucket, Key, Body: 'hello', ...more }));
let uploads = 0;
async function startUpload() {
  uploads += 1;
  const { UploadId } = await s3.send(new S3.CreateMultipartUploadCommand({ Bucket, Key: `mp${uploads}` }));
  return { Key: `mp${uploads}`, UploadId };
}

// name: what to send; `prepare` makes that it succeeds, and may change it.
const kRoutes = {
  ListBuckets: { method: 'GET', path: '/' },
  CreateBucket: { method: 'PUT', path: '/matrix-new', prepare: () => s3.send(new S3.DeleteBucketCommand({ Bucket: 'matrix-new' })).catch(() => 0) },
  DeleteBucket: { method: 'DELETE', path: '/matrix-old', prepare: () => s3.send(new S3.CreateBucketCommand({ Bucket: 'matrix-old' })).catch(() => 0) },
  HeadBucket: { method: 'HEAD', path: '/matrix' },
  GetBucketLocation: { method: 'GET', path: '/matrix', query: [['location', '']] },
  GetBucketVersioning: { method: 'GET', path: '/matrix', query: [['versioning', '']] },
  GetBucketAcl: { method: 'GET', path: '/matrix', query: [['acl', '']] },
  ListObjects: { method: 'GET', path: '/matrix' },
  ListObjectsV2: { method: 'GET', path: '/matrix', query: [['list-type', '2']] },
  ListMultipartUploads: { method: 'GET', path: '/matrix', query: [['uploads', '']] },
  PutBucketCors: { method: 'PUT', path: '/matrix', query: [['cors', '']], body: cors },
  GetBucketCors: {
    method: 'GET', path: '/matrix', query: [['cors', '']],
    prepare: () =>
      s3.send(new S3.PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [{ AllowedOrigins: ['*'], AllowedMethods: ['GET'] }] } })),
  },
  DeleteBucketCors: { method: 'DELETE', path: '/matrix', query: [['cors', '']] },
  DeleteObjects: { method: 'POST', path: '/matrix', query: [['delete', '']], body: '<Delete><Object><Key>none</Key></Object></Delete>' },
  PutObject: { method: 'PUT', path: '/matrix/put', body: 'x'.repeat(20_000) },
  GetObject: { method: 'GET', path: '/matrix/fixed' },
  HeadObject: { method: 'HEAD', path: '/matrix/fixed' },
  GetObjectAttributes: { method: 'GET', path: '/matrix/fixed', query: [['attributes', '']], headers: { 'x-amz-object-attributes': 'ETag' } },
  GetObjectAcl: { method: 'GET', path: '/matrix/fixed', query: [['acl', '']] },
  DeleteObject: { method: 'DELETE', path: '/matrix/gone' },
  CopyObject: { method: 'PUT', path: '/matrix/copy', headers: { 'x-amz-copy-source': '/matrix/fixed' } },
  PutObjectTagging: { method: 'PUT', path: '/matrix/fixed', query: [['tagging', '']], body: tags },
  GetObjectTagging: { method: 'GET', path: '/matrix/fixed', query: [['tagging', '']] },
  DeleteObjectTagging: { method: 'DELETE', path: '/matrix/fixed', query: [['tagging', '']] },
  CreateMultipartUpload: { method: 'POST', path: '/matrix/created', query: [['uploads', '']] },
  UploadPart: { method: 'PUT', path: '/matrix/part', query: [['partNumber', '1'], ['uploadId', 'ID']], body: 'part', prepare: prepareUpload },
  UploadPartCopy: {
    method: 'PUT', path: '/matrix/part', query: [['partNumber', '1'], ['uploadId', 'ID']],
    headers: { 'x-amz-copy-source': '/matrix/fixed' }, prepare: prepareUpload,
  },
  ListParts: { method: 'GET', path: '/matrix/part', query: [['uploadId', 'ID']], prepare: prepareUpload },
  AbortMultipartUpload: { method: 'DELETE', path: '/matrix/part', query: [['uploadId', 'ID']], prepare: prepareUpload },
  CompleteMultipartUpload: {
    method: 'POST', path: '/matrix/part', query: [['uploadId', 'ID']], body: '<CompleteMultipartUpload/>',
    async prepare(request) {
      const { Key, UploadId } = await startUpload();
      const { ETag } = await s3.send(new S3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }));
      const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag></Part></CompleteMultipartUpload>`;
      return { ...request, path: `/matrix/${Key}`, query: [['uploadId', UploadId]], body };
    },
  },
};
// Configurations that no bucket has here: a good request for one gets 404, a bent one must not get as far.
const kNotSet = {
  GetBucketPolicy: 'policy', GetBucketTagging: 'tagging', GetLifecycle: 'lifecycle', GetEncryption: 'encryption',
  GetObjectLock: 'object-lock', GetReplication: 'replication', GetWebsite: 'website', GetPublicAccessBlock: 'publicAccessBlock',
};
const kAllRoutes = {
  ...kRoutes,
  ...Object.fromEntries(Object.entries(kNotSet).map(([name, parameter]) => [name, { method: 'GET', path: '/matrix', query: [[parameter, '']] }])),
};

async function prepareUpload(request) {
  const { Key, UploadId } = await startUpload();
  const query = request.query.map(([name, value]) => [name, value === 'ID' ? UploadId : value]);
  return { ...request, path: `/matrix/${Key}`, query };
}

const minutes = (count) => new Date(Date.now() + count * 60_000);
const yesterday = () => minutes(-1440).toISOString().slice(0, 10).replaceAll('-', '');
const kBends = {
  wrongSecret: () => ({ key: { ...kKey, secretAccessKey: 'wrong' } }),
  unknownKey: () => ({ key: { ...kKey, accessKeyId: 'AKIANOBODY' } }),
  emptySecret: () => ({ key: { ...kKey, secretAccessKey: '' } }),
  wrongSignature: () => ({ signature: '0'.repeat(64) }),
  shortSignature: () => ({ signature: 'abc' }),
  foreignRegion: () => ({ region: 'eu-west-1' }),
  foreignService: () => ({ service: 'dynamodb' }),
  dateMismatch: () => ({ scopeDate: yesterday() }),
  expired: () => ({ when: minutes(-16), expires: 60 }),
  future: () => ({ when: minutes(16) }),
  sessionToken: () => ({ token: 'someone-elses' }),
  unsignedHeader: () => ({ unsignedHeaders: { 'x-amz-meta-a': 'b' } }),
};

function sign(route, place, form, options = {}) {
  return signS3({ host, ...route }, { key: kKey, place, form, ...options });
}

// A body in chunks belongs to what has a body; presigned URLs have none of them, headers need a hash.
function isGood(route, place, form) {
  const inChunks = ['chunks', 'chunksTrailer', 'unsignedTrailer'].includes(form);
  if (place === 'query') return !inChunks;
  return form !== 'none' && (!inChunks || route.body !== undefined);
}

test('every operation of the server has its line here', () => {
  const source = readFileSync(new URL('../../src/api/s3/operations.cc', import.meta.url), 'utf8');
  const names = [...source.matchAll(/\{"([A-Z][A-Za-z]+V?2?)",\s*k(None|Whole|Stream)/g)].map(([, name]) => name);
  assert.ok(names.length > 30, `${names.length} found`);
  assert.deepEqual([...names].sort(), Object.keys(kAllRoutes).sort());
});

test('good signatures are taken on every route, in every form', async () => {
  await s3.send(new S3.CreateBucketCommand({ Bucket }));
  await put('fixed');
  for (const [name, route] of Object.entries(kRoutes)) {
    for (const place of ['header', 'query']) {
      for (const form of kForms.filter((each) => isGood(route, place, each))) {
        const changed = (await route.prepare?.(route)) ?? route;
        const reply = await send(strict.s3Url, sign(changed.method ? changed : route, place, form));
        assert.equal(Math.floor(reply.status / 100), 2, `${name} ${place} ${form}: ${reply.status} ${reply.body}`);
      }
    }
  }
}, { seconds: 120 });

test('T21: bent signatures are refused on every route, in every form', async () => {
  const cases = [];
  for (const [name, route] of Object.entries(kAllRoutes))
    for (const place of ['header', 'query'])
      for (const form of kForms)
        for (const [bend, make] of Object.entries(kBends)) cases.push({ name, route, place, form, bend, make });
  const wrong = [];
  let refused = 0;
  const worker = async () => {
    for (let next = cases.pop(); next; next = cases.pop()) {
      const { name, route, place, form, bend, make } = next;
      const reply = await send(strict.s3Url, sign(route, place, form, make()));
      if (reply.status === 400 || reply.status === 403) refused += 1;
      else wrong.push(`${name} ${place} ${form} ${bend}: ${reply.status} ${reply.body.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  assert.deepEqual(wrong.slice(0, 20), []);
  console.log(`     counts signatures-s3 refused=${refused} | routes=${Object.keys(kAllRoutes).length} forms=${kForms.length}`);
  assert.ok(refused > 5000, `${refused} cases`);
}, { seconds: 240 });

test('unsigned, doubly signed and altered requests are refused on every route', async () => {
  for (const [name, route] of Object.entries(kRoutes)) {
    const bare = sign(route, 'header', 'signed');
    delete bare.headers.authorization;
    assert.equal((await send(strict.s3Url, bare)).status, 403, `${name} without a signature`);
    const both = sign(route, 'query', 'none');
    both.headers.authorization = sign(route, 'header', 'unsigned').headers.authorization;
    const reply = await send(strict.s3Url, both);
    assert.equal(reply.status, 400, `${name} signed twice`);
    if (route.method !== 'HEAD') assert.equal(reply.code, 'InvalidArgument');
    for (const place of ['header', 'query']) {
      const altered = sign(route, place, 'unsigned');
      altered.path += altered.path.includes('?') ? '&x=y' : '?x=y';
      assert.equal((await send(strict.s3Url, altered)).status, 403, `${name} ${place} altered`);
    }
  }
});

test('row 16: bodies that are not as signed leave nothing behind', async () => {
  const route = (Key) => ({ method: 'PUT', path: `/matrix/${Key}`, body: 'y'.repeat(20_000) });
  const absent = async (Key) => {
    const { Contents = [] } = await s3.send(new S3.ListObjectsV2Command({ Bucket, Prefix: Key }));
    assert.deepEqual(Contents, [], Key);
  };
  for (const form of ['chunks', 'chunksTrailer']) {
    const reply = await send(strict.s3Url, sign(route('bad-chunk'), 'header', form, { chunkSignature: '1'.repeat(64) }));
    assert.deepEqual([reply.status, reply.code], [403, 'SignatureDoesNotMatch'], form);
  }
  const hashed = sign(route('bad-hash'), 'header', 'signed');
  hashed.body = Buffer.from(hashed.body.toString().replace('y', 'z'));
  const changed = await send(strict.s3Url, hashed);
  assert.deepEqual([changed.status, changed.code], [400, 'XAmzContentSHA256Mismatch']);
  for (const form of ['chunks', 'chunksTrailer', 'unsignedTrailer']) {
    const cut = sign(route('bad-end'), 'header', form);
    cut.body = cut.body.subarray(0, cut.body.lastIndexOf('\r\n0'));
    cut.headers['content-length'] = String(cut.body.length);
    const reply = await send(strict.s3Url, cut);
    assert.deepEqual([reply.status, reply.code], [400, 'IncompleteBody'], form);
  }
  const trailer = sign(route('bad-crc'), 'header', 'unsignedTrailer');
  trailer.body = Buffer.from(trailer.body.toString('latin1').replace(/crc32:.{6}/, 'crc32:AAAAAA'), 'latin1');
  assert.deepEqual([(await send(strict.s3Url, trailer)).code], ['BadDigest']);
  for (const Key of ['bad-chunk', 'bad-hash', 'bad-end', 'bad-crc']) await absent(Key);
});

test('row 10: made-up signature with an unsigned trailer, or a credential in the query alone: refused, nothing written', async () => {
  const route = { method: 'PUT', path: '/matrix/cve', body: 'x' };
  const forged = sign(route, 'header', 'unsignedTrailer', { signature: 'f'.repeat(64) });
  assert.equal((await send(strict.s3Url, forged)).code, 'SignatureDoesNotMatch');
  const query = sign(route, 'header', 'unsignedTrailer');
  query.path += `?X-Amz-Credential=${kKey.accessKeyId}%2F20250101%2Fus-east-1%2Fs3%2Faws4_request`;
  delete query.headers.authorization;
  assert.equal((await send(strict.s3Url, query)).status, 400);
  const { Contents = [] } = await s3.send(new S3.ListObjectsV2Command({ Bucket, Prefix: 'cve' }));
  assert.deepEqual(Contents, []);
});

test('a key for reading reads, and changes nothing', async () => {
  for (const [name, route] of Object.entries(kRoutes)) {
    const reads = ['GET', 'HEAD'].includes(route.method);
    const reply = await send(strict.s3Url, sign(route, 'header', 'unsigned', { key: kReader }));
    if (reads) assert.notEqual(reply.status, 403, name);
    else assert.equal(reply.status, 403, name);
  }
});
