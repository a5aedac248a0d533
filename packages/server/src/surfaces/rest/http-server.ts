/** The HTTP server before any route: limits, request ids, logs, envelope for every failure, headers every answer carries. */
import { randomUUID } from 'node:crypto';
import { MarketError } from '@market/contract';
import { renderNotFoundPage } from '@market/web';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { redactUrl } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { sendPage } from '../pages/send-page.ts';
import { addCrossOriginRules } from './cross-origin.ts';
import { errorAnswer } from './error-answer.ts';
import { parseJsonBody, refuseHostileText } from './json-body.ts';

export interface HttpServerOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly string[];
  readonly trustedOrigins: ReadonlySet<string>;
  readonly production: boolean;
  readonly serviceName: string;
}

export const DEFAULT_BODY_BYTES = 256 * 1024;

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, metrics } = options;
  const app = fastify({
    bodyLimit: DEFAULT_BODY_BYTES,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    // Timeouts are only as sharp as the interval at which they are looked after.
    http: { headersTimeout: 10_000, maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 2_000 },
    forceCloseConnections: 'idle',
    genReqId: (request) => acceptableRequestId(request.headers['x-request-id']) ?? `req_${randomUUID()}`,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      const answer = errorAnswer(error, request.id);
      void (reply as FastifyReply).code(answer.status).send(answer.body);
    },
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => parseJsonBody(body));

  addCrossOriginRules(app, options.trustedOrigins);
  addStandardHeaders(app, options.production);
  app.addHook('preValidation', async (request) => {
    refuseHostileText(request.params);
    refuseHostileText(request.query);
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestFinished(route, request.method, reply.statusCode, reply.elapsedTime);
    const level = reply.statusCode >= 500 ? 'error' : 'info';
    log[level](
      {
        request_id: request.id,
        method: request.method,
        url: redactUrl(request.url),
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        client: request.ip,
      },
      'request',
    );
  });

  app.setErrorHandler((error, request, reply) => {
    const answer = errorAnswer(error, request.id);
    if (answer.isFault) log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'a request failed');
    if (answer.retryAfterSeconds !== undefined) reply.header('Retry-After', String(answer.retryAfterSeconds));
    return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body);
  });
  app.setNotFoundHandler((request, reply) => {
    if (isBrowserPage(request))
      return sendPage(reply.code(404), renderNotFoundPage({ serviceName: options.serviceName, path: request.url.slice(0, 200) }));
    throw new MarketError('not_found', {
      message: `There is nothing at ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}. The reference is at /reference.`,
    });
  });
  return app;
}

/** Somebody followed a link: they get a page, while programs get the envelope. */
function isBrowserPage(request: FastifyRequest): boolean {
  return request.method === 'GET' && !request.url.startsWith('/api/') && request.headers.accept?.includes('text/html') === true;
}

function addStandardHeaders(app: FastifyInstance, production: boolean): void {
  app.addHook('onSend', async (request, reply, payload) => {
    reply.header('X-Request-Id', request.id);
    reply.header('X-Content-Type-Options', 'nosniff');
    reply.header('X-Frame-Options', 'DENY');
    reply.header('Referrer-Policy', 'no-referrer');
    reply.header('Cross-Origin-Opener-Policy', 'same-origin');
    reply.header('Permissions-Policy', 'camera=(), microphone=(), geolocation=()');
    if (production) reply.header('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    if (!reply.hasHeader('Content-Security-Policy')) reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
    return payload;
  });
}

function acceptableRequestId(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9._:-]{8,100}$/.test(value) ? value : undefined;
}

/** Requests so broken that no route sees them still get an answer in the envelope. */
function answerBrokenRequest(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'malformed_request';
  const answer = errorAnswer(new MarketError(code), `req_${randomUUID()}`);
  const body = JSON.stringify(answer.body);
  socket.end(
    `HTTP/1.1 ${answer.status} ${code}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
