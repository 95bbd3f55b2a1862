// The console in a real browser. `node main.js FILTER` runs the tests whose name holds FILTER.

import { runAll } from '../lib/runner.js';
import './pages_test.js';
import './work_test.js';
import './data_test.js';
import './keys_test.js';
import './remote_test.js';

process.exit((await runAll({ filter: process.argv[2] })) > 0 ? 1 : 0);
