// What the stream tail keeps: the last records in a ring, those that wait while it is paused, and how fast they come.

import { type Item, summary, valueOf } from './attribute';
import { changesOf } from './expression';

export type StreamOperation = 'INSERT' | 'MODIFY' | 'REMOVE';
export const kStreamOperations: StreamOperation[] = ['INSERT', 'MODIFY', 'REMOVE'];

export interface TailRecord {
  sequence: string;
  operation: StreamOperation;
  at: number;
  table: string;
  system?: string;
  entity?: string;
  keys: Item;
  old?: Item;
  new?: Item;
  expired?: boolean;
}

// A place where the server skipped records stands in the list like a record.
export type TailRow = { id: string; record: TailRecord | null };

export const kRingSize = 5000;
const kRateSeconds = 10;

export class Tail {
  private shown: TailRow[] = []; // oldest first
  private held: TailRow[] = [];
  private arrivals: number[] = [];
  private gaps = 0;
  private paused = false;
  private overflowed = false; // more came during a pause than are kept
  total = 0;
  lastSequence: string | null = null;

  constructor(private readonly size = kRingSize) {}

  get rows(): readonly TailRow[] {
    return this.shown;
  }
  get waiting(): number {
    return this.held.length;
  }
  get isPaused(): boolean {
    return this.paused;
  }

  // After a connection was lost the server may begin with the last record that was seen.
  add(record: TailRecord, now: number): boolean {
    if (this.lastSequence !== null && BigInt(record.sequence) <= BigInt(this.lastSequence)) return false;
    this.lastSequence = record.sequence;
    this.total += 1;
    this.arrivals.push(now);
    if (this.arrivals.length > 2 * this.size) this.arrivals.splice(0, this.arrivals.length - this.size);
    this.append({ id: record.sequence, record });
    return true;
  }

  addGap() {
    this.gaps += 1;
    this.append({ id: `gap ${this.gaps}`, record: null });
  }

  pause() {
    this.paused = true;
  }

  resume() {
    this.paused = false;
    if (this.overflowed) this.held[0] = { id: `gap ${++this.gaps}`, record: null };
    this.overflowed = false;
    for (const row of this.held.splice(0)) this.append(row);
  }

  clear() {
    this.shown = [];
    this.held = [];
  }

  // Records a second over the last seconds.
  rate(now: number): number {
    const from = now - kRateSeconds * 1000;
    return this.arrivals.filter((at) => at > from).length / kRateSeconds;
  }

  // One figure for each of the last seconds, oldest first.
  perSecond(now: number, seconds: number): number[] {
    const counts = Array.from({ length: seconds }, () => 0);
    for (const at of this.arrivals) {
      const slot = seconds - 1 - Math.floor((now - at) / 1000);
      if (slot >= 0 && slot < seconds) counts[slot]! += 1;
    }
    return counts;
  }

  private append(row: TailRow) {
    const list = this.paused ? this.held : this.shown;
    list.push(row);
    if (list.length <= this.size) return;
    list.splice(0, list.length - this.size);
    this.overflowed ||= this.paused;
  }
}

export const keyText = (keys: Item) => Object.values(keys).map((value) => String(valueOf(value))).join(' / ');

// A record in a few words: what changed, or what came and went.
export function changeText({ operation, old, new: after, keys, expired }: TailRecord): string {
  if (operation === 'MODIFY' && old && after) {
    const changes = changesOf(old, after);
    if (changes.length === 0) return 'written again as it was';
    return changes.map(({ name, before, after: now }) => `${name}: ${before ? summary(before) : 'absent'} → ${now ? summary(now) : 'removed'}`).join(', ');
  }
  const image = after ?? old ?? {};
  const text = Object.entries(image)
    .filter(([name]) => !keys[name])
    .map(([name, value]) => `${name}: ${summary(value)}`)
    .join(', ');
  return `${expired ? 'expired · ' : ''}${text}`;
}
