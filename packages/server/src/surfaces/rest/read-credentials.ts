/** Reads the credentials of an HTTP request without verifying them. */
import type { FastifyRequest } from 'fastify';
import { type Credentials, READ_TOKEN_PARAMETER, type SignatureCarrier } from '../../access/credentials.ts';
import { sessionCookieName, TOKEN_COOKIE } from '../../access/sessions.ts';

/** `content`: the fields of the body; for a form they come from its parser. */
export function readCredentials(request: FastifyRequest, content: unknown = request.body): Credentials {
  const body = asRecord(content);
  const cookies = readCookies(request.headers.cookie);
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const tokenCookie = cookies.get(TOKEN_COOKIE);
  const sessionCookie = cookies.get(sessionCookieName(request.server.isHttps));
  const bodyToken = body['idp_access_token'];
  const readToken = isReading(request) ? asRecord(request.query)[READ_TOKEN_PARAMETER] : undefined;
  const signature = readSignatureCarrier(request, body);
  const signIn = request.headers['sign-in-with-x'];
  return {
    clientAddress: request.ip,
    ...(bearer !== undefined && { bearer }),
    ...(typeof bodyToken === 'string' && bodyToken !== '' && { bodyToken }),
    ...(typeof readToken === 'string' && readToken !== '' && { readToken }),
    ...(tokenCookie !== undefined && { tokenCookie }),
    ...(sessionCookie !== undefined && { sessionCookie }),
    ...(signature && { signature }),
    // A repeated header arrives as one text that cannot be decoded.
    ...(signIn !== undefined && { signIn: String(signIn) }),
    ...sandboxPassOf(request),
    request: { method: request.method, path: request.url.split('?')[0] ?? request.url, body: content },
  };
}

export function sandboxPassOf({ headers }: FastifyRequest): Pick<Credentials, 'sandboxPass'> {
  const pass = headers['x-sandbox-pass'];
  return typeof pass === 'string' ? { sandboxPass: pass } : {};
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a visitor sends a cookie that may identify them. */
export function mayProveSomebody(cookies: ReadonlyMap<string, string>, isHttps: boolean): boolean {
  return cookies.has(sessionCookieName(isHttps)) || cookies.has(TOKEN_COOKIE);
}

/**
 * A signature is sent if a signature or its time is given; a wallet address alone is an ordinary field. Headers win over body, body over
 * query.
 */
function readSignatureCarrier(request: FastifyRequest, body: Record<string, unknown>): SignatureCarrier | undefined {
  const { headers } = request;
  const chain = headers['x-market-wallet-chain'];
  if (headers['x-market-wallet-sig'] !== undefined || headers['x-market-wallet-sig-ts'] !== undefined) {
    return {
      from: 'headers',
      wallet: headers['x-market-wallet'],
      wallet_sig: headers['x-market-wallet-sig'],
      wallet_sig_ts: headers['x-market-wallet-sig-ts'],
      wallet_chain: chain,
    };
  }
  return readSignatureFields('body', body, chain) ?? readSignatureFields('query', asRecord(request.query), chain);
}

function readSignatureFields(from: 'body' | 'query', source: Record<string, unknown>, chain: unknown): SignatureCarrier | undefined {
  if (source['wallet_sig'] === undefined && source['wallet_sig_ts'] === undefined) return undefined;
  return {
    from,
    // Clients of the earlier service name the signing wallet only as owner or client.
    wallet: source['wallet'] ?? source['owner_wallet'] ?? source['client_wallet'],
    wallet_sig: source['wallet_sig'],
    wallet_sig_ts: source['wallet_sig_ts'],
    wallet_chain: source['wallet_chain'] ?? chain,
    ...(from === 'body' && source['signed_message'] !== undefined && { signed_message: source['signed_message'] }),
  };
}

export function readCookies(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    if (!cookies.has(name) && value !== '') cookies.set(name, value);
  }
  return cookies;
}

function asRecord(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
