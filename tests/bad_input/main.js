// Bad inputs and the clear answer to each. Tests carry the row number of the table of bad inputs, rows.txt:
// 1-9 and 19 authentication, 20-29, 35-38 and 43 requests, 30-34 HTTP, 39 overload, 44-52 the systems API, 54 model files; then
// process start and stop. Others are in tests/s3, tests/crash and tests/jobs; the supply suite holds each row to a test.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { removeDir } from '../lib/server.js';
import { data, server } from './fixture.js';
import './requests_test.js';
import './http_test.js';
import './auth_test.js';
import './signature_matrix_test.js';
import './process_test.js';
import './systems_test.js';
import './models_test.js';

suite('server')('SIGTERM ends it with exit code 0 after all this', async () => {
  const { code, signal } = await server.stop();
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
});

const failed = await runAll({ filter: process.argv[2] });
await server.kill();
removeDir(data);
process.exit(failed > 0 ? 1 : 0);
