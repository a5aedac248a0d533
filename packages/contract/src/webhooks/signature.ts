/** The signature receivers check to know that a call came from the marketplace. */
import { createHmac, type KeyObject } from 'node:crypto';

/** Whoever signs much with the same one prepares it with `createSecretKey`. */
export type Secret = string | KeyObject;

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<raw body>`, keyed with the secret exactly as the agent was given it. While a
 * secret is being replaced there are two, the new one first, and a receiver that knows either is satisfied.
 */
export function signWebhook(secrets: Secret | readonly Secret[], timestampSeconds: number, rawBody: string): string {
  const signed = `${timestampSeconds}.${rawBody}`;
  let header = `t=${timestampSeconds}`;
  for (const secret of Array.isArray(secrets) ? secrets : [secrets as Secret]) {
    header += `,v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
  }
  return header;
}
