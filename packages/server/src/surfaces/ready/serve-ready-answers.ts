/** Serves kept answers before the router, with the same headers, counting, metrics and logs. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { pageAddress } from '@market/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { VersionReader } from '../../platform/versions/data-versions.ts';
import { readClientAddress } from '../client-address.ts';
import type { CallCounter } from '../count-calls.ts';
import type { PageLimit } from '../pages/page-limit.ts';
import type { HttpServerOptions } from '../rest/http-server.ts';
import { limitHeaders } from '../rest/limit-headers.ts';
import { readCredentials } from '../rest/read-credentials.ts';
import { recordRequest } from '../rest/record-request.ts';
import { requestIdOf } from '../rest/request-id.ts';
import type { MadeAnswer } from './makers.ts';
import { createReadyAnswers } from './ready-answers.ts';
import { type ReadyRule, readyRuleOf } from './ready-operations.ts';
import type { ReadyRoutes } from './ready-routes.ts';
import { createReadyStore } from './ready-store.ts';
import { useCached, writeCachedResponse } from './write-cached-response.ts';

export interface ServeReadyOptions extends Pick<HttpServerOptions, 'log' | 'metrics' | 'trustedProxies' | 'trustedOrigins'> {
  readonly calls: CallCounter;
  readonly versions: VersionReader;
  readonly pageLimit: Pick<PageLimit, 'admitsKept'>;
  /** Memory for finished answers. */
  readonly mostBytes: number;
}

/** Headers that belong to a single answer. */
const ownHeaders = /^(x-request-id|x-ratelimit-\w+|date|connection|keep-alive|content-length|transfer-encoding)$/;
/** An answer with a larger share of the memory would push out too many others. */
const LARGEST_SHARE = 0.25;

export function serveReadyAnswers(app: FastifyInstance, options: ServeReadyOptions): ReadyRoutes {
  const { log, metrics, calls, versions, trustedOrigins, pageLimit, mostBytes } = options;
  const clientOf = readClientAddress(options.trustedProxies);
  const store = createReadyStore(mostBytes);
  const ready = createReadyAnswers({
    store,
    versions,
    trustedOrigins,
    isHttps: app.isHttps,
    addressOf: oneAddress,
    admitsPage: (request) => pageLimit.admitsKept(clientOf(request)),
    count({ operation }, request) {
      if (operation?.spec.limit === undefined) return undefined;
      const source = { clientAddress: clientOf(request) };
      // A 402 may lag briefly; all other answers must show the caller's own last write.
      const atOnce = operation.spec.effects.kind === 'pay' ? calls.countAtOnce(operation, source) : undefined;
      return atOnce ?? calls.count(operation, source);
    },
    send({ asked: { request, response, route, startedAt }, counted, cached }) {
      const requestId = requestIdOf(request);
      const own = { 'X-Request-Id': requestId, ...(counted?.verdict && limitHeaders(counted.verdict)) };
      writeCachedResponse(response, cached, own, app.server.keepAliveTimeout);
      const { method = '', url = '' } = request;
      const milliseconds = performance.now() - startedAt;
      recordRequest(log, metrics, {
        requestId,
        method,
        url,
        route: route.pattern,
        status: cached.status,
        milliseconds,
        client: clientOf(request),
      });
    },
    onOutcome: metrics.readyAnswer,
  });
  metrics.gauge('market_ready_bytes', 'Memory of finished answers', store.bytes);
  metrics.gauge('market_ready_answers', 'Finished answers in memory', store.entries);
  answerBeforeRouter(app, ready.trySend);

  const rules = new WeakMap<IncomingMessage, { readonly rule: ReadyRule | undefined }>();
  app.addHook('onSend', async (request, reply, payload) => {
    if (!ready.isMaking(request.raw)) return payload;
    const route = request.routeOptions.config.readyRoute;
    const rule = route?.operation === undefined ? rules.get(request.raw)?.rule : readyRuleOf(route.operation);
    const made = rule && madeAnswer(request, reply, payload, rule);
    const cached = await ready.finish(request.raw, made && made.body.length <= mostBytes * LARGEST_SHARE ? made : undefined);
    return cached === undefined ? payload : useCached(reply, cached);
  });

  return {
    countOf: ({ raw }) => ready.countOf(raw),
    isMaking: ({ raw }) => ready.isMaking(raw),
    noteRule: ({ raw }, rule) => void rules.set(raw, { rule }),
    async begin({ raw }, reply, route, counted) {
      const cached = await ready.begin(raw, reply.raw, route, counted);
      if (cached === undefined) return false;
      await reply.send(useCached(reply, cached));
      return true;
    },
  };
}

function answerBeforeRouter(app: FastifyInstance, trySend: ReturnType<typeof createReadyAnswers>['trySend']): void {
  const [ordinary] = app.server.listeners('request') as [RequestListener];
  app.server.removeAllListeners('request');
  app.server.on('request', (request, response) => {
    const answered = app.isExcessConnection?.(request.socket) !== true && trySend(request, response);
    if (answered === true) return;
    if (answered === false) return ordinary(request, response);
    answered.then(
      (wasAnswered) => wasAnswered || ordinary(request, response),
      // The router meets the same error and answers it in the envelope.
      () => ordinary(request, response),
    );
  });
}

/** Undefined for answers that must not be cached: errors, answers with cookies, answers to callers with credentials. */
function madeAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown, rule: ReadyRule): MadeAnswer | undefined {
  const body = typeof payload === 'string' ? Buffer.from(payload) : Buffer.isBuffer(payload) ? payload : undefined;
  const { statusCode: status } = reply;
  const isChallenge = request.routeOptions.config.readyRoute?.operation?.spec.effects.kind === 'pay';
  if (body === undefined || status !== (isChallenge ? 402 : 200) || reply.hasHeader('set-cookie')) return undefined;
  // Routes without an operation read cookies at most, and those were checked earlier.
  if (request.routeOptions.config.readyRoute?.operation !== undefined && isSomebody(request)) return undefined;
  const headers = Object.fromEntries(
    Object.entries(reply.getHeaders())
      .filter(([name, value]) => value !== undefined && !ownHeaders.test(name))
      .map(([name, value]) => [name, String(value)]),
  );
  // Browsers and proxies may store it, but must revalidate it each time.
  if (!isChallenge && headers['cache-control'] === 'no-store') headers['cache-control'] = 'no-cache';
  return { status, headers, body, rule };
}

/** Operations read their whole query; pages ignore unknown parameters. */
function oneAddress(url: string): string {
  return url.includes('?') && !url.startsWith('/api/') ? pageAddress(url) : url;
}

/** Whether the request contains any credential that `readCredentials` finds. */
function isSomebody(request: FastifyRequest): boolean {
  const { clientAddress: _address, request: _request, ...shown } = readCredentials(request);
  return Object.keys(shown).length > 0;
}
