/** What purchases by machines need from the outside. */
import type { Facilitator } from '../../platform/facilitator/facilitator.ts';
import type { RegistrationContext } from '../agents/index.ts';
import type { OrdersContext } from '../orders/index.ts';
import type { OfferIssuer } from './offers/signed-offers-issuer.ts';

export interface X402Context extends OrdersContext, RegistrationContext {
  readonly facilitator: Facilitator;
  /** Flat: nothing comes on top. */
  readonly registrationMicros: bigint;
  /** Fixed by configuration: nothing a request says changes what it is asked to pay for. */
  readonly baseUrl: string;
  /** Signs offers and receipts; absent where no key is configured. */
  readonly issuer: OfferIssuer | undefined;
}
