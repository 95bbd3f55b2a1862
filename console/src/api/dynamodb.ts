// The DynamoDB API of this server, called with the session.

import type { Attribute, Item } from '../lib/attribute';
import { call } from './client';

export type Request = Record<string, unknown>;

export const dynamodb = <T>(operation: string, request: Request, signal?: AbortSignal) =>
  call<T>('/_/api/dynamodb', { method: 'POST', headers: { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-type': 'application/x-amz-json-1.0' }, body: request, signal });

export interface KeySchema {
  AttributeName: string;
  KeyType: 'HASH' | 'RANGE';
}
export interface IndexDescription {
  IndexName: string;
  KeySchema: KeySchema[];
  Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
  IndexStatus?: string;
  ItemCount?: number;
  IndexSizeBytes?: number;
}
export interface TableDescription {
  TableName: string;
  TableStatus: string;
  KeySchema: KeySchema[];
  AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
  ItemCount: number;
  TableSizeBytes: number;
  CreationDateTime: number;
  TableArn: string;
  BillingModeSummary?: { BillingMode: string };
  GlobalSecondaryIndexes?: IndexDescription[];
  LocalSecondaryIndexes?: IndexDescription[];
  DeletionProtectionEnabled?: boolean;
  StreamSpecification?: { StreamEnabled: boolean; StreamViewType?: string };
  LatestStreamArn?: string;
}

export async function listTables(signal?: AbortSignal): Promise<TableDescription[]> {
  const names: string[] = [];
  let last: string | undefined;
  do {
    const page = await dynamodb<{ TableNames: string[]; LastEvaluatedTableName?: string }>('ListTables', last ? { ExclusiveStartTableName: last } : {}, signal);
    names.push(...page.TableNames);
    last = page.LastEvaluatedTableName;
  } while (last && names.length < 500);
  return Promise.all(names.map((name) => describeTable(name, signal)));
}

export const describeTable = async (TableName: string, signal?: AbortSignal) =>
  (await dynamodb<{ Table: TableDescription }>('DescribeTable', { TableName }, signal)).Table;

export const indexesOf = (table: TableDescription): IndexDescription[] => [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];

export const keyNames = (schema: KeySchema[]): string[] =>
  [...schema].sort((a, b) => (a.KeyType === 'HASH' ? 0 : 1) - (b.KeyType === 'HASH' ? 0 : 1)).map((key) => key.AttributeName);

export interface Page {
  Items?: Item[];
  Count: number;
  ScannedCount: number;
  LastEvaluatedKey?: Item;
  ConsumedCapacity?: { CapacityUnits: number };
}

export interface PartitionPage {
  partitions: { key: Record<string, Attribute>; items: { item: Item; bytes: number }[]; more: boolean }[];
  next: string | null;
  sampled?: boolean;
}
