// The models this server serves, in the form the pages use.

import { createContext, useContext, useMemo } from 'react';
import { type Colour, entityColours } from '../lib/colours';
import { call } from './client';

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
  jobs: { name: string; every: string | null }[];
  yaml: string;
  colours: Map<string, Colour>;
}

type Loose = Record<string, any>;

const keyOf = (key: unknown): KeyAttribute[] =>
  Array.isArray(key)
    ? key.map((entry: Loose | string) => (typeof entry === 'string' ? { name: entry, type: 'S' } : { name: entry.name, type: entry.type ?? 'S' }))
    : Object.entries((key ?? {}) as Record<string, string>).map(([name, type]) => ({ name, type }));

const listOf = (value: unknown): Loose[] =>
  Array.isArray(value) ? value : Object.entries((value ?? {}) as Record<string, Loose>).map(([name, entry]) => ({ name, ...entry }));

const paramOf = (param: Loose): Param => ({
  name: param.name,
  type: String(param.type ?? 'string').replace('!', ''),
  required: param.required === true,
  enum: param.enum ?? param.values ?? null,
});

function entityOf(raw: Loose): Entity {
  const keys = Object.entries((raw.keys ?? {}) as Record<string, string | Loose>).map(([name, value]) => [
    name,
    typeof value === 'string' ? { template: value, when: null } : { template: value.template, when: value.when ?? null },
  ]);
  return {
    name: raw.name,
    marker: raw.marker ?? null,
    keys: Object.fromEntries(keys),
    attributes: listOf(raw.attributes).map((attribute) => ({ ...paramOf(attribute), hidden: attribute.hidden === true, stored: attribute.stored !== false })),
    rows: (raw.rows ?? []).map((row: Loose | string) => (typeof row === 'string' ? row : row.put)),
    builtIn: raw.builtIn === true,
  };
}

function withEnums(params: Param[], entities: Entity[], names: string[]): Param[] {
  const known = entities.filter((entity) => names.includes(entity.name)).flatMap((entity) => entity.attributes);
  return params.map((param) => ({ ...param, enum: param.enum ?? known.find(({ name }) => name === param.name)?.enum ?? null }));
}

export function readModel(raw: Loose): Model {
  const entities = listOf(raw.entities).map(entityOf);
  const path = raw.path ?? `/v1/${raw.name}`;
  return {
    name: raw.name,
    title: raw.title ?? raw.name,
    path,
    table: {
      name: raw.table.name,
      key: keyOf(raw.table.key),
      marker: raw.table.marker ?? null,
      ttl: raw.table.ttl ?? null,
      indexes: listOf(raw.table.indexes).map((index) => ({ name: index.name, key: keyOf(index.key), project: index.project ?? 'all' })),
    },
    entities,
    patterns: listOf(raw.patterns).map((pattern) => ({
      name: pattern.name,
      id: Array.isArray(pattern.id) ? pattern.id.join(', ') : (pattern.id ?? ''),
      kind: pattern.kind ?? 'query',
      entities: pattern.entities ?? [],
      index: pattern.index ?? null,
      route: pattern.route ?? null,
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
    jobs: listOf(raw.jobs).map((job) => ({ name: job.name, every: job.every ?? null })),
    yaml: raw.yaml ?? '',
    // What the server itself keeps stays grey: colours are for what the model is about.
    colours: entityColours(entities.filter(({ builtIn }) => !builtIn).map(({ name }) => name)),
  };
}

export async function loadModels(): Promise<Model[]> {
  const answer = await call<Loose[] | { models: Loose[] }>('/_/api/models');
  return (Array.isArray(answer) ? answer : answer.models).map(readModel);
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

export const checkModel = (yaml: string, signal?: AbortSignal) =>
  call<{ problems: Problem[]; doc: string | null }>('/_/api/models/check', { method: 'POST', body: { yaml }, signal });

export async function planModel(name: string, yaml?: string): Promise<string[]> {
  const answer = await call<Loose | string>(`/_/api/models/${encodeURIComponent(name)}/plan`, { method: 'POST', body: yaml === undefined ? {} : { yaml } });
  if (typeof answer === 'string') return answer.split('\n').filter(Boolean);
  if (Array.isArray(answer)) return answer.map(String);
  const lines = answer.lines ?? answer.changes ?? answer.plan ?? [];
  return lines.map((line: Loose | string) => (typeof line === 'string' ? line : (line.text ?? line.change ?? JSON.stringify(line))));
}

export interface Explained {
  requests: { operation: string; request: Record<string, unknown>; capacity: number | null }[];
  capacity?: number | null;
  route: string;
}

export const explain = (system: string, pattern: string, params: Record<string, unknown>) =>
  call<Explained>('/_/api/explain', { method: 'POST', body: { system, pattern, params } });
