/** The poster keeps a bounty open longer. Claims that were made stay held as long as before. */
import { bountyEnd, MarketError, openClaimStatuses } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { requireBountyStep } from '../decisions.ts';
import { posterActions } from '../next-actions.ts';
import { extendBounty as extend, listClaims } from '../repository.ts';
import { expiryJob, lapseJob } from '../timers.ts';
import { requireLockedBounty, requirePoster } from '../viewers.ts';

export function extendBounty(): HandlersOf<'bounties'>['extend'] {
  return async ({ id, open_days: days }, call) =>
    await call.commit(async (tx) => {
      const bounty = await requireLockedBounty(tx, id);
      requirePoster(call.caller, bounty);
      requireBountyStep(bounty, 'extend', 'poster', posterActions(bounty));
      const end = bountyEnd(bounty.createdAt, days);
      const isRepeated = bounty.openDays === days;
      if (!isRepeated && end.getTime() <= bounty.expiresAt.getTime())
        throw new MarketError('bounty_ends_later', { data: { expires_at: bounty.expiresAt.toISOString() } });
      if (!isRepeated) {
        await extend(tx, bounty.id, days, end, bounty.now);
        // Claims of before ended with the bounty, so nothing waits for their own end yet.
        const undecided = (await listClaims(tx, [bounty.id])).filter(({ status }) => openClaimStatuses.includes(status));
        await enqueueJobs(tx, [expiryJob(bounty.id, end), ...undecided.map(({ lapsesAt }) => lapseJob(bounty.id, lapsesAt))]);
      }
      const expires = isRepeated ? bounty.expiresAt : end;
      return { data: { id: bounty.id, bounty_id: bounty.id, open_days: days, expires_at: expires.toISOString() } };
    });
}
