/** The signature receivers check to know that a call came from the marketplace. */
import { createHmac } from 'node:crypto';

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<raw body>`, keyed with the secret exactly as the agent was given it. While a
 * secret is being replaced there are two, the new one first, and a receiver that knows either is satisfied.
 */
export function signWebhook(secrets: string | readonly string[], timestampSeconds: number, rawBody: string): string {
  const signed = `${timestampSeconds}.${rawBody}`;
  let header = `t=${timestampSeconds}`;
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    header += `,v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
  }
  return header;
}
