// What requests cost: units by table and index, and what they would cost on AWS.

import { type Item, itemBytes } from './attribute';

export interface Consumed {
  TableName?: string;
  CapacityUnits?: number;
  ReadCapacityUnits?: number;
  WriteCapacityUnits?: number;
  Table?: { CapacityUnits?: number };
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>;
  LocalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>;
}

export interface ReadReply {
  Items?: Item[];
  Item?: Item;
  Responses?: Record<string, Item[]>;
  Count?: number;
  ScannedCount?: number;
  LastEvaluatedKey?: Item;
  ConsumedCapacity?: Consumed | Consumed[];
}

export interface Charge {
  where: string;
  read: number;
  write: number;
}

const kWriting = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

export function chargesOf(operation: string, consumed: Consumed | Consumed[] | undefined): Charge[] {
  const writes = kWriting.test(operation);
  const charges: Charge[] = [];
  const add = (where: string, units: number | undefined) => {
    if (units) charges.push({ where, read: writes ? 0 : units, write: writes ? units : 0 });
  };
  for (const entry of [consumed ?? []].flat()) {
    const table = entry.TableName ?? 'table';
    const indexes = { ...entry.LocalSecondaryIndexes, ...entry.GlobalSecondaryIndexes };
    // Without a breakdown everything is the table's.
    if (!entry.Table && Object.keys(indexes).length === 0) add(table, entry.CapacityUnits);
    add(table, entry.Table?.CapacityUnits);
    for (const [name, { CapacityUnits }] of Object.entries(indexes)) add(`${table} · ${name}`, CapacityUnits);
  }
  return charges;
}

export function sumCharges(charges: readonly Charge[]): Charge[] {
  const sums = new Map<string, Charge>();
  for (const { where, read, write } of charges) {
    const sum = sums.get(where) ?? { where, read: 0, write: 0 };
    sums.set(where, { where, read: sum.read + read, write: sum.write + write });
  }
  return [...sums.values()];
}

export interface RequestCost {
  operation: string;
  charges: Charge[];
  returned: number;
  scanned: number;
  bytes: number;
  more: boolean; // another page would follow
  ms: number;
}

export function requestCost(operation: string, reply: ReadReply, ms: number): RequestCost {
  const items = [...(reply.Items ?? []), ...(reply.Item ? [reply.Item] : []), ...Object.values(reply.Responses ?? {}).flat()];
  const returned = reply.Count ?? items.length;
  return {
    operation,
    charges: chargesOf(operation, reply.ConsumedCapacity),
    returned,
    scanned: reply.ScannedCount ?? returned,
    bytes: items.reduce((sum, item) => sum + itemBytes(item), 0),
    more: reply.LastEvaluatedKey !== undefined,
    ms,
  };
}

export interface CostSum {
  read: number;
  write: number;
  returned: number;
  scanned: number;
  bytes: number;
  pages: number;
  more: boolean;
  ms: number;
}

export function costSum(requests: readonly RequestCost[]): CostSum {
  const sum: CostSum = { read: 0, write: 0, returned: 0, scanned: 0, bytes: 0, pages: requests.length, more: false, ms: 0 };
  for (const request of requests) {
    for (const { read, write } of request.charges) [sum.read, sum.write] = [sum.read + read, sum.write + write];
    sum.returned += request.returned;
    sum.scanned += request.scanned;
    sum.bytes += request.bytes;
    sum.more ||= request.more;
    sum.ms += request.ms;
  }
  return sum;
}

// On-demand prices of us-east-1, in dollars for a million units.
export const kPrices = { read: 0.125, write: 0.625 };
const kSecondsOfAMonth = 2_628_000;

export const monthlyPrice = ({ read, write }: { read: number; write: number }, perSecond: number, prices = kPrices) => ((read * prices.read + write * prices.write) * perSecond * kSecondsOfAMonth) / 1e6;

export const dollars = (value: number) => `$${value.toLocaleString('en', { minimumFractionDigits: value < 100 ? 2 : 0, maximumFractionDigits: value < 100 ? 2 : 0 })}`;

// A Scan of everything reads the whole table, eight kilobytes for a unit.
export const scanUnits = (tableBytes: number) => Math.max(1, Math.ceil(tableBytes / 4096)) / 2;
