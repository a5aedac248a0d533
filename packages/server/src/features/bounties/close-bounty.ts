/** Ends an open bounty without a winner: rejects its undecided claims, returns their stakes, and notifies poster and claimants. */
import { openClaimStatuses } from '@market/contract';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { appendBountyEvents } from './append-events.ts';
import type { BountiesContext } from './bounties-context.ts';
import { endStakes } from './end-stakes.ts';
import { type BountyRow, closeClaims, listClaims, moveBounty } from './repository.ts';

/** Call it only with a locked bounty, after `decideBounty` allowed it. `reason` comes from an operator. */
export async function closeBounty(
  tx: Tx,
  context: BountiesContext,
  bounty: BountyRow,
  to: 'cancelled' | 'expired',
  reason?: string,
): Promise<void> {
  const at = bounty.now;
  const claimants = (await listClaims(tx, [bounty.id])).filter(({ status }) => openClaimStatuses.includes(status));
  await closeClaims(tx, bounty.id, null, at);
  await moveBounty(tx, bounty.id, { from: bounty.status, to, at }, to === 'cancelled' ? { cancelledAt: at } : {});
  reachCrashPoint('bounty.after_close');
  await appendBountyEvents(tx, context, bounty, [
    { type: `bounty.${to}`, data: { bounty_id: bounty.id }, claimants, forPoster: true, reason },
  ]);
  await endStakes(tx, context, bounty, claimants, { after: 'claim', command: 'reject' });
}
