// Differential test: random operations on the server and on a naive model must give the same answers.
// GATELEG_MODEL_OPS and GATELEG_MODEL_SEED change the run; GATELEG_TEST_ENDPOINT the server.

import assert from 'node:assert/strict';
import http from 'node:http';
import { tableRequest } from '../lib/dynamo.js';
import { runAll, suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { Generator, Writer } from './generate.js';
import { canonicalItem, holds, Model, project, Refused, applyUpdate } from './model.js';

const kRounds = 20;
const kOps = Math.ceil(Number(process.env.GATELEG_MODEL_OPS ?? 20_000) / kRounds);
const kSeed = Number(process.env.GATELEG_MODEL_SEED ?? 1);
const server = process.env.GATELEG_TEST_ENDPOINT ? undefined : await startServer();
const base = new URL(process.env.GATELEG_TEST_ENDPOINT ?? server.url);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function call(operation, request) {
  const body = JSON.stringify(request);
  return new Promise((resolve, reject) => {
    const sent = http.request(
      {
        hostname: base.hostname,
        port: base.port,
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'content-length': Buffer.byteLength(body),
          'x-amz-target': `DynamoDB_20120810.${operation}`,
          'x-amz-date': '20250101T000000Z',
          authorization:
            'AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=00',
        },
      },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8');
        reply.on('data', (chunk) => {
          text += chunk;
        });
        reply.on('end', () => {
          const json = JSON.parse(text);
          if (reply.statusCode === 200) resolve(json);
          else
            reject(
              Object.assign(new Refused(json.__type.split('#').at(-1)), {
                said: json.message,
                reasons: json.CancellationReasons,
              }),
            );
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

// What happened, in a form that can be compared: a value, or the name of the error.
async function outcome(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return {
      error: error.name,
      ...(error.reasons ? { reasons: error.reasons.map(({ Code }) => Code) } : {}),
      said: error.said,
    };
  }
}

class Round {
  constructor(seed, table) {
    this.gen = new Generator(seed);
    this.random = this.gen.random;
    this.table = table;
    this.model = new Model();
  }

  async same(label, request, expected, got) {
    const strip = ({ said, ...rest } = {}) => rest;
    assert.deepEqual(strip(got), strip(expected), `${label} ${JSON.stringify(request)}\nsaid: ${got?.said}`);
  }

  maybeCondition(writer) {
    return this.random.chance(0.4) ? this.gen.condition(writer) : undefined;
  }

  async step() {
    const roll = this.random.below(100);
    if (roll < 25) return this.put();
    if (roll < 50) return this.update();
    if (roll < 57) return this.remove();
    if (roll < 67) return this.get();
    if (roll < 79) return this.query();
    if (roll < 88) return this.queryIndex();
    if (roll < 93) return this.scan();
    return this.transact();
  }

  async put() {
    const writer = new Writer();
    const item = this.gen.item();
    const condition = this.maybeCondition(writer);
    const request = {
      TableName: this.table,
      Item: item,
      ReturnValues: 'ALL_OLD',
      ...(condition ? { ConditionExpression: condition.text } : {}),
      ...writer.parameters(),
    };
    const expected = await outcome(() => ({ old: canonicalItem(this.model.put(item, condition?.tree)) }));
    await this.same(
      'PutItem',
      request,
      expected,
      await outcome(async () => ({ old: canonicalItem((await call('PutItem', request)).Attributes) })),
    );
  }

  async remove() {
    const writer = new Writer();
    const key = this.gen.key();
    const condition = this.maybeCondition(writer);
    const request = {
      TableName: this.table,
      Key: key,
      ReturnValues: 'ALL_OLD',
      ...(condition ? { ConditionExpression: condition.text } : {}),
      ...writer.parameters(),
    };
    const expected = await outcome(() => ({ old: canonicalItem(this.model.remove(key, condition?.tree)) }));
    await this.same(
      'DeleteItem',
      request,
      expected,
      await outcome(async () => ({ old: canonicalItem((await call('DeleteItem', request)).Attributes) })),
    );
  }

  // Left out, for AWS documents it nowhere: on an item that is not there, REMOVE of a nested path beside
  // other actions, and an update that only takes away (with REMOVE alone no item is created).
  fittingUpdate(key) {
    for (;;) {
      const writer = new Writer();
      const update = this.gen.update(writer);
      const { set, add, remove } = update.actions;
      const gives = set.length + add.length > 0 && remove.every(({ path }) => path.length === 1);
      if (this.model.get(key) || gives) return { ...update, writer };
    }
  }

  async update() {
    const key = this.gen.key();
    const { actions, text, writer } = this.fittingUpdate(key);
    const condition = this.maybeCondition(writer);
    const ReturnValues = this.random.pick(['ALL_OLD', 'ALL_NEW', 'NONE']);
    const request = {
      TableName: this.table,
      Key: key,
      UpdateExpression: text,
      ReturnValues,
      ...(condition ? { ConditionExpression: condition.text } : {}),
      ...writer.parameters(),
    };
    const expected = await outcome(() => {
      const { old, fresh } = this.model.update(key, actions, condition?.tree);
      return { got: canonicalItem({ ALL_OLD: old, ALL_NEW: fresh }[ReturnValues]) };
    });
    await this.same(
      'UpdateItem',
      request,
      expected,
      await outcome(async () => ({ got: canonicalItem((await call('UpdateItem', request)).Attributes) })),
    );
  }

  async get() {
    const writer = new Writer();
    const key = this.gen.key();
    const projection = this.gen.projection(writer);
    const request = {
      TableName: this.table,
      Key: key,
      ConsistentRead: true,
      ...(projection ? { ProjectionExpression: projection.text } : {}),
      ...writer.parameters(),
    };
    const item = this.model.get(key);
    const expected = { item: item && canonicalItem(project(item, projection?.paths)) };
    await this.same(
      'GetItem',
      request,
      expected,
      await outcome(async () => ({ item: canonicalItem((await call('GetItem', request)).Item) })),
    );
  }

  // Follows all pages; each page must hold what `Limit` says. Items in the order they came.
  async pages(operation, request, read, Limit) {
    const items = [];
    let scanned = 0;
    let start;
    do {
      const reply = await call(operation, { ...request, ...(start ? { ExclusiveStartKey: start } : {}) });
      const wanted = Math.min(Limit ?? Infinity, read.length - scanned);
      assert.deepEqual(
        [reply.ScannedCount, reply.Count],
        [wanted, reply.Items.length],
        `page at ${scanned} of ${JSON.stringify(request)}`,
      );
      items.push(...reply.Items.map(canonicalItem));
      scanned += reply.ScannedCount;
      start = reply.LastEvaluatedKey;
      assert.ok(
        start || scanned === read.length,
        `ended after ${scanned} of ${read.length}: ${JSON.stringify(request)}`,
      );
    } while (start);
    return items;
  }

  async read(operation, keys, writer, condition, more, unordered) {
    const filterRoots = ['a', 'b', 'c', 'd', 'm', 'l'];
    const filter = this.random.chance(0.5) ? this.gen.condition(writer, filterRoots) : undefined;
    const projection = this.random.chance(0.3) ? this.gen.projection(writer) : undefined;
    const read = this.model.select(keys, condition?.tree, filter?.tree, more.ScanIndexForward);
    const Limit = this.random.chance(0.6) ? 1 + this.random.below(read.length + 2) : undefined;
    const request = {
      TableName: this.table,
      ...more,
      ...(Limit ? { Limit } : {}),
      ...(condition ? { KeyConditionExpression: condition.text } : {}),
      ...(filter ? { FilterExpression: filter.text } : {}),
      ...(projection ? { ProjectionExpression: projection.text } : {}),
      ...writer.parameters(),
    };
    const expected = read
      .filter(({ passes }) => passes)
      .map(({ item }) => canonicalItem(project(item, projection?.paths)));
    const got = await outcome(() => this.pages(operation, request, read, Limit));
    const sorted = (list) =>
      unordered && Array.isArray(list)
        ? [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
        : list;
    assert.deepEqual(sorted(got), sorted(expected), `${operation} ${JSON.stringify(request)}`);
  }

  query() {
    const writer = new Writer();
    const condition = this.gen.keyCondition(writer, 'pk', 'sk', this.gen.key().pk);
    return this.read('Query', ['pk', 'sk'], writer, condition, {
      ConsistentRead: true,
      ScanIndexForward: this.random.chance(0.5),
    });
  }

  queryIndex() {
    const writer = new Writer();
    const condition = this.gen.keyCondition(writer, 'g', 'gs', this.gen.field('g'));
    return this.read(
      'Query',
      ['g', 'gs'],
      writer,
      condition,
      { IndexName: 'byG', ScanIndexForward: this.random.chance(0.5) },
      true,
    );
  }

  scan() {
    const index = this.random.chance(0.4);
    return this.read(
      'Scan',
      index ? ['g', 'gs'] : ['pk', 'sk'],
      new Writer(),
      undefined,
      index ? { IndexName: 'byG' } : { ConsistentRead: true },
      true,
    );
  }

  async transact() {
    const keys = new Map();
    for (let n = 1 + this.random.below(6); n > 0; n -= 1) {
      const key = this.gen.key();
      keys.set(Model.id(key), key);
    }
    const plans = [...keys.values()].map((key) => this.plan(key));
    const expected = await outcome(() => {
      const results = plans.map(({ attempt }) => {
        try {
          return { write: attempt() };
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return { code: error.name === 'ValidationException' ? 'ValidationError' : 'ConditionalCheckFailed' };
        }
      });
      if (results.some(({ code }) => code))
        throw Object.assign(new Refused('TransactionCanceledException'), {
          reasons: results.map(({ code }) => ({ Code: code ?? 'None' })),
        });
      for (const { write } of results) write();
      return {};
    });
    const request = { TransactItems: plans.map(({ action }) => action) };
    await this.same(
      'TransactWriteItems',
      request,
      expected,
      await outcome(async () => {
        await call('TransactWriteItems', request);
        return {};
      }),
    );
  }

  // One action: as the server takes it, and as an attempt that gives the write to do, or throws.
  plan(key) {
    const kind = this.random.pick(['Put', 'Update', 'Delete', 'ConditionCheck']);
    const old = () => this.model.get(key);
    const item = { ...this.gen.item(), ...key };
    const update = kind === 'Update' ? this.fittingUpdate(key) : undefined;
    const writer = update?.writer ?? new Writer();
    const condition = kind === 'ConditionCheck' || this.random.chance(0.2) ? this.gen.condition(writer) : undefined;
    const body = {
      TableName: this.table,
      ...(kind === 'Put' ? { Item: item } : { Key: key }),
      ...(update ? { UpdateExpression: update.text } : {}),
      ...(condition ? { ConditionExpression: condition.text } : {}),
      ...writer.parameters(),
    };
    const attempt = () => {
      if (condition && !holds(condition.tree, old() ?? {})) throw new Refused('ConditionalCheckFailedException');
      if (kind === 'Update') applyUpdate(old() ?? structuredClone(key), update.actions);
      return () => {
        if (kind === 'Put') this.model.put(item);
        else if (kind === 'Update') this.model.update(key, update.actions);
        else if (kind === 'Delete') this.model.remove(key);
      };
    };
    return { action: { [kind]: body }, attempt };
  }
}

const test = suite('model');
for (let round = 0; round < kRounds; round += 1) {
  const seed = kSeed * 1000 + round;
  test(`${kOps} random operations, seed ${seed}`, async () => {
    const table = `model-${seed}`;
    await call('CreateTable', tableRequest(table, { key: 'pk:S sk:N', gsi: { byG: 'g:S gs:N' } }));
    while ((await call('DescribeTable', { TableName: table })).Table.TableStatus !== 'ACTIVE');
    const state = new Round(seed, table);
    for (let n = 0; n < kOps; n += 1) {
      await state.step().catch((error) => {
        error.message = `operation ${n}: ${error.message}`;
        throw error;
      });
    }
    await call('DeleteTable', { TableName: table });
    console.log(`     counts model operations=${kOps}`);
  });
}
const failed = await runAll({ filter: process.argv[2] });
agent.destroy();
if (server) await server.stop();
process.exit(failed > 0 ? 1 : 0);
