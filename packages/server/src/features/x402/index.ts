/** Public API of machine hires. */
import type { HandlersOf } from '../../access/call.ts';
import { feedHandlers } from './feeds/feeds.ts';
import { hireHandlers } from './goods/hire-endpoints.ts';
import { readRequirements } from './goods/read-requirements.ts';
import { readSignedOffers } from './goods/read-signed-offers.ts';
import type { X402Context } from './x402-context.ts';

export function x402Handlers(context: X402Context): HandlersOf<'x402'> {
  return { ...feedHandlers(context), ...hireHandlers(context), offers: readSignedOffers(context), requirements: readRequirements(context) };
}

export { x402ClaimHolders } from './goods/contested-purchases.ts';
export { readMaxHirePrice } from './goods/max-hire-price.ts';
export { placeByPayment } from './goods/place-by-machine.ts';
export { registerByPayment } from './goods/register-by-machine.ts';
export { sealedPaymentColumns } from './goods/sealed-columns.ts';
export { type NamedPayment, namePayer, namePayment } from './intake/name-payment.ts';
export { MAX_PROOF_SECONDS } from './intake/pay-by-transfer.ts';
export { storedSettlements } from './intake/pending-settlements-repository.ts';
export { x402Jobs } from './intake/reconcile-job.ts';
export { createOfferIssuer, didDocumentOf } from './offers/signed-offers-issuer.ts';
export type { X402Context } from './x402-context.ts';
