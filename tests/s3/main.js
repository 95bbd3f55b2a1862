// The S3 API with the AWS SDK for JavaScript: operations, uploads, presigned URLs, signatures.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { removeDir } from '../lib/server.js';
import { data, open, strict } from './fixture.js';
import './buckets_test.js';
import './objects_test.js';
import './uploads_test.js';
import './presigned_test.js';
import './signatures_test.js';
import './bad_requests_test.js';

suite('server')('SIGTERM ends both with exit code 0 after all this', async () => {
  for (const server of [open, strict]) {
    const { code, signal } = await server.stop();
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
  }
  removeDir(data);
});

process.exit((await runAll({ filter: process.argv[2] })) > 0 ? 1 : 0);
