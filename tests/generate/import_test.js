// From NoSQL Workbench to a model that loads, and back.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { folder, gateleg, gatelegOk, kModels, kRoot } from './fixture.js';

const test = suite('import');
const kShop = `${kRoot}fuzz/corpus/fuzz_workbench/shop.json`;
const createTable = (file) => JSON.parse(gatelegOk('export', file, '--format', 'createtable'));

function draft(file, ...more) {
  const done = gateleg('import', file, ...more);
  assert.equal(done.code, 0, done.err);
  const path = join(folder, 'draft.yaml');
  writeFileSync(path, done.out);
  return { path, text: done.out, err: done.err };
}

test('a Workbench model with samples becomes a model that can be served', async () => {
  const { path, text, err } = draft(kShop);
  assert.equal(err, '');
  assert.match(text, /"PK": "CUSTOMER#\{customerId\}", "SK": "PROFILE"/);
  assert.match(text, /"PK": "CUSTOMER#\{customerId\}", "SK": "ORDER#\{orderId\}"/);
  gatelegOk('check', path);
  const server = await startServer({ http: true, args: ['--model', path] });
  assert.equal((await server.stop()).code, 0);
});

test('what is exported for Workbench comes back with the same table', async () => {
  for (const model of ['stories', 'library', 'membership', 'figureforge']) {
    const file = join(folder, `${model}.workbench.json`);
    writeFileSync(file, gatelegOk('export', kModels[model], '--format', 'workbench'));
    const { path } = draft(file);
    assert.deepEqual(createTable(path), createTable(kModels[model]), model);
  }
});

test('several tables need a choice, and what is no data model is refused', async () => {
  const table = (TableName) => ({ TableName, KeyAttributes: { PartitionKey: { AttributeName: 'id', AttributeType: 'S' } } });
  const file = join(folder, 'two.json');
  writeFileSync(file, JSON.stringify({ DataModel: [table('one'), table('two')] }));
  const several = gateleg('import', file);
  assert.equal(several.code, 1);
  assert.match(several.err, /--table: one, two/);
  const { path } = draft(file, '--table', 'two');
  assert.equal(createTable(path).TableName, 'two');
  for (const text of ['', '[]', '{}', '{"DataModel":7}', '{"DataModel":[{}]}', '{"DataModel":']) {
    writeFileSync(file, text);
    assert.equal(gateleg('import', file).code, 1, text);
  }
  assert.equal(gateleg('import', join(folder, 'missing.json')).code, 1);
});
