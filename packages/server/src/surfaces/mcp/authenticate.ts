/** Identifies the caller of the MCP endpoint: an agent by its key, or a connected program by an access token made for this endpoint. */
import { MarketError } from '@market/contract';
import type { FastifyRequest } from 'fastify';
import { type Caller, isSomebody, principalOf } from '../../access/caller.ts';
import { API_KEY_PREFIX } from '../../access/credentials.ts';
import type { ShownCredentials } from '../operation-request.ts';
import { sandboxPassOf } from '../rest/read-credentials.ts';
import { MCP_PATH, type McpOptions } from './mcp-options.ts';

export interface McpCaller {
  readonly caller: Caller;
  /** Limits count the caller, except for registration, so that people behind one address do not share limits. */
  readonly credentials: ShownCredentials;
}

/** Ignores cookies, order tokens and tokens of the identity provider. Throws without a proven caller. */
export async function authenticate(request: FastifyRequest, { resolver }: Pick<McpOptions, 'resolver'>): Promise<McpCaller> {
  const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) throw new MarketError('unauthenticated', { message: 'Send an API key or an access token as bearer.' });
  const shown = {
    clientAddress: request.ip,
    ...(token.startsWith(API_KEY_PREFIX) ? { bearer: token } : { connectionToken: token }),
    ...sandboxPassOf(request),
  };
  const caller = await resolver.resolve({ ...shown, request: { method: 'POST', path: MCP_PATH, body: undefined } });
  if (!isSomebody(caller)) throw new MarketError('unauthenticated', { message: 'This token is not valid for this endpoint.' });
  return { caller, credentials: { ...shown, countedAs: principalOf(caller, request.ip) } };
}
