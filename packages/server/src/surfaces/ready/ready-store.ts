/** Finished answers by key, limited in bytes; the least recently read answer is dropped first. */
import type { NamedOperation } from '@market/contract';
import type { DataVersions, VersionedTable } from '../../platform/versions/data-versions.ts';
import type { FinishedAnswer } from './finished-answer.ts';

/** The route of an answer: an operation, or a page. */
export interface ReadyRoute {
  readonly operation: NamedOperation | undefined;
  readonly pattern: string;
  /** A page counts against the limit of pages. */
  readonly isPage?: true;
}

export interface KeptAnswer {
  readonly route: ReadyRoute;
  readonly answer: FinishedAnswer;
  readonly tables: readonly VersionedTable[];
  /** Versions read before the answer was made. */
  readonly versions: Pick<DataVersions, 'epoch'> & { readonly changes: number };
  /** Time of the monotonic clock, in milliseconds. */
  readonly until: number;
}

export interface ReadyStore {
  get(key: string): KeptAnswer | undefined;
  set(key: string, kept: KeptAnswer): void;
  /** Counts a compressed form that was added to the answer. */
  grow(key: string, answer: FinishedAnswer, bytes: number): void;
  readonly bytes: () => number;
  readonly entries: () => number;
}

/** True as long as the answer's data have not changed. An answer newer than `now` is valid, too. */
export function isTrue({ tables, versions, until }: KeptAnswer, now: DataVersions, nowMs: number): boolean {
  return until > nowMs && versions.epoch === now.epoch && versions.changes >= now.changesOf(tables);
}

export function createReadyStore(mostBytes: number): ReadyStore {
  const kept = new Map<string, { readonly answer: KeptAnswer; bytes: number }>();
  let total = 0;
  /** The last entry in order, which need not be moved. */
  let lastRead: string | undefined;

  function remove(key: string): void {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  function makeRoom(): void {
    for (const oldest of kept.keys()) {
      if (total <= mostBytes) return;
      remove(oldest);
    }
  }

  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      if (key !== lastRead) {
        // Move it to the end: the map keeps the order of insertion.
        kept.delete(key);
        kept.set(key, found);
        lastRead = key;
      }
      return found.answer;
    },
    set(key, answer) {
      remove(key);
      const bytes = answer.answer.size + 2 * key.length;
      kept.set(key, { answer, bytes });
      lastRead = key;
      total += bytes;
      makeRoom();
    },
    grow(key, answer, bytes) {
      const found = kept.get(key);
      if (found?.answer.answer !== answer) return;
      found.bytes += bytes;
      total += bytes;
      makeRoom();
    },
    bytes: () => total,
    entries: () => kept.size,
  };
}
