// Moderation over HTTP: every access pattern, rule and operation, and the races.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { server } from './moderation_fixture.js';
import './moderation_intake_test.js';
import './moderation_decisions_test.js';
import './moderation_upkeep_test.js';
import './moderation_hostile_test.js';
import './moderation_lists_test.js';  // leaves a thousand items in the queue
import './moderation_invariants_test.js';

suite('server')('SIGTERM ends it with exit code 0 after all this', async () => {
  const { code, signal } = await server.stop();
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
});

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
