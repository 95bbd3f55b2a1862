// A client of server-sent events: what came, in order, and when it ends.

import assert from 'node:assert/strict';
import http from 'node:http';

const kSeconds = 30;

// Resolves once the head is here, to an EventStream. A refusal has `json` instead of events.
export function openEvents(base, path, headers = {}) {
  const url = new URL(base);
  return new Promise((resolve, reject) => {
    const call = http.request({ host: url.hostname, port: url.port, path, headers, agent: false }, (reply) => {
      const stream = new EventStream(call, reply);
      if (reply.statusCode === 200) resolve(stream);
      else
        stream.ended.then(() => {
          stream.json = JSON.parse(stream.text);
          resolve(stream);
        });
    });
    call.on('error', reject);
    call.end();
  });
}

export class EventStream {
  constructor(call, reply) {
    this.call = call;
    this.reply = reply;
    this.status = reply.statusCode;
    this.headers = reply.headers;
    this.text = '';
    this.pieces = [];  // of what has not ended yet
    this.last = '';
    this.comments = [];
    this.events = [];  // {event, id, data}
    this.waiting = [];
    reply.setEncoding('utf8');
    reply.on('data', (chunk) => this.take(chunk));
    this.ended = new Promise((resolve) => {
      reply.on('error', () => {});
      reply.on('close', () => {
        resolve();
        this.wake();
      });
    });
    this.ended.then(() => {
      this.isOver = true;
      this.wake();
    });
  }

  take(chunk) {
    if (this.status !== 200) this.text += chunk;
    const ends = `${this.last}${chunk}`.includes('\n\n');
    this.pieces.push(chunk);
    this.last = chunk.at(-1);
    if (!ends) return;
    const blocks = this.pieces.join('').split('\n\n');
    this.pieces = [blocks.pop()];
    for (const block of blocks) {
      const event = { event: 'message', id: undefined, data: undefined };
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
        if (name === '') this.comments.push(value);
        else event[name] = value;
      }
      if (event.data !== undefined) this.events.push({ ...event, data: JSON.parse(event.data) });
    }
    this.wake();
  }

  wake() {
    for (const look of this.waiting.splice(0)) look();
  }

  get records() {
    return this.events.filter(({ event }) => event === 'record').map(({ data }) => data);
  }

  // Until `enough(this)`; fails if it takes long or the stream ends before.
  async until(enough, seconds = kSeconds) {
    const end = Date.now() + seconds * 1000;
    while (!enough(this)) {
      assert.ok(!this.isOver, `the stream ended with ${this.events.length} events`);
      if (Date.now() > end) assert.fail(`only ${this.events.length} events came: ${JSON.stringify(this.events.at(-1))?.slice(0, 300)}`);
      await new Promise((wake) => {
        const timer = setTimeout(wake, 500);
        this.waiting.push(() => {
          clearTimeout(timer);
          wake();
        });
      });
    }
    return this;
  }

  upTo(count, seconds) {
    return this.until(({ records }) => records.length >= count, seconds);
  }

  // True if it ends within that time.
  async endsWithin(seconds) {
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve(false), seconds * 1000);
    });
    const ended = await Promise.race([this.ended.then(() => true), late]);
    clearTimeout(timer);
    return ended;
  }

  // Takes nothing more from the socket, as a client that hangs.
  stall() {
    this.reply.pause();
  }
  goOn() {
    this.reply.resume();
  }
  close() {
    this.call.destroy();
    return this.ended;
  }
}
