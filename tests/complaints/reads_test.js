import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { call, dynamodb, fails, ids, ok, setClock } from './fixture.js';

const test = suite('complaints', { after: async () => setClock({}) });

// Tasks straight into the table, 25 a request.
async function fill(owner, count, isFlagged) {
  const all = Array.from({ length: count }, (_, n) => {
    const id = `${owner}-${String(n).padStart(5, '0')}`;
    return {
      PutRequest: {
        Item: {
          PK: { S: `TASK#${id}` }, SK: { S: 'META' }, kind: { S: 'Task' }, id: { S: id }, owner: { S: owner }, state: { S: 'open' },
          points: { N: '0' }, version: { N: '1' }, flag: { BOOL: isFlagged(n) }, statePK: { S: `STATE#${owner}#open` }, stateSK: { S: `000000#${id}` },
        },
      },
    };
  });
  for (let at = 0; at < all.length; at += 25) {
    const { UnprocessedItems } = await dynamodb('BatchWriteItem', { RequestItems: { complaints: all.slice(at, at + 25) } });
    assert.deepEqual(UnprocessedItems, {});
  }
}
async function pagesOf(path, limit) {
  const pages = [];
  let cursor = null;
  do {
    const query = `?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
    const page = await ok('GET', path + query);
    pages.push(page);
    cursor = page.cursor;
  } while (cursor);
  return pages;
}

test('5 limit is applied before the filter: pages of nought to three', async () => {
  await fill('Eve', 200, (n) => n % 20 === 0);
  const pages = await pagesOf('/owners/Eve/open/flagged', 4);
  assert.deepEqual(pages.slice(0, 2).map(({ items }) => items.length), [4, 4]);
  assert.equal(pages.flatMap(({ items }) => items).length, 10);
});

test('5 a walk that finds little ends at a budget, and says so', async () => {
  await fill('Fay', 2300, (n) => n === 2299);
  const pages = await pagesOf('/owners/Fay/open/flagged', 5);
  assert.ok(pages.length > 1);
  assert.equal(pages[0].partial, true);
  assert.deepEqual(pages.flatMap(ids), ['Fay-02299']);
}, { seconds: 120 });

test('10 item collections: several entities in one read, told apart, one union in OpenAPI', async () => {
  await ok('POST', '/albums/a1/photos', { photos: ['p1', 'p2'] });
  const { items } = await ok('GET', '/albums/a1');
  assert.deepEqual(items.map(({ kind }) => kind), ['Album', 'Photo', 'Photo']);
  const { json } = await call('GET', '/v1/c/openapi.json');
  const schema = json.paths['/v1/c/albums/{albumId}'].get.responses['200'].content['application/json'].schema;
  const item = schema.properties.items.items;
  assert.equal(item.discriminator.propertyName, 'kind');
  assert.deepEqual(Object.keys(item.discriminator.mapping), ['Album', 'Photo']);
});

test('11 batch limits leak: more than a hundred are loaded in one answer', async () => {
  await fill('Gus', 150, () => false);
  const wanted = Array.from({ length: 150 }, (_, n) => `Gus-${String(n).padStart(5, '0')}`);
  for (let at = 0; at < 150; at += 75) await ok('POST', '/lists/l1', { ids: wanted.slice(at, at + 75) });
  const answer = await ok('GET', '/lists/l1');
  assert.deepEqual(ids(answer), wanted, 'in the order of the list');
  assert.equal(answer.cursor, null);
});

test('13 ranges on composed sort keys lose their last items', async () => {
  const times = ['2025-01-31T23:59:59.999Z', '2025-02-01T00:00:00.000Z', '2025-02-14T12:00:00.500Z', '2025-02-28T23:59:59.999Z', '2025-03-01T00:00:00.000Z'];
  for (const [n, at] of times.entries()) await ok('POST', '/logs/m', { at, id: `Z${n}` });
  const range = (from, to) => ok('GET', `/logs/m?from=${from}&to=${to}`);
  assert.deepEqual(ids(await range('2025-02-01T00:00:00Z', '2025-02-28T23:59:59.999Z')), ['Z1', 'Z2', 'Z3']);
  assert.deepEqual(ids(await range('2025-02-14T12:00:00.500Z', '2025-02-14T12:00:00.500Z')), ['Z2']);
  // The same moment written without its fraction is the same moment.
  assert.deepEqual(ids(await range('2025-02-01T00:00:00Z', '2025-02-01T00:00:00Z')), ['Z1']);
  assert.deepEqual(ids(await range('2025-02-01T01:00:00%2B01:00', '2025-02-01T00:00:00Z')), ['Z1']);
});

test('13 a prefix finds its neighbours: 1 and 10', async () => {
  for (const log of ['x1', 'x10']) await ok('POST', `/logs/${log}`, { at: '2025-01-01T00:00:00Z', id: log });
  assert.deepEqual(ids(await ok('GET', '/logs/x1')), ['x1']);
  await fails('ValidationFailed', 'POST', '/tasks/nope/points', { n: 'many' });
});

test('15 expired items are still returned', async () => {
  await setClock({ now: '2032-01-01T00:00:00Z' });
  await ok('PUT', '/users/e1', { email: 'e1@x.org', ttl: '2032-01-01T01:00:00Z' });
  await ok('GET', '/users/e1');
  await setClock({ now: '2032-01-01T01:00:00Z' });
  await fails('UserNotFound', 'GET', '/users/e1');
  await fails('UserNotFound', 'PATCH', '/users/e1', { email: 'e2@x.org' });
  await ok('PUT', '/users/e1', { email: 'e1@x.org' });
  await setClock({});
});
