// The table of a model, for the tools that make tables: what they make is what serve makes.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { skip, suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { dynamodb, folder, gateleg, gatelegOk, kModels, run, server } from './fixture.js';

const kAws = process.env.GATELEG_AWSCLI ?? '/usr/bin/aws';
let other;
const test = suite('export', {
  before: async () => {
    other = await startServer({ http: true, args: ['--model', kModels.moderation] });
  },
  after: async () => other.stop(),
});
const exported = (model, format) => gatelegOk('export', kModels[model], '--format', format);

// What a table is, without when it was made and what is in it.
async function shape(table, url) {
  const { Table } = await dynamodb('DescribeTable', { TableName: table }, url);
  const changing = ['TableId', 'TableArn', 'CreationDateTime', 'LatestStreamArn', 'BillingModeSummary', 'TableSizeBytes', 'ItemCount'];
  for (const name of changing) delete Table[name];
  for (const index of Table.GlobalSecondaryIndexes ?? []) {
    for (const name of ['IndexArn', 'IndexSizeBytes', 'ItemCount']) delete index[name];
    index.Projection.NonKeyAttributes?.sort();
  }
  Table.AttributeDefinitions.sort((a, b) => (a.AttributeName < b.AttributeName ? -1 : 1));
  Table.GlobalSecondaryIndexes?.sort((a, b) => (a.IndexName < b.IndexName ? -1 : 1));
  const { TimeToLiveDescription: ttl } = await dynamodb('DescribeTimeToLive', { TableName: table }, url);
  return { Table, ttl };
}

// `aws` on the path of a script, sent to a server of ours.
function awsFolder(url) {
  if (!existsSync(kAws)) skip(`${kAws} is not here`);
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const wrapper = join(bin, 'aws');
  writeFileSync(wrapper, `#!/bin/sh\nexec ${kAws} "$@" --endpoint-url ${url}\n`);
  chmodSync(wrapper, 0o755);
  return {
    PATH: `${bin}:/usr/bin:/bin`, HOME: folder, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true', AWS_PAGER: '', LC_ALL: 'C.UTF-8',
  };
}

test('createtable and awscli make with the AWS CLI exactly the table serve makes', async () => {
  const empty = await startServer();
  try {
    const env = awsFolder(empty.url);
    const script = join(folder, 'moderation.sh');
    writeFileSync(script, exported('moderation', 'awscli'));
    const made = run('/bin/sh', [script], { env });
    assert.equal(made.code, 0, made.out + made.err);
    assert.deepEqual(await shape('moderation', empty.url), await shape('moderation', other.url));

    const request = join(folder, 'library.json');
    writeFileSync(request, exported('library', 'createtable'));
    const again = run('aws', ['dynamodb', 'create-table', '--cli-input-json', `file://${request}`], { env });
    assert.equal(again.code, 0, again.out + again.err);
    assert.deepEqual((await shape('library', empty.url)).Table, (await shape('library', server.url)).Table);
  } finally {
    await empty.stop();
  }
}, { seconds: 240 });

test('createtable is the request of CreateTable, for every system', async () => {
  const empty = await startServer();
  try {
    for (const model of Object.keys(kModels)) {
      const request = JSON.parse(exported(model, 'createtable'));
      await dynamodb('CreateTable', request, empty.url);
      assert.equal(request.BillingMode, 'PAY_PER_REQUEST');
    }
  } finally {
    await empty.stop();
  }
});

test('cloudformation has the same table, and keeps it when the stack goes', async () => {
  for (const model of Object.keys(kModels)) {
    const template = JSON.parse(exported(model, 'cloudformation'));
    const [resource, ...more] = Object.entries(template.Resources);
    assert.deepEqual(more, []);
    const [name, table] = resource;
    assert.match(name, /^[A-Za-z0-9]+$/);
    assert.equal(table.Type, 'AWS::DynamoDB::Table');
    assert.equal(table.DeletionPolicy, 'Retain');
    assert.equal(table.UpdateReplacePolicy, 'Retain');
    const { TimeToLiveSpecification: ttl, ...properties } = table.Properties;
    assert.deepEqual(properties, JSON.parse(exported(model, 'createtable')));
    if (model === 'library') assert.deepEqual(ttl, { AttributeName: 'ttl', Enabled: true });
  }
});

// "block" and its "name = value" lines, as far as this output goes.
function blocks(text, name) {
  return [...text.matchAll(new RegExp(`^  ${name} \\{\\n([^}]*)  \\}`, 'gm'))].map(([, body]) =>
    Object.fromEntries([...body.matchAll(/^ +(\w+) += (.+)$/gm)].map(([, key, value]) => [key, JSON.parse(value)])));
}

test('terraform names every attribute, index and the time to live', async () => {
  for (const model of Object.keys(kModels)) {
    const text = exported(model, 'terraform');
    const request = JSON.parse(exported(model, 'createtable'));
    assert.match(text, /^resource "aws_dynamodb_table" "\w+" \{\n/);
    const attributes = blocks(text, 'attribute').map(({ name, type }) => ({ AttributeName: name, AttributeType: type }));
    assert.deepEqual(attributes, request.AttributeDefinitions);
    const indexes = blocks(text, 'global_secondary_index').map((index) => [index.name, index.hash_key, index.range_key, index.projection_type, index.non_key_attributes]);
    const wanted = (request.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => [
      IndexName, KeySchema[0].AttributeName, KeySchema[1]?.AttributeName, Projection.ProjectionType, Projection.NonKeyAttributes]);
    assert.deepEqual(indexes, wanted);
    if (model === 'library') assert.deepEqual(blocks(text, 'ttl'), [{ attribute_name: 'ttl', enabled: true }]);
  }
});

test('an unknown format, a missing file and a model with errors are told apart', async () => {
  assert.equal(gateleg('export', kModels.library, '--format', 'pulumi').code, 2);
  assert.equal(gateleg('export', '/nowhere/model.yaml', '--format', 'terraform').code, 1);
  const bad = join(folder, 'bad.yaml');
  writeFileSync(bad, 'model: { name: x }\n');
  const { code, err } = gateleg('generate', 'typescript', bad);
  assert.equal(code, 1);
  assert.match(err, /bad\.yaml:1:\d+: error Y05/);
});
