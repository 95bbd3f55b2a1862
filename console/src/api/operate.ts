// What the server tells about itself: metrics, requests, outbox, jobs, keys, objects.

import type { Attribute } from '../lib/attribute';
import { call, query } from './client';

export interface MetricPoint {
  t: number;
  requests: number;
  errors: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  rss?: number;
  connections?: number;
  diskBytes?: number;
  cpuSeconds?: number; // since the start
  queuedWrites?: number;
  byOperation?: Record<string, { n: number; p50: number | null; p99: number | null; errors: number }>;
}
export interface MetricsAnswer {
  now: number;
  step: number;
  points: MetricPoint[];
}

export const loadMetrics = (signal?: AbortSignal) => call<MetricsAnswer>('/_/api/metrics', { signal });

export interface HotKeysAnswer {
  seconds: number;
  calls: number;
  keys: { table: string; index: string | null; key: Record<string, Attribute>; reads: number; writes: number; spare: number }[];
}

export const loadHotKeys = (table: string | null, limit: number, signal?: AbortSignal) => call<HotKeysAnswer>(query('/_/api/hot-keys', { table, limit }), { signal });

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
  kind: string;
  status: string;
  attempts: number;
  nextAttemptAt: number | null;
  createdAt: number | null;
  lastError: string | null;
}

// Moments come as milliseconds or as RFC 3339.
const millis = (value: number | string | null | undefined): number | null => {
  const ms = typeof value === 'string' ? Date.parse(value) : (value ?? Number.NaN);
  return Number.isFinite(ms) && ms > 0 ? ms : null;
};

type RawOutboxRow = Omit<OutboxRow, 'nextAttemptAt' | 'createdAt'> & { nextAttemptAt?: number | string | null; createdAt?: number | string | null };

export async function loadOutbox(system: string, status: string, signal?: AbortSignal): Promise<OutboxRow[]> {
  const { rows } = await call<{ rows: RawOutboxRow[] }>(query('/_/api/outbox', { system, status }), { signal });
  return rows.map((row) => ({ ...row, nextAttemptAt: millis(row.nextAttemptAt), createdAt: millis(row.createdAt) }));
}

export const retryOutbox = (system: string, id: string) => call('/_/api/outbox/retry', { method: 'POST', body: { system, id } });

export interface JobEntry {
  system: string;
  name: string;
  every: number | null; // milliseconds
  inputs: { name: string; type: string; required: boolean }[];
  state: string;
  lastRun: number | null;
  nextRun: number | null;
  lastError: string | null;
  scanned: number;
  changed: number;
  skipped: number;
  failed: number;
}

type RawJob = Partial<JobEntry> & { nextRunAt?: number | string | null; startedAt?: number | string | null; finishedAt?: number | string | null };

export async function loadJobs(signal?: AbortSignal): Promise<JobEntry[]> {
  const { jobs } = await call<{ jobs: RawJob[] }>('/_/api/jobs', { signal });
  return jobs.map((job) => ({
    system: job.system ?? '',
    name: job.name ?? '',
    every: typeof job.every === 'number' ? job.every : null,
    inputs: job.inputs ?? [],
    state: job.state ?? 'manual',
    lastRun: millis(job.finishedAt) ?? millis(job.startedAt),
    nextRun: millis(job.nextRunAt),
    lastError: job.lastError || null,
    scanned: job.scanned ?? 0,
    changed: job.changed ?? 0,
    skipped: job.skipped ?? 0,
    failed: job.failed ?? 0,
  }));
}

export interface JobResult {
  scanned?: number;
  changed?: number;
  skipped?: number;
  failed?: number;
  firstFailure?: string | null;
  done?: boolean;
  cursor?: string | null;
}

export const runJob = (system: string, job: string, dryRun: boolean, given: Record<string, unknown>, cursor: string | null) =>
  call<JobResult>('/_/api/jobs/run', { method: 'POST', body: { system, job, dryRun, ...(Object.keys(given).length > 0 ? { arguments: given } : {}), ...(cursor ? { cursor } : {}) } });

export interface AccessKey {
  id: string;
  name?: string;
  profile?: string;
  scope?: string | null;
  created?: number | string | null;
  revocable?: boolean; // false: it stands in the credentials file
}
export interface KeysAnswer {
  any: boolean;
  canCreate: boolean; // false: there is no data directory to keep them in
  keys: AccessKey[];
}

export const loadKeys = (signal?: AbortSignal) => call<KeysAnswer>('/_/api/keys', { signal });

export const createKey = (name: string, scope: string) => call<{ accessKeyId: string; secretAccessKey: string }>('/_/api/keys', { method: 'POST', body: { name, scope } });

export const deleteKey = (id: string) => call(query('/_/api/keys', { id }), { method: 'DELETE' });

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

export const loadBuckets = async (signal?: AbortSignal) => (await call<{ buckets: { name: string; created: number }[] }>('/_/api/objects', { signal })).buckets;

export const loadObjects = (bucket: string, prefix: string, after: string | null, signal?: AbortSignal) =>
  call<ObjectPage>(query(`/_/api/objects/${encodeURIComponent(bucket)}`, { prefix, after, delimiter: '/' }), { signal });

export const presign = (bucket: string, key: string, method: 'GET' | 'PUT', expires: number, type?: string) =>
  call<{ url: string; headers?: Record<string, string> }>(`/_/api/objects/${encodeURIComponent(bucket)}/presign`, { method: 'POST', body: { key, method, expires, ...(type ? { type } : {}) } });

export const deleteObject = (bucket: string, key: string) => call(query(`/_/api/objects/${encodeURIComponent(bucket)}`, { key }), { method: 'DELETE' });
