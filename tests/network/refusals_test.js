// T18: a disk that hangs under more writes than may wait. What finds no place is refused at once, what waited for too long is
// refused and not done, what has a place is done, and the disk's return ends it all.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { call, connect, createTable } from '../lib/dynamo.js';
import { skip, suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { Connection, answers, descriptorLimit, isLong, openMany, pollUntil, requestBytes, sleep } from './sockets.js';

const test = suite('refusals');
const kPlaces = 8192; // src/engine/committer.cc
const kTooMany = 800;
const kProbes = 300;
const kMaxAgeMs = 5000; // likewise
// The rule of the long form, for a machine that does little else.
const kRefusedWithinMs = 100;

// Milliseconds that each sync of the server takes longer.
class SlowDisk {
  constructor(folder) {
    this.library = join(folder, 'slow_disk.so');
    try {
      execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', this.library, new URL('slow_disk.c', import.meta.url).pathname]);
    } catch (error) {
      if (error.code === 'ENOENT') skip('no C compiler here');
      throw error;
    }
    this.control = join(folder, 'delay');
    writeFileSync(this.control, Buffer.alloc(8));
  }

  get env() {
    return { LD_PRELOAD: this.library, SLOW_DISK: this.control };
  }

  // In place: the server has the file in its memory.
  delay(ms) {
    const word = Buffer.alloc(8);
    word.writeBigInt64LE(BigInt(ms));
    const file = openSync(this.control, 'r+');
    writeSync(file, word, 0, 8, 0);
    closeSync(file);
  }
}

const sum = (connections, status) => connections.reduce((total, { counts }) => total + (counts[status] ?? 0), 0);
const others = (connections) => connections.flatMap(({ counts }) => Object.keys(counts).filter((status) => !['200', '503'].includes(status)));

async function count(TableName) {
  let [total, start] = [0, undefined];
  do {
    const page = await call('Scan', { TableName, Select: 'COUNT', ConsistentRead: true, ExclusiveStartKey: start });
    total += page.Count;
    start = page.LastEvaluatedKey;
  } while (start);
  return total;
}

// One request after the other while `running()`: milliseconds to each refusal, the shortest first.
async function probe(server, bytes, most, running) {
  const one = new Connection(server);
  await one.connected;
  const taken = [];
  while (taken.length < most && running() && !one.closed) {
    const [began, before] = [performance.now(), one.counts[503] ?? 0];
    const answered = new Promise((resolve) => {
      one.onAnswer = resolve;
      one.ended.then(resolve);
    });
    one.write(bytes(taken.length));
    await answered;
    if ((one.counts[503] ?? 0) > before) taken.push(performance.now() - began);
    await sleep(2);
  }
  return { one, taken: taken.sort((a, b) => a - b) };
}

test(`T18: with ${kPlaces} writes waiting for a disk that hangs the next are refused at once, and those that wait are done`, async () => {
  const most = kPlaces + kTooMany;
  if (Math.floor(descriptorLimit() / 4) * 3 < most + 100) skip(`${descriptorLimit()} descriptors are too few`);
  const folder = tempDir('gateleg-slow');
  const disk = new SlowDisk(folder);
  const server = await startServer({ data: join(folder, 'data'), args: ['--threads', '2', '--max-connections', '0'], env: disk.env });
  connect(server.url);
  const table = await createTable({ key: 'pk:S' });
  const put = (name) => requestBytes(server, 'PutItem', { TableName: table, Item: { pk: { S: name } } });
  const clients = await openMany(server, most);

  // More than any machine needs to send them; ended as soon as everything was seen.
  disk.delay(60_000);
  const first = new Connection(server);
  await first.connected;
  first.write(put('first'));
  await sleep(200); // it is with the disk now, alone
  const asked = performance.now();
  clients.forEach((one, number) => one.write(put(`flood-${number}`)));
  assert.ok(await pollUntil(() => sum(clients, '503') >= kTooMany, 60), `${sum(clients, '503')} of ${kTooMany} were refused`);
  const refused = sum(clients, '503');
  const { one: prober, taken } = await probe(server, (n) => put(`probe-${n}`), kProbes, () => performance.now() - asked < kMaxAgeMs - 1500);
  const read = performance.now();
  assert.ok(await answers(server, requestBytes(server, 'ListTables', {})), 'a read beside it');
  const readMs = performance.now() - read;
  assert.equal(first.answers, 0, 'all of this was while the disk hung');
  assert.equal(refused, kTooMany, 'as many as had no place');
  assert.ok(taken.length >= 20, `${taken.length} refusals were timed`);

  disk.delay(0);
  const within = performance.now() - asked;
  assert.ok(await pollUntil(() => [first, ...clients].every((one) => one.answers === 1), 60), 'each is answered');
  const all = [first, prober, ...clients];
  assert.deepEqual(others(all), []);
  const done = sum(all, '200');
  // Whoever came in time for the disk's return is done; a slow machine may have let some grow too old.
  assert.ok(within > kMaxAgeMs - 1000 || done >= kPlaces, `${done} of ${kPlaces} were done`);
  assert.equal(await count(table), done, 'what was acknowledged is there, and nothing else');
  const p99 = taken[Math.floor(taken.length * 0.99)];
  console.log(
    `     counts refusals refused_at_once=${refused + taken.length} waited_and_done=${done} | ` +
      `refusal_p50=${taken[taken.length >> 1].toFixed(1)}ms refusal_p99=${p99.toFixed(1)}ms read_beside=${readMs.toFixed(1)}ms`,
  );
  if (isLong) assert.ok(p99 <= kRefusedWithinMs, `refusals took up to ${p99} ms`);
  for (const one of all) one.close();
  assert.ok(await answers(server, put('after')), 'a write after it');
  assert.equal((await server.stop()).code, 0);
  removeDir(folder);
}, { seconds: 300 });

test('T18: a write that has waited for five seconds is refused and not done', async () => {
  const folder = tempDir('gateleg-slow');
  const disk = new SlowDisk(folder);
  const server = await startServer({ data: join(folder, 'data'), env: disk.env });
  connect(server.url);
  const table = await createTable({ key: 'pk:S' });
  const put = (name) => requestBytes(server, 'PutItem', { TableName: table, Item: { pk: { S: name } } });
  const [first, ...late] = await openMany(server, 101);
  disk.delay(60_000);
  first.write(put('first'));
  await sleep(200);
  late.forEach((one, number) => one.write(put(`late-${number}`)));
  await sleep(kMaxAgeMs + 500);
  assert.equal(sum([first, ...late], '200'), 0);
  disk.delay(0);
  assert.ok(await pollUntil(() => [first, ...late].every((one) => one.answers === 1), 60), 'each is answered');
  assert.equal(sum([first], '200'), 1);
  assert.equal(sum(late, '503'), late.length);
  assert.equal(await count(table), 1);
  console.log(`     counts refusals refused_by_age=${late.length}`);
  for (const one of [first, ...late]) one.close();
  assert.equal((await server.stop()).code, 0);
  removeDir(folder);
}, { seconds: 120 });
