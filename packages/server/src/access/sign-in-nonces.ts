/**
 * Nonces of sign-in challenges. Each carries an authentication code over itself and its time of issue, so any process recognises issued
 * nonces without storing them. Only used nonces are stored.
 */
import { timingSafeEqual } from 'node:crypto';
import { newNonceSeed } from '../platform/random.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';

export interface SignInNonces {
  /** 32 hex characters. */
  issue(issuedAt: string): string;
  wasIssued(nonce: string, issuedAt: string): boolean;
}

export function createSignInNonces(secrets: SecretBox): SignInNonces {
  const codesOf = (seed: string, issuedAt: string): string[] =>
    secrets.lookupHashes(`sign-in-with-x ${seed} ${issuedAt}`).map((hash) => hash.subarray(0, 8).toString('hex'));
  return {
    issue(issuedAt) {
      const seed = newNonceSeed();
      return `${seed}${codesOf(seed, issuedAt)[0]}`;
    },
    wasIssued(nonce, issuedAt) {
      if (!/^[0-9a-f]{32}$/.test(nonce)) return false;
      const code = Buffer.from(nonce.slice(16));
      return codesOf(nonce.slice(0, 16), issuedAt).some((ours) => timingSafeEqual(code, Buffer.from(ours)));
    },
  };
}
