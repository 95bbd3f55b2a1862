// Rows 44-52: bad input to the systems API: guessed passwords, floods, fields and records of others, forged webhooks,
// requests that a foreign page makes.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';

const kSecret = 'a secret that only this test knows, 32+ bytes';
const kWebhookSecret = 'whsec_of_this_test';
const kPassword = 'correct horse battery';
let server;

const test = suite('systems', {
  before: async () => {
    // Real passwords hashes and limits, for that is what these rows are about.
    server = await startServer({
      http: true,
      args: ['--systems', 'gallery,membership,stories'],
      env: { GATELEG_JWT_SECRET: kSecret, GATELEG_STRIPE_WEBHOOK_SECRET: kWebhookSecret },
    });
  },
  after: () => server.stop(),
});

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
function token(sub, roles = ['user']) {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub, roles, exp: Math.floor(Date.now() / 1000) + 7200 })}`;
  return `${signed}.${createHmac('sha256', kSecret).update(signed).digest('base64url')}`;
}

// One request with these headers and no others. Resolves to {status, headers, json}; 503 is tried again, as it asks.
async function call(method, path, { bearer, body, headers = {} } = {}) {
  for (let tries = 0; ; tries += 1) {
    const reply = await callOnce(method, path, { bearer, body, headers });
    if (reply.status !== 503 || reply.json?.error?.code !== 'Unavailable' || tries === 50) return reply;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

function callOnce(method, path, { bearer, body, headers }) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const { hostname, port } = new URL(server.httpUrl);
  const all = {
    ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers: all, agent: false }, (reply) => {
      let received = '';
      reply.on('data', (chunk) => {
        received += chunk;
      });
      reply.on('end', () => {
        let json;
        try {
          json = JSON.parse(received);
        } catch {
          json = undefined;
        }
        resolve({ status: reply.statusCode, headers: reply.headers, json, text: received });
      });
    });
    request.on('error', reject);
    request.end(text);
  });
}

async function refused(status, code, method, path, options) {
  const reply = await call(method, path, options);
  assert.deepEqual([reply.status, reply.json?.error?.code], [status, code], `${method} ${path}: ${reply.status} ${reply.text}`);
  assert.ok(reply.json.error.requestId);
  return reply;
}

let people = 0;
async function signUp() {
  people += 1;
  const body = { email: `person${people}@example.com`, username: `person_${people}`, password: kPassword };
  const { status, json, headers, text } = await call('POST', '/v1/gallery/auth/signup', { body });
  assert.equal(status, 201, text);
  return { ...body, token: json.token, id: json.user.userId, cookie: String(headers['set-cookie'] ?? '').split(';')[0] };
}
const logIn = (email, password) => call('POST', '/v1/gallery/auth/login', { body: { email, password } });

test('row 44: a wrong password and an unknown user get the same answer, after about the same time', async () => {
  const known = [await signUp(), await signUp()];
  const took = { wrong: [], unknown: [] };
  const seen = new Set();
  for (let n = 0; n < 8; n += 1) {
    for (const [kind, email] of [['wrong', known[n % 2].email], ['unknown', `nobody${n % 2}@example.com`]]) {
      const started = performance.now();
      const { status, json } = await logIn(email, 'not the password');
      took[kind].push(performance.now() - started);
      seen.add(JSON.stringify([status, json.error.code, json.error.message, Object.keys(json.error).sort()]));
    }
  }
  assert.equal(seen.size, 1, [...seen].join('\n'));
  assert.match([...seen][0], /^\[401,"InvalidCredentials"/);
  // A look-up without a hash would be many times faster; the machine's own noise is no matter here.
  const best = (list) => Math.min(...list);
  const ratio = best(took.unknown) / best(took.wrong);
  assert.ok(ratio > 0.25 && ratio < 4, `unknown ${took.unknown.map(Math.round)} ms, wrong ${took.wrong.map(Math.round)} ms`);
}, { seconds: 180 });

test('row 45: the sixth failure locks the account, for the right password too; others are not locked', async () => {
  const [victim, other] = [await signUp(), await signUp()];
  for (let n = 0; n < 5; n += 1) assert.equal((await logIn(victim.email, 'wrong')).status, 401);
  const locked = await logIn(victim.email, kPassword);
  assert.deepEqual([locked.status, locked.json.error.code], [423, 'AccountLocked']);
  assert.equal((await logIn(other.email, kPassword)).status, 200);
  assert.equal((await call('GET', '/v1/gallery/users/me', { bearer: victim.token })).status, 200, 'whoever is in stays in');
}, { seconds: 180 });

test('row 45: a flood of guessed tokens or of mails from one address: 429 with Retry-After', async () => {
  const flood = async (path, body, expected, count) => {
    const replies = [];
    for (let n = 0; n < count && replies.at(-1)?.status !== 429; n += 1) replies.push(await call('POST', path, { body: body(n) }));
    const last = replies.pop();
    assert.deepEqual([last.status, last.json.error?.code], [429, 'RateLimited'], `${path}: ${last.text}`);
    assert.ok(Number(last.headers['retry-after']) >= 1);
    for (const { status, text } of replies) assert.equal(status, expected, text);
  };
  // The limits refill with time: a slow machine needs more of them.
  await flood('/v1/gallery/auth/verify-email', (n) => ({ token: `guess-${n}` }), 404, 5000);
  // Whether there is such an address is nobody's business.
  await flood('/v1/gallery/auth/forgot', (n) => ({ email: `nobody${n}@example.com` }), 202, 5000);
}, { seconds: 180 });

test('row 46: a session ends with the log-out, and with all others', async () => {
  const person = await signUp();
  const second = (await logIn(person.email, kPassword)).json.token;
  const me = (bearer) => call('GET', '/v1/gallery/users/me', { bearer });
  assert.equal((await me(second)).status, 200);
  assert.ok((await call('POST', '/v1/gallery/auth/logout', { bearer: second, body: {} })).status < 300);
  await refused(401, 'Unauthenticated', 'GET', '/v1/gallery/users/me', { bearer: second });
  assert.equal((await me(person.token)).status, 200);
  assert.ok((await call('DELETE', '/v1/gallery/auth/sessions', { bearer: person.token })).status < 300);
  for (const bearer of [second, `${person.token}x`, person.token.slice(0, -1), 'ga_', 'ga_made-up'])
    await refused(401, 'Unauthenticated', 'GET', '/v1/gallery/users/me', { bearer });
}, { seconds: 120 });

test('row 47: fields that are not for the caller are named and change nothing', async () => {
  const person = await signUp();
  const before = (await call('GET', '/v1/gallery/users/me', { bearer: person.token })).json;
  for (const [field, value] of Object.entries({
    role: 'admin', pscBalance: 1_000_000, isEmailVerified: true, isActive: true, plan: 'pro', userId: 'other', version: 99,
    PK: 'USER#other', SK: 'METADATA', GSI1PK: 'x', passwordHash: 'x', salt: 'x', ttl: 1, __proto__x: 1, constructor: 1,
  })) {
    const { json } = await refused(400, 'UnknownField', 'PATCH', '/v1/gallery/users/me', { bearer: person.token, body: { firstName: 'Eve', [field]: value } });
    assert.equal(json.error.field, field);
  }
  await refused(400, 'UnknownField', 'PATCH', '/v1/gallery/users/me', { bearer: person.token, body: '{"__proto__":{"role":"admin"}}' });
  assert.deepEqual((await call('GET', '/v1/gallery/users/me', { bearer: person.token })).json, before);
}, { seconds: 120 });

test('row 48: the records of another are not there, to read, change or delete', async () => {
  const [ann, eve] = [token('ann'), token('eve')];
  const { json: story } = await call('POST', '/v1/stories', { bearer: ann, body: { title: 'private' } });
  for (const [method, path, body] of [
    ['GET', `/v1/stories/${story.id}`],
    ['PATCH', `/v1/stories/${story.id}`, { title: 'taken' }],
    ['DELETE', `/v1/stories/${story.id}`],
    ['POST', `/v1/stories/${story.id}/duplicate`, {}],
    ['POST', `/v1/stories/${story.id}/nodes`, { text: 'x' }],
    ['GET', `/v1/stories/${story.id}/export`],
  ]) {
    const reply = await call(method, path, { bearer: eve, body });
    assert.ok([403, 404, 400].includes(reply.status), `${method} ${path}: ${reply.status} ${reply.text}`);
    assert.doesNotMatch(reply.text, /private/);
  }
  assert.deepEqual((await call('GET', '/v1/stories', { bearer: eve })).json.items, []);
  // Nor by asking for another's list, or through the general door.
  for (const path of ['/v1/stories?userId=ann', '/v1/membership/credits?userId=ann']) {
    const reply = await call('GET', path, { bearer: eve });
    assert.equal(reply.status, 400, `${path}: ${reply.text}`);
  }
  const open = await call('GET', '/v1/stories/patterns/stories?userId=ann', { bearer: eve });
  assert.ok(open.status >= 400 || open.json.items.length === 0, open.text);
  assert.equal((await call('GET', `/v1/stories/${story.id}`, { bearer: ann })).json.title, 'private');
});

test('row 49: amounts that are none, and more than there is', async () => {
  const [admin, service] = [token('root', ['admin']), token('shop', ['service'])];
  let key = 0;
  const send = (path, bearer, body) => call('POST', `/v1/membership${path}`, { bearer, body, headers: { 'idempotency-key': `row49-${(key += 1)}` } });
  const userId = 'spender';
  assert.equal((await send('/admin/credits/grant', admin, { userId, amount: 5, reason: 'x' })).status, 200);
  for (const amount of ['-1', '0', '1.5', '1e400', '99999999999999999999999999999999999999', '"3"', 'null', '[1]', '{}', 'true']) {
    for (const [path, bearer] of [['/admin/credits/grant', admin], ['/credits/consume', service]]) {
      const reply = await send(path, bearer, `{"userId":"${userId}","reason":"x","amount":${amount}}`);
      assert.equal(reply.status, 400, `${path} ${amount}: ${reply.text}`);
    }
  }
  assert.equal((await send('/credits/consume', service, '{"userId":"spender","reason":"x","amount":NaN}')).status, 400);
  const spends = await Promise.all(Array.from({ length: 10 }, () => send('/credits/consume', service, { userId, amount: 1, reason: 'x' })));
  const statuses = spends.map(({ status, json }) => (status === 200 ? 'spent' : json.error.code)).sort();
  assert.deepEqual(statuses, [...Array(5).fill('InsufficientCredits'), ...Array(5).fill('spent')]);
  assert.equal((await call('GET', '/v1/membership/credits', { bearer: token(userId) })).json.balance, 0);
}, { seconds: 120 });

test('row 50: forged, old and altered webhooks are refused; the same event again has no second effect', async () => {
  const now = Math.floor(Date.now() / 1000);
  const payment = { id: 'pi_1', object: 'payment_intent', amount: 500, amount_received: 500, currency: 'usd', customer: 'cus_1', metadata: { userId: 'payer', kind: 'topup' } };
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', created: now, data: { object: payment } });
  const sign = (text, time = now, secret = kWebhookSecret) => `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${text}`).digest('hex')}`;
  const post = (text, signature) => call('POST', '/v1/membership/webhooks/stripe', { body: text, headers: signature === undefined ? {} : { 'stripe-signature': signature } });
  const code = async (text, signature) => {
    const { status, json } = await post(text, signature);
    return `${status} ${json?.error?.code ?? ''}`.trim();
  };
  const balance = async () => (await call('GET', '/v1/membership/credits', { bearer: token('payer') })).json.balance;
  for (const signature of [undefined, '', 't=1', 'v1=00', sign(body, now, 'another secret'), sign(`${body} `), sign(body).replace('v1=', 'v0='), `t=${now},v1=`, `t=,v1=${'0'.repeat(64)}`, 'x'.repeat(10_000)])
    assert.match(await code(body, signature), /^400 Signature(Invalid|Expired|Missing)$/, String(signature).slice(0, 60));
  assert.equal(await code(JSON.stringify(JSON.parse(body), null, 1), sign(body)), '400 SignatureInvalid', 'the same JSON in other bytes');
  assert.equal(await code(body, sign(body, now - 400)), '400 SignatureExpired');
  assert.equal(await code(body, sign(body, now + 400)), '400 SignatureExpired');
  assert.equal(await balance(), 0);
  assert.equal(await code(body, sign(body)), '200');
  const paid = await balance();
  assert.ok(paid > 0);
  assert.equal(await code(body, sign(body, now + 1)), '200');
  assert.equal(await balance(), paid);
}, { seconds: 120 });

test('row 52: a page of another origin cannot use the cookie, nor can a name that leads here', async () => {
  const person = await signUp();
  assert.ok(person.cookie.startsWith('gateleg_session='), 'the log-in sets a cookie');
  const patch = (headers) => call('PATCH', '/v1/gallery/users/me', { body: { firstName: 'Eve' }, headers: { cookie: person.cookie, ...headers } });
  const { origin, port } = new URL(server.httpUrl);
  const rejected = ({ status, json }) => assert.deepEqual([status, json?.error?.code], [403, 'CsrfRejected']);
  rejected(await patch({}));
  for (const foreign of ['https://evil.example', 'null', `${origin}.evil.example`, `http://localhost.evil.example:${port}`]) rejected(await patch({ origin: foreign }));
  for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`]) {
    const reply = await call('GET', '/v1/gallery/users/me', { headers: { cookie: person.cookie, host } });
    assert.deepEqual([reply.status, reply.json?.error?.code], [421, 'HostNotAllowed']);
  }
  assert.equal((await patch({ origin })).status, 200, 'its own page may');
  const me = await call('GET', '/v1/gallery/users/me', { headers: { cookie: person.cookie } });
  assert.equal(me.status, 200);
  assert.equal(me.headers['access-control-allow-origin'], undefined);
}, { seconds: 120 });

test('row 52: what a browser may show is not framed and runs no script of others', async () => {
  const reply = await call('GET', '/docs');
  assert.equal(reply.status, 200);
  const policy = reply.headers['content-security-policy'] ?? '';
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /default-src '(none|self)'/);
  assert.doesNotMatch(policy, /script-src[^;]*unsafe-inline/);
  assert.equal(reply.headers['x-content-type-options'], 'nosniff');
});

test('nothing of this is in the log', async () => {
  for (const text of [kPassword, kSecret, kWebhookSecret, 'not the password']) assert.ok(!server.log.includes(text), text);
});
