/** The job that advances one payout, and those that find lost ones, compare chain and books, and release what waits for an account. */
import { z } from 'zod';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { advancePayout } from './advance-payout.ts';
import type { OutflowContext } from './payouts-context.ts';
import { ADVANCE_PAYOUT, advanceJob, PAYOUT_QUEUE } from './queue-payout.ts';
import { releaseWaiting } from './release-waiting.ts';
import { listOpenPayouts } from './repository.ts';

/** Apart from payouts: reading a chain's past must not hold them up. */
const OUTFLOW_QUEUE = 'outflow';

export function payoutJobs(context: OutflowContext): readonly JobDefinition[] {
  return [
    defineJob({
      kind: ADVANCE_PAYOUT,
      queue: PAYOUT_QUEUE,
      payload: z.object({ payout_id: z.string() }),
      // A payout is never abandoned: after the last retry the reconciler starts it again.
      retryAfterSeconds: [1, 2, 5, 10, 30, 60],
      async run({ payout_id: payoutId }, attempt) {
        const next = await advancePayout(context, payoutId);
        reachCrashPoint('payout.after_step');
        await context.database.transaction(async (tx) => {
          await attempt.complete(tx);
          if (next.kind === 'done') return;
          await enqueueJobs(tx, [advanceJob(payoutId, new Date(context.clock.now().getTime() + next.seconds * 1000))]);
          reachCrashPoint('payout.before_requeue_commit');
        });
      },
    }),
    defineJob({
      kind: 'payout.reconcile',
      queue: PAYOUT_QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 30,
      async run() {
        const open = await listOpenPayouts(context.database.db, 1_000);
        await enqueueJobs(
          context.database.db,
          open.map((id) => advanceJob(id)),
        );
      },
    }),
    defineJob({
      kind: 'payout.compare_outflow',
      queue: OUTFLOW_QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 60,
      run: () => context.gate.compareStanding(),
    }),
    defineJob({
      kind: 'payout.release_waiting',
      queue: OUTFLOW_QUEUE,
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 30,
      run: () => releaseWaiting(context),
    }),
  ];
}
