/** The ERC-8004 feedback file of a review. It contains only facts that never change, so the same review and wallet give the same bytes. */
import { formatUsd, MarketError, orderWeight } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { PlannedFeedback } from '../../../platform/chains/feedback-registry.ts';
import type { OnchainFeedbackContext, Registry } from './feedback-context.ts';
import type { FeedbackRow } from './repository.ts';
import type { Reviewed } from './require-author.ts';

/** The registry's word for a quality rating from 0 to 100. */
const TAG = 'starred';
const POINTS_PER_STAR = 20;

export type NewFeedback = Omit<FeedbackRow, 'state' | 'txHash' | 'feedbackIndex' | 'createdAt' | 'sentAt' | 'publishedAt'>;

export function pointsOf(rating: number): number {
  return rating * POINTS_PER_STAR;
}

export function composeFeedback(context: OnchainFeedbackContext, registry: Registry, reviewed: Reviewed, wallet: string): NewFeedback {
  const { review, order, agentRegistry, onchainId } = reviewed;
  const value = pointsOf(review.rating);
  const file = JSON.stringify({
    agentRegistry,
    agentId: Number(onchainId),
    clientAddress: `${registry.chain.caip2}:${wallet}`,
    createdAt: review.createdAt.toISOString(),
    value,
    valueDecimals: 0,
    tag1: TAG,
    reputationRegistry: registry.name,
    reviewId: review.id,
    orderId: order.id,
    priceUsd: formatUsd(priceOf(reviewed)),
    weight: orderWeight(priceOf(reviewed)) / 1000,
    ...(review.comment !== null && { comment: review.comment }),
    proofOfPayment: proofOf(context, reviewed),
  });
  const fileHash = registry.feedback.hashFile(file);
  return {
    fileHash,
    file,
    uri: `${context.baseUrl}/api/onchain-feedback/${fileHash}/feedback.json`,
    reviewId: review.id,
    orderId: order.id,
    agentId: order.providerAgentId,
    registry: registry.name,
    agentRegistry,
    onchainId,
    clientWallet: wallet,
    value,
  };
}

/** The price of the order. A reviewed order always has one. */
function priceOf({ order }: Reviewed): bigint {
  return order.priceMicros ?? 0n;
}

/** Refuses reviews of orders without weight: other sites average all entries of a registry, so we must not publish them. */
export function requireWeight(reviewed: Reviewed): void {
  if (orderWeight(priceOf(reviewed)) === 0) throw new MarketError('onchain_feedback_too_small');
}

/** Proof of payment. The payee is the marketplace, which held the money in escrow. */
function proofOf({ chains }: OnchainFeedbackContext, { order, review }: Reviewed) {
  const chain = order.paymentNetwork === null ? undefined : chains.get(order.paymentNetwork);
  if (chain === undefined || order.payer === null)
    throw new MarketError('onchain_feedback_unavailable', { message: 'The network of the payment is not served here any more.' });
  return { fromAddress: order.payer, toAddress: chain.treasury, chainId: chainIdOf(chain), txHash: review.paymentReference };
}

function chainIdOf({ kind, caip2 }: Chain): string {
  return kind === 'evm' ? (caip2.split(':')[1] ?? caip2) : caip2;
}

/** Arguments of the registry's call; its event must show the same values. */
export function plannedOf(row: NewFeedback): PlannedFeedback {
  const { registry, clientWallet, onchainId, value, uri, fileHash } = row;
  return { registry: registry.split(':')[2] ?? '', client: clientWallet, agentId: onchainId, value, tag1: TAG, uri, fileHash };
}
