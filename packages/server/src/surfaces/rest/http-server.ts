/** The HTTP server before any route: limits, request ids, logs, the envelope for every failure, and headers of every answer. */
import { MarketError } from '@market/contract';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { AddressedSignatures } from '../../access/authority/addressed-signatures.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { readClientAddress } from '../client-address.ts';
import type { SendPage } from '../pages/send-page.ts';
import type { ReadyRoute } from '../ready/ready-store.ts';
import { refuseHostileText } from '../refuse-hostile-text.ts';
import type { AllowedMethods } from './allowed-methods.ts';
import { answerOddRequests, clientFaultHandler, connectionRefuser, type RefuseConnection } from './broken-requests.ts';
import { isClientAbort, recordAborts } from './client-abort.ts';
import { addCrossOriginRules } from './cross-origin.ts';
import { errorAnswer, JSON_TYPE } from './error-answer.ts';
import { parseJsonBody } from './json-body.ts';
import { guardLoad, type LoadLimits } from './load-guard.ts';
import { recordRequest } from './record-request.ts';
import { requestIdOf } from './request-id.ts';
import { cautiousHeaders, type HeaderOptions, standardHeaders } from './standard-headers.ts';

export interface HttpServerOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly string[];
  readonly trustedOrigins: ReadonlySet<string>;
  readonly production: boolean;
  /** Browsers reach this service only over https. */
  readonly isHttps?: boolean;
  /** Sends browsers a page for an unknown URL; programs get the envelope. */
  readonly notFoundPage?: SendPage;
  /** Distinguishes a wrong method from a wrong URL. */
  readonly allowedMethods?: AllowedMethods;
  /** Absent: signatures in URLs are not marked. */
  readonly addressedSignatures?: Pick<AddressedSignatures, 'mark'>;
  /** Absent: no request is refused for load. */
  readonly load?: LoadLimits;
  /** How long a JSON body may take; 30 seconds unless a test shortens it. */
  readonly bodyMs?: number;
}

export const DEFAULT_BODY_BYTES = 256 * 1024;
/** How long a body may take to arrive: JSON, and a file over a slow line. */
const BODY_MS = 30_000;
const SLOW_BODY_MS = 300_000;

declare module 'fastify' {
  interface FastifyInstance {
    readonly isHttps: boolean;
  }
  interface FastifyContextConfig {
    /** The route accepts files, which arrive slowly on slow lines. */
    readonly slowBody?: boolean;
    /** Set if answers to signed-out callers may be kept. */
    readonly readyRoute?: ReadyRoute;
  }
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, metrics } = options;
  const refuse = connectionRefuser(options);
  const app = fastify({
    bodyLimit: DEFAULT_BODY_BYTES,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // The longest time of any route; most allow much less, see `cutOffSlowBodies`.
    requestTimeout: SLOW_BODY_MS,
    connectionTimeout: 60_000,
    // Longer than proxies keep an idle connection (Caddy: 2 minutes), so that no proxy uses a connection we just closed.
    keepAliveTimeout: 130_000,
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    // Node checks its timeouts only at `connectionsCheckingInterval`.
    // We refuse a missing Host ourselves, because Node's answer lacks the envelope.
    http: { headersTimeout: 10_000, maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 2_000, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // Requests that arrive during the shutdown are still answered, by routes that know of it.
    return503OnClosing: false,
    genReqId: requestIdOf,
    // Runs before the router, which refuses some URLs without calling a hook.
    rewriteUrl({ url = '/' }) {
      options.addressedSignatures?.mark(url);
      return url;
    },
    clientErrorHandler: clientFaultHandler(refuse),
    frameworkErrors: (error, request, reply) => {
      // No hook runs for an unreadable URL.
      const answer = errorAnswer(error, request.id);
      const headers = { ...standardHeaders(request.id, options), ...cautiousHeaders };
      void (reply as FastifyReply).code(answer.status).headers(headers).type(JSON_TYPE).send(answer.body);
    },
  });

  app.decorate('isHttps', options.isHttps === true);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => parseJsonBody(body));

  readForwardedAddresses(app, options.trustedProxies);
  answerOddRequests(app, refuse);
  addCrossOriginRules(app, options.trustedOrigins);
  if (options.load !== undefined) guardLoad(app, { limits: options.load, log, metrics });
  cutOffSlowBodies(app, refuse, options.bodyMs);
  addStandardHeaders(app, options);
  app.addHook('preValidation', async (request) => {
    refuseHostileText(request.params);
    refuseHostileText(request.query);
  });
  recordAborts(app, log);
  app.addHook('onResponse', async (request, reply) => {
    recordRequest(log, metrics, {
      requestId: request.id,
      method: request.method,
      url: request.url,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      milliseconds: reply.elapsedTime,
      client: request.ip,
    });
  });

  app.setErrorHandler((error, request, reply) => {
    const answer = errorAnswer(isClientAbort(error, request) ? new MarketError('malformed_request', { cause: error }) : error, request.id);
    if (answer.isFault) log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'a request failed');
    if (answer.retryAfterSeconds !== undefined) reply.header('Retry-After', String(answer.retryAfterSeconds));
    return reply.code(answer.status).headers(answer.headers).type(JSON_TYPE).send(answer.body);
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = options.allowedMethods?.(pathOf(request)) ?? [];
    if (allowed.length > 0 && !allowed.slice(0, -1).includes(request.method)) return answerOtherMethod(request, reply, allowed);
    if (isBrowserPage(request) && options.notFoundPage !== undefined) return options.notFoundPage(request, reply);
    throw new MarketError('not_found', {
      message: `There is nothing at ${request.method} ${pathOf(request).slice(0, 200)}. The reference is at /reference.`,
    });
  });
  return app;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? url;
}

/** Answers OPTIONS with the methods of a URL, and refuses any other method with the same list. */
function answerOtherMethod({ method }: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  reply.header('Allow', allowed.join(', '));
  if (method === 'OPTIONS') return reply.code(204).send();
  throw new MarketError('method_not_allowed', { message: `${method} is not taken here. Use ${allowed.join(', ')}.` });
}

/** True if a browser asks for a page; programs get the envelope. */
function isBrowserPage(request: FastifyRequest): boolean {
  return request.method === 'GET' && !request.url.startsWith('/api/') && request.headers.accept?.includes('text/html') === true;
}

/** Reads the forwarded addresses itself, because Fastify accepts any text of the header as an address, including ports. */
function readForwardedAddresses(app: FastifyInstance, trustedProxies: readonly string[]): void {
  if (trustedProxies.length === 0) return;
  const clientOf = readClientAddress(trustedProxies);
  app.addHook('onRequest', (request, _reply, done) => {
    Object.defineProperty(request, 'ip', { value: clientOf(request.raw) });
    done();
  });
}

function addStandardHeaders(app: FastifyInstance, options: HeaderOptions): void {
  app.addHook('onSend', async (request, reply, payload) => {
    reply.headers(standardHeaders(request.id, options));
    for (const [name, value] of Object.entries(cautiousHeaders)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
    return payload;
  });
}

/** Applies the limit of the route, because Node has one limit for all requests. */
function cutOffSlowBodies(app: FastifyInstance, refuse: RefuseConnection, bodyMs = BODY_MS): void {
  app.addHook('onRequest', async ({ raw, routeOptions }, reply) => {
    const hasBody = raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined;
    if (!hasBody || raw.complete || routeOptions.config.slowBody === true) return;
    const timer = setTimeout(() => {
      if (raw.complete) return;
      // The answer was sent, so stop reading.
      if (reply.sent) raw.destroy();
      else refuse(new MarketError('request_timeout'), raw.socket);
    }, bodyMs);
    // The connection keeps the process alive; this timer must not.
    timer.unref();
    for (const ending of ['end', 'close']) raw.once(ending, () => clearTimeout(timer));
  });
}
