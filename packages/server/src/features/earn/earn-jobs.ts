/** The jobs that carry deposits, intents and queues on, find those whose process died, look at venues, and deposit idle USDC. */
import { earnLimits } from '@market/contract';
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { defineStepJob, listOpenIntents } from '../outgoing/index.ts';
import { advanceDeposit } from './advance-deposit.ts';
import { advanceIntent } from './advance-intent.ts';
import { listOpenAgentDeposits } from './agent-deposit-repository.ts';
import { listOpenDeposits } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import {
  advanceDepositJob,
  advanceIntentJob,
  advancingDeposit,
  advancingIntent,
  registeringTransfer,
  registerTransferJob,
  settleQueueJob,
  settlingQueue,
} from './earn-job-names.ts';
import { registerTransfer } from './register-transfer.ts';
import { thinSamples } from './sample-repository.ts';
import { sampleVenues } from './sample-venues.ts';
import { settleQueue } from './settle-queue.ts';
import { sweepAgents } from './sweep-agents.ts';
import { countWaiting } from './withdrawal-repository.ts';

/** Reading venues must not hold up those who wait for their money. */
const VENUE_QUEUE = 'earn_venues';
const OPEN_PER_ROUND = 500;
const HOUR_SECONDS = 3600;
const RECONCILE_SECONDS = 60;

export function earnJobs(context: EarnContext): readonly JobDefinition[] {
  // A deployment without venues has no work of this kind.
  return [...steps(context), ...(context.vaults.length === 0 ? [] : rounds(context))];
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
        ...deposits.map((id) => advanceDepositJob(id)),
        ...intents.map((id) => advanceIntentJob(id)),
        ...queues.map((key) => settleQueueJob(key)),
        ...transfers.map((id) => registerTransferJob(id)),
      ]);
    }),
    round('earn.sample', earnLimits.sampleMinutes * 60, () => sampleVenues(context)),
    round('earn.thin_samples', 24 * HOUR_SECONDS, () => thinSamples(db)),
    round('earn.sweep', HOUR_SECONDS, () => sweepAgents(context)),
  ];
}
