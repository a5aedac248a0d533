/** Reviews in an ERC-8004 Reputation Registry on Base, published by the buyer's own wallet with the payment as proof. */
import { MarketError, type OperationAnswer, type Operations } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { prepareFeedback } from './commands/prepare-feedback.ts';
import { recordFeedback } from './commands/record-feedback.ts';
import { type OnchainFeedbackContext, type Registry, requireRegistry } from './feedback-context.ts';
import { composeFeedback, plannedOf } from './feedback-file.ts';
import { presentCost, presentFeedback, presentUnpublished } from './present.ts';
import { findFile, listFeedback } from './repository.ts';
import { publishingWallets, type Reviewed, requirePublishingWallet, requireReviewed } from './require-author.ts';

type File = OperationAnswer<Operations['onchainFeedback']['file']>['data'];

export function onchainFeedbackHandlers(context: OnchainFeedbackContext): HandlersOf<'onchainFeedback'> {
  const { db } = context.database;
  return {
    prepare: prepareFeedback(context),
    record: recordFeedback(context),

    async read({ id, client_wallet: wanted }, call) {
      const reviewed = await requireReviewed(context, call, id);
      const made = (await listFeedback(db, reviewed.review.id)).find(({ state }) => state !== 'prepared');
      if (made !== undefined) return { data: presentFeedback(context, made) };
      const registry = requireRegistry(context);
      const wallets = publishingWallets(registry.chain, call.caller, reviewed.order);
      const wallet = wanted === undefined ? wallets[0] : requirePublishingWallet(registry.chain, call.caller, reviewed.order, wanted);
      const cost = wallet === undefined ? null : await readCost(context, registry, reviewed, wallet);
      return { data: presentUnpublished(registry, reviewed, wallets, cost) };
    },

    // The stored text is compact JSON, so the answer has the same bytes; a test compares their hash.
    async file({ hash }) {
      const found = await findFile(db, hash);
      if (found === undefined) throw new MarketError('feedback_file_not_found');
      if (found.moderationStatus !== 'ok') throw new MarketError('feedback_file_withdrawn');
      return { data: JSON.parse(found.file) as File };
    },
  };
}

/** Cost of publishing now. Amounts are null if the chain does not answer or refuses; preparing then gives the reason. */
async function readCost(context: OnchainFeedbackContext, registry: Registry, reviewed: Reviewed, wallet: string) {
  const planned = plannedOf(composeFeedback(context, registry, reviewed, wallet));
  const prepared = await registry.feedback.prepare(planned).catch((error: unknown) => {
    context.log.warn({ err: error, order: reviewed.order.id }, 'the cost of publishing a review could not be read');
    return undefined;
  });
  return presentCost(wallet, prepared);
}

export type { OnchainFeedbackContext } from './feedback-context.ts';
export { followFeedbackJobs } from './follow-feedback.ts';
