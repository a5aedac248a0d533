/**
 * Writes at the end of a transaction, so that contended rows are locked last and briefly. Every transaction writes in the same order, by
 * rank, so two of them never deadlock.
 */
import type { Tx } from './handles.ts';

/** Writes all items collected under a key with one statement. */
export type WriteAll<T> = (tx: Tx, items: readonly T[]) => Promise<void>;

/** Ranks in the order of their locks: rows that more transactions share are locked later. */
export type Rank = 'rows' | 'events' | 'books';

const ranks: readonly Rank[] = ['rows', 'events', 'books'];

interface Collected {
  readonly rank: Rank;
  readonly items: unknown[];
  readonly writeAll: WriteAll<unknown>;
}

type LastWrites = Map<object, Collected>;

const lastWrites = new WeakMap<Tx, LastWrites>();
const joined = new WeakSet<Tx>();

/** Other work shares this transaction. */
export function isJoined(tx: Tx): boolean {
  return joined.has(tx);
}

export function markJoined(tx: Tx): void {
  joined.add(tx);
}

/** Collects items. Items under the same key are written together at the end of the transaction. */
export function writeLast<T>(tx: Tx, key: object, items: readonly T[], writeAll: WriteAll<T>, rank: Rank = 'events'): void {
  const writes = lastWrites.get(tx);
  if (writes === undefined) throw new Error('this transaction was not begun by Database.transaction, so nothing would run at its end');
  const collected = writes.get(key);
  if (collected === undefined) writes.set(key, { rank, items: [...items], writeAll: writeAll as WriteAll<unknown> });
  else collected.items.push(...items);
}

/** Runs `work` and returns its last writes. */
export async function collectLastWrites<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<{ result: T; writes: LastWrites }> {
  const writes: LastWrites = new Map();
  lastWrites.set(tx, writes);
  return { result: await work(tx), writes };
}

export async function performLastWrites(tx: Tx, all: readonly LastWrites[]): Promise<void> {
  const [first = new Map() as LastWrites, ...others] = all;
  for (const writes of others) {
    for (const [key, collection] of writes) {
      const collected = first.get(key);
      if (collected === undefined) first.set(key, collection);
      else collected.items.push(...collection.items);
    }
  }
  const inOrder = [...first.values()].sort((one, other) => ranks.indexOf(one.rank) - ranks.indexOf(other.rank));
  for (const { items, writeAll } of inOrder) await writeAll(tx, items);
}
