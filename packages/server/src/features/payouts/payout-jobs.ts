/**
 * The job that advances one payout. Further jobs find lost payouts, compare chain and books, and release payouts that wait for an account.
 */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { defineReconciler, defineStepJob, listOpenIntents } from '../outgoing/index.ts';
import { advancePayout } from './advance-payout.ts';
import type { SendingContext } from './payouts-context.ts';
import { advancing } from './queue-payout.ts';
import { releaseWaiting } from './release-waiting.ts';
import { payoutPurposes } from './repository.ts';

/** A queue of its own: reading a chain's past must not hold up payouts. */
const OUTFLOW_QUEUE = 'outflow';

export function payoutJobs(context: SendingContext): readonly JobDefinition[] {
  return [
    defineStepJob(context, advancing, (id) => advancePayout(context, id)),
    defineReconciler(context, {
      kind: 'payout.reconcile',
      step: advancing,
      listOpen: (limit) => listOpenIntents(context.database.db, payoutPurposes, limit),
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
