// The claims of tokens about a person. This file signs access tokens of the test endpoint: every test server issues some, and loading
// oidc-provider costs 0.3 s of processor time and 45 MB.

import { SignJWT } from 'jose';
import { deriveUserId, type Person } from './person.ts';
import type { SigningKeys } from './signing-keys.ts';

export const TOKEN_LIFETIME_SECONDS = 3_600;

export const PERSON_CLAIMS = ['sub', 'email', 'email_verified', 'google_email', 'name', 'twitter_username', 'wallets', 'market_admin'];

export interface SignedIn {
  readonly person: Person;
  readonly admin: boolean;
}

export interface TokenOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => Date;
}

export function describePerson({ person, admin }: SignedIn): Record<string, unknown> & { readonly sub: string } {
  return {
    ...person,
    sub: deriveUserId(person.email),
    email_verified: true,
    google_email: person.email,
    wallets: person.wallets ?? [],
    ...(admin ? { market_admin: true } : {}),
  };
}

export function composeAccessToken({ issuer, audience, now }: TokenOptions, claims: Record<string, unknown>): Record<string, unknown> {
  const issuedAt = Math.floor(now().getTime() / 1000);
  return { ...claims, iss: issuer, aud: audience, iat: issuedAt, exp: issuedAt + TOKEN_LIFETIME_SECONDS };
}

export async function signAccessToken(options: TokenOptions, keys: SigningKeys, signedIn: SignedIn): Promise<string> {
  const { kid, privateKey } = await keys.getCurrent();
  const token = new SignJWT(composeAccessToken(options, describePerson(signedIn)));
  return await token.setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' }).sign(privateKey);
}
