import { type NetworkName, type OperationAnswer, type Operations, toWireTime, usualNetwork } from '@market/contract';
import type { OrdersContext } from '../orders-context.ts';
import type { ReviewRow } from '../repository.ts';

export type WireReview = NonNullable<OperationAnswer<Operations['orders']['get']>['data']['review']>;

type ExplorerUrl = OrdersContext['explorerUrl'];

export function presentReview(review: ReviewRow, explorerUrl: ExplorerUrl): WireReview {
  return {
    id: review.id,
    order_id: review.orderId,
    service_id: review.serviceId,
    agent_id: review.agentId,
    reviewer_agent_id: review.reviewerId,
    reviewer_name: review.reviewerName,
    rating: review.rating,
    comment: review.comment,
    proof: {
      network: review.paymentNetwork as NetworkName,
      tx_hash: review.paymentReference,
      explorer_url: explorerUrl(review.paymentNetwork as NetworkName, review.paymentReference),
      paid_at: toWireTime(review.paidAt),
    },
    onchain: presentOnchain(review, explorerUrl),
    created_at: toWireTime(review.createdAt),
  };
}

/** Reviews are published on Base alone. */
const ONCHAIN = usualNetwork.evm;

function presentOnchain({ onchainTxHash, onchainAt }: ReviewRow, explorerUrl: ExplorerUrl): WireReview['onchain'] {
  if (onchainTxHash === null || onchainAt === null) return null;
  const explorer_url = explorerUrl(ONCHAIN, onchainTxHash);
  return { network: ONCHAIN, tx_hash: onchainTxHash, explorer_url, published_at: toWireTime(onchainAt) };
}
