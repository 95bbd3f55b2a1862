// Partitions with their items, as the collections page draws them.

import type { PartitionPage } from '../api/dynamodb';
import type { Entity, Model } from '../api/models';
import { type Attribute, type Item, itemBytes, typeOf, valueOf } from './attribute';
import { decodeKey, entityOf } from './key_template';
import type { ReadRange } from './read_range';

export interface Chip {
  id: string; // the primary key: the same in every index
  item: Item;
  bytes: number;
  entity: Entity | null;
  label: string;
  left: number; // the share of the item that the index does not hold
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

// An index may hold a part of an item; `whole` is all of it, as far as it is known.
export function chipOf(item: Item, bytes: number, view: View, model: Model | undefined, whole?: Item): Chip {
  const entity = model ? entityOf(item, model) : null;
  const all = whole ? itemBytes(whole) : bytes;
  return { id: idOf(item, view.tableKeys), item, bytes, entity, label: labelOf({ ...whole, ...item }, entity, view.sort), left: all > bytes ? 1 - bytes / all : 0 };
}

export function readPartitions(page: PartitionPage, view: View, model: Model | undefined, whole?: Map<string, Item>): Partition[] {
  const partitions = page.partitions.map((partition) => {
    const key = partition.key[view.hash] ?? Object.values(partition.key)[0] ?? { S: '' };
    const chips = partition.items.map(({ item, bytes }) => chipOf(item, bytes, view, model, whole?.get(idOf(item, view.tableKeys))));
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

// Why an item is not in an index, in words that several items share.
export function sparseReason({ item, entity }: Chip, indexKeys: readonly string[]): string {
  const missing = indexKeys.filter((name) => item[name] === undefined);
  const text = `${missing.join(', ')} absent`;
  if (!entity || entity.builtIn) return text;
  const templates = missing.map((name) => entity.keys[name]);
  if (templates.some((template) => template?.when)) return `${text}: only in some states`;
  return templates.every((template) => !template) ? `${text}: never for these entities` : text;
}

export const kPartitionLimit = 10 * 1024 ** 3; // of an item collection with a local index; a good bound for any

export interface Health {
  median: number;
  largest: number;
  skew: number; // the largest by the median
  byId: Map<string, { share: number; skew: number; level: 'good' | 'warn' | 'bad' }>;
}

const kWorthAWord = 1024 ** 2; // among small partitions uneven sizes mean nothing

export function healthOf(partitions: readonly Partition[]): Health {
  const sizes = partitions.map(({ bytes }) => bytes).sort((a, b) => a - b);
  const middle = sizes.length >> 1;
  const median = sizes.length === 0 ? 0 : sizes.length % 2 === 1 ? sizes[middle]! : (sizes[middle - 1]! + sizes[middle]!) / 2;
  const largest = sizes.at(-1) ?? 0;
  const ratio = (bytes: number) => (median > 0 ? bytes / median : 0);
  const byId = new Map(
    partitions.map(({ id, bytes }) => {
      const share = bytes / kPartitionLimit;
      const level = share >= 0.8 ? ('bad' as const) : share >= 0.5 || (bytes > kWorthAWord && ratio(bytes) >= 10) ? ('warn' as const) : ('good' as const);
      return [id, { share, skew: ratio(bytes), level }];
    }),
  );
  return { median, largest, skew: ratio(largest), byId };
}
