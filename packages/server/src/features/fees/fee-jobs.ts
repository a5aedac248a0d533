/** Background work: reads the vault, sends payouts, and looks after what a crashed process left. */

import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { advanceFeePayout } from './advance-fee-payout.ts';
import { bookReceipts } from './book-receipts.ts';
import { feePayoutJob, PAY, QUEUE } from './fee-payout-job.ts';
import type { FeesContext } from './fees-context.ts';
import { readRound } from './repository.ts';

const ROUND_SECONDS = 300;
const PER_ROUND = 20;

export function feeJobs(context: FeesContext): readonly JobDefinition[] {
  return [
    defineJob({
      kind: PAY,
      queue: QUEUE,
      payload: z.object({ payout_id: z.string() }),
      // A payout is never abandoned: after the last retry the round starts it again.
      retryAfterSeconds: [1, 2, 5, 10, 30, 60],
      async run({ payout_id: id }, attempt) {
        const next = await advanceFeePayout(context, id);
        await context.database.transaction(async (tx) => {
          await attempt.complete(tx);
          if (next.kind === 'done') return;
          await enqueueJobs(tx, [feePayoutJob(id, new Date(context.clock.now().getTime() + next.seconds * 1000))]);
        });
      },
    }),
    defineJob({
      kind: 'creator_fees.round',
      queue: QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: ROUND_SECONDS,
      async run() {
        if (context.feeVault === undefined) return;
        const { cursor, open } = await readRound(context.database.db, PER_ROUND);
        if (open.length > 0)
          await enqueueJobs(
            context.database.db,
            open.map((id) => feePayoutJob(id)),
          );
        await bookReceipts(context, cursor);
      },
    }),
  ];
}
