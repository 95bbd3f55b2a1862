// What people read: the half-hour page, OpenAPI, the schema for editors.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { call, folder, gateleg, gatelegOk, kModels, kRoot, kSecret, kSystems, token } from './fixture.js';

const test = suite('documents');

const kPage = readFileSync(`${kRoot}docs/model-language.md`, 'utf8');
// What a reader has who puts the page's blocks into one file.
function pageModel() {
  const parts = [...kPage.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  assert.equal(parts.length, 3, 'the page says that there are three blocks');
  return parts.join('\n');
}

test('the model that docs/model-language.md builds up loads without an error', async () => {
  const file = join(folder, 'page.yaml');
  writeFileSync(file, pageModel());
  const { code, out } = gateleg('check', file);
  assert.equal(code, 0, out);
  assert.ok(!out.includes('warning'), out);
});

test('the model of the page does what the page says', async () => {
  const file = join(folder, 'page.yaml');
  // Books come from a librarian; the page leaves that to its reader.
  const add = '  addBook: { route: POST /books, allow: role(librarian), input: { title: Book.title, tags: Book.tags }, write: [{ put: Book, copy: [title, tags], as: book }], return: $book }\n';
  writeFileSync(file, pageModel().replace('operations:\n', `operations:\n${add}`));
  const own = await startServer({ http: true, args: ['--model', file], env: { GATELEG_JWT_SECRET: kSecret } });
  try {
    const ask = async (method, path, { as, body } = {}) => {
      const headers = { ...(as ? { authorization: `Bearer ${as}` } : {}), ...(body ? { 'content-type': 'application/json' } : {}) };
      const reply = await fetch(`${own.httpUrl}/v1/library${path}`, { method, headers, body: body && JSON.stringify(body) });
      return { status: reply.status, json: await reply.json() };
    };
    const librarian = token('desk', ['librarian']);
    const { status, json: book } = await ask('POST', '/books', { as: librarian, body: { title: 'Kalila', tags: ['Old  Tales'] } });
    assert.equal(status, 201, JSON.stringify(book));
    assert.deepEqual((await ask('GET', '/tags/old%20tales')).json.items.map(({ title }) => title), ['Kalila']);
    const loan = `/books/${book.bookId}/loan`;
    assert.equal((await ask('POST', loan)).status, 401);
    assert.ok((await ask('POST', loan, { as: token('one') })).status < 300);
    const late = await ask('POST', loan, { as: token('two') });
    assert.deepEqual([late.status, late.json.error.code], [410, 'NoneLeft']);
    assert.equal((await ask('GET', '/loans', { as: token('one') })).json.items.length, 1);
    assert.deepEqual((await ask('DELETE', loan, { as: token('one') })).json, { changed: true });
    assert.deepEqual((await ask('DELETE', loan, { as: token('one') })).json, { changed: false });
    const report = await ask('POST', '/tasks/remind-overdue', { as: librarian });
    assert.deepEqual([report.status, report.json.done], [200, true], JSON.stringify(report.json));
  } finally {
    await own.stop();
  }
});

test('every command and option that the page shows exists', async () => {
  const lines = [...kPage.matchAll(/^ {4}(?:\w+=\S+ )?gateleg (.+)$/gm)].map(([, text]) => text.split(/ {2,}/)[0].split(' '));
  assert.ok(lines.length >= 12);
  for (const [command, ...words] of lines) {
    const help = gatelegOk(command, '--help');
    for (const option of words.filter((word) => /^--?[a-z]/.test(word))) assert.ok(help.includes(option), `${command} ${option}`);
    for (const format of words.find((word) => word.includes('cloudformation|'))?.split('|') ?? []) assert.ok(help.includes(format), format);
  }
});

test('every property of the language is on the page', async () => {
  const reference = kPage.slice(kPage.indexOf('## Reference'));
  const words = new Set([...reference.matchAll(/`[^`\n]+`/g)].flatMap(([code]) => code.match(/\w+/g) ?? []));
  for (const [construct, { properties }] of Object.entries(JSON.parse(gatelegOk('schema')).$defs)) {
    assert.deepEqual(Object.keys(properties).filter((name) => !words.has(name)), [], construct);
  }
});

test('every finding the page lists is one that the checker can make', async () => {
  const rows = kPage.slice(kPage.indexOf('## Findings')).split('\n').filter((line) => line.startsWith('| ')).map((line) => line.split('|')[1]);
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
    const document = gatelegOk('doc', file);
    for (const part of [/^# /, /^## Entities$/m, /^## Access patterns$/m, /^## Operations$/m, /^```mermaid\nerDiagram$/m]) assert.match(document, part);
  }
  // Built-in systems go by their names.
  for (const name of kSystems) assert.equal(gatelegOk('doc', name), gatelegOk('doc', kModels[name]), name);
});

test('openapi prints what the server serves', async () => {
  const printed = JSON.parse(gatelegOk('openapi', kModels.library));
  assert.deepEqual(printed, (await call('GET', '/v1/library/openapi.json')).json);
  const both = JSON.parse(gatelegOk('openapi', kModels.stories, kModels.library));
  assert.deepEqual(both, (await call('GET', '/openapi.json')).json);
});

test('OpenAPI documents of every system, and of all together, are valid OpenAPI 3.1', async () => {
  const files = Object.values(kModels);
  for (const list of [...files.map((file) => [file]), files]) {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(gatelegOk('openapi', ...list)));
    assert.ok(valid, `${list}: ${JSON.stringify(errors)?.slice(0, 2000)}`);
    assert.equal(validator.version, '3.1');
    assert.ok(Object.keys(validator.resolveRefs().paths).length > 0, 'every reference leads somewhere');
  }
  // The validator is no rubber stamp.
  const broken = JSON.parse(gatelegOk('openapi', kModels.library));
  delete Object.values(broken.paths)[0].get.responses;
  Object.values(broken.paths)[0].get.parameters = {};
  assert.equal((await new Validator().validate(broken)).valid, false);
}, { seconds: 180 });

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

// A small model that is right; each wrong one below differs in one thing.
const kRight = {
  model: { name: 'm', path: '/m' },
  table: { name: 't', key: { PK: 'S', SK: 'S' }, marker: 'kind', indexes: { byA: { key: { a: 'S' }, project: 'keys' } } },
  entities: {
    E: {
      keys: { PK: 'E#{id}', SK: { template: 'A#{a}', when: 'a <> null' } },
      attributes: { id: 'string!', a: { type: 'string', max: 10 }, state: ['on', 'off'], tags: { type: 'list', of: 'string', max: 3 } },
      rows: [{ put: 'F', for: 't in tags', set: { tag: '$t' } }],
      visible: 'true',
    },
    F: { keys: { PK: 'F#{tag}', SK: 'F' }, attributes: { tag: 'string!' } },
  },
  patterns: { one: { get: 'E', route: 'GET /{id}', allow: 'anyone' }, all: { query: ['E', 'F'], index: 'byA', by: ['a'], allow: 'role(admin)', order: 'desc', max_range: '31d' } },
  operations: { set: { route: ['PUT /{id}', 'POST /x/{id} state=on'], allow: 'signed_in', input: { id: 'E.id', a: 'E.a?' }, write: [{ update: 'E($id)', set: 'input', if: { Gone: 'exists' } }] } },
  jobs: { sweep: { allow: 'internal', each: 'scan(E)', run: 'set($it.id)', every: '10m' } },
  errors: { Gone: 410 },
};
const kWrong = {
  'no table': (m) => delete m.table,
  'a misspelt section': (m) => (m.entitys = {}),
  'a misspelt property of a pattern': (m) => (m.patterns.one.alow = 'anyone'),
  'a pattern without allow': (m) => delete m.patterns.one.allow,
  'an access nobody knows': (m) => (m.patterns.one.allow = 'everyone'),
  'a pattern that reads nothing': (m) => delete m.patterns.one.get,
  'an order that is none': (m) => (m.patterns.all.order = 'up'),
  'a duration without its unit': (m) => (m.patterns.all.max_range = '31'),
  'a key of another type': (m) => (m.table.key.PK = 'STRING'),
  'a key of three': (m) => (m.table.key = { A: 'S', B: 'S', C: 'S' }),
  'a projection that is none': (m) => (m.table.indexes.byA.project = 'some'),
  'an entity without keys': (m) => delete m.entities.E.keys,
  'a template with an unknown property': (m) => (m.entities.E.keys.SK.if = 'x'),
  'a type nobody knows': (m) => (m.entities.E.attributes.id = 'text!'),
  'the same in a long form': (m) => (m.entities.E.attributes.a.type = 'text'),
  'a misspelt property of an attribute': (m) => (m.entities.E.attributes.a.maximum = 3),
  'a max that is no number': (m) => (m.entities.E.attributes.a.max = 'ten'),
  'a flag that is no flag': (m) => (m.entities.E.attributes.a.hidden = 'yes please'),
  'rows that are no list': (m) => (m.entities.E.rows = { put: 'F' }),
  'a route without a method': (m) => (m.patterns.one.route = '/{id}'),
  'a step that does nothing': (m) => (m.operations.set.write = [{ set: { a: "'x'" } }]),
  'a step of an unknown verb': (m) => (m.operations.set.write = [{ insert: 'E' }]),
  'a job without its operation': (m) => delete m.jobs.sweep.run,
  'a status that is no number': (m) => (m.errors.Gone = 'gone'),
};

test('the schema takes every model there is, and refuses what the loader refuses', async () => {
  const validate = new Ajv2020.default({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(JSON.parse(gatelegOk('schema')));
  const files = [...Object.values(kModels), `${kRoot}tests/complaints/model.yaml`, `${kRoot}tests/commands/shop.yaml`, join(folder, 'page.yaml')];
  writeFileSync(files.at(-1), pageModel());
  for (const file of files) assert.ok(validate(parse(readFileSync(file, 'utf8'))), `${file}: ${JSON.stringify(validate.errors)}`);
  const file = join(folder, 'wrong.yaml');
  const loads = (model) => {
    writeFileSync(file, JSON.stringify(model));
    return !/ error Y0/.test(gateleg('check', file).out);
  };
  assert.ok(validate(kRight), JSON.stringify(validate.errors));
  assert.ok(loads(kRight));
  for (const [what, spoil] of Object.entries(kWrong)) {
    const wrong = structuredClone(kRight);
    spoil(wrong);
    assert.equal(validate(wrong), false, what);
    assert.ok(!loads(wrong) || gateleg('check', file).code !== 0, `${what}: check lets it pass`);
  }
}, { seconds: 180 });

test('a typing error is answered with what was meant', async () => {
  const file = join(folder, 'typing.yaml');
  const text = pageModel();
  for (const [right, wrong, hint] of [
    ['title:  { type: string!', 'title:  { type: sting!', "did you mean 'string'?"],
    ['fixed: { userId: caller }', 'fixd: { userId: caller }', "did you mean 'fixed'?"],
    ['AlreadyBorrowed: absent', 'AlreadyBorrowed: abesnt', "did you mean 'absent'?"],
    ['input: { bookId: Book.bookId }', 'input: { bookId: Book.boookId }', "did you mean 'bookId'?"],
    ['index: byDue', 'index: byDeu', "did you mean 'byDue'?"],
    ['"BOOK#{bookId}"', '"BOOK#{bookid}"', "did you mean 'bookId'?"],
    ['default: out', 'default: owt', "did you mean 'out'?"],
  ]) {
    assert.ok(text.includes(right), right);
    writeFileSync(file, text.replace(right, wrong));
    const { code, out } = gateleg('check', file);
    assert.equal(code, 1, wrong);
    assert.match(out, /^\S+typing\.yaml:\d+:\d+: error [A-Z]\d\d: /m);
    assert.ok(out.includes(hint), `${wrong}: ${out}`);
  }
  const missing = gateleg('check', join(folder, 'nowhere.yaml'));
  assert.match(missing.out, /nowhere\.yaml: error Y02: there is no such file/);
  const command = gateleg('chekc', file);
  assert.equal(command.code, 2);
  assert.match(command.err, /there is no command 'chekc'; did you mean 'check'\?/);
});

test('commands have help, and wrong usage is exit code 2', async () => {
  const list = gatelegOk('--help');
  assert.ok(list.split('\n').every((line) => line.length < 130), 'the list of commands fits a terminal');
  for (const command of ['openapi', 'schema', 'generate', 'export', 'import', 'check', 'doc']) {
    assert.match(gatelegOk(command, '--help'), /Usage|gateleg/i);
    if (command !== 'schema') assert.equal(gateleg(command).code, 2, command);
  }
});
