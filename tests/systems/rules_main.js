// Rules that hold for all five systems at once: time, derived keys, limits; and the example data.

import { runAll } from '../lib/runner.js';
import './rules_test.js';
import './demo_test.js';

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
