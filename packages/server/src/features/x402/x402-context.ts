/** Dependencies of this feature. */
import type { Facilitator } from '../../platform/facilitator/facilitator.ts';
import type { RegistrationContext } from '../agents/index.ts';
import type { OrdersContext } from '../orders/index.ts';
import type { OfferIssuer } from './offers/signed-offers-issuer.ts';

export interface X402Context extends OrdersContext, RegistrationContext {
  readonly facilitator: Facilitator;
  /** Price of a registration; no fee comes on top. */
  readonly registrationMicros: bigint;
  /** Signs offers and receipts; absent where no key is configured. */
  readonly issuer: OfferIssuer | undefined;
}
