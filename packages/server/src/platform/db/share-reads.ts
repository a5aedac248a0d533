/**
 * Reads that arrive while others are under way share the next statement: under load it costs a connection, a round trip and a plan once
 * for all of them. A read never gets an answer older than its question, because it only joins a statement that was not sent yet.
 */
import type { Db } from './handles.ts';

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_SHARED = 64;
/** While one is under way, another collects. */
const LANES = 2;

/** `load` gives one value per key, in their order. */
export function shareReads<K, V>(load: (db: Db, keys: readonly K[]) => Promise<readonly V[]>): (db: Db, key: K) => Promise<V> {
  const queues = new WeakMap<Db, { readonly waiting: Waiting<K, V>[]; busyLanes: number }>();

  async function work(db: Db, queue: { readonly waiting: Waiting<K, V>[]; busyLanes: number }): Promise<void> {
    for (let batch = queue.waiting.splice(0, MOST_SHARED); batch.length > 0; batch = queue.waiting.splice(0, MOST_SHARED)) {
      try {
        const values = await load(
          db,
          batch.map(({ key }) => key),
        );
        for (const [index, { resolve }] of batch.entries()) resolve(values[index] as V);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queue.busyLanes -= 1;
  }

  return (db, key) => {
    // Reads inside a transaction are not shared.
    if (db.isTransaction) return load(db, [key]).then(([value]) => value as V);
    const queue = queues.get(db) ?? { waiting: [], busyLanes: 0 };
    queues.set(db, queue);
    return new Promise<V>((resolve, reject) => {
      queue.waiting.push({ key, resolve, reject });
      if (queue.busyLanes >= LANES) return;
      queue.busyLanes += 1;
      // Collect all reads of this turn of the event loop.
      setImmediate(() => void work(db, queue));
    });
  };
}
