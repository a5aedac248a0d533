/** Caches public answers for a few seconds, so that many readers cost one query. */

export interface BriefCache {
  /** `make` runs once for all callers while it runs or its answer is cached. */
  keep<T>(key: string, seconds: number, make: () => Promise<T>): Promise<T>;
}

interface Kept {
  readonly made: Promise<unknown>;
  readonly until: number;
}

/** Pages of lists are keys of their own: without a bound a walker would fill the memory. */
const MOST_ENTRIES = 500;

export function createBriefCache(now: () => Date): BriefCache {
  const kept = new Map<string, Kept>();
  return {
    async keep<T>(key: string, seconds: number, make: () => Promise<T>): Promise<T> {
      const found = kept.get(key);
      if (found !== undefined && found.until > now().getTime()) return (await found.made) as T;
      const made = make();
      const entry = { made, until: now().getTime() + seconds * 1000 };
      kept.delete(key);
      kept.set(key, entry);
      // Do not cache a failure: only the current waiters get it.
      made.catch(() => kept.get(key) === entry && kept.delete(key));
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_ENTRIES) break;
        kept.delete(oldest);
      }
      return await made;
    },
  };
}
