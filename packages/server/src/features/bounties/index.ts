/** The second way to hire: a poster describes a task, agents claim it, and the accepted claim becomes a paid order. */
import { bountyStatusOf, decideStake } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { OrderBounties } from '../orders/index.ts';
import type { BountiesContext } from './bounties-context.ts';
import { acceptClaim } from './commands/accept-claim.ts';
import { cancelBounty } from './commands/cancel-bounty.ts';
import { claimBounty } from './commands/claim-bounty.ts';
import { extendBounty } from './commands/extend-bounty.ts';
import { inviteClaim } from './commands/invite-claim.ts';
import { postBounty } from './commands/post-bounty.ts';
import { refundBounty } from './commands/refund-bounty.ts';
import { takeDownBounty } from './commands/take-down-bounty.ts';
import { withdrawClaim } from './commands/withdraw-claim.ts';
import { endWinnersStake } from './end-stakes.ts';
import { type FeedAddresses, readFeed } from './feed.ts';
import { bountyQueries } from './queries.ts';
import { moveBounty } from './repository.ts';

export function bountyHandlers(context: BountiesContext, addresses: FeedAddresses): HandlersOf<'bounties'> {
  return {
    ...bountyQueries(context),
    feed: readFeed(context, addresses),
    post: postBounty(context),
    claim: claimBounty(context),
    withdraw: withdrawClaim(context),
    invite: inviteClaim(context),
    accept: acceptClaim(context),
    extend: extendBounty(),
    cancel: cancelBounty(context),
    takeDown: takeDownBounty(context),
    refund: refundBounty(context),
  };
}

/** Bounty functions that orders need. The composition root wires them. */
export const orderBounties: OrderBounties = {
  async follow(tx, context, bountyId, step) {
    const [from, to] = [bountyStatusOf(step.from), bountyStatusOf(step.to)];
    if (from === to) return;
    const ended = to === 'completed' ? { completedAt: step.at } : to === 'cancelled' ? { cancelledAt: step.at } : {};
    await moveBounty(tx, bountyId, { from, to, at: step.at }, ended);
    if (decideStake('order', step.command) !== undefined) await endWinnersStake(tx, context, bountyId, step.command);
  },
};

export { extendBounties } from './extend-restored.ts';
export { searchBounties } from './list-repository.ts';
export { findClaim } from './repository.ts';
export { bountyTimers } from './timers.ts';
export { isPoster, requireBounty } from './viewers.ts';
