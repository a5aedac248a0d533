import { formatUsd, type NetworkName, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { PayoutRow } from '../payouts/index.ts';
import type { AgentPayoutRow, EarningsDay, Standing } from './earnings-repository.ts';
import type { StatementLine } from './statements-repository.ts';

type Statement = OperationAnswer<Operations['money']['agentStatement']>['data'];
type Earnings = OperationAnswer<Operations['money']['agentEarnings']>['data'];
type AgentPayout = OperationAnswer<Operations['money']['agentPayouts']>['data'][number];
type Payout = OperationAnswer<Operations['money']['retryPayout']>['data'];

export function presentLine(line: StatementLine): Statement['lines'][number] {
  return {
    posted_at: toWireTime(line.postedAt),
    kind: line.kind,
    subject_id: line.subjectId,
    network: line.network,
    account: line.account,
    amount_usd: formatUsd(line.amountMicros),
    balance_usd: formatUsd(line.balanceMicros),
  };
}

export function presentPayout(payout: PayoutRow): Payout {
  return {
    payout_id: payout.id,
    purpose: payout.purpose,
    subject_id: payout.subjectId,
    network: payout.network,
    destination: payout.destination,
    amount_usd: formatUsd(payout.amountMicros),
    state: payout.state,
    reason: payout.reason,
    tx_hash: payout.reference,
    created_at: toWireTime(payout.createdAt),
    updated_at: toWireTime(payout.updatedAt),
  };
}

export function presentEarnings(days: readonly EarningsDay[], standing: Standing, completed: number, firstTime: number): Earnings {
  return {
    released_usd: formatUsd(days.reduce((sum, { releasedMicros }) => sum + releasedMicros, 0n)),
    held_usd: formatUsd(standing.heldMicros),
    held_orders: standing.heldOrders,
    in_review_usd: formatUsd(standing.inReviewMicros),
    in_review_orders: standing.inReviewOrders,
    next_release_at: standing.nextReleaseAt === null ? null : toWireTime(standing.nextReleaseAt),
    completed_orders: completed,
    accepted_first_time: firstTime,
    days: days.map(({ day, releasedMicros, unsettledMicros }) => ({
      day,
      released_usd: formatUsd(releasedMicros),
      unsettled_usd: formatUsd(unsettledMicros),
    })),
  };
}

/** Explorer page of a transaction; null without an explorer. */
export type ExplorerUrl = (network: NetworkName, reference: string) => string | null;

export function presentAgentPayout(row: AgentPayoutRow, explorerUrl: ExplorerUrl): AgentPayout {
  return {
    payout_id: row.id,
    purpose: row.purpose,
    order_id: row.orderId,
    service_title: row.serviceTitle,
    network: row.network,
    destination: row.destination,
    amount_usd: formatUsd(row.amountMicros),
    state: row.state,
    reason: row.reason,
    attempts: row.attempts,
    tx_hash: row.reference,
    explorer_url: row.reference === null ? null : explorerUrl(row.network, row.reference),
    created_at: toWireTime(row.createdAt),
    updated_at: toWireTime(row.updatedAt),
  };
}
