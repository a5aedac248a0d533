/** Keeps readings for a while, per source and name. Concurrent callers share one reading; a failure is not kept. */

interface Kept<T> {
  readonly value: Promise<T>;
  readonly until: number;
}

const MOST_KEPT = 5_000;

export function createKeptReadings<T>(keptMs: number, now: () => number = () => performance.now()) {
  const bySource = new WeakMap<object, Map<string, Kept<T>>>();

  return {
    of(source: object, name: string, read: () => Promise<T>): Promise<T> {
      const kept = bySource.get(source) ?? new Map<string, Kept<T>>();
      bySource.set(source, kept);
      const known = kept.get(name);
      if (known !== undefined && known.until > now()) return known.value;
      const entry: Kept<T> = { value: read(), until: now() + keptMs };
      kept.delete(name);
      kept.set(name, entry);
      entry.value.catch(() => {
        if (kept.get(name) === entry) kept.delete(name);
      });
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break;
        kept.delete(oldest);
      }
      return entry.value;
    },
  };
}
