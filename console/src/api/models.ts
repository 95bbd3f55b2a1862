// The models this server serves, in the form the pages use.

import { createContext, useContext, useMemo } from 'react';
import { type Colour, entityColours } from '../lib/colours';
import { call, errorOf, exchange } from './client';

export interface KeyAttribute {
  name: string;
  type: string;
}
export interface Index {
  name: string;
  key: KeyAttribute[];
  project: 'all' | 'keys' | string[];
}
export interface KeyTemplate {
  template: string;
  when: string | null;
}
export interface AttributeSpec {
  name: string;
  type: string;
  required: boolean;
  enum: string[] | null;
  hidden: boolean;
  stored: boolean;
}
export interface Entity {
  name: string;
  marker: string | null;
  keys: Record<string, KeyTemplate>;
  attributes: AttributeSpec[];
  rows: string[];
  builtIn: boolean;
}
export interface Param {
  name: string;
  type: string;
  required: boolean;
  enum: string[] | null;
}
export interface Pattern {
  name: string;
  id: string;
  kind: string;
  entities: string[];
  index: string | null;
  route: string | null;
  path: string; // of the call by name, with every parameter in the query
  params: Param[];
  range: string | null;
  allow: string;
}
export interface Operation {
  name: string;
  method: string;
  path: string;
  allow: string;
  input: Param[];
}
export interface Model {
  name: string;
  title: string;
  path: string;
  table: { name: string; key: KeyAttribute[]; marker: string | null; ttl: string | null; indexes: Index[] };
  entities: Entity[];
  patterns: Pattern[];
  operations: Operation[];
  jobs: { name: string }[];
  yaml: string;
  colours: Map<string, Colour>;
}

type Loose = Record<string, any>;

function keyOf(key: unknown): KeyAttribute[] {
  const { partition, sort } = (key ?? {}) as Record<string, KeyAttribute | undefined>;
  if (partition && typeof partition === 'object') return sort ? [partition, sort] : [partition];
  return Array.isArray(key)
    ? key.map((entry: Loose | string) => (typeof entry === 'string' ? { name: entry, type: 'S' } : { name: entry.name, type: entry.type ?? 'S' }))
    : Object.entries((key ?? {}) as Record<string, string>).map(([name, type]) => ({ name, type }));
}

const projectionOf = (index: Loose): Index['project'] =>
  index.project ?? (index.projection === 'KEYS_ONLY' ? 'keys' : index.projection === 'INCLUDE' ? (index.projected ?? []) : 'all');

// The rows an entity keeps, read from the model's text: `rows:` below the entity, a `put:` for each.
export function rowsOf(yaml: string): Map<string, string[]> {
  const rows = new Map<string, string[]>();
  let section = '';
  let entity = '';
  let within = false;
  for (const line of yaml.split('\n')) {
    const top = /^([A-Za-z]\w*):/.exec(line);
    if (top) section = top[1]!;
    if (section !== 'entities') continue;
    const name = /^ {2}([A-Za-z]\w*):/.exec(line);
    if (name) [entity, within] = [name[1]!, false];
    const property = /^ {4}([A-Za-z]\w*):/.exec(line);
    if (property) within = property[1] === 'rows';
    if (!within) continue;
    for (const put of line.matchAll(/\bput:\s*([A-Za-z]\w*)/g)) rows.set(entity, [...(rows.get(entity) ?? []), put[1]!]);
  }
  return rows;
}

const listOf = (value: unknown): Loose[] =>
  Array.isArray(value) ? value : Object.entries((value ?? {}) as Record<string, Loose>).map(([name, entry]) => ({ name, ...entry }));

const paramOf = (param: Loose): Param => ({
  name: param.name,
  type: String(param.type ?? 'string').replace('!', ''),
  required: param.required === true,
  enum: param.enum ?? param.values ?? null,
});

function entityOf(raw: Loose, rows: Map<string, string[]>): Entity {
  const keys = Object.entries((raw.keys ?? {}) as Record<string, string | Loose>).map(([name, value]) => [
    name,
    typeof value === 'string' ? { template: value, when: raw.conditional?.includes(name) ? 'its state allows' : null } : { template: value.template, when: value.when ?? null },
  ]);
  return {
    name: raw.name,
    marker: raw.marker?.value ?? raw.marker ?? null,
    keys: Object.fromEntries(keys),
    attributes: listOf(raw.attributes).map((attribute) => ({ ...paramOf(attribute), hidden: attribute.hidden === true, stored: attribute.stored !== false })),
    rows: raw.rows ?? rows.get(raw.name) ?? [],
    builtIn: raw.builtIn === true,
  };
}

function withEnums(params: Param[], entities: Entity[], names: string[]): Param[] {
  const known = entities.filter((entity) => names.includes(entity.name)).flatMap((entity) => entity.attributes);
  return params.map((param) => ({ ...param, enum: param.enum ?? known.find(({ name }) => name === param.name)?.enum ?? null }));
}

// The server remembers answers by their idempotency key; these items belong to no entity of the model.
const idempotency = (key: KeyAttribute[]): Entity => ({
  name: 'Idempotency',
  marker: null,
  keys: Object.fromEntries(key.map(({ name }, at) => [name, { template: at === 0 ? 'IDEMP#{request}' : 'META', when: null }])),
  attributes: [],
  rows: [],
  builtIn: true,
});

export function readModel(raw: Loose): Model {
  const rows = rowsOf(raw.yaml ?? '');
  const entities = [...listOf(raw.entities).map((entity) => entityOf(entity, rows)), idempotency(keyOf(raw.table.key))];
  const path = raw.path ?? raw.base ?? `/v1/${raw.name}`;
  return {
    name: raw.name,
    title: raw.title ?? raw.name,
    path,
    table: {
      name: raw.table.name,
      key: keyOf(raw.table.key),
      marker: raw.table.marker ?? null,
      ttl: raw.table.ttl ?? null,
      indexes: listOf(raw.table.indexes).map((index) => ({ name: index.name, key: keyOf(index.key), project: projectionOf(index) })),
    },
    entities,
    patterns: listOf(raw.patterns).map((pattern) => ({
      name: pattern.name,
      id: pattern.doc || (pattern.id ?? ''),
      kind: pattern.kind ?? 'query',
      entities: pattern.entities ?? [],
      index: pattern.index ?? null,
      route: pattern.route ?? null,
      path: pattern.path ?? `${path}/patterns/${encodeURIComponent(pattern.name)}`,
      params: withEnums((pattern.params ?? []).map(paramOf), entities, pattern.entities ?? []),
      range: pattern.range ?? null,
      allow: pattern.allow ?? '',
    })),
    operations: listOf(raw.operations).map((operation) => ({
      name: operation.name,
      method: operation.method ?? '',
      path: operation.path ?? '',
      allow: operation.allow ?? '',
      input: listOf(operation.input).map(paramOf),
    })),
    jobs: listOf(raw.jobs).map((job) => ({ name: job.name })),
    yaml: raw.yaml ?? '',
    // What the server itself keeps stays grey: colours are for what the model is about.
    colours: entityColours(entities.filter(({ builtIn }) => !builtIn).map(({ name }) => name)),
  };
}

export async function loadModels(): Promise<Model[]> {
  const answer = await call<Loose[] | { models: Loose[] }>('/_/api/models');
  return (Array.isArray(answer) ? answer : answer.models).map(readModel);
}

// The text comes with the model or, from a server that keeps its list slim, by a call of its own.
export async function loadModelText({ name, yaml }: Model, signal?: AbortSignal): Promise<string> {
  if (yaml) return yaml;
  const answer = await exchange(`/_/api/models/${encodeURIComponent(name)}/text`, { signal });
  if (answer.status >= 400) throw errorOf(answer);
  const body = answer.body as { yaml?: string; text?: string } | string | null;
  return typeof body === 'string' ? body : (body?.yaml ?? body?.text ?? answer.text);
}

export function withText(model: Model, yaml: string): Model {
  const rows = rowsOf(yaml);
  return { ...model, yaml, entities: model.entities.map((entity) => (entity.rows.length > 0 ? entity : { ...entity, rows: rows.get(entity.name) ?? [] })) };
}

export const ModelsContext = createContext<Model[]>([]);
export const useModels = () => useContext(ModelsContext);

export function useModel(name: string | undefined): Model | undefined {
  const models = useModels();
  return useMemo(() => models.find((model) => model.name === name), [models, name]);
}

export function useModelOfTable(table: string): Model | undefined {
  const models = useModels();
  return useMemo(() => models.find((model) => model.table.name === table), [models, table]);
}

export interface Problem {
  line: number;
  column: number;
  severity: string;
  rule: string;
  message: string;
  suggestion?: string | null;
}

export const checkModel = (name: string, yaml: string, signal?: AbortSignal) =>
  call<{ problems: Problem[]; doc: string | null }>('/_/api/models/check', { method: 'POST', body: { name, yaml }, signal });

export interface Plan {
  fits?: boolean;
  lines: string[];
}

export const planModel = (name: string, yaml?: string) =>
  call<Plan>(`/_/api/models/${encodeURIComponent(name)}/plan`, { method: 'POST', body: yaml === undefined ? {} : { yaml } });

export interface BackfillPage {
  scanned: number; // all of these since the start of the run
  matched: number;
  changed: number;
  rows: number;
  contended: number;
  failed: number;
  problems: { key: unknown; message: string }[];
  done: boolean;
  cursor: string | null;
}

export const backfillModel = (name: string, body: { yaml: string; entity: string; dryRun: boolean; cursor?: string }) =>
  call<BackfillPage>(`/_/api/models/${encodeURIComponent(name)}/backfill`, { method: 'POST', body });

export interface Explained {
  requests: { operation: string; request: Record<string, unknown>; capacity: number | null }[];
  capacity?: number | null;
  route: string;
}

export const explain = (system: string, pattern: string, params: Record<string, unknown>) =>
  call<Explained>('/_/api/explain', { method: 'POST', body: { system, pattern, params } });
