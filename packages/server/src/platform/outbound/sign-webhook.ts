/** The signature receivers check to know that a call came from the marketplace. */
import { createHmac } from 'node:crypto';

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<raw body>`, keyed with the secret exactly as the agent was given it. */
export function signWebhook(secret: string, timestampSeconds: number, rawBody: string): string {
  const digest = createHmac('sha256', secret).update(`${timestampSeconds}.${rawBody}`).digest('hex');
  return `t=${timestampSeconds},v1=${digest}`;
}
