/** Keeps answers that are the same for everybody for a few seconds, so that a crowd of readers costs one query. */

export interface BriefCache {
  /** `make` runs once for all who ask while it runs or its answer is kept. */
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
      // A failure is told to those who waited for it and to nobody else.
      made.catch(() => kept.get(key) === entry && kept.delete(key));
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_ENTRIES) break;
        kept.delete(oldest);
      }
      return await made;
    },
  };
}
