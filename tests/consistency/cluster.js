// A server that is killed and started again while clients go on, and the clients.

import assert from 'node:assert/strict';
import http from 'node:http';
import { removeDir, startServer, tempDir } from '../lib/server.js';

// GATELEG_CONSISTENCY_SCALE=10 makes every workload ten times longer, GATELEG_CONSISTENCY_SEED another one.
export const kScale = Number(process.env.GATELEG_CONSISTENCY_SCALE ?? 1);
export const kSeed = Number(process.env.GATELEG_CONSISTENCY_SEED ?? 1);

// The server gave no answer, or one that leaves the outcome open.
export class NoAnswer extends Error {}

// The server said no.
export class Refused extends Error {
  constructor(status, type, json) {
    super(`${status} ${type}: ${json?.message ?? json?.Message ?? json?.error?.message ?? ''}`);
    this.status = status;
    this.type = type;
    this.json = json;
  }
}

export class Random {
  constructor(seed) {
    this.state = (Math.imul(seed, 2_654_435_761) + 1) >>> 0;
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

const sleep = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

// One data directory, one server at a time. `count` operations are begun in all, and a kill falls each time that one of
// `kills` equal parts of them is done: by progress, not by time, so that a slow machine sees as many as a fast one.
export class Cluster {
  static async start(label, options = {}) {
    const cluster = new Cluster(label, options);
    cluster.up = startServer({ data: cluster.data, ...options });
    await cluster.up;
    return cluster;
  }

  constructor(label, options) {
    this.label = label;
    this.options = options;
    this.data = tempDir(`gateleg-${label}`);
    this.kills = 0;
    this.begun = 0;
    this.acknowledged = 0;
    this.open = 0;
    this.killAt = [];
    this.chance = new Random(kSeed);
    this.up = null;
  }

  planKills(total, kills) {
    const part = total / (kills + 1);
    this.killAt = Array.from({ length: kills }, (_, n) => this.begun + Math.floor(part * (n + 1)));
  }

  // Called by a client before each operation. Resolves to the server to talk to.
  turn() {
    this.begun += 1;
    if (this.killAt.length > 0 && this.begun >= this.killAt[0]) {
      this.killAt.shift();
      // After this round of the event loop the requests of all clients are on their way; a little later some are done.
      const wait = this.chance.below(4);
      if (wait === 0) setImmediate(() => this.crash());
      else setTimeout(() => this.crash(), wait);
    }
    return this.up;
  }

  // SIGKILL with requests under way, then a start on what the disk has.
  crash() {
    const killed = this.up.then(async (server) => {
      assert.equal(server.child.exitCode, null, `the server had ended by itself:\n${server.log.slice(-2000)}`);
      await server.kill();
      this.kills += 1;
      return startServer({ data: this.data, ...this.options });
    });
    this.up = killed;
    return killed;
  }

  client() {
    return new Client(this);
  }

  async finish() {
    const server = await this.up;
    const { code, signal } = await server.stop();
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-2000));
    removeDir(this.data);
  }

  // What the run was, in a line that `./dev soak` adds up.
  report(counts) {
    const all = { kills: this.kills, acknowledged: this.acknowledged, open: this.open, ...counts };
    const words = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    console.log(`     counts ${this.label} ${words.join(' ')} | seed=${kSeed}`);
  }
}

// One connection, one request at a time, no retries behind one's back.
export class Client {
  constructor(cluster) {
    this.cluster = cluster;
    this.agent = null;
    this.server = null;
  }

  // The reply of a DynamoDB operation. Throws Refused, or NoAnswer when the outcome is open.
  async call(operation, request) {
    const body = JSON.stringify(request);
    const { status, json } = await this.send('url', 'POST', '/', body, {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'x-amz-date': '20250101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00',
    });
    if (status === 200) return json;
    if (status >= 500) throw new NoAnswer(`${status}`);
    throw new Refused(status, json?.__type?.split('#').at(-1), json);
  }

  // One request of the systems API; every answer is an answer.
  rest(method, path, { token, key, body } = {}) {
    return this.send('httpUrl', method, path, body === undefined ? '' : JSON.stringify(body), {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(key ? { 'idempotency-key': key } : {}),
    });
  }

  async send(face, method, path, body, headers) {
    const server = await this.cluster.turn();
    if (server !== this.server) {
      this.agent?.destroy();
      this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      this.server = server;
    }
    try {
      const reply = await exchange(server[face], this.agent, method, path, body, headers);
      if (reply.status < 500) this.cluster.acknowledged += 1;
      return reply;
    } catch (error) {
      this.cluster.open += 1;
      // Until the next server is there, every request would fail at once.
      await sleep(5);
      throw new NoAnswer(error.code ?? error.message);
    }
  }

  close() {
    this.agent?.destroy();
    this.server = null;
  }
}

function exchange(base, agent, method, path, body, headers) {
  const { hostname, port, host } = new URL(base);
  return new Promise((resolve, reject) => {
    const request = http.request(
      { hostname, port, method, path, agent, headers: { host, 'content-length': Buffer.byteLength(body), ...headers } },
      (reply) => {
        const chunks = [];
        reply.on('data', (chunk) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('aborted', () => reject(new Error('aborted')));
        reply.on('end', () => {
          try {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: reply.statusCode, headers: reply.headers, json: text ? JSON.parse(text) : undefined });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    request.setTimeout(60_000, () => request.destroy(new Error('no answer in 60 s')));
    request.on('error', reject);
    request.end(body);
  });
}

// Runs `count` clients, each with a generator of its own, until all are done.
export function runClients(cluster, count, work) {
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const client = cluster.client();
      try {
        return await work(client, new Random(kSeed * 1000 + number), number);
      } finally {
        client.close();
      }
    }),
  );
}

// Repeats a request that is safe to repeat until it has an answer.
export async function insist(attempt) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof NoAnswer) || tries === 200) throw error;
      await sleep(20);
    }
  }
}
