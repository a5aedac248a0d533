/** The jobs that carry deposits, intents and queues on, find those whose process died, look at venues, and deposit idle USDC. */
import { earnLimits } from '@market/contract';
import { z } from 'zod';
import { defineJob, type JobAttempt, type JobDefinition } from '../../platform/jobs/job.ts';
import { enqueueJobs, type NewJob } from '../../platform/jobs/job-repository.ts';
import type { NextStep } from '../payouts/index.ts';
import { advanceDeposit } from './advance-deposit.ts';
import { advanceIntent } from './advance-intent.ts';
import { listOpenAgentDeposits } from './agent-deposit-repository.ts';
import { listOpenDeposits } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import {
  ADVANCE_DEPOSIT,
  ADVANCE_INTENT,
  advanceDepositJob,
  advanceIntentJob,
  EARN_QUEUE,
  REGISTER_TRANSFER,
  registerTransferJob,
  SETTLE_QUEUE,
  settleQueueJob,
} from './earn-job-names.ts';
import { listOpenIntents } from './intent-repository.ts';
import { registerTransfer } from './register-transfer.ts';
import { thinSamples } from './sample-repository.ts';
import { sampleVenues } from './sample-venues.ts';
import { settleQueue } from './settle-queue.ts';
import { sweepAgents } from './sweep-agents.ts';
import { countWaiting } from './withdrawal-repository.ts';

/** Reading venues must not hold up those who wait for their money. */
const VENUE_QUEUE = 'earn_venues';
const OPEN_PER_ROUND = 500;
/** Never abandoned: after the last retry the reconciler starts it again. */
const RETRIES = [1, 2, 5, 10, 30, 60];
const HOUR_SECONDS = 3600;
const RECONCILE_SECONDS = 60;

export function earnJobs(context: EarnContext): readonly JobDefinition[] {
  // A deployment without venues has no work of this kind.
  return [...steps(context), ...(context.vaults.length === 0 ? [] : rounds(context))];
}

function steps(context: EarnContext): readonly JobDefinition[] {
  const step = <P extends Record<string, string>>(
    kind: string,
    payload: z.ZodType<P>,
    run: (payload: P) => Promise<NextStep>,
    job: (payload: P, runAt: Date) => NewJob,
  ) =>
    defineJob({
      ...{ kind, queue: EARN_QUEUE, payload, retryAfterSeconds: RETRIES },
      run: async (given: P, attempt) => await finish(context, attempt, await run(given), (runAt) => job(given, runAt)),
    });
  return [
    step(
      ADVANCE_DEPOSIT,
      z.object({ deposit_id: z.string() }),
      ({ deposit_id: id }) => advanceDeposit(context, id),
      ({ deposit_id: id }, runAt) => advanceDepositJob(id, runAt),
    ),
    step(
      ADVANCE_INTENT,
      z.object({ intent_id: z.string() }),
      ({ intent_id: id }) => advanceIntent(context, id),
      ({ intent_id: id }, runAt) => advanceIntentJob(id, runAt),
    ),
    step(
      SETTLE_QUEUE,
      z.object({ vault_key: z.string() }),
      ({ vault_key: key }) => settleQueue(context, key),
      ({ vault_key: key }, runAt) => settleQueueJob(key, runAt),
    ),
    step(
      REGISTER_TRANSFER,
      z.object({ movement_id: z.string() }),
      ({ movement_id: id }) => registerTransfer(context, id),
      ({ movement_id: id }, runAt) => registerTransferJob(id, runAt),
    ),
  ];
}

async function finish({ database, clock }: EarnContext, attempt: JobAttempt, next: NextStep, job: (runAt: Date) => NewJob): Promise<void> {
  await database.transaction(async (tx) => {
    await attempt.complete(tx);
    if (next.kind === 'again') await enqueueJobs(tx, [job(new Date(clock.now().getTime() + next.seconds * 1000))]);
  });
}

function rounds(context: EarnContext): readonly JobDefinition[] {
  const { db } = context.database;
  const round = (kind: string, everySeconds: number, run: () => Promise<void>) =>
    defineJob({ kind, queue: VENUE_QUEUE, payload: z.object({}), retryAfterSeconds: [], everySeconds, run });
  return [
    round('earn.reconcile', RECONCILE_SECONDS, async () => {
      const deposits = await listOpenDeposits(db, OPEN_PER_ROUND);
      const intents = await listOpenIntents(db, OPEN_PER_ROUND);
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
