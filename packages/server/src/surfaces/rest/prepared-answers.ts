/**
 * The 402 of a GET that can be paid depends on its address alone as long as nobody pays and nobody says who they are. Directories and clients
 * ask for it far more often than it changes, so it is kept as it went out and given again before any routing: until what is for sale
 * changes, and never for long. Hits are counted as always.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MarketError, NamedOperation, RateLimit } from '@market/contract';
import type { LimitVerdict } from '../../platform/limits/rate-limiter.ts';
import { JSON_TYPE } from './http-server.ts';

/** What is needed to give an answer again without its route. */
export interface PreparedRoute {
  readonly endpoint: string;
  readonly pattern: string;
  readonly limit: RateLimit;
}

export interface PreparedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: PreparedRoute;
  readonly verdict: LimitVerdict;
  readonly milliseconds: number;
}

export interface PreparedAnswers {
  /** Whether an answer lies ready that `tryAnswer` could give. */
  has(request: IncomingMessage): boolean;
  /** True when the request was answered; otherwise it goes the ordinary way, with its hit counted. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** The hit of a request that was looked at here first. */
  hitOf(request: IncomingMessage): LimitVerdict | undefined;
  /** To be called before the answer is made. */
  begin(request: IncomingMessage): Promise<void>;
  keep(request: IncomingMessage, route: PreparedRoute, error: MarketError): void;
}

export interface PreparedAnswersOptions {
  /** Differs after a change of anything that is for sale. */
  readonly version: () => Promise<string>;
  readonly hit: (route: PreparedRoute, request: IncomingMessage) => Promise<LimitVerdict>;
  readonly answer: (asked: Asked, answer: PreparedAnswer) => void;
}

/** Also how long something that `version` does not see may be out of date: the standing of a network, for example. */
const KEPT_MS = 1_000;
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
}

export function createPreparedAnswers({ version, hit, answer }: PreparedAnswersOptions): PreparedAnswers {
  const readVersion = shareReads(version);
  let keptVersion = '';
  let kept = new Map<string, Kept>();
  // An answer is kept among those of the version it was asked under: one made before a change is never taken for one made after.
  const askedUnder = new WeakMap<IncomingMessage, Map<string, Kept>>();
  const hits = new WeakMap<IncomingMessage, LimitVerdict>();

  async function current(): Promise<Map<string, Kept>> {
    const now = await readVersion();
    if (now !== keptVersion) {
      keptVersion = now;
      kept = new Map();
    }
    return kept;
  }

  return {
    has: (request) => request.method === 'GET' && kept.has(request.url ?? '') && isPlain(request),
    hitOf: (request) => hits.get(request),

    async tryAnswer(request, response) {
      const startedAt = performance.now();
      const url = request.url ?? '';
      const route = kept.get(url)?.route;
      if (route === undefined) return false;
      const [verdict, answers] = await Promise.all([hit(route, request), current()]);
      hits.set(request, verdict);
      const found = answers.get(url);
      if (found === undefined || found.until < startedAt || !verdict.allowed) return false;
      answer({ request, response, route, verdict, milliseconds: performance.now() - startedAt }, found);
      return true;
    },

    async begin(request) {
      if (isPlain(request)) askedUnder.set(request, await current());
    },

    keep(request, route, { status, headers, body }) {
      const among = askedUnder.get(request);
      if (status !== 402 || body === undefined || among === undefined) return;
      if (among.size >= MOST_KEPT) among.clear();
      const text = JSON.stringify(body);
      const described = { 'Content-Type': JSON_TYPE, 'Content-Length': String(Buffer.byteLength(text)), ...headers };
      among.set(request.url ?? '', { route, status, headers: described, body: text, until: performance.now() + KEPT_MS });
    },
  };
}

function isPlain({ url = '', headers }: IncomingMessage): boolean {
  if (url.length > LONGEST_URL) return false;
  for (const name in headers) {
    if (!neutralHeaders.has(name) && !name.startsWith('sec-')) return false;
  }
  return true;
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
