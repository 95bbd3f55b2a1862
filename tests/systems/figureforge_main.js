// FigureForge over HTTP: each row of its specification by its id.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { server } from './figureforge_fixture.js';
import './figureforge_accounts_test.js';
import './figureforge_billing_test.js';
import './figureforge_jobs_test.js';
import './figureforge_generation_test.js';
import './figureforge_images_test.js';
import './figureforge_search_test.js';
import './figureforge_moderation_test.js';
import './figureforge_flags_test.js';
import './figureforge_tasks_test.js';
import './figureforge_catalog_test.js';
import './figureforge_hostile_test.js';
import './figureforge_invariants_test.js';

suite('server')('SIGTERM ends it with exit code 0 after all this', async () => {
  const { code, signal } = await server.stop();
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
});

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
