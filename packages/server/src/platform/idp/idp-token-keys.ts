/**
 * The identity provider's public keys, fetched on first use, one request at a time, and cached. So sign-in survives an outage of
 * the provider, and a flood of tokens with invented key ids causes no requests.
 */
import { MarketError } from '@market/contract';
import { JWKSNoMatchingKey } from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import type { JWTVerifyGetKey } from 'jose/jwt/verify';
import { z } from 'zod';
import { fetchDiscovery, fetchProviderJson } from './fetch-provider.ts';

/** After this a copy is renewed beside the request that noticed it, which does not wait. */
const RENEW_AFTER_MS = 5 * 60_000;
/** After this a copy is no longer believed: the provider may have withdrawn a stolen key. */
const BELIEVE_FOR_MS = 10 * 60_000;
/** An unknown key id may mean that keys were rotated, but not more often than this. */
const ASK_AGAIN_AFTER_MS = 30_000;
/** With no keys at all every sign-in waits on the provider, so try sooner. */
const RETRY_WITHOUT_KEYS_MS = 2_000;

export interface IdpKeysOptions {
  readonly issuer: string;
  /** Read from the issuer's discovery document when absent. */
  readonly jwksUri?: string | undefined;
  readonly now: () => Date;
  readonly timeoutMs?: number;
}

/** A key resolver for `jwtVerify`: picks by the header's key id and algorithm, and never looks at keys or URLs inside the token. */
export function createIdpKeys({ issuer, jwksUri, now, timeoutMs = 5_000 }: IdpKeysOptions): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined;
  let loadedAt = 0;
  let triedAt = 0;
  let lastFailure: MarketError | undefined;
  let loading: Promise<JWTVerifyGetKey> | undefined;
  let discoveredUri: string | undefined;

  /** A clock that was set back makes everything look old, which is the safe side. */
  const isWithin = (since: number, durationMs: number) => {
    const ageMs = now().getTime() - since;
    return ageMs >= 0 && ageMs < durationMs;
  };

  async function fetchKeys(): Promise<JWTVerifyGetKey> {
    const uri = jwksUri ?? discoveredUri ?? (await discoverKeysUri(issuer, timeoutMs));
    const keySet = keySetSchema.parse(await fetchProviderJson(uri, timeoutMs));
    discoveredUri = uri;
    return createLocalJWKSet(keySet);
  }

  async function load(): Promise<JWTVerifyGetKey> {
    try {
      keys = await fetchKeys();
      loadedAt = now().getTime();
      lastFailure = undefined;
      return keys;
    } catch (cause) {
      discoveredUri = undefined; // the provider may have moved its keys
      lastFailure = unavailable(cause);
      throw lastFailure;
    } finally {
      triedAt = now().getTime();
      loading = undefined;
    }
  }

  function loadOnce(): Promise<JWTVerifyGetKey> {
    loading ??= load();
    return loading;
  }

  async function currentKeys(): Promise<JWTVerifyGetKey> {
    if (keys !== undefined && isWithin(loadedAt, BELIEVE_FOR_MS)) {
      // Failing is fine here: these keys stay believed, and a later request asks again.
      if (!isWithin(loadedAt, RENEW_AFTER_MS) && !isWithin(triedAt, ASK_AGAIN_AFTER_MS)) loadOnce().catch(() => {});
      return keys;
    }
    if (loading === undefined && lastFailure !== undefined && isWithin(triedAt, RETRY_WITHOUT_KEYS_MS)) throw lastFailure;
    return await loadOnce();
  }

  return async (header, token) => {
    const known = await currentKeys();
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      // While the provider is down, we cannot check whether an unknown key is new or forged.
      if (loading === undefined && isWithin(triedAt, ASK_AGAIN_AFTER_MS)) throw lastFailure ?? error;
    }
    const renewed = await loadOnce();
    return await renewed(header, token);
  };
}

function unavailable(cause: unknown): MarketError {
  return new MarketError('idp_unavailable', { cause, retryAfterSeconds: RETRY_WITHOUT_KEYS_MS / 1000 });
}

/** An empty key set is an error of the provider, not a revocation of all keys: keep the current keys. */
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

async function discoverKeysUri(issuer: string, timeoutMs: number): Promise<string> {
  return readKeysUri(await fetchDiscovery(issuer, timeoutMs), issuer);
}

export function readKeysUri(document: unknown, issuer: string): string {
  const found = z.object({ issuer: z.literal(issuer), jwks_uri: z.url({ protocol: /^https?$/ }) }).parse(document);
  if (issuer.startsWith('https:') && !found.jwks_uri.startsWith('https:')) throw new Error('The provider names a jwks_uri without TLS.');
  return found.jwks_uri;
}
