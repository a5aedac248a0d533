/** Caches public answers for a few seconds, so that many readers cost one query. */

export interface BriefCache {
  /** Calls `make` once and shares its answer with all callers, while it runs and for `seconds`. */
  keep<T>(key: string, seconds: number, make: () => Promise<T>): Promise<T>;
}

interface Kept {
  readonly made: Promise<unknown>;
  readonly until: number;
}

/** Every page of a list has its own key, so without a bound a crawler would fill the memory. */
const MAX_ENTRIES = 500;

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
      // Only the current callers get a failure; it is not cached.
      made.catch(() => kept.get(key) === entry && kept.delete(key));
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_ENTRIES) break;
        kept.delete(oldest);
      }
      return await made;
    },
  };
}
