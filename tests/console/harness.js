// A server with demo data and a browser that watches what a page does: errors on its console, failed calls, requests that
// go anywhere else. Pages are looked at in both colour schemes and at two widths.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skip } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';

const executablePath = process.env.GATELEG_CHROMIUM ?? '/usr/bin/chromium';
const kWait = 120_000;
const kShots = join(dirname(fileURLToPath(import.meta.url)), '../../build/screenshots');
const kDesktop = { width: 1280, height: 860 };
const kPhone = { width: 390, height: 844 };
const axeSource = createRequire(import.meta.url)('axe-core').source;

export class Console {
  // `server`: what this one needs otherwise.
  constructor(server = {}) {
    this.wanted = server;
  }

  async start() {
    if (!existsSync(executablePath)) return;
    this.home = tempDir('gateleg-console');
    this.server = await startServer({
      http: true,
      s3: true,
      args: ['--systems', 'all', '--demo'],
      ...this.wanted,
      env: { GATELEG_JWT_SECRET: 'a secret of the console suite, long enough', ...this.wanted.env },
    });
    this.embedded = !(await (await fetch(`${this.server.httpUrl}/`)).text()).includes('This build has no console');
    if (!this.embedded) return;
    const { chromium } = await import('playwright-core');
    this.browser = await chromium.launch({
      executablePath,
      timeout: 120_000,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      env: { ...process.env, HOME: this.home },
    });
    this.context = await this.browser.newContext({ viewport: kDesktop, colorScheme: 'light' });
    this.context.setDefaultTimeout(kWait);
    await this.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    mkdirSync(kShots, { recursive: true });
  }

  need() {
    if (!existsSync(executablePath)) skip(`${executablePath} is not here`);
    if (!this.embedded) skip('this program was built without the console');
  }

  get origin() {
    return this.server.httpUrl;
  }

  // The address printed at start; it signs in once.
  async loginLink() {
    const until = Date.now() + kWait;
    while (Date.now() < until) {
      const link = /^console: (\S+)/m.exec(this.server.output)?.[1];
      if (link) return link;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`no line that begins with "console:"\n${this.server.output}`);
  }

  // A page whose misbehaviour is an error of the test; `expected` are messages that the test provokes.
  async page({ context = this.context, expected = [] } = {}) {
    const page = await context.newPage();
    const problems = [];
    const mine = [this.server.httpUrl, this.server.s3Url].filter(Boolean).map((url) => new URL(url).origin);
    page.on('console', (message) => {
      if (message.type() === 'error' && !expected.some((pattern) => pattern.test(message.text()))) problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(`page: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (/^https?:/.test(url) && !mine.includes(new URL(url).origin)) problems.push(`outside: ${url}`);
    });
    page.problems = problems;
    return page;
  }

  // A page that is signed in by the link.
  async enter(options) {
    const page = await this.page(options);
    await page.goto(await this.loginLink());
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    return page;
  }

  async go(page, path) {
    await page.goto(`${this.origin}/#${path}`);
    await page.locator('main h1').first().waitFor();
  }

  async stop() {
    await this.browser?.close();
    if (this.server) assert.equal((await this.server.stop()).code, 0);
    if (this.home) removeDir(this.home);
  }
}

// The DynamoDB API beside the pages: what a program would see.
export async function dynamodbOf(site, operation, request) {
  const reply = await fetch(site.server.url, {
    method: 'POST',
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify(request),
  });
  const body = await reply.json();
  assert.equal(reply.status, 200, JSON.stringify(body));
  return body;
}

export const shotPath = (name) => join(kShots, `${name}.png`);

// Nothing on the page is loading any more.
export async function settled(page) {
  await page.waitForFunction(() => !document.querySelector('.skeleton'));
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
}

export async function checkAccess(page, what) {
  if (!(await page.evaluate('typeof axe !== "undefined"'))) await page.evaluate(`${axeSource};0`);
  const look = () => page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 4).map((node) => `    ${node.target.join(' ')} ${node.any[0]?.message ?? ''}`).join('\n')}`);
  });
  let found = await look();
  // What fades in is pale until it is there.
  for (let tries = 0; found.length > 0 && tries < 5; tries += 1) {
    await page.waitForTimeout(500);
    await settled(page);
    found = await look();
  }
  assert.ok(found.length === 0, `${what} cannot be used by everybody:\n${found.join('\n')}`);
}

async function shoot(page, name, kind) {
  await settled(page);
  await page.screenshot({ path: shotPath(`${name}-${kind}`) });
}

// A step of some work, such as a dialog: light on a desktop and dark on a phone, with axe on both.
export async function glance(page, name, between = async () => {}) {
  await settled(page);
  await page.evaluate(() => document.querySelector('.toasts:popover-open')?.hidePopover());
  await checkAccess(page, `${name}, light`);
  await shoot(page, name, 'desktop-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await between('dark');
  await page.setViewportSize(kPhone);
  await settled(page);
  await checkAccess(page, `${name}, dark on a phone`);
  await shoot(page, name, 'phone-dark');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 1, `${name} is ${wide} pixels wider than a phone`);
  await page.emulateMedia({ colorScheme: 'light' });
  await between('light');
  await page.setViewportSize(kDesktop);
}

// A page: pictures in light and dark, desktop and phone; axe on two that differ in both.
export const look = (page, name) => glance(page, name, (scheme) => shoot(page, name, scheme === 'dark' ? 'desktop-dark' : 'phone-light'));
