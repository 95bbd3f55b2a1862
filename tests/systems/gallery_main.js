// The gallery over HTTP: accounts, albums, media, likes, comments, follows, videos, orders, coins, administration.

import assert from 'node:assert/strict';
import { runAll, suite } from '../lib/runner.js';
import { server } from './gallery_fixture.js';
import './gallery_albums_test.js';
import './gallery_social_test.js';
import './gallery_lists_test.js';
import './gallery_video_test.js';
import './gallery_generation_test.js';
import './gallery_money_test.js';
import './gallery_accounts_test.js';
import './gallery_admin_test.js';
import './gallery_timing_test.js';
import './gallery_hostile_test.js';
import './gallery_invariants_test.js';

suite('gallery server')('SIGTERM ends it with exit code 0 after all this', async () => {
  const { code, signal } = await server.stop();
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
});

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
