// What the server tells about itself: metrics, requests, outbox, jobs, keys, objects.

import { call, query } from './client';

export interface MetricPoint {
  t: number;
  requests: number;
  errors: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  rss?: number;
  cacheHit?: number | null;
  byOperation?: Record<string, { n: number; p50: number | null; p99: number | null; errors: number }>;
}
export interface MetricsAnswer {
  now: number;
  step: number;
  points: MetricPoint[];
}

export const loadMetrics = (signal?: AbortSignal) => call<MetricsAnswer>('/_/api/metrics', { signal });

export interface RequestEntry {
  id: string;
  t: number;
  face: string;
  operation: string;
  table: string | null;
  status: number;
  code: string | null;
  us: number;
  stages: Record<string, number>;
  bytesIn: number;
  bytesOut: number;
  trace: string | null;
}

// `status: errors` is chosen here, so that it works whatever the server's own filter takes.
export async function loadRequests(filter: { limit?: number; slow?: boolean; operation?: string; status?: string }, signal?: AbortSignal): Promise<RequestEntry[]> {
  const path = query('/_/api/requests', { limit: filter.status === 'errors' ? 2000 : (filter.limit ?? 200), slow: filter.slow ? 1 : null, operation: filter.operation });
  const { requests } = await call<{ requests: RequestEntry[] }>(path, { signal });
  return filter.status === 'errors' ? requests.filter(({ status }) => status >= 400).slice(0, filter.limit ?? 200) : requests;
}

export interface OutboxRow {
  id: string;
  system: string;
  kind: string;
  status: string;
  attempts: number;
  nextAt: number | null;
  createdAt: number | null;
  lastError: string | null;
}

export async function loadOutbox(system: string, status: string, signal?: AbortSignal): Promise<OutboxRow[]> {
  const answer = await call<{ items?: Partial<OutboxRow>[]; rows?: Partial<OutboxRow>[] }>(query('/_/api/outbox', { system, status }), { signal });
  return (answer.items ?? answer.rows ?? []).map((row) => ({
    id: row.id ?? '',
    system: row.system ?? system,
    kind: row.kind ?? '',
    status: row.status ?? status,
    attempts: row.attempts ?? 0,
    nextAt: row.nextAt ?? null,
    createdAt: row.createdAt ?? null,
    lastError: row.lastError ?? null,
  }));
}

export const retryOutbox = (system: string, id: string) => call('/_/api/outbox/retry', { method: 'POST', body: { system, id } });

export interface JobEntry {
  system: string;
  name: string;
  every: string | null;
  lastRun: number | null;
  state: string | null;
}

export async function loadJobs(signal?: AbortSignal): Promise<JobEntry[]> {
  const answer = await call<{ jobs: (Partial<JobEntry> & { schedule?: string; job?: string })[] } | Partial<JobEntry>[]>('/_/api/jobs', { signal });
  const list = Array.isArray(answer) ? answer : answer.jobs;
  return list.map((job: Partial<JobEntry> & { schedule?: string; job?: string }) => ({
    system: job.system ?? '',
    name: job.name ?? job.job ?? '',
    every: job.every ?? job.schedule ?? null,
    lastRun: job.lastRun ?? null,
    state: job.state ?? null,
  }));
}

export interface JobResult {
  scanned?: number;
  changed?: number;
  skipped?: number;
  done?: boolean;
  cursor?: string | null;
}

export const runJob = (system: string, job: string, dryRun: boolean, cursor?: string | null) =>
  call<JobResult>('/_/api/jobs/run', { method: 'POST', body: { system, job, dryRun, ...(cursor ? { cursor } : {}) } });

export const loadKeys = (signal?: AbortSignal) => call<{ keys: ({ id: string; scope?: string | null } | string)[]; anyKey?: boolean }>('/_/api/keys', { signal });

export interface ObjectEntry {
  key: string;
  size: number;
  etag: string;
  type: string | null;
  modified: number | string;
}
export interface ObjectPage {
  prefixes: string[];
  objects: ObjectEntry[];
  next: string | null;
}

export async function loadBuckets(signal?: AbortSignal): Promise<{ name: string; created: number | string | null }[]> {
  const answer = await call<{ buckets: ({ name: string; created?: number | string } | string)[] } | ({ name: string; created?: number | string } | string)[]>('/_/api/objects', { signal });
  const list = Array.isArray(answer) ? answer : answer.buckets;
  return list.map((bucket) => (typeof bucket === 'string' ? { name: bucket, created: null } : { name: bucket.name, created: bucket.created ?? null }));
}

export const loadObjects = (bucket: string, prefix: string, after: string | null, signal?: AbortSignal) =>
  call<ObjectPage>(query(`/_/api/objects/${encodeURIComponent(bucket)}`, { prefix, after, delimiter: '/' }), { signal });

export const presign = (bucket: string, key: string, method: 'GET' | 'PUT', expires: number, type?: string) =>
  call<{ url: string; headers?: Record<string, string> }>(`/_/api/objects/${encodeURIComponent(bucket)}/presign`, { method: 'POST', body: { key, method, expires, ...(type ? { type } : {}) } });

export const deleteObject = (bucket: string, key: string) => call(query(`/_/api/objects/${encodeURIComponent(bucket)}`, { key }), { method: 'DELETE' });
