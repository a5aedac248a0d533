/** Writes at the end of a transaction, so that contended rows are locked last and only briefly. */
import type { Tx } from './handles.ts';

/** Writes all items of a key with one statement. */
type WriteAll<T> = (tx: Tx, items: readonly T[]) => Promise<void>;

interface Collected {
  readonly items: unknown[];
  readonly writeAll: WriteAll<unknown>;
}

type LastWrites = Map<object, Collected>;

const lastWrites = new WeakMap<Tx, LastWrites>();

/** Collects items. Items under the same key are written together at the end of the transaction. */
export function writeLast<T>(tx: Tx, key: object, items: readonly T[], writeAll: WriteAll<T>): void {
  const writes = lastWrites.get(tx);
  if (writes === undefined) throw new Error('this transaction was not begun by Database.transaction, so nothing would run at its end');
  const collected = writes.get(key);
  if (collected === undefined) writes.set(key, { items: [...items], writeAll: writeAll as WriteAll<unknown> });
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
    for (const [key, { items, writeAll }] of writes) {
      const collected = first.get(key);
      if (collected === undefined) first.set(key, { items, writeAll });
      else collected.items.push(...items);
    }
  }
  for (const { items, writeAll } of first.values()) await writeAll(tx, items);
}
