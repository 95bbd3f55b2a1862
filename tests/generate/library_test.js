// The sixth system, of examples/library: walked through as its members and its librarian do.

import assert from 'node:assert/strict';
import { suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';
import { call, dynamodb, kModels, kRoot, run, setClock, token } from './fixture.js';

const librarian = token('desk', ['librarian']);
const base = '/v1/library';
let isbns = 9780000000000;
let members = 0;

async function ok(status, method, path, options) {
  const reply = await call(method, base + path, options);
  assert.equal(reply.status, status, `${method} ${path}: ${JSON.stringify(reply.json)}`);
  return reply.json;
}
async function fails(code, method, path, options) {
  const reply = await call(method, base + path, options);
  assert.equal(reply.json?.error?.code, code, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.json)}`);
  return reply;
}
async function addBook(more = {}) {
  isbns += 1;
  return ok(201, 'POST', '/books', { as: librarian, body: { isbn: String(isbns), title: 'Kalila', author: 'Bidpai', ...more } });
}
async function newMember() {
  members += 1;
  const as = token(`member-${members}`);
  await ok(201, 'POST', '/me', { as, body: { name: `M ${members}`, email: `M${members}@Example.org` } });
  return as;
}

const test = suite('library', { after: async () => setClock({}) });

test('books are added by a librarian, found by id, ISBN and author', async () => {
  await fails('Unauthenticated', 'POST', '/books', { body: {} });
  await fails('Forbidden', 'POST', '/books', { as: token('someone'), body: { isbn: '9790000000001', title: 'x', author: 'y' } });
  const book = await addBook({ title: '  The   Silo ', author: 'Ada Byron' });
  assert.equal(book.title, 'The Silo');
  assert.equal(book.free, 1);
  assert.deepEqual(await ok(200, 'GET', `/books/${book.bookId}`), book);
  assert.deepEqual(await ok(200, 'GET', `/isbn/${book.isbn}`), book);
  const { items } = await ok(200, 'GET', `/authors/${encodeURIComponent('ada byron')}`);
  assert.deepEqual(items, [book]);
  await fails('IsbnTaken', 'POST', '/books', { as: librarian, body: { isbn: book.isbn, title: 'Again', author: 'x' } });
  await ok(200, 'PATCH', `/books/${book.bookId}`, { as: librarian, body: { title: 'Silo' } });
  assert.equal((await ok(200, 'GET', '/authors/ada%20byron')).items[0].title, 'Silo');
  const row = await dynamodb('GetItem', { TableName: 'library', Key: { PK: { S: 'AUTHOR#ada byron' }, SK: { S: `BOOK#${book.bookId}` } } });
  assert.equal(row.Item.title.S, 'Silo');
});

test('an address belongs to one member, and is free again when it is given up', async () => {
  const one = await newMember();
  const two = await newMember();
  const { email } = await ok(200, 'GET', '/me', { as: one });
  assert.equal(email, email.toLowerCase());
  await fails('EmailTaken', 'PATCH', '/me', { as: two, body: { email: email.toUpperCase() } });
  await ok(200, 'PATCH', '/me', { as: one, body: { email: `new-${email}` } });
  await ok(200, 'PATCH', '/me', { as: two, body: { email } });
  await fails('AlreadyMember', 'POST', '/me', { as: one, body: { name: 'x', email: 'x@y.z' } });
});

test('loans: the last copy, three at once, renewals, giving back', async () => {
  const one = await newMember();
  const two = await newMember();
  const book = await addBook();
  const loan = `/books/${book.bookId}/loan`;
  const lent = await ok(201, 'POST', loan, { as: one });
  assert.equal(lent.bookId, book.bookId);
  const late = await fails('NoneLeft', 'POST', loan, { as: two });
  assert.equal(late.status, 410);
  await fails('AlreadyBorrowed', 'POST', loan, { as: one });
  await fails('MemberNotFound', 'POST', loan, { as: token('stranger') });
  await ok(200, 'POST', `${loan}/renewal`, { as: one });
  await ok(200, 'POST', `${loan}/renewal`, { as: one });
  await fails('TooManyRenewals', 'POST', `${loan}/renewal`, { as: one });
  await fails('LoanNotFound', 'POST', `${loan}/renewal`, { as: two });
  for (let n = 0; n < 2; n += 1) await ok(201, 'POST', `/books/${(await addBook()).bookId}/loan`, { as: one });
  await fails('TooManyLoans', 'POST', `/books/${(await addBook()).bookId}/loan`, { as: one });
  assert.equal((await ok(200, 'GET', '/me/loans', { as: one })).items.length, 3);
  assert.equal((await ok(200, 'GET', '/me', { as: one })).loansOut, 3);
  assert.deepEqual(await ok(200, 'DELETE', loan, { as: one }), { changed: true });
  assert.deepEqual(await ok(200, 'DELETE', loan, { as: one }), { changed: false });
  assert.equal((await ok(200, 'GET', '/me', { as: one })).loansOut, 2);
  await ok(201, 'POST', loan, { as: two });
});

test('many members and one copy: exactly one gets it', async () => {
  const book = await addBook();
  const all = [];
  for (let n = 0; n < 8; n += 1) all.push(await newMember());
  const replies = await Promise.all(all.map((as) => call('POST', `${base}/books/${book.bookId}/loan`, { as })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(7).fill(410)]);
  assert.equal((await ok(200, 'GET', `/books/${book.bookId}`)).free, 0);
});

test('a hold lapses after two weeks, everywhere at once', async () => {
  await setClock({ now: '2030-03-01T10:00:00Z' });
  const one = await newMember();
  const two = await newMember();
  const book = await addBook();
  const hold = `/books/${book.bookId}/hold`;
  await fails('BookIsFree', 'PUT', hold, { as: two });
  await ok(201, 'POST', `/books/${book.bookId}/loan`, { as: one });
  await ok(200, 'PUT', hold, { as: two });
  assert.deepEqual(await ok(200, 'PUT', hold, { as: two }), { changed: false });
  assert.equal((await ok(200, 'GET', '/me/holds', { as: two })).items.length, 1);
  const { items } = await ok(200, 'GET', `/books/${book.bookId}/holds`, { as: librarian });
  assert.deepEqual(items.map(({ kind }) => kind), ['Book', 'Hold']);
  await setClock({ advance: 'P13D' });
  assert.equal((await ok(200, 'GET', '/me/holds', { as: two })).items.length, 1);
  await setClock({ advance: 'P2D' });
  assert.deepEqual((await ok(200, 'GET', '/me/holds', { as: two })).items, []);
  assert.equal((await ok(200, 'GET', `/books/${book.bookId}/holds`, { as: librarian })).items.length, 1);
  assert.deepEqual(await ok(200, 'DELETE', hold, { as: two }), { changed: false });
  await ok(200, 'PUT', hold, { as: two });
});

test('what is due is found by its day, and its member reminded once', async () => {
  await setClock({ now: '2031-05-01T10:00:00Z' });
  const one = await newMember();
  const book = await addBook();
  const lent = await ok(201, 'POST', `/books/${book.bookId}/loan`, { as: one });
  assert.equal(lent.dueAt, '2031-05-31T10:00:00.000Z');
  const due = () => ok(200, 'GET', '/loans?from=2031-05-30T00:00:00Z&to=2031-06-02T00:00:00Z', { as: librarian });
  assert.deepEqual((await due()).items.map(({ bookId }) => bookId), [book.bookId]);
  await fails('Forbidden', 'GET', '/loans?from=2031-05-30T00:00:00Z', { as: one });
  await ok(200, 'POST', `/books/${book.bookId}/loan/renewal`, { as: one });
  assert.deepEqual((await due()).items, [], 'a renewed loan is due on another day');
});

test('--demo fills an empty library', async () => {
  const own = await startServer({ http: true, args: ['--model', kModels.library, '--demo'] });
  try {
    const reply = await fetch(`${own.httpUrl}${base}/authors/jane%20austen`);
    const { items } = await reply.json();
    assert.deepEqual(items.map(({ title, free }) => [title, free]).sort(), [['Emma', 1], ['Persuasion', 0]]);
  } finally {
    await own.stop();
  }
});

test('the demo of its README runs', async () => {
  const done = run('/bin/bash', [`${kRoot}examples/library/demo.sh`]);
  assert.equal(done.code, 0, done.out + done.err);
  assert.match(done.out, /NoneLeft/);
  assert.match(done.out, /EmailTaken/);
}, { seconds: 120 });
