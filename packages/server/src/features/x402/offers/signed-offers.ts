/** The `offer-receipt` extension: the address of signed offers in a challenge, and the offers there. `intake/receipts.ts` has the receipts. */

import type { X402Context } from '../x402-context.ts';
import type { StandardOffer } from './offers.ts';

export type Extensions = Readonly<Record<string, unknown>>;
export type Signing = Pick<X402Context, 'issuer' | 'clock'>;

/** Only the address: three signed offers would double the size of the head. */
export function offersReference({ issuer }: Pick<Signing, 'issuer'>, offersUrl: string): Extensions {
  if (issuer === undefined) return {};
  return { 'offer-receipt': { info: { offersUrl } } };
}

/** One per entry of `accepts`, in its order. */
export function signedOffers({ issuer, clock }: Signing, url: string, accepts: readonly StandardOffer[]): Extensions {
  if (issuer === undefined) return {};
  const now = clock.realNow();
  const offers = accepts.map((offer, acceptIndex) => ({ format: 'jws', acceptIndex, signature: issuer.offerAt(url, offer, now) }));
  return { 'offer-receipt': { info: { offers }, schema: offersSchema } };
}

/** One signed statement: an offer, or a receipt. */
export const statementSchema = {
  type: 'object',
  properties: { format: { const: 'jws' }, acceptIndex: { type: 'integer' }, signature: { type: 'string' } },
  required: ['format', 'signature'],
} as const;

const offersSchema = { type: 'object', properties: { offers: { type: 'array', items: statementSchema } }, required: ['offers'] } as const;
