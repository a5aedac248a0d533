/** The poster keeps a bounty open longer. Existing claims keep their own end. */
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
        // Claims from before migration 0067 have no lapse job, because claims ended with the bounty then.
        const undecided = (await listClaims(tx, [bounty.id])).filter(({ status }) => openClaimStatuses.includes(status));
        await enqueueJobs(tx, [expiryJob(bounty.id, end), ...undecided.map(({ lapsesAt }) => lapseJob(bounty.id, lapsesAt))]);
      }
      const expires = isRepeated ? bounty.expiresAt : end;
      return { data: { id: bounty.id, bounty_id: bounty.id, open_days: days, expires_at: expires.toISOString() } };
    });
}
