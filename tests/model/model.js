// DynamoDB as naively as can be said: a Map of items, conditions and updates as trees, sort and slice.
// Shares no code with the server and none with the SDK. Values are in wire form; numbers are small
// multiples of 1/4, so that doubles are exact.

export class Refused extends Error {
  constructor(name) {
    super(name);
    this.name = name;
  }
}
const kInvalid = 'ValidationException';

export const typeOf = (value) => Object.keys(value)[0];

// Equal values have equal text: map members and set elements sorted, numbers as doubles.
export function canonical(value) {
  if (value === undefined) return undefined;
  const type = typeOf(value);
  const inner = value[type];
  switch (type) {
    case 'N':
      return { N: Number(inner) };
    case 'SS':
      return { SS: [...inner].sort() };
    case 'NS':
      return { NS: inner.map(Number).sort((a, b) => a - b) };
    case 'L':
      return { L: inner.map(canonical) };
    case 'M':
      return { M: canonicalItem(inner) };
    default:
      return value;
  }
}
export function canonicalItem(item) {
  return (
    item &&
    Object.fromEntries(
      Object.keys(item)
        .sort()
        .map((name) => [name, canonical(item[name])]),
    )
  );
}
const text = (value) => JSON.stringify(canonical(value));
const equal = (a, b) => text(a) === text(b);

// Path: ['m', 'x'] or ['l', 0]. Undefined when there is nothing.
export function lookUp(item, path) {
  let value = item[path[0]];
  for (const step of path.slice(1)) {
    if (value === undefined) return undefined;
    value = typeof step === 'number' ? value.L?.[step] : value.M?.[step];
  }
  return value;
}

function order(a, b) {
  const [x, y] = [Object.values(a)[0], Object.values(b)[0]];
  if (typeOf(a) === 'N') return Math.sign(Number(x) - Number(y));
  return Math.sign(Buffer.compare(Buffer.from(x), Buffer.from(y)));
}
function compare(operator, a, b) {
  if (operator === '=') return a !== undefined && b !== undefined && equal(a, b);
  if (operator === '<>') return a === undefined || b === undefined || !equal(a, b);
  if (a === undefined || b === undefined || typeOf(a) !== typeOf(b) || !['S', 'N', 'B'].includes(typeOf(a)))
    return false;
  const sign = order(a, b);
  return { '<': sign < 0, '<=': sign <= 0, '>': sign > 0, '>=': sign >= 0 }[operator];
}
function sizeOf(value) {
  if (value === undefined) return undefined;
  const type = typeOf(value);
  const inner = value[type];
  if (type === 'S') return { N: String(Buffer.byteLength(inner)) };
  if (['L', 'SS', 'NS'].includes(type)) return { N: String(inner.length) };
  return type === 'M' ? { N: String(Object.keys(inner).length) } : undefined;
}
function contains(value, operand) {
  if (value === undefined) return false;
  const [type, kind] = [typeOf(value), typeOf(operand)];
  if (type === 'S') return kind === 'S' && value.S.includes(operand.S);
  if (type === 'L') return value.L.some((each) => equal(each, operand));
  if (type === 'SS') return kind === 'S' && value.SS.includes(operand.S);
  return type === 'NS' && kind === 'N' && value.NS.some((each) => Number(each) === Number(operand.N));
}

export function holds(tree, item) {
  const at = (path) => lookUp(item, path);
  switch (tree.is) {
    case 'and':
      return holds(tree.left, item) && holds(tree.right, item);
    case 'or':
      return holds(tree.left, item) || holds(tree.right, item);
    case 'not':
      return !holds(tree.inner, item);
    case 'compare':
      return compare(tree.operator, at(tree.path), tree.value);
    case 'compare_paths':
      return compare(tree.operator, at(tree.path), at(tree.other));
    case 'size':
      return compare(tree.operator, sizeOf(at(tree.path)), tree.value);
    case 'between':
      return compare('>=', at(tree.path), tree.low) && compare('<=', at(tree.path), tree.high);
    case 'in':
      return tree.values.some((value) => compare('=', at(tree.path), value));
    case 'exists':
      return at(tree.path) !== undefined;
    case 'not_exists':
      return at(tree.path) === undefined;
    case 'type':
      return at(tree.path) !== undefined && typeOf(at(tree.path)) === tree.type;
    case 'begins_with':
      return at(tree.path)?.S?.startsWith(tree.value.S) ?? false;
    case 'contains':
      return contains(at(tree.path), tree.value);
    default:
      throw new Error(`no such condition ${tree.is}`);
  }
}

function operand(tree, old) {
  switch (tree.is) {
    case 'value':
      return tree.value;
    case 'path': {
      const value = lookUp(old, tree.path);
      if (value === undefined) throw new Refused(kInvalid);
      return value;
    }
    case 'if_not_exists':
      return lookUp(old, tree.path) ?? operand(tree.otherwise, old);
    case 'list_append': {
      const [left, right] = [operand(tree.left, old), operand(tree.right, old)];
      if (!left.L || !right.L) throw new Refused(kInvalid);
      return { L: [...left.L, ...right.L] };
    }
    case 'plus':
    case 'minus': {
      const [left, right] = [operand(tree.left, old), operand(tree.right, old)];
      if (left.N === undefined || right.N === undefined) throw new Refused(kInvalid);
      return { N: String(tree.is === 'plus' ? Number(left.N) + Number(right.N) : Number(left.N) - Number(right.N)) };
    }
    default:
      throw new Error(`no such operand ${tree.is}`);
  }
}

// The container that holds the last step of a path; refused when the way is not there.
function parentOf(item, path) {
  if (path.length === 1) return item;
  const parent = lookUp(item, path.slice(0, -1));
  const inner = typeof path.at(-1) === 'number' ? parent?.L : parent?.M;
  if (inner === undefined) throw new Refused(kInvalid);
  return inner;
}

function added(old, value) {
  if (old === undefined) return value;
  const type = typeOf(value);
  if (typeOf(old) !== type) throw new Refused(kInvalid);
  if (type === 'N') return { N: String(Number(old.N) + Number(value.N)) };
  const known = new Set(old[type].map((each) => text({ [type[0]]: each })));
  return { [type]: [...old[type], ...value[type].filter((each) => !known.has(text({ [type[0]]: each })))] };
}
function removed(old, value) {
  if (old === undefined) return undefined;
  const type = typeOf(value);
  if (typeOf(old) !== type) throw new Refused(kInvalid);
  const gone = new Set(value[type].map((each) => text({ [type[0]]: each })));
  const rest = old[type].filter((each) => !gone.has(text({ [type[0]]: each })));
  return rest.length > 0 ? { [type]: rest } : undefined;
}

// actions: {set: [{path, to}], remove: [{path}], add: [{path, value}], delete: [{path, value}]}
export function applyUpdate(old, actions) {
  const item = structuredClone(old);
  const writes = [];
  for (const { path, to } of actions.set) writes.push([path, operand(to, old)]);
  for (const { path, value } of actions.add) writes.push([path, added(lookUp(old, path), value)]);
  for (const { path, value } of actions.delete) writes.push([path, removed(lookUp(old, path), value)]);
  for (const { path } of actions.remove) writes.push([path, undefined]);
  const late = [];
  for (const [path, value] of writes) {
    const parent = parentOf(item, path);
    const last = path.at(-1);
    if (typeof last === 'number') late.push([parent, last, value]);
    else if (value === undefined) delete parent[last];
    else parent[last] = structuredClone(value);
  }
  // Elements past the end in order of their index; removals from the back.
  for (const [list, index, value] of late.filter((each) => each[2] !== undefined).sort((a, b) => a[1] - b[1])) {
    if (index < list.length) list[index] = structuredClone(value);
    else list.push(structuredClone(value));
  }
  for (const [list, index] of late.filter((each) => each[2] === undefined).sort((a, b) => b[1] - a[1])) {
    if (index < list.length) list.splice(index, 1);
  }
  return item;
}

export function project(item, paths) {
  if (!paths) return item;
  const result = {};
  const lists = new Map();
  for (const path of paths) {
    const value = lookUp(item, path);
    if (value === undefined) continue;
    const [root, step] = path;
    if (path.length === 1) result[root] = value;
    else if (typeof step === 'number') lists.set(root, [...(lists.get(root) ?? []), [step, value]]);
    else (result[root] ??= { M: {} }).M[step] = value;
  }
  for (const [root, elements] of lists)
    result[root] = { L: elements.sort((a, b) => a[0] - b[0]).map(([, value]) => value) };
  return result;
}

export class Model {
  constructor() {
    this.items = new Map();
  }

  static id(key) {
    return text({ M: { pk: key.pk, sk: key.sk } });
  }

  get(key) {
    return this.items.get(Model.id(key));
  }

  put(item, condition) {
    this.check(item, condition);
    const old = this.get(item);
    this.items.set(Model.id(item), structuredClone(item));
    return old;
  }

  remove(key, condition) {
    this.check(key, condition);
    const old = this.get(key);
    this.items.delete(Model.id(key));
    return old;
  }

  update(key, actions, condition) {
    this.check(key, condition);
    const old = this.get(key);
    const fresh = applyUpdate(old ?? structuredClone(key), actions);
    this.items.set(Model.id(key), fresh);
    return { old, fresh };
  }

  check(key, condition) {
    if (condition && !holds(condition, this.get(key) ?? {})) throw new Refused('ConditionalCheckFailedException');
  }

  // All items with these key attributes that pass, in key order: [{item, passes}].
  select(keys, condition, filter, forward = true) {
    const list = [...this.items.values()].filter(
      (item) => keys.every((name) => item[name] !== undefined) && (!condition || holds(condition, item)),
    );
    const sort = keys.at(-1);
    list.sort((a, b) => (forward ? 1 : -1) * order(a[sort], b[sort]));
    return list.map((item) => ({ item, passes: !filter || holds(filter, item) }));
  }
}
