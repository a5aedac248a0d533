/** A payout is confirmed together with its attempt, its posting and its event. */
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { inFlight, type LedgerAccount, post, treasury } from '../ledger/index.ts';
import type { PayoutsContext } from './payouts-context.ts';
import { type AttemptRow, insertAttempt, latestAttempt, moveAttempt, movePayout, type PayoutRow } from './repository.ts';

type Context = Pick<PayoutsContext, 'events'>;

export async function confirmAttempt(tx: Tx, context: Context, payout: PayoutRow, attempt: AttemptRow, reference: string): Promise<void> {
  const moved = await movePayout(tx, payout.id, ['signed', 'sent', 'unknown'], { state: 'confirmed', reference, reason: null });
  if (!moved) return;
  await moveAttempt(tx, attempt, 'confirmed');
  await record(tx, context, payout, reference, treasury(payout.network));
}

const NO_BYTES = { bytes: Buffer.from('found on chain').toString('base64'), validity: '0' };

/** The chain shows that it was paid, and these books never signed it. `paidFrom` already carries what left. */
export async function confirmSeen(
  tx: Tx,
  context: Context,
  payout: PayoutRow,
  reference: string,
  paidFrom: LedgerAccount,
): Promise<boolean> {
  if (!(await movePayout(tx, payout.id, ['queued', 'parked'], { state: 'confirmed', reference, reason: null }))) return false;
  const number = ((await latestAttempt(tx, payout.id))?.number ?? 0) + 1;
  await insertAttempt(tx, payout.id, number, { reference, ...NO_BYTES });
  await moveAttempt(tx, { payoutId: payout.id, number }, 'confirmed');
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
  reachCrashPoint('payout.before_confirm_commit');
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
