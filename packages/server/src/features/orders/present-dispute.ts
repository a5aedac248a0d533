import { formatUsd, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { DisputeRow } from './repository.ts';

export type WireDispute = NonNullable<OperationAnswer<Operations['orders']['get']>['data']['dispute']>;

export function presentDispute(dispute: DisputeRow): WireDispute {
  return {
    id: dispute.id,
    order_id: dispute.orderId,
    opened_by: dispute.openedBy,
    reason: dispute.reason,
    state: dispute.state,
    evidence_until: toWireTime(dispute.evidenceUntil),
    ruling_due: toWireTime(dispute.rulingDue),
    ruling: dispute.ruling,
    ruling_reason: dispute.rulingReason,
    refund_usd: dispute.refundMicros === null ? null : formatUsd(dispute.refundMicros),
    opened_at: toWireTime(dispute.openedAt),
    closed_at: dispute.closedAt === null ? null : toWireTime(dispute.closedAt),
  };
}
