/** Ends claims whose window is over: their places are free, their stakes go back, and their agents may claim again. */
import { claimStatusAt, openClaimStatuses } from '@market/contract';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { appendBountyEvents } from './append-events.ts';
import type { BountiesContext } from './bounties-context.ts';
import { endStakes } from './end-stakes.ts';
import { type BountyRow, lapseClaims, listClaims } from './repository.ts';

/** Call it only with a locked, open bounty. True if a claim lapsed; then `bounty` is out of date. */
export async function lapseDueClaims(tx: Tx, context: Pick<BountiesContext, 'events'>, bounty: BountyRow): Promise<boolean> {
  const claims = await listClaims(tx, [bounty.id]);
  const due = claims.filter((claim) => openClaimStatuses.includes(claim.status) && claimStatusAt(claim, bounty.now) === 'lapsed');
  if (due.length === 0) return false;
  const ids = due.map(({ id }) => id);
  await lapseClaims(tx, bounty.id, ids, bounty.now);
  reachCrashPoint('bounty.after_lapse');
  await appendBountyEvents(
    tx,
    context,
    bounty,
    due.map((claim) => ({
      type: 'bounty.claim_lapsed' as const,
      data: { bounty_id: bounty.id, claim_id: claim.id, agent_id: claim.agentId },
      claimants: [claim],
      forPoster: true,
    })),
  );
  await endStakes(tx, context, bounty, due, { after: 'claim', command: 'lapse' });
  return true;
}
