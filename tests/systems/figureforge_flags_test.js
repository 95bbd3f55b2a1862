// Feature flags: FF-O24.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from './figureforge_fixture.js';
import { admin, atOnce, fails, jwt, newUser, ok, raw } from './figureforge_fixture.js';

const test = suite('flags');
const newFlag = () => `flag.${randomUUID().slice(0, 8)}`;
const set = (name, body) => ok(200, 'PUT', `/flags/${name}`, { user: admin, body });
const get = (name, user) => ok(200, 'GET', `/flags/${name}`, { user });

test('FF-O24, FF-A16: flags are set, read, listed and deleted', async () => {
  const name = newFlag();
  const user = await newUser();
  await set(name, { enabled: true, value: { colour: 'red' }, description: 'x' });
  const item = await raw('FEATUREFLAG#global', name);
  assert.equal(item.enabled, true);
  assert.equal(item.deleted_at, null);
  assert.deepEqual((await get(name, user)).value, { colour: 'red' });
  const { items } = await ok(200, 'GET', '/flags', { user });
  assert.ok(items.some(({ flag_name, on }) => flag_name === name && on));
  assert.equal((await ok(200, 'GET', `/patterns/ff-a16`, { user })).items.length, items.length);
  await set(name, { enabled: false });
  assert.equal((await get(name, user)).enabled, false);
  await fails(403, 'Forbidden', 'PUT', `/flags/${name}`, { user, body: { enabled: true } });
  await fails(403, 'Forbidden', 'DELETE', `/flags/${name}`, { user });
  await ok(200, 'DELETE', `/flags/${name}`, { user: admin });
  await fails(404, 'FeatureFlagNotFound', 'DELETE', `/flags/${name}`, { user: admin });
  for (const bad of ['Upper', 'a%20b', 'a%23b', 'x'.repeat(65)]) {
    await fails(400, 'ValidationFailed', 'PUT', `/flags/${bad}`, { user: admin, body: { enabled: true } });
  }
  await fails(400, 'ValidationFailed', 'PUT', `/flags/${name}`, { user: admin, body: { rollout_percent: 101 } });
});

test('FF-R15: an unknown flag is off', async () => {
  const answer = await get(newFlag(), await newUser());
  assert.equal(answer.enabled, false);
  assert.equal(answer.on, false);
});

test('FF-R15, FF-O24: a share of the users has it, always the same ones', async () => {
  const name = newFlag();
  await set(name, { enabled: true, rollout_percent: 30 });
  const people = Array.from({ length: 1000 }, (_, i) => jwt(`person-${i}`, 'user'));
  const ask = async () => {
    const answers = [];
    for (let i = 0; i < people.length; i += 50) {
      answers.push(...(await atOnce(50, (j) => get(name, people[i + j]))));
    }
    return answers.map(({ enabled }) => enabled);
  };
  const first = await ask();
  const share = first.filter(Boolean).length;
  assert.ok(share > 200 && share < 400, String(share));
  await set(name, { enabled: true, rollout_percent: 60 });
  const wider = await ask();
  assert.ok(first.every((on, i) => !on || wider[i]));
  await set(name, { rollout_percent: 30 });
  assert.deepEqual(await ask(), first);
  const asked = await ok(200, 'GET', `/flags/${name}?user_id=person-3`, { user: admin });
  assert.equal(asked.on, first[3]);
  assert.equal(asked.enabled, true);
  await fails(403, 'Forbidden', 'GET', `/flags/${name}?user_id=person-3`, { user: people[0] });
});
