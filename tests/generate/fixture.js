// The commands under test, a server with two models, and tokens for its users.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startServer, tempDir, removeDir } from '../lib/server.js';

export const kRoot = fileURLToPath(new URL('../../', import.meta.url));
export const kSystems = ['figureforge', 'gallery', 'membership', 'moderation', 'stories'];
export const kModels = Object.fromEntries(kSystems.map((name) => [name, `${kRoot}systems/${name}/model.yaml`]));
kModels.library = `${kRoot}examples/library/model.yaml`;

export const kSecret = 'a secret that only this test knows, 32+ bytes';
export const server = await startServer({
  http: true,
  args: ['--model', kModels.stories, '--model', kModels.library, '--test-clock'],
  env: { GATELEG_JWT_SECRET: kSecret },
});

export const folder = tempDir('gateleg-generate');
process.on('exit', () => removeDir(folder));

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export function token(sub, roles = ['user']) {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub, roles, exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  return `${signed}.${createHmac('sha256', kSecret).update(signed).digest('base64url')}`;
}

// {code, out, err} of a program that has a minute.
export function run(program, args, { cwd = kRoot, env = {} } = {}) {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: 180_000, maxBuffer: 64 << 20, env: { ...process.env, ...env } });
  if (done.error) throw done.error;
  return { code: done.status, out: done.stdout, err: done.stderr };
}
export const gateleg = (...args) => run(process.env.GATELEG_BIN, args);
export function gatelegOk(...args) {
  const done = gateleg(...args);
  assert.equal(done.code, 0, `gateleg ${args.join(' ')}: ${done.err}`);
  return done.out;
}

export async function dynamodb(operation, request, url = server.url) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(request),
  });
  const json = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(json));
  return json;
}

export async function call(method, path, { as, body, headers = {} } = {}) {
  const all = { ...headers };
  if (as) all.authorization = `Bearer ${as}`;
  if (body !== undefined) all['content-type'] = 'application/json';
  const reply = await fetch(server.httpUrl + path, { method, headers: all, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, json: text === '' ? undefined : JSON.parse(text) };
}
export async function setClock(body) {
  const reply = await call('POST', '/_test/clock', { body });
  assert.equal(reply.status, 200, JSON.stringify(reply.json));
}
