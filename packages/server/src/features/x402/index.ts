/** Public API of machine hires. */
import type { HandlersOf } from '../../access/call.ts';
import { feedHandlers } from './feeds/feeds.ts';
import { hireHandlers } from './hire/endpoints.ts';
import { readRequirements } from './hire/read-requirements.ts';
import { readSignedOffers } from './offers/read-signed-offers.ts';
import type { X402Context } from './x402-context.ts';

export function x402Handlers(context: X402Context): HandlersOf<'x402'> {
  return { ...feedHandlers(context), ...hireHandlers(context), offers: readSignedOffers(context), requirements: readRequirements(context) };
}

export { x402ClaimHolders } from './contests/contested-purchases.ts';
export { placeByPayment } from './hire/endpoints.ts';
export { readMaxHirePrice } from './hire/max-hire-price.ts';
export { type NamedPayment, namePayer, namePayment } from './intake/name-payment.ts';
export { MAX_PROOF_SECONDS } from './intake/pay-by-transfer.ts';
export { storedSettlements } from './intake/pending-settlements-repository.ts';
export { x402Jobs } from './intake/reconcile.ts';
export { createOfferIssuer, didDocumentOf } from './offers/signed-offers-issuer.ts';
export { registerByPayment } from './registration/endpoint.ts';
export { sealedPaymentColumns } from './sealed-columns.ts';
export type { X402Context } from './x402-context.ts';
