import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '../lib/runner.js';
import { removeDir, startServer, tempDir } from '../lib/server.js';
import { call, dynamodb, kModel, kRoot, raw, server } from './fixture.js';

const test = suite('complaints');
const gateleg = (...args) => spawnSync(process.env.GATELEG_BIN, args, { encoding: 'utf8', timeout: 60_000 });

// {code, out, err} of a command that runs while the test goes on.
function started(...args) {
  const child = spawn(process.env.GATELEG_BIN, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const done = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (done.out += chunk));
  child.stderr.on('data', (chunk) => (done.err += chunk));
  const end = new Promise((resolve) => child.on('close', (code) => resolve({ ...done, code })));
  return { end, child };
}

function growing(indexes, patterns) {
  return `
model: { name: grow, path: /grow }
table: { name: grow, key: { PK: S, SK: S }, marker: kind, indexes: { ${indexes} } }
entities:
  Item:
    keys: { PK: "ITEM#{id}", SK: "META" }
    attributes: { id: string!, a: string, b: string, n: integer }
    visible: "true"
patterns:
  item: { get: Item, route: "GET /items/{id}", allow: anyone }
${patterns}
operations:
  add: { route: "POST /items", allow: anyone, input: { id: Item.id, a: Item.a, b: Item.b, n: Item.n }, write: [{ put: Item, copy: [id, a, b, n] }] }
`;
}

test('1 random updates by eight writers at once leave no key, row or guard wrong', async () => {
  const folder = tempDir('gateleg-random');
  const data = join(folder, 'data');
  let own;
  try {
    own = await startServer({ data, http: true, args: ['--model', kModel] });
    let seed = 12345;
    const below = (n) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % n;
    };
    const pick = (...all) => all[below(all.length)];
    const requests = [
      () => ['PUT', `/tasks/r${below(6)}`, { owner: pick('Ann', 'Bob'), state: pick('open', 'done'), team: pick('red', 'blue', undefined), points: below(50) }],
      () => ['PATCH', `/tasks/r${below(6)}`, { state: pick('open', 'done', 'parked') }],
      () => ['PATCH', `/tasks/r${below(6)}`, { team: pick('red', 'blue', null), owner: pick('Ann', 'Cem') }],
      () => ['POST', `/tasks/r${below(6)}/points`, { n: 1 + below(9) }],
      () => ['DELETE', `/tasks/r${below(6)}`, undefined],
      () => ['PUT', `/users/r${below(5)}`, { email: `m${below(4)}@x.org` }],
      () => ['PATCH', `/users/r${below(5)}`, pick({ email: `m${below(4)}@x.org` }, { deleted: true }, { deleted: false })],
      () => ['DELETE', `/users/r${below(5)}`, undefined],
    ];
    const expected = ['TaskNotFound', 'TaskAlreadyExists', 'UserNotFound', 'UserAlreadyExists', 'EmailTaken', 'Unavailable'];
    let done = 0;
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 60; n += 1) {
        const [method, path, body] = pick(...requests)();
        const { status, json } = await call(method, `/v1/c${path}`, { at: own, body });
        assert.ok(status < 300 || expected.includes(json.error.code), `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(json)}`);
        done += status < 300 ? 1 : 0;
      }
    }));
    assert.ok(done > 50, `${done} requests did something`);
    const compared = gateleg('fsck', kModel, '--data', data);
    assert.equal(compared.status, 0, compared.stdout);
  } finally {
    await own?.stop();
    removeDir(folder);
  }
}, { seconds: 180 });

const S = (text) => ({ S: text });

test('3 an existing table is read, and a model proposed that fits it to the byte', async () => {
  const folder = tempDir('gateleg-infer');
  const data = join(folder, 'data');
  let own;
  try {
    own = await startServer({ data });
    await dynamodb('CreateTable', {
      TableName: 'Legacy', BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['PK', 'SK', 'GSI1PK', 'GSI1SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }, { AttributeName: 'SK', KeyType: 'RANGE' }],
      GlobalSecondaryIndexes: [{
        IndexName: 'GSI1', Projection: { ProjectionType: 'ALL' },
        KeySchema: [{ AttributeName: 'GSI1PK', KeyType: 'HASH' }, { AttributeName: 'GSI1SK', KeyType: 'RANGE' }],
      }],
    }, own);
    const items = [];
    for (let n = 1; n <= 6; n += 1) {
      items.push({ PK: S(`Cust#MiXeD-${n}`), SK: S('Profile'), Name: S(`Ada ${n}`), Old_Field: { M: { x: { N: '1' } } } });
      const day = `2025-03-0${n}`;
      items.push({
        PK: S(`Cust#MiXeD-${n}`), SK: S(`ORDER#${day}#${n}`), OrderNo: S(String(n)), placed: S(`${day}T10:00:00.000Z`), total: { N: `${n}.5` },
        GSI1PK: S(`ORDER#${n}`), GSI1SK: S(`${day}T10:00:00.000Z`), ...(n === 3 ? { Gift: { BOOL: true } } : {}),
      });
    }
    for (const Item of items) await dynamodb('PutItem', { TableName: 'Legacy', Item }, own);

    const { status, stdout, stderr } = gateleg('scan', 'Legacy', '--infer', '--data', data);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /"PK": "Cust#\{custId\}", "SK": "Profile"/);
    assert.match(stdout, /"GSI1PK": "ORDER#\{OrderNo\}"/);
    assert.match(stdout, /"SK": "ORDER#\{placed:%Y-%m-%d\}#\{OrderNo\}"/);
    assert.match(stderr, /2 kinds of items among the 12/);
    // The draft is a model: every item fits it, and nothing had to be changed for that.
    const file = join(folder, 'draft.yaml');
    writeFileSync(file, stdout);
    assert.equal(gateleg('check', file).status, 0, gateleg('check', file).stdout);
    const compared = gateleg('fsck', file, '--data', data, '--output', 'json');
    assert.equal(compared.status, 0, compared.stdout + compared.stderr);
    assert.equal(JSON.parse(compared.stdout).scanned, 12);
    const { Items } = await dynamodb('Scan', { TableName: 'Legacy', ConsistentRead: true }, own);
    const byKey = (all) => all.map((item) => JSON.stringify(Object.entries(item).sort())).sort();
    assert.deepEqual(byKey(Items), byKey(items));
    await own.stop();
    // With an operation added it is served, and an edit touches what it names alone.
    writeFileSync(file, `${stdout}\noperations:\n  rename: { route: "PATCH /{custId}", allow: anyone, input: { custId: string!, Name: string! }, write: [{ update: Cust($custId), copy: [Name] }] }\n`);
    own = await startServer({ data, http: true, args: ['--model', file] });
    const path = /path: "([^"]+)"/.exec(stdout)[1];
    assert.equal((await call('PATCH', `/v1${path}/MiXeD-2`, { at: own, body: { Name: 'ADA' } })).status, 200);
    assert.deepEqual(await raw('Cust#MiXeD-2', 'Profile', 'Legacy', own), { ...items[2], Name: S('ADA') });
  } finally {
    await own?.stop();
    removeDir(folder);
  }
}, { seconds: 120 });

function tagged(version) {
  return `
model: { name: tagged, path: /tagged }
table: { name: tagged, key: { PK: S, SK: S }, marker: kind${version === 1 ? '' : ', indexes: { byTag: { key: { tagPK: S, tagSK: S } } }'} }
entities:
  Note:
    keys: { PK: "NOTE#{id}", SK: "META"${version === 1 ? '' : ', tagPK: "TAG#{tag}", tagSK: "{rank:06}#{id}"'} }
    attributes: { id: string!, tag: { type: string!, pattern: "^[^#]+$" }, rank: { type: integer!, min: 0, max: 999999, default: 0 } }
    visible: "true"
patterns:
  note: { get: Note, route: "GET /notes/{id}", allow: anyone }
${version === 1 ? '' : '  byTag: { query: Note, index: byTag, by: [tag], all_pages: true, route: "GET /tags/{tag}", allow: anyone }'}
operations:
  add:  { route: "PUT /notes/{id}", allow: anyone, input: { id: Note.id, tag: Note.tag }, write: [{ put: Note, copy: [id, tag] }] }
  edit: { route: "PATCH /notes/{id}", allow: anyone, input: { id: Note.id, tag: { type: string, max: 40 }, rank: { type: integer, min: 0, max: 999999 } }, write: [{ update: Note($id), set: input }] }
`;
}

test('8 no migrations for item data: a new index is planned, applied and filled while writers go on', async () => {
  const folder = tempDir('gateleg-migrate');
  const file = join(folder, 'model.yaml');
  const data = join(folder, 'data');
  const kNotes = 300;
  let own;
  try {
    writeFileSync(file, tagged(1));
    own = await startServer({ data, http: true, args: ['--model', file] });
    for (let at = 0; at < kNotes; at += 25) {
      const requests = Array.from({ length: 25 }, (_, n) => ({ PutRequest: { Item: { PK: S(`NOTE#n${at + n}`), SK: S('META'), kind: S('Note'), id: S(`n${at + n}`), tag: S('old'), rank: { N: '0' } } } }));
      assert.deepEqual((await dynamodb('BatchWriteItem', { RequestItems: { tagged: requests } }, own)).UnprocessedItems, {});
    }
    await own.stop();
    writeFileSync(file, tagged(2));
    const plan = gateleg('plan', file, '--data', data);
    assert.equal(plan.status, 5, plan.stderr);
    assert.match(plan.stdout, /byTag/);
    assert.equal(gateleg('apply', file, '--data', data).status, 0);
    assert.equal(gateleg('fsck', file, '--data', data).status, 5, 'no item is in the index yet');
    own = await startServer({ data, http: true, args: ['--model', file] });

    // The first part stops after a while, the second goes on behind it; writers never wait for either.
    const cursor = join(folder, 'cursor');
    const first = gateleg('backfill', file, 'all', '--data', data, '--cursor', cursor, '--page', '10', '--max-items', '50');
    assert.equal(first.status, 5, first.stderr);
    const running = started('backfill', file, 'all', '--data', data, '--cursor', cursor, '--page', '10', '--rate', '100');
    let ended = false;
    running.end.then(() => (ended = true));
    const wanted = new Map(Array.from({ length: kNotes }, (_, n) => [`n${n}`, { tag: 'old', rank: 0 }]));
    let written = 0;
    const writer = async (lane) => {
      for (let n = lane; (!ended || written < 40) && n < 20_000; n += 4) {
        const id = `n${(n * 37) % kNotes}`;
        const change = n % 3 === 0 ? { tag: `t${n % 5}` } : { rank: n };
        const { status, json } = await call('PATCH', `/v1/tagged/notes/${id}`, { at: own, body: change });
        if (status === 503) continue; // too busy: nothing was written
        assert.equal(status, 200, JSON.stringify(json));
        wanted.set(id, { ...wanted.get(id), ...change });
        written += 1;
      }
    };
    // A lane has its own notes, for 37 n mod 300 is n mod 4.
    await Promise.all([0, 1, 2, 3].map(writer));
    const second = await running.end;
    assert.equal(second.code, 0, second.out + second.err);
    assert.ok(written >= 40);

    const compared = gateleg('fsck', file, '--data', data);
    assert.equal(compared.status, 0, compared.stdout);
    const { Items } = await dynamodb('Scan', { TableName: 'tagged', ConsistentRead: true }, own);
    assert.equal(Items.length, kNotes);
    for (const { id, tag, rank } of Items) assert.deepEqual({ tag: tag.S, rank: Number(rank.N) }, wanted.get(id.S), 'no live write is lost');
    for (const tag of ['old', 't0', 't1', 't2', 't3', 't4']) {
      const { json } = await call('GET', `/v1/tagged/tags/${tag}`, { at: own });
      const tagged = [...wanted].filter(([, note]) => note.tag === tag).map(([id]) => id);
      assert.deepEqual(json.items.map(({ id }) => id).sort(), tagged.sort(), tag);
    }
    const again = gateleg('backfill', file, 'all', '--data', data, '--output', 'json');
    assert.equal(JSON.parse(again.stdout).position.changed, 0);
  } finally {
    await own?.stop();
    removeDir(folder);
  }
}, { seconds: 240 });

test('9 index changes fail to deploy: three indexes at once on a table with items', async () => {
  const folder = tempDir('gateleg-grow');
  const file = join(folder, 'model.yaml');
  const data = join(folder, 'data');
  let own;
  try {
    writeFileSync(file, growing('', ''));
    own = await startServer({ data, http: true, args: ['--model', file] });
    for (let n = 0; n < 30; n += 1) {
      const { status } = await call('POST', '/v1/grow/items', { at: own, body: { id: `i${n}`, a: `a${n % 3}`, b: 'b', n } });
      assert.equal(status, 200);
    }
    await own.stop();
    writeFileSync(file, growing('byA: { key: { a: S, n: N } }, byB: { key: { b: S, n: N } }, byAId: { key: { a: S, id: S } }', `
  byA: { query: Item, index: byA, by: [a], route: "GET /a/{a}", allow: anyone }
  byB: { query: Item, index: byB, by: [b], range: n, route: "GET /b/{b}", allow: anyone }
  byAId: { query: Item, index: byAId, by: [a], route: "GET /aid/{a}", allow: anyone }`));
    own = await startServer({ data, http: true, args: ['--model', file] });
    const { Table } = await dynamodb('DescribeTable', { TableName: 'grow' }, own);
    assert.deepEqual(Table.GlobalSecondaryIndexes.map(({ IndexName, IndexStatus }) => `${IndexName} ${IndexStatus}`).sort(), ['byA ACTIVE', 'byAId ACTIVE', 'byB ACTIVE']);
    assert.equal((await call('GET', '/v1/grow/a/a1', { at: own })).json.items.length, 10);
    assert.equal((await call('GET', '/v1/grow/b/b?limit=100', { at: own })).json.items.length, 30);
    assert.equal((await call('GET', '/v1/grow/aid/a2', { at: own })).json.items.length, 10);
  } finally {
    await own?.stop();
    removeDir(folder);
  }
}, { seconds: 120 });

test('12 no OpenAPI, or an old one: 3.1, with exactly the errors of each call', async () => {
  const { json } = await call('GET', '/openapi.json');
  assert.equal(json.openapi, '3.1.0');
  const { responses } = json.paths['/v1/c/transfers'].post;
  const codes = Object.values(responses).flatMap(({ description }) => description.split(', '));
  for (const code of ['AccountClosed', 'InsufficientFunds', 'TargetClosed', 'AccountNotFound', 'SameAccount']) assert.ok(codes.includes(code), code);
  assert.ok(!codes.includes('EmailTaken'));
  assert.match(responses['402'].description, /^InsufficientFunds$/);
});

test('12 OpenAPI by rights: with ?mine=1 it holds what its reader may call', async () => {
  const secret = 'a secret that only this test knows, 32+ bytes';
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (roles) => {
    const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: 'someone', roles, exp: Math.floor(Date.now() / 1000) + 3600 })}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const own = await startServer({ http: true, args: ['--model', `${kRoot}examples/library/model.yaml`], env: { GATELEG_JWT_SECRET: secret } });
  try {
    const read = async (path, roles) => {
      const { status, json } = await call('GET', path, { at: own, headers: roles ? { authorization: `Bearer ${token(roles)}` } : {} });
      assert.equal(status, 200, path);
      return json;
    };
    const operations = ({ paths }) => Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    const whole = await read('/openapi.json');
    const nobody = await read('/openapi.json?mine=1');
    const member = await read('/openapi.json?mine=1', ['user']);
    const librarian = await read('/v1/library/openapi.json?mine=1', ['librarian', 'of no importance']);
    const borrow = 'post /v1/library/books/{bookId}/loan';
    const add = 'post /v1/library/books';
    assert.ok([borrow, add].every((one) => operations(whole).includes(one)), 'who asks for it gets everything');
    assert.ok(operations(nobody).includes('get /v1/library/books/{bookId}'));
    assert.deepEqual([borrow, add].filter((one) => operations(nobody).includes(one)), []);
    assert.deepEqual([borrow, add].filter((one) => operations(member).includes(one)), [borrow]);
    assert.deepEqual([borrow, add].filter((one) => operations(librarian).includes(one)), [borrow, add]);
    // What only others are answered with is not described either, and what is named is there.
    assert.ok('Member' in whole.components.schemas && !('Member' in nobody.components.schemas));
    for (const document of [nobody, member, librarian]) {
      const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
      assert.deepEqual(named.filter((name) => !(name in document.components.schemas)), []);
    }
    assert.deepEqual(await read('/openapi.json?system=library&mine=1', ['librarian']), librarian);
    // What it leaves out is refused, what it names is not.
    assert.equal((await call('POST', '/v1/library/books', { at: own, body: {} })).status, 401);
    assert.equal((await call('GET', '/openapi.json?system=nowhere&mine=1', { at: own })).status, 404);
  } finally {
    await own.stop();
  }
});

test('12 clients are untyped: one is generated, with those errors in its types', async () => {
  const { status, stdout } = gateleg('generate', 'typescript', kModel);
  assert.equal(status, 0);
  const line = /^export type TransferError = (.*);$/m.exec(stdout)[1];
  for (const code of ['AccountClosed', 'InsufficientFunds', 'TargetClosed']) assert.ok(line.includes(`"${code}"`), code);
  assert.match(stdout, /state\?: "open" \| "done" \| "parked";/);
});

test('14 hot partitions are left to the user: the checker names them', async () => {
  const folder = tempDir('gateleg-hot');
  try {
    const file = join(folder, 'model.yaml');
    const text = readFileSync(kModel, 'utf8').replace('teamPK: { template: "TEAM#{team}", when: "state = open" }', 'teamPK: "TEAM"').replace('index: byTeam, by: [team]', 'index: byTeam').replace('/teams/{team}', '/teams');
    writeFileSync(file, text);
    const { stdout } = gateleg('check', file);
    assert.match(stdout, /warning K07: entity Task: every item has the partition .TEAM./);
    assert.ok(!/K07/.test(gateleg('check', kModel).stdout));
  } finally {
    removeDir(folder);
  }
});

test('the table is defined twice, in code and for deployment: here it is printed from the one model', async () => {
  const { stdout } = gateleg('export', kModel, '--format', 'cloudformation');
  const { Properties } = Object.values(JSON.parse(stdout).Resources)[0];
  const { Table } = await dynamodb('DescribeTable', { TableName: 'complaints' }, server);
  assert.deepEqual(Properties.KeySchema, Table.KeySchema);
  assert.deepEqual(Properties.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort(), Table.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort());
});

test('every complaint has its test', async () => {
  const folder = `${kRoot}tests/complaints/`;
  const text = readdirSync(folder).filter((name) => name.endsWith('_test.js')).map((name) => readFileSync(folder + name, 'utf8')).join('\n');
  const numbers = new Set([...text.matchAll(/^test\('(\d+) /gm)].map(([, number]) => Number(number)));
  assert.deepEqual([...numbers].sort((a, b) => a - b), Array.from({ length: 15 }, (_, n) => n + 1));
});
