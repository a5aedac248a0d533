/** Routes derived from the operation list: one per method and path, with limiter, credentials and envelope. */
import { MarketError, type NamedOperation } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock/clock.ts';
import { limitedClient } from '../../platform/limits/client-address.ts';
import type { LimitVerdict, RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { ExecuteOperation } from '../execute-operation.ts';
import { refuseCrossSiteCookie } from './cross-origin.ts';
import { toCsv } from './csv.ts';
import { DEFAULT_BODY_BYTES } from './http-server.ts';
import { readCredentials } from './read-credentials.ts';

export interface OperationRoutesOptions {
  readonly operations: readonly NamedOperation[];
  readonly execute: ExecuteOperation;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly trustedOrigins: ReadonlySet<string>;
  readonly secureCookies: boolean;
}

export function addOperationRoutes(app: FastifyInstance, options: OperationRoutesOptions): void {
  const byRoute = Map.groupBy(options.operations, ({ spec }) => `${spec.rest.method} ${spec.rest.path}`);
  for (const [endpoint, operations] of byRoute) addRoute(app, endpoint, operations, options);
}

function addRoute(app: FastifyInstance, endpoint: string, operations: readonly NamedOperation[], options: OperationRoutesOptions): void {
  const [first] = operations;
  if (first === undefined) return;
  const { rest, limit } = first.spec;
  app.route({
    method: rest.method,
    url: rest.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: rest.maxBodyBytes ?? DEFAULT_BODY_BYTES,
    // Before the body is read: refusing must be cheaper than asking.
    onRequest: async (request, reply) => {
      if (limit === undefined) return;
      const verdict = await options.limiter.hit(endpoint, limitedClient(request.ip), limit);
      announceLimit(reply, verdict);
      if (!verdict.allowed) throw tooManyRequests(endpoint, verdict, options);
    },
    handler: async (request, reply) => {
      const operation = selectOperation(operations, request);
      const response = await options.execute(operation, {
        credentials: readCredentials(request),
        clientAddress: request.ip,
        parts: { path: request.params, query: request.query, body: request.body },
        idempotencyKey: singleHeader(request, 'idempotency-key'),
        log: options.log.child({ request_id: request.id }),
        guard: (caller) => refuseCrossSiteCookie(request, caller, options.trustedOrigins),
        setCookie: (name, value, maxAgeSeconds) => setCookie(reply, name, value, maxAgeSeconds, options.secureCookies),
        ignoredParameters: (names) => announceIgnored(reply, names),
      });
      if (response.replayed) reply.header('Idempotent-Replayed', 'true');
      if (wantsCsv(operation, request)) return await sendCsv(reply, operation, response.body);
      return await reply.code(response.status).type('application/json; charset=utf-8').send(response.body);
    },
  });
}

function wantsCsv({ spec }: NamedOperation, request: FastifyRequest): boolean {
  return spec.rest.csvOf !== undefined && request.headers.accept?.includes('text/csv') === true;
}

/** The same answer as a file: the list that the definition names. */
function sendCsv(reply: FastifyReply, { name, spec }: NamedOperation, body: string): FastifyReply {
  const records = (JSON.parse(body) as { data: Record<string, Record<string, unknown>[]> }).data[spec.rest.csvOf ?? ''] ?? [];
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name.replaceAll('.', '-')}.csv"`)
    .send(toCsv(records));
}

/** Operations that share method and path are told apart by a body field (`action` on an order). */
function selectOperation(operations: readonly NamedOperation[], request: FastifyRequest): NamedOperation {
  const [first] = operations;
  const selector = first?.spec.rest.selector;
  if (first !== undefined && selector === undefined) return first;
  const body = request.body as Record<string, unknown> | undefined;
  const chosen = operations.find(
    ({ spec }) => spec.rest.selector !== undefined && body?.[spec.rest.selector.field] === spec.rest.selector.value,
  );
  if (chosen !== undefined) return chosen;
  const values = operations.map(({ spec }) => spec.rest.selector?.value).join(', ');
  throw new MarketError('invalid_input', { message: `${selector?.field} must be one of: ${values}.` });
}

function announceLimit(reply: FastifyReply, verdict: LimitVerdict): void {
  reply.header('X-RateLimit-Limit', String(verdict.limit));
  reply.header('X-RateLimit-Remaining', String(verdict.remaining));
  reply.header('X-RateLimit-Reset', String(Math.ceil(verdict.resetsAt.getTime() / 1000)));
}

function tooManyRequests(endpoint: string, verdict: LimitVerdict, options: OperationRoutesOptions): MarketError {
  options.metrics.requestLimited(endpoint);
  const seconds = Math.max(1, Math.ceil((verdict.resetsAt.getTime() - options.clock.now().getTime()) / 1000));
  return new MarketError('too_many_requests', {
    message: `Too many requests: ${endpoint} takes ${verdict.limit} per window. Try again in ${seconds} s.`,
    retryAfterSeconds: seconds,
  });
}

function announceIgnored(reply: FastifyReply, names: readonly string[]): void {
  const printable = names.slice(0, 10).map((name) => encodeURIComponent(name.slice(0, 40).toWellFormed()));
  reply.header('X-Ignored-Parameters', printable.join(', '));
}

function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

function setCookie(reply: FastifyReply, name: string, value: string, maxAgeSeconds: number, secure: boolean): void {
  reply.header('Set-Cookie', `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`);
}
