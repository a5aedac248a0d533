/** Caches feeds until a service changes, and for 30 seconds at most: figures change without the service. */

export interface FeedCache {
  /** `make` runs once for all who ask at the same moment. */
  keep<T>(key: string, make: () => Promise<T>): Promise<T>;
}

export interface FeedCacheOptions {
  /** Cheap to ask; differs after every change. */
  readonly version: () => Promise<string>;
  readonly now: () => Date;
}

export const FEED_SECONDS = 30;

interface Kept {
  readonly made: Promise<unknown>;
  readonly until: number;
}

export function createFeedCache({ version, now }: FeedCacheOptions): FeedCache {
  let keptVersion = '';
  let kept = new Map<string, Kept>();
  return {
    async keep<T>(key: string, make: () => Promise<T>): Promise<T> {
      // Read the version first: a change while making then only causes one more read.
      const current = await version();
      if (current !== keptVersion) {
        keptVersion = current;
        kept = new Map();
      }
      const found = kept.get(key);
      if (found !== undefined && found.until > now().getTime()) return (await found.made) as T;
      const entries = kept;
      const made = make();
      entries.set(key, { made, until: now().getTime() + FEED_SECONDS * 1000 });
      made.catch(() => entries.delete(key));
      return await made;
    },
  };
}
