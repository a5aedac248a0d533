/** A payout is confirmed together with its posting and its event. */
import type { Tx } from '../../platform/db/database.ts';
import { inFlight, type LedgerAccount, post, treasury } from '../ledger/index.ts';
import { insertFoundAttempt, moveIntent, openStates } from '../outgoing/index.ts';
import type { PayoutsContext } from './payouts-context.ts';
import type { PayoutRow } from './repository.ts';

type Context = Pick<PayoutsContext, 'events'>;

export async function confirmPayout(tx: Tx, context: Context, payout: PayoutRow, reference: string): Promise<boolean> {
  // `parked`: another process took the bytes for dead, and a retry would pay again.
  if (!(await moveIntent(tx, payout.id, [...openStates, 'parked'], { state: 'confirmed', reference, reason: null }))) return false;
  await record(tx, context, payout, reference, treasury(payout.network));
  return true;
}

/** Confirms a payout that the chain shows as paid, although these books never signed it. `paidFrom` already carries the amount. */
export async function confirmSeen(
  tx: Tx,
  context: Context,
  payout: PayoutRow,
  reference: string,
  paidFrom: LedgerAccount,
): Promise<boolean> {
  if (!(await moveIntent(tx, payout.id, ['queued', 'parked'], { state: 'confirmed', reference, reason: null }))) return false;
  await insertFoundAttempt(tx, payout.id, reference);
  await record(tx, context, payout, reference, paidFrom);
  return true;
}

async function record(tx: Tx, { events }: Context, payout: PayoutRow, reference: string, paidFrom: LedgerAccount): Promise<void> {
  await post(tx, {
    kind: 'payout_confirmed',
    subjectId: payout.subjectId,
    idempotencyKey: `confirm:${payout.id}`,
    entries: [
      { account: inFlight(payout.network, payout.id), micros: -payout.amountMicros },
      { account: paidFrom, micros: payout.amountMicros },
    ],
  });
  await events.append(tx, [{ type: 'payout.confirmed', subjectId: payout.subjectId, data: describePayout(payout, reference) }]);
}

export function describePayout(payout: PayoutRow, reference: string | null): Record<string, unknown> {
  return {
    payout_id: payout.id,
    purpose: payout.purpose,
    network: payout.network,
    destination: payout.destination,
    amount_micros: String(payout.amountMicros),
    reference,
  };
}
