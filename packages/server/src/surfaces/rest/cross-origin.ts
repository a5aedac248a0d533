/**
 * CORS. Any site may call with explicit credentials (a key, a token, a signature, a payment); cookies work only for our own site and the
 * origins that an operator lists.
 */
import { MarketError, type Power } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'X-Budget-Session',
  'X-Request-Id',
  'X-Market-Wallet',
  'X-Market-Wallet-Sig',
  'X-Market-Wallet-Sig-Ts',
  'X-Market-Wallet-Chain',
  'X-Market-Brief',
  'X-Payment',
  'X-Payment-Network',
  'Payment-Signature',
  'Sign-In-With-X',
  'Last-Event-ID',
  'Mcp-Session-Id',
  'Mcp-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
].join(', ');
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Idempotent-Replayed',
  'X-Ignored-Parameters',
  'Payment-Required',
  'Payment-Response',
  'X-Payment-Response',
].join(', ');
const PREFLIGHT_SECONDS = '86400';

export function addCrossOriginRules(app: FastifyInstance, trustedOrigins: ReadonlySet<string>): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    reply.header('Vary', 'Origin');
    reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (trustedOrigins.has(origin)) {
      reply.header('Access-Control-Allow-Origin', origin);
      reply.header('Access-Control-Allow-Credentials', 'true');
    } else {
      reply.header('Access-Control-Allow-Origin', '*');
    }
    if (isPreflight(request)) return await answerPreflight(reply);
    return;
  });
}

function isPreflight(request: FastifyRequest): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

async function answerPreflight(reply: FastifyReply): Promise<FastifyReply> {
  return await reply
    .code(204)
    .header('Access-Control-Allow-Methods', ALLOWED_METHODS)
    .header('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    .header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
    .send();
}

/** Powers that another site's page may use through a visitor's cookies, because it cannot read the answer. */
const harmless: ReadonlySet<Power> = new Set(['public', 'read', 'result']);

/** Refuses a call of another site that has only a cookie and would change or pay, also by GET. */
export function refuseCrossSiteCookie(request: FastifyRequest, power: Power, caller: Caller, trustedOrigins: ReadonlySet<string>): void {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!caller.byCookieOnly || (isReading && harmless.has(power))) return;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const isOwnSite = origin === undefined ? site === undefined || site === 'same-origin' || site === 'none' : trustedOrigins.has(origin);
  if (!isOwnSite) throw new MarketError('cross_site_request');
}
