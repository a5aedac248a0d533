/** One request makes an answer; concurrent requests for the same one wait for it instead of making their own. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DataVersions } from '../../platform/versions/data-versions.ts';
import type { NewestVersions } from '../../platform/versions/newest-versions.ts';
import { type FinishedAnswer, finishAnswer, finishChallenge } from './finished-answer.ts';
import type { ReadyRule } from './ready-operations.ts';
import { isTrue, type KeptAnswer, type ReadyRoute, type ReadyStore } from './ready-store.ts';

/** How a request got its answer: from memory, by waiting for another request, or made for it. */
export type ReadyOutcome = 'kept' | 'waited' | 'made';

export interface Wanted {
  readonly key: string;
  readonly route: ReadyRoute;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** An answer that was just made for one request. */
export interface MadeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly rule: ReadyRule;
}

export interface Makers {
  /** The answer, from memory or made by another request. Undefined when this request must make it. */
  join(wanted: Wanted, now: DataVersions): Promise<KeptAnswer | undefined>;
  isMaking(request: IncomingMessage): boolean;
  /** Caches the answer of the request. Without an answer, waiting requests make their own. */
  finish(request: IncomingMessage, made: MadeAnswer | undefined): KeptAnswer | undefined;
}

export interface MakersOptions {
  readonly store: ReadyStore;
  readonly newest: NewestVersions;
  readonly onOutcome: (outcome: ReadyOutcome) => void;
}

/** `abandoned`: the maker's client disconnected, so another request makes the answer. `unkeepable`: every request makes its own. */
type Ending = KeptAnswer | 'unkeepable' | 'abandoned';

interface Making {
  readonly key: string;
  readonly route: ReadyRoute;
  /** Read before the data of the answer. */
  readonly versions: DataVersions;
  readonly startedAt: number;
  readonly ended: Promise<Ending>;
  /** Only the first call has an effect. */
  readonly end: (ending: Ending) => void;
}

export function createMakers({ store, newest, onOutcome }: MakersOptions): Makers {
  const running = new Map<string, Making>();
  const ofRequest = new WeakMap<IncomingMessage, Making>();

  function start({ key, route, request, response }: Wanted, now: DataVersions): void {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    const making: Making = {
      key,
      route,
      // Data read from here on are at least as new as the newest known versions. So one answer serves all requests that wait by then.
      versions: newest.orNewer(now),
      startedAt: performance.now(),
      ended: promise,
      end(ending) {
        if (running.get(key) === making) running.delete(key);
        resolve(ending);
      },
    };
    running.set(key, making);
    ofRequest.set(request, making);
    response.once('close', () => making.end('abandoned'));
  }

  return {
    isMaking: (request) => ofRequest.has(request),

    async join(wanted, now) {
      const found = store.get(wanted.key);
      if (found !== undefined && isTrue(found, now, performance.now())) {
        onOutcome('kept');
        return found;
      }
      for (let other = running.get(wanted.key); other !== undefined; other = running.get(wanted.key)) {
        const made = await other.ended;
        if (made === 'unkeepable') break;
        // The answer was made while we waited, so it is young enough, however long it took.
        if (made !== 'abandoned' && isTrue(made, now, other.startedAt)) {
          onOutcome('waited');
          return made;
        }
      }
      onOutcome('made');
      if (!running.has(wanted.key)) start(wanted, now);
      return undefined;
    },

    finish(request, made) {
      const making = ofRequest.get(request);
      if (making === undefined) return undefined;
      ofRequest.delete(request);
      const kept = made && toKept(store, making, made);
      if (kept !== undefined) store.set(making.key, kept);
      making.end(kept ?? 'unkeepable');
      return kept;
    },
  };
}

function toKept(store: ReadyStore, { key, route, versions, startedAt }: Making, { rule, ...made }: MadeAnswer): KeptAnswer {
  const finishing = made.status === 200 ? finishAnswer : finishChallenge;
  const before = store.get(key)?.answer;
  const answer: FinishedAnswer =
    before?.isStill(made) === true ? before : finishing({ ...made, onGrowth: (bytes) => store.grow(key, answer, bytes) });
  return {
    route,
    answer,
    tables: rule.tables,
    versions: { epoch: versions.epoch, changes: versions.changesOf(rule.tables) },
    until: startedAt + (rule.maxAge?.ms ?? Number.POSITIVE_INFINITY),
  };
}
