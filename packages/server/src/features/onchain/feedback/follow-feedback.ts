/** A job that follows a sent review until its block is final or the chain reverted it. Nobody needs to keep a page open. */
import { z } from 'zod';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import type { FeedbackReading } from '../../../platform/chains/feedback-registry.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { enqueueJobs, type NewJob } from '../../../platform/jobs/job-repository.ts';
import { appendOwnerEvent } from '../../agent-wallets/index.ts';
import { findAgent } from '../../agents/index.ts';
import { NETWORK, type OnchainFeedbackContext } from './feedback-context.ts';
import { plannedOf } from './feedback-file.ts';
import { type FeedbackRow, findFeedback, markPublished, markUnsent } from './repository.ts';

const FOLLOW = 'onchain_feedback.follow';
const SOON_SECONDS = 2;
const LATER_SECONDS = 30;
/** After a reorganisation, wallets and nodes include a transaction again. One that is missing this long will not come back. */
const GONE_AFTER_SECONDS = 3600;

export function followFeedbackJob(fileHash: string, runAt?: Date): NewJob {
  return {
    kind: FOLLOW,
    payload: { file_hash: fileHash },
    uniqueKey: `${FOLLOW}:${fileHash}`,
    ...(runAt !== undefined && { runAt }),
  };
}

export function followFeedbackJobs(context: OnchainFeedbackContext): JobDefinition {
  const { database, clock } = context;
  return defineJob({
    kind: FOLLOW,
    payload: z.object({ file_hash: z.string() }),
    retryAfterSeconds: [1, 5, 30, 300, 3600],
    async run({ file_hash: fileHash }, attempt) {
      const row = await findFeedback(database.db, fileHash);
      const reading = row?.state === 'sent' ? await look(context, row) : undefined;
      await database.transaction(async (tx) => {
        await attempt.complete(tx);
        if (row === undefined || reading === undefined) return;
        const age = (clock.now().getTime() - (row.sentAt?.getTime() ?? 0)) / 1000;
        if (await end(context, tx, row, reading, age)) return;
        const wait = age < LATER_SECONDS ? SOON_SECONDS : LATER_SECONDS;
        await enqueueJobs(tx, [followFeedbackJob(fileHash, new Date(clock.now().getTime() + wait * 1000))]);
      });
    },
  });
}

async function look({ chains, log }: OnchainFeedbackContext, row: FeedbackRow): Promise<FeedbackReading | 'unknown'> {
  try {
    return (await chains.get(NETWORK)?.feedback?.read(plannedOf(row), row.txHash ?? '')) ?? 'unknown';
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    log.warn({ err: error, feedback: row.fileHash }, 'a published review could not be looked at; the next round tries again');
    return 'unknown';
  }
}

/** Books the end of a publication. True if there is nothing left to follow. */
async function end(
  context: OnchainFeedbackContext,
  tx: Tx,
  row: FeedbackRow,
  reading: FeedbackReading | 'unknown',
  ageSeconds: number,
): Promise<boolean> {
  if (reading === 'unknown') return false;
  if (reading.state === 'missing') return ageSeconds > GONE_AFTER_SECONDS && (await markUnsent(tx, row));
  if (reading.finality !== 'final') return false;
  // A failed or different transaction can only come from a reorganisation, so the buyer may publish again.
  if (reading.state === 'failed' || reading.index === undefined) return await markUnsent(tx, row);
  await publish(context, tx, row, reading.index);
  return true;
}

async function publish({ clock, events }: OnchainFeedbackContext, tx: Tx, row: FeedbackRow, index: bigint): Promise<void> {
  if (!(await markPublished(tx, row, index, clock.now()))) return;
  const agent = await findAgent(tx, row.agentId);
  if (agent === undefined) throw new Error(`the agent of ${row.fileHash} is gone`);
  await appendOwnerEvent(tx, { events }, agent, 'agent.onchain_reviewed', {
    review_id: row.reviewId,
    order_id: row.orderId,
    value: row.value,
    registry: row.registry,
    onchain_id: row.onchainId,
    tx_hash: row.txHash,
    file_url: row.uri,
  });
}
