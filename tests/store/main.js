// Models on a store over the network: a second Gateleg.

import { runAll } from '../lib/runner.js';
import './events_test.js';
import './handed_on_test.js';
import './start_test.js';
import './stories_test.js';

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
