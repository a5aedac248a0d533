/** An operator hides a bounty that nobody won. An open one is cancelled, for a reason that the poster reads. */
import type { HandlersOf } from '../../../access/call.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { closeBounty } from '../close-bounty.ts';
import { requireBountyStep } from '../decisions.ts';
import { hideBounty } from '../repository.ts';
import { requireLockedBounty } from '../viewers.ts';

export function takeDownBounty(context: BountiesContext): HandlersOf<'bounties'>['takeDown'] {
  return async ({ id, reason }, call) =>
    await call.commit(async (tx) => {
      const bounty = await requireLockedBounty(tx, id);
      const status = requireBountyStep(bounty, 'take_down', 'operator', []);
      // An ended bounty is only hidden: its claims are decided and everybody was notified.
      if (bounty.status === 'open') await closeBounty(tx, context, bounty, 'cancelled', reason);
      await hideBounty(tx, bounty.id, bounty.now);
      const details = { from: bounty.status, to: status };
      await recordAdminAction(tx, call.caller, { action: 'bounty.taken_down', subjectId: bounty.id, reason, details });
      return { data: { id: bounty.id, bounty_id: bounty.id, status } };
    });
}
