/** POST /api/orders/{id}/onchain-feedback: records the transaction that published the review, once the chain shows it. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { enqueueJobs } from '../../../../platform/jobs/job-repository.ts';
import { type OnchainFeedbackContext, type Registry, requireRegistry } from '../feedback-context.ts';
import { plannedOf } from '../feedback-file.ts';
import { followFeedbackJob } from '../follow-feedback.ts';
import { presentFeedback } from '../present.ts';
import { type FeedbackRow, listFeedback, lockFeedback, markSent } from '../repository.ts';
import { requireReviewed } from '../require-author.ts';
import { requireUnpublished } from './prepare-feedback.ts';

export function recordFeedback(context: OnchainFeedbackContext): HandlersOf<'onchainFeedback'>['record'] {
  const { clock, database } = context;
  return async ({ id, tx_hash: text }, call) => {
    const { review } = await requireReviewed(context, call, id);
    const registry = requireRegistry(context);
    const reference = registry.chain.canonicalReference(text);
    if (reference === undefined) throw new MarketError('invalid_payment_reference');
    const seen = await listFeedback(database.db, review.id);
    const shown = recordedAs(seen, reference) ?? (await requireShown(registry, seen, reference));
    return await call.commit(async (tx) => {
      const rows = await lockFeedback(tx, review.id);
      const recorded = recordedAs(rows, reference);
      if (recorded !== undefined) {
        // Enqueue the job again, because an earlier one may have failed for good.
        if (recorded.state === 'sent') await enqueueJobs(tx, [followFeedbackJob(recorded.fileHash)]);
        return { data: presentFeedback(context, recorded) };
      }
      requireUnpublished(rows);
      const sentAt = clock.now();
      await markSent(tx, shown.fileHash, reference, sentAt);
      await enqueueJobs(tx, [followFeedbackJob(shown.fileHash)]);
      return { data: presentFeedback(context, { ...shown, state: 'sent', txHash: reference, sentAt }) };
    });
  };
}

function recordedAs(rows: readonly FeedbackRow[], reference: string): FeedbackRow | undefined {
  return rows.find(({ txHash }) => txHash === reference);
}

/** Finds the prepared file that this transaction published, by the registry's event. */
async function requireShown({ feedback }: Registry, prepared: readonly FeedbackRow[], reference: string): Promise<FeedbackRow> {
  requireUnpublished(prepared);
  if (prepared.length === 0) throw new MarketError('onchain_feedback_not_prepared');
  for (const row of prepared) {
    const reading = await feedback.read(plannedOf(row), reference);
    if (reading.state === 'missing') throw new MarketError('onchain_feedback_not_found');
    if (reading.state === 'failed') throw new MarketError('onchain_feedback_failed');
    if (reading.index !== undefined) return row;
  }
  throw new MarketError('onchain_feedback_mismatch');
}
