/** The automatic steps: a bounty expires at its end, and a claim lapses at the end of its window. */
import { type BountyId, decideBounty } from '@market/contract';
import { z } from 'zod';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { ORDER_QUEUE } from '../orders/index.ts';
import type { BountiesContext } from './bounties-context.ts';
import { closeBounty } from './close-bounty.ts';
import { lapseDueClaims } from './lapse-claims.ts';
import { listDue, listLapsing, lockBounty } from './repository.ts';

const BOUNTY_EXPIRY = 'bounty.expiry';
const CLAIM_LAPSE = 'bounty.claim_lapse';
const SWEEP_SECONDS = 600;
const SWEEP_ROWS = 1_000;

/** Without `at` it runs at once. */
export function expiryJob(id: BountyId, at?: Date) {
  return {
    kind: BOUNTY_EXPIRY,
    queue: ORDER_QUEUE,
    payload: { bounty_id: id },
    uniqueKey: `${BOUNTY_EXPIRY}:${id}:${at?.getTime() ?? 'now'}`,
    ...(at !== undefined && { runAt: at }),
  };
}

/** Lapses the claims of this bounty that are due. Without `at` it runs at once. */
export function lapseJob(id: BountyId, at?: Date) {
  return {
    kind: CLAIM_LAPSE,
    queue: ORDER_QUEUE,
    payload: { bounty_id: id },
    uniqueKey: `${CLAIM_LAPSE}:${id}:${at?.getTime() ?? 'now'}`,
    ...(at !== undefined && { runAt: at }),
  };
}

export function bountyTimers(context: BountiesContext): readonly JobDefinition[] {
  return [
    defineJob({
      kind: BOUNTY_EXPIRY,
      queue: ORDER_QUEUE,
      payload: z.object({ bounty_id: z.string() }),
      retryAfterSeconds: [1, 2, 5, 10, 30, 60, 300],
      async run({ bounty_id: id }, attempt) {
        await context.database.transaction(async (tx) => {
          const bounty = await lockBounty(tx, id);
          // Accepted or cancelled in time.
          if (bounty !== undefined && decideBounty(bounty, 'expire', 'system', bounty.now).allowed) {
            await closeBounty(tx, context, bounty, 'expired');
          }
          await attempt.complete(tx);
          reachCrashPoint('bounty.before_expiry_commit');
        });
      },
    }),
    defineJob({
      kind: CLAIM_LAPSE,
      queue: ORDER_QUEUE,
      payload: z.object({ bounty_id: z.string() }),
      retryAfterSeconds: [1, 2, 5, 10, 30, 60, 300],
      async run({ bounty_id: id }, attempt) {
        await context.database.transaction(async (tx) => {
          const bounty = await lockBounty(tx, id);
          // The end of a bounty decides all its claims.
          if (bounty?.status === 'open') await lapseDueClaims(tx, context, bounty);
          await attempt.complete(tx);
          reachCrashPoint('bounty.before_lapse_commit');
        });
      },
    }),
    // Finds bounties and claims whose job was given up after its last try.
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
