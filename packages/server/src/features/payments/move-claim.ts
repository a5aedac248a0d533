/** The payer of a bare claim proves itself: the claim moves to the payer's own request, or is confirmed where it is. */
import { MarketError, type NetworkName } from '@market/contract';
import { noteProvenWallet } from '../../access/authority/known-wallets-repository.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type LedgerAccount, lockBalance, post, surplusPayable, unmatched } from '../ledger/index.ts';
import type { ClaimHolder, PaymentsContext, Shown } from './payments-context.ts';
import { type ClaimRow, lockClaim, markProven, moveClaimRow } from './repository.ts';
import { contestOver, type PayerProof } from './who-may-spend.ts';

type MovingContext = Pick<PaymentsContext, 'events' | 'claimHolders' | 'clock'>;

export interface NewHolder extends Pick<ClaimRow, 'purpose' | 'subjectId' | 'priceMicros'> {
  readonly network: NetworkName;
  readonly proof: Exclude<PayerProof, 'bare'>;
  readonly creditTo: LedgerAccount;
}

/** Undoes the other purchase, gives its money to the new one, and records in the claim's history who held it. */
export async function moveClaim(tx: Tx, context: MovingContext, held: ClaimRow, to: NewHolder): Promise<ClaimRow> {
  // After the window the result has been shown, and nobody may read it and then take the payment back.
  if (isWindowOver(context, held)) throw contestOver(held);
  const from = await holderOf(context, held).giveUp(tx, held, to.network);
  if (from === undefined) throw contestOver(held);
  reachCrashPoint('contest.after_give_up');
  const locked = await lockClaim(tx, held);
  if (locked === undefined || locked.subjectId !== held.subjectId || locked.contestableUntil === null) {
    throw new MarketError('payment_already_used');
  }
  const { network, creditTo, ...holder } = to;
  const { priceMicros, amountMicros, payer, reference, caip2 } = held;
  const transfer = unmatched(network, reference);
  const surplus = surplusPayable(network, payer);
  // The surplus may already have been refunded to the payer.
  if ((await lockBalance(tx, surplus)) < amountMicros - priceMicros) throw contestOver(held);
  const { claim, number } = await moveClaimRow(tx, { ...locked, contestableUntil: locked.contestableUntil }, holder);
  if (to.proof !== 'wallet') await noteProvenWallet(tx, payer, 'payment');
  reachCrashPoint('contest.after_move');
  await post(tx, {
    kind: 'payment_given_up',
    subjectId: held.subjectId,
    idempotencyKey: `give_up:${caip2}/${reference}:${number}`,
    entries: [
      { account: from, micros: -priceMicros },
      { account: surplus, micros: priceMicros - amountMicros },
      { account: transfer, micros: amountMicros },
    ],
  });
  await post(tx, {
    kind: 'payment_claimed',
    subjectId: to.subjectId,
    idempotencyKey: `claim:${caip2}/${reference}:${number}`,
    entries: [
      { account: transfer, micros: -amountMicros },
      { account: creditTo, micros: to.priceMicros },
      { account: surplus, micros: amountMicros - to.priceMicros },
    ],
  });
  await context.events.append(tx, [
    {
      type: 'payment.claimed',
      subjectId: to.subjectId,
      data: { network, reference, payer, purpose: to.purpose },
    },
  ]);
  reachCrashPoint('contest.before_commit');
  return claim;
}

function isWindowOver({ clock }: MovingContext, { contestableUntil }: ClaimRow): boolean {
  return contestableUntil === null || contestableUntil.getTime() <= clock.now().getTime();
}

/**
 * The payer confirms the purchase: it can no longer be contested, and held payouts start now. What the first presenter got ends, unless its
 * own credential is among those `shown`.
 */
export async function proveClaim(
  tx: Tx,
  context: MovingContext,
  claim: ClaimRow,
  network: NetworkName,
  shown: Shown,
  proof: 'wallet' | 'reference' = 'wallet',
): Promise<void> {
  await holderOf(context, claim).keep(tx, claim, network, shown);
  await markProven(tx, claim, proof);
  reachCrashPoint('contest.before_prove_commit');
}

function holderOf({ claimHolders }: MovingContext, { purpose }: ClaimRow): ClaimHolder {
  const holder = claimHolders[purpose];
  if (holder === undefined) throw new Error(`a claim for ${purpose} cannot be contested`);
  return holder;
}
