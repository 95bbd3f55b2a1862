// A server with moderation, its callers, a clock that tests set, and the table behind it.

import assert from 'node:assert/strict';
import { caller, requests, setClock as moveClock, startSystem, table, times } from '../lib/system.js';

export const server = await startSystem('moderation');
export const { call, ok, fails } = requests(server, '/v1/moderation');
const moderation = table(server, 'moderation', ['pk', 'sk']);
export const { dynamodb, partition: rows, scan } = moderation;

// --- callers

let made = 0;
export const newId = (prefix) => {
  made += 1;
  return `${prefix}-${made}`;
};
export const newUser = () => caller(newId('user'), 'user');
export const newModerator = () => caller(newId('moderator'), 'moderator');
export const moderator = newModerator();
export const other = newModerator();
export const admin = caller('the-admin', 'admin');
export const service = caller('the-service', 'service');

// --- requests

// How many of them answered with each status, such as {200: 1, 409: 49}.
export function statuses(replies) {
  const counts = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

// --- what most tests begin with

export const submit = (user, more = {}, options = {}) =>
  ok(201, 'POST', '/items', { user, body: { userId: user.sub, contentId: newId('content'), type: 'image', ...more }, ...options });
export const report = (reporter, userId, contentId, reason = 'spam') =>
  ok(201, 'POST', '/reports', { user: reporter, body: { userId, contentId, reason } });
export const decide = (action, id, reason, by = moderator) =>
  ok(200, 'POST', `/items/${id}/${action}`, { user: by, body: reason === undefined ? {} : { reason } });
export const get = (id, user = moderator) => ok(200, 'GET', `/items/${id}`, { user });

// Every item of a list, page by page.
export async function list(query, { limit = 100, path = '/items', user = moderator } = {}) {
  const items = [];
  let cursor = '';
  for (let page = 0; page < 1000; page += 1) {
    const text = new URLSearchParams({ ...query, limit, ...(cursor ? { cursor } : {}) });
    const json = await ok(200, 'GET', `${path}?${text}`, { user });
    assert.ok(json.items.length <= limit);
    items.push(...json.items);
    if (!json.cursor) return items;
    cursor = json.cursor;
  }
  throw new Error('a list without an end');
}
export const ids = (items) => items.map(({ moderationId }) => moderationId);

// --- time

export const setClock = (change) => moveClock(server, change);
export const freeze = async (now) => {
  await setClock({ now });
  return Date.parse(now);
};
export const advance = (duration) => setClock({ advance: duration });

// A day that no other test uses, so that lists over all users show this test's items only.
let days = 0;
export async function ownDay(time = '10:00:00.000') {
  days += 1;
  const date = new Date(Date.UTC(2015, 0, 1 + days * 10)).toISOString().slice(0, 10);
  const start = Date.parse(`${date}T00:00:00Z`);
  await freeze(`${date}T${time}Z`);
  return { date, compact: date.replaceAll('-', ''), start, end: start + 86_400_000 - 1, range: { from: start, to: start + 86_400_000 - 1 } };
}

// --- the table

export const indexRows = (index, names, condition, values) =>
  moderation.query({
    IndexName: index,
    KeyConditionExpression: condition,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  });

export async function outboxRows() {
  const slots = await times(16, (slot) => rows(`OUTBOX#${String(slot).padStart(2, '0')}`));
  return slots.flat();
}
