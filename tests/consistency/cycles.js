// Looks for anomalies in a history of transactions that append to lists and read them (after Elle, Kingsbury and
// Alvaro 2020). Every value is appended once, so that a list tells who wrote before whom.
//
// A transaction is {begin, end, state, operations}: state 'done', 'failed' (surely without effect) or 'open' (no
// answer); operations are {append: key, value} and {read: key, list} or, where only the length is known,
// {read: key, length}. Reads within a transaction come before its appends.

export function findAnomalies(history, { strict = true } = {}) {
  const found = [];
  const report = (type, text) => found.push({ type, text });
  const writers = collectWriters(history, report);
  const orders = versionOrders(history, writers, report);
  // An open transaction whose value was seen did happen; of the others nothing is known.
  const seen = new Set([...orders.values()].flat().map((value) => writers.get(value)?.transaction));
  const committed = history.filter((each) => each.state === 'done' || (each.state === 'open' && seen.has(each)));
  checkReads(committed, writers, report);
  checkLost(committed, orders, report);
  const graph = new Graph(committed);
  addDataEdges(graph, committed, writers, orders);
  findCycles(graph, ['ww', 'wr', 'rw'], '', report);
  if (strict && !found.some(({ type }) => type.startsWith('G'))) {
    addRealtimeEdges(graph, committed);
    findCycles(graph, ['ww', 'wr', 'rw', 'rt'], '-realtime', report);
  }
  return found;
}

// value -> {transaction, key, last}: last says whether it is the transaction's last append to that key.
function collectWriters(history, report) {
  const writers = new Map();
  for (const transaction of history) {
    const lastOf = new Map();
    for (const { append: key, value } of transaction.operations) {
      if (key === undefined) continue;
      if (writers.has(value)) report('workload', `${value} is appended twice`);
      const writer = { transaction, key, last: true };
      if (lastOf.has(key)) lastOf.get(key).last = false;
      lastOf.set(key, writer);
      writers.set(value, writer);
    }
  }
  return writers;
}

const readsOf = (transaction) => transaction.operations.filter(({ read, list }) => read !== undefined && list !== undefined);

// key -> its values in order: the longest list that was read. Every other list must be a beginning of it.
function versionOrders(history, writers, report) {
  const orders = new Map();
  const done = history.filter(({ state }) => state === 'done');
  for (const { read: key, list } of done.flatMap(readsOf)) if (list.length > (orders.get(key)?.length ?? -1)) orders.set(key, list);
  for (const { read: key, list } of done.flatMap(readsOf)) {
    const order = orders.get(key);
    if (list.some((value, at) => value !== order[at])) report('incompatible-order', `${key}: [${list}] and [${order}]`);
  }
  for (const [key, order] of orders) {
    if (new Set(order).size !== order.length) report('duplicate', `${key}: [${order}]`);
    for (const value of order) if (writers.get(value)?.key !== key) report('garbage', `${key} holds ${value}, which nobody appended`);
  }
  return orders;
}

function checkReads(committed, writers, report) {
  for (const transaction of committed)
    for (const { read: key, list } of readsOf(transaction)) {
      for (const value of list)
        if (writers.get(value)?.transaction.state === 'failed') report('G1a', `${key}: ${value} was read, its transaction had failed`);
      const writer = writers.get(list.at(-1));
      if (writer && !writer.last && writer.transaction !== transaction) report('G1b', `${key}: ${list.at(-1)} is the middle of a transaction`);
    }
}

// A read that began after an append had ended must hold it. Here only for the whole: is it in the longest list at all,
// if a read of that key began later?
function checkLost(committed, orders, report) {
  const lastRead = new Map();
  for (const transaction of committed)
    for (const { read: key } of readsOf(transaction)) lastRead.set(key, Math.max(transaction.begin, lastRead.get(key) ?? -Infinity));
  for (const { state, end, operations } of committed)
    for (const { append: key, value } of operations)
      if (key !== undefined && state === 'done' && end < lastRead.get(key) && !orders.get(key).includes(value)) report('lost', `${key}: ${value}`);
}

class Graph {
  constructor(nodes) {
    this.index = new Map(nodes.map((node, at) => [node, at]));
    this.nodes = nodes;
    this.edges = nodes.map(() => new Map());
  }

  add(from, to, kind) {
    const [a, b] = [this.index.get(from), this.index.get(to)];
    if (a === undefined || b === undefined || a === b) return;
    if (!this.edges[a].has(b)) this.edges[a].set(b, new Set());
    this.edges[a].get(b).add(kind);
  }

  // Targets of `at` over edges of these kinds.
  *next(at, kinds) {
    for (const [target, has] of this.edges[at]) if (kinds.some((kind) => has.has(kind))) yield target;
  }
}

function addDataEdges(graph, committed, writers, orders) {
  const by = (value) => writers.get(value)?.transaction;
  for (const order of orders.values()) for (let at = 1; at < order.length; at += 1) graph.add(by(order[at - 1]), by(order[at]), 'ww');
  for (const transaction of committed)
    for (const { read: key, list, length } of transaction.operations) {
      if (key === undefined || (list === undefined && length === undefined)) continue;
      const order = orders.get(key) ?? [];
      const size = list?.length ?? length;
      if (size > 0) graph.add(by(order[size - 1]), transaction, 'wr');
      // Its own append may be what comes next; the reader is then before whoever follows, and ww says so already.
      if (size < order.length) graph.add(transaction, by(order[size]), 'rw');
    }
}

// a -> b if a had ended before b began. Only the newest of those that ended are linked; the rest follows from them.
function addRealtimeEdges(graph, committed) {
  const events = committed.flatMap((transaction) => [
    { time: transaction.begin, transaction, isBegin: true },
    ...(transaction.end === Infinity ? [] : [{ time: transaction.end, transaction, isBegin: false }]),
  ]);
  events.sort((a, b) => a.time - b.time);
  let ended = [];
  const before = new Map();
  for (const { transaction, isBegin } of events) {
    if (isBegin) {
      for (const each of ended) graph.add(each, transaction, 'rt');
      before.set(transaction, new Set(ended));
    } else {
      const implied = before.get(transaction);
      ended = ended.filter((each) => !implied.has(each));
      ended.push(transaction);
    }
  }
}

// Strongly connected parts with more than one member (Tarjan, without recursion).
function components(graph, kinds) {
  const order = new Array(graph.nodes.length).fill(-1);
  const low = [...order];
  const onStack = new Array(graph.nodes.length).fill(false);
  const stack = [];
  const parts = [];
  let counter = 0;
  const open = (at) => {
    order[at] = low[at] = counter;
    counter += 1;
    stack.push(at);
    onStack[at] = true;
    return { at, targets: graph.next(at, kinds) };
  };
  for (let root = 0; root < graph.nodes.length; root += 1) {
    if (order[root] >= 0) continue;
    const frames = [open(root)];
    while (frames.length > 0) {
      const frame = frames.at(-1);
      const { value: target, done } = frame.targets.next();
      if (!done) {
        if (order[target] < 0) frames.push(open(target));
        else if (onStack[target]) low[frame.at] = Math.min(low[frame.at], order[target]);
        continue;
      }
      frames.pop();
      if (frames.length > 0) low[frames.at(-1).at] = Math.min(low[frames.at(-1).at], low[frame.at]);
      if (low[frame.at] !== order[frame.at]) continue;
      const part = stack.splice(stack.indexOf(frame.at));
      for (const at of part) onStack[at] = false;
      if (part.length > 1) parts.push(part);
    }
  }
  return parts;
}

// The names are Adya's: G0 writes only, G1c with reads of writes, G-single with one anti-dependency, G2 with more.
function findCycles(graph, kinds, suffix, report) {
  const rest = kinds.filter((kind) => kind !== 'rw');
  const show = (part) => part.slice(0, 6).map((at) => JSON.stringify(graph.nodes[at].operations)).join(' | ');
  for (const part of components(graph, kinds)) {
    const inside = new Set(part);
    const without = (list) => components(graph, list).some((each) => each.some((at) => inside.has(at)));
    let type = 'G2';
    if (without(rest.filter((kind) => kind !== 'wr'))) type = 'G0';
    else if (without(rest)) type = 'G1c';
    else if (part.some((at) => [...graph.next(at, ['rw'])].some((to) => inside.has(to) && reaches(graph, to, at, rest)))) type = 'G-single';
    report(type + suffix, show(part));
  }
}

function reaches(graph, from, to, kinds) {
  const visited = new Set([from]);
  const queue = [from];
  while (queue.length > 0) {
    const at = queue.pop();
    if (at === to) return true;
    for (const next of graph.next(at, kinds)) if (!visited.has(next)) visited.add(next) && queue.push(next);
  }
  return false;
}
