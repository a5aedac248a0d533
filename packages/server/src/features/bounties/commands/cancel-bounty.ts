/** The poster takes an open bounty off the board. Nothing was paid. */
import type { HandlersOf } from '../../../access/call.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { closeBounty } from '../close-bounty.ts';
import { requireBountyStep } from '../decisions.ts';
import { posterActions } from '../next-actions.ts';
import { requireLockedBounty, requirePoster } from '../viewers.ts';

export function cancelBounty(context: BountiesContext): HandlersOf<'bounties'>['cancel'] {
  return async ({ id }, call) =>
    await call.commit(async (tx) => {
      const bounty = await requireLockedBounty(tx, id);
      requirePoster(call.caller, bounty);
      const status = requireBountyStep(bounty, 'cancel', 'poster', posterActions(bounty));
      await closeBounty(tx, context, bounty, 'cancelled');
      return { data: { id: bounty.id, bounty_id: bounty.id, status } };
    });
}
