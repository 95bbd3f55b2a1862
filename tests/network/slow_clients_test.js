// T20: clients that send or read as slowly as they can are cut off, all at once too, and others do not notice.

import assert from 'node:assert/strict';
import { connect, createTable, putAll } from '../lib/dynamo.js';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { answers, isLong, kScale, openMany, requestBytes, residentBytes, sleep } from './sockets.js';

const test = suite('slow clients');
const kSlow = Math.min(2000, 200 * kScale);
const kMemory = 512 * 1024 * 1024;

// Each sends one letter after the other until it is cut off.
async function drip(connections, letter, ms) {
  const closed = () => connections.every((one) => one.closed);
  const stop = Date.now() + 120_000;
  while (!closed() && Date.now() < stop) {
    for (const one of connections) one.write(letter);
    await sleep(ms);
  }
  return closed();
}

test(`T20: ${kSlow} clients with slow headers, ${kSlow} with slow bodies: 408 or closed, others are served`, async () => {
  const server = await startServer();
  const ask = requestBytes(server, 'ListTables', {});
  const [idle, text] = [residentBytes(server), ask.toString()];
  const heads = await openMany(server, kSlow, (one) => one.write(text.slice(0, 60)));
  const bodies = await openMany(server, kSlow, (one) => one.write(text.replace(/Content-Length: \d+/, 'Content-Length: 100000')));
  let done = false;
  const others = (async () => {
    let served = 0;
    while (!done) {
      assert.ok(await answers(server, ask), 'another client');
      served += 1;
      await sleep(20);
    }
    return served;
  })();
  const ends = await Promise.all([drip(heads, 'x', 700), drip(bodies, ' ', 700)]);
  const peak = residentBytes(server);
  done = true;
  const served = await others;
  assert.deepEqual(ends, [true, true], 'all were cut off');
  const told = (list) => list.filter(({ counts }) => counts[408] === 1).length;
  const wrong = [...heads, ...bodies].flatMap(({ counts }) => Object.keys(counts).filter((status) => status !== '408'));
  console.log(`     counts slow-clients heads=${kSlow} bodies=${kSlow} told_408=${told(heads) + told(bodies)} others=${served}`);
  assert.deepEqual(wrong, []);
  assert.ok(peak - idle < kMemory, `memory grew by ${peak - idle} bytes`);
  assert.equal((await server.stop()).code, 0);
}, { seconds: 240 });

// A stalled answer is given 30 s: for long runs.
if (isLong) {
  test('T20: clients that never read their answers are cut off, and memory stays bounded', async () => {
    const server = await startServer();
    connect(server.url);
    const table = await createTable({ key: 'pk:S sk:N' });
    await putAll(table, Array.from({ length: 25 }, (_, n) => ({ pk: 'p', sk: n, text: 'x'.repeat(38_000) })));
    const page = requestBytes(server, 'Query', { TableName: table, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'p' } } });
    const idle = residentBytes(server);
    const deaf = await openMany(server, 100, (one) => {
      one.socket.pause();
      for (let n = 0; n < 16; n += 1) one.write(page);
    });
    let peak = 0;
    const stop = Date.now() + 150_000;
    // Whoever is paused does not see the end; a write then fails.
    while (!deaf.every((one) => one.closed) && Date.now() < stop) {
      for (const one of deaf) one.write(page);
      peak = Math.max(peak, residentBytes(server));
      assert.ok(await answers(server, requestBytes(server, 'ListTables', {})), 'another client');
      await sleep(500);
    }
    console.log(`     counts deaf-clients cut=${deaf.filter((one) => one.closed).length} | memory_deaf=${Math.round((peak - idle) / 1048576)}MB`);
    assert.ok(deaf.every((one) => one.closed), 'all were cut off');
    assert.ok(peak - idle < kMemory, `memory grew by ${peak - idle} bytes`);
    assert.equal((await server.stop()).code, 0);
  }, { seconds: 400 });
}
