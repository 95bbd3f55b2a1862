// What must hold of a whole table after a suite: counters are their edges, guards are their owners, sums agree.

import assert from 'node:assert/strict';

// How often each value is in the list.
export function tally(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

export const sum = (items, name) => items.reduce((total, item) => total + (item[name] ?? 0), 0);

// `owners` are [id, what its counter says]; `edges` has an id for each thing that counts. Edges of owners that are gone
// are allowed only where a chore still has to remove them.
export function countersAreEdges(label, owners, edges, { orphans = false } = {}) {
  const counts = tally(edges);
  const wrong = [];
  for (const [id, count = 0] of owners) {
    if (count !== (counts.get(id) ?? 0)) wrong.push(`${id} says ${count}, has ${counts.get(id) ?? 0}`);
    counts.delete(id);
  }
  if (!orphans) for (const [id, count] of counts) wrong.push(`${id} is gone, has ${count}`);
  assert.deepEqual(wrong, [], label);
}

// `guards` and `owners` are [value, owner id]: each value once, and the same on both sides.
export function guardsAreOwners(label, guards, owners) {
  const text = (pairs) => pairs.map(([value, owner]) => `${value} of ${owner}`).sort();
  assert.deepEqual(text(guards), text(owners), label);
  assert.equal(new Set(owners.map(([value]) => value)).size, owners.length, `${label}: a value with two owners`);
}
