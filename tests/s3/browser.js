// A page in a real browser: uploads a picture by a presigned PUT, shows it by a presigned GET, and is kept from the rest.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import http from 'node:http';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { runAll, skip, suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';

const executablePath = process.env.GATELEG_CHROMIUM ?? '/usr/bin/chromium';
const Bucket = 'figureforge-prod';
const home = tempDir('gateleg-browser');
let server;
let s3;
let pages;
let browser;

const test = suite('browser', {
  async before() {
    if (!existsSync(executablePath)) return;
    server = await startServer({ s3: true });
    s3 = new S3Client({
      endpoint: server.s3Url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    await s3.send(new CreateBucketCommand({ Bucket }));
    pages = http.createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<!doctype html><title>gallery</title>'));
    await new Promise((ready) => {
      pages.listen(0, '127.0.0.1', ready);
    });
    const { chromium } = await import('playwright-core');
    browser = await chromium.launch({
      executablePath,
      timeout: 120_000,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      env: { ...process.env, HOME: home },
    });
  },
  async after() {
    await browser?.close();
    pages?.close();
    if (server) assert.equal((await server.stop()).code, 0);
    removeDir(home);
  },
});

async function openPage() {
  if (!browser) skip(`${executablePath} is not here`);
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`http://localhost:${pages.address().port}/`);
  return page;
}

test('uploads by presigned PUT and shows the picture', async () => {
  const page = await openPage();
  const Key = 'users/u-1/2025/03/01/5f0c.png';
  const put = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key, ContentType: 'image/png' }), { expiresIn: 600 });
  const sent = await page.evaluate(async (url) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 });
    canvas.getContext('2d').fillRect(0, 0, 20, 30);
    const blob = await new Promise((done) => {
      canvas.toBlob(done, 'image/png');
    });
    const reply = await fetch(url, { method: 'PUT', body: blob, headers: { 'content-type': 'image/png' } });
    return { status: reply.status, etag: reply.headers.get('etag'), text: await reply.text(), size: blob.size };
  }, put);
  assert.equal(sent.status, 200, sent.text);
  assert.match(sent.etag, /^"[0-9a-f]{32}"$/);
  const get = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: 600 });
  const shown = await page.evaluate(
    (url) =>
      new Promise((done) => {
        const image = new Image();
        image.onload = () => done([image.naturalWidth, image.naturalHeight]);
        image.onerror = () => done('not shown');
        image.src = url;
        document.body.append(image);
      }),
    get,
  );
  assert.deepEqual(shown, [40, 30]);
  await page.close();
}, { seconds: 180 });

test('does not run a page that somebody uploaded', async () => {
  const page = await openPage();
  const Key = 'public/page.html';
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: '<script>document.title = "ran"</script>', ContentType: 'text/html' }));
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: 600 });
  const download = page.waitForEvent('download');
  await page.goto(url).catch(() => {}); // a download is no page
  await download;
  assert.notEqual(await page.title(), 'ran');
  await page.close();
}, { seconds: 180 });

process.exit((await runAll({ filter: process.argv[2] })) > 0 ? 1 : 0);
