// S3's forms of SigV4, made by hand so that a test can bend them at every point. Not for production use.

import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';
import { crc32 } from 'node:zlib';
import { amzDate } from './sigv4.js';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => createHmac('sha256', key).update(data).digest();
const escape = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function crcOf(body) {
  if (crc32) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(body));
    return bytes.toString('base64');
  }
  let crc = ~0;
  for (const byte of body) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(~crc);
  return bytes.toString('base64');
}

const kPayload = {
  signed: (body) => sha256(body),
  unsigned: () => 'UNSIGNED-PAYLOAD',
  chunks: () => 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  chunksTrailer: () => 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  unsignedTrailer: () => 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  none: () => undefined,
};
export const kForms = Object.keys(kPayload);
const isChunked = (form) => ['chunks', 'chunksTrailer', 'unsignedTrailer'].includes(form);

// body in aws-chunked form; `sign(kind, hash)` gives the next signature.
function chunked(body, form, sign) {
  const pieces = [];
  const add = (piece) => {
    const signature = form === 'unsignedTrailer' ? '' : `;chunk-signature=${sign('PAYLOAD', piece)}`;
    pieces.push(Buffer.from(`${piece.length.toString(16)}${signature}\r\n`), piece);
    if (piece.length > 0) pieces.push(Buffer.from('\r\n'));
  };
  for (let at = 0; at < body.length; at += 8192) add(body.subarray(at, at + 8192));
  add(Buffer.alloc(0));
  if (form !== 'chunks') {
    const line = `x-amz-checksum-crc32:${crcOf(body)}`;
    pieces.push(Buffer.from(`${line}\r\n`));
    if (form === 'chunksTrailer') pieces.push(Buffer.from(`x-amz-trailer-signature:${sign('TRAILER', `${line}\n`)}\r\n`));
  }
  pieces.push(Buffer.from('\r\n'));
  return Buffer.concat(pieces);
}

// request: method, path (encoded), query ([[name, value]]), headers, body.
// options: key, place (header, query), form, and what bends it: when, scopeDate, region, service, expires, signature,
// token, unsignedHeaders, chunkSignature.
export function signS3(request, options) {
  const { key, place = 'header', form = 'unsigned', when = new Date(), region = 'us-east-1', service = 's3' } = options;
  const { method, path, host } = request;
  const body = Buffer.from(request.body ?? '');
  const date = amzDate(when);
  const scopeDate = options.scopeDate ?? date.slice(0, 8);
  const scope = `${scopeDate}/${region}/${service}/aws4_request`;
  const headers = { host, ...request.headers };
  const query = [...(request.query ?? [])];
  const hash = kPayload[form](body);
  if (hash) headers['x-amz-content-sha256'] = hash;
  if (isChunked(form)) {
    headers['content-encoding'] = 'aws-chunked';
    headers['x-amz-decoded-content-length'] = String(body.length);
    if (form !== 'chunks') headers['x-amz-trailer'] = 'x-amz-checksum-crc32';
  }
  if (place === 'header') headers['x-amz-date'] = date;
  if (options.token) headers['x-amz-security-token'] = options.token;
  const names = Object.keys(headers).sort();
  if (place === 'query') {
    query.push(
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
      ['X-Amz-Credential', `${key.accessKeyId}/${scope}`],
      ['X-Amz-Date', date],
      ['X-Amz-Expires', String(options.expires ?? 600)],
      ['X-Amz-SignedHeaders', names.join(';')],
    );
  }
  const text = (pairs) => pairs.map(([name, value]) => `${escape(name)}=${escape(value)}`);
  const canonical = [
    method, path, text(query).sort().join('&'),
    ...names.map((name) => `${name}:${headers[name]}`), '', names.join(';'), hash ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const signingKey = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${key.secretAccessKey}`, scopeDate));
  const seed = hmac(signingKey, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
  const signature = options.signature ?? seed;
  if (place === 'query') query.push(['X-Amz-Signature', signature]);
  else
    headers.authorization = `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  let previous = seed;
  const nextSignature = (kind, data) => {
    const parts = [`AWS4-HMAC-SHA256-${kind}`, date, scope, previous, ...(kind === 'PAYLOAD' ? [sha256('')] : []), sha256(data)];
    previous = hmac(signingKey, parts.join('\n')).toString('hex');
    return options.chunkSignature ?? previous;
  };
  const sent = isChunked(form) ? chunked(body, form, nextSignature) : body;
  Object.assign(headers, options.unsignedHeaders);
  if (sent.length > 0 || method === 'PUT' || method === 'POST') headers['content-length'] = String(sent.length);
  return { method, path: query.length > 0 ? `${path}?${text(query).join('&')}` : path, headers, body: sent };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

// Sends what signS3 made, bytes and all. Resolves to {status, headers, body, code}.
export function send(url, { method, path, headers, body }) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers, agent, setHost: false }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('error', reject);
      reply.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        resolve({ status: reply.statusCode, headers: reply.headers, body: text, code: /<Code>(.*?)<\/Code>/.exec(text)?.[1] });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
