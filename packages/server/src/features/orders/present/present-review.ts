import { type NetworkName, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
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
    created_at: toWireTime(review.createdAt),
  };
}
