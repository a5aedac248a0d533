/** The jobs of Earn: steps of deposits, calls and queues; the reconciler after crashes; samples of venues; sweeps of idle USDC. */
import { earnLimits } from '@market/contract';
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { defineStepJob, listOpenIntents, stepJob } from '../outgoing/index.ts';
import { advanceDeposit } from './advance-deposit.ts';
import { advanceIntent } from './advance-intent.ts';
import { listOpenAgentDeposits } from './agent-deposit-repository.ts';
import { listOpenDeposits } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { advancingDeposit, advancingIntent, registeringTransfer, settlingQueue } from './earn-job-names.ts';
import { registerTransfer } from './register-transfer.ts';
import { thinSamples } from './sample-repository.ts';
import { sampleVenues } from './sample-venues.ts';
import { settleQueue } from './settle-queue.ts';
import { sweepAgents } from './sweep-agents.ts';
import { countWaiting } from './withdrawal-repository.ts';

/** A queue of its own: slow venues must not delay deposits and withdrawals. */
const VENUE_QUEUE = 'earn_venues';
const OPEN_PER_ROUND = 500;
const HOUR_SECONDS = 3600;
const RECONCILE_SECONDS = 60;

export function earnJobs(context: EarnContext): readonly JobDefinition[] {
  // Without venues there is nothing to repeat; steps of earlier settings still run.
  return [...steps(context), ...(context.vaults.size === 0 ? [] : rounds(context))];
}

function steps(context: EarnContext): readonly JobDefinition[] {
  return [
    defineStepJob(context, advancingDeposit, (id) => advanceDeposit(context, id)),
    defineStepJob(context, advancingIntent, (id) => advanceIntent(context, id)),
    defineStepJob(context, settlingQueue, (key) => settleQueue(context, key)),
    defineStepJob(context, registeringTransfer, (id) => registerTransfer(context, id)),
  ];
}

function rounds(context: EarnContext): readonly JobDefinition[] {
  const { db } = context.database;
  const round = (kind: string, everySeconds: number, run: () => Promise<void>) =>
    defineJob({ kind, queue: VENUE_QUEUE, payload: z.object({}), retryAfterSeconds: [], everySeconds, run });
  return [
    round('earn.reconcile', RECONCILE_SECONDS, async () => {
      const deposits = await listOpenDeposits(db, OPEN_PER_ROUND);
      const intents = await listOpenIntents(db, ['venue_deposit', 'venue_redeem', 'venue_allow'], OPEN_PER_ROUND);
      const transfers = await listOpenAgentDeposits(db, OPEN_PER_ROUND);
      const queues = [...(await countWaiting(db)).keys()];
      await enqueueJobs(db, [
        ...deposits.map((id) => stepJob(advancingDeposit, id)),
        ...intents.map((id) => stepJob(advancingIntent, id)),
        ...queues.map((key) => stepJob(settlingQueue, key)),
        ...transfers.map((id) => stepJob(registeringTransfer, id)),
      ]);
    }),
    round('earn.sample', earnLimits.sampleMinutes * 60, () => sampleVenues(context)),
    round('earn.thin_samples', 24 * HOUR_SECONDS, () => thinSamples(db)),
    round('earn.sweep', HOUR_SECONDS, () => sweepAgents(context)),
  ];
}
