// Types and logic of the console's sources, as `npm run check` and `npm test` in console/ do it.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAll, skip, suite } from '../lib/runner.js';

const folder = fileURLToPath(new URL('../../console/', import.meta.url));
const test = suite('logic');

function run(...args) {
  const program = join(folder, 'node_modules/.bin', args[0]);
  if (!existsSync(program)) skip('console/node_modules is not here: npm ci --ignore-scripts in console/');
  const { status, stdout, stderr } = spawnSync(program, args.slice(1), { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}\n${stdout}${stderr}`);
}

test('has right types', async () => run('tsc', '--noEmit'), { seconds: 240 });
test('computes what it should', async () => run('vitest', 'run'), { seconds: 240 });

process.exit((await runAll({ filter: process.argv[2] })) > 0 ? 1 : 0);
