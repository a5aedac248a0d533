/** Books the USDC that a redemption brought: claims the receipt, takes the units off the queue, and pays the owner. */
import { decideWithdrawal, formatUsd, takePart } from '@market/contract';
import type { Chain, Receipt } from '../../platform/chains/chain.ts';
import type { VenueResult } from '../../platform/chains/yield-venues.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { earnPayable } from '../ledger/index.ts';
import { openStates, stepJob } from '../outgoing/index.ts';
import { bookReceipt, takeReceipt } from '../payments/index.ts';
import { queuePayout } from '../payouts/index.ts';
import type { EarnContext } from './earn-context.ts';
import { appendEarnEvent } from './earn-events.ts';
import { settlingQueue } from './earn-job-names.ts';
import { type IntentRow, moveIntent } from './intent-repository.ts';
import { bookOf, insertEarnMovement, lockVault, writeBook } from './vault-repository.ts';
import { findWithdrawal, insertPart, listParts, lockWithdrawal, moveWithdrawal, type WithdrawalRow } from './withdrawal-repository.ts';

export interface LandedRedeem {
  readonly reference: string;
  readonly result: VenueResult;
  /** Undefined when the units were worth nothing. */
  readonly receipt: Receipt | undefined;
}

/** False when another process ended the redemption. */
export async function takeRedeemed(
  tx: Tx,
  context: Pick<EarnContext, 'clock' | 'events' | 'vaults'>,
  chain: Chain,
  intent: IntentRow,
  { reference, result, receipt }: LandedRedeem,
): Promise<boolean> {
  await lockVault(tx, intent.vaultKey);
  const withdrawal = await lockWithdrawal(tx, intent.subjectId);
  const end = { state: 'confirmed', reference, reason: null, resultAssets: result.assets, resultUnits: result.units } as const;
  if (decideEnd(withdrawal, result) === undefined || !(await moveIntent(tx, intent.id, openStates, end))) return false;
  await bookPart(tx, context, chain, intent, { reference, result, receipt });
  reachCrashPoint('earn.before_part_commit');
  return true;
}

function decideEnd({ status, unitsLeft }: WithdrawalRow, { units }: VenueResult) {
  return decideWithdrawal(status, unitsLeft === units ? 'redeemed' : 'part');
}

/** One part of a withdrawal: claims its USDC and queues the payout. Throws when the withdrawal has no such step. */
export async function bookPart(
  tx: Tx,
  context: Pick<EarnContext, 'clock' | 'events' | 'vaults'>,
  chain: Chain,
  intent: Pick<IntentRow, 'id' | 'vaultKey' | 'subjectId' | 'network' | 'router'>,
  { reference, result, receipt }: LandedRedeem,
): Promise<void> {
  const vault = await lockVault(tx, intent.vaultKey);
  const withdrawal = await lockWithdrawal(tx, intent.subjectId);
  const to = decideEnd(withdrawal, result);
  if (to === undefined) throw new Error(`${withdrawal.id} is ${withdrawal.status}`);
  await writeBook(tx, vault, takePart(bookOf(vault), result.units));
  const number = (await listParts(tx, [withdrawal.id])).length + 1;
  const id = `${withdrawal.id}_p${number}`;
  const from = earnPayable(intent.network, withdrawal.id);
  if (receipt !== undefined) {
    const key = { caip2: chain.caip2, reference };
    await bookReceipt(tx, chain, key, receipt);
    await takeReceipt(tx, context, {
      key,
      network: intent.network,
      purpose: 'earn_return',
      subjectId: id,
      payer: intent.router,
      amountMicros: receipt.receivedMicros,
      priceMicros: result.assets,
      proof: 'payment',
      contestableUntil: null,
      creditTo: from,
    });
  }
  const { destination } = withdrawal;
  const payout =
    result.assets === 0n
      ? undefined
      : await queuePayout(tx, {
          ...{ purpose: 'earn_withdrawal', subjectId: id, network: intent.network, destination, from },
          amountMicros: result.assets,
        });
  const part = { id, withdrawalId: withdrawal.id, number, units: result.units, assetsMicros: result.assets };
  await insertPart(tx, { ...part, intentId: intent.id, payoutId: payout?.id ?? null });
  const receivedMicros = withdrawal.receivedMicros + result.assets;
  await moveWithdrawal(tx, withdrawal.id, withdrawal.status, to, {
    ...{ reason: null, receivedMicros, refusals: 0 },
    unitsLeft: withdrawal.unitsLeft - result.units,
  });
  await insertEarnMovement(tx, {
    vaultKey: vault.key,
    owner: { kind: withdrawal.ownerKind, id: withdrawal.ownerId },
    kind: 'withdraw_settled',
    queuedUnits: -result.units,
    micros: result.assets,
    subjectId: withdrawal.id,
  });
  if (payout === undefined) await settleIfPaid(tx, context, withdrawal.id);
  await enqueueJobs(tx, [stepJob(settlingQueue, vault.key)]);
}

/** Settles the withdrawal when nothing is left in the venue and every payout has arrived. */
export async function settleIfPaid(tx: Tx, context: Pick<EarnContext, 'events' | 'vaults'>, id: string): Promise<void> {
  const withdrawal = await findWithdrawal(tx, id);
  if (withdrawal === undefined || !isPaid(withdrawal)) return;
  const to = decideWithdrawal(withdrawal.status, 'paid');
  if (to === undefined || !(await moveWithdrawal(tx, id, withdrawal.status, to))) return;
  await appendEarnEvent(tx, context, withdrawal, 'earn.withdrawal_settled', { received_usd: formatUsd(withdrawal.receivedMicros) });
  reachCrashPoint('earn.before_settle_commit');
}

function isPaid({ unitsLeft, receivedMicros, paidMicros }: WithdrawalRow): boolean {
  return unitsLeft === 0n && receivedMicros === paidMicros;
}
