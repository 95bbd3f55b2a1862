// The proof of a balance: the stored sum, what is left in the lots, and the ledger added up are one number, and the
// balance written beside each entry follows from the one before.

import { type Item, valueOf } from './attribute';

export interface LedgerLine {
  id: string;
  at: string;
  kind: string;
  amount: number;
  stored: number; // balance after it, as written
  computed: number; // as added up here
  note: string;
}

export interface Lot {
  id: string;
  source: string;
  granted: number;
  remaining: number;
  expires: number | null; // seconds
}

export interface Proof {
  balance: number;
  lots: Lot[];
  lotSum: number;
  lines: LedgerLine[]; // oldest first
  ledgerSum: number;
  holds: boolean;
  firstWrong: LedgerLine | null;
}

const number = (item: Item, name: string) => Number(valueOf(item[name]) ?? 0);
const text = (item: Item, name: string) => String(valueOf(item[name]) ?? '');
const kNever = 9_999_999_999;
const kApart = 5_000; // milliseconds

// Times have milliseconds and are taken before the commit: entries of about the same moment are put in the order in
// which their balances follow from each other.
function inOrderOfBalances(entries: readonly Item[]): Item[] {
  const left = [...entries];
  const ordered: Item[] = [];
  let running = 0;
  while (left.length > 0) {
    const until = Date.parse(text(left[0]!, 'createdAt')) + kApart;
    const near = left.findIndex((item) => !(Date.parse(text(item, 'createdAt')) <= until));
    const window = left.slice(0, near === -1 ? left.length : Math.max(1, near));
    const next = Math.max(0, window.findIndex((item) => number(item, 'balanceAfter') === running + number(item, 'amount')));
    const [item] = left.splice(next, 1);
    running += number(item!, 'amount');
    ordered.push(item!);
  }
  return ordered;
}

export function proveBalance(items: readonly Item[], sort: string): Proof {
  const at = (item: Item) => text(item, sort);
  const balance = items.filter((item) => at(item) === 'CREDITS#BALANCE').reduce((sum, item) => sum + number(item, 'balance'), 0);
  const lots = items
    .filter((item) => at(item).startsWith('CREDITS#LOT#'))
    .map((item) => {
      const expiry = Number(at(item).split('#')[2]);
      return { id: text(item, 'lotId'), source: text(item, 'source'), granted: number(item, 'granted'), remaining: number(item, 'remaining'), expires: Number.isFinite(expiry) && expiry !== kNever ? expiry : null };
    });
  let running = 0;
  const entries = items.filter((item) => at(item).startsWith('CREDITS#TXN#')).sort((a, b) => (at(a) < at(b) ? -1 : 1));
  const lines = inOrderOfBalances(entries).map((item) => {
    running += number(item, 'amount');
    const note = text(item, 'reason') || text(item, 'feature') || text(item, 'refId');
    return { id: text(item, 'txnId'), at: text(item, 'createdAt'), kind: text(item, 'kind'), amount: number(item, 'amount'), stored: number(item, 'balanceAfter'), computed: running, note };
  });
  const lotSum = lots.reduce((sum, lot) => sum + lot.remaining, 0);
  const firstWrong = lines.find((line) => line.stored !== line.computed) ?? null;
  return { balance, lots, lotSum, lines, ledgerSum: running, holds: balance === lotSum && balance === running && firstWrong === null, firstWrong };
}
