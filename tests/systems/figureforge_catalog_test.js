// Figures of another catalogue, and a server without secrets.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from './figureforge_fixture.js';
import { removeDir, tempDir } from '../lib/server.js';
import { startSystem } from '../lib/system.js';
import { admin, atOnce, call, count, jobBody, key, kPassword, newEmail, ok } from './figureforge_fixture.js';

const test = suite('catalogue');

async function withServer(catalog, body) {
  const folder = tempDir();
  const file = join(folder, 'catalog.yaml');
  writeFileSync(file, `system: figureforge\n${catalog}`);
  const other = await startSystem('figureforge', {
    args: ['--catalog', file],
    env: { GATELEG_STRIPE_WEBHOOK_SECRET: '', GATELEG_FAL_WEBHOOK_SECRET: '' },
  });
  try {
    await body(other.httpUrl, other.url);
  } finally {
    await other.stop();
    removeDir(folder);
  }
}

test('FF-O8, FF-O2: limits of jobs, prices and unverified users are figures of the catalogue', async () => {
  const catalog = 'maxActiveJobs: 3\ncreditsPerImage: 2\nrequireVerifiedEmail: true\npremiumModels: { fal/best: { credits: 5, plans: { none: true } } }\n';
  await withServer(catalog, async (base) => {
    const email = newEmail();
    const { token, user } = await ok(201, 'POST', '/users', { base, body: { email, password: kPassword } });
    await ok(200, 'POST', `/admin/users/${user.user_id}/credits`, { base, user: admin, body: { amount: 100, reason: 'test' } });
    const replies = await atOnce(6, () => call('POST', '/jobs', { base, user: { token }, body: jobBody(), headers: key() }));
    assert.equal(count(replies, 201), 3);
    assert.equal(count(replies, 429), 3);
    const limited = replies.find(({ status }) => status === 429);
    assert.equal(limited.json.error.code, 'RateLimited');
    assert.ok(limited.headers.get('retry-after'));
    assert.equal((await ok(200, 'GET', '/users/me', { base, user: { token } })).credits, 94);
    const premium = await call('POST', '/jobs', { base, user: { token }, body: jobBody({ model: 'fal/best' }), headers: key() });
    assert.equal(premium.json.error.code, 'ModelNotInPlan');
    const login = await call('POST', '/sessions', { base, body: { email, password: kPassword } });
    assert.equal(login.status, 403);
    assert.equal(login.json.error.code, 'EmailNotVerified');
  });
});

// An image that everybody sees, as its job would have written it.
async function plant(url, id) {
  const Item = {
    pk: { S: `IMG#${id}` }, sk: { S: 'META' }, publicFeed_pk: { S: 'FEED#202001' }, user_id: { NULL: true }, tags: { L: [] },
    cost_cents: { N: '0' }, favorited_count: { N: '0' }, report_count: { N: '0' }, public: { BOOL: true }, private_gallery_ids: { L: [] },
    flag_status: { S: 'clean' }, s3_key: { S: `public/teaser/${id}.jpg` }, url: { S: `https://cdn.figureforge.example/public/teaser/${id}.jpg` },
    version: { N: '1' }, created_at: { N: '1577836800' }, deleted_at: { NULL: true },
  };
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.PutItem' },
    body: JSON.stringify({ TableName: 'figureforge', Item }),
  });
  assert.equal(reply.status, 200, await reply.text());
}

test('FF-O21: how many reports one user may make in an hour', async () => {
  await withServer('reportsPerHour: 2\n', async (base, url) => {
    const people = await atOnce(2, () => ok(201, 'POST', '/users', { base, body: { email: newEmail(), password: kPassword } }));
    const ids = [0, 1, 2, 3].map((i) => `01955ad0-0000-7000-8000-00000000000${i}`);
    await Promise.all(ids.map((id) => plant(url, id)));
    const report = (user, id) => call('POST', `/images/${id}/reports`, { base, user, body: { reason: 'spam' } });
    const replies = await atOnce(4, (i) => report(people[0], ids[i]));
    assert.equal(count(replies, 201), 2);
    assert.equal(count(replies, 429), 2);
    assert.equal((await report(people[1], ids[0])).status, 201);
  });
});

test('FF-O7, FF-O10: without a secret no callback is taken', async () => {
  await withServer('', async (base) => {
    for (const path of ['/webhooks/stripe', '/webhooks/provider/x']) {
      const reply = await call('POST', path, { base, body: {}, headers: { 'stripe-signature': 't=1,v1=00', 'webhook-signature': 't=1,v1=00' } });
      assert.equal(reply.status, 503);
      assert.equal(reply.json.error.code, 'ProviderNotConfigured');
    }
  });
});
