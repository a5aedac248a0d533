/** The routes of the authorization server, and the documents that lead programs to it. */
import { furtherRateLimits, type RateLimit, scopeNames } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { wasConnected } from '../../features/accounts/connections/index.ts';
import { limitedClient } from '../../platform/limits/client-address.ts';
import { type PlainAnswer, singleHeaders } from '../plain-exchange.ts';
import { limitHeaders } from '../rest/limit-headers.ts';
import { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts';
import { readAuthorizeQuery } from './authorize-query.ts';
import { addConsentRoutes } from './consent-routes.ts';
import type { OauthOptions } from './oauth-options.ts';
import { oauthPaths, PROBLEM_HEADER, REFUSAL_HEADER, type Refusal, resourceOf } from './open-provider.ts';
import { readRegistration } from './registration.ts';

const PUBLIC_HOUR = 'public, max-age=3600';
const BODY_BYTES = 32 * 1024;
/** The site's page that explains the error. */
const PROBLEM_PAGE = '/oauth/problem';
/** Headers of the library that our own server sets itself. */
const OWN_HEADERS = new Set(['content-length', 'transfer-encoding', 'connection', 'date', PROBLEM_HEADER, REFUSAL_HEADER]);
/** CORS headers: our server sets them, and those of the library would repeat them. */
const CORS = /^(access-control-|vary$)/;

export async function addOauthRoutes(app: FastifyInstance, options: OauthOptions): Promise<void> {
  const server = createAuthorizationServer(options);
  addResourceDocuments(app, options);
  addConsentRoutes(app, { ...options, server });
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', oauthPaths.keys]) {
    app.get(path, async (request, reply) => await pass(server, request, reply, { url: path, cacheControl: PUBLIC_HOUR }));
  }
  const authorize = async (request: FastifyRequest, reply: FastifyReply, path: string, isDecided: boolean): Promise<FastifyReply> => {
    if (await isOverLimit(options, request, reply, 'GET /oauth/authorize', furtherRateLimits.authorizeProgram)) return reply;
    const answer = await ask(server, request, { url: path });
    const refusal = await unsentRefusal(options, answer, isDecided);
    return refusal === undefined ? await send(request, reply, answer) : await sendRefusal(request, reply, refusal);
  };
  app.get(oauthPaths.authorize, async (request, reply) => {
    const query = readAuthorizeQuery(request.url.split('?').slice(1).join('?'));
    return await authorize(request, reply, `${oauthPaths.authorize}?${query}`, false);
  });
  app.get<{ Params: { uid: string } }>(`${oauthPaths.authorize}/:uid`, async (request, reply) => {
    return await authorize(request, reply, `${oauthPaths.authorize}/${encodeURIComponent(request.params.uid)}`, true);
  });
  await app.register(async (scope) => addPosts(scope, server, options));
}

/** RFC 9728. The resource's URL is the one that people type into their program. */
function addResourceDocuments(app: FastifyInstance, { appUrl, context }: OauthOptions): void {
  const document = JSON.stringify({
    resource: resourceOf(appUrl),
    authorization_servers: [appUrl],
    scopes_supported: scopeNames,
    bearer_methods_supported: ['header'],
    resource_name: context.serviceName,
    resource_documentation: `${appUrl}/docs/connected-programs`,
  });
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    app.get(path, async (_request, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .header('Cache-Control', PUBLIC_HOUR)
        .header('Access-Control-Allow-Origin', '*')
        .send(document),
    );
  }
}

function addPosts(scope: FastifyInstance, server: AuthorizationServer, options: OauthOptions): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, async (_request: unknown, body: Buffer) => body);
  for (const path of [oauthPaths.token, oauthPaths.revoke]) {
    scope.post(path, async (request, reply) => {
      if (await isOverLimit(options, request, reply, `POST ${path}`, furtherRateLimits.exchangeProgram)) return reply;
      return await pass(server, request, reply, { url: path, body: request.body as Buffer | undefined });
    });
  }
  scope.post(oauthPaths.register, async (request, reply) => {
    if (await isOverLimit(options, request, reply, `POST ${oauthPaths.register}`, furtherRateLimits.registerProgram)) return reply;
    const read = readRegistration((request.body as Buffer | undefined) ?? Buffer.alloc(0));
    if (!read.ok) return reply.code(400).send({ error: read.error, error_description: read.description });
    return await pass(server, request, reply, { url: oauthPaths.register, body: Buffer.from(JSON.stringify(read.metadata)) });
  });
}

async function isOverLimit(
  { limiter, clock }: OauthOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: string,
  limit: RateLimit,
): Promise<boolean> {
  const verdict = await limiter.hit(endpoint, limitedClient(request.ip), limit);
  reply.headers(limitHeaders(verdict));
  if (verdict.allowed) return false;
  const seconds = Math.max(1, Math.ceil((verdict.resetsAt.getTime() - clock.now().getTime()) / 1000));
  reply.code(429).header('Retry-After', String(seconds));
  await reply.send({
    error: 'too_many_requests',
    error_description: `Too many requests from this address. Try again in ${seconds} seconds.`,
  });
  return true;
}

/**
 * Anybody can register a program, so an error must not redirect people to its URL before somebody consented to it. A person who refuses on
 * our page saw that URL and is redirected, as the standard requires.
 */
async function unsentRefusal({ context }: OauthOptions, { headers }: PlainAnswer, isDecided: boolean): Promise<Refusal | undefined> {
  const marked = headers[REFUSAL_HEADER];
  if (typeof marked !== 'string' || headers[PROBLEM_HEADER] !== undefined) return undefined;
  const refusal = JSON.parse(decodeURIComponent(marked)) as Refusal;
  if (isDecided && refusal.error === 'access_denied') return undefined;
  return refusal.clientId !== null && (await wasConnected(context.database.db, refusal.clientId)) ? undefined : refusal;
}

async function sendRefusal(request: FastifyRequest, reply: FastifyReply, { error, description }: Refusal): Promise<FastifyReply> {
  if (request.headers.accept?.includes('text/html') === true) return await sendProblem(request, reply, error, { status: 400 });
  return await reply.code(400).send({ error, ...(description !== null && { error_description: description }) });
}

interface Passed {
  readonly url: string;
  readonly body?: Buffer | undefined;
  /** For successes only; failures are not cached. */
  readonly cacheControl?: string;
}

async function pass(
  server: AuthorizationServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { cacheControl, ...passed }: Passed,
): Promise<FastifyReply> {
  return await send(request, reply, await ask(server, request, passed), cacheControl);
}

async function ask(
  server: AuthorizationServer,
  request: FastifyRequest,
  { url, body }: Omit<Passed, 'cacheControl'>,
): Promise<PlainAnswer> {
  const { method, headers } = request;
  const type = url === oauthPaths.register ? { 'content-type': 'application/json' } : {};
  return await server.handle({ method, url, headers: { ...singleHeaders(headers), ...type }, body });
}

async function send(request: FastifyRequest, reply: FastifyReply, answer: PlainAnswer, cacheControl?: string): Promise<FastifyReply> {
  const problem = answer.headers[PROBLEM_HEADER];
  if (typeof problem === 'string' && request.headers.accept?.includes('text/html') === true)
    return await sendProblem(request, reply, problem, answer);
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value === undefined || OWN_HEADERS.has(name) || CORS.test(name)) continue;
    reply.header(name, value);
  }
  if (cacheControl !== undefined && answer.status === 200) reply.header('Cache-Control', cacheControl);
  return reply.code(answer.status).send(answer.body);
}

/** Answers under the requested URL: a person with a bad link is never redirected to its target. */
async function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: string,
  { status }: Pick<PlainAnswer, 'status'>,
): Promise<FastifyReply> {
  const { cookie } = request.headers;
  const page = await request.server.inject({
    url: `${PROBLEM_PAGE}?code=${encodeURIComponent(problem)}`,
    headers: { accept: 'text/html', 'accept-encoding': 'identity', ...(cookie !== undefined && { cookie }) },
  });
  const policy = page.headers['content-security-policy'];
  if (typeof policy === 'string') reply.header('Content-Security-Policy', policy);
  return reply
    .code(status)
    .type(String(page.headers['content-type'] ?? 'text/plain; charset=utf-8'))
    .send(withoutScripts(page.payload));
}

/** Removes the site's scripts, which would look for a page at this URL and find none. */
function withoutScripts(html: string): string {
  return html.replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, '').replace(/<link rel="modulepreload"[^>]*>/g, '');
}
