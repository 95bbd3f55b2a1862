// The server's side of the console: gate, calls, metrics.

import { runAll } from '../lib/runner.js';
import './gate_test.js';
import './calls_test.js';
import './metrics_test.js';
import './tail_test.js';

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
