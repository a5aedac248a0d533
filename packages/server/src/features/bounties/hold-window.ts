/**
 * Keeps a bounty open while the poster's payment becomes final. Some chains take a quarter of an hour; without the hold, money that was
 * sent in time would be stranded. Once per bounty and for a bounded time; nothing is used up.
 */
import { type BountyId, decideBounty, decideClaim, heldWindowEnd } from '@market/contract';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import type { BountiesContext } from './bounties-context.ts';
import { isHireable, standingOf } from './decisions.ts';
import { extendWindow, findClaim, lockBounty } from './repository.ts';
import { expiryJob } from './timers.ts';

export async function holdWindow(context: BountiesContext, id: BountyId, claimId: string): Promise<void> {
  await context.database.transaction(async (tx) => {
    const bounty = await lockBounty(tx, id);
    if (bounty === undefined || bounty.heldAt !== null) return;
    const until = heldWindowEnd(bounty.now);
    // Enough time is left.
    if (until.getTime() <= bounty.expiresAt.getTime()) return;
    const claim = await findClaim(tx, bounty.id, claimId);
    if (claim === undefined || !isHireable(standingOf(claim))) return;
    if (!decideBounty(bounty, 'accept', 'poster', bounty.now).allowed) return;
    if (!decideClaim(claim.status, 'accept', 'poster', bounty.mode).allowed) return;
    await extendWindow(tx, bounty.id, until, bounty.now);
    await enqueueJobs(tx, [expiryJob(bounty.id, until)]);
  });
}
