// HTTP by hand: sends bytes as they are and reads what comes back, for requests no client would send.

import net from 'node:net';

// chunks: strings or Buffers; a number waits that many milliseconds.
// Resolves to {replies: [{status, headers, body, json}], closed, error, ms} when the server closes,
// when `expect` replies are there, or after `seconds`.
export function exchange(port, chunks, { expect = 1, seconds = 20, end = false } = {}) {
  return new Promise((resolve) => {
    const started = Date.now();
    const socket = net.connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    let finished = false;
    const done = (closed, error) => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      socket.destroy();
      resolve({
        replies: parseReplies(received),
        closed,
        error,
        ms: Date.now() - started,
        text: received.toString('latin1'),
      });
    };
    const timer = setTimeout(() => done(false), seconds * 1000);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      if (parseReplies(received).length >= expect) done(false);
    });
    socket.on('end', () => done(true));
    socket.on('error', (error) => done(true, error));
    socket.on('close', () => done(true));
    socket.on('connect', async () => {
      for (const chunk of Array.isArray(chunks) ? chunks : [chunks]) {
        if (finished) return;
        if (typeof chunk === 'number') {
          await new Promise((wake) => {
            setTimeout(wake, chunk);
          });
          continue;
        }
        if (!socket.write(chunk))
          await new Promise((wake) => {
            socket.once('drain', wake);
            socket.once('close', wake);
          });
      }
      if (end && !finished) socket.end();
    });
  });
}

function parseReplies(bytes) {
  const replies = [];
  let at = 0;
  for (;;) {
    const stop = bytes.indexOf('\r\n\r\n', at);
    if (stop < 0) return replies;
    const [first, ...lines] = bytes.subarray(at, stop).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(first.split(' ')[1]);
    const length = Number(headers['content-length'] ?? 0);
    if (status === 100) {
      at = stop + 4;
      continue;
    }
    if (bytes.length < stop + 4 + length) return replies;
    const body = bytes.subarray(stop + 4, stop + 4 + length);
    let json;
    try {
      json = JSON.parse(body);
    } catch {
      json = undefined;
    }
    replies.push({ status, headers, body, json });
    at = stop + 4 + length;
  }
}

// A request as text. `headers` replace or add; undefined removes.
export function requestText(target, body, { host, headers = {}, line = 'POST / HTTP/1.1' } = {}) {
  const all = {
    Host: host,
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': `DynamoDB_20120810.${target}`,
    'X-Amz-Date': '20250101T000000Z',
    Authorization:
      'AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  return `${line}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
