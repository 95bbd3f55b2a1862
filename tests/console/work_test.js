// What people do in the console, from the first key to what is stored afterwards.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { suite } from '../lib/runner.js';
import { Console, checkAccess, dynamodbOf, glance, look, settled, shotPath } from './harness.js';

const kSeconds = 400;
const site = new Console();
let page;

const test = suite('work', {
  before: () => site.start(),
  after: () => site.stop(),
});

const dynamodb = (operation, request) => dynamodbOf(site, operation, request);

async function enter() {
  site.need();
  page ??= await site.enter({ expected: [/status of 40[03]/] });
}

const nothingWrong = () => assert.deepEqual(page.problems.splice(0), []);

test('finds a pattern with the palette, and shows the keys', async () => {
  await enter();
  await page.keyboard.press('Control+k');
  const find = page.getByRole('combobox', { name: /Find a page/ });
  await find.fill('openOfContent');
  await page.getByRole('option', { name: /openOfContent/ }).first().waitFor();
  await look(page, 'palette');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Access patterns', level: 1 }).waitFor();
  assert.match(page.url(), /#\/patterns\/moderation\/openOfContent/);
  await page.keyboard.press('Control+k');
  await find.fill('moderation#ann');
  await page.getByRole('option', { name: 'moderation#ann items of moderation' }).click();
  await page.getByRole('region', { name: 'Items' }).getByText('photo-harbour').first().waitFor();
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('approve', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  nothingWrong();
}, { seconds: kSeconds });

test('runs a pattern and tells what it cost', async () => {
  await enter();
  await site.go(page, '/patterns/moderation/byStatus?p.status=pending');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Read, returned').waitFor();
  const byPlace = page.getByRole('region', { name: 'Units by table and index' });
  await byPlace.getByText('moderation · GSI_StatusDate').waitFor();
  await page.getByLabel('Requests a second').fill('1000');
  await page.getByText('At 1,000 a second on AWS').waitFor();
  await page.getByText('A Scan of the whole table would read').waitFor();
  await page.locator('main').getByText('"photo-harbour"').first().waitFor();
  await page.getByRole('button', { name: 'boto3' }).click();
  await page.getByText('reply = client.query(').waitFor();
  await page.getByRole('button', { name: 'AWS CLI' }).click();
  await page.getByText('--index-name GSI_StatusDate').waitFor();
  await page.getByLabel('status').selectOption('unapproved');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const compared = page.getByRole('region', { name: 'Compare' });
  await compared.getByText('status=unapproved').waitFor();
  await compared.getByText(/×0\.\d/).first().waitFor();
  await look(page, 'pattern-run');
  nothingWrong();
}, { seconds: kSeconds });

// What the browser saves when `press` is done, as a file on the disk.
async function savedFile(press) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), path: await download.path() };
}

test('saves a pattern as a test that programs run', async () => {
  await enter();
  await site.go(page, '/patterns/moderation/byStatus?p.status=approved');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const { name, path } = await savedFile(() => page.getByRole('button', { name: 'Save as test' }).click());
  assert.equal(name, 'moderation-byStatus.test.sh');
  const run = (env) => spawnSync('bash', [path], { encoding: 'utf8', env: { ...process.env, AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null', ...env } });
  if (spawnSync('aws', ['--version']).status === 0) {
    const good = run({});
    assert.equal(good.status, 0, good.stdout + good.stderr);
    assert.match(good.stdout, /^ok {3}1\. Query GSI_StatusDate$/m);
    const { Items } = await dynamodb('Query', { TableName: 'moderation', IndexName: 'GSI_StatusDate', KeyConditionExpression: '#s = :s', ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues: { ':s': { S: 'approved' } } });
    const Key = { pk: Items[0].pk, sk: Items[0].sk };
    const set = (level) => dynamodb('UpdateItem', { TableName: 'moderation', Key, UpdateExpression: 'SET priority = :p', ExpressionAttributeValues: { ':p': { S: level } } });
    await set('another');
    const bad = run({});
    assert.equal(bad.status, 1, bad.stdout + bad.stderr);
    assert.match(bad.stdout, /^FAIL 1\. Query GSI_StatusDate$/m);
    await set(Items[0].priority.S);
  }
  nothingWrong();
}, { seconds: kSeconds });

test('leads from a question without a pattern to an index that answers it', async () => {
  await enter();
  await site.go(page, '/patterns/gallery');
  await page.getByRole('button', { name: 'New pattern' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Items of').selectOption('AlbumMedia');
  await dialog.getByRole('checkbox', { name: 'addedBy' }).check();
  await dialog.getByLabel('In the order of').selectOption('addedAt');
  await dialog.getByText('with keys of its own it has room there').waitFor(); // GSI3, which media in albums do not use
  await dialog.getByText('GSI3PK: "ALBUM_MEDIA#{addedBy}"').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await site.go(page, '/patterns/stories');
  await page.getByRole('button', { name: 'New pattern' }).click();
  await dialog.getByLabel('Items of').selectOption('StoryIndex');
  await dialog.getByRole('checkbox', { name: 'deleted' }).check();
  await dialog.getByLabel('In the order of').selectOption('UpdatedAt');
  await dialog.getByText('A new index').waitFor();
  await dialog.getByText('byDeleted: { key: { byDeleted_pk: S, byDeleted_sk: S } }').waitFor();
  await glance(page, 'pattern-new');
  await dialog.getByRole('button', { name: 'Dry run' }).click();
  await dialog.getByText('Would get keys', { exact: true }).waitFor();
  const write = dialog.getByRole('button', { name: /^Write the keys of \d+ items?$/ });
  await write.waitFor();
  const items = async () => (await dynamodb('Scan', { TableName: 'stories' })).Items.filter((item) => item.byDeleted_pk);
  assert.equal((await items()).length, 0);
  const wanted = Number(/\d+/.exec(await write.innerText())[0]);
  await write.click();
  await dialog.getByText('Got keys', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Create the index' }).click();
  await dialog.getByText('byDeleted is active').waitFor();
  assert.equal((await items()).length, wanted);
  await glance(page, 'pattern-made');
  const { name, path } = await savedFile(() => dialog.getByRole('button', { name: 'Save the model' }).click());
  assert.equal(name, 'stories.yaml');
  const checked = spawnSync(process.env.GATELEG_BIN, ['check', path], { encoding: 'utf8' });
  assert.ok(!/error/.test(checked.stdout), checked.stdout);
  const found = await dynamodb('Query', { TableName: 'stories', IndexName: 'byDeleted', KeyConditionExpression: 'byDeleted_pk = :k', ExpressionAttributeValues: { ':k': (await items())[0].byDeleted_pk } });
  assert.ok(found.Count > 0);
  await dialog.getByRole('link', { name: /See byDeleted/ }).click();
  await page.locator('.partition', { hasText: 'STORY_INDEX#' }).first().waitFor();
  nothingWrong();
}, { seconds: kSeconds });

test('edits an item through the request that it becomes, and loses to a newer change', async () => {
  await enter();
  const TableName = 'moderation';
  const Key = { pk: { S: 'a-note' }, sk: { S: 'one' } };
  await dynamodb('PutItem', { TableName, Item: { ...Key, text: { S: '<img src=x onerror=document.title=1>' }, n: { N: '12345678901234567890.5' } } });
  await site.go(page, `/items/${TableName}?mode=query&pk=a-note`);
  await page.getByRole('button', { name: 'a-note' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('12345678901234567890.5').first().waitFor();
  assert.equal(await page.locator('img').count(), 0);
  await look(page, 'item');
  await drawer.getByRole('button', { name: 'Edit' }).click();
  const text = drawer.getByLabel('Item as JSON');
  await text.fill(JSON.stringify({ pk: 'a-note', sk: 'one', text: 'changed', n: { $n: '12345678901234567890.5' } }));
  await drawer.getByRole('button', { name: 'Review' }).click();
  await drawer.getByText('attribute_exists(#n0) AND #n1 = :v1').waitFor();
  await drawer.getByText('changed').first().waitFor();
  await glance(page, 'item-review');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.waitFor({ state: 'detached' });
  const stored = (await dynamodb('GetItem', { TableName, Key })).Item;
  assert.deepEqual(stored, { ...Key, text: { S: 'changed' }, n: { N: '12345678901234567890.5' } });

  await page.getByRole('button', { name: 'a-note' }).click();
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await drawer.getByRole('button', { name: 'Delete the item' }).waitFor();
  await dynamodb('UpdateItem', { TableName, Key, UpdateExpression: 'SET #t = :t', ExpressionAttributeNames: { '#t': 'text' }, ExpressionAttributeValues: { ':t': { S: 'newer' } } });
  await drawer.getByRole('button', { name: 'Delete the item' }).click();
  await drawer.getByText('Somebody changed it in between').waitFor();
  assert.equal((await dynamodb('GetItem', { TableName, Key })).Item.text.S, 'newer');
  await drawer.getByRole('button', { name: 'Close' }).click();
  nothingWrong();
}, { seconds: kSeconds });

test('asks with a PartiQL statement', async () => {
  await enter();
  await site.go(page, '/items/moderation?mode=partiql');
  await page.getByLabel('Statement').fill(`SELECT * FROM "moderation" WHERE pk = 'moderation#cleo'`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const grid = page.getByRole('region', { name: 'Items' });
  await grid.getByText('photo-market').first().waitFor();
  await grid.getByText('moderation#ann').first().waitFor({ state: 'detached' });
  nothingWrong();
}, { seconds: kSeconds });

test('follows items from the table into an index', async () => {
  await enter();
  await site.go(page, '/collections/gallery');
  const harbours = page.getByRole('button', { name: 'Album Harbours' });
  // Partitions lie by hash: it may be on the second page.
  const more = page.getByRole('button', { name: 'More partitions' });
  await harbours.or(more).first().waitFor();
  for (let pages = 0; pages < 10 && (await harbours.count()) === 0 && (await more.count()) > 0; pages += 1) {
    await more.click();
    await settled(page);
  }
  await harbours.first().click();
  const decoder = page.getByRole('region', { name: 'Selected item' });
  await decoder.getByText('ALBUM#{id}').waitFor();
  await page.getByRole('group', { name: 'Table or index' }).getByRole('button', { name: 'GSI3' }).click();
  await page.getByText('ALBUM_BY_USER_').first().waitFor();
  await page.getByText('Not in this index').waitFor();
  await page.getByText('GSI3PK, GSI3SK absent: never').waitFor();
  await page.getByRole('button', { name: 'User', exact: true }).click();
  await settled(page);
  assert.match(page.url(), /index=GSI3/);
  assert.match(page.url(), /hide=[^&]*User/);
  await look(page, 'collections-pivot');
  nothingWrong();
}, { seconds: kSeconds });

test('moderates from the keyboard', async () => {
  await enter();
  await site.go(page, '/systems/moderation');
  const first = page.locator('.queue-list button').first();
  await first.waitFor();
  await page.locator('main').focus();
  await page.keyboard.press('j');
  await page.locator('.queue-list li:nth-child(2) button[aria-current]').waitFor();
  const name = await page.locator('.queue-list button[aria-current] .clip').innerText();
  assert.equal(await page.locator('.content.blurred').count(), 1);
  await page.keyboard.press('v');
  await page.locator('.content:not(.blurred)').waitFor();
  const count = await page.locator('.queue-list li').count();
  await page.keyboard.press('a');
  await page.waitForFunction((before) => document.querySelectorAll('.queue-list li').length === before - 1, count);
  await page.keyboard.press('r');
  await page.getByLabel(/Why is it refused/).fill('Not what we show here');
  await glance(page, 'moderation-refuse');
  await page.getByRole('button', { name: 'Refuse', exact: true }).click();
  await page.waitForFunction((before) => document.querySelectorAll('.queue-list li').length === before - 2, count);
  await site.go(page, '/systems/moderation?view=approved');
  await page.locator('.queue-list').getByText(name).first().waitFor();
  await site.go(page, '/systems/moderation?view=unapproved');
  await page.getByText('Not what we show here').first().waitFor();
  nothingWrong();
}, { seconds: kSeconds });

test('decides together what is alike, and takes a decision back', async () => {
  await enter();
  await site.go(page, '/systems/moderation');
  const rows = page.locator('.queue-list li');
  await rows.first().waitFor();
  const rain = page.locator('.queue-list button', { hasText: 'essay-rain' });
  const alike = await rain.count();
  assert.ok(alike >= 2);
  const before = await rows.count();
  await rain.first().click();
  await page.locator('main').focus();
  await page.keyboard.press('s');
  await page.getByText(`${alike} selected`).waitFor();
  await page.getByRole('button', { name: `Refuse ${alike}…` }).click();
  await page.getByRole('button', { name: `Refuse ${alike}`, exact: true }).click();
  assert.equal(await page.getByText(`${alike} selected`).count(), 1, 'a note is required');
  await page.getByLabel('Rule').selectOption('harassment');
  await page.getByLabel(/Why are these/).fill('Insults by name');
  await look(page, 'moderation-bulk');
  await page.getByLabel(/Why are these/).focus();
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction((count) => document.querySelectorAll('.queue-list li').length === count, before - alike);

  await page.locator('main').focus();
  await page.keyboard.press('c');
  await page.getByText('yours until').waitFor();
  const name = await page.locator('.queue-list button[aria-current] .clip').innerText();
  await page.keyboard.press('a');
  await page.waitForFunction((count) => document.querySelectorAll('.queue-list li').length === count, before - alike - 1);
  await page.keyboard.press('z');
  await page.waitForFunction((count) => document.querySelectorAll('.queue-list li').length === count, before - alike);
  await page.locator('.queue-list button[aria-current]', { hasText: name }).waitFor();
  await page.locator('.timeline').getByText('reopen').waitFor();
  await site.go(page, '/systems/moderation?view=unapproved');
  // One of them may have been refused before, for another reason.
  const refused = page.locator('.queue-list button', { hasText: 'essay-rain' });
  await refused.first().waitFor();
  const reason = page.getByText('Harassment: Insults by name').first();
  let seen = false;
  for (let i = 0; !seen && i < await refused.count(); i += 1) {
    await refused.nth(i).click();
    seen = await reason.waitFor({ timeout: 5000 }).then(() => true, () => false);
  }
  assert.ok(seen, 'the reason is shown');
  nothingWrong();
}, { seconds: kSeconds });

test('grants credits, and the proof still holds', async () => {
  await enter();
  await site.go(page, '/systems/credits/dan');
  await page.getByText('balance = lots = ledger').waitFor();
  await page.getByRole('button', { name: 'Grant credits' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('25');
  await dialog.getByLabel('Reason').fill('for patience');
  await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
  await page.locator('main').getByText('+25').first().waitFor();
  await page.locator('main').getByText('for patience').waitFor();
  await page.getByText('balance = lots = ledger').waitFor();
  nothingWrong();
}, { seconds: kSeconds });

test('changes nothing while the session only reads', async () => {
  await enter();
  await site.go(page, '/systems/moderation');
  await page.getByRole('button', { name: 'Read & write' }).click();
  await page.getByRole('button', { name: 'Read-only' }).waitFor();
  await page.getByRole('button', { name: 'Approve A' }).click();
  await page.getByText('The switch is at the top').first().waitFor();
  await page.getByRole('button', { name: 'Read-only' }).click();
  await page.getByRole('button', { name: 'Read & write' }).waitFor();
  nothingWrong();
}, { seconds: kSeconds });

test('has its pages in a drawer on a phone', async () => {
  await enter();
  await site.go(page, '/');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Pages' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('link', { name: 'Access patterns' }).waitFor();
  await checkAccess(page, 'the drawer');
  await page.screenshot({ path: shotPath('phone-menu') });
  await drawer.getByRole('link', { name: 'Tables' }).click();
  await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
  await drawer.waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1280, height: 860 });
  nothingWrong();
}, { seconds: kSeconds });

test('uploads a picture by a signed address, and shows it', async () => {
  await enter();
  const s3 = new S3Client({ endpoint: site.server.s3Url, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } });
  await s3.send(new CreateBucketCommand({ Bucket: 'pictures' }));
  await site.go(page, '/objects/pictures');
  await page.getByText('Nothing here').waitFor();
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');
  await page.getByLabel('Files to upload').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
  await page.getByRole('button', { name: 'dot.png' }).click();
  const drawer = page.getByRole('dialog');
  await page.waitForFunction(() => document.querySelector('dialog img')?.naturalWidth === 1);
  await drawer.getByRole('button', { name: 'Make link' }).click();
  await drawer.getByText(/X-Amz-Signature=/).waitFor();
  await drawer.getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Nothing here').waitFor();
  nothingWrong();
}, { seconds: kSeconds });

test('runs a job dry, page by page', async () => {
  await enter();
  await site.go(page, '/admin');
  await page.getByRole('button', { name: 'Run… retention of moderation' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Dry run' }).click();
  await dialog.getByText('Would change', { exact: true }).waitFor();
  await dialog.getByText('done', { exact: true }).waitFor();
  await glance(page, 'job-run');
  await dialog.getByRole('button', { name: 'Close' }).click();
  nothingWrong();
}, { seconds: kSeconds });

test('makes a backup, restores it to a new table and deletes it', async () => {
  await enter();
  await site.go(page, '/admin');
  await page.getByRole('button', { name: 'New backup' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').selectOption('stories');
  await dialog.getByLabel('Name of the backup').fill('evening');
  await dialog.getByText('"BackupName": "evening"').waitFor();
  await dialog.getByRole('button', { name: 'Make the backup' }).click();
  const backups = page.getByRole('region', { name: 'Backups' });
  await backups.getByText('evening').waitFor();
  await page.getByRole('button', { name: 'Restore evening of stories' }).click();
  await dialog.getByLabel('Name of the new table').fill('stories-again');
  await glance(page, 'backup-restore');
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const { Table } = await dynamodb('DescribeTable', { TableName: 'stories-again' });
  assert.ok(Table.ItemCount > 0);
  await page.getByRole('button', { name: 'Delete evening of stories' }).click();
  await dialog.getByRole('button', { name: 'Delete the backup' }).click();
  await backups.waitFor({ state: 'detached' });
  await dynamodb('DeleteTable', { TableName: 'stories-again' });
  nothingWrong();
}, { seconds: kSeconds });

test('draws a story as a graph', async () => {
  await enter();
  await site.go(page, '/systems/stories');
  await page.getByRole('link', { name: /The lighthouse/ }).click();
  await page.locator('svg').getByText('Light the lamp').waitFor();
  await page.getByRole('button', { name: /The lamp has gone out/ }).click();
  await page.locator('main').getByText('Look outside → node').waitFor();
  await look(page, 'story');
  nothingWrong();
}, { seconds: kSeconds });

test('logs out', async () => {
  await enter();
  await site.go(page, '/');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Open the console' }).waitFor();
  await page.goto(`${site.origin}/#/tables`);
  await page.getByRole('heading', { name: 'Open the console' }).waitFor();
  nothingWrong();
}, { seconds: kSeconds });
