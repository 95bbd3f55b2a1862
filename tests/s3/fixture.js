// A server that takes any key, one that verifies, and clients of both.

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { startServer, tempDir } from '../lib/server.js';

export const data = tempDir('gateleg-s3');
export const open = await startServer({ data: join(data, 'open'), http: true, s3: true, args: ['--test-clock'] });

export const kKey = { accessKeyId: 'AKIATEST', secretAccessKey: 'a-secret-for-the-tests-of-s3' };
export const kReader = { accessKeyId: 'AKIAREAD', secretAccessKey: 'another-secret-for-reading-only' };
const keys = join(data, 'keys.ini');
const profile = (name, key, more = '') =>
  `[${name}]\naws_access_key_id = ${key.accessKeyId}\naws_secret_access_key = ${key.secretAccessKey}\n${more}\n`;
writeFileSync(keys, profile('app', kKey) + profile('report', kReader, 'gateleg_scope = read\n'), { mode: 0o600 });
export const strict = await startServer({ s3: true, args: ['--credentials', keys] });

export function client(server = open, options = {}) {
  return new S3Client({
    endpoint: server.s3Url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: kKey,
    maxAttempts: 3,
    ...options,
  });
}

export const s3 = client();

// A bucket nobody has used, so that tests do not see each other's objects.
export async function newBucket(from = s3) {
  const Bucket = `test-${randomUUID()}`;
  await from.send(new CreateBucketCommand({ Bucket }));
  return Bucket;
}

export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return `${error.$metadata?.httpStatusCode} ${error.name}`;
  }
  return 'no error';
}

export async function text(reply) {
  return reply.Body.transformToString();
}

// Moves the clock that the open server goes by; {} gives the real one back.
export async function setClock(body) {
  const reply = await fetch(`${open.httpUrl}/_test/clock`, { method: 'POST', body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
}
