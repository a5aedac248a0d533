/** The `offer-receipt` extension: the address of signed offers in a challenge, the offers there, and the signed receipt of a settled payment. */

import type { X402Context } from '../x402-context.ts';
import type { StandardOffer } from './offers.ts';
import type { SettledPayment } from './signed-offers-issuer.ts';

type Extensions = Readonly<Record<string, unknown>>;
type Signing = Pick<X402Context, 'issuer' | 'clock'>;

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

export function signedReceipt({ issuer, clock }: Signing, payment: SettledPayment): Extensions | undefined {
  if (issuer === undefined) return undefined;
  const receipt = { format: 'jws', signature: issuer.receiptFor(payment, clock.realNow()) };
  return { 'offer-receipt': { info: { receipt }, schema: receiptSchema } };
}

const statement = {
  type: 'object',
  properties: { format: { const: 'jws' }, acceptIndex: { type: 'integer' }, signature: { type: 'string' } },
  required: ['format', 'signature'],
} as const;

const offersSchema = { type: 'object', properties: { offers: { type: 'array', items: statement } }, required: ['offers'] } as const;
const receiptSchema = { type: 'object', properties: { receipt: statement }, required: ['receipt'] } as const;
