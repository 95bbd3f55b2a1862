// Membership over HTTP: every row of its specification, its races, and the proof of its balances.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { server } from './membership_fixture.js';
import './membership_access_test.js';
import './membership_credits_test.js';
import './membership_stripe_test.js';
import './membership_payments_test.js';
import './membership_admin_test.js';
import './membership_delivery_test.js';
import './membership_proof_test.js';
import './membership_hostile_test.js';
import './membership_invariants_test.js';

suite('membership server')('SIGTERM ends it with exit code 0 after all this', async () => {
  const { code, signal } = await server.stop();
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
});

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
