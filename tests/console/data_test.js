// Tables, items, collections and the stream: what is seen, what is sent, and what is stored afterwards.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite } from '../lib/runner.js';
import { Console, dynamodbOf, glance, look, settled } from './harness.js';

const kSeconds = 400;
const site = new Console();
let page;

const test = suite('data', {
  before: () => site.start(),
  after: () => site.stop(),
});

const dynamodb = (operation, request) => dynamodbOf(site, operation, request);

async function enter() {
  site.need();
  page ??= await site.enter({ expected: [/status of 40[03]/] });
}

const nothingWrong = () => assert.deepEqual(page.problems.splice(0), []);

// The text of a file that the browser saves when `press` is done.
async function saved(press) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

// The table that the first test makes; each of the others works alone as well.
async function needShop() {
  await enter();
  if ((await dynamodb('ListTables', {})).TableNames.includes('shop')) return;
  await dynamodb('CreateTable', {
    TableName: 'shop',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK', 'GSI1PK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }, { AttributeName: 'SK', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: [{ IndexName: 'GSI1', KeySchema: [{ AttributeName: 'GSI1PK', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }],
  });
}

const tableItem = (n) => ({ PK: { S: `SHOP#${n % 2}` }, SK: { S: `ITEM#${n}` }, GSI1PK: { S: 'ALL' }, name: { S: `thing ${n}, "quoted"` }, price: { N: `${n}.50` } });

test('makes a table through the request that is shown', async () => {
  await enter();
  await site.go(page, '/tables');
  await page.getByRole('button', { name: 'New table' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Review' }).click();
  await drawer.getByText('The name of the table has 3 to 255 letters').waitFor();
  await drawer.getByLabel('Name', { exact: true }).fill('shop');
  await drawer.getByRole('button', { name: 'Index', exact: true }).click();
  const index = drawer.getByRole('group', { name: 'Index 1' });
  await index.getByLabel('Index name').fill('GSI1');
  await index.getByRole('textbox', { name: 'Partition key' }).fill('GSI1PK');
  await index.getByLabel('It holds').selectOption('INCLUDE');
  await index.getByLabel('Attributes, with commas').fill('name');
  await drawer.getByLabel(/Expiry attribute/).fill('until');
  await glance(page, 'table-new');
  await drawer.getByRole('button', { name: 'Review' }).click();
  await drawer.getByText('"NonKeyAttributes"').waitFor();
  await drawer.getByText('2. UpdateTimeToLive: items expire at until').waitFor();
  await look(page, 'table-review');
  await drawer.getByRole('button', { name: 'Create the table' }).click();
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
  const { Table } = await dynamodb('DescribeTable', { TableName: 'shop' });
  assert.deepEqual(Table.GlobalSecondaryIndexes[0].Projection, { ProjectionType: 'INCLUDE', NonKeyAttributes: ['name'] });
  assert.equal((await dynamodb('DescribeTimeToLive', { TableName: 'shop' })).TimeToLiveDescription.AttributeName, 'until');
  nothingWrong();
}, { seconds: kSeconds });

test('changes a table one request at a time, and deletes it by its name', async () => {
  await enter();
  await dynamodb('CreateTable', { TableName: 'doomed', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] });
  await site.go(page, '/tables/doomed');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Index', exact: true }).click();
  await drawer.getByLabel('Index name').fill('ByKind');
  await drawer.getByRole('textbox', { name: 'Partition key' }).fill('kind');
  await drawer.getByLabel('Stream of changes').selectOption('NEW_IMAGE');
  await drawer.getByLabel('protected from deletion').check();
  await drawer.getByRole('button', { name: 'Review' }).click();
  await drawer.getByText('These 3 requests are sent').waitFor();
  await drawer.getByRole('button', { name: 'Change the table' }).click();
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Indexes' }).getByText('ByKind').waitFor();
  await page.locator('main').getByText('new image').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The table is protected from deletion').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Delete the table' }).isDisabled());
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await dynamodb('UpdateTable', { TableName: 'doomed', DeletionProtectionEnabled: false });
  await site.go(page, '/tables');
  await site.go(page, '/tables/doomed');
  await page.locator('dd', { hasText: /^off$/ }).first().waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type the name of the table').fill('doome');
  assert.ok(await dialog.getByRole('button', { name: 'Delete the table' }).isDisabled());
  await glance(page, 'table-delete');
  await dialog.getByLabel('Type the name of the table').fill('doomed');
  await dialog.getByRole('button', { name: 'Delete the table' }).click();
  await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'doomed', exact: true }).waitFor({ state: 'detached' });
  nothingWrong();
}, { seconds: kSeconds });

test('exports what is selected in three forms', async () => {
  await needShop();
  for (let n = 1; n <= 6; n += 1) await dynamodb('PutItem', { TableName: 'shop', Item: tableItem(n) });
  await site.go(page, '/items/shop?mode=query&pk=SHOP%230');
  await page.getByText('3 items').first().waitFor();
  await page.getByRole('checkbox', { name: 'Select SHOP#0 / ITEM#2' }).check();
  await page.getByRole('checkbox', { name: 'Select SHOP#0 / ITEM#6' }).click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await page.getByRole('checkbox', { name: 'Select SHOP#0 / ITEM#4' }).uncheck();
  await page.getByText('2 selected').waitFor();
  await page.getByText('4 WCU to delete').waitFor(); // the table and one index, twice
  await look(page, 'items-selected');
  const save = () => page.getByRole('button', { name: 'Export' }).click();
  const lines = await saved(save);
  assert.match(lines.name, /^shop-\d{8}-\d{6}\.jsonl$/);
  assert.deepEqual(lines.bytes.toString().trim().split('\n').map((line) => JSON.parse(line).SK), ['ITEM#2', 'ITEM#6']);
  await page.getByLabel('Form of the export').selectOption('CSV');
  const csv = await saved(save);
  assert.equal(csv.bytes.toString().split('\r\n')[0], 'PK,SK,GSI1PK,name,price');
  assert.match(csv.bytes.toString(), /SHOP#0,ITEM#2,ALL,"thing 2, ""quoted""",2\.5/);
  await page.getByLabel('Form of the export').selectOption('DynamoDB JSON');
  const exported = await saved(save);
  assert.equal(JSON.parse(exported.bytes.toString().split('\n')[0]).Item.PK.S, 'SHOP#0');
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByText('Copied').first().waitFor();
  assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())).map(({ SK }) => SK.S), ['ITEM#2', 'ITEM#6']);
  nothingWrong();
}, { seconds: kSeconds });

test('deletes what is selected, and keeps what somebody changed meanwhile', async () => {
  await needShop();
  for (let n = 1; n <= 5; n += 2) await dynamodb('PutItem', { TableName: 'shop', Item: tableItem(n) });
  await site.go(page, '/items/shop?mode=query&pk=SHOP%231');
  await page.getByRole('button', { name: 'SHOP#1' }).nth(2).waitFor(); // a link runs its search
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('And 2 more requests of this form').waitFor();
  await glance(page, 'items-delete');
  const Key = { PK: { S: 'SHOP#1' }, SK: { S: 'ITEM#3' } };
  await dynamodb('UpdateItem', { TableName: 'shop', Key, UpdateExpression: 'SET price = :p', ExpressionAttributeValues: { ':p': { N: '99' } } });
  await dialog.getByRole('button', { name: 'Delete 3 items' }).click();
  await dialog.getByText('SHOP#1 / ITEM#3').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('heading', { name: /^1 item/ }).waitFor();
  const left = await dynamodb('Query', { TableName: 'shop', KeyConditionExpression: 'PK = :p', ExpressionAttributeValues: { ':p': { S: 'SHOP#1' } } });
  assert.deepEqual(left.Items.map(({ SK }) => SK.S), ['ITEM#3']);
  nothingWrong();
}, { seconds: kSeconds });

test('shows where an item lies, what it costs and what belongs to it', async () => {
  await enter();
  const { Items } = await dynamodb('Scan', { TableName: 'gallery', FilterExpression: 'EntityType = :t AND title = :n', ExpressionAttributeValues: { ':t': { S: 'Album' }, ':n': { S: 'Harbours' } } });
  const { PK, SK } = Items[0]; // with pictures in its partition
  await site.go(page, `/items/gallery?mode=query&pk=${encodeURIComponent(PK.S)}&sk=${SK.S}`);
  await page.locator('.grid-table .cell-button').first().click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText(/\d+ WCU: \d for the table, \d for GSI1/).waitFor();
  await drawer.getByText(/^the whole item · /).first().waitFor();
  await drawer.getByText('In the same partition').waitFor();
  const related = drawer.locator('.related button');
  await related.first().waitFor();
  await look(page, 'item-related');
  const title = await drawer.getByRole('heading', { level: 2 }).innerText();
  await related.first().click();
  await page.waitForFunction((before) => document.querySelector('dialog h2')?.innerText !== before, title);
  await drawer.getByRole('button', { name: 'Close' }).click();
  nothingWrong();
}, { seconds: kSeconds });

test('tells how even partitions are, what an index leaves out, and saves the picture', async () => {
  await enter();
  await site.go(page, '/collections/moderation?index=GSI_StatusDate');
  await page.getByText('never for these entities').waitFor();
  await page.getByText('× the median').waitFor();
  await page.getByRole('switch', { name: 'in each row' }).check();
  await page.getByText(/of 10 GB · \d+\.\d × median/).first().waitFor();
  await page.locator('.chip.part').first().click();
  await page.getByRole('region', { name: 'Selected item' }).getByText('not in this index').waitFor();
  await page.getByRole('region', { name: 'Selected item' }).getByText(/contentId.* of its bytes/).waitFor();
  await look(page, 'collections-health');
  const svg = await saved(() => page.getByRole('button', { name: 'SVG' }).click());
  assert.match(svg.name, /^moderation-GSI_StatusDate-.*\.svg$/);
  assert.match(svg.bytes.toString(), /^<svg xmlns[\s\S]*pending[\s\S]*<\/svg>$/);
  assert.doesNotMatch(svg.bytes.toString(), /var\(|oklch|style=/);
  const png = await saved(() => page.getByRole('button', { name: 'PNG' }).click());
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  assert.equal(png.bytes.readUInt32BE(16), 2560);
  nothingWrong();
}, { seconds: kSeconds });

test('shows which partitions are called most, while it happens', async () => {
  await needShop();
  const Item = { PK: { S: 'SHOP#hot' }, SK: { S: 'ITEM#1' }, GSI1PK: { S: 'KIND#hot' } };
  await dynamodb('PutItem', { TableName: 'shop', Item });
  const get = (times) => Promise.all(Array.from({ length: times }, () => dynamodb('GetItem', { TableName: 'shop', Key: { PK: Item.PK, SK: Item.SK } })));
  const query = (times) => Promise.all(Array.from({ length: times }, () => dynamodb('Query', { TableName: 'shop', IndexName: 'GSI1', KeyConditionExpression: 'GSI1PK = :k', ExpressionAttributeValues: { ':k': Item.GSI1PK } })));
  await get(150);
  await query(90);
  await site.go(page, '/metrics');
  const most = page.getByRole('region', { name: 'Partitions called most' });
  const row = most.getByRole('row', { name: /SHOP#hot/ });
  await row.getByText('within a partition').waitFor();
  assert.match(await row.innerText(), /SHOP#hot\s+shop\s+\d[\d.]*\s+0(\.\d+)?\s+\d+ %/);
  await most.getByRole('row', { name: /KIND#hot\s+shop · GSI1/ }).waitFor();
  await most.scrollIntoViewIfNeeded();
  await look(page, 'metrics-hot');
  await get(150); // what is older than a minute is forgotten
  await row.getByRole('link', { name: 'SHOP#hot' }).click();
  await page.getByRole('heading', { name: 'Item collections', level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Called most' }).getByRole('button', { name: 'SHOP#hot' }).waitFor();
  await page.locator('.partition', { hasText: 'SHOP#hot' }).getByText(/\d reads, .* writes a second/).waitFor();
  await glance(page, 'collections-hot');
  await query(90);
  await page.getByRole('group', { name: 'Table or index' }).getByRole('button', { name: 'GSI1' }).click();
  await page.getByRole('region', { name: 'Called most' }).getByRole('button', { name: 'KIND#hot' }).click();
  await page.waitForFunction(() => location.hash.includes('prefix=KIND'));
  await page.locator('.partition', { hasText: 'KIND#hot' }).waitFor();
  nothingWrong();
}, { seconds: kSeconds });

test('follows a stream: filters, a pause that loses nothing, gaps, the last 5,000', async () => {
  await needShop();
  const stream = (StreamSpecification) => dynamodb('UpdateTable', { TableName: 'shop', StreamSpecification });
  const kOn = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
  await stream(kOn);
  const Key = (n) => ({ PK: { S: 'SHOP#9' }, SK: { S: `ITEM#${n}` } });
  const put = async (...numbers) => {
    for (const n of numbers) await dynamodb('PutItem', { TableName: 'shop', Item: { ...Key(n), n: { N: String(n) } } });
  };
  const remove = async (...numbers) => {
    for (const n of numbers) await dynamodb('DeleteItem', { TableName: 'shop', Key: Key(n) });
  };
  const seen = (n) => page.getByText(`SHOP#9 / ITEM#${n}`, { exact: true });
  const asked = [];
  const note = (request) => request.url().includes('/_/api/tail?') && asked.push(new URL(request.url()).searchParams);
  page.on('request', note);
  await site.go(page, '/stream/shop');
  const live = page.getByText('live', { exact: true });
  await live.waitFor();
  await page.getByText('Nothing changed yet').waitFor();
  assert.equal(asked[0].get('from'), 'latest');
  await put(1, 2, 3);
  await seen(3).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await put(4, 5);
  await page.getByText('+2 waiting').waitFor();
  assert.equal(await seen(5).count(), 0);
  await page.locator('main').focus();
  await page.keyboard.press('p');
  await seen(5).waitFor();

  // A stream that ends and begins again is a lost connection; what was shown stays, once.
  // The server may see the end and the beginning together: then the page need not ask again.
  const before = asked.length;
  await stream({ StreamEnabled: false });
  await stream(kOn);
  await page.getByText('Records were skipped here').waitFor();
  assert.equal(asked.slice(before).every((each) => each.get('from').length > 15), true, 'it asks from the last record on');
  await put(6);
  await seen(6).waitFor();
  assert.equal(await seen(5).count(), 1);

  await page.getByRole('button', { name: 'remove', exact: true }).click();
  await page.getByText('Nothing changed yet').waitFor();
  await live.waitFor();
  await put(7);
  await remove(1);
  await seen(1).waitFor();
  assert.equal(await seen(7).count(), 0);
  await page.getByLabel('Part of a key').fill('ITEM#3');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('key=ITEM'));
  await page.getByText('Nothing changed yet').waitFor();
  await live.waitFor();
  await remove(2, 3);
  await seen(3).waitFor();
  assert.equal(await seen(2).count(), 0);
  assert.deepEqual([asked.at(-1).get('operation'), asked.at(-1).get('key'), asked.at(-1).get('table')], ['REMOVE', 'ITEM#3', 'shop']);

  await site.go(page, '/stream/shop?operation=INSERT');
  await page.getByText('Nothing changed yet').waitFor();
  await live.waitFor();
  const kMany = 5200;
  for (let n = 0; n < kMany; n += 25) {
    const writes = Array.from({ length: Math.min(25, kMany - n) }, (_, at) => ({ PutRequest: { Item: Key(1000 + n + at) } }));
    await dynamodb('BatchWriteItem', { RequestItems: { shop: writes } });
  }
  await page.getByText('5,000 of at most 5,000').waitFor();
  await seen(1000 + kMany - 1).waitFor();
  assert.ok((await page.locator('.stream-rows tbody tr').count()) < 80, 'only the rows in sight are drawn');
  page.off('request', note);
  await site.go(page, '/');
  nothingWrong();
}, { seconds: kSeconds });

test('shows changes as they happen, with what was and what is', async () => {
  await enter();
  await site.go(page, '/stream/gallery');
  await page.getByText('gallery has no stream').waitFor();
  await page.getByRole('button', { name: 'Enable the stream' }).click();
  await page.getByText('live', { exact: true }).waitFor();
  const { Items } = await dynamodb('Scan', { TableName: 'gallery', FilterExpression: 'EntityType = :t', ExpressionAttributeValues: { ':t': { S: 'Album' } } });
  const Key = { PK: Items[0].PK, SK: Items[0].SK };
  await dynamodb('UpdateItem', { TableName: 'gallery', Key, UpdateExpression: 'SET title = :t', ExpressionAttributeValues: { ':t': { S: 'Seen at once' } } });
  const records = page.getByRole('region', { name: 'Records' });
  await records.getByText(/title: .* → Seen at once/).waitFor();
  await records.getByText('Album', { exact: true }).first().waitFor();
  await records.getByRole('button', { name: Key.PK.S }).first().click();
  await page.getByRole('list', { name: 'Changes' }).getByText('Seen at once').waitFor();
  await look(page, 'stream');
  await page.getByLabel('Entity', { exact: true }).selectOption('User');
  await page.getByText('Nothing changed yet').waitFor();
  await page.getByLabel('Entity', { exact: true }).selectOption('Album');
  await page.getByLabel(/^From/).fill('horizon');
  await page.keyboard.press('Enter');
  await records.getByText(/title: .* → Seen at once/).first().waitFor();
  await settled(page);
  nothingWrong();
}, { seconds: kSeconds });
