// T19: many connections that do nothing cost little and stop nobody; beyond the bound the longest idle goes.

import assert from 'node:assert/strict';
import { suite, skip } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { Connection, answers, descriptorLimit, isLong, kScale, openMany, pollUntil, requestBytes, residentBytes, sleep } from './sockets.js';

const test = suite('connections');
const kBound = 4096; // src/http/limits.h
const kIdle = kScale > 1 ? 3500 : 2000;
const kBytesEach = 24 * 1024;
const kActive = 50;

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

// The whole of what a process may have here: for long runs, and where there are descriptors enough.
if (isLong) {
  test('T19: 10,000 idle connections beside 200 in use; then 18,000, and the longest idle make room', async () => {
    if (descriptorLimit() < 19_000) skip(`${descriptorLimit()} descriptors are too few`);
    const server = await startServer({ args: ['--threads', '2', '--max-connections', '0'] });
    const bound = Math.floor(descriptorLimit() / 4) * 3;
    const ask = requestBytes(server, 'ListTables', {});
    const began = Date.now();
    const active = await openMany(server, 200, (one) => one.write(ask));
    assert.ok(await pollUntil(() => active.every((one) => one.answers === 1)));
    // One request after the other on each of them: milliseconds, the slowest hundredth.
    const round = async () => {
      const taken = [];
      for (let n = 0; n < 10; n += 1) {
        for (const one of active) {
          const began = performance.now();
          const answered = new Promise((resolve) => {
            one.onAnswer = resolve;
            one.ended.then(resolve);
          });
          one.write(ask);
          await answered;
          taken.push(performance.now() - began);
        }
      }
      return taken.sort((a, b) => a - b)[Math.floor(taken.length * 0.99)];
    };
    const alone = await round();
    const before = residentBytes(server);
    const idle = await openMany(server, 10_000, (one) => one.write(ask));
    assert.ok(await pollUntil(() => idle.every((one) => one.answers === 1)), 'each is answered once');
    const each = Math.round((residentBytes(server) - before) / idle.length);
    const beside = await round();
    // And once more without: what the machine did meanwhile is in both.
    await sleep(2500);
    await round();
    const more = await openMany(server, 17_800 - idle.length);
    // Whoever is idle for 75 seconds is closed for that.
    if (Date.now() - began > 60_000) skip(`this machine took ${Math.round((Date.now() - began) / 1000)} s to open them`);
    const all = [...idle, ...more];
    const closed = (list) => list.filter((one) => one.closed).length;
    const tooMany = all.length + active.length - bound;
    assert.ok(await pollUntil(() => closed(all) >= tooMany), `${closed(all)} of ${all.length} were closed, ${tooMany} are too many`);
    assert.ok(await answers(server, ask), 'a new client');
    assert.equal(closed(active), 0, 'of those in use some were closed');
    assert.equal(closed(more), 0, 'of the newest some were closed');
    const madeRoom = closed(idle);
    for (const one of all) one.close();
    assert.ok(await pollUntil(async () => (await round()) > 0));
    const after = await round();
    console.log(
      `     counts connections-all | most_idle=${all.length} made_room=${madeRoom} most_bytes_each=${each} ` +
        `active_p99_alone=${alone.toFixed(1)}ms active_p99_beside=${beside.toFixed(1)}ms active_p99_after=${after.toFixed(1)}ms`,
    );
    assert.ok(each <= kBytesEach, `${each} bytes for an idle connection`);
    assert.ok(beside <= Math.max(2 * Math.max(alone, after), 10), `p99 ${alone} ms alone, ${beside} ms beside 10,000 idle ones, ${after} ms after`);
    for (const one of active) one.close();
    assert.equal((await server.stop()).code, 0);
  }, { seconds: 400 });
}
