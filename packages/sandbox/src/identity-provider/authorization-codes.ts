// Grants between sign-in and token: each is taken once, lives for a minute, and their number is bounded.

const LIFETIME_MS = 60_000;
const MAX_WAITING = 1_000;

export interface AuthorizationCodes<Grant> {
  keep(code: string, grant: Grant): void;
  /** Removes and returns the entry, so that a second try finds nothing, even if the first one failed. */
  take(code: string): Grant | undefined;
}

export function createAuthorizationCodes<Grant>(now: () => Date): AuthorizationCodes<Grant> {
  const waiting = new Map<string, { readonly grant: Grant; readonly expiresAtMs: number }>();

  // A map keeps the order of insertion, so the first entry is the oldest.
  function makeRoom(): void {
    const nowMs = now().getTime();
    for (const [code, { expiresAtMs }] of waiting) {
      if (expiresAtMs > nowMs && waiting.size < MAX_WAITING) return;
      waiting.delete(code);
    }
  }

  return {
    keep(code, grant) {
      makeRoom();
      waiting.set(code, { grant, expiresAtMs: now().getTime() + LIFETIME_MS });
    },
    take(code) {
      const entry = waiting.get(code);
      waiting.delete(code);
      return entry !== undefined && entry.expiresAtMs > now().getTime() ? entry.grant : undefined;
    },
  };
}
