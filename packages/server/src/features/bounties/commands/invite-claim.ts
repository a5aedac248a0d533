/** The poster invites a proposal. Only invited claims of such a bounty can be accepted. */
import { claimStatusAt, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { appendBountyEvents } from '../append-events.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { requireBountyStep, requireClaimStep, requireHireable, standingOf } from '../decisions.ts';
import { actionsOnClaim, posterActions } from '../next-actions.ts';
import { presentClaim } from '../present.ts';
import { type BountyRow, type ClaimRow, findClaim, inviteClaim as invite } from '../repository.ts';
import { requireLockedBounty, requirePoster } from '../viewers.ts';

export function inviteClaim(context: BountiesContext): HandlersOf<'bounties'>['invite'] {
  return async ({ id, claim_id: claimId }, call) =>
    await call.commit(async (tx) => {
      const bounty = await requireLockedBounty(tx, id);
      requirePoster(call.caller, bounty);
      const claim = await findClaim(tx, bounty.id, claimId);
      if (claim === undefined) throw new MarketError('claim_not_found');
      requireBountyStep(bounty, 'invite', 'poster', posterActions(bounty));
      // A claim that is invited already gets the same answer, without a second event.
      if (claimStatusAt(claim, bounty.now) === 'invited') return answer(bounty, claim);
      const status = requireClaimStep(bounty, claim, 'invite', 'poster', [...actionsOnClaim(bounty, claim), ...posterActions(bounty)]);
      requireHireable(standingOf(claim));
      await invite(tx, claim, bounty.now);
      const { agentId } = claim;
      const data = { bounty_id: bounty.id, claim_id: claim.id, agent_id: agentId };
      await appendBountyEvents(tx, context, bounty, [{ type: 'bounty.invited', data, agentId, claimants: [claim], forPoster: false }]);
      return answer(bounty, { ...claim, status, invitedAt: bounty.now });
    });
}

function answer(bounty: BountyRow, claim: ClaimRow) {
  return { data: presentClaim(claim, { isOwn: false }, actionsOnClaim(bounty, claim)) };
}
