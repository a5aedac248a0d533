/**
 * Caches the 402 of a payable GET. Without payment and credentials it depends on the address alone, and directories ask for it far more often
 * than it changes. A cached one is sent before any routing, until what is for sale changes, for one second at most. Every request is counted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MarketError, NamedOperation } from '@market/contract';
import type { CountedCall } from '../count-calls.ts';
import { JSON_TYPE } from './error-answer.ts';
import { type CachedResponse, composeCachedResponse } from './write-cached-response.ts';

/** The route data that a cached answer needs. */
export interface CachedRoute {
  readonly operation: NamedOperation;
  readonly pattern: string;
}

export interface CachedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: CachedRoute;
  readonly counted: CountedCall;
  readonly milliseconds: number;
}

export interface ChallengeCache {
  /** Whether `trySend` may find an answer. */
  has(request: IncomingMessage): boolean;
  /** True when the request was answered. Otherwise the router answers it; its call is counted already. */
  trySend(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean>;
  /** The count of a request that `trySend` did not answer. */
  countOf(request: IncomingMessage): CountedCall | undefined;
  /** Notes the version a request was asked under. Call it before making the answer. */
  begin(request: IncomingMessage): Promise<void>;
  store(request: IncomingMessage, route: CachedRoute, error: MarketError): void;
}

export interface ChallengeCacheOptions {
  /** Changes with anything that is for sale. */
  readonly version: () => Promise<string>;
  /** Counts the call; its verdict carries the version. Synchronous where the limiter allows. */
  readonly count: (route: CachedRoute, request: IncomingMessage) => CountedCall | Promise<CountedCall>;
  readonly answer: (asked: CachedRequest, response: CachedResponse) => void;
  /** Default headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `version` does not cover everything, for example the state of a network: that may be outdated for this long. */
const MAX_AGE_MS = 1_000;
/** This long before expiry, one request refreshes the answer; the others still get the old one. */
const REFRESH_BEFORE_MS = 400;
const MAX_ENTRIES = 2_000;
const MAX_URL_LENGTH = 300;

/** Headers that cannot change the answer. A request with any other header goes to the router. */
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

export function isCacheable({ spec }: NamedOperation): boolean {
  return spec.rest.method === 'GET' && spec.effects.kind === 'pay';
}

interface Kept extends CachedResponse {
  readonly route: CachedRoute;
  readonly until: number;
  isBeingRefreshed: boolean;
}

export function createChallengeCache({ version, count, answer, headers: common }: ChallengeCacheOptions): ChallengeCache {
  const readVersion = shareReads(version);
  let keptVersion = '';
  let kept = new Map<string, Kept>();
  // An answer belongs to the version of its request: one made before a change is never served after it.
  const entriesAtRequest = new WeakMap<IncomingMessage, Map<string, Kept>>();
  const counts = new WeakMap<IncomingMessage, CountedCall>();

  function entriesOf(now: string): Map<string, Kept> {
    if (now !== keptVersion) {
      keptVersion = now;
      kept = new Map();
    }
    return kept;
  }

  return {
    has: (request) => request.method === 'GET' && kept.has(request.url ?? '') && isPlain(request),
    countOf: (request) => counts.get(request),

    trySend(request, response) {
      const startedAt = performance.now();
      const url = request.url ?? '';
      const route = kept.get(url)?.route;
      if (route === undefined) return false;
      const give = (counted: CountedCall): boolean => {
        const { verdict } = counted;
        const found = verdict && entriesOf(verdict.alongside).get(url);
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
      if (isPlain(request)) entriesAtRequest.set(request, entriesOf(await readVersion()));
    },

    store(request, route, { status, headers, body }) {
      const among = entriesAtRequest.get(request);
      if (status !== 402 || body === undefined || among === undefined) return;
      if (among.size >= MAX_ENTRIES) among.clear();
      const response = composeCachedResponse(status, { ...common, 'Content-Type': JSON_TYPE, ...headers }, toAsciiJson(body));
      among.set(request.url ?? '', { ...response, route, until: performance.now() + MAX_AGE_MS, isBeingRefreshed: false });
    },
  };
}

/** False for one request shortly before expiry: that one refreshes the answer. */
function isGood(kept: Kept, now: number): boolean {
  if (kept.until < now) return false;
  if (kept.isBeingRefreshed || kept.until - now > REFRESH_BEFORE_MS) return true;
  kept.isBeingRefreshed = true;
  return false;
}

function isPlain({ url = '', headers }: IncomingMessage): boolean {
  if (url.length > MAX_URL_LENGTH || headers.host === undefined) return false;
  for (const name in headers) {
    if (!neutralHeaders.has(name) && !name.startsWith('sec-')) return false;
  }
  return true;
}

/** Node writes ASCII at once; anything else it measures and encodes first. */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Calls that arrive during a read share the next one, so that no result is older than its request. */
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
