// The signed statements about a person: an access token for the service and an ID token for the app that asked.

import { type JWTPayload, SignJWT } from 'jose';
import { deriveUserId, type Person } from './person.ts';
import type { SigningKeys } from './signing-keys.ts';

export const TOKEN_LIFETIME_SECONDS = 3_600;

export interface SignedIn {
  readonly person: Person;
  readonly admin: boolean;
}

export interface TokenSigner {
  signAccessToken(signedIn: SignedIn): Promise<string>;
  signIdToken(signedIn: SignedIn, clientId: string, nonce: string | undefined): Promise<string>;
}

export function createTokenSigner(options: { keys: SigningKeys; issuer: string; audience: string; now: () => Date }): TokenSigner {
  async function sign(claims: JWTPayload, audience: string): Promise<string> {
    const { kid, privateKey } = await options.keys.getCurrent();
    const issuedAt = Math.floor(options.now().getTime() / 1000);
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
      .setIssuer(options.issuer)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + TOKEN_LIFETIME_SECONDS)
      .sign(privateKey);
  }
  return {
    signAccessToken: (signedIn) => sign(describe(signedIn), options.audience),
    signIdToken: (signedIn, clientId, nonce) => sign({ ...describe(signedIn), ...(nonce === undefined ? {} : { nonce }) }, clientId),
  };
}

function describe({ person, admin }: SignedIn): JWTPayload {
  return {
    ...person,
    sub: deriveUserId(person.email),
    email_verified: true,
    google_email: person.email,
    wallets: person.wallets ?? [],
    ...(admin ? { market_admin: true } : {}),
  };
}
