// Where things lie that an item is about: partitions whose key can be made from what the item knows.

import type { Model } from '../api/models';
import { type Item, itemBytes, typeOf, valueOf, writeUnits } from './attribute';
import { entityOf, keyValues, parseTemplate } from './key_template';

export interface Reference {
  partition: string;
  sort: string | null; // the exact item, when its sort key is known as well
  entity: string;
}

// A key from a template, or null when a part of it is not known. Formats are left alone: only the server knows them all.
export function renderKey(template: string, known: Record<string, string>): string | null {
  let text = '';
  for (const segment of parseTemplate(template)) {
    if ('literal' in segment) text += segment.literal;
    else if (segment.format === '' && known[segment.name] !== undefined) text += known[segment.name]!;
    else return null;
  }
  return text;
}

const variablesOf = (template: string) => parseTemplate(template).flatMap((segment) => ('name' in segment ? [segment.name] : []));

function known(item: Item, model: Model): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(item)) if (['S', 'N'].includes(typeOf(value))) values[name] = String(valueOf(value));
  const entity = entityOf(item, model);
  return { ...(entity ? keyValues(item, entity) : {}), ...values };
}

export function referencesOf(item: Item, model: Model, most = 8): Reference[] {
  const [hash, sort] = model.table.key.map(({ name }) => name);
  const values = known(item, model);
  const own = String(valueOf(item[hash!]));
  const self = entityOf(item, model)?.name;
  const found = new Map<string, Reference>();
  const add = (partition: string | null, sortKey: string | null, entity: string) => {
    if (partition && partition !== own && !found.has(partition)) found.set(partition, { partition, sort: sortKey, entity });
  };
  for (const entity of model.entities) {
    const template = hash ? entity.keys[hash]?.template : undefined;
    if (entity.builtIn || !template) continue;
    const variables = variablesOf(template);
    if (variables.length === 0) continue;
    const sortTemplate = sort ? entity.keys[sort]?.template : undefined;
    const sortKey = sortTemplate ? renderKey(sortTemplate, values) : null;
    if (entity.name !== self) add(renderKey(template, values), sortKey, entity.name);
    // `sourceUserId` names the user whose key is USER#{userId} or USER#{id}.
    if (variables.length !== 1) continue;
    const word = variables[0] === 'id' ? `${entity.name}Id` : variables[0]!;
    const ending = word.charAt(0).toUpperCase() + word.slice(1);
    const snake = word.replace(/[A-Z]/g, (letter, at: number) => (at > 0 ? '_' : '') + letter.toLowerCase());
    for (const [name, value] of Object.entries(values)) {
      if (!(name.endsWith(ending) || name === ending.charAt(0).toLowerCase() + ending.slice(1) || name === snake || name.endsWith(`_${snake}`))) continue;
      const as = { [variables[0]!]: value };
      add(renderKey(template, as), sortTemplate ? renderKey(sortTemplate, as) : null, entity.name);
    }
  }
  return [...found.values()].slice(0, most);
}

export interface IndexEntry {
  index: string;
  missing: string[]; // key attributes it lacks: then it is not in the index
  left: string[]; // attributes that the index does not hold
  bytes: number;
}

// What an index keeps of an item, by DynamoDB's rules.
export function indexEntryOf(item: Item, tableKeys: readonly string[], index: { IndexName: string; KeySchema: { AttributeName: string }[]; Projection: { ProjectionType: string; NonKeyAttributes?: string[] } }): IndexEntry {
  const keys = index.KeySchema.map(({ AttributeName }) => AttributeName);
  const missing = keys.filter((name) => item[name] === undefined);
  const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
  const holds = (name: string) => ProjectionType === 'ALL' || tableKeys.includes(name) || keys.includes(name) || NonKeyAttributes.includes(name);
  const kept = Object.fromEntries(Object.entries(item).filter(([name]) => holds(name)));
  return { index: index.IndexName, missing, left: missing.length > 0 ? [] : Object.keys(item).filter((name) => !holds(name)), bytes: missing.length > 0 ? 0 : itemBytes(kept) };
}

// A put of a new item writes the table and each index that holds it.
export const unitsToWrite = (bytes: number, entries: readonly IndexEntry[]) => writeUnits(bytes) + entries.reduce((sum, entry) => sum + (entry.missing.length > 0 ? 0 : writeUnits(entry.bytes)), 0);
