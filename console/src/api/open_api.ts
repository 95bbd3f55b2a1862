// The routes of /openapi.json in the form the reference page shows.

import { call } from './client';

export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  maxLength?: number;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  description?: string;
}

export interface ApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
  description: string;
}

export interface Endpoint {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  parameters: ApiParameter[];
  body: Schema | null;
  responses: { status: string; description: string; schema: Schema | null }[];
}

type Loose = Record<string, any>;

const kMethods = ['get', 'post', 'put', 'patch', 'delete'];

export function readEndpoints(document: Loose): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const [path, entry] of Object.entries((document.paths ?? {}) as Record<string, Loose>)) {
    for (const method of kMethods) {
      const raw = entry[method];
      if (!raw) continue;
      const parameters = [...(entry.parameters ?? []), ...(raw.parameters ?? [])] as Loose[];
      endpoints.push({
        id: raw.operationId ?? `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        tag: raw.tags?.[0] ?? 'other',
        summary: raw.summary ?? '',
        description: raw.description ?? '',
        parameters: parameters.filter(({ name }) => name).map((parameter) => ({ name: parameter.name, in: parameter.in, required: parameter.required === true, schema: parameter.schema ?? {}, description: parameter.description ?? '' })),
        body: raw.requestBody?.content?.['application/json']?.schema ?? null,
        responses: Object.entries((raw.responses ?? {}) as Record<string, Loose>).map(([status, response]) => ({
          status,
          description: response.description ?? '',
          schema: response.content?.['application/json']?.schema ?? null,
        })),
      });
    }
  }
  // Calls by the name of a pattern come after the routes that people use.
  const late = ({ path }: Endpoint) => (path.includes('/patterns/') ? 1 : 0);
  return endpoints.sort((a, b) => late(a) - late(b));
}

// A schema in a few words: "text, at most 200", "one of a, b", "list of Image".
export function schemaText(schema: Schema | null | undefined): string {
  if (!schema) return '';
  if (schema.$ref) return schema.$ref.split('/').pop()!.split('.').pop()!;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(schemaText))].join(' or ');
  if (schema.enum) return `one of ${schema.enum.map(String).join(', ')}`;
  const type = Array.isArray(schema.type) ? schema.type.filter((name) => name !== 'null').join(' or ') : schema.type;
  if (type === 'array') return `list of ${schemaText(schema.items) || 'values'}`;
  const limits = [
    schema.format,
    schema.maxLength !== undefined ? `at most ${schema.maxLength} characters` : '',
    schema.minimum !== undefined ? `from ${schema.minimum}` : '',
    schema.maximum !== undefined ? `to ${schema.maximum}` : '',
  ].filter(Boolean);
  return [type ?? 'any', ...limits].join(', ');
}

// Something of the right shape to begin with.
export function exampleOf(schema: Schema | undefined, depth = 0): unknown {
  if (!schema || schema.$ref || depth > 3) return {};
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object': {
      const names = Object.keys(schema.properties ?? {}).filter((name) => schema.required?.includes(name));
      return Object.fromEntries(names.map((name) => [name, exampleOf(schema.properties![name], depth + 1)]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return schema.format === 'date-time' ? '2025-03-01T12:00:00Z' : '';
  }
}

export const loadEndpoints = async (signal?: AbortSignal) => readEndpoints(await call<Loose>('/openapi.json', { signal }));
