/** The automatic steps: a bounty expires at its end, and a claim lapses at the end of its window. */
import { type BountyId, decideBounty } from '@market/contract';
import { z } from 'zod';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { requireKnownDatabase } from '../../platform/db/database-identity.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { ORDER_QUEUE } from '../orders/index.ts';
import type { BountiesContext } from './bounties-context.ts';
import { closeBounty } from './close-bounty.ts';
import { lapseDueClaims } from './lapse-claims.ts';
import { type BountyRow, listDue, listLapsing, lockBounty } from './repository.ts';

const BOUNTY_EXPIRY = 'bounty.expiry';
const CLAIM_LAPSE = 'bounty.claim_lapse';
const SWEEP_SECONDS = 600;
const SWEEP_ROWS = 1_000;

/** The job that expires a bounty. Without `at` it runs at once. */
export function expiryJob(id: BountyId, at?: Date) {
  return jobOf(BOUNTY_EXPIRY, id, at);
}

/** The job that lapses due claims of a bounty. Without `at` it runs at once. */
export function lapseJob(id: BountyId, at?: Date) {
  return jobOf(CLAIM_LAPSE, id, at);
}

function jobOf(kind: string, id: BountyId, at: Date | undefined) {
  return {
    kind,
    queue: ORDER_QUEUE,
    payload: { bounty_id: id },
    uniqueKey: `${kind}:${id}:${at?.getTime() ?? 'now'}`,
    ...(at !== undefined && { runAt: at }),
  };
}

export function bountyTimers(context: BountiesContext): readonly JobDefinition[] {
  return [
    timerOf(context, BOUNTY_EXPIRY, 'bounty.before_expiry_commit', async (tx, bounty) => {
      // A bounty that was accepted or cancelled in time does not expire.
      if (decideBounty(bounty, 'expire', 'system', bounty.now).allowed) await closeBounty(tx, context, bounty, 'expired');
    }),
    timerOf(context, CLAIM_LAPSE, 'bounty.before_lapse_commit', async (tx, bounty) => {
      // Claims of an ended bounty are decided already.
      if (bounty.status === 'open') await lapseDueClaims(tx, context, bounty);
    }),
    // Finds bounties and claims whose job failed for good.
    defineJob({
      kind: 'bounty.sweep',
      queue: ORDER_QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: SWEEP_SECONDS,
      async run() {
        const { db } = context.database;
        const [due, lapsing] = [await listDue(db, SWEEP_ROWS), await listLapsing(db, SWEEP_ROWS)];
        await enqueueJobs(db, [...due.map((id) => expiryJob(id)), ...lapsing.map((id) => lapseJob(id))]);
      },
    }),
  ];
}

/** A job that acts on the locked bounty and completes in the same transaction. */
function timerOf(
  context: BountiesContext,
  kind: string,
  crashPoint: string,
  act: (tx: Tx, bounty: BountyRow) => Promise<void>,
): JobDefinition {
  return defineJob({
    kind,
    queue: ORDER_QUEUE,
    payload: z.object({ bounty_id: z.string() }),
    retryAfterSeconds: [1, 2, 5, 10, 30, 60, 300],
    async run({ bounty_id: id }, attempt) {
      await context.database.transaction(async (tx) => {
        await requireKnownDatabase(tx);
        const bounty = await lockBounty(tx, id);
        if (bounty !== undefined) await act(tx, bounty);
        await attempt.complete(tx);
        reachCrashPoint(crashPoint);
      });
    },
  });
}
