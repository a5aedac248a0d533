/** A test identity provider on loopback with real keys; tests can change its answers and clock. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { MarketError } from '@market/contract';
import { createIdpVerifier, type IdpVerifier } from './idp-token.ts';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

function makeKey(kid: string): SigningKey {
  return { kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
}

export function toJwk({ kid, publicKey }: SigningKey) {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
}

export function keySetOf(...keys: SigningKey[]): string {
  return JSON.stringify({ keys: keys.map(toJwk) });
}

const startMs = Date.UTC(2026, 10, 15, 12);
export const startSeconds = startMs / 1000;
export const audience = 'market';
export const first = makeKey('key-1');
export const second = makeKey('key-2');
export const intruder = makeKey('intruder');

const untouched = {
  keys: [first],
  keyFetches: 0,
  discoveries: 0,
  /** Number of calls to URLs that only tokens name. */
  trapHits: 0,
  answerKeys: undefined as ((response: ServerResponse) => void) | undefined,
  discoveryIssuer: undefined as string | undefined,
  nowMs: startMs,
};

export const provider = { ...untouched };

export function resetProvider(): void {
  Object.assign(provider, untouched);
}

const server = createServer((request, response) => {
  if (request.url === '/.well-known/openid-configuration') {
    provider.discoveries += 1;
    response.end(JSON.stringify({ issuer: provider.discoveryIssuer ?? issuer, jwks_uri: `${issuer}/jwks` }));
  } else if (request.url === '/jwks') {
    provider.keyFetches += 1;
    if (provider.answerKeys) provider.answerKeys(response);
    else response.end(keySetOf(...provider.keys));
  } else {
    provider.trapHits += 1;
    response.end(keySetOf(intruder, second));
  }
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => server.close());

export const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
export const jwksUri = `${issuer}/jwks`;

export function makeVerifier(changes: Partial<Parameters<typeof createIdpVerifier>[0]> = {}): IdpVerifier {
  return createIdpVerifier({
    issuer,
    audience,
    algorithms: ['ES256'],
    adminEmails: ['ops@example.com'],
    now: () => new Date(provider.nowMs),
    ...changes,
  });
}

export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
export const goodClaims = () => ({ iss: issuer, aud: audience, sub: 'usr_1', iat: startSeconds, exp: startSeconds + 600 });

export function signToken(key: SigningKey, claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): string {
  return signPayload(key, { ...goodClaims(), ...claims }, header);
}

export function signPayload(key: SigningKey, payload: unknown, header: Record<string, unknown> = {}): string {
  const input = `${encode({ alg: 'ES256', kid: key.kid, ...header })}.${encode(payload)}`;
  const signature = sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

export function refusedAs(code: 'invalid_token' | 'idp_unavailable') {
  return (error: unknown) => error instanceof MarketError && error.code === code && error.status === (code === 'invalid_token' ? 401 : 503);
}
