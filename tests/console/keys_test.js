// Access keys, on a server of their own: the first one closes it to unsigned calls, and it stays closed.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { suite } from '../lib/runner.js';
import { removeDir, tempDir } from '../lib/server.js';
import { Console, checkAccess, dynamodbOf, glance } from './harness.js';

const kSeconds = 400;
let folder;
let data;
let site;

const test = suite('keys', {
  before: () => {
    folder = tempDir('gateleg-console-keys');
    data = join(folder, 'data');
    site = new Console({ data, s3: false, args: ['--systems', 'gallery,stories', '--demo'], env: { GATELEG_KEY_FILE: join(folder, 'master.key') } });
    return site.start();
  },
  after: async () => {
    await site.stop();
    removeDir(folder);
  },
});

// A program with that key; without one it sends what a program of one's own machine does.
const clientOf = (accessKeyId = 'local', secretAccessKey = 'local') =>
  new DynamoDBClient({ endpoint: site.server.url, region: 'us-east-1', maxAttempts: 1, credentials: { accessKeyId, secretAccessKey } });

const refusal = async (client, command) => {
  try {
    await client.send(command);
    return null;
  } catch (error) {
    return error.name;
  }
};

test('makes an access key whose secret is shown once, which programs then need', async () => {
  site.need();
  const page = await site.enter();
  await site.go(page, '/admin');
  await page.getByText('Any key may call').waitFor();
  assert.equal(await refusal(clientOf(), new ScanCommand({ TableName: 'gallery', Limit: 1 })), null);

  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('answers only calls that are signed with one').waitFor();
  await dialog.getByPlaceholder('reporting').fill('reporting');
  await dialog.getByLabel('It may').selectOption('tables');
  await dialog.getByLabel('Right on gallery').selectOption('read');
  await dialog.getByLabel('Right on stories').selectOption('write');
  await dialog.getByText('read:gallery,stories;write:stories').waitFor();
  await glance(page, 'key-new');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByText('It is shown this once').waitFor();
  const copied = async (what) => {
    await dialog.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const id = await copied('access key id');
  const secret = await copied('secret access key');
  assert.match(id, /^GLK[A-Z2-7]{17}$/);
  assert.match(secret, /^[\w-]{40}$/);
  await glance(page, 'key-secret');
  await dialog.getByRole('button', { name: 'I have it' }).click();
  const row = page.getByRole('region', { name: 'Access keys' }).getByRole('row', { name: new RegExp(id) });
  await row.getByText('read gallery, stories; write stories').waitFor();
  await row.getByText('reporting').waitFor();
  assert.ok(!(await page.content()).includes(secret), 'the secret is gone from the page');
  assert.ok(!readFileSync(join(data, 'keys'), 'utf8').includes(secret), 'and is not kept in clear');

  // The rights are those that were chosen, for programs; the console itself goes on.
  const reporting = clientOf(id, secret);
  assert.equal(await refusal(reporting, new ScanCommand({ TableName: 'gallery', Limit: 1 })), null);
  assert.equal(await refusal(reporting, new GetItemCommand({ TableName: 'stories', Key: { PK: { S: 'x' }, SK: { S: 'x' } } })), null);
  assert.equal(await refusal(reporting, new PutItemCommand({ TableName: 'gallery', Item: { PK: { S: 'x' }, SK: { S: 'x' } } })), 'AccessDeniedException');
  assert.equal(await refusal(clientOf(), new ScanCommand({ TableName: 'gallery', Limit: 1 })), 'UnrecognizedClientException');
  await assert.rejects(dynamodbOf(site, 'ListTables', {}), /MissingAuthenticationToken/);
  await site.go(page, '/tables');
  await page.getByRole('link', { name: 'gallery', exact: true }).waitFor();
  await site.go(page, '/collections/gallery');
  await page.locator('.chip').first().waitFor();

  // A second key is nothing new; after the last one nobody may call, and the page says so.
  await site.go(page, '/admin');
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog.getByPlaceholder('reporting').fill('not a name!');
  assert.equal(await dialog.getByText('answers only calls that are signed with one').count(), 0);
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByRole('alert').getByText(/cannot be a key's/).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: `Revoke ${id}` }).click();
  await checkAccess(page, 'the end of a key');
  await dialog.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByText('Nobody may call until there is a key').waitFor();
  assert.equal(await refusal(reporting, new ScanCommand({ TableName: 'gallery', Limit: 1 })), 'UnrecognizedClientException');
  assert.ok(existsSync(join(data, 'keys')));
  assert.deepEqual(page.problems.filter((problem) => !/status of 400/.test(problem)), []);
}, { seconds: kSeconds });
