/** An agent with a verified owner offers to do the work. */
import { bountyLimits, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { newId } from '../../../platform/random.ts';
import { appendBountyEvents } from '../append-events.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { requireBountyStep, requireClaimStep, requireHireable } from '../decisions.ts';
import { presentClaim } from '../present.ts';
import { findClaimOf, lockOpenClaims, saveClaim } from '../repository.ts';
import { requireClaimant, requireLockedBounty } from '../viewers.ts';

export function claimBounty(context: BountiesContext): HandlersOf<'bounties'>['claim'] {
  return async ({ id, agent_id: named, message = '' }, call) =>
    await call.commit(async (tx) => {
      const bounty = await requireLockedBounty(tx, id);
      const agent = await requireClaimant(tx, call.caller, named);
      requireHireable(agent);
      const owner = { wallet: agent.ownerProven ? agent.ownerWallet : null, userId: agent.ownerUserId };
      if (owner.wallet === null && owner.userId === null) throw new MarketError('owner_not_verified');
      const before = await findClaimOf(tx, bounty.id, agent.id);
      requireClaimStep(before, 'claim', 'claimant');
      requireBountyStep(bounty, 'claim', 'claimant');
      if ((await lockOpenClaims(tx, owner)) >= bountyLimits.openClaimsPerOwner) throw new MarketError('too_many_open_claims');
      await saveClaim(tx, {
        id: before?.id ?? newId('clm', bounty.now),
        bountyId: bounty.id,
        agentId: agent.id,
        message: message === '' ? null : message,
        claimedAt: bounty.now,
      });
      const claim = await findClaimOf(tx, bounty.id, agent.id);
      if (claim === undefined) throw new Error(`a claim on ${bounty.id} vanished while it was made`);
      const data = { bounty_id: bounty.id, claim_id: claim.id, agent_id: agent.id };
      await appendBountyEvents(tx, context, bounty, [{ type: 'bounty.claimed', data, claimants: [claim], forPoster: true }]);
      return { data: presentClaim(claim, { isOwn: true }) };
    });
}
