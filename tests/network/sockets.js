// Many connections by hand: requests as bytes, answers counted and not kept.

import { readFileSync } from 'node:fs';
import net from 'node:net';
import { requestText } from '../lib/raw_http.js';

export const kScale = Number(process.env.GATELEG_NETWORK_SCALE ?? 1);
export const isLong = kScale > 1;

export const sleep = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

// Whether it comes to hold within so many seconds.
export async function pollUntil(holds, seconds = 60) {
  for (const stop = Date.now() + seconds * 1000; Date.now() < stop; ) {
    if (await holds()) return true;
    await sleep(50);
  }
  return false;
}

// Resident memory of a process in bytes.
export function residentBytes(server) {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) * 1024;
}

const kTick = 100; // of /proc on Linux

// Processor seconds so far: of the server, of this process, and of the whole machine with what its host took for others.
export function processorSeconds(server) {
  const [, fields] = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8').split(/\) (?!.*\))/s);
  const [utime, stime] = fields.split(' ').slice(11, 13).map(Number);
  const [user, nice, system, , , interrupts, soft, stolen] = /^cpu +(.*)/.exec(readFileSync('/proc/stat', 'utf8'))[1].split(' ').map(Number);
  const own = process.cpuUsage();
  return {
    server: (utime + stime) / kTick,
    own: (own.user + own.system) / 1e6,
    machine: (user + nice + system + interrupts + soft + stolen) / kTick,
  };
}

// How many descriptors a process may have, or 0 where that cannot be known.
export function descriptorLimit() {
  return Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0);
}

export const requestBytes = (server, operation, request) =>
  Buffer.from(requestText(operation, JSON.stringify(request), { host: `127.0.0.1:${server.port}` }));

// A connection that counts the answers it gets, by status.
export class Connection {
  constructor(server) {
    this.counts = {};
    this.answers = 0;
    this.closed = false;
    this.rest = Buffer.alloc(0);
    this.needed = 0;
    this.onAnswer = () => {};
    this.socket = net.connect(server.port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.connected = new Promise((resolve) => {
      this.socket.once('connect', resolve);
      this.socket.once('close', resolve);
    });
    this.ended = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.closed = true;
        resolve();
      });
    });
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => this.take(chunk));
  }

  // Only heads are looked at; bodies are passed over by their length.
  take(chunk) {
    let bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    for (;;) {
      const skip = Math.min(this.needed, bytes.length);
      this.needed -= skip;
      bytes = bytes.subarray(skip);
      if (this.needed > 0) break;
      const stop = bytes.indexOf('\r\n\r\n');
      if (stop < 0) break;
      const head = bytes.subarray(0, stop).toString('latin1');
      const status = head.slice(9, 12);
      this.needed = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      bytes = bytes.subarray(stop + 4);
      this.counts[status] = (this.counts[status] ?? 0) + 1;
      this.answers += 1;
      this.onAnswer();
    }
    this.rest = this.needed > 0 ? Buffer.alloc(0) : Buffer.from(bytes);
  }

  write(bytes) {
    return this.closed ? false : this.socket.write(bytes);
  }

  close() {
    this.socket.destroy();
  }
}

// Resolves true if the server answers this request on a new connection within `seconds`.
export async function answers(server, bytes, seconds = 30) {
  const connection = new Connection(server);
  const answered = new Promise((resolve) => {
    connection.onAnswer = () => resolve(true);
    connection.ended.then(() => resolve(connection.answers > 0));
    setTimeout(() => resolve(false), seconds * 1000).unref();
  });
  connection.write(bytes);
  const result = await answered;
  connection.close();
  return result;
}

// Opens `count` connections, some at a time.
export async function openMany(server, count, each = () => {}) {
  const all = [];
  while (all.length < count) {
    const some = Array.from({ length: Math.min(200, count - all.length) }, () => new Connection(server));
    await Promise.all(some.map(({ connected }) => connected));
    for (const connection of some) each(connection, all.length);
    all.push(...some);
  }
  return all;
}
