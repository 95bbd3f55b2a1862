// Lists: every access pattern with range, order and pages, and days spread over shards.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import {
  admin, call, decide, dynamodb, fails, freeze, get, ids, indexRows, list, moderator, newId, newUser, ok, other, ownDay, report, rows, submit,
} from './moderation_fixture.js';

const test = suite('lists');

// Six items of two users on a day of their own, of each status two, one of each high, a minute apart.
async function sixItems() {
  const day = await ownDay();
  const users = [newUser(), newUser()];
  const items = [];
  for (let at = 0; at < 6; at += 1) {
    await freeze(new Date(day.start + 36_000_000 + at * 60_000).toISOString());
    items.push(await submit(users[at % 2], { type: ['image', 'text'][at % 2], priority: at < 3 ? 'high' : 'normal' }));
  }
  await freeze(new Date(day.start + 40_000_000).toISOString());
  for (const at of [1, 4]) await decide('approve', items[at].moderationId);
  for (const at of [2, 5]) await decide('unapprove', items[at].moderationId, 'no');
  return { day, users, items: await Promise.all(items.map(({ moderationId }) => get(moderationId))) };
}

test('MO-A1, MO-A2, MO-A3: by status, oldest first or newest first, in a range', async () => {
  const { day, items } = await sixItems();
  for (const [status, places] of [['pending', [0, 3]], ['approved', [1, 4]], ['unapproved', [2, 5]]]) {
    const wanted = places.map((at) => items[at]);
    assert.deepEqual(await list({ status, ...day.range }), wanted);
    assert.deepEqual(await list({ status, ...day.range, order: 'desc' }), wanted.toReversed());
    assert.deepEqual(await list({ status, ...day.range }, { path: `/patterns/mo-a${places[0] + 1}` }), wanted);
    assert.deepEqual(await list({ status, from: wanted[1].submittedAt, to: day.end }), [wanted[1]]);
    assert.deepEqual(await list({ status, from: day.start, to: wanted[1].submittedAt - 1 }), [wanted[0]]);
  }
});

test('MO-A4: one user\'s items of one status', async () => {
  const { users, items, day } = await sixItems();
  assert.deepEqual(await list({ user: users[0].sub, status: 'pending' }), [items[0]]);
  assert.deepEqual(await list({ user: users[1].sub, status: 'approved' }), [items[1]]);
  assert.deepEqual(await list({ user: users[0].sub, status: 'approved', ...day.range }), [items[4]]);
  assert.deepEqual(await list({ user: users[0].sub, status: 'approved', from: day.start, to: items[4].submittedAt - 1 }), []);
  assert.deepEqual(await list({ userId: users[1].sub, status: 'pending' }, { path: '/patterns/mo-a4' }), [items[3]]);
});

test('MO-A5: everything of a day, and of several days', async () => {
  const { day, items } = await sixItems();
  assert.deepEqual(await list({ day: day.date }), items);
  assert.deepEqual(await list({ day: day.compact, order: 'desc' }), items.toReversed());
  assert.deepEqual(await list(day.range), items);
  assert.deepEqual(await list(day.range, { path: '/patterns/mo-a5', limit: 2 }), items);
  await freeze(new Date(day.end + 1).toISOString());
  const next = await submit(newUser());
  assert.deepEqual(await list({ from: day.start, to: day.end + 86_400_000 }, { limit: 3 }), [...items, next]);
  assert.deepEqual(await list({ from: items[4].submittedAt, to: next.submittedAt, order: 'desc' }), [next, items[5], items[4]]);
});

test('MO-A6, MO-A7: by priority and by type, reports among them', async () => {
  const { day, items } = await sixItems();
  assert.deepEqual(await list({ priority: 'high', ...day.range }), items.slice(0, 3));
  assert.deepEqual(await list({ priority: 'normal', ...day.range }, { path: '/patterns/mo-a6' }), items.slice(3));
  assert.deepEqual(await list({ type: 'text', ...day.range, order: 'desc' }), [items[5], items[3], items[1]]);
  const reported = await report(newUser(), newUser().sub, newId('c'));
  assert.deepEqual(await list({ type: 'report', ...day.range }, { path: '/patterns/mo-a7' }), [reported]);
});

test('MO-A9, MO-A10: a user\'s history in order, and newest first', async () => {
  const { users, items } = await sixItems();
  const mine = [items[0], items[2], items[4]];
  assert.deepEqual(await list({ user: users[0].sub }), mine);
  assert.deepEqual(await list({ userId: users[0].sub }, { path: '/patterns/mo-a9', limit: 1 }), mine);
  assert.deepEqual(await list({}, { path: `/users/${users[0].sub}/items` }), mine.toReversed());
  assert.deepEqual(await list({ userId: users[0].sub }, { path: '/patterns/mo-a10', limit: 2 }), mine.toReversed());
});

test('MO-A11: the queue has what is pending, high priority first, then the oldest', async () => {
  const { day, items } = await sixItems();
  await freeze(new Date(day.start + 50_000_000).toISOString());
  const late = await submit(newUser(), { priority: 'high' });
  const wanted = [items[0], late, items[3]];
  assert.deepEqual(await list(day.range, { path: '/queue' }), wanted);
  assert.deepEqual(await list(day.range, { path: '/patterns/mo-a11', limit: 1 }), wanted);
});

test('MO-A12: open items by their content', async () => {
  const user = newUser();
  const contentId = newId('c');
  const text = await submit(user, { contentId, type: 'text' });
  const image = await submit(user, { contentId, type: 'image' });
  await submit(user);
  assert.deepEqual(ids(await list({ content: contentId })).sort(), ids([text, image]).sort());
  await decide('approve', text.moderationId);
  assert.deepEqual(ids(await list({ contentId }, { path: '/patterns/mo-a12' })), [image.moderationId]);
});

test('MO-A13: counts of a day follow every change', async () => {
  const { day, items } = await sixItems();
  const counts = async () => {
    const { items: all } = await ok(200, 'GET', `/counts/${day.compact}`, { user: moderator });
    return Object.fromEntries(all.filter(({ n }) => n > 0).map(({ state, level, n }) => [`${state} ${level}`, n]));
  };
  const listed = async () => {
    const found = {};
    for (const { status, priority } of await list(day.range)) found[`${status} ${priority}`] = (found[`${status} ${priority}`] ?? 0) + 1;
    return found;
  };
  assert.deepEqual(await counts(), await listed());
  await decide('reverse', items[1].moderationId, 'x', other);
  await decide('reopen', items[5].moderationId);
  await ok(200, 'PUT', `/items/${items[3].moderationId}/priority`, { user: moderator, body: { priority: 'high' } });
  await report(newUser(), newUser().sub, newId('c'));
  assert.deepEqual(await counts(), await listed());
  const pattern = await ok(200, 'GET', `/patterns/mo-a13?day=${day.compact}`, { user: moderator });
  assert.equal(pattern.items.reduce((sum, { n }) => sum + n, 0), 7);
});

test('MO-A14: the history of an item', async () => {
  const { items } = await sixItems();
  const { items: events } = await ok(200, 'GET', `/patterns/mo-a14?moderationId=${items[2].moderationId}`, { user: moderator });
  assert.deepEqual(events.map(({ action, by }) => [action, by]), [['submit', items[2].userId], ['unapprove', moderator.sub]]);
  assert.equal(events[1].at, items[2].actionedAt);
  assert.ok(events.every((event) => !('itemUser' in event)));
});

test('MO-R2: status and time order correctly from twelve digits to thirteen', async () => {
  const user = newUser();
  const border = 1_000_000_000_000;
  const items = [];
  for (const at of [border - 2, border - 1, border, border + 1]) {
    await freeze(new Date(at).toISOString());
    items.push(await submit(user));
  }
  assert.deepEqual(await list({ user: user.sub, status: 'pending' }), items);
  assert.deepEqual(await list({ user: user.sub, status: 'pending', from: border - 1, to: border }), items.slice(1, 3));
  const composites = (await indexRows('GSI_UserStatusDate', { '#u': 'userId' }, '#u = :u', { ':u': { S: user.sub } })).map((row) => row['status#submittedAt']);
  assert.deepEqual(composites, ['pending#000999999999998', 'pending#000999999999999', 'pending#001000000000000', 'pending#001000000000001']);
  await decide('approve', items[1].moderationId);
  assert.deepEqual(ids(await list({ user: user.sub, status: 'pending' })), ids([items[0], items[2], items[3]]));
  assert.deepEqual(ids(await list({ user: user.sub, status: 'approved' })), ids([items[1]]));
});

test('MO-R5: indexes hold what the document lists and nothing more; lists are whole all the same', async () => {
  const { users, day } = await sixItems();
  const value = { ':v': { S: 'approved' } };
  const [byStatus] = await indexRows('GSI_StatusDate', { '#k': 'status' }, '#k = :v', value);
  assert.deepEqual(Object.keys(byStatus).sort(), ['moderationId', 'pk', 'priority', 'sk', 'status', 'submittedAt', 'type', 'userId']);
  const [byUser] = await indexRows('GSI_UserStatusDate', { '#k': 'userId' }, '#k = :v', { ':v': { S: users[0].sub } });
  assert.deepEqual(Object.keys(byUser).sort(), ['moderationId', 'pk', 'priority', 'sk', 'status#submittedAt', 'submittedAt', 'type', 'userId']);
  const [byDay] = await indexRows('GSI_AllByDate', { '#k': 'dayKey' }, '#k = :v', { ':v': { S: day.compact } });
  assert.deepEqual(Object.keys(byDay).sort(), ['dayKey', 'moderationId', 'pk', 'priority', 'sk', 'status', 'submittedAt', 'type', 'userId']);
  for (const query of [{ status: 'approved', ...day.range }, { day: day.date }, { priority: 'high', ...day.range }, { type: 'text', ...day.range }]) {
    for (const item of await list(query)) assert.ok(item.contentId, JSON.stringify(item));
  }
});

test('MO-O4: ranges that cannot be', async () => {
  const bad = (query) => fails(400, 'RangeInvalid', 'GET', `/items?${query}`, { user: moderator });
  for (const by of ['status=pending', 'priority=high', 'type=text', 'user=u', 'user=u&status=pending', 'order=asc']) {
    await bad(`${by}&from=2000&to=1000`);
    assert.equal((await call('GET', `/items?${by}&from=1000&to=1000`, { user: moderator })).status, 200);
  }
  const day = 86_400_000;
  await bad(`from=${Date.UTC(2025, 0, 1)}&to=${Date.UTC(2025, 0, 1) + 92 * day + 1}`);
  assert.deepEqual(await list({ from: Date.UTC(2030, 0, 1), to: Date.UTC(2030, 0, 1) + 92 * day }), []);
  await fails(400, 'ValidationFailed', 'GET', '/items?status=open', { user: moderator });
  await fails(400, 'ValidationFailed', 'GET', '/items?status=pending&order=up', { user: moderator });
  await fails(400, 'ValidationFailed', 'GET', '/items?day=March', { user: moderator });
  await fails(400, 'ValidationFailed', 'GET', '/items?status=pending&colour=red', { user: moderator });
});

test('MO-O4: cursors hold for their list only', async () => {
  const { day } = await sixItems();
  const page = await ok(200, 'GET', `/items?day=${day.date}&limit=2`, { user: moderator });
  const cursor = encodeURIComponent(page.cursor);
  await ok(200, 'GET', `/items?day=${day.date}&limit=4&cursor=${cursor}`, { user: moderator });
  await fails(400, 'InvalidCursor', 'GET', `/items?day=${day.date}&order=desc&cursor=${cursor}`, { user: moderator });
  await fails(400, 'InvalidCursor', 'GET', `/items?status=pending&cursor=${cursor}`, { user: moderator });
  await fails(400, 'InvalidCursor', 'GET', `/items?day=${day.date}&cursor=${cursor.slice(0, -3)}AAA`, { user: moderator });
});

const setShards = (count) => ok(200, 'PUT', '/admin/shards', { user: admin, body: { count } });

test('MO-O14: the number of shards changes at once, 1 to 8 to 4, and no item is lost', async () => {
  const day = await ownDay('01:00:00.000');
  const items = [];
  const add = async (count) => {
    const more = await Promise.all(Array.from({ length: count }, () => submit(newUser())));
    items.push(...more);
    return more;
  };
  await add(10);
  await freeze(`${day.date}T02:00:00.000Z`);
  assert.deepEqual(await setShards(8), { count: 8, from: day.start + 7_200_000 });
  await add(40);
  await freeze(`${day.date}T03:00:00.000Z`);
  await setShards(4);
  await add(20);
  const same = await setShards(4);
  assert.equal(same.count, 4);
  assert.equal((await ok(200, 'GET', '/admin/shards', { user: admin })).steps.length, 2);
  const keys = new Set();
  for (const { userId } of items) for (const { dayKey } of await rows(`moderation#${userId}`)) keys.add(dayKey);
  assert.ok(keys.has(day.compact));
  assert.ok([...keys].every((key) => /^\d{8}(#[0-7])?$/.test(key)), [...keys].join());
  assert.ok(keys.size > 5, [...keys].join());
  assert.deepEqual(ids(await list({ day: day.date }, { limit: 7 })).sort(), ids(items).sort());
  for (const { moderationId } of items.slice(5, 20)) await decide('approve', moderationId);
  assert.equal((await list({ day: day.date })).length, 70);
  for (const count of [0, 65, 1.5, 'two']) await fails(400, 'ValidationFailed', 'PUT', '/admin/shards', { user: admin, body: { count } });
  await freeze(`${day.date}T04:00:00.000Z`);
  await setShards(1);
  assert.equal((await submit(newUser())).submittedAt, day.start + 14_400_000);
  assert.equal((await list({ day: day.date })).length, 71);
}, { seconds: 120 });

test('MO-O14 MO-O4: a list that is being read goes on when the number of shards changes', async () => {
  for (const order of ['asc', 'desc']) {
    const day = await ownDay('01:00:00.000');
    await setShards(3);
    const items = [];
    for (let at = 0; at < 12; at += 1) {
      await freeze(new Date(day.start + 3_600_000 + at).toISOString());
      items.push(await submit(newUser()));
    }
    const page = (cursor) => ok(200, 'GET', `/items?${new URLSearchParams({ day: day.date, order, limit: 5, ...(cursor ? { cursor } : {}) })}`, { user: moderator });
    const first = await page();
    await freeze(`${day.date}T05:00:00.000Z`);
    await setShards(8);
    const late = await Promise.all(Array.from({ length: 8 }, () => submit(newUser())));
    const seen = [...first.items];
    for (let cursor = first.cursor; cursor; ) {
      const next = await page(cursor);
      seen.push(...next.items);
      cursor = next.cursor;
    }
    const wanted = order === 'asc' ? ids(items) : ids(items).reverse();
    // What came in meanwhile is at the end of one list, and before the beginning of the other, but for the shards read already.
    assert.deepEqual(ids(seen).filter((id) => ids(items).includes(id)), wanted, order);
    assert.equal(new Set(ids(seen)).size, seen.length);
    assert.equal(seen.length, order === 'asc' ? items.length + late.length : items.length, order);
    await freeze(`${day.date}T06:00:00.000Z`);
    await setShards(1);
  }
}, { seconds: 120 });

test('MO-R4, MO-O4: a thousand items over three days and eight shards are one sorted list, page by page', async () => {
  const day = await ownDay('00:00:00.000');
  await setShards(8);
  const items = [];
  for (let turn = 0; turn < 25; turn += 1) {
    // Some moments are shared by many items of different users.
    await freeze(new Date(day.start + 1 + Math.floor(turn / 25 * 3 * 86_400_000)).toISOString());
    items.push(...await Promise.all(Array.from({ length: 40 }, (_, at) => submit(newUser(), { priority: at % 4 ? 'normal' : 'high' }))));
  }
  const range = { from: day.start, to: day.start + 3 * 86_400_000 - 1 };
  const sortKey = ({ submittedAt, moderationId }) => `${submittedAt} ${moderationId}`;
  const same = (found, wanted) => {
    assert.equal(found.length, wanted.length);
    assert.deepEqual(found.map(sortKey).sort(), wanted.map(sortKey).sort());
  };
  const ascending = (found) => found.every(({ submittedAt }, at) => at === 0 || found[at - 1].submittedAt <= submittedAt);
  for (const limit of [100, 33]) {
    const found = await list(range, { limit });
    same(found, items);
    assert.ok(ascending(found));
  }
  const backwards = await list({ ...range, order: 'desc' });
  same(backwards, items);
  assert.ok(ascending(backwards.toReversed()));
  const high = await list({ priority: 'high', ...range });
  same(high, items.filter(({ priority }) => priority === 'high'));
  const pending = await list({ status: 'pending', ...range });
  same(pending, items);
  assert.ok(ascending(pending));
  const spread = new Set();
  for (let shard = 0; shard < 8; shard += 1) {
    const { Count } = await dynamodb('Query', {
      IndexName: 'GSI_AllByDate',
      KeyConditionExpression: 'dayKey = :d',
      ExpressionAttributeValues: { ':d': { S: `${day.compact}#${shard}` } },
      Select: 'COUNT',
    });
    if (Count > 0) spread.add(shard);
  }
  assert.equal(spread.size, 8);
  await freeze(new Date(day.start + 4 * 86_400_000).toISOString());
  await setShards(1);
}, { seconds: 400 });

test('MO-O12: the summary of a user agrees with the lists', async () => {
  const { users } = await sixItems();
  for (const { sub } of users) {
    const summary = await ok(200, 'GET', `/users/${sub}/summary`, { user: moderator });
    for (const status of ['pending', 'approved', 'unapproved']) {
      assert.equal(summary.counts[status], (await list({ user: sub, status })).length);
    }
    assert.equal(summary.strikes, summary.counts.unapproved);
  }
  const stranger = newUser();
  assert.deepEqual(await ok(200, 'GET', `/users/${stranger.sub}/summary`, { user: stranger }), {
    userId: stranger.sub, counts: { pending: 0, approved: 0, unapproved: 0 }, strikes: 0,
  });
  await fails(403, 'Forbidden', 'GET', `/users/${users[0].sub}/summary`, { user: stranger });
});
