// Index of landed transactions by signature, address and slot. Only the index is in memory (about half a kilobyte each); the records are in
// the log. Beyond MAX_ENTRIES it forgets the oldest entries, like a node without an archive.

import type { LogPosition } from './chain-log.ts';
import type { TransactionError } from './transaction-error.ts';

const MAX_ENTRIES = 100_000;
const TRIM_STEP = 5_000;

export interface HistoryEntry {
  /** Increases with every transaction, also across a reorg. */
  readonly sequence: number;
  readonly signature: string;
  readonly slot: number;
  readonly blockTime: number;
  readonly error: TransactionError | null;
  readonly memo: string | null;
  readonly addresses: readonly string[];
  readonly position: LogPosition;
}

export type History = ReturnType<typeof createHistory>;

export function createHistory(maxEntries = MAX_ENTRIES) {
  let entries: HistoryEntry[] = [];
  let sequence = 0;
  let total = 0;
  let firstAvailableSlot = 0;
  const bySignature = new Map<string, HistoryEntry>();
  const byAddress = new Map<string, HistoryEntry[]>();

  function trim(): void {
    const step = Math.min(TRIM_STEP, Math.ceil(maxEntries / 10));
    if (entries.length < maxEntries + step) return;
    const dropped = entries.slice(0, entries.length - maxEntries);
    entries = entries.slice(dropped.length);
    forget(dropped);
    firstAvailableSlot = (dropped.at(-1)?.slot ?? 0) + 1;
  }

  function forget(dropped: readonly HistoryEntry[]): void {
    const gone = new Set(dropped);
    for (const entry of dropped) bySignature.delete(entry.signature);
    for (const address of new Set(dropped.flatMap((entry) => entry.addresses))) {
      const kept = (byAddress.get(address) ?? []).filter((entry) => !gone.has(entry));
      if (kept.length === 0) byAddress.delete(address);
      else byAddress.set(address, kept);
    }
  }

  /** Index of the first entry whose slot is at least the given one. */
  function lowerBound(slot: number): number {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((entries[middle] as HistoryEntry).slot < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(landed: Omit<HistoryEntry, 'sequence'>): HistoryEntry {
      const entry = { ...landed, sequence: sequence++ };
      total++;
      entries.push(entry);
      bySignature.set(entry.signature, entry);
      for (const address of new Set(entry.addresses)) {
        const known = byAddress.get(address);
        if (known === undefined) byAddress.set(address, [entry]);
        else known.push(entry);
      }
      trim();
      return entry;
    },

    /** Removes and returns the transactions that landed after `slot`. */
    dropAfter(slot: number): readonly HistoryEntry[] {
      const dropped = entries.splice(lowerBound(slot + 1));
      total -= dropped.length;
      forget(dropped);
      return dropped;
    },

    find: (signature: string) => bySignature.get(signature),
    /** Transactions of an address, oldest first. */
    listForAddress: (address: string): readonly HistoryEntry[] => byAddress.get(address) ?? [],
    listAtSlot: (slot: number): readonly HistoryEntry[] => entries.slice(lowerBound(slot), lowerBound(slot + 1)),
    listSince: (first: number): readonly HistoryEntry[] => {
      const index = entries.findLastIndex((entry) => entry.sequence < first);
      return entries.slice(index + 1);
    },
    nextSequence: () => sequence,
    lastSlot: () => entries.at(-1)?.slot ?? 0,
    firstAvailableSlot: () => firstAvailableSlot,
    count: () => total,
  };
}
