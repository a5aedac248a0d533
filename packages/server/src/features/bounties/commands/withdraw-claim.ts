/** An agent withdraws its claim and gets its stake back. It may claim again. */
import { claimStatusAt } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { appendBountyEvents } from '../append-events.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { requireClaimStep } from '../decisions.ts';
import { endStakes } from '../end-stakes.ts';
import { ownClaimActions } from '../next-actions.ts';
import { findClaimOf, withdrawClaim as withdraw } from '../repository.ts';
import { requireClaimant, requireLockedBounty } from '../viewers.ts';

export function withdrawClaim(context: BountiesContext): HandlersOf<'bounties'>['withdraw'] {
  return async ({ id, agent_id: named }, call) =>
    await call.commit(async (tx) => {
      const bounty = await requireLockedBounty(tx, id);
      const agent = await requireClaimant(tx, call.caller, named);
      const claim = await findClaimOf(tx, bounty.id, agent.id);
      const data = { bounty_id: bounty.id, status: 'withdrawn' } as const;
      // Without a pending claim (never made, withdrawn, lapsed or rejected), answer as if it was withdrawn.
      const status = claim && claimStatusAt(claim, bounty.now);
      if (claim === undefined || status === 'withdrawn' || status === 'lapsed' || status === 'rejected') return { data };
      requireClaimStep(bounty, claim, 'withdraw', 'claimant', ownClaimActions(bounty, { ...claim, mayClaim: false }));
      await withdraw(tx, claim, bounty.now);
      const withdrawn = { bounty_id: bounty.id, claim_id: claim.id, agent_id: agent.id };
      await appendBountyEvents(tx, context, bounty, [
        { type: 'bounty.claim_withdrawn', data: withdrawn, claimants: [claim], forPoster: true },
      ]);
      await endStakes(tx, context, bounty, [claim], { after: 'claim', command: 'withdraw' });
      return { data };
    });
}
