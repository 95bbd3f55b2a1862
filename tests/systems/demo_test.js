// Started as `./dev run` does. The example data needs nothing from outside: whoever opens a picture of it sees one.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, pictureSize } from '../lib/generator.js';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';

const test = suite('demo');

test('every picture of the example data is there, and no delivery fails', async () => {
  const folder = tempDir('gateleg-demo');
  const catalog = join(folder, 'catalog.yaml');
  const text = readFileSync(new URL('../../systems/figureforge/catalog.yaml', import.meta.url), 'utf8');
  writeFileSync(catalog, text.replace(/^cdnBase:.*$/m, 'cdnBase: ""'));
  const server = await startServer({ http: true, s3: true, args: ['--systems', 'all', '--demo', '--test-clock', '--catalog', catalog] });
  try {
    const log = () => server.log.slice(-3000);
    const request = async (method, path, { token, body } = {}) => {
      const reply = await fetch(`${server.httpUrl}/v1${path}`, {
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
        body: body && JSON.stringify(body),
      });
      assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${reply.ok ? '' : await reply.text()}`);
      return reply;
    };
    const json = async (...all) => (await request(...all)).json();
    const bytes = async (reply) => Buffer.from(await reply.arrayBuffer());
    const isPicture = (content, width, label) => {
      const [type, found, height] = pictureSize(content);
      assert.deepEqual([type, found], ['jpeg', width], label);
      assert.ok(height > 0);
    };

    const { token } = await json('POST', '/ff/sessions', { body: { email: 'ann@example.com', password: 'figureforge demo' } });
    const { items: images } = await json('GET', '/ff/images', { token });
    assert.equal(images.length, 2);
    const { items: feed } = await json('GET', '/ff/search?tags=animal:fox');
    assert.equal(feed.length, 1);
    for (const { image_id } of images) {
      const link = async () => (await json('POST', `/ff/images/${image_id}/signed-url`, { token, body: {} })).url;
      const found = await eventually(async () => {
        const reply = await fetch(await link());
        return reply.status === 200 && reply;
      }, log);
      isPicture(await bytes(found), 960, image_id);
      isPicture(await bytes(await request('GET', `/ff/images/${image_id}/content`, { token })), 960, 'where an image leads');
    }
    const shown = await eventually(async () => {
      const { url } = await json('GET', `/ff/images/${feed[0].image_id}`);
      return url.startsWith('/v1/') && url;
    }, log);
    isPicture(await bytes(await fetch(server.httpUrl + shown)), 960, 'the address of a public image');

    const { items: albums } = await json('GET', '/gallery/albums');
    assert.ok(albums.length >= 2);
    for (const album of albums) {
      assert.ok(album.coverImageUrl, album.title);
      const { items: media } = await json('GET', `/gallery/albums/${album.id}/media`);
      assert.ok(media.length >= 2, album.title);
      for (const one of media) {
        await eventually(async () => (await fetch(`${server.httpUrl}${one.url}`)).status === 200, log);
        isPicture(await bytes(await fetch(`${server.httpUrl}${one.url}`)), 960, one.originalFilename);
        await eventually(async () => pictureSize(await bytes(await fetch(`${server.httpUrl}${one.thumbnailUrls.small}`)))[1] === 160, log);
      }
      await eventually(async () => pictureSize(await bytes(await fetch(`${server.httpUrl}${album.thumbnailUrls.cover}`)))[1] === 640, log);
    }
    assert.ok(!server.log.includes('a delivery failed'), log());
  } finally {
    await server.kill();
    removeDir(folder);
  }
}, { seconds: 300 });
