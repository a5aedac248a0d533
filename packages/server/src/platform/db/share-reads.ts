/**
 * Concurrent reads share the next statement: under load this costs one connection, one round trip and one plan for all of them. A read
 * never gets an answer older than its call, because it only joins a statement that was not sent yet.
 */
import type { Db } from './handles.ts';

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_SHARED = 64;
/** While one statement runs, the next collects. */
const MOST_RUNNING = 2;

/** `load` returns one value per key, in the order of the keys. */
export function shareReads<K, V>(load: (db: Db, keys: readonly K[]) => Promise<readonly V[]>): (db: Db, key: K) => Promise<V> {
  const queues = new WeakMap<Db, (key: K) => Promise<V>>();
  return (db, key) => {
    // Reads inside a transaction are not shared.
    if (db.isTransaction) return load(db, [key]).then(([value]) => value as V);
    const queue = queues.get(db) ?? collect((keys) => load(db, keys), MOST_SHARED);
    queues.set(db, queue);
    return queue(key);
  };
}

/** For a read without a key: all callers who share it get the same value. */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  const ask = collect<undefined, T>(async (waiting) => {
    const value = await read();
    return waiting.map(() => value);
  }, Number.POSITIVE_INFINITY);
  return () => ask(undefined);
}

function collect<K, V>(load: (keys: readonly K[]) => Promise<readonly V[]>, most: number): (key: K) => Promise<V> {
  const waiting: Waiting<K, V>[] = [];
  let running = 0;

  async function work(): Promise<void> {
    for (let batch = waiting.splice(0, most); batch.length > 0; batch = waiting.splice(0, most)) {
      try {
        const values = await load(batch.map(({ key }) => key));
        for (const [index, { resolve }] of batch.entries()) resolve(values[index] as V);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running -= 1;
  }

  return (key) =>
    new Promise<V>((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (running >= MOST_RUNNING) return;
      running += 1;
      // Starts after this turn of the event loop, to collect all reads of the turn.
      setImmediate(() => void work());
    });
}
