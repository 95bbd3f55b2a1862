// Key templates such as "IMAGE#{createdAt:%Y%m}#{id}": which parts a key consists of, and which entity an item is.

import type { Entity, Model } from '../api/models';
import { type Item, valueOf } from './attribute';

export type Segment = { literal: string } | { name: string; format: string };
export type Part = { text: string; name: string | null };

export function parseTemplate(template: string): Segment[] {
  const segments: Segment[] = [];
  for (const match of template.matchAll(/\{([^{}:]+)(?::([^{}]*))?\}|[^{}]+/g)) {
    if (match[1] === undefined) segments.push({ literal: match[0] });
    else segments.push({ name: match[1], format: match[2] ?? '' });
  }
  return segments;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

function pattern(segment: Segment, next: Segment | undefined): string {
  if ('literal' in segment) return escaped(segment.literal);
  if (segment.name === 'shard' && segment.format === '') return '(?:#\\d+)?';
  if (segment.format.includes('%')) {
    return escaped(segment.format).replace(/%Y/g, '\\d{4}').replace(/%[mdHMS]/g, '\\d{2}');
  }
  const width = /^0(\d+)/.exec(segment.format);
  if (width) return `[-\\d.]{${Number(width[1])}}`;
  if (next === undefined) return '.+';
  // A value never holds the character that ends its place, so the first such character ends it.
  return 'literal' in next ? `[^${escaped(next.literal[0]!)}]+` : '.+?';
}

const compiled = new Map<string, { segments: Segment[]; regex: RegExp }>();

function compile(template: string) {
  let entry = compiled.get(template);
  if (!entry) {
    const segments = parseTemplate(template);
    const source = segments.map((segment, at) => `(${pattern(segment, segments[at + 1])})`).join('');
    entry = { segments, regex: new RegExp(`^${source}$`, 's') };
    compiled.set(template, entry);
  }
  return entry;
}

// The parts of a key, or null when it was not made by this template.
export function decodeKey(template: string, key: string): Part[] | null {
  const { segments, regex } = compile(template);
  const match = regex.exec(key);
  if (!match) return null;
  return segments
    .map((segment, at) => ({ text: match[at + 1] ?? '', name: 'literal' in segment ? null : segment.name }))
    .filter((part) => part.text !== '');
}

const literalLength = (template: string) =>
  parseTemplate(template).reduce((sum, segment) => sum + ('literal' in segment ? segment.literal.length : 0), 0);

// The entity whose templates fit the item's primary key; the marker decides between several, then the longer literals.
export function entityOf(item: Item, model: Model): Entity | null {
  const marker = model.table.marker ? valueOf(item[model.table.marker]) : undefined;
  let best: Entity | null = null;
  let bestScore = -1;
  for (const entity of model.entities) {
    let score = 0;
    const fits = model.table.key.every(({ name }) => {
      const template = entity.keys[name]?.template;
      const value = valueOf(item[name]);
      if (template === undefined) return true;
      score += literalLength(template);
      return value !== undefined && decodeKey(template, String(value)) !== null;
    });
    if (!fits || Object.keys(entity.keys).length === 0) continue;
    if (marker !== undefined && (entity.marker ?? entity.name) === marker) score += 1000;
    if (score > bestScore) [best, bestScore] = [entity, score];
  }
  return best;
}

// Why an item is not in an index: the key attributes it lacks.
export function missingKeys(item: Item, index: { key: { name: string }[] }): string[] {
  return index.key.map(({ name }) => name).filter((name) => item[name] === undefined);
}

// The variables of a primary key with their values, for headings: {userId: "ann"}.
export function keyValues(item: Item, entity: Entity): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [attribute, { template }] of Object.entries(entity.keys)) {
    const value = valueOf(item[attribute]);
    if (value === undefined) continue;
    for (const part of decodeKey(template, String(value)) ?? []) if (part.name) values[part.name] ??= part.text;
  }
  return values;
}
