// What is made from a model file: clients, exports, documents; and the sixth system, of examples/.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { server } from './fixture.js';
import './typescript_test.js';
import './cpp_test.js';
import './export_test.js';
import './import_test.js';
import './documents_test.js';
import './library_test.js';

suite('server')('SIGTERM ends it with exit code 0 after all this', async () => {
  const { code, signal } = await server.stop();
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
});

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
