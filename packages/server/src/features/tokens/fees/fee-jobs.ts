/** Background work: reads the vault, sends payouts, and continues the work of crashed processes. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { defineStepJob } from '../../outgoing/index.ts';
import { advanceFeePayout } from './advance-fee-payout.ts';
import { bookReceipts } from './book-receipts.ts';
import { feePayoutJob, paying } from './fee-payout-job.ts';
import type { FeesContext } from './fees-context.ts';
import { readRound } from './repository.ts';

const ROUND_SECONDS = 300;
const PER_ROUND = 20;

export function feeJobs(context: FeesContext): readonly JobDefinition[] {
  return [
    defineStepJob(context, paying, (id) => advanceFeePayout(context, id)),
    defineJob({
      kind: 'creator_fees.round',
      queue: paying.queue,
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
