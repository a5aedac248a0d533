/** Follows payouts of Earn: a paid refund ends its deposit, paid parts end a withdrawal, and a parked refund holds its deposit. */
import { decideDeposit, formatUsd } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import type { EventFollower, EventLog, StoredEvent } from '../../platform/events/event-log.ts';
import { findDeposit, moveDeposit } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { appendEarnEvent } from './earn-events.ts';
import { holdDeposit } from './end-deposit.ts';
import { settleIfPaid } from './end-redeem.ts';
import { insertEarnMovement } from './vault-repository.ts';
import { addPaid, findPart, findWithdrawal, markPartPaid } from './withdrawal-repository.ts';

type Context = Pick<EarnContext, 'events' | 'vaults'>;

/** `events` is a function: followers are made before the log exists. */
export function earnPayouts(events: () => EventLog): EventFollower {
  return {
    name: 'earn_payouts',
    types: ['payout.confirmed', 'payout.parked'],
    retryAfterSeconds: [1, 5, 30, 300, 3600],
    async handle(tx, happened) {
      const context: Context = { events: events(), vaults: new Map() };
      for (const event of happened) {
        const purpose = event.data['purpose'];
        if (purpose === 'earn_refund') await followRefund(tx, context, event);
        if (purpose === 'earn_withdrawal' && event.type === 'payout.confirmed') await followPart(tx, context, event);
      }
    },
  };
}

async function followRefund(tx: Tx, context: Context, { type, subjectId, data }: StoredEvent): Promise<void> {
  const deposit = await findDeposit(tx, subjectId);
  if (deposit === undefined) return;
  if (type === 'payout.parked') {
    await holdDeposit(tx, context, deposit, `The refund cannot be made: ${String(data['reason'] ?? 'unknown')}`);
    return;
  }
  const to = decideDeposit(deposit.status, 'refund_paid', 'system');
  const reference = String(data['reference']);
  if (to === undefined || !(await moveDeposit(tx, deposit.id, deposit.status, to, { refundReference: reference }))) return;
  const owner = { kind: deposit.ownerKind, id: deposit.ownerId };
  await insertEarnMovement(tx, { vaultKey: deposit.vaultKey, owner, kind: 'refund', micros: deposit.amountMicros, subjectId: deposit.id });
  await appendEarnEvent(tx, context, deposit, 'earn.deposit_refunded', {
    amount_usd: formatUsd(deposit.amountMicros),
    reason: deposit.reason ?? '',
    tx_hash: reference,
  });
}

async function followPart(tx: Tx, context: Context, { subjectId, data }: StoredEvent): Promise<void> {
  const part = await findPart(tx, subjectId);
  const reference = String(data['reference']);
  if (part === undefined || !(await markPartPaid(tx, part.id, reference))) return;
  await addPaid(tx, part.withdrawalId, part.assetsMicros);
  const withdrawal = await findWithdrawal(tx, part.withdrawalId);
  if (withdrawal === undefined) return;
  await appendEarnEvent(tx, context, withdrawal, 'earn.withdrawal_paid', {
    amount_usd: formatUsd(part.assetsMicros),
    tx_hash: reference,
  });
  await settleIfPaid(tx, context, withdrawal.id);
}
