// Row 54: model files that are broken, hostile or wrong are refused with file, line and column, quickly.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';

let folder;
const test = suite('models', {
  before: async () => {
    folder = tempDir();
  },
  after: async () => removeDir(folder),
});

const good = readFileSync(new URL('../../examples/library/model.yaml', import.meta.url), 'utf8');
function check(text) {
  const file = join(folder, 'model.yaml');
  writeFileSync(file, text);
  return { file, ...spawnSync(process.env.GATELEG_BIN, ['check', file], { encoding: 'utf8', timeout: 120_000 }) };
}
function refuses(text, pattern) {
  const { file, status, signal, stdout, stderr } = check(text);
  const said = stdout + stderr;
  assert.equal(signal, null, `ended by ${signal}: ${said.slice(-500)}`);
  assert.ok(status > 0, `accepted: ${said.slice(0, 500)}`);
  assert.match(said, new RegExp(`${file.replaceAll('.', '\\.')}:\\d+:\\d+: `), said.slice(0, 500));
  if (pattern) assert.match(said, pattern, said.slice(0, 500));
  assert.ok(said.length < 200_000, `${said.length} bytes of complaints`);
}

test('the model these are made from is good', async () => {
  const { status, stdout, stderr } = check(good);
  assert.equal(status, 0, stdout + stderr);
});

test('row 54: an alias bomb', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < 12; n += 1) lines.push(`a${n}: &a${n} [${Array(10).fill(`*a${n - 1}`).join(', ')}]`);
  refuses(lines.join('\n'), /alias|anchor/);
  refuses(`${good}\nmore: &x 1\nthen: *x\n`, /alias|anchor/);
});

test('row 54: 10 MB, a hundred thousand nodes, ten thousand levels', async () => {
  refuses(`${good}\n# ${'x'.repeat(10 << 20)}\n`);
  refuses(`${good}\nmany: [${Array(100_000).fill('1').join(', ')}]\n`);
  refuses(`${good}\ndeep: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`);
  refuses(`${good}\ndeep: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}\n`);
});

test('row 54: tags, tabs, two documents, merge keys', async () => {
  refuses(`${good}\nx: !!python/object/apply:os.system ["id"]\n`);
  refuses(`${good}\nx: !custom 1\n`);
  refuses(good.replace('\n  ', '\n\t'));
  refuses(`${good}\n---\n${good}`, /one YAML document|document/);
  refuses(`${good}\n<<: {a: 1}\n`);
});

test('row 54: a key twice, an unknown field, text that is no YAML', async () => {
  const first = /^([a-z]\w*):/m.exec(good)[1];
  refuses(`${good}\n${first}: again\n`);
  refuses(`${good}\nno-such-field: 1\n`, /no-such-field/);
  for (const text of ['', '[]', '{', 'a: b: c', '\0\0\0', '\xff\xfe', '%YAML 9.9\n---\n', '"', "a: 'x", '- 1\nb: 2', '@', '`']) {
    const { status, signal } = check(text);
    assert.ok(status > 0 && signal === null, `${JSON.stringify(text)}: ${status} ${signal}`);
  }
});

test('row 54: a key template with a field that is not there', async () => {
  const template = /\{[a-zA-Z]\w*\}/.exec(good)?.[0];
  assert.ok(template, 'the example has a key template');
  refuses(good.replaceAll(template, '{noSuchField}'), /noSuchField/);
});

test('row 54: every beginning of a model, and a byte changed here and there', async () => {
  for (let n = 1; n <= 12; n += 1) {
    const { status, signal } = check(good.slice(0, Math.floor((good.length * n) / 13)));
    assert.ok(status !== null && signal === null, `cut at ${n}/13: ${signal}`);
  }
  for (let n = 1; n <= 24; n += 1) {
    const at = Math.floor((good.length * n) / 25);
    const { status, signal } = check(good.slice(0, at) + ':{[#&*!|>\'"%@`\t\0'[n % 14] + good.slice(at + 1));
    assert.ok(status !== null && signal === null, `changed at ${at}: ${signal}`);
  }
}, { seconds: 240 });

test('row 54: serve says the same and does not start', async () => {
  const file = join(folder, 'model.yaml');
  writeFileSync(file, `${good}\nno-such-field: 1\n`);
  const error = await startServer({ http: true, args: ['--model', file] }).then(
    async (server) => {
      await server.stop();
      return null;
    },
    (each) => each,
  );
  assert.ok(error, 'it started');
  assert.match(error.server.log, /model\.yaml:\d+:\d+: .*no-such-field/);
  assert.equal((await error.server.exited).code, 2);
});
