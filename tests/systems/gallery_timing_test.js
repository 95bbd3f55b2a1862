// Whether somebody has an account must not show in how long a log-in takes. With the real cost of passwords, which the
// other tests do without.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { skip, suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { isRemote, kJwtSecret } from '../lib/system.js';

const kPairs = 15;
let server;
const test = suite('gallery timing', {
  before: async () => {
    if (!isRemote) server = await startServer({ http: true, args: ['--systems', 'gallery'], env: { GATELEG_JWT_SECRET: kJwtSecret } });
  },
  after: async () => {
    await server?.stop();
  },
});

// From an address of its own, for log-ins are limited by address. Resolves to {status, millis}.
let addresses = 1;
function post(path, body) {
  addresses += 1;
  const { hostname, port } = new URL(server.httpUrl);
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    let began;
    const sent = request(
      { hostname, port, path: `/v1/gallery${path}`, method: 'POST', headers, localAddress: `127.0.1.${addresses}`, agent: false },
      (reply) => {
        reply.resume();
        reply.on('end', () => resolve({ status: reply.statusCode, millis: performance.now() - began }));
      },
    );
    sent.on('error', reject);
    sent.on('socket', (socket) => socket.once('connect', () => (began = performance.now())));
    sent.end(text);
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

test('GA-O4 GA-R14: a wrong password takes as long as a user nobody knows', async () => {
  if (isRemote) skip('has nothing to do with the store');
  const password = 'correct horse battery';
  const known = [];
  const unknown = [];
  for (let at = 0; at < kPairs; at += 1) {
    const email = `somebody${at}@example.com`;
    assert.equal((await post('/auth/signup', { email, username: `somebody_${at}`, password })).status, 201);
    // One after the other, and each first every other time: whatever else this machine does meets both.
    const tries = [[known, email], [unknown, `nobody${at}@example.com`]];
    for (const [times, address] of at % 2 ? tries : tries.reverse()) {
      const { status, millis } = await post('/auth/login', { email: address, password: 'another horse battery' });
      assert.equal(status, 401);
      times.push(millis);
    }
  }
  // Without a hash for the unknown it would be a twentieth.
  const ratio = median(unknown) / median(known);
  assert.ok(ratio > 1 / 3 && ratio < 3, `unknown ${median(unknown)} ms, known ${median(known)} ms`);
}, { seconds: 300 });
