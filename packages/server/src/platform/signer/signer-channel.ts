/**
 * The protocol between service and signer. A request only names an intent; both sides prove that they have the shared secret. An answer is
 * bound to its request.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

export const SIGN_PATH = '/sign';
export const MAC_HEADER = 'x-signer-mac';
/** A request that is older, or further in the future, is refused. */
export const FRESH_MS = 60_000;

export const signRequest = z.strictObject({
  intent_id: z.string().min(1).max(200),
  /** A payout, or a call to a vault. */
  kind: z.enum(['payout', 'venue']).default('payout'),
  /** Asks for bytes with a higher fee, to replace the transaction signed last. */
  replace: z.boolean(),
  nonce: z.string().min(16).max(100),
  sent_at: z.int(),
});
export type SignRequest = z.output<typeof signRequest>;

export const signAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('signed'),
    reference: z.string(),
    bytes: z.string(),
    // A nonce or a block height: comparisons read it as a number.
    validity: z.string().regex(/^\d{1,18}$/),
    rent_lamports: z.string().regex(/^\d+$/),
  }),
  z.object({ kind: z.literal('nothing') }),
  z.object({
    kind: z.literal('refused'),
    reason: z.enum(['insufficient_usdc', 'insufficient_native', 'destination', 'account', 'venue', 'other']),
    message: z.string(),
  }),
  z.object({ kind: z.literal('held'), message: z.string() }),
  z.object({ kind: z.literal('unavailable'), message: z.string() }),
]);
export type SignAnswer = z.output<typeof signAnswer>;

export function macOfRequest(secret: string, body: string): string {
  return createHmac('sha256', secret).update(`request\n${body}`, 'utf8').digest('hex');
}

export function macOfAnswer(secret: string, requestMac: string, body: string): string {
  return createHmac('sha256', secret).update(`answer\n${requestMac}\n${body}`, 'utf8').digest('hex');
}

export function isSameMac(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected, 'utf8'), Buffer.from(given, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}
