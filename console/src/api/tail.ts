// The changes of a table as they happen.

import { EventParser } from '../lib/event_stream';
import type { TailRecord } from '../lib/tail';
import { ApiError, follow, query } from './client';

export interface TailFilter {
  table: string;
  entity: string;
  operation: string;
  key: string;
  from: string; // latest, horizon or a sequence number
}

export interface TailHandlers {
  record: (record: TailRecord) => void;
  gap: () => void;
  state: (state: 'live' | 'connecting') => void;
  lastSequence: () => string | null;
}

const kFirstWait = 500;
const kLongestWait = 8000;

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

// Follows until `signal`; a connection that breaks goes on behind the last record. What the server refuses is thrown.
export async function followTail(filter: TailFilter, handlers: TailHandlers, signal: AbortSignal): Promise<void> {
  let wait = kFirstWait;
  while (!signal.aborted) {
    handlers.state('connecting');
    try {
      const parser = new EventParser();
      const from = handlers.lastSequence() ?? filter.from;
      for await (const piece of follow(query('/_/api/tail', { ...filter, from }), signal)) {
        handlers.state('live');
        wait = kFirstWait;
        for (const { event, data } of parser.push(piece)) {
          if (event === 'record') handlers.record(JSON.parse(data) as TailRecord);
          else if (event === 'gap') handlers.gap();
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status !== 0 && error.status !== 503) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(kLongestWait, wait * 2);
  }
}
