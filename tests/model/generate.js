// Random operations from a seed, each as a tree for the model and as text for the server.

export class Random {
  constructor(seed) {
    this.state = (seed * 2654435761 + 1) >>> 0;
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  chance(share) {
    return this.next() < share;
  }
}

const kFields = ['a', 'b', 'c', 'd', 'm', 'l', 'g', 'gs'];
const kStrings = ['', 'a', 'ab', 'abc', 'b', 'ba', 'Z', '~'];

// Writes expressions: names and values become placeholders.
export class Writer {
  constructor() {
    this.names = {};
    this.values = {};
  }

  name(field) {
    const key = `#${field}`;
    this.names[key] = field;
    return key;
  }

  value(value) {
    const key = `:v${Object.keys(this.values).length}`;
    this.values[key] = value;
    return key;
  }

  path(path) {
    return path
      .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at ? '.' : ''}${this.name(step)}`))
      .join('');
  }

  parameters() {
    return {
      ...(Object.keys(this.names).length ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length ? { ExpressionAttributeValues: this.values } : {}),
    };
  }
}

export class Generator {
  constructor(seed) {
    this.random = new Random(seed);
  }

  number() {
    return { N: String((this.random.below(81) - 40) / this.random.pick([1, 1, 2, 4])) };
  }

  string() {
    return { S: this.random.pick(kStrings) };
  }

  scalar() {
    return this.random.chance(0.5) ? this.number() : this.string();
  }

  set() {
    const count = 1 + this.random.below(3);
    if (this.random.chance(0.5))
      return { SS: [...new Set(Array.from({ length: count }, () => this.random.pick(kStrings)))] };
    return { NS: [...new Set(Array.from({ length: count }, () => String(this.random.below(6))))] };
  }

  value(depth = 0) {
    const roll = this.random.below(depth > 1 ? 6 : 10);
    if (roll < 2) return this.number();
    if (roll < 4) return this.string();
    if (roll === 4) return this.random.chance(0.5) ? { BOOL: this.random.chance(0.5) } : { NULL: true };
    if (roll === 5) return this.set();
    if (roll < 8) return { L: Array.from({ length: this.random.below(4) }, () => this.value(depth + 1)) };
    return {
      M: Object.fromEntries(
        ['x', 'y', 'z'].filter(() => this.random.chance(0.5)).map((name) => [name, this.value(depth + 1)]),
      ),
    };
  }

  key() {
    return { pk: { S: `p${this.random.below(5)}` }, sk: { N: String(this.random.below(12)) } };
  }

  field(name) {
    if (name === 'g') return { S: `g${this.random.below(3)}` };
    if (name === 'gs') return { N: String(this.random.below(5)) };
    if (name === 'm' && this.random.chance(0.7)) return { M: { x: this.value(1), y: this.number() } };
    if (name === 'l' && this.random.chance(0.7))
      return { L: Array.from({ length: this.random.below(4) }, () => this.value(1)) };
    return this.value();
  }

  item() {
    const item = this.key();
    for (const name of kFields) if (this.random.chance(0.5)) item[name] = this.field(name);
    return item;
  }

  path(root = this.random.pick(kFields)) {
    if (root === 'm' && this.random.chance(0.6)) return ['m', this.random.pick(['x', 'y', 'z'])];
    if (root === 'l' && this.random.chance(0.6)) return ['l', this.random.below(5)];
    return [root];
  }

  // {tree, text}; `roots` are the attributes it may speak of.
  condition(writer, roots = kFields, depth = 0) {
    const path = this.path(this.random.pick(roots));
    const write = () => writer.path(path);
    const kind = this.random.below(depth > 2 ? 9 : 13);
    const operator = this.random.pick(['=', '<>', '<', '<=', '>', '>=']);
    if (kind < 2) {
      const value = ['=', '<>'].includes(operator) ? this.value(1) : this.scalar();
      return { tree: { is: 'compare', operator, path, value }, text: `${write()} ${operator} ${writer.value(value)}` };
    }
    if (kind === 2) {
      const [low, high] = this.random.chance(0.5)
        ? [this.number(), this.number()].sort((a, b) => a.N - b.N)
        : [this.string(), this.string()].sort((a, b) => Buffer.compare(Buffer.from(a.S), Buffer.from(b.S)));
      return {
        tree: { is: 'between', path, low, high },
        text: `${write()} BETWEEN ${writer.value(low)} AND ${writer.value(high)}`,
      };
    }
    if (kind === 3) {
      const values = Array.from({ length: 1 + this.random.below(4) }, () => this.scalar());
      return {
        tree: { is: 'in', path, values },
        text: `${write()} IN (${values.map((value) => writer.value(value)).join(', ')})`,
      };
    }
    if (kind === 4) return { tree: { is: 'exists', path }, text: `attribute_exists(${write()})` };
    if (kind === 5) return { tree: { is: 'not_exists', path }, text: `attribute_not_exists(${write()})` };
    if (kind === 6) {
      const type = this.random.pick(['S', 'N', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS']);
      return { tree: { is: 'type', path, type }, text: `attribute_type(${write()}, ${writer.value({ S: type })})` };
    }
    if (kind === 7) {
      const value = this.string();
      return this.random.chance(0.5)
        ? { tree: { is: 'begins_with', path, value }, text: `begins_with(${write()}, ${writer.value(value)})` }
        : { tree: { is: 'contains', path, value }, text: `contains(${write()}, ${writer.value(value)})` };
    }
    if (kind === 8) {
      const value = { N: String(this.random.below(4)) };
      const sign = operator === '<>' ? '=' : operator;
      return {
        tree: { is: 'size', operator: sign, path, value },
        text: `size(${write()}) ${sign} ${writer.value(value)}`,
      };
    }
    if (kind === 9) {
      const inner = this.condition(writer, roots, depth + 1);
      return {
        tree: { is: 'not', inner: inner.tree },
        text: `NOT ${inner.compound ? `(${inner.text})` : inner.text}`,
        compound: true,
      };
    }
    const [left, right] = [this.condition(writer, roots, depth + 1), this.condition(writer, roots, depth + 1)];
    const is = kind < 12 ? 'and' : 'or';
    const wrap = ({ text, compound }) => (compound ? `(${text})` : text);
    return {
      tree: { is, left: left.tree, right: right.tree },
      text: `${wrap(left)} ${is.toUpperCase()} ${wrap(right)}`,
      compound: true,
    };
  }

  operand(writer, root) {
    const kind = this.random.below(7);
    if (kind < 2 || root === 'g' || root === 'gs') {
      const value = this.field(root);
      return { tree: { is: 'value', value }, text: writer.value(value) };
    }
    const source = this.path(this.random.pick(['a', 'b', 'c', 'd', 'm', 'l']));
    if (kind === 2) return { tree: { is: 'path', path: source }, text: writer.path(source) };
    if (kind === 3) {
      const value = this.value(1);
      return {
        tree: { is: 'if_not_exists', path: source, otherwise: { is: 'value', value } },
        text: `if_not_exists(${writer.path(source)}, ${writer.value(value)})`,
      };
    }
    if (kind === 4) {
      const value = { L: [this.scalar()] };
      return {
        tree: {
          is: 'list_append',
          left: { is: 'if_not_exists', path: ['l'], otherwise: { is: 'value', value: { L: [] } } },
          right: { is: 'value', value },
        },
        text: `list_append(if_not_exists(${writer.path(['l'])}, ${writer.value({ L: [] })}), ${writer.value(value)})`,
      };
    }
    const value = this.number();
    const is = kind === 5 ? 'plus' : 'minus';
    return {
      tree: { is, left: { is: 'path', path: source }, right: { is: 'value', value } },
      text: `${writer.path(source)} ${is === 'plus' ? '+' : '-'} ${writer.value(value)}`,
    };
  }

  update(writer) {
    const actions = { set: [], remove: [], add: [], delete: [] };
    const texts = { set: [], remove: [], add: [], delete: [] };
    const roots = kFields.filter(() => this.random.chance(0.3));
    for (const root of roots.length ? roots : ['a']) {
      const path = this.path(root);
      const kind =
        root === 'g' || root === 'gs'
          ? this.random.pick(['set', 'remove'])
          : this.random.pick(['set', 'set', 'set', 'remove', 'add', 'delete']);
      if (kind === 'set') {
        const { tree, text } = this.operand(writer, root);
        actions.set.push({ path, to: tree });
        texts.set.push(`${writer.path(path)} = ${text}`);
      } else if (kind === 'remove') {
        actions.remove.push({ path });
        texts.remove.push(writer.path(path));
      } else {
        const value = kind === 'add' && this.random.chance(0.5) ? this.number() : this.set();
        const target = kind === 'add' ? path : [root];
        actions[kind].push({ path: target, value });
        texts[kind].push(`${writer.path(target)} ${writer.value(value)}`);
      }
    }
    const text = Object.entries(texts)
      .filter(([, list]) => list.length)
      .map(([kind, list]) => `${kind.toUpperCase()} ${list.join(', ')}`)
      .join(' ');
    return { actions, text };
  }

  projection(writer) {
    const paths = [...new Set(['pk', 'sk', ...kFields].filter(() => this.random.chance(0.4)))].map((root) =>
      this.path(root),
    );
    return paths.length ? { paths, text: paths.map((path) => writer.path(path)).join(', ') } : undefined;
  }

  // A condition on a partition and perhaps a range of its sort key.
  keyCondition(writer, hash, range, hashValue) {
    const partition = {
      tree: { is: 'compare', operator: '=', path: [hash], value: hashValue },
      text: `${writer.path([hash])} = ${writer.value(hashValue)}`,
    };
    if (this.random.chance(0.4)) return partition;
    const number = () => ({ N: String(this.random.below(12)) });
    let sort;
    if (this.random.chance(0.3)) {
      const [low, high] = [number(), number()].sort((a, b) => a.N - b.N);
      sort = {
        tree: { is: 'between', path: [range], low, high },
        text: `${writer.path([range])} BETWEEN ${writer.value(low)} AND ${writer.value(high)}`,
      };
    } else {
      const operator = this.random.pick(['=', '<', '<=', '>', '>=']);
      const value = number();
      sort = {
        tree: { is: 'compare', operator, path: [range], value },
        text: `${writer.path([range])} ${operator} ${writer.value(value)}`,
      };
    }
    return { tree: { is: 'and', left: partition.tree, right: sort.tree }, text: `${partition.text} AND ${sort.text}` };
  }
}
