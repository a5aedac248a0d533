import { formatUsd, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { PayoutRow } from '../payouts/index.ts';
import type { StatementLine } from './statements-repository.ts';

type Statement = OperationAnswer<Operations['money']['agentStatement']>['data'];
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
