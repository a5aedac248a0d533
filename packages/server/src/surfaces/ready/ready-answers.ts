/**
 * Keeps answers for signed-out callers as finished bytes. As long as its data have not changed, a kept answer is sent before any routing; a
 * request with a limit is still counted. One request makes an answer, others wait for it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DataVersions, VersionReader } from '../../platform/versions/data-versions.ts';
import { newestVersions } from '../../platform/versions/newest-versions.ts';
import type { CountedCall } from '../count-calls.ts';
import { chooseEncoding } from '../pages/choose-encoding.ts';
import { createMakers, type MadeAnswer, type ReadyOutcome } from './makers.ts';
import { type KeyOptions, keyOf } from './plain-request.ts';
import { isTrue, type KeptAnswer, type ReadyRoute, type ReadyStore } from './ready-store.ts';
import { sendTogether } from './send-together.ts';
import type { CachedResponse } from './write-cached-response.ts';

export interface ReadyOptions extends KeyOptions {
  readonly store: ReadyStore;
  readonly versions: VersionReader;
  /** Counts the call; its verdict contains the versions. Undefined where no limit applies. */
  readonly count: (route: ReadyRoute, request: IncomingMessage) => CountedCall | Promise<CountedCall> | undefined;
  /** False if the client is over the limit of pages. */
  readonly admitsPage: (request: IncomingMessage) => boolean;
  /** Sends an answer without the router. */
  readonly send: (sent: SentAnswer) => void;
  readonly onOutcome: (outcome: ReadyOutcome) => void;
}

interface AskedAnswer {
  readonly key: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: ReadyRoute;
  readonly startedAt: number;
}

export interface SentAnswer {
  readonly asked: AskedAnswer;
  readonly counted: CountedCall | undefined;
  readonly cached: CachedResponse;
}

export interface ReadyAnswers {
  /** True if the request was answered. Otherwise the router answers it; its call is already counted. */
  trySend(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean>;
  /** The count of a request that `trySend` did not answer. */
  countOf(request: IncomingMessage): CountedCall | undefined;
  /** Called before an answer is made. Returns a kept answer; undefined if this request makes it, or is not cacheable. */
  begin(request: IncomingMessage, response: ServerResponse, route: ReadyRoute, counted?: CountedCall): Promise<CachedResponse | undefined>;
  /** Whether the answer to this request may be kept. */
  isMaking(request: IncomingMessage): boolean;
  /** Caches an answer and returns it in the encoding of its client. Without an answer, waiting requests make their own. */
  finish(request: IncomingMessage, made: MadeAnswer | undefined): CachedResponse | Promise<CachedResponse> | undefined;
}

export function createReadyAnswers(options: ReadyOptions): ReadyAnswers {
  const { store, versions: reader } = options;
  const newest = newestVersions();
  const makers = createMakers({ store, newest, onOutcome: options.onOutcome });
  const seenBefore = new WeakMap<IncomingMessage, DataVersions>();
  const counts = new WeakMap<IncomingMessage, CountedCall>();
  const sendSoon = sendTogether(options.send);

  /** Sends the answer if it is still valid; otherwise keeps the versions and the count for the router. */
  function sendIfTrue(
    asked: AskedAnswer,
    counted: CountedCall | undefined,
    now: DataVersions,
    sendAnswer: ReadyOptions['send'],
  ): boolean | Promise<boolean> {
    newest.note(now);
    const { key, request, startedAt } = asked;
    // Another request may have kept a newer answer in the meantime.
    const kept = store.get(key);
    if (kept === undefined || counted?.verdict?.allowed === false || !isTrue(kept, now, startedAt)) {
      seenBefore.set(request, now);
      if (counted !== undefined) counts.set(request, counted);
      return false;
    }
    const send = (cached: CachedResponse): boolean => {
      options.onOutcome('kept');
      sendAnswer({ asked, counted, cached });
      return true;
    };
    const cached = forClient(kept, request);
    return cached instanceof Promise ? cached.then(send) : send(cached);
  }

  /** Undefined when the database does not answer: then the request bypasses this cache. */
  async function versionsFor(request: IncomingMessage, counted: CountedCall | undefined): Promise<DataVersions | undefined> {
    const seen = seenBefore.get(request);
    if (seen !== undefined) return seen;
    const now = counted?.verdict === undefined ? await reader.read().catch(() => undefined) : reader.parse(counted.verdict.alongside);
    if (now !== undefined) newest.note(now);
    return now;
  }

  return {
    countOf: (request) => counts.get(request),
    isMaking: makers.isMaking,

    trySend(request, response) {
      const key = keyOf(request, options);
      const found = key === undefined ? undefined : store.get(key);
      if (key === undefined || found === undefined) return false;
      if (found.route.isPage === true && !options.admitsPage(request)) return false;
      const asked = { key, request, response, route: found.route, startedAt: performance.now() };
      const judge = (counted: CountedCall, sendAnswer: ReadyOptions['send']): boolean | Promise<boolean> =>
        sendIfTrue(asked, counted, reader.parse(counted.verdict?.alongside ?? ''), sendAnswer);
      const counted = options.count(found.route, request);
      if (counted === undefined) return reader.read().then((now) => sendIfTrue(asked, undefined, now, options.send));
      // Requests that waited for one count continue together anyway.
      return counted instanceof Promise ? counted.then((count) => judge(count, options.send)) : judge(counted, sendSoon);
    },

    async begin(request, response, route, counted) {
      const key = request.method === 'GET' ? keyOf(request, options) : undefined;
      const now = key === undefined ? undefined : await versionsFor(request, counted);
      if (key === undefined || now === undefined) return undefined;
      const kept = await makers.join({ key, route, request, response }, now);
      return kept && (await forClient(kept, request));
    },

    finish(request, made) {
      const kept = makers.finish(request, made);
      return kept && forClient(kept, request);
    },
  };
}

function forClient({ answer }: KeptAnswer, { headers }: IncomingMessage): CachedResponse | Promise<CachedResponse> {
  return answer.toward(chooseEncoding(headers['accept-encoding']), headers['if-none-match']);
}
