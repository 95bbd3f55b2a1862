// Runs a command of the program to its end.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';

// Nobody's own keys: a store on loopback then gets made-up ones.
export const kNobodysKeys = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_PROFILE: '', HOME: '/nonexistent' };

// Resolves to {code, output (stdout), log (stderr)}.
export function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.env.GATELEG_BIN, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...kNobodysKeys },
      timeout: 120_000,
    });
    let output = '';
    let log = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (log += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, log }));
  });
}

export async function done(...args) {
  const { code, output, log } = await run(...args);
  assert.equal(code, 0, `${args.join(' ')}: ${output}${log}`);
  return output;
}
