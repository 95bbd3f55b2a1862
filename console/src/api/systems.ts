// The systems API with the console's session, and all items of a partition for what has no route.

import type { Item } from '../lib/attribute';
import { call } from './client';
import { type Page, type PartitionPage, dynamodb } from './dynamodb';
import type { Model } from './models';

export interface List<T> {
  items: T[];
  cursor: string | null;
}

// Every try of one action carries the same key, so that a repetition happens once.
export const newKey = () => `console-${crypto.randomUUID?.() ?? Math.random().toString(36).slice(2)}`;

export const change = <T>(model: Model, method: string, path: string, body: unknown = {}, key?: string) =>
  call<T>(`${model.path}${path}`, { method, body, headers: key ? { 'idempotency-key': key } : {} });

export const read = <T>(model: Model, path: string, signal?: AbortSignal) => call<T>(`${model.path}${path}`, { signal });

const kMostPages = 40;

export async function partitionItems(table: string, hash: string, value: string, signal?: AbortSignal): Promise<{ items: Item[]; complete: boolean }> {
  const items: Item[] = [];
  let start: Item | undefined;
  for (let page = 0; page < kMostPages; page++) {
    const reply = await dynamodb<Page>(
      'Query',
      {
        TableName: table,
        KeyConditionExpression: '#h = :h',
        ExpressionAttributeNames: { '#h': hash },
        ExpressionAttributeValues: { ':h': { S: value } },
        ConsistentRead: true,
        ...(start ? { ExclusiveStartKey: start } : {}),
      },
      signal,
    );
    items.push(...(reply.Items ?? []));
    start = reply.LastEvaluatedKey;
    if (!start) return { items, complete: true };
  }
  return { items, complete: false };
}

export async function partitionsWith(table: string, prefix: string, items: number, signal?: AbortSignal): Promise<PartitionPage['partitions']> {
  const found: PartitionPage['partitions'] = [];
  let after: string | null = null;
  for (let page = 0; page < 10; page++) {
    const search: string = new URLSearchParams({ table, prefix, limit: '100', items: String(items), ...(after ? { after } : {}) }).toString();
    const reply: PartitionPage = await call<PartitionPage>(`/_/api/partitions?${search}`, { signal });
    found.push(...reply.partitions);
    after = reply.next;
    if (!after) break;
  }
  return found;
}
