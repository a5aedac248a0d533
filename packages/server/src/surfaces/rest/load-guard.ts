/**
 * Refuses requests early when this process is overloaded: too many connections, too many requests, a delayed event loop, a nearly full
 * heap. Health checks always pass, and calls that finish a payment have their own limit.
 */
import { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { MarketError } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

export interface LoadLimits {
  readonly mostConnections: number;
  readonly mostRequests: number;
  /** 0 ignores the event loop. */
  readonly longestDelayMs: number;
}

export type LoadClass =
  /** Always admitted and not counted. */
  | 'health'
  /** Finishes a payment: admitted while others are refused, up to its own limit. */
  | 'money'
  /** Stays open for long and is limited elsewhere: admitted like an ordinary request, but not counted. */
  | 'stream';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the connection exceeds the limit, so that all its requests are refused. */
    readonly isExcessConnection?: (socket: Socket) => boolean;
  }
  interface FastifyRequest {
    /** Stops counting this request, because it became a stream, which is limited elsewhere. Undefined if it was not counted. */
    releaseLoad?: (() => void) | undefined;
  }
  interface FastifyContextConfig {
    /** The load class of the route; absent: ordinary. */
    readonly load?: LoadClass;
  }
}

type Reason = 'connections' | 'requests' | 'event_loop' | 'memory';

const SAMPLE_MS = 200;
const WARN_EVERY_MS = 5_000;
/** Connections beyond the limit that still get an answer; further ones are closed without one. */
const MOST_REFUSED = 200;
const MONEY_SHARE = 1.5;
const FULLEST_HEAP = 0.93;
/** Retry times vary, so that clients refused together do not return together. */
const LONGEST_RETRY_SECONDS = 3;

export interface LoadGuardOptions {
  readonly limits: LoadLimits;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export function guardLoad(app: FastifyInstance, { limits, log, metrics }: LoadGuardOptions): void {
  const connections = guardConnections(app, limits.mostConnections);
  app.decorate('isExcessConnection', connections.isExcess);
  app.decorateRequest('releaseLoad', undefined);
  const pressure = watchPressure(app, limits.longestDelayMs);
  let underWay = 0;
  let refused = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  function reasonToRefuse(request: FastifyRequest, load: LoadClass | undefined): Reason | undefined {
    if (load === 'health') return undefined;
    const finishesPayment = load === 'money' && carriesPayment(request);
    if (underWay >= limits.mostRequests * (finishesPayment ? MONEY_SHARE : 1)) return 'requests';
    if (finishesPayment) return undefined;
    return connections.isExcess(request.raw.socket) ? 'connections' : pressure();
  }

  function refuse(reason: Reason, reply: FastifyReply): MarketError {
    refused += 1;
    metrics.requestShed(reason);
    const now = performance.now();
    if (now - warnedAt > WARN_EVERY_MS) {
      log.warn(
        { reason, refused, under_way: underWay, connections: connections.open() },
        'requests are refused: this process is overloaded',
      );
      warnedAt = now;
      refused = 0;
    }
    if (reason === 'connections') {
      connections.closeIdle();
      reply.header('Connection', 'close');
    }
    return new MarketError('overloaded', { retryAfterSeconds: 1 + (refused % LONGEST_RETRY_SECONDS) });
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { load } = request.routeOptions.config;
    // Skip calls of our own pages, which have no connection: the page itself was admitted.
    if (!(request.raw.socket instanceof Socket)) return done();
    const reason = reasonToRefuse(request, load);
    if (reason !== undefined) return done(refuse(reason, reply));
    if (load === undefined || load === 'money') {
      underWay += 1;
      let isCounted = true;
      const release = (): void => {
        if (isCounted) underWay -= 1;
        isCounted = false;
      };
      reply.raw.once('close', release);
      request.releaseLoad = release;
    }
    return done();
  });
  metrics.gauge('market_http_connections', 'Open HTTP connections', connections.open);
  metrics.gauge('market_http_requests_under_way', 'Requests that are being answered', () => underWay);
}

/** True if the request finishes a payment. A GET without a payment only asks for a price. */
function carriesPayment({ method, headers }: FastifyRequest): boolean {
  return method !== 'GET' || headers['x-payment'] !== undefined || headers['payment-signature'] !== undefined;
}

interface ConnectionGuard {
  open(): number;
  /** Whether the connection exceeds the limit. */
  isExcess(socket: Socket): boolean;
  /** Closes idle connections to make room for new ones. */
  closeIdle(): void;
}

function guardConnections({ server }: FastifyInstance, most: number): ConnectionGuard {
  const excess = new WeakSet<Socket>();
  let open = 0;
  let clearedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = most + MOST_REFUSED;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open > most) excess.add(socket);
  });
  return {
    open: () => open,
    isExcess: (socket) => open > most && excess.has(socket),
    closeIdle() {
      // Closing walks through every open connection, so limit how often.
      if (performance.now() - clearedAt < SAMPLE_MS) return;
      clearedAt = performance.now();
      server.closeIdleConnections();
    },
  };
}

/** Measures the delay of the event loop by a timer. A single long pause is no overload; several in a row are. */
function watchPressure(app: FastifyInstance, longestDelayMs: number): () => Reason | undefined {
  let delayMs = 0;
  let isHeapFull = false;
  let lookedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = performance.now();
    delayMs = (delayMs * 3 + Math.max(0, now - lookedAt - SAMPLE_MS)) / 4;
    lookedAt = now;
    const heap = getHeapStatistics();
    isHeapFull = heap.used_heap_size > heap.heap_size_limit * FULLEST_HEAP;
  };
  // Start measuring only once the server listens: the start blocks the loop before there are clients.
  app.addHook('onListen', async () => {
    lookedAt = performance.now();
    timer = setInterval(look, SAMPLE_MS).unref();
  });
  app.addHook('onClose', async () => clearInterval(timer));
  return () => {
    if (longestDelayMs > 0 && delayMs > longestDelayMs) return 'event_loop';
    return isHeapFull ? 'memory' : undefined;
  };
}
