// Stands in for those who generate: a queue as fal.ai has it under /fal, RunPod's under /runpod, and the files of their
// results under /files. It remembers Idempotency-Keys as they do, and reports to the callback that a job names.

import { createHmac } from 'node:crypto';
import http from 'node:http';
import { crc32, deflateSync } from 'node:zlib';

// A picture in which no two lines are equal.
export function makePng(width, height, seed = 0) {
  const lines = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      lines[at] = (x * 7 + seed) & 255;
      lines[at + 1] = (y * 5 + seed * 3) & 255;
      lines[at + 2] = (x ^ y) & 255;
    }
  }
  const checksum = (bytes) => (crc32 ? crc32(bytes) : slowCrc(bytes));
  const chunk = (type, body) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    const content = Buffer.concat([Buffer.from(type, 'latin1'), body]);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(checksum(content) >>> 0);
    return Buffer.concat([head, content, tail]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))]);
}

function slowCrc(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

// [type, width, height] of a PNG or a JPEG.
export function pictureSize(bytes) {
  if (bytes.subarray(1, 4).toString('latin1') === 'PNG') return ['png', bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  for (let at = 2; bytes[0] === 0xff && bytes[1] === 0xd8 && at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1];
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return ['jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
  return ['unknown', 0, 0];
}

export const kSecrets = { fal: 'whsec_fal_stand_in', runpod: 'whsec_runpod_stand_in' };

export async function startGenerator() {
  const generator = new Generator();
  await new Promise((resolve) => { generator.server.listen(0, '127.0.0.1', resolve); });
  generator.port = generator.server.address().port;
  return generator;
}

class Generator {
  constructor() {
    this.requests = [];  // {method, path, headers, body}
    this.jobs = new Map();  // id -> {id, service, key, input, webhook, canceled}
    this.keys = new Map();  // Idempotency-Key -> id
    this.files = new Map();  // path -> bytes
    this.statuses = [];  // what the next calls that begin a job get instead of an answer
    this.submitHook = null;  // awaited before a job is answered
    this.fileHook = null;  // awaited before a file is served
    this.results = new Map();  // id -> body of a finished job, for those who ask
    this.gateleg = '';  // where callbacks lead, for a server learns its own port late
    this.server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error) => response.destroy(error));
    });
  }

  env() {
    const base = `http://127.0.0.1:${this.port}`;
    return {
      GATELEG_FAL_URL: `${base}/fal`,
      GATELEG_FAL_KEY: 'fal-key',
      GATELEG_FAL_WEBHOOK_SECRET: kSecrets.fal,
      GATELEG_RUNPOD_URL: `${base}/runpod`,
      GATELEG_RUNPOD_KEY: 'runpod-key',
      GATELEG_RUNPOD_WEBHOOK_SECRET: kSecrets.runpod,
      GATELEG_PUBLIC_URL: 'https://gateleg.example',
      GATELEG_OUTBOUND_ALLOW: `127.0.0.1:${this.port}`,
      GATELEG_OUTBOX_BACKOFF: 'PT0.2S',
      GATELEG_OUTBOX_POLL: 'PT0.1S',
    };
  }

  // The address of a file.
  addFile(name, bytes) {
    this.files.set(`/files/${name}`, bytes);
    return `http://127.0.0.1:${this.port}/files/${name}`;
  }

  submissions(wanted = () => true) {
    return this.requests.filter(({ method, path }) => method === 'POST' && (/^\/fal\/(?!.*\/requests\/)/.test(path) || path === '/runpod/run')).filter(wanted);
  }

  job(wanted) {
    return [...this.jobs.values()].find(wanted);
  }

  // Resolves to the reply of Gateleg. A report that finds it too busy is sent again, as providers do.
  async report(job, body, { secret = kSecrets[job.service], gateleg = this.gateleg } = {}) {
    const text = JSON.stringify(body);
    for (let tries = 0; ; tries += 1) {
      const at = Math.floor(Date.now() / 1000);
      const v1 = createHmac('sha256', secret).update(`${at}.${text}`).digest('hex');
      const reply = await fetch(new URL(new URL(job.webhook).pathname, gateleg), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-signature': `t=${at},v1=${v1}` },
        body: text,
      });
      if (reply.status !== 503 || tries === 30) return reply;
      await new Promise((resolve) => { setTimeout(resolve, 50 + Math.random() * 200); });
    }
  }

  async #serve(request, response) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const seen = { method: request.method, path: request.url, headers: request.headers, body };
    this.requests.push(seen);
    const answer = (status, json) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    };
    const { pathname, searchParams } = new URL(request.url, 'http://stand-in');
    if (pathname.startsWith('/files/')) {
      await this.fileHook?.(pathname);
      const bytes = this.files.get(pathname);
      response.writeHead(bytes ? 200 : 404, { 'content-type': 'application/octet-stream' });
      response.end(bytes ?? 'nothing');
      return;
    }
    const [, service, ...rest] = pathname.split('/');
    if (seen.headers.authorization !== (service === 'fal' ? 'Key fal-key' : 'Bearer runpod-key')) return answer(401, { detail: 'no key' });
    const place = service === 'fal' ? rest.indexOf('requests') : -1;
    if (request.method === 'POST' && ((service === 'fal' && place < 0) || rest[0] === 'run')) {
      await this.submitHook?.(seen);
      const status = this.statuses.shift();
      if (status) return answer(status, { detail: `the stand-in was told ${status}` });
      const job = this.#begin(service, request.headers['idempotency-key'], body, searchParams.get('fal_webhook'));
      return answer(200, service === 'fal' ? { request_id: job.id } : { id: job.id, status: 'IN_QUEUE' });
    }
    const job = this.jobs.get(service === 'fal' ? rest[place + 1] : rest[1]);
    if (!job) return answer(404, { detail: 'no such job' });
    if (rest.at(-1) === 'cancel' || rest[0] === 'cancel') {
      job.canceled = true;
      return answer(200, { status: 'CANCELLATION_REQUESTED' });
    }
    const result = this.results.get(job.id);
    if (service === 'runpod') return answer(200, result ?? { id: job.id, status: 'IN_PROGRESS' });
    if (rest.at(-1) === 'status') return answer(200, { status: result ? 'COMPLETED' : 'IN_PROGRESS' });
    return result ? answer(200, result) : answer(400, { detail: 'still in progress' });
  }

  #begin(service, key, body, webhook) {
    const known = this.keys.get(key);
    if (known) return this.jobs.get(known);
    const json = JSON.parse(body);
    const job = { id: `${service}-${this.port}-${this.jobs.size + 1}`, service, key, input: service === 'fal' ? json : json.input, webhook: webhook ?? json.webhook };
    this.jobs.set(job.id, job);
    this.keys.set(key, job.id);
    return job;
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => { this.server.close(resolve); });
  }
}

// The first answer of `ask` that is true, asked for as long as a busy machine may need.
export async function eventually(ask, why = () => '') {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`it did not happen: ${why()}`);
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}
