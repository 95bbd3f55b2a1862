// T19: many connections that do nothing cost little and stop nobody; beyond the bound the longest idle goes.

import assert from 'node:assert/strict';
import { suite, skip } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { Connection, answers, descriptorLimit, kScale, openMany, requestBytes, residentBytes, sleep } from './sockets.js';

const test = suite('connections');
const kBound = 4096; // src/http/limits.h
const kIdle = kScale > 1 ? 3500 : 2000;
const kBytesEach = 24 * 1024;
const kActive = 50;

async function pollUntil(holds, seconds = 60) {
  for (const stop = Date.now() + seconds * 1000; Date.now() < stop; ) {
    if (await holds()) return true;
    await sleep(50);
  }
  return false;
}

test(`T19: ${kIdle} idle connections: cheap, kept, and in nobody's way`, async () => {
  if (descriptorLimit() < kIdle + 500) skip(`${descriptorLimit()} descriptors are too few`);
  const server = await startServer({ args: ['--threads', '2'] });
  const ask = requestBytes(server, 'ListTables', {});
  // Each has been used once, as a client's pool does.
  const active = await openMany(server, kActive, (one) => one.write(ask));
  assert.ok(await pollUntil(() => active.every((one) => one.answers === 1)));
  const before = residentBytes(server);
  const idle = await openMany(server, kIdle, (one) => one.write(ask));
  assert.ok(await pollUntil(() => idle.every((one) => one.answers === 1)), 'each is answered once');
  const each = Math.round((residentBytes(server) - before) / kIdle);
  for (let round = 2; round <= 20; round += 1) {
    for (const one of active) one.write(ask);
    assert.ok(await pollUntil(() => active.every((one) => one.answers === round)), `round ${round}`);
  }
  assert.ok(idle.every(({ closed }) => !closed), 'none was closed');
  // They still work.
  for (const one of idle) one.write(ask);
  assert.ok(await pollUntil(() => idle.every((one) => one.answers === 2)), 'each is answered again');
  console.log(`     counts connections | idle=${kIdle} active=${kActive} bytes_each=${each}`);
  assert.ok(each <= kBytesEach, `${each} bytes for an idle connection`);
  for (const one of [...active, ...idle]) one.close();
  const { code } = await server.stop();
  assert.equal(code, 0);
}, { seconds: 240 });

test('T19: beyond the bound the longest idle connections make room, and a new client is served', async () => {
  if (descriptorLimit() < kBound + 1500) skip(`${descriptorLimit()} descriptors are too few`);
  const server = await startServer({ args: ['--threads', '2'] });
  const ask = requestBytes(server, 'ListTables', {});
  const busy = new Connection(server);
  await busy.connected;
  // Threads share the bound between them and may be a little apart: until here nobody should have to go.
  const room = 300;
  const idle = await openMany(server, kBound - room);
  // Ages are counted in seconds: the others must be older than those that follow, and than the last use of this one.
  await sleep(3500);
  busy.write(ask);
  assert.ok(await pollUntil(() => busy.answers === 1), 'a connection in use');
  const extra = await openMany(server, 3 * room);
  const closed = (list) => list.filter((one) => one.closed).length;
  assert.ok(await pollUntil(() => closed(idle) >= room), `${closed(idle)} of ${idle.length} were closed`);
  assert.ok(await answers(server, ask), 'a new client');
  assert.ok(!busy.closed, 'the connection in use was closed');
  assert.equal(closed(extra), 0, 'of the newest connections some were closed');
  assert.ok(closed(idle) <= 3 * room, `${closed(idle)} were closed for ${2 * room} too many`);
  console.log(`     counts connection-bound | opened=${idle.length + extra.length + 1} closed=${closed(idle)}`);
  for (const one of [busy, ...idle, ...extra]) one.close();
  const { code } = await server.stop();
  assert.equal(code, 0);
}, { seconds: 240 });
