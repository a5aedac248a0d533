// Codes between sign-in and token: each works once, for a minute, and only a bounded number waits at a time.

import { randomBytes } from 'node:crypto';

const LIFETIME_MS = 60_000;
const MAX_WAITING = 1_000;

export interface AuthorizationCodes<Grant> {
  issue(grant: Grant): string;
  /** Takes the code out, so that a second try finds nothing, whatever came of the first. */
  take(code: string): Grant | undefined;
}

export function createAuthorizationCodes<Grant>(now: () => Date): AuthorizationCodes<Grant> {
  const waiting = new Map<string, { readonly grant: Grant; readonly expiresAtMs: number }>();

  // The map keeps the order of issue: what is first is the oldest.
  function makeRoom(): void {
    const nowMs = now().getTime();
    for (const [code, { expiresAtMs }] of waiting) {
      if (expiresAtMs > nowMs && waiting.size < MAX_WAITING) return;
      waiting.delete(code);
    }
  }

  return {
    issue(grant) {
      makeRoom();
      const code = randomBytes(32).toString('base64url');
      waiting.set(code, { grant, expiresAtMs: now().getTime() + LIFETIME_MS });
      return code;
    },
    take(code) {
      const entry = waiting.get(code);
      waiting.delete(code);
      return entry !== undefined && entry.expiresAtMs > now().getTime() ? entry.grant : undefined;
    },
  };
}
