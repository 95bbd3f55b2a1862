// Images: FF-O13 to FF-O19, FF-O25, and who sees them.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isRemote } from '../lib/system.js';
import { suite } from './figureforge_fixture.js';
import {
  admin, all, atOnce, atTime, call, dynamodb, fails, flag, moderator, newImage, newUser, ok, raw, service, statuses, storage, tagRowsOf,
} from './figureforge_fixture.js';

const test = suite('images');
const get = (id, user) => call('GET', `/images/${id}`, { user });
const setTags = (user, id, tags, headers) => call('PUT', `/images/${id}/tags`, { user, body: { tags }, headers });
const share = (user, id, shared) => call('PUT', `/images/${id}/visibility`, { user, body: { public: shared } });
const newTag = (namespace = 'pose') => `${namespace}:${randomUUID().slice(0, 8)}`;
const setFlagRaw = (id, flag_status) =>
  dynamodb('UpdateItem', {
    Key: { pk: { S: `IMG#${id}` }, sk: { S: 'META' } },
    UpdateExpression: 'SET flag_status = :f',
    ExpressionAttributeValues: { ':f': { S: flag_status } },
  });

test('FF-O13, FF-A9, FF-R8: an image and its key', async () => {
  const user = await newUser();
  const id = await newImage(user, { tags: ['pose:standing'] });
  const image = (await get(id, user)).json;
  const date = new Date(image.created_at * 1000).toISOString().slice(0, 10).replaceAll('-', '/');
  assert.equal(image.s3_key, `users/${user.id}/${date}/${id}.jpg`);
  assert.equal(image.image_id, id);
  assert.equal(image.favorited_count, 0);
  assert.equal(image.deleted_at, null);
  assert.deepEqual(image.private_gallery_ids, []);
  assert.equal(image.url, 'https://provider.example/0.png');
  for (const name of ['pk', 'sk', 'imagesByUser_pk', 'source_url']) assert.ok(!(name in image), name);
  for (const bad of [randomUUID(), 'a%23b', 'x'.repeat(3000), '%00']) {
    const reply = await get(bad, user);
    assert.ok([400, 404].includes(reply.status), `${bad}: ${reply.status}`);
  }
});

test('FF-R10: a shared image has the address of the CDN, a private one never', async () => {
  const user = await newUser();
  const id = await newImage(user, { shared: true });
  await dynamodb('UpdateItem', { Key: { pk: { S: `IMG#${id}` }, sk: { S: 'META' } }, UpdateExpression: 'REMOVE source_url' });
  await share(user, id, false);
  assert.equal((await raw(`IMG#${id}`, 'META')).url, undefined);
  assert.ok(!(await all('/images', { user }))[0].url);
  await share(user, id, true);
  const image = (await get(id)).json;
  assert.equal(image.url, `https://cdn.figureforge.example/${image.s3_key}`);
});

test('FF-A10: images of a user, newest first, in a range of time', async () => {
  const user = await newUser();
  const made = [];
  for (const day of ['01', '02', '03']) {
    await atTime({ now: `2025-03-${day}T12:00:00Z` }, async () => made.push(await newImage(user, { shared: day !== '02' })));
  }
  const ids = async (path, as) => (await all(path, { user: as })).map(({ image_id }) => image_id);
  assert.deepEqual(await ids('/images', user), [made[2], made[1], made[0]]);
  const at = (text) => Date.parse(text) / 1000;
  assert.deepEqual(await ids(`/images?from=${at('2025-03-02T00:00:00Z')}&to=${at('2025-03-02T23:59:59Z')}`, user), [made[1]]);
  assert.deepEqual(await ids(`/users/${user.id}/images`), [made[2], made[0]]);
  assert.deepEqual(await ids(`/patterns/imagesByUser?user_id=${user.id}`, await newUser()), [made[2], made[0]]);
  assert.equal((await get(made[0])).json.created_at, at('2025-03-01T12:00:00Z'));
  assert.match((await get(made[0])).json.s3_key, /\/2025\/03\/01\//);
});

test('FF-R17: moments are whole seconds, and nobody sets them', async () => {
  const user = await newUser();
  const id = await newImage(user);
  for (const from of ['2025-03-01', '1740824430.5', '1740824430400', 'x']) {
    await fails(400, 'ValidationFailed', 'GET', `/images?from=${from}`, { user });
  }
  for (const name of ['created_at', 'deleted_at', 'favorited_count', 'flag_status', 'user_id']) {
    await fails(400, 'UnknownField', 'PUT', `/images/${id}/tags`, { user, body: { tags: [], [name]: 1 } });
  }
  for (const at of [1740824430, 1740824430400, '2025-03-01T10:20:30Z']) {
    await fails(400, 'UnknownField', 'POST', '/images/uploads', { user, body: { content_type: 'image/png', created_at: at } });
    await fails(400, 'UnknownField', 'PATCH', '/users/me', { user, body: { created_at: at } });
  }
  const { created_at } = await raw(`IMG#${id}`, 'META');
  assert.ok(Number.isInteger(created_at) && created_at < 1e11);
  await atTime('P3D', () => ok(200, 'PUT', `/images/${id}/tags`, { user, body: { tags: ['style:late'] } }));
  assert.equal((await raw(`IMG#${id}`, 'META')).created_at, created_at, 'no change moves it');
});

test('FF-R6: who sees what', async () => {
  const owner = await newUser();
  const other = await newUser();
  const id = await newImage(owner);
  for (const deleted of [false, true]) {
    if (deleted) await ok(200, 'DELETE', `/images/${id}`, { user: owner });
    for (const shared of [false, true]) {
      await dynamodb('UpdateItem', {
        Key: { pk: { S: `IMG#${id}` }, sk: { S: 'META' } },
        UpdateExpression: 'SET #p = :p',
        ExpressionAttributeNames: { '#p': 'public' },
        ExpressionAttributeValues: { ':p': { BOOL: shared } },
      });
      for (const status of ['clean', 'auto_blocked', 'human_pending', 'removed']) {
        await setFlagRaw(id, status);
        const label = JSON.stringify({ deleted, shared, status });
        const open = !deleted && shared && status === 'clean';
        for (const stranger of [undefined, other]) {
          assert.equal((await get(id, stranger)).status, open ? 200 : 404, label);
        }
        const own = await get(id, owner);
        assert.equal(own.status, deleted ? 404 : 200, label);
        if (!deleted) assert.equal('notice' in own.json, status === 'removed', label);
        if (!deleted && status === 'removed') assert.ok(!('prompt_json' in own.json) && !('url' in own.json));
        assert.equal((await get(id, moderator)).status, deleted ? 404 : 200, label);
        assert.equal((await get(`${id}?include=deleted`, admin)).status, 200, label);
        assert.equal((await get(`${id}?include=deleted`, owner)).status, 403, label);
        const link = await call('POST', `/images/${id}/signed-url`, { user: other, body: {} });
        assert.equal(link.status === 404, !open, label);
      }
    }
  }
});

test('FF-R20: the prompt of a private image is its owner\'s', async () => {
  const user = await newUser();
  const id = await newImage(user);
  assert.equal((await get(id, user)).json.prompt_json.prompt, 'a fox');
  assert.equal((await get(id, moderator)).json.prompt_json, undefined);
  await share(user, id, true);
  assert.equal((await get(id)).json.prompt_json.prompt, 'a fox');
});

test('FF-O15, FF-R4, FF-R5: tags have one form, and rows follow them', async () => {
  const user = await newUser();
  const [a, b, c] = [newTag(), newTag(), newTag()];
  const id = await newImage(user, { tags: [a, b] });
  const { json } = await setTags(user, id, [` ${b.toUpperCase()} `, c, c]);
  assert.deepEqual(json.tags, [b, c]);
  assert.deepEqual(await tagRowsOf(id, [a, b, c]), [b, c]);
  for (const tags of [['x'], ['a:b:c'], ['a: b'], ['a#b:c'], [`${'x'.repeat(33)}:a`], [`a:${'x'.repeat(49)}`], [7], 'a:b', Array.from({ length: 31 }, (_, i) => `t:${i}`)]) {
    assert.equal((await setTags(user, id, tags)).status, 400, JSON.stringify(tags));
  }
  assert.equal((await setTags(user, id, Array.from({ length: 30 }, (_, i) => `t:${i}`))).status, 200);
  assert.equal((await setTags(await newUser(), id, [a])).status, 404);
  assert.equal((await setTags(user, id, [])).status, 200);
  assert.deepEqual(await tagRowsOf(id, [b, c, 't:1']), []);
});

test('FF-O15: two editors, one of them late', async () => {
  const user = await newUser();
  const [a, b] = [newTag(), newTag()];
  const id = await newImage(user);
  const { version } = (await get(id, user)).json;
  const replies = await atOnce(2, (i) => setTags(user, id, [[a], [b]][i], { 'if-match': `"${version}"` }));
  assert.deepEqual(statuses(replies), [200, 412]);
  const { tags } = (await get(id, user)).json;
  assert.deepEqual(await tagRowsOf(id, [a, b]), tags);
  await atOnce(8, (i) => setTags(user, id, i % 2 ? [a] : [a, b]));
  assert.deepEqual((await tagRowsOf(id, [a, b])).sort(), [...(await get(id, user)).json.tags].sort());
});

test('FF-O16: what is taken back is gone at once', async () => {
  const user = await newUser();
  const tag = newTag();
  const id = await newImage(user, { tags: [tag], shared: true });
  const found = async () => (await all(`/search?tags=${tag}`)).length;
  assert.equal(await found(), 1);
  assert.equal((await raw(`TAG#${tag}`, `IMG#${id}`)).public, true);
  assert.equal((await share(user, id, false)).json.public, false);
  assert.equal(await found(), 0);
  assert.equal((await get(id)).status, 404);
  assert.equal((await raw(`TAG#${tag}`, `IMG#${id}`)).public, false);
  assert.equal((await share(await newUser(), id, true)).status, 404);
  assert.equal((await flag(id, 'auto_blocked')).status, 200);
  assert.equal((await share(user, id, true)).json.error.code, 'ImageBlocked');
  assert.equal((await share(user, id, false)).status, 200);
});

test('FF-O17, FF-R1, FF-R3: deleting and restoring', async () => {
  const user = await newUser();
  const tag = newTag();
  const id = await newImage(user, { tags: [tag], shared: true });
  await fails(409, 'NotDeleted', 'POST', `/images/${id}/restore`, { user });
  await fails(404, 'ImageNotFound', 'DELETE', `/images/${id}`, { user: await newUser() });
  assert.equal((await ok(200, 'DELETE', `/images/${id}`, { user })).changed, true);
  assert.equal((await ok(200, 'DELETE', `/images/${id}`, { user })).changed, false);
  assert.equal((await get(id, user)).status, 404);
  assert.equal((await all('/images', { user })).length, 0);
  assert.equal((await all(`/search?tags=${tag}`)).length, 0);
  assert.equal((await all(`/users/${user.id}/images`)).length, 0);
  assert.equal(await raw(`TAG#${tag}`, `IMG#${id}`), undefined);
  assert.ok((await raw(`IMG#${id}`, 'META')).deleted_at > 0);
  assert.ok((await get(`${id}?include=deleted`, admin)).json.deleted_at > 0);
  assert.equal((await all(`/admin/users/${user.id}/images`, { user: admin })).length, 1);
  await fails(403, 'Forbidden', 'GET', `/admin/users/${user.id}/images`, { user });
  assert.equal((await setTags(user, id, [])).status, 404);
  assert.equal((await ok(200, 'POST', `/images/${id}/restore`, { user })).deleted_at, null);
  assert.deepEqual(await tagRowsOf(id, [tag]), [tag]);
  assert.equal((await all(`/search?tags=${tag}`)).length, 1);
});

test('FF-R2: restoring is possible for thirty days', async () => {
  const user = await newUser();
  const id = await newImage(user);
  await ok(200, 'DELETE', `/images/${id}`, { user });
  await atTime('P29D', () => ok(200, 'POST', `/images/${id}/restore`, { user }));
  await ok(200, 'DELETE', `/images/${id}`, { user });
  await atTime('P31D', () => fails(410, 'RestoreWindowOver', 'POST', `/images/${id}/restore`, { user }));
});

test('FF-O17: deleting against an edit of the tags leaves no rows', async () => {
  for (let round = 0; round < 15; round += 1) {
    const user = await newUser();
    const tags = [newTag(), newTag(), newTag()];
    const id = await newImage(user, { tags: [tags[0]], shared: true });
    await Promise.all([call('DELETE', `/images/${id}`, { user }), setTags(user, id, tags.slice(1))]);
    assert.deepEqual(await tagRowsOf(id, tags), []);
    const { tags: kept } = await raw(`IMG#${id}`, 'META');
    await ok(200, 'POST', `/images/${id}/restore`, { user });
    assert.deepEqual(await tagRowsOf(id, tags), kept);
  }
});

test('FF-O18, FF-R14, FF-A20: favourites are counted once a user', async () => {
  const owner = await newUser();
  const id = await newImage(owner, { shared: true });
  const fans = await atOnce(10, () => newUser());
  const like = (user) => call('PUT', `/images/${id}/favorite`, { user });
  const unlike = (user) => call('DELETE', `/images/${id}/favorite`, { user });
  const replies = await atOnce(100, () => like(fans[0]));
  assert.deepEqual([...new Set(statuses(replies))], [200]);
  assert.equal((await get(id)).json.favorited_count, 1);
  await Promise.all(fans.map(like));
  assert.equal((await get(id)).json.favorited_count, 10);
  assert.equal((await all('/favorites', { user: fans[3] }))[0].image_id, id);
  await atOnce(20, () => unlike(fans[0]));
  assert.equal((await get(id)).json.favorited_count, 9);
  await Promise.all(fans.flatMap((fan) => [like(fan), unlike(fan)]));
  const edges = (await Promise.all(fans.map((fan) => raw(`USER#${fan.id}`, `FAV#${id}`)))).filter(Boolean).length;
  assert.equal((await get(id)).json.favorited_count, edges);
  await share(owner, id, false);
  assert.equal((await like(await newUser())).status, 404);
  assert.equal((await like(owner)).status, 200);
  assert.equal((await all('/favorites', { user: fans[3] })).length, 0);
  assert.equal((await call('PUT', `/images/${randomUUID()}/favorite`, { user: owner })).status, 404);
});

test('FF-O19, FF-A20: galleries and what is in them', async () => {
  const user = await newUser();
  const other = await newUser();
  const { gallery_id } = await ok(201, 'POST', '/galleries', { user, body: { title: ' Foxes ' } });
  const second = (await ok(201, 'POST', '/galleries', { user, body: { title: 'More' } })).gallery_id;
  const id = await newImage(user);
  const put = (gallery, image, as = user) => call('PUT', `/galleries/${gallery}/images/${image}`, { user: as });
  const replies = await atOnce(10, () => put(gallery_id, id));
  assert.deepEqual(statuses(replies), [200, ...Array(9).fill(409)]);
  assert.equal(replies.find(({ status }) => status === 409).json.error.code, 'AlreadyInGallery');
  await put(second, id);
  assert.deepEqual((await get(id, user)).json.private_gallery_ids, [gallery_id, second]);
  assert.deepEqual((await all(`/galleries/${gallery_id}/images`, { user })).map(({ image_id }) => image_id), [id]);
  assert.equal((await all(`/galleries/${gallery_id}/images`, { user: other })).length, 0);
  await fails(404, 'GalleryNotFound', 'GET', `/galleries/${gallery_id}`, { user: other });
  assert.equal((await put(gallery_id, id, other)).status, 404);
  assert.equal((await put(gallery_id, await newImage(other))).json.error.code, 'ImageNotFound');
  assert.equal((await ok(200, 'PATCH', `/galleries/${gallery_id}`, { user, body: { title: 'Foxes 2' } })).title, 'Foxes 2');
  await fails(404, 'GalleryNotFound', 'PATCH', `/galleries/${gallery_id}`, { user: other, body: { title: 'x' } });
  await fails(400, 'ValidationFailed', 'POST', '/galleries', { user, body: { title: '' } });
  const removals = await atOnce(5, () => call('DELETE', `/galleries/${gallery_id}/images/${id}`, { user }));
  assert.deepEqual(statuses(removals), [200, 404, 404, 404, 404]);
  assert.deepEqual((await get(id, user)).json.private_gallery_ids, [second]);
});

test('FF-O19: a gallery is deleted with its edges, also while things are added', async () => {
  const user = await newUser();
  const { gallery_id } = await ok(201, 'POST', '/galleries', { user, body: { title: 'Short' } });
  const images = await atOnce(8, () => newImage(user));
  const put = (image) => call('PUT', `/galleries/${gallery_id}/images/${image}`, { user });
  await Promise.all(images.slice(0, 4).map(put));
  const late = Promise.all(images.slice(4).map(put));
  await ok(200, 'DELETE', `/galleries/${gallery_id}`, { user });
  await late;
  for (const image of images) {
    assert.deepEqual((await get(image, user)).json.private_gallery_ids, [], image);
    assert.equal(await raw(`GALLERY#${gallery_id}`, `IMG#${image}`), undefined);
  }
  await fails(404, 'GalleryNotFound', 'GET', `/galleries/${gallery_id}`, { user });
  await fails(404, 'GalleryNotFound', 'DELETE', `/galleries/${gallery_id}`, { user });
  assert.equal((await all('/galleries', { user })).length, 0);
});

test('FF-O25, FF-R9: how long a link may live', async () => {
  const user = await newUser();
  const id = await newImage(user);
  const link = (ttl, as = user) => call('POST', `/images/${id}/signed-url`, { user: as, body: ttl === undefined ? {} : { ttl } });
  for (const ttl of [0, -1, 604801]) {
    const reply = await link(ttl);
    assert.equal(reply.status, 400);
    assert.equal(reply.json.error.code, 'TtlOutOfRange');
  }
  assert.equal((await link(600, await newUser())).status, 404);
  const reply = await link();
  if (reply.status === 503) {
    assert.equal(reply.json.error.code, 'ProviderNotConfigured');
    return;
  }
  assert.equal(reply.status, 200, reply.body);
  await atTime({ now: '2026-01-01T00:00:00Z' }, async () => {
    assert.equal(Date.parse((await link()).json.expiresAt), Date.parse('2026-01-01T00:10:00Z'));
    assert.equal(Date.parse((await link(604800)).json.expiresAt), Date.parse('2026-01-08T00:00:00Z'));
  });
});

test('FF-O14: what is uploaded must be an image of a fair size', async () => {
  const user = await newUser();
  const start = (body, as = user) => call('POST', '/images/uploads', { user: as, body });
  assert.equal((await start({ content_type: 'text/plain', size: 10 })).json.error.code, 'UnsupportedMediaType');
  assert.equal((await start({ content_type: 'image/svg+xml', size: 10 })).status, 415);
  assert.equal((await start({ content_type: 'image/jpeg', size: 26214401 })).json.error.code, 'PayloadTooLarge');
  assert.equal((await call('POST', '/images/uploads', { body: { content_type: 'image/jpeg' } })).status, 401);
  await fails(404, 'UploadNotFound', 'POST', '/images', { user, body: { image_id: randomUUID() } });
  const started = await start({ content_type: 'image/jpeg', size: 10 });
  if (started.status === 503) return;
  assert.equal(started.status, 201, started.body);
  await fails(409, 'ObjectMissing', 'POST', '/images', { user, body: { image_id: started.json.image_id } });
  await fails(404, 'UploadNotFound', 'POST', '/images', { user: await newUser(), body: { image_id: started.json.image_id } });
});

// The smallest PNG there is.
const kPng = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

test('FF-O14 FF-O25 FF-R8 FF-R9: an upload by its address, a link that ends, and no text that says it is a picture', async () => {
  const user = await newUser();
  const upload = async (content_type, bytes) => {
    const { image_id, url, uploadUrl, upload_url } = await ok(201, 'POST', '/images/uploads', { user, body: { content_type, size: bytes.length } });
    const put = await fetch(url ?? uploadUrl ?? upload_url, { method: 'PUT', headers: { 'content-type': content_type }, body: bytes });
    assert.equal(put.status, 200, await put.text());
    return image_id;
  };
  const disguised = await upload('image/png', Buffer.from('<script>alert(1)</script> and more'));
  await fails(415, 'UnsupportedMediaType', 'POST', '/images', { user, body: { image_id: disguised } });
  const id = await upload('image/png', kPng);
  await ok(201, 'POST', '/images', { user, body: { image_id: id } });
  const { url } = await ok(200, 'POST', `/images/${id}/signed-url`, { user, body: {} });
  assert.match(url, new RegExp(`/figureforge-prod/users/${user.id ?? user.user_id}/\\d{4}/\\d{2}/\\d{2}/${id}`));
  const shown = await fetch(url);
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), kPng);
  // A store that takes any keys cannot tell a bent signature.
  if (!isRemote) assert.equal((await fetch(url.replace(/Signature=./, (text) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')))).status, 403);
  await atTime('PT500S', async () => assert.equal((await fetch(url)).status, 200));
  await atTime('PT660S', async () => assert.equal((await fetch(url)).status, 403));
});

test('FF-O14 WH-13: the object store says that the bytes are there, and the owner says the rest later', async () => {
  const user = await newUser();
  const begun = await ok(201, 'POST', '/images/uploads', { user, body: { content_type: 'image/png', size: kPng.length } });
  const told = async (...keys) => (await storage(keys)).json.applied;
  assert.equal(await told(begun.s3_key), false, 'nothing was uploaded');
  const send = (to, body) => fetch(to, { method: 'PUT', headers: { 'content-type': 'image/png' }, body });
  assert.equal((await send(begun.uploadUrl, kPng)).status, 200);
  assert.equal(await told(`${begun.s3_key}x`, 'users/somebody/else.jpg', 'a#b/c#d', ''), false);
  await fails(400, 'SignatureInvalid', 'POST', '/webhooks/storage', { body: '{}' });
  assert.equal((await storage([begun.s3_key], { secret: 'another' })).json.error.code, 'SignatureInvalid');
  assert.equal((await get(begun.image_id, user)).status, 404);
  const replies = await Promise.all(Array.from({ length: 4 }, () => told(begun.s3_key)));
  assert.deepEqual(replies.filter(Boolean), [true]);
  const image = (await get(begun.image_id, user)).json;
  assert.deepEqual([image.public, image.tags, image.provider], [false, [], 'upload']);
  assert.equal(image.unfinished, undefined);
  // Once, and by the owner alone.
  const tag = newTag();
  const finish = (as) => call('POST', '/images', { user: as, body: { image_id: begun.image_id, tags: [tag], public: true } });
  assert.equal((await finish(await newUser())).json.error.code, 'UploadNotFound');
  const finished = await finish(user);
  assert.equal(finished.status, 201, finished.body);
  assert.deepEqual([finished.json.public, finished.json.tags], [true, [tag]]);
  assert.equal((await finish(user)).json.error.code, 'UploadNotFound');
  assert.equal((await tagRowsOf(begun.image_id, [tag])).length, 1);
  // Text is no picture, whoever tells of it.
  const disguised = await ok(201, 'POST', '/images/uploads', { user, body: { content_type: 'image/png', size: 20 } });
  assert.equal((await send(disguised.uploadUrl, Buffer.from('<b>no picture</b>'))).status, 200);
  assert.equal(await told(disguised.s3_key), false);
  assert.equal((await get(disguised.image_id, user)).status, 404);
});

test('roles of a token count, those of a service do not open images', async () => {
  const id = await newImage(await newUser());
  assert.equal((await get(id, service)).status, 404);
});
