// Generated C++ headers compile without a warning, and one is built and run against the server.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { skip, suite } from '../lib/runner.js';
import { folder, gatelegOk, kModels, kRoot, run, server, token } from './fixture.js';

const headers = join(folder, 'cpp');
const kFlags = ['-std=c++20', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror'];
const compiler = process.env.CXX ?? 'g++';

async function before() {
  mkdirSync(headers, { recursive: true });
  for (const file of Object.values(kModels)) gatelegOk('generate', 'cpp', file, '-o', headers);
}
const test = suite('cpp', { before });

function compile(args) {
  try {
    return run(compiler, [...kFlags, ...args]);
  } catch (error) {
    if (error.code === 'ENOENT') skip(`no ${compiler}`);
    throw error;
  }
}

// All in one translation unit: each has a namespace of its own.
test('all six headers compile without a warning, together', async () => {
  const includes = Object.keys(kModels).flatMap((name) => ['-include', join(headers, `${name}_client.h`)]);
  const done = compile(['-fsyntax-only', ...includes, '-x', 'c++', '/dev/null']);
  assert.equal(done.code, 0, done.err);
}, { seconds: 300 });

test('the client of stories runs: calls, errors, pages, idempotency', async () => {
  const program = join(folder, 'stories_cpp');
  const built = compile(['-O0', '-I', headers, `${kRoot}tests/generate/stories_client_test.cc`, '-o', program]);
  assert.equal(built.code, 0, built.err);
  const { port } = new URL(server.httpUrl);
  const ran = run(program, [port, token('cpp-1')]);
  assert.equal(ran.code, 0, ran.out + ran.err);
  assert.equal(ran.out.trim(), 'done');
}, { seconds: 300 });

test('enums are enum classes: in paths, bodies and answers, with their texts', async () => {
  gatelegOk('generate', 'cpp', `${kRoot}tests/complaints/model.yaml`, '-o', headers);
  const program = join(folder, 'enums_cpp');
  const built = compile(['-O0', '-I', headers, `${kRoot}tests/generate/enums_client_test.cc`, '-o', program]);
  assert.equal(built.code, 0, built.err);
  const ran = run(program, []);
  assert.equal(ran.code, 0, ran.out + ran.err);
  assert.equal(ran.out.trim(), 'done');
}, { seconds: 300 });
