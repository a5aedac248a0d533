/** Public API of bounties. */
import { bountyStatusOf } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { OrderBounties } from '../orders/index.ts';
import type { BountiesContext } from './bounties-context.ts';
import { acceptClaim } from './commands/accept-claim.ts';
import { cancelBounty } from './commands/cancel-bounty.ts';
import { claimBounty } from './commands/claim-bounty.ts';
import { postBounty } from './commands/post-bounty.ts';
import { refundBounty } from './commands/refund-bounty.ts';
import { withdrawClaim } from './commands/withdraw-claim.ts';
import { bountyQueries } from './queries.ts';
import { moveBounty } from './repository.ts';

export function bountyHandlers(context: BountiesContext): HandlersOf<'bounties'> {
  return {
    ...bountyQueries(context),
    post: postBounty(context),
    claim: claimBounty(context),
    withdraw: withdrawClaim(context),
    accept: acceptClaim(context),
    cancel: cancelBounty(context),
    refund: refundBounty(context),
  };
}

/** What orders need of bounties. */
export const orderBounties: OrderBounties = {
  async follow(tx, bountyId, step) {
    const [from, to] = [bountyStatusOf(step.from), bountyStatusOf(step.to)];
    if (from === to) return;
    const ended = to === 'completed' ? { completedAt: step.at } : to === 'cancelled' ? { cancelledAt: step.at } : {};
    await moveBounty(tx, bountyId, { from, to, at: step.at }, ended);
  },
};

export { bountyTimers } from './timers.ts';
export { isPoster, requireBounty } from './viewers.ts';
