// What users of other single-table tools complain about, and what happens here instead.

import { runAll } from '../lib/runner.js';
import { server } from './fixture.js';
import './keys_test.js';
import './reads_test.js';
import './writes_test.js';
import './tools_test.js';

const failed = await runAll({ filter: process.argv[2] });
await server.stop();
process.exit(failed > 0 ? 1 : 0);
