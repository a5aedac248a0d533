/** What orders need of bounties. The composition root hands it in, because bounties know orders and not the other way round. */
import type { BountyId, OrderStatus } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';

export interface OrderBounties {
  /** The bounty follows its order, in the same transaction. */
  follow(tx: Tx, bountyId: BountyId, step: { readonly from: OrderStatus; readonly to: OrderStatus; readonly at: Date }): Promise<void>;
}
