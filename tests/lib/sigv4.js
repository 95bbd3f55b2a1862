// AWS Signature Version 4 in a form that a test can bend at every point. Not for production use.

import { createHash, createHmac } from 'node:crypto';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => createHmac('sha256', key).update(data).digest();

export function amzDate(when = new Date()) {
  return when.toISOString().replace(/[-:]|\.\d+/g, '');
}

// Headers (lower case) for one DynamoDB request. Everything may be overridden:
// when, region, service, signed (names to sign), payloadHash, scopeDate, extra (headers).
export function signedHeaders(target, body, { accessKeyId, secretAccessKey }, options = {}) {
  const {
    host,
    when = new Date(),
    region = 'us-east-1',
    service = 'dynamodb',
    payloadHash = sha256(body),
    extra = {},
    query = '',
    prefix = 'DynamoDB_20120810.',
  } = options;
  const date = amzDate(when);
  const scopeDate = options.scopeDate ?? date.slice(0, 8);
  const headers = {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': date,
    'x-amz-target': `${prefix}${target}`,
    'content-length': String(Buffer.byteLength(body)),
    ...extra,
  };
  const names = (options.signed ?? Object.keys(headers).filter((name) => name !== 'content-length')).sort();
  const canonical = [
    'POST',
    '/',
    query,
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n');
  const scope = `${scopeDate}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secretAccessKey}`, scopeDate));
  const signature = options.signature ?? hmac(key, text).toString('hex');
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return headers;
}
