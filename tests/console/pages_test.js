// Every page with demo data: what a person sees, nothing on the console, no request elsewhere, no obstacle that axe knows.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { Console, dynamodbOf, look } from './harness.js';

const kSeconds = 400;
const site = new Console();

const test = suite('pages', {
  before: () => site.start(),
  after: () => site.stop(),
});

let page;

test('asks those without a session to open the link, which works once', async () => {
  site.need();
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 860 } });
  const stranger = await site.page({ context, expected: [/status of 40\d/] });
  stranger.setDefaultTimeout(120_000);
  await stranger.goto(`${site.origin}/`);
  await stranger.getByRole('heading', { name: 'Open the console' }).waitFor();
  await look(stranger, 'log-in');
  await stranger.getByLabel('Email').fill('ann@example.com');
  await stranger.getByLabel('Password').fill('not this one');
  await stranger.getByRole('button', { name: 'Sign in' }).click();
  await stranger.getByRole('alert').waitFor();
  assert.deepEqual(stranger.problems, []);

  const link = await site.loginLink();
  page = await site.enter();
  assert.equal(new URL(page.url()).pathname, '/');
  await stranger.goto(link);
  assert.match(await stranger.locator('body').innerText(), /gateleg console/);
  await context.close();
}, { seconds: kSeconds });

test('takes an administrator of a system with their own password, and nobody else', async () => {
  site.need();
  const dynamodb = (operation, request) => dynamodbOf(site, operation, request);
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 860 } });
  const person = await site.page({ context, expected: [/status of 40\d/] });
  person.setDefaultTimeout(120_000);
  await person.goto(`${site.origin}/#/tables`);
  const signIn = async () => {
    await person.getByLabel('Email').fill('cleo@example.com');
    await person.getByLabel('Password').fill('gallery demo');
    await person.keyboard.press('Enter');
  };
  await signIn();
  await person.getByRole('alert').getByText('Only accounts with the role admin').waitFor();
  const { Items } = await dynamodb('Scan', { TableName: 'gallery', FilterExpression: 'EntityType = :t AND email = :e', ExpressionAttributeValues: { ':t': { S: 'User' }, ':e': { S: 'cleo@example.com' } } });
  const [{ PK, SK }] = Items;
  const become = (role) => dynamodb('UpdateItem', { TableName: 'gallery', Key: { PK, SK }, UpdateExpression: 'SET #r = :r', ExpressionAttributeNames: { '#r': 'role' }, ExpressionAttributeValues: { ':r': { S: role } } });
  await become('admin');
  await signIn();
  await person.getByRole('heading', { name: 'Tables', level: 1 }).waitFor(); // where they wanted to go
  await person.getByText('signed in as cleo@example.com').waitFor();
  await person.reload();
  await person.getByRole('link', { name: 'gallery', exact: true }).waitFor();
  assert.deepEqual(person.problems, []);
  await become('user');
  await context.close();
}, { seconds: kSeconds });

// Address, name of the pictures, and what must be seen.
const pages = [
  ['/', 'home', ['Ready', 'AWS_ENDPOINT_URL_DYNAMODB', 'moderation', 'Last errors']],
  ['/tables', 'tables', ['gg_core', 'active', 'figureforge']],
  ['/tables/gallery', 'table', ['GSI8', 'isPublic-createdAt-index', 'CreateTable', 'AlbumTag']],
  ['/items/moderation?mode=query&index=GSI_StatusDate&pk=pending', 'items', ['8 items', 'moderation#ann', 'RCU']],
  ['/collections/gg_core', 'collections', ['USER#', 'LedgerEntry', 'FounderPass']],
  ['/collections/moderation?pattern=byStatus&p.status=pending', 'collections-pattern', [/byStatus · 8 · 0.5 RCU/, 'Not in this index', /absent/]],
  ['/stream/moderation', 'stream-off', ['moderation has no stream', 'StreamViewType', 'Enable the stream']],
  ['/patterns/moderation/byStatus?p.status=pending', 'patterns', ['MO-A1', 'GSI_StatusDate', 'role(moderator, admin)']],
  ['/model/gallery', 'model-diagram', ['AlbumTag', 'ALBUM_TAG#{normalizedTag}']],
  ['/model/gallery?tab=coverage', 'model-coverage', ['isPublic-createdAt-index', 'Notification']],
  ['/api?system=moderation&find=queue', 'api', ['/v1/moderation/queue', 'Try it', 'curl']],
  ['/metrics', 'metrics', ['Requests a second', 'Time of a request', 'By operation']],
  ['/requests?live=off&own=1', 'requests', ['console.session', /\d+ (ms|µs)/]],
  ['/objects', 'objects', ['Objects']],
  ['/admin', 'admin', ['Outbox', 'i2v-watchdog', 'Any key may call', 'No backups yet']],
  ['/systems/moderation', 'moderation', ['film-regatta', 'Approve', 'high priority', 'History']],
  ['/systems/credits/cleo', 'credits', ['balance = lots = ledger', 'admin grant', 'JOURNEYMAN']],
  ['/systems/jobs', 'jobs', ['A fox in the snow', 'A lighthouse at dusk']],
  ['/systems/orders', 'orders', ['video-100', '8.00 USD', 'initiated']],
  ['/systems/users', 'users', ['ann@example.com', 'cleo']],
  ['/systems/stories?story=' + encodeURIComponent('USER#ann'), 'stories', ['Stories']],
];

for (const [path, name, seen] of pages) {
  test(`shows ${path}`, async () => {
    site.need();
    page ??= await site.enter();
    await site.go(page, path);
    for (const text of seen) await page.locator('main').getByText(text).first().waitFor();
    await look(page, name);
    assert.deepEqual(page.problems, []);
  }, { seconds: kSeconds });
}

test('shows the editor of a model with its findings', async () => {
  site.need();
  await site.go(page, '/model/stories?tab=yaml');
  const editor = page.locator('.cm-content');
  await editor.waitFor();
  await page.getByText(/no findings|finding/).first().waitFor();
  await look(page, 'model-yaml');
  await editor.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('nonsense: 1\n');
  await page.getByText('changed here, not saved').waitFor();
  await page.getByRole('region', { name: 'Findings' }).getByText('error').first().waitFor();
  await page.getByRole('button', { name: 'What would change?' }).waitFor();
  assert.deepEqual(page.problems, []);
}, { seconds: kSeconds });

test('says what is wrong with an address', async () => {
  site.need();
  await site.go(page, '/nowhere');
  await page.getByText('There is nothing at this address').waitFor();
  await site.go(page, '/items/none-such');
  await page.getByText('There is no table none-such').waitFor();
  assert.deepEqual(page.problems, []);
}, { seconds: kSeconds });
