// A question that a model cannot answer yet: which index would, with which keys, and the model's text with both in it.

import type { Entity, Index, Model, Pattern } from '../api/models';

export interface Wanted {
  name: string; // of the pattern
  entity: string;
  by: string[]; // attributes that are given, in this order
  sort: string | null; // the answer is in the order of this one
}

export interface Suggestion {
  index: Index;
  isNew: boolean; // else it is there, and this entity does not use it yet
  keys: Record<string, string>; // key attribute to template, of the entity
  query: string; // the pattern as a line of the model
}

const kNumbers = new Set(['integer', 'number', 'epoch_s', 'epoch_ms']);
const kScalars = new Set([...kNumbers, 'string', 'ulid', 'uuid', 'timestamp', 'enum', 'boolean']);

// What can be part of a key.
export const keyableOf = (entity: Entity) => entity.attributes.filter((attribute) => !attribute.hidden && kScalars.has(attribute.type)).map(({ name }) => name);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const shout = (text: string) => text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
const camel = (text: string) => text.replace(/[^A-Za-z0-9]+(.)?/g, (_, next?: string) => (next ?? '').toUpperCase());

const manyOf = (text: string) => (/(s|x|ch|sh)$/.test(text) ? `${text}es` : /[^aeiou]y$/.test(text) ? `${text.slice(0, -1)}ies` : `${text}s`);

export const patternName = ({ entity, by }: Pick<Wanted, 'entity' | 'by'>) => camel(`${entity.charAt(0).toLowerCase()}${manyOf(entity.slice(1))}By${by.map((name) => capital(camel(name))).join('And')}`);

// A pattern that answers already.
export function answering(model: Model, { entity, by }: Wanted): Pattern | null {
  const asked = [...by].sort().join();
  return (
    model.patterns.find((pattern) => {
      const needed = pattern.params.filter(({ required }) => required).map(({ name }) => name);
      return pattern.entities[0] === entity && pattern.kind === 'query' && needed.sort().join() === asked;
    }) ?? null
  );
}

// An index with keys of its own that no item of the entity has: it can take them in without a change of the table.
function freeIndex(model: Model, entity: Entity): Index | null {
  const isFree = ({ name, type }: { name: string; type: string }) => type === 'S' && !entity.keys[name] && !entity.attributes.some((attribute) => attribute.name === name);
  return model.table.indexes.find(({ key, project }) => project === 'all' && key.length === 2 && key.every(isFree)) ?? null;
}

export function suggest(model: Model, wanted: Wanted): Suggestion | null {
  const entity = model.entities.find(({ name }) => name === wanted.entity);
  if (!entity || wanted.by.length === 0) return null;
  const sort = entity.attributes.find(({ name }) => name === wanted.sort);
  const isNumber = sort !== undefined && kNumbers.has(sort.type);
  // A number as text would sort 10 before 9: it needs an index whose sort key is the attribute itself.
  const free = isNumber ? null : freeIndex(model, entity);
  const named = `by${wanted.by.map((name) => capital(camel(name))).join('')}`;
  let name = named;
  for (let n = 2; model.table.indexes.some((index) => index.name === name); n += 1) name = `${named}${n}`;
  const index: Index = free ?? { name, key: [{ name: `${name}_pk`, type: 'S' }, ...(isNumber ? [{ name: sort.name, type: 'N' }] : [{ name: `${name}_sk`, type: 'S' }])], project: 'all' };
  const keys: Record<string, string> = { [index.key[0]!.name]: `${shout(wanted.entity)}#${wanted.by.map((each) => `{${each}}`).join('#')}` };
  // Without an order of its own the answer has that of the table's sort key.
  const order = sort ? [sort.name] : templateNames(entity.keys[model.table.key.at(-1)!.name]?.template ?? '');
  if (!isNumber) keys[index.key[1]!.name] = order.length > 0 ? order.map((each) => `{${each}}`).join('#') : 'META';
  const range = sort ? `, range: ${sort.name}` : '';
  return { index, isNew: free === null, keys, query: `${wanted.name}: { query: ${wanted.entity}, index: ${index.name}, by: [${wanted.by.join(', ')}]${range}, allow: "role(admin)" }` };
}

const templateNames = (template: string) => [...template.matchAll(/\{(\w+)[^}]*\}/g)].map((match) => match[1]!);

const indentOf = (line: string) => line.length - line.trimStart().length;
const isBlank = (line: string) => /^\s*(#.*)?$/.test(line);

// The lines of the block behind `at`: those that are further in. Comments and empty lines at its end stay outside.
function blockEnd(lines: readonly string[], at: number): number {
  const depth = indentOf(lines[at]!);
  let end = at + 1;
  for (let n = at + 1; n < lines.length && (isBlank(lines[n]!) || indentOf(lines[n]!) > depth); n += 1) if (!isBlank(lines[n]!)) end = n + 1;
  return end;
}

function findKey(lines: readonly string[], name: string, depth: number, from: number, to: number): number {
  const head = new RegExp(`^ {${depth}}(${name.replace(/[^\w]/g, '\\$&')}|"${name.replace(/[^\w]/g, '\\$&')}"):`);
  for (let n = from; n < to; n += 1) if (head.test(lines[n]!)) return n;
  throw new Error(`The text of the model has no ${name} where it is expected`);
}

// Where the `{` at `open` is closed, past texts and comments.
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const c = text[at]!;
    if (c === '"' || c === "'") {
      for (at += 1; at < text.length && text[at] !== c; at += 1) if (c === '"' && text[at] === '\\') at += 1;
    } else if (c === '#' && /\s/.test(text[at - 1] ?? ' ')) {
      while (at + 1 < text.length && text[at + 1] !== '\n') at += 1;
    } else if (c === '{') depth += 1;
    else if (c === '}' && (depth -= 1) === 0) return at;
  }
  throw new Error('The text of the model has a { without its }');
}

// The text with the index, the keys and the pattern added, and nothing else changed.
export function withPattern(yaml: string, wanted: Wanted, { index, isNew, keys, query }: Suggestion): string {
  const lines = yaml.split('\n');
  const patterns = findKey(lines, 'patterns', 0, 0, lines.length);
  lines.splice(blockEnd(lines, patterns), 0, `  ${query}`);

  const entities = findKey(lines, 'entities', 0, 0, lines.length);
  const entity = findKey(lines, wanted.entity, 2, entities, lines.length);
  const at = findKey(lines, 'keys', 4, entity + 1, blockEnd(lines, entity));
  const added = Object.entries(keys).map(([name, template]) => `${name}: "${template}"`);
  if (/^ {4}keys:\s*\{/.test(lines[at]!)) {
    const rest = lines.slice(at).join('\n');
    const end = closing(rest, rest.indexOf('{'));
    lines.splice(at, lines.length - at, ...`${rest.slice(0, end).trimEnd()}, ${added.join(', ')} ${rest.slice(end)}`.split('\n'));
  } else {
    lines.splice(blockEnd(lines, at), 0, ...added.map((line) => `      ${line}`));
  }

  if (isNew) {
    const line = `    ${index.name}: { key: { ${index.key.map(({ name, type }) => `${name}: ${type}`).join(', ')} } }`;
    const table = findKey(lines, 'table', 0, 0, lines.length);
    const end = blockEnd(lines, table);
    const has = lines.slice(table, end).some((each) => /^ {2}indexes:/.test(each));
    if (has) lines.splice(blockEnd(lines, findKey(lines, 'indexes', 2, table, end)), 0, line);
    else lines.splice(end, 0, '  indexes:', line);
  }
  return lines.join('\n');
}

// The lines of `after` that are not in `before`, for a look before anything is done.
export function addedLines(before: string, after: string): string[] {
  const left = new Map<string, number>();
  for (const line of before.split('\n')) left.set(line, (left.get(line) ?? 0) + 1);
  return after.split('\n').filter((line) => {
    const n = left.get(line) ?? 0;
    left.set(line, n - 1);
    return n <= 0;
  });
}

// What makes the index on the table.
export const indexRequest = (table: string, definitions: readonly { AttributeName: string; AttributeType: string }[], index: Index) => {
  const all = new Map(definitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]));
  for (const { name, type } of index.key) all.set(name, type);
  return {
    TableName: table,
    AttributeDefinitions: [...all].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    GlobalSecondaryIndexUpdates: [
      { Create: { IndexName: index.name, KeySchema: index.key.map(({ name }, at) => ({ AttributeName: name, KeyType: at === 0 ? 'HASH' : 'RANGE' })), Projection: { ProjectionType: 'ALL' } } },
    ],
  };
};
