// Starts a Gateleg server on a free port in a folder of its own, and ends it.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kStartSeconds = 120;
const running = new Set();

export function tempDir(label = 'gateleg') {
  return mkdtempSync(join(tmpdir(), `${label}-`));
}

export function removeDir(path) {
  rmSync(path, { recursive: true, force: true });
}

// options: data (folder) or nothing for --memory; http, s3: true for that face as well; args: further arguments.
// Resolves to a Server once the ready line is there; rejects with the log if the process ends first.
// words: the whole command line instead of all of these.
export function startServer({ data, http = false, s3 = false, args = [], env = {}, words } = {}) {
  const binary = process.env.GATELEG_BIN;
  if (!binary) throw new Error('GATELEG_BIN is not set: path of the gateleg binary');
  const store = data ? ['--data', data] : ['--memory'];
  const on = (face) => (face ? '127.0.0.1:0' : 'off');
  const faces = ['--dynamodb', '127.0.0.1:0', '--http', on(http), '--s3', on(s3)];
  const child = spawn(binary, words ?? ['serve', ...store, ...faces, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const server = new Server(child);
  running.add(child);
  child.on('exit', () => running.delete(child));
  return server.ready();
}

class Server {
  constructor(child) {
    this.child = child;
    this.log = '';
    this.output = '';
    this.isReady = false;
    this.url = '';
    this.httpUrl = '';
    this.s3Url = '';
    this.store = undefined;
    this.exited = new Promise((resolve) => {
      child.on('exit', (code, signal) => resolve({ code, signal }));
      child.on('error', (error) => resolve({ code: -1, signal: null, error }));
    });
    child.stderr.on('data', (chunk) => {
      this.log = (this.log + chunk).slice(-200_000);
    });
  }

  // Its tables are in that server: they are read there, and it ends with this one.
  keepTablesIn(store) {
    this.store = store;
    this.url = store.url;
    return this;
  }

  get port() {
    return Number(new URL(this.url).port);
  }

  ready() {
    return new Promise((resolve, reject) => {
      const fail = (why) => {
        clearTimeout(timer);
        const error = new Error(`${why}\n${this.log}`);
        reject(Object.defineProperty(error, 'server', { value: this }));
      };
      const timer = setTimeout(() => {
        this.child.kill('SIGKILL');
        fail('no ready line');
      }, kStartSeconds * 1000);
      this.child.stdout.on('data', (chunk) => {
        this.output += chunk;
        const line = this.output.split('\n').slice(0, -1).find((text) => text.startsWith('gateleg ready'));
        if (!line || this.isReady) return;
        clearTimeout(timer);
        this.isReady = true;
        this.url = /\bdynamodb=(\S+)/.exec(line)?.[1] ?? '';  // off with a remote store
        this.httpUrl = /\bhttp=(\S+)/.exec(line)?.[1] ?? '';
        this.s3Url = /\bs3=(\S+)/.exec(line)?.[1] ?? '';
        resolve(this);
      });
      this.exited.then(({ code, error }) => {
        if (!this.isReady) fail(error ?? `exit code ${code}`);
      });
    });
  }

  // SIGTERM, as a supervisor does. Resolves to {code, signal}.
  async stop() {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 20_000);
    const result = await this.exited;
    clearTimeout(timer);
    await this.store?.stop();
    return result;
  }

  async kill() {
    this.child.kill('SIGKILL');
    return this.exited;
  }
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
