// Rows 30-34 and 39: HTTP that is too large, broken, slow, or too much at once; foreign Host and Origin.

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { raw } from '../lib/dynamo.js';
import { exchange, requestText } from '../lib/raw_http.js';
import { badSuite, kTable, server } from './fixture.js';

const test = badSuite('http');
const port = server.port;
const host = `127.0.0.1:${port}`;
const text = (target, body, more = {}) => requestText(target, body, { host, ...more });
const kDelete = `{"TableName":"${kTable}"}`;
// The answer is 400, or the connection is closed without one; nothing behind it is ever answered.
const refused = ({ replies, closed, error, text: seen }, statuses = [400]) => {
  assert.ok(replies.length <= 1, `answered twice: ${seen.slice(0, 400)}`);
  assert.equal(replies.length, 1, `no answer (${error?.code ?? (closed ? 'closed' : 'open')})`);
  assert.ok(statuses.includes(replies[0].status), `status ${replies[0].status}`);
};
const send = (chunks, options) => exchange(port, chunks, { expect: 2, seconds: 5, ...options });

test('row 30: 16 MB + 1 by Content-Length: 413 is delivered', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024 + 1, 'x');
  const { replies, error } = await exchange(port, [
    text('PutItem', '', { headers: { 'Content-Length': body.length } }),
    body,
  ]);
  assert.equal(replies[0]?.status, 413, `${error?.code}`);
});

test('row 30: 413 also comes to a client that sends everything before it reads', async () => {
  const reply = await raw('PutItem', Buffer.alloc(17 * 1024 * 1024, 'x'));
  assert.equal(reply.status, 413);
});

test('row 30: 16 MB + 1 in chunks: 413 is delivered', async () => {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65536, 'x'), Buffer.from('\r\n')]);
  const { replies, error } = await exchange(port, [
    text('PutItem', '', { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } }),
    ...Array(257).fill(chunk),
    '0\r\n\r\n',
  ]);
  assert.equal(replies[0]?.status, 413, `${error?.code}`);
});

test('row 30: a Content-Length of 2^64 and beyond', async () => {
  for (const length of ['18446744073709551616', '99999999999999999999999', '9223372036854775807']) {
    refused(await send(text('ListTables', '', { headers: { 'Content-Length': length } })), [400, 413]);
  }
});

test('row 31: a gzip bomb', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, '1'));
  assert.ok(bomb.length < 100_000);
  const started = Date.now();
  const reply = await raw('PutItem', bomb, { headers: { 'content-encoding': 'gzip' } });
  assert.ok([413, 400].includes(reply.status), `${reply.status}`);
  assert.ok(Date.now() - started < 20_000);
});

test('row 31: broken gzip and an unknown encoding', async () => {
  const good = gzipSync('{}');
  const flipped = Buffer.from(good);
  flipped[flipped.length - 5] ^= 1;
  for (const body of [
    good.subarray(0, good.length - 4),
    flipped,
    Buffer.from('{}'),
    Buffer.concat([good, Buffer.from('rest')]),
  ]) {
    assert.equal((await raw('ListTables', body, { headers: { 'content-encoding': 'gzip' } })).status, 400);
  }
  assert.equal((await raw('ListTables', '{}', { headers: { 'content-encoding': 'br' } })).status, 400);
});

test('row 32: a request line, a header, all headers over 16 KB', async () => {
  const long = 'x'.repeat(17_000);
  refused(await send(text('ListTables', '{}', { line: `POST /${long} HTTP/1.1` })), [400, 414, 431]);
  refused(await send(text('ListTables', '{}', { headers: { 'X-Long': long } })), [400, 431]);
  refused(
    await send(
      text('ListTables', '{}', {
        headers: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`X-${n}`, 'x'.repeat(1000)])),
      }),
    ),
    [400, 431],
  );
  refused(
    await send(
      text('ListTables', '{}', { headers: Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`X-${n}`, 'x'])) }),
    ),
    [400, 431],
  );
});

test('row 32: headers without an end', async () => {
  const { replies, closed } = await exchange(
    port,
    ['POST / HTTP/1.1\r\n', ...Array(40).fill(`X: ${'x'.repeat(1000)}\r\n`)],
    { seconds: 5 },
  );
  assert.ok(closed || [400, 431].includes(replies[0]?.status));
});

// Each of these hides a second request from one of two readers. It must never run.
const hidden = text('DeleteTable', kDelete);
const smuggle = {
  'Content-Length and Transfer-Encoding': text('ListTables', `0\r\n\r\n${hidden}`, {
    headers: { 'Content-Length': 4, 'Transfer-Encoding': 'chunked' },
  }),
  'two different Content-Lengths': text('ListTables', `{}${hidden}`, {
    headers: { 'Content-Length': '2\r\nContent-Length: 3' },
  }),
  'a list of Content-Lengths': text('ListTables', '{}', { headers: { 'Content-Length': '2, 3' } }),
  'a signed Content-Length': text('ListTables', '{}', { headers: { 'Content-Length': '+2' } }),
  'a negative Content-Length': text('ListTables', '{}', { headers: { 'Content-Length': '-2' } }),
  'a space before the colon': text('ListTables', `0\r\n\r\n${hidden}`, {
    headers: { 'Content-Length': undefined, 'Transfer-Encoding ': 'chunked' },
  }),
  'an unknown transfer coding': text('ListTables', '0\r\n\r\n', {
    headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'xchunked' },
  }),
  'chunked that is not last': text('ListTables', '0\r\n\r\n', {
    headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked, identity' },
  }),
  'a folded header': text('ListTables', '{}', { headers: { 'X-Fold': 'a\r\n b' } }),
  'a NUL in a header': text('ListTables', '{}', { headers: { 'X-Nul': 'a\0b' } }),
  'a bare CR in a header': text('ListTables', '{}', { headers: { 'X-Cr': 'a\rb' } }),
  'no header name': text('ListTables', '{}', { headers: { '': 'x' } }),
  'bare LF line ends': text('ListTables', '{}').replaceAll('\r\n', '\n'),
  'no Host': text('ListTables', '{}', { headers: { Host: undefined } }),
  'two Hosts': text('ListTables', '{}', { headers: { host } }),
  'an unknown version': text('ListTables', '{}', { line: 'POST / HTTP/3.7' }),
  'no version': 'POST /\r\n\r\n',
  'binary noise':
    Buffer.from(Array.from({ length: 200 }, (_, n) => (n * 37 + 128) % 256)).toString('latin1') + '\r\n\r\n',
  'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
};
for (const [label, request] of Object.entries(smuggle)) {
  test(`row 33: ${label}`, async () => {
    const result = await send(Buffer.from(request, 'latin1'));
    const strict = !['binary noise', 'a TLS hello', 'no version'].includes(label);
    if (strict || result.replies.length > 0) refused(result, [400, 403, 411, 421, 501, 505]);
    assert.ok(result.closed, 'the connection stays open after a parse error');
  });
}

test('row 33: bad chunks', async () => {
  const chunked = (body) =>
    text('ListTables', body, { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } });
  for (const body of [
    'FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n',
    '10000000000000002\r\n{}\r\n0\r\n\r\n',
    'zz\r\n{}\r\n0\r\n\r\n',
    '-2\r\n{}\r\n0\r\n\r\n',
    '2\n{}\r\n0\r\n\r\n',
    '2\r\n{}x\r\n0\r\n\r\n',
    ' 2\r\n{}\r\n0\r\n\r\n',
    `2;${'e'.repeat(5000)}\r\n{}\r\n0\r\n\r\n`,
  ]) {
    const result = await send(chunked(body));
    refused(result, [400, 413]);
    assert.ok(result.closed, body.slice(0, 30));
  }
});

test('row 33: requests in a pipeline are answered in order', async () => {
  const { replies } = await exchange(
    port,
    text('ListTables', '{}') + text('Nonsense', '{}') + text('ListTables', '{"Limit":1}'),
    { expect: 3, seconds: 5 },
  );
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 400, 200],
  );
});

test('other methods and paths get a clear answer', async () => {
  for (const method of ['DELETE', 'PUT', 'PATCH']) {
    const reply = await raw('ListTables', '{}', { method });
    assert.ok(reply.status >= 400 && reply.status < 500, `${method} ${reply.status}`);
  }
  assert.ok((await raw('ListTables', '{}', { path: '/../../etc/passwd' })).status < 500);
});

test(
  'row 34: slow headers, slow body: 408 and close, others unaffected',
  async () => {
    const head = text('ListTables', '{}');
    const slow = [
      exchange(port, [head.slice(0, 20)], { seconds: 25 }),
      exchange(
        port,
        head
          .slice(0, 20)
          .split('')
          .flatMap((letter) => [letter, 900]),
        { seconds: 25 },
      ),
      exchange(
        port,
        [
          text('ListTables', '', { headers: { 'Content-Length': 100_000 } }),
          '{',
          ...Array(22).fill([1000, ' ']).flat(),
        ],
        { seconds: 40 },
      ),
      exchange(
        port,
        [
          text('ListTables', '', { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } }),
          '5\r\n{',
        ],
        { seconds: 40 },
      ),
    ];
    for (let n = 0; n < 20; n += 1) {
      const started = Date.now();
      assert.equal((await raw('ListTables', '{}')).status, 200);
      assert.ok(Date.now() - started < 20_000);
    }
    for (const { replies, closed, ms } of await Promise.all(slow)) {
      assert.ok(closed || replies.length === 1, `still open after ${ms} ms`);
      assert.ok(ms > 5000, `closed too early: ${ms} ms`);
      if (replies.length > 0) assert.equal(replies[0].status, 408);
    }
    assert.ok((await slow[0]).replies[0]?.status === 408, 'slow headers are told why');
  },
  { seconds: 90 },
);

test('a foreign Origin is refused', async () => {
  for (const origin of [
    'http://evil.example',
    'null',
    `http://127.0.0.1.evil.example:${port}`,
    'http://localhost.evil.example',
  ]) {
    const reply = await raw('DeleteTable', kDelete, { headers: { origin } });
    assert.equal(reply.status, 403, `${origin}: ${reply.status}`);
    assert.notEqual(reply.headers['access-control-allow-origin'], '*');
  }
});

// An address as Host is no danger: a name that is rebound to this machine is.
test('an unknown Host is refused', async () => {
  for (const name of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example']) {
    const { replies } = await send(text('DeleteTable', kDelete, { host: name }), { expect: 1 });
    assert.ok([403, 421].includes(replies[0]?.status), `${name}: ${replies[0]?.status}`);
  }
});

test('localhost and 127.0.0.1 are known Hosts', async () => {
  for (const name of ['localhost', `localhost:${port}`, `127.0.0.1:${port}`, 'LOCALHOST']) {
    const { replies } = await send(text('ListTables', '{}', { host: name }), { expect: 1 });
    assert.equal(replies[0]?.status, 200, name);
  }
});

test(
  'row 39: a flood is answered with 200, throttling or 503, and ends',
  async () => {
    const body = JSON.stringify({
      TableName: kTable,
      Key: { pk: { S: 'k1' } },
      UpdateExpression: 'SET v = v',
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    const requests = text('UpdateItem', body).repeat(50);
    const results = await Promise.all(
      Array.from({ length: 100 }, () => exchange(port, requests, { expect: 50, seconds: 30 })),
    );
    const bad = results
      .flatMap(({ replies }) => replies)
      .filter(
        ({ status, json }) =>
          !(status === 400 && /ConditionalCheckFailed|Throttling/.test(json?.__type)) && status !== 503,
      );
    assert.deepEqual(bad.map(({ status, body: reply }) => `${status} ${reply}`).slice(0, 3), []);
  },
  { seconds: 90 },
);

test('2,000 connections that say nothing', async () => {
  const idle = Array.from({ length: 2000 }, () => exchange(port, [], { seconds: 3 }));
  await new Promise((resolve) => {
    setTimeout(resolve, 1500);
  });
  const started = Date.now();
  assert.equal((await raw('ListTables', '{}')).status, 200);
  assert.ok(Date.now() - started < 20_000);
  await Promise.all(idle);
});

test('clients that leave in the middle', async () => {
  const whole = text('PutItem', JSON.stringify({ TableName: kTable, Item: { pk: { S: 'k1' } } }));
  await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      exchange(port, whole.slice(0, Math.floor((whole.length - 1) * (n / 100))), { end: true, seconds: 3 }),
    ),
  );
});
