// Sweeps: FF-O26, the watchdog, and what is left of accounts.

import assert from 'node:assert/strict';
import { skip } from '../lib/runner.js';
import { suite } from './figureforge_fixture.js';
import { admin, atTime, call, callbackToken, credits, fails, fal, kPassword, newImage, newUser, ok, outbox, raw, result, submit } from './figureforge_fixture.js';

const test = suite('tasks');
// From the first page to the last.
async function run(task) {
  const total = { scanned: 0, changed: 0 };
  let cursor;
  do {
    const reply = await call('POST', `/admin/tasks/${task}`, { user: admin, body: cursor ? { cursor } : {} });
    if (reply.status === 404) skip('this server runs no jobs');
    assert.equal(reply.status, 200, reply.body);
    total.scanned += reply.json.scanned;
    total.changed += reply.json.changed;
    cursor = reply.json.cursor;
  } while (cursor);
  return total;
}

test('FF-O26, FF-R2: purging removes what was deleted long ago, and nothing else', async () => {
  const user = await newUser();
  const [kept, deleted] = [await newImage(user, { tags: ['pose:purge'] }), await newImage(user, { tags: ['pose:purge'] })];
  await ok(200, 'DELETE', `/images/${deleted}`, { user });
  await atTime('P29D', () => run('purge'));
  assert.ok(await raw(`IMG#${deleted}`, 'META'));
  await atTime('P31D', () => run('purge'));
  assert.equal(await raw(`IMG#${deleted}`, 'META'), undefined);
  assert.ok(await raw(`IMG#${kept}`, 'META'));
  assert.equal((await outbox('delete-object', ({ image_id }) => image_id === deleted)).length, 1);
  // A month on, the session of the first may have ended for good.
  const later = await newUser();
  await fails(404, 'ImageNotFound', 'POST', `/images/${deleted}/restore`, { user: later });
  assert.equal((await call('POST', '/admin/tasks/purge', { user: later, body: {} })).status, 403);
});

test('FF-O26: restoring against a purge ends one way or the other', async () => {
  for (let round = 0; round < 5; round += 1) {
    const user = await newUser();
    const id = await newImage(user, { tags: ['pose:race'] });
    await ok(200, 'DELETE', `/images/${id}`, { user });
    const [restored] = await atTime('P30D', () => Promise.all([call('POST', `/images/${id}/restore`, { user }), run('purge')]));
    const item = await raw(`IMG#${id}`, 'META');
    const row = await raw('TAG#pose:race', `IMG#${id}`);
    if (restored.status === 200) assert.ok(item && item.deleted_at === null && row);
    else assert.ok(!row && (!item || item.deleted_at !== null), JSON.stringify(restored.json));
  }
});

test('the watchdog fails jobs nobody answers for, and gives the credits back', async () => {
  const user = await newUser({ credits: 1 });
  const job = await submit(user);
  const token = await callbackToken(user, job);
  await atTime('PT30M', () => run('job-watchdog'));
  assert.equal((await ok(200, 'GET', `/jobs/${job.job_id}`, { user })).status, 'queued');
  await atTime('PT2H', () => run('job-watchdog'));
  assert.equal((await ok(200, 'GET', `/jobs/${job.job_id}`, { user })).status, 'failed');
  assert.equal(await credits(user), 1);
  assert.equal((await fal(token, result())).json.applied, false);
  assert.equal(await credits(user), 1);
});

test('FF-R11: the address of a deleted account is free after the purge', async () => {
  const user = await newUser();
  await ok(200, 'DELETE', '/users/me', { user });
  const signUp = () => call('POST', '/users', { body: { email: user.email, password: kPassword } });
  assert.equal((await signUp()).status, 409);
  await atTime('P31D', async () => {
    await run('purge-users');
    assert.equal((await signUp()).status, 201);
  });
  assert.equal(await raw(`USER#${user.id}`, 'PROFILE'), undefined);
});
