/** Routes derived from the operation list: one per method and path, with limits, credentials and envelope. */
import { endpointOf, type JsonFeed, MarketError, type NamedOperation, permits } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { SESSION_COOKIE, sessionCookieName } from '../../access/sessions.ts';
import type { SignInWithX } from '../../access/sign-in-with-x.ts';
import type { StoredAnswer } from '../../platform/idempotency/idempotent-answers.ts';
import type { Spool } from '../../platform/storage/spool.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Executor } from '../execute-operation.ts';
import { notePart } from '../ready/page-parts.ts';
import { readyRuleOf } from '../ready/ready-operations.ts';
import type { ReadyRoutes } from '../ready/ready-routes.ts';
import type { ReadyRoute } from '../ready/ready-store.ts';
import { acceptForm, readToEnd, refuseAnnouncedSize } from './accept-form.ts';
import { goneSignal } from './client-abort.ts';
import { countOf, countRequest } from './count-request.ts';
import { refuseCrossSiteCookie } from './cross-origin.ts';
import { toCsv } from './csv.ts';
import { JSON_TYPE } from './error-answer.ts';
import { flattenRequest } from './flatten-request.ts';
import { readGetBody } from './get-body.ts';
import { DEFAULT_BODY_BYTES } from './http-server.ts';
import { offerSignIn, withoutSignInParameters } from './offer-sign-in.ts';
import { type OpenForm, openForm } from './open-form.ts';
import { readCredentials } from './read-credentials.ts';
import { RSS_TYPE, toRss } from './rss.ts';

export interface OperationRoutesOptions {
  readonly operations: readonly NamedOperation[];
  readonly executor: Executor;
  readonly signIn: SignInWithX;
  /** Absent: no answer is kept. */
  readonly ready?: ReadyRoutes | undefined;
  readonly log: Logger;
  readonly trustedOrigins: ReadonlySet<string>;
  /** Stores files until they are checked. */
  readonly spool: Spool;
}

export function addOperationRoutes(app: FastifyInstance, options: OperationRoutesOptions): void {
  const answered = options.operations.filter(({ spec }) => spec.output.stream !== true);
  const byRoute = Map.groupBy(answered, ({ spec }) => endpointOf(spec));
  for (const operations of byRoute.values()) {
    const [first] = operations;
    const withBody = answered.filter(({ spec }) => spec.rest.alsoByGet === true && spec.rest.path === first?.spec.rest.path);
    addRoute(app, operations, { ...options, withBody: first?.spec.rest.method === 'GET' ? withBody[0] : undefined });
    const rssPath = first?.spec.rest.rssPath;
    if (rssPath !== undefined) addRoute(app, operations, { ...options, withBody: undefined, rssPath });
  }
}

interface RouteParts extends OperationRoutesOptions {
  /** The operation that a GET of this URL with a body calls. */
  readonly withBody: NamedOperation | undefined;
  /** Path of the route that answers with the same feed as RSS. */
  readonly rssPath?: string;
}

function addRoute(app: FastifyInstance, operations: readonly NamedOperation[], options: RouteParts): void {
  const [first] = operations;
  if (first === undefined) return;
  const { multipart } = first.spec.rest;
  if (multipart === undefined) app.route(routeOf(first, operations, options));
  else {
    // A scope of its own, because only this route accepts a form instead of JSON.
    void app.register(async (scope) => {
      acceptForm(scope, multipart);
      scope.route(routeOf(first, operations, options));
    });
  }
}

function routeOf(first: NamedOperation, operations: readonly NamedOperation[], options: RouteParts): RouteOptions {
  const { rest, limit, effects } = first.spec;
  const url = options.rssPath ?? routePattern(rest);
  const readyRoute: ReadyRoute = { operation: first, pattern: url };
  const ready = readyRuleOf(first) === undefined ? undefined : options.ready;
  return {
    method: rest.method,
    // A HEAD must not buy anything.
    exposeHeadRoute: effects.kind === 'read',
    url,
    bodyLimit: rest.maxBodyBytes ?? DEFAULT_BODY_BYTES,
    config: {
      slowBody: rest.multipart !== undefined,
      readyRoute,
      ...(operations.some(({ spec }) => spec.effects.kind === 'pay') && { load: 'money' as const }),
    },
    // Count before reading the body: a refusal must cost less than a request.
    onRequest: async (request, reply) => {
      if (rest.multipart !== undefined) refuseAnnouncedSize(request, reply, rest.multipart);
      notePart(first);
      if (limit !== undefined) await countRequest(options.executor.calls, first, request, reply, ready?.countOf(request));
      if (await ready?.begin(request, reply, readyRoute, countOf(request))) return reply;
    },
    handler: async (request, reply) => {
      try {
        const body = options.withBody === undefined ? undefined : await readGetBody(request.raw);
        if (options.withBody !== undefined && body !== undefined)
          return await answer({ operation: options.withBody }, request, reply, options, body);
        return await answer(selectOperation(operations, request), request, reply, options);
      } catch (error) {
        // A client that is still sending its file reads the refusal only after we have read the file.
        if (rest.multipart !== undefined && !(await readToEnd(request.raw))) reply.header('Connection', 'close');
        throw takesSignIn(operations) ? offerSignIn(options.signIn, request, reply, error) : error;
      }
    },
  };
}

function takesSignIn(operations: readonly NamedOperation[]): boolean {
  return operations.some(({ spec }) => spec.access.accepts.includes('wallet') && permits('sign_in', spec));
}

function routePattern({ path }: NamedOperation['spec']['rest']): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

async function answer(
  { operation, unchosen }: Selected,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RouteParts,
  sent: unknown = request.body,
): Promise<FastifyReply> {
  const form = await openFormOf(operation, request, options.spool);
  const body = form === undefined ? sent : form.fields;
  const flat = flattenRequest(operation, {
    path: request.params,
    query: withoutSignInParameters(request.query),
    body,
    headers: request.headers,
  });
  const result = await options.executor.execute({
    operation,
    args: flat.args,
    unknownFields: flat.unknownFields,
    argumentsError: unchosen ?? flat.error,
    isOperationUnknown: unchosen !== undefined,
    credentials: readCredentials(request, body),
    counted: countOf(request),
    receiveFile: form?.receiveFile,
    idempotencyKey: singleHeader(request, 'idempotency-key'),
    budgetSession: singleHeader(request, 'x-budget-session'),
    log: options.log.child({ request_id: request.id }),
    gone: () => goneSignal(reply),
    checkCaller: (caller) => refuseCrossSiteCookie(request, operation.spec.power, caller, options.trustedOrigins),
    onAccepted: () => announceIgnored(reply, flat.ignored),
    responseMetadata: {
      setCookie: (name, value, maxAgeSeconds) => setCookie(reply, name, value, maxAgeSeconds),
      setHeader: (name, value) => void reply.header(name, value),
    },
  });
  followUp(reply, result.afterAnswer, options.log);
  if (result.replayed) reply.header('Idempotent-Replayed', 'true');
  if (wantsCsv(operation, request)) return await sendCsv(reply, operation, result.answer);
  if (options.rssPath !== undefined) return await sendRss(reply, operation, result.answer, options.rssPath);
  return await reply
    .code(operation.spec.rest.status ?? 200)
    .type(typeOf(operation))
    .send(bodyOf(operation, result.answer));
}

function typeOf({ spec: { output } }: NamedOperation): string {
  return output.mediaType === undefined ? JSON_TYPE : `${output.mediaType}; charset=utf-8`;
}

function sendRss(reply: FastifyReply, { spec }: NamedOperation, { data }: StoredAnswer, rssPath: string): FastifyReply {
  const feed = data as JsonFeed;
  return reply.type(RSS_TYPE).send(toRss(feed, feed.feed_url.replace(spec.rest.path, rssPath)));
}

/** The body in the envelope, unless a standard fixes the shape of the document. */
function bodyOf({ spec }: NamedOperation, answer: StoredAnswer): string {
  return JSON.stringify(spec.output.bare === true ? answer.data : { success: true, ...answer });
}

/** Runs the follow-up work when the answer was sent; never for a connection that broke before. */
function followUp(reply: FastifyReply, works: readonly (() => Promise<void>)[], log: Logger): void {
  for (const work of works) {
    reply.raw.once('finish', () => void work().catch((error) => log.warn({ err: error }, 'work after an answer failed')));
  }
}

/** Undefined for a request without a body: the command refuses the missing file after its credentials were checked. */
async function openFormOf({ spec }: NamedOperation, { raw }: FastifyRequest, spool: Spool): Promise<OpenForm | undefined> {
  const { multipart } = spec.rest;
  if (multipart === undefined || raw.headers['content-type'] === undefined) return undefined;
  return await openForm(raw, multipart, spool);
}

function wantsCsv({ spec }: NamedOperation, request: FastifyRequest): boolean {
  return spec.rest.csvOf !== undefined && request.headers.accept?.includes('text/csv') === true;
}

/** Sends the list that the definition names as a CSV file. */
function sendCsv(reply: FastifyReply, { name, spec }: NamedOperation, { data }: StoredAnswer): FastifyReply {
  const records = (data as Record<string, Record<string, unknown>[]>)[spec.rest.csvOf ?? ''] ?? [];
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name.replaceAll('.', '-')}.csv"`)
    .send(toCsv(records));
}

interface Selected {
  readonly operation: NamedOperation;
  /** The error if the request selects no operation. The executor first checks the caller against one of them. */
  readonly unchosen?: MarketError;
}

/** Chooses among operations that share method and path by a body field (`action` on an order). */
function selectOperation(operations: readonly NamedOperation[], request: FastifyRequest): Selected {
  const [first] = operations;
  if (first === undefined) throw new Error('a route has at least one operation');
  const { selector } = first.spec.rest;
  if (selector === undefined) return { operation: first };
  const body = request.body as Record<string, unknown> | undefined;
  const chosen = operations.find(
    ({ spec }) => spec.rest.selector !== undefined && body?.[spec.rest.selector.field] === spec.rest.selector.value,
  );
  if (chosen !== undefined) return { operation: chosen };
  const values = operations.map(({ spec }) => spec.rest.selector?.value).join(', ');
  return { operation: first, unchosen: new MarketError('invalid_input', { message: `${selector.field} must be one of: ${values}.` }) };
}

function announceIgnored(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return;
  const printable = names.slice(0, 10).map((name) => encodeURIComponent(name.slice(0, 40).toWellFormed()));
  reply.header('X-Ignored-Parameters', printable.join(', '));
}

function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

function setCookie(reply: FastifyReply, name: string, value: string, maxAgeSeconds: number): void {
  const { isHttps } = reply.server;
  const sent = name === SESSION_COOKIE ? sessionCookieName(isHttps) : name;
  reply.header('Set-Cookie', `${sent}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`);
}
