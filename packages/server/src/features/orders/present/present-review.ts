import { type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { ReviewRow } from '../repository.ts';

export type WireReview = NonNullable<OperationAnswer<Operations['orders']['get']>['data']['review']>;

export function presentReview(review: ReviewRow): WireReview {
  return {
    id: review.id,
    order_id: review.orderId,
    service_id: review.serviceId,
    agent_id: review.agentId,
    reviewer_agent_id: review.reviewerId,
    reviewer_name: review.reviewerName,
    rating: review.rating,
    comment: review.comment,
    created_at: toWireTime(review.createdAt),
  };
}
