// What holds of the whole table of moderation after everything else.

import assert from 'node:assert/strict';
import { countersAreEdges, guardsAreOwners } from '../lib/invariants.js';
import { suite } from '../lib/runner.js';
import { fsckFindsNothing } from '../lib/system.js';
import { scan, server } from './moderation_fixture.js';

const test = suite('moderation invariants');
const dayOf = (millis) => new Date(millis).toISOString().slice(0, 10).replaceAll('-', '');

test('MO-A13 MO-R8 MO-R9: counts are the items, reporters their marks, guards the open items', async () => {
  const items = await scan();
  const open = items.filter(({ pk, sk }) => pk.startsWith('moderation#') && sk.startsWith('media#'));
  const archived = items
    .filter(({ pk, sk }) => pk.startsWith('moderation#') && sk.startsWith('archived#'))
    .map((item) => ({ ...item, submittedAt: Number(item.sk.slice('archived#'.length)) }));
  const counts = items.filter(({ pk }) => pk.startsWith('count#'));
  countersAreEdges(
    'items of a day',
    counts.map(({ pk, sk, n }) => [`${pk.slice('count#'.length)} ${sk}`, n]),
    [...open, ...archived].map(({ submittedAt, status, priority }) => `${dayOf(submittedAt)} ${status}#${priority}`),
  );
  const reports = items.filter(({ pk }) => pk.startsWith('reports#'));
  countersAreEdges(
    'reporters',
    reports.filter(({ sk }) => sk === 'META').map(({ pk, reporters }) => [pk, reporters]),
    reports.filter(({ sk }) => sk.startsWith('by#')).map(({ pk }) => pk),
  );
  const pending = open.filter(({ status }) => status === 'pending');
  const guardOf = ({ type, contentId, reporterId }) => (type === 'report' ? `UNIQUE#REPORT#${contentId}#${reporterId}` : `UNIQUE#CONTENT#${contentId}#${type}`);
  guardsAreOwners(
    'open items',
    items.filter(({ pk }) => pk.startsWith('UNIQUE#')).map(({ pk, moderationId }) => [pk, moderationId]),
    pending.map((item) => [guardOf(item), item.moderationId]),
  );
  assert.ok(open.every(({ status, queueKey }) => (status === 'pending') === (queueKey !== undefined)));
});

test('fsck finds nothing', () => fsckFindsNothing(server, 'moderation'));
