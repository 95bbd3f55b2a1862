// The console before a store over the network: it only reads until somebody says otherwise.

import assert from 'node:assert/strict';
import { kNobodysKeys } from '../lib/command.js';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { Console, dynamodbOf, glance } from './harness.js';

const kSeconds = 400;
let store;
let site;

const test = suite('remote', {
  before: async () => {
    store = await startServer({});
    site = new Console({ s3: false, args: ['--store', store.url], env: kNobodysKeys });
    await site.start();
  },
  after: async () => {
    await site.stop();
    await store.stop();
  },
});

test('reads a remote store, and writes only after the switch', async () => {
  site.need();
  const dynamodb = (operation, request) => dynamodbOf({ server: store }, operation, request);
  await dynamodb('CreateTable', { TableName: 'far', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] });
  for (const id of ['one', 'two', 'three']) await dynamodb('PutItem', { TableName: 'far', Item: { id: { S: id }, n: { N: '1' } } });
  const page = await site.enter({ expected: [/status of 403/] });
  await page.getByRole('banner').getByText(new URL(store.url).host).waitFor();
  await page.getByRole('button', { name: 'Read-only' }).waitFor();
  await site.go(page, '/collections/far');
  await page.getByText('A sample: the store is remote').waitFor();
  await page.locator('.partition', { hasText: 'three' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Called most' }).count(), 0);
  await glance(page, 'remote-collections');
  await site.go(page, '/metrics');
  await page.getByText('Requests a second').waitFor();
  assert.equal(await page.getByText('Partitions called most').count(), 0);

  const remove = async () => {
    await site.go(page, '/items/far?mode=query&pk=two');
    await page.getByRole('button', { name: 'two' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Delete' }).click();
    await drawer.getByRole('button', { name: 'Delete the item' }).click();
    return drawer;
  };
  const drawer = await remove();
  await drawer.getByText('The switch is at the top').waitFor();
  assert.equal((await dynamodb('Scan', { TableName: 'far' })).Count, 3);
  await drawer.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Read-only' }).click();
  await page.getByRole('button', { name: 'Read & write' }).waitFor();
  await site.go(page, '/');
  await (await remove()).waitFor({ state: 'detached' });
  assert.equal((await dynamodb('Scan', { TableName: 'far' })).Count, 2);
  assert.deepEqual(page.problems, []);
}, { seconds: kSeconds });
