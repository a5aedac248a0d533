/** Bounties as orders use them. The composition root hands them in, because bounties import orders. */
import type { BountyId, OrderCommand, OrderStatus } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';

export interface FollowedStep {
  readonly command: OrderCommand;
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  readonly at: Date;
}

export interface OrderBounties {
  /** The bounty follows its order, in the same transaction. The end of the order decides the winner's stake. */
  follow(tx: Tx, context: { readonly events: EventLog }, bountyId: BountyId, step: FollowedStep): Promise<void>;
}
