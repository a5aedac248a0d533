/**
 * The 402 of a GET that can be paid depends on its address alone as long as nobody pays and nobody says who they are. Directories and clients
 * ask for it far more often than it changes, so it is kept as it went out and given again before any routing: until what is for sale
 * changes, and never for long. Hits are counted as always.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MarketError, NamedOperation } from '@market/contract';
import type { CountedCall } from '../count-calls.ts';
import { JSON_TYPE } from './error-answer.ts';
import { type PreparedAnswer, prepareAnswer } from './write-cached-response.ts';

/** What is needed to give an answer again without its route. */
export interface PreparedRoute {
  readonly operation: NamedOperation;
  readonly pattern: string;
}

export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: PreparedRoute;
  readonly counted: CountedCall;
  readonly milliseconds: number;
}

export interface PreparedAnswers {
  /** Whether an answer lies ready that `tryAnswer` could give. */
  has(request: IncomingMessage): boolean;
  /** True when the request was answered; otherwise it goes the ordinary way, with its hit counted. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean>;
  /** The count of a request that was looked at here first. */
  countOf(request: IncomingMessage): CountedCall | undefined;
  /** To be called before the answer is made. */
  begin(request: IncomingMessage): Promise<void>;
  keep(request: IncomingMessage, route: PreparedRoute, error: MarketError): void;
}

export interface PreparedAnswersOptions {
  /** Differs after a change of anything that is for sale. */
  readonly version: () => Promise<string>;
  /** Tells the version alongside, at once where it can. */
  readonly count: (route: PreparedRoute, request: IncomingMessage) => CountedCall | Promise<CountedCall>;
  readonly answer: (asked: Asked, answer: PreparedAnswer) => void;
  /** Headers of every answer, for those that do not say otherwise themselves. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Also how long something that `version` does not see may be out of date: the standing of a network, for example. */
const KEPT_MS = 1_000;
/** So long before its end one request makes an answer anew, while the others still get the old one. */
const RENEWED_BEFORE_MS = 400;
const MOST_KEPT = 2_000;
const LONGEST_URL = 300;

/** Says nothing that could change the answer. Anything else in a request sends it the ordinary way. */
const neutralHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'dnt',
  'forwarded',
  'host',
  'pragma',
  'priority',
  'referer',
  'te',
  'traceparent',
  'tracestate',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
]);

export function isPreparable({ spec }: NamedOperation): boolean {
  return spec.rest.method === 'GET' && spec.effects.kind === 'pay';
}

interface Kept extends PreparedAnswer {
  readonly route: PreparedRoute;
  readonly until: number;
  isBeingRenewed: boolean;
}

export function createPreparedAnswers({ version, count, answer, headers: common }: PreparedAnswersOptions): PreparedAnswers {
  const readVersion = shareReads(version);
  let keptVersion = '';
  let kept = new Map<string, Kept>();
  // An answer is kept among those of the version it was asked under: one made before a change is never taken for one made after.
  const askedUnder = new WeakMap<IncomingMessage, Map<string, Kept>>();
  const counts = new WeakMap<IncomingMessage, CountedCall>();

  function keptUnder(now: string): Map<string, Kept> {
    if (now !== keptVersion) {
      keptVersion = now;
      kept = new Map();
    }
    return kept;
  }

  return {
    has: (request) => request.method === 'GET' && kept.has(request.url ?? '') && isPlain(request),
    countOf: (request) => counts.get(request),

    tryAnswer(request, response) {
      const startedAt = performance.now();
      const url = request.url ?? '';
      const route = kept.get(url)?.route;
      if (route === undefined) return false;
      const give = (counted: CountedCall): boolean => {
        const { verdict } = counted;
        const found = verdict && keptUnder(verdict.alongside).get(url);
        if (found === undefined || !verdict?.allowed || !isGood(found, startedAt)) {
          counts.set(request, counted);
          return false;
        }
        answer({ request, response, route, counted, milliseconds: performance.now() - startedAt }, found);
        return true;
      };
      const counted = count(route, request);
      return counted instanceof Promise ? counted.then(give) : give(counted);
    },

    async begin(request) {
      if (isPlain(request)) askedUnder.set(request, keptUnder(await readVersion()));
    },

    keep(request, route, { status, headers, body }) {
      const among = askedUnder.get(request);
      if (status !== 402 || body === undefined || among === undefined) return;
      if (among.size >= MOST_KEPT) among.clear();
      const prepared = prepareAnswer(status, { ...common, 'Content-Type': JSON_TYPE, ...headers }, toAsciiJson(body));
      among.set(request.url ?? '', { ...prepared, route, until: performance.now() + KEPT_MS, isBeingRenewed: false });
    },
  };
}

/** Says no to one request shortly before the end: that one makes the next answer. */
function isGood(kept: Kept, now: number): boolean {
  if (kept.until < now) return false;
  if (kept.isBeingRenewed || kept.until - now > RENEWED_BEFORE_MS) return true;
  kept.isBeingRenewed = true;
  return false;
}

function isPlain({ url = '', headers }: IncomingMessage): boolean {
  if (url.length > LONGEST_URL || headers.host === undefined) return false;
  for (const name in headers) {
    if (!neutralHeaders.has(name) && !name.startsWith('sec-')) return false;
  }
  return true;
}

/** One byte for each character is written at once, while anything else is measured and encoded first. */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Everybody who asks while one read is under way gets the next: none gets an answer that is older than their question. */
function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    running = read().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}
