// One large object: the memory it takes must not depend on its size.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { runAll, suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { send, signS3 } from '../lib/s3_sign.js';

const test = suite('large');
const key = { accessKeyId: 'any', secretAccessKey: 'any' };

// Sends `bytes` without ever holding them, and reads them back in the same way.
function stream(url, request, bytes) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ hostname, port, ...request }, (reply) => {
      let got = 0;
      reply.on('data', (piece) => { got += piece.length; });
      reply.on('error', reject);
      reply.on('end', () => resolve({ status: reply.statusCode, got }));
    });
    outgoing.on('error', reject);
    const piece = Buffer.alloc(1 << 20, 'x');
    let left = bytes;
    const more = () => {
      while (left > 0) {
        left -= piece.length;
        if (!outgoing.write(piece)) return;
      }
      outgoing.end();
    };
    outgoing.on('drain', more);
    more();
  });
}

// GATELEG_S3_LARGE_MB makes it larger: the memory must not depend on it.
test('a large object takes little memory, up and down', async () => {
  const bytes = Number(process.env.GATELEG_S3_LARGE_MB ?? 512) * 2 ** 20;
  const data = tempDir('gateleg-s3-large');
  const server = await startServer({ data, s3: true });
  const host = new URL(server.s3Url).host;
  const sign = (method, path) => signS3({ method, path, host }, { key });
  assert.equal((await send(server.s3Url, sign('PUT', '/large'))).status, 200);
  const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1]) / 1024;
  const before = peak();
  const put = sign('PUT', '/large/object');
  put.headers['content-length'] = String(bytes);
  const { status } = await stream(server.s3Url, put, bytes);
  assert.equal(status, 200);
  const got = await stream(server.s3Url, sign('GET', '/large/object'), 0);
  assert.deepEqual(got, { status: 200, got: bytes });
  const grown = peak() - before;
  console.log(`     memory before ${Math.round(before)} MB, ${Math.round(grown)} MB more for ${bytes / 2 ** 20} MB`);
  assert.ok(grown < 64, `${grown} MB`);
  await server.stop();
  removeDir(data);
}, { seconds: 600 });

process.exit((await runAll({ filter: process.argv[2] })) > 0 ? 1 : 0);
