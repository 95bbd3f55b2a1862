// Is a history of operations on one item linearizable? Wing and Gong's search with Lowe's memo of what was tried.
//
// An operation is {begin, end, kind, ...}: begin and end are times on one clock, end is Infinity for one that had no
// answer. Such an operation may have taken effect at any time after its begin, or never.

// The item is a value or null (not there). step() gives the state after the operation, or undefined if the operation
// cannot have had its answer in this state.
const steps = {
  // A read saw `seen`.
  read: (state, { seen }) => (state === seen ? state : undefined),
  // Unconditional; `old` is what the answer said was there before, when it was asked for.
  put: (state, { value, old, end }) => (end === Infinity || old === undefined || old === state ? value : undefined),
  delete: (state, { old, end }) => (end === Infinity || old === undefined || old === state ? null : undefined),
  // Only if the item is not there.
  create: (state, { value, done, end }) => conditional(state, state === null, value, done, end),
  // Only if the item holds `expected`.
  swap: (state, { expected, value, done, end }) => conditional(state, state === expected, value, done, end),
  // Deletes only what holds `expected`.
  remove: (state, { expected, done, end }) => conditional(state, state === expected, null, done, end),
};

function conditional(state, holds, next, done, end) {
  if (end === Infinity) return holds ? next : state;
  if (done !== holds) return undefined;
  return done ? next : state;
}

// True if there is an order. `budget` bounds the states looked at; beyond it an Error is thrown: undecided is no proof.
export function isLinearizable(history, { initial = null, budget = 2_000_000 } = {}) {
  const operations = [...history].sort((a, b) => a.begin - b.begin);
  const words = Math.ceil(operations.length / 32);
  const taken = new Int32Array(words);
  let answered = operations.filter(({ end }) => end !== Infinity).length;
  const tried = new Set();
  let looked = 0;

  const search = (state) => {
    if (answered === 0) return true;
    const mark = `${taken.join()}|${state}`;
    if (tried.has(mark)) return false;
    tried.add(mark);
    looked += 1;
    if (looked > budget) throw new Error(`undecided after ${budget} states`);
    // Whatever began after another one's end cannot come before it.
    let limit = Infinity;
    for (let at = 0; at < operations.length; at += 1) {
      const operation = operations[at];
      if (operation.begin > limit) break;
      if (!(taken[at >> 5] & (1 << (at & 31)))) limit = Math.min(limit, operation.end);
    }
    for (let at = 0; at < operations.length; at += 1) {
      const operation = operations[at];
      if (operation.begin > limit) break;
      const bit = 1 << (at & 31);
      if (taken[at >> 5] & bit) continue;
      const next = steps[operation.kind](state, operation);
      if (next === undefined) continue;
      // An open operation that changes nothing may as well never have happened.
      if (operation.end === Infinity && next === state) continue;
      taken[at >> 5] |= bit;
      if (operation.end !== Infinity) answered -= 1;
      if (search(next)) return true;
      if (operation.end !== Infinity) answered += 1;
      taken[at >> 5] &= ~bit;
    }
    return false;
  };
  return search(initial);
}
