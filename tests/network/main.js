// Too many requests, too many connections, too slow clients. GATELEG_NETWORK_SCALE=5 makes it longer and adds a part.

import { runAll } from '../lib/runner.js';
import './overload_test.js';
import './refusals_test.js';
import './connections_test.js';
import './slow_clients_test.js';

const failed = await runAll({ filter: process.argv[2] });
process.exit(failed > 0 ? 1 : 0);
