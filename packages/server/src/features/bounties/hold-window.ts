/**
 * Keeps a bounty and a claim on it open while the poster's payment becomes final. Some chains need a quarter of an hour; without the hold,
 * money sent in time could no longer buy anything. Each bounty and claim is held once, for a bounded time.
 */
import { type BountyId, claimStatusAt, decideBounty, decideClaim, heldWindowEnd } from '@market/contract';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import type { BountiesContext } from './bounties-context.ts';
import { isHireable, standingOf } from './decisions.ts';
import { findClaim, holdBounty, holdClaim, lockBounty } from './repository.ts';
import { expiryJob, lapseJob } from './timers.ts';

export async function holdWindow(context: BountiesContext, id: BountyId, claimId: string): Promise<void> {
  await context.database.transaction(async (tx) => {
    const bounty = await lockBounty(tx, id);
    const claim = bounty && (await findClaim(tx, bounty.id, claimId));
    if (bounty === undefined || claim === undefined || !isHireable(standingOf(claim))) return;
    if (!decideBounty(bounty, 'accept', 'poster', bounty.now).allowed) return;
    if (!decideClaim(claimStatusAt(claim, bounty.now), 'accept', 'poster', bounty.mode).allowed) return;
    const until = heldWindowEnd(bounty.now);
    const isShort = (end: Date, heldAt: Date | null) => heldAt === null && end.getTime() < until.getTime();
    if (isShort(bounty.expiresAt, bounty.heldAt)) {
      await holdBounty(tx, bounty.id, until, bounty.now);
      await enqueueJobs(tx, [expiryJob(bounty.id, until)]);
    }
    if (isShort(claim.lapsesAt, claim.heldAt)) {
      await holdClaim(tx, claim, until, bounty.now);
      await enqueueJobs(tx, [lapseJob(bounty.id, until)]);
    }
  });
}
