// Partitions with their items, as the collections page draws them.

import type { PartitionPage } from '../api/dynamodb';
import type { Entity, Model } from '../api/models';
import { type Attribute, type Item, typeOf, valueOf } from './attribute';
import { decodeKey, entityOf } from './key_template';
import type { ReadRange } from './read_range';

export interface Chip {
  id: string; // the primary key: the same in every index
  item: Item;
  bytes: number;
  entity: Entity | null;
  label: string;
}

export interface Partition {
  id: string;
  key: Attribute;
  chips: Chip[];
  bytes: number;
  more: boolean;
}

export interface View {
  hash: string;
  sort: string | undefined;
  tableKeys: readonly string[];
}

// A chip is as wide as the size of its item, in doublings: a kilobyte is four steps wider than 64 bytes.
export function chipWidth(bytes: number): number {
  return Math.round(44 + 16 * Math.max(0, Math.log2(Math.max(bytes, 1) / 48)));
}

export const idOf = (item: Item, keys: readonly string[]) => JSON.stringify(keys.map((name) => item[name] ?? null));

const kNaming = ['title', 'name', 'display_name', 'username', 'email', 'contentId', 'tag', 'prompt', 'action', 'feature', 'kind', 'interactionType'];
const kOpaque = /^([0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}|\d{10,15}|\d{4}-\d\d-\d\dT.*)$/i;

// Ids by their end, which differs; times without the century.
export function shortened(text: string): string {
  if (!kOpaque.test(text)) return text;
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return text.slice(5, 16).replace('T', ' ');
  return `…${text.slice(-6)}`;
}

// What tells an item from its neighbours: the variables of its sort key; where these are ids or times only, or the key is
// a constant, an attribute that names it.
export function labelOf(item: Item, entity: Entity | null, sort: string | undefined): string {
  const text = sort ? String(valueOf(item[sort]) ?? '') : '';
  const template = sort ? entity?.keys[sort]?.template : undefined;
  const variables = (template ? decodeKey(template, text) : null)?.filter(({ name }) => name).map((part) => part.text);
  const speaking = variables ? variables.some((value) => !kOpaque.test(value)) : !entity && !kOpaque.test(text);
  if (!speaking && entity && !entity.builtIn) {
    const naming = kNaming.find((name) => ['S', 'N'].includes(typeOf(item[name])));
    if (naming) return String(valueOf(item[naming]));
  }
  return variables?.length ? variables.map(shortened).join(' ') : shortened(text);
}

// An index may hold a part of an item; `whole` has items by id as far as they are known, for their names.
export function readPartitions(page: PartitionPage, view: View, model: Model | undefined, whole?: Map<string, Item>): Partition[] {
  const partitions = page.partitions.map((partition) => {
    const key = partition.key[view.hash] ?? Object.values(partition.key)[0] ?? { S: '' };
    const chips = partition.items.map(({ item, bytes }) => {
      const entity = model ? entityOf(item, model) : null;
      const id = idOf(item, view.tableKeys);
      return { id, item, bytes, entity, label: labelOf({ ...whole?.get(id), ...item }, entity, view.sort) };
    });
    return { id: JSON.stringify(key), key, chips, bytes: chips.reduce((sum, chip) => sum + chip.bytes, 0), more: partition.more };
  });
  // They come in the order of a hash, which tells nobody anything: the fullest first.
  return partitions.sort((a, b) => b.chips.length - a.chips.length);
}

export const sameKey = (a: Attribute, b: Attribute) => typeOf(a) === typeOf(b) && valueOf(a) === valueOf(b);

export interface Bracket {
  read: Set<string>; // ids of the chips it reads
  units: number;
  bytes: number;
}

// What a range reads of a partition: a contiguous run of chips, cut off at its limit.
export function bracketOf(partition: Partition, range: ReadRange): Bracket | null {
  if (!sameKey(partition.key, range.partition)) return null;
  let read = partition.chips.filter(({ item }) => range.reads(item));
  if (range.limit !== null && read.length > range.limit) read = range.descending ? read.slice(-range.limit) : read.slice(0, range.limit);
  const bytes = read.reduce((sum, chip) => sum + chip.bytes, 0);
  // A Query rounds the sum up to 4 KB once; eventually consistent reads cost half.
  return { read: new Set(read.map(({ id }) => id)), bytes, units: Math.max(1, Math.ceil(bytes / 4096)) / 2 };
}

export function entityCounts(partitions: readonly Partition[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { chips } of partitions) for (const { entity } of chips) counts.set(entity?.name ?? '', (counts.get(entity?.name ?? '') ?? 0) + 1);
  return counts;
}
