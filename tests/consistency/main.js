// What concurrent clients may observe, with the server killed under them.

import { runAll } from '../lib/runner.js';
import './linearizable_test.js';
import './cycles_test.js';
import './bank_test.js';
import './idempotency_test.js';
import './names_test.js';
import './credits_test.js';

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
