// The systems API, over HTTP: the routes of a model, who may call them, and what bad requests get.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { isRemote } from '../lib/system.js';
import { server } from './fixture.js';
import './stories_test.js';
import './stories_more_test.js';
import './stories_generation_test.js';
import './bad_requests_test.js';
import './documents_test.js';
import './stories_hostile_test.js';
import './stories_invariants_test.js';
import './events_test.js';
if (!isRemote) await import('./start_test.js');  // about the store within

suite('server')('SIGTERM ends it with exit code 0 after all this', async () => {
  const { code, signal } = await server.stop();
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
});

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
