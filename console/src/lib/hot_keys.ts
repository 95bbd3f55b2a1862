// Which partitions are called most, as rates and against what AWS lets one partition take.

import type { HotKeysAnswer } from '../api/operate';
import { valueOf } from './attribute';

// Units a second; a call of a small item costs one unit to write, and half of one or one to read.
export const kReadsOfAPartition = 3000;
export const kWritesOfAPartition = 1000;

export interface HotPartition {
  id: string; // of the partition, as in lib/collection.ts
  table: string;
  index: string | null;
  text: string;
  reads: number; // a second
  writes: number;
  share: number; // of all calls of this time
  more: number; // a second, that may have been missed
  level: 'good' | 'warn' | 'bad';
}

export function hotPartitions({ keys, calls, seconds }: HotKeysAnswer): HotPartition[] {
  const time = Math.max(1, seconds);
  return keys.map(({ table, index, key, reads, writes, spare }) => {
    const values = Object.values(key);
    const load = Math.max(reads / time / kReadsOfAPartition, writes / time / kWritesOfAPartition);
    return {
      id: JSON.stringify(values[0]),
      table,
      index,
      text: values.map((value) => String(valueOf(value))).join(' · '),
      reads: reads / time,
      writes: writes / time,
      share: calls > 0 ? (reads + writes) / calls : 0,
      more: spare / time,
      level: load >= 1 ? 'bad' : load >= 0.5 ? 'warn' : 'good',
    };
  });
}

// "0.3", "12", "1,204": rates are read, not computed with.
export const perSecond = (rate: number) => (rate === 0 ? '0' : rate < 10 ? (Math.round(rate * 100) / 100 || '< 0.01').toString() : Math.round(rate).toLocaleString('en'));

export const percentOf = (share: number) => `${share < 0.01 ? '< 1' : Math.round(share * 100)} %`;
