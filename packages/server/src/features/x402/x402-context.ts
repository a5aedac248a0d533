/** Dependencies of this feature. */

import type { Tx } from '../../platform/db/database.ts';
import type { Facilitator } from '../../platform/facilitator/facilitator.ts';
import type { RegistrationContext } from '../agents/index.ts';
import type { OrdersContext } from '../orders/index.ts';
import type { ClaimRow } from '../payments/index.ts';
import type { OfferIssuer } from './offers/signed-offers-issuer.ts';

export interface X402Context extends OrdersContext, RegistrationContext {
  /** Files of orders, and avatars of registrations. */
  readonly files: OrdersContext['files'] & RegistrationContext['files'];
  readonly facilitator: Facilitator;
  /** Frees what the policies of a first presenter counted for a transfer of somebody else. */
  readonly releaseSpent: (tx: Tx, claim: Pick<ClaimRow, 'caip2' | 'reference' | 'subjectId'>) => Promise<void>;
  /** Price of a registration; no fee comes on top. */
  readonly registrationMicros: bigint;
  /** Signs offers and receipts; absent where no key is configured. */
  readonly issuer: OfferIssuer | undefined;
}
