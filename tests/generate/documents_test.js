// What people read: the half-hour page, OpenAPI, the schema for editors.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { call, folder, gateleg, gatelegOk, kModels, kRoot } from './fixture.js';

const test = suite('documents');

test('the model that docs/model-language.md builds up loads without an error', async () => {
  const page = readFileSync(`${kRoot}docs/model-language.md`, 'utf8');
  const parts = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  assert.ok(parts.length >= 2, 'the page has examples');
  const file = join(folder, 'page.yaml');
  writeFileSync(file, parts.join('\n'));
  const { code, out } = gateleg('check', file);
  assert.equal(code, 0, out);
  assert.ok(!out.includes('warning'), out);
});

test('every finding the page lists is one that the checker can make', async () => {
  const page = readFileSync(`${kRoot}docs/model-language.md`, 'utf8');
  const rows = page.slice(page.indexOf('## Findings')).split('\n').filter((line) => line.startsWith('| ')).map((line) => line.split('|')[1]);
  const listed = rows.flatMap((cell) => cell.match(/[A-Z]\d\d/g) ?? []);
  assert.ok(listed.length > 50);
  const sources = readdirSync(`${kRoot}src/model`).filter((name) => name.endsWith('.cc') && !name.endsWith('_test.cc'));
  const text = sources.map((name) => readFileSync(`${kRoot}src/model/${name}`, 'utf8')).join();
  assert.deepEqual(listed.filter((id) => !text.includes(`"${id}"`)), []);
});

test('the library checks without a finding, as do all commands on every system', async () => {
  assert.equal(gatelegOk('check', kModels.library), '');
  for (const file of Object.values(kModels)) {
    gatelegOk('check', file);
    assert.match(gatelegOk('doc', file), /^# /);
  }
});

test('openapi prints what the server serves', async () => {
  const printed = JSON.parse(gatelegOk('openapi', kModels.library));
  assert.deepEqual(printed, (await call('GET', '/v1/library/openapi.json')).json);
  const both = JSON.parse(gatelegOk('openapi', kModels.stories, kModels.library));
  assert.deepEqual(both, (await call('GET', '/openapi.json')).json);
});

// As much of JSON Schema as the document uses: references lead somewhere, and nothing is misspelt.
const kWords = new Set(['$schema', '$ref', '$defs', 'title', 'description', 'type', 'properties', 'required', 'additionalProperties', 'items',
  'enum', 'const', 'anyOf', 'allOf', 'pattern', 'minProperties', 'maxProperties']);
function walk(root, schema, path) {
  assert.ok(typeof schema === 'object' || typeof schema === 'boolean', path);
  if (typeof schema === 'boolean') return;
  for (const [word, value] of Object.entries(schema)) {
    assert.ok(kWords.has(word), `${path}: ${word}`);
    if (word === '$ref') assert.ok(root.$defs[value.replace('#/$defs/', '')], `${path}: ${value}`);
    if (word === 'properties' || word === '$defs') Object.entries(value).forEach(([name, inner]) => walk(root, inner, `${path}/${name}`));
    if (word === 'anyOf' || word === 'allOf') value.forEach((inner) => walk(root, inner, `${path}/${word}`));
    if (word === 'items' || word === 'additionalProperties') walk(root, value, `${path}/${word}`);
    if (word === 'pattern') new RegExp(value);
  }
}

test('schema prints a JSON Schema of model files, whole and sound', async () => {
  const schema = JSON.parse(gatelegOk('schema'));
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
  for (const name of ['file', 'entity', 'pattern', 'operation', 'job', 'step', 'attribute']) assert.ok(schema.$defs[name], name);
  walk(schema, schema, '');
  assert.ok(schema.$defs.entity.properties.keys.description);
});

test('commands have help, and wrong usage is exit code 2', async () => {
  for (const command of ['openapi', 'schema', 'generate', 'export', 'import', 'check', 'doc']) {
    assert.match(gatelegOk(command, '--help'), /Usage|gateleg/i);
    if (command !== 'schema') assert.equal(gateleg(command).code, 2, command);
  }
});
