// Finding images: FF-O20, FF-A14, FF-A15, FF-A19.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite } from './figureforge_fixture.js';
import { admin, all, atOnce, atTime, dynamodb, fails, finish, flag, newImage, newUser, ok, submit } from './figureforge_fixture.js';

const test = suite('search');
const word = () => randomUUID().slice(0, 8);
const ids = async (path, options) => (await all(path, options)).map(({ image_id }) => image_id);

// Many images that everybody sees, with their rows, as the operations would write them.
async function plant(user, n, tags) {
  const made = [];
  for (let i = 0; i < n; i += 1) {
    const id = `0195${String(i).padStart(4, '0')}-0000-7000-8000-${randomUUID().slice(24)}`;
    made.push(id);
    const meta = {
      pk: { S: `IMG#${id}` }, sk: { S: 'META' }, imagesByUser_pk: { S: `USER#${user.id}` }, publicFeed_pk: { S: 'FEED#202001' },
      user_id: { S: user.id }, tags: { L: tags.map((tag) => ({ S: tag })) }, cost_cents: { N: '0' }, favorited_count: { N: '0' }, report_count: { N: '0' },
      public: { BOOL: true }, private_gallery_ids: { L: [] }, flag_status: { S: 'clean' }, s3_key: { S: `users/${user.id}/2020/01/01/${id}.jpg` },
      url: { S: `https://cdn.figureforge.example/users/${user.id}/2020/01/01/${id}.jpg` },
      version: { N: '1' }, created_at: { N: '1577836800' }, deleted_at: { NULL: true },
    };
    const rows = tags.map((tag) => ({
      pk: { S: `TAG#${tag}` }, sk: { S: `IMG#${id}` }, tagsByName_pk: { S: 'TAGS' }, tagsByName_sk: { S: `${tag}#${id}` },
      created_at: { N: '1577836800' }, public: { BOOL: true }, flag_status: { S: 'clean' }, deleted_at: { NULL: true },
    }));
    await Promise.all([meta, ...rows].map((Item) => dynamodb('PutItem', { Item })));
  }
  return made;
}

test('FF-O20, FF-A14: of all that share a tag, a stranger finds what is clean and public', async () => {
  const user = await newUser();
  const tag = `pose:${word()}`;
  const shown = await newImage(user, { tags: [tag], shared: true });
  await newImage(user, { tags: [tag] });
  const deleted = await newImage(user, { tags: [tag], shared: true });
  await ok(200, 'DELETE', `/images/${deleted}`, { user });
  const blocked = await newImage(user, { tags: [tag], shared: true });
  assert.equal((await flag(blocked, 'auto_blocked')).status, 200);
  for (const options of [{}, { user: await newUser() }, { user }, { user: admin }]) {
    assert.deepEqual(await ids(`/search?tags=${tag}`, options), [shown]);
    assert.deepEqual(await ids(`/patterns/ff-a14?tag=${tag}`, options), [shown]);
  }
  const [found] = await all(`/search?tags=${tag}`);
  assert.equal(found.user_id, user.id);
});

test('FF-O20, FF-A15: several tags, all or any, and whole namespaces', async () => {
  const user = await newUser();
  const space = `s${word()}`;
  const [a, b, c] = ['a', 'b', 'c'].map((value) => `${space}:${value}`);
  const other = `x${word()}:y`;
  const ab = await newImage(user, { tags: [a, b], shared: true });
  const bc = await newImage(user, { tags: [b, c, other], shared: true });
  const ca = await newImage(user, { tags: [c, a], shared: true });
  const find = (tags, mode = 'all') => ids(`/search?tags=${encodeURIComponent(tags)}&mode=${mode}`);
  assert.deepEqual(await find(`${a},${b}`), [ab]);
  assert.deepEqual(await find(`${a}, ${c.toUpperCase()}`), [ca]);
  assert.deepEqual(await find(`${a},${b},${c}`), []);
  assert.deepEqual(await find(`${a},${b}`, 'any'), [ca, bc, ab]);
  assert.deepEqual(await find(`${space}:*`), [ca, bc, ab]);
  assert.deepEqual(await find(`${space}:*,${other}`), [bc]);
  assert.deepEqual(await find(`${other},${a}`, 'any'), [ca, bc, ab]);
  const { items } = await ok(200, 'GET', `/tags?prefix=${space}:`);
  assert.deepEqual(items, [{ tag: a, count: 2 }, { tag: b, count: 2 }, { tag: c, count: 2 }]);
});

test('FF-O20: pages of a hundred from three hundred, none lost and none twice', async () => {
  const user = await newUser();
  const tags = [`p${word()}:one`, `p${word()}:two`];
  const made = await plant(user, 300, tags);
  for (const query of [`tags=${tags[0]}`, `tags=${tags.join(',')}`, `tags=${tags.join(',')}&mode=any`]) {
    const first = await ok(200, 'GET', `/search?${query}&limit=100`);
    assert.equal(first.items.length, 100);
    assert.ok(first.cursor);
    const found = await ids(`/search?${query}`);
    assert.deepEqual(found, [...made].reverse());
    await fails(400, 'InvalidCursor', 'GET', `/search?${query}&cursor=${first.cursor.slice(0, -2)}xx`);
    await fails(400, 'InvalidCursor', 'GET', `/search?tags=a:b&cursor=${first.cursor}`);
  }
  const inPattern = await ids(`/patterns/imagesByTag?tag=${tags[0]}`);
  assert.equal(new Set(inPattern).size, 300);
});

test('FF-O20: questions that are none', async () => {
  for (const query of ['', 'tags=', 'tags=x', 'tags=a:b,', 'tags=a%23b:c', 'tags=a:b&mode=some', 'tags=a:b&limit=0', 'tags=a:b&limit=101', 'tags=a:b&x=1', `tags=${Array(11).fill('a:b').join(',')}`]) {
    await fails(400, 'ValidationFailed', 'GET', `/search?${query}`);
  }
  await fails(400, 'InvalidCursor', 'GET', '/search?tags=a:b&cursor=abc');
});

test('FF-A19: what everybody may see, newest first', async () => {
  const user = await newUser();
  const made = [];
  for (const month of ['05', '06', '07']) {
    await atTime({ now: `2021-${month}-15T00:00:00Z` }, async () => made.push(await newImage(user, { shared: true })));
  }
  const hidden = await atTime({ now: '2021-06-16T00:00:00Z' }, () => newImage(user));
  const at = (text) => Date.parse(text) / 1000;
  const feed = await ids(`/feed?from=${at('2021-05-01T00:00:00Z')}&to=${at('2021-07-31T00:00:00Z')}`);
  assert.deepEqual(feed, [...made].reverse());
  assert.ok(!feed.includes(hidden));
});

test('FF-A10: images of one second are listed whole', async () => {
  const user = await newUser({ credits: 120 });
  const jobs = await atTime({ now: '2022-02-02T02:02:02Z' }, async () => {
    const submitted = await atOnce(30, () => submit(user, { count: 4 }));
    return Promise.all(submitted.map((job) => finish(user, job)));
  });
  const made = jobs.flatMap(({ image_ids }) => image_ids);
  const listed = (await all('/images', { user }, 7)).map(({ image_id }) => image_id);
  assert.equal(listed.length, 120);
  assert.deepEqual(new Set(listed), new Set(made));
});
