// What holds of the whole table of membership after everything else.

import { countersAreEdges } from '../lib/invariants.js';
import { fsckFindsNothing } from '../lib/system.js';
import { prove, scan, server, suite } from './membership_fixture.js';

const test = suite('membership invariants');

test('ME-R18: balance = lots = ledger for every member there is', async () => {
  const members = new Set((await scan(({ SK }) => SK.startsWith('CREDITS#'))).map(({ PK }) => PK.slice('USER#'.length)));
  for (const sub of members) await prove({ sub });
});

test('ME-R14: what waits in a reservation is not in a lot as well; a grant happened once', async () => {
  const items = await scan();
  const grants = items.filter(({ SK }) => SK.startsWith('GRANT#'));
  const lots = items.filter(({ SK }) => SK.startsWith('CREDITS#LOT#'));
  const granted = grants.filter(({ lotId }) => lotId !== undefined);
  // Each lot comes from one grant at most.
  const known = new Set(granted.map(({ PK, lotId }) => `${PK} ${lotId}`));
  countersAreEdges('grants of a lot', [...known].map((id) => [id, 1]), granted.map(({ PK, lotId }) => `${PK} ${lotId}`));
  countersAreEdges('lots by id', lots.map(({ PK, lotId }) => [`${PK} ${lotId}`, 1]), lots.map(({ PK, lotId }) => `${PK} ${lotId}`));
});

test('fsck finds nothing', () => fsckFindsNothing(server, 'membership'));
