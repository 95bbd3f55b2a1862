// Runs the suites of suites.json from the root of the repository, all or those named as arguments.
// GATELEG_ASAN and GATELEG_RELEASE are the two binaries; GATELEG_BIN, if set, is used for both.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const binaries = {
  asan: process.env.GATELEG_BIN ?? process.env.GATELEG_ASAN ?? `${root}build/asan/gateleg`,
  release: process.env.GATELEG_BIN ?? process.env.GATELEG_RELEASE ?? `${root}build/release/gateleg`,
};
const all = JSON.parse(readFileSync(new URL('suites.json', import.meta.url)));
const wanted = process.argv.slice(2);

function run({ command, timeout_seconds: seconds, binary }) {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      cwd: root,
      env: { ...process.env, GATELEG_BIN: binaries[binary] },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let output = '';
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), seconds * 1000);
    child.stdout.on('data', (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      const last = output.trimEnd().split('\n').at(-1);
      resolve({
        code: code ?? -1,
        last: /^\d+ passed, \d+ failed$/.test(last) ? last : 'no result (ended early or too slow)',
      });
    });
  });
}

const lines = [];
let failed = false;
for (const suite of all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  console.log(`\n== ${suite.name}`);
  const started = Date.now();
  const { code, last } = existsSync(binaries[suite.binary])
    ? await run(suite)
    : { code: -1, last: `no binary at ${binaries[suite.binary]}` };
  failed ||= code !== 0;
  lines.push(
    `${code === 0 ? 'ok  ' : 'FAIL'} ${suite.name.padEnd(18)} ${last} (${((Date.now() - started) / 1000).toFixed(0)} s)`,
  );
}
console.log(`\n${lines.join('\n')}`);
process.exit(failed ? 1 : 0);
