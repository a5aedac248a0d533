/** POST /api/orders/{id}/onchain-feedback/prepare: fixes the feedback file and answers with the call that the buyer's wallet sends. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { TransferRefused } from '../../../../platform/chains/chain.ts';
import type { PreparedFeedback } from '../../../../platform/chains/feedback-registry.ts';
import { type OnchainFeedbackContext, type Registry, requireRegistry } from '../feedback-context.ts';
import { composeFeedback, type NewFeedback, plannedOf, requireWeight } from '../feedback-file.ts';
import { presentCall, presentCost } from '../present.ts';
import { type FeedbackRow, findFeedback, insertFeedback, listFeedback, lockFeedback } from '../repository.ts';
import { requirePublishingWallet, requireReviewed } from '../require-author.ts';

export function prepareFeedback(context: OnchainFeedbackContext): HandlersOf<'onchainFeedback'>['prepare'] {
  const { db } = context.database;
  return async ({ id, client_wallet: wanted }, call) => {
    const reviewed = await requireReviewed(context, call, id);
    const registry = requireRegistry(context);
    requireUnpublished(await listFeedback(db, reviewed.review.id));
    requireWeight(reviewed);
    if (reviewed.isHidden) throw new MarketError('onchain_feedback_hidden');
    const wallet = requirePublishingWallet(registry.chain, call.caller, reviewed.order, wanted);
    const composed = composeFeedback(context, registry, reviewed, wallet);
    // An earlier prepared file counts, with the address that it had then.
    const feedback = (await findFeedback(db, composed.fileHash)) ?? composed;
    const prepared = await requirePrepared(registry, feedback);
    return await call.commit(async (tx) => {
      requireUnpublished(await lockFeedback(tx, reviewed.review.id));
      const row = await insertFeedback(tx, feedback);
      return {
        data: {
          registry: row.registry,
          agent_id: row.onchainId,
          value: row.value,
          file_url: row.uri,
          file_hash: row.fileHash,
          cost: presentCost(wallet, prepared),
          transaction: presentCall(prepared),
        },
      };
    });
  };
}

/** Throws 409 with the transaction that published the review or is about to. */
export function requireUnpublished(rows: readonly FeedbackRow[]): void {
  const made = rows.find(({ state }) => state !== 'prepared');
  if (made !== undefined) throw new MarketError('onchain_feedback_exists', { data: { status: made.state, tx_hash: made.txHash } });
}

async function requirePrepared({ feedback }: Registry, planned: NewFeedback): Promise<PreparedFeedback> {
  try {
    const prepared = await feedback.prepare(plannedOf(planned));
    if (prepared === undefined)
      throw new MarketError('onchain_feedback_unavailable', {
        message: `There is no registry at ${planned.registry}. Nothing was changed.`,
      });
    return prepared;
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    throw new MarketError('onchain_feedback_refused', { message: `${error.message} Nothing was sent.`, cause: error });
  }
}
