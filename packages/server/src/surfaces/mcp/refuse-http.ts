/** Refusals before any message is read: wrong host, wrong origin, no proven caller, a body that is no message. */
import { MarketError } from '@market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorAnswer, errorAnswer, JSON_TYPE } from '../rest/error-answer.ts';
import { rpcCodeOf, rpcCodes } from './json-rpc.ts';
import { endpointUrl, MCP_PATH, type McpOptions } from './mcp-options.ts';
import { scopesToAskFor } from './step-up.ts';

const MOST_MESSAGES = 20;

/**
 * Scopes that a host requests at first: the official client reads them from here. A tool that needs money or custody requests those later.
 */
const FIRST_SCOPES = 'read hire work';

/** Refuses a browser that came by a forged host name, or from another site. */
export function hostGuard(options: Pick<McpOptions, 'appUrl' | 'baseUrl' | 'trustedOrigins'>) {
  const app = new URL(options.appUrl);
  const base = new URL(options.baseUrl);
  const own = new Set(namesOf(app));
  const others = new Set(namesOf(base).filter((host) => !own.has(host)));
  const target = endpointUrl(options);
  const isOwn = (host: string): boolean => own.has(host) || (isLoopback(app.hostname) && isLoopback(host.replace(/:\d+$/, '')));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const host = request.host.toLowerCase();
    // The target is fixed: no part of the request decides where the client goes.
    if (others.has(host)) return await reply.code(308).header('Location', target).send();
    if (!isOwn(host)) {
      throw new MarketError('forbidden', { message: `This endpoint is not served under this host name. Call ${target} instead.` });
    }
    const { origin } = request.headers;
    if (origin !== undefined && !options.trustedOrigins.has(origin)) {
      throw new MarketError('forbidden', { message: 'Pages of this origin may not call this endpoint.' });
    }
    return undefined;
  };
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** A forged name is never a loopback name, and a local proxy forwards its own port. */
function isLoopback(hostname: string): boolean {
  return loopback.includes(hostname);
}

/** All loopback names of one machine are equivalent. */
function namesOf({ hostname, host, port }: URL): readonly string[] {
  if (!isLoopback(hostname)) return [host];
  return loopback.map((name) => (port === '' ? name : `${name}:${port}`));
}

/** The challenge of RFC 9728 and RFC 6750: the source of tokens, the error of this token, and the scope to request. */
export function bearerChallenge(
  { appUrl }: Pick<McpOptions, 'appUrl'>,
  scope: string,
  problem?: { readonly error: 'invalid_token' | 'insufficient_scope'; readonly words: string },
): string {
  const parts = [
    ...(problem === undefined
      ? []
      : [`error="${problem.error}"`, `error_description="${problem.words.replace(/[^\x20-\x7e]|["\\]/g, "'")}"`]),
    `resource_metadata="${appUrl}/.well-known/oauth-protected-resource${MCP_PATH}"`,
    `scope="${scope}"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}

/** Errors of the route itself, in the form of the protocol: OAuth for credentials, JSON-RPC for the rest. */
export function answerFailure(options: McpOptions, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = errorAnswer(thrown, request.id);
  if (answer.isFault) options.log.error({ err: thrown, request_id: request.id, route: MCP_PATH }, 'a request failed');
  if (answer.retryAfterSeconds !== undefined) reply.header('Retry-After', String(answer.retryAfterSeconds));
  const words = String(answer.body['error'] ?? '');
  if (answer.status === 401) {
    // A client that sent no credentials made no error, so name none.
    const wasSent = request.headers.authorization !== undefined;
    return reply
      .code(401)
      .header('WWW-Authenticate', bearerChallenge(options, FIRST_SCOPES, wasSent ? { error: 'invalid_token', words } : undefined))
      .type(JSON_TYPE)
      .send({ error: 'invalid_token', error_description: words });
  }
  // The token is valid, but lacks a scope: the client may ask its person for more.
  const scope = thrown instanceof MarketError ? scopesToAskFor(thrown) : undefined;
  if (scope !== undefined) reply.header('WWW-Authenticate', bearerChallenge(options, scope, { error: 'insufficient_scope', words }));
  return reply
    .code(answer.status)
    .type(JSON_TYPE)
    .send({
      jsonrpc: '2.0',
      error: {
        code: codeOf(answer),
        message: words,
        data: {
          code: answer.body['code'],
          status: answer.status,
          request_id: request.id,
          ...(answer.body['data'] !== undefined && { data: answer.body['data'] }),
          ...(answer.retryAfterSeconds !== undefined && { retry_after_seconds: answer.retryAfterSeconds }),
        },
      },
      id: null,
    });
}

/** No message was read, so the error is the request's, unless we failed. */
function codeOf({ status, body }: ErrorAnswer): number {
  if (body['code'] === 'invalid_json') return rpcCodes.parse;
  const code = rpcCodeOf(status);
  return code === rpcCodes.params ? rpcCodes.request : code;
}

/** Each message of a batch counts as a call, so a batch cannot bring hundreds of them for one request. */
export function refuseBadBatch(body: unknown): void {
  if (body === undefined) throw new MarketError('invalid_json', { message: 'The body is empty: send one JSON-RPC message.' });
  if (!Array.isArray(body)) return;
  if (body.length === 0) throw new MarketError('invalid_input', { message: 'The batch is empty.' });
  if (body.length > MOST_MESSAGES) throw new MarketError('invalid_input', { message: `A batch holds at most ${MOST_MESSAGES} messages.` });
}
