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

/** An older copy is renewed in the background of a request, which does not wait. */
const RENEW_AFTER_MS = 5 * 60_000;
/** An older copy no longer counts: the provider may have withdrawn a stolen key. */
const BELIEVE_FOR_MS = 10 * 60_000;
/** Minimum pause between fetches for unknown key ids, which may mean that keys were rotated. */
const ASK_AGAIN_AFTER_MS = 30_000;
/** Without keys every sign-in waits for the provider, so retry sooner. */
const RETRY_WITHOUT_KEYS_MS = 2_000;

export interface IdpKeysOptions {
  readonly issuer: string;
  /** Read from the issuer's discovery document when absent. */
  readonly jwksUri?: string | undefined;
  readonly now: () => Date;
  readonly timeoutMs?: number;
}

/** A key resolver for `jwtVerify`: chooses by the header's key id and algorithm, and ignores keys and URLs inside the token. */
export function createIdpKeys({ issuer, jwksUri, now, timeoutMs = 5_000 }: IdpKeysOptions): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined;
  let loadedAt = 0;
  let triedAt = 0;
  let lastFailure: MarketError | undefined;
  let loading: Promise<JWTVerifyGetKey> | undefined;
  let discoveredUri: string | undefined;

  /** After the clock was set back everything counts as old, which is safe. */
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
      // A failure is harmless: these keys still count, and a later request fetches again.
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
      // Without the provider, we cannot tell whether an unknown key is new or forged.
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
