// DynamoDB JSON, and the plain JSON that people read and edit. Both ways keep every value: what plain JSON cannot say
// (sets, binary, numbers with more digits than a double) is an object with one key that begins with `$`.

export type Attribute = { [type: string]: unknown };
export type Item = Record<string, Attribute>;
export type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };

const kSpecial: Record<string, string> = { SS: '$ss', NS: '$ns', BS: '$bs', B: '$b', N: '$n' };
const kFromSpecial = Object.fromEntries(Object.entries(kSpecial).map(([type, name]) => [name, type]));

export function typeOf(attribute: Attribute | undefined): string {
  return attribute ? (Object.keys(attribute)[0] ?? '') : '';
}

export function valueOf(attribute: Attribute | undefined): unknown {
  return attribute ? attribute[typeOf(attribute)] : undefined;
}

export function toPlain(attribute: Attribute): Plain {
  const type = typeOf(attribute);
  const value = attribute[type];
  switch (type) {
    case 'S':
      return value as string;
    case 'BOOL':
      return value as boolean;
    case 'NULL':
      return null;
    case 'N': {
      const text = value as string;
      return String(Number(text)) === text ? Number(text) : { $n: text };
    }
    case 'L':
      return (value as Attribute[]).map(toPlain);
    case 'M':
      return mapToPlain(value as Item);
    default:
      return { [kSpecial[type] ?? `$${type}`]: value as Plain };
  }
}

function mapToPlain(map: Item): Plain {
  const plain = itemToPlain(map);
  const names = Object.keys(plain);
  // A map that looks like one of ours is wrapped once more.
  return names.length === 1 && names[0]!.startsWith('$') ? { $m: plain } : plain;
}

export function itemToPlain(item: Item): { [name: string]: Plain } {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toPlain(value)]));
}

// A number as it was written, so that no digit is lost on the way through JSON.parse.
class Digits {
  constructor(readonly text: string) {}
}

export function fromPlain(value: unknown): Attribute {
  if (value === null || value === undefined) return { NULL: true };
  if (value instanceof Digits) return { N: value.text };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number') return { N: String(value) };
  if (Array.isArray(value)) return { L: value.map(fromPlain) };
  const map = value as Record<string, unknown>;
  const names = Object.keys(map);
  const only = names.length === 1 ? names[0]! : '';
  if (only === '$m') return { M: itemFromPlain(map.$m as Record<string, unknown>) };
  const type = kFromSpecial[only];
  if (type) return { [type]: texts(map[only]) };
  return { M: itemFromPlain(map) };
}

function texts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(texts);
  return value instanceof Digits ? value.text : typeof value === 'number' ? String(value) : value;
}

function itemFromPlain(map: Record<string, unknown>): Item {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, fromPlain(value)]));
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, context) =>
  typeof value === 'number' && context?.source ? new Digits(context.source) : value;

function parse(text: string, reviver?: Reviver): Record<string, unknown> {
  const value = JSON.parse(text, reviver as (key: string, value: unknown) => unknown) as unknown;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('An item is an object: { .. }');
  return value as Record<string, unknown>;
}

export function parsePlain(text: string): Item {
  return itemFromPlain(parse(text, keepDigits));
}

const kTypes = new Set(['S', 'N', 'B', 'SS', 'NS', 'BS', 'M', 'L', 'NULL', 'BOOL']);

export function parseItem(text: string): Item {
  const item = parse(text);
  for (const [name, value] of Object.entries(item)) {
    const types = value && typeof value === 'object' ? Object.keys(value) : [];
    if (types.length !== 1 || !kTypes.has(types[0]!)) throw new Error(`'${name}' must be one of { "S": .. }, { "N": .. } and so on`);
  }
  return item as Item;
}

// One line of text for a cell.
export function summary(attribute: Attribute | undefined): string {
  if (!attribute) return '';
  const type = typeOf(attribute);
  const value = attribute[type];
  if (type === 'S' || type === 'N') return String(value);
  if (type === 'BOOL') return value ? 'true' : 'false';
  if (type === 'NULL') return 'null';
  if (type === 'B') return `binary, ${Math.floor(((value as string).length * 3) / 4)} B`;
  if (type === 'SS' || type === 'NS') return (value as string[]).join(', ');
  return JSON.stringify(toPlain(attribute));
}

const utf8 = new TextEncoder();

function bytesOf(attribute: Attribute): number {
  const type = typeOf(attribute);
  const value = attribute[type];
  switch (type) {
    case 'S':
      return utf8.encode(value as string).length;
    case 'N':
      return Math.ceil(String(value).replace(/[-.]|^0+/g, '').length / 2) + 1;
    case 'B':
      return Math.floor(((value as string).replace(/=+$/, '').length * 3) / 4);
    case 'SS':
      return (value as string[]).reduce((sum, text) => sum + bytesOf({ S: text }), 0);
    case 'NS':
      return (value as string[]).reduce((sum, text) => sum + bytesOf({ N: text }), 0);
    case 'BS':
      return (value as string[]).reduce((sum, text) => sum + bytesOf({ B: text }), 0);
    case 'L':
      return 3 + (value as Attribute[]).reduce((sum, element) => sum + 1 + bytesOf(element), 0);
    case 'M':
      return 3 + Object.entries(value as Item).reduce((sum, [name, element]) => sum + 1 + utf8.encode(name).length + bytesOf(element), 0);
    default:
      return 1;
  }
}

// The size by DynamoDB's rules, which units are counted from.
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + utf8.encode(name).length + bytesOf(value), 0);
}

export const writeUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 1024));
export const readUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 4096)) / 2;
