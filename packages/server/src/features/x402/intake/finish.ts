/**
 * Finishes a claimed standard payment: settle, find it on chain, make the purchase. The request, its repetitions and the reconciler all call
 * this; however many do, money moves once and makes one purchase.
 */
import { MarketError } from '@market/contract';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { StandardPayment } from '../../../platform/facilitator/facilitator.ts';
import { isRefusal } from '../../../platform/is-refusal.ts';
import { type NewPayment, signedPurchase, verifyPayment } from '../../payments/index.ts';
import { products } from '../products.ts';
import type { X402Context } from '../x402-context.ts';
import {
  failPayment,
  findPayment,
  findPurchaseOf,
  linkTransaction,
  lockPayment,
  type PaymentRow,
  type PurchaseRow,
  rememberTransaction,
  settlePayment,
} from './repository.ts';

export type Finished =
  /** `isMade`: by this call. Before it, only who asked knew the request. */
  | { readonly state: 'settled'; readonly row: PurchaseRow; readonly isMade: boolean }
  | { readonly state: 'unknown'; readonly reference?: string | undefined }
  | { readonly state: 'failed'; readonly reason: string; readonly message: string };

/** With `gone`, the call waits for a payment that must be final first, until the client hangs up. */
export async function finishPayment(context: X402Context, row: PaymentRow, gone?: AbortSignal): Promise<Finished> {
  const finished = await pursue(context, row, gone);
  // Another call sent the payment while this one failed to: its transaction decides.
  return finished === 'overtaken' ? await afterOvertaking(context, row, gone) : finished;
}

async function afterOvertaking(context: X402Context, row: PaymentRow, gone?: AbortSignal): Promise<Finished> {
  const now = await findPayment(context.database.db, row);
  if (now === undefined || now.subjectId !== row.subjectId) return { state: 'unknown' };
  if (now.state === 'failed') return { state: 'failed', reason: now.reason ?? '', message: 'Nothing was taken.' };
  const finished = await pursue(context, now, gone);
  return finished === 'overtaken' ? { state: 'unknown', reference: now.transaction ?? undefined } : finished;
}

async function pursue(context: X402Context, row: PaymentRow, gone?: AbortSignal): Promise<Finished | 'overtaken'> {
  if (row.state === 'settled') return { state: 'settled', row: await requireStored(context, row), isMade: false };
  const payment: StandardPayment = {
    network: row.network as StandardPayment['network'],
    requirement: row.requirement as StandardPayment['requirement'],
    payload: row.payload as StandardPayment['payload'],
  };
  const settled = await settle(context, payment);
  reachCrashPoint('x402.after_settle');
  if (settled.state === 'failed') {
    const { reason, reference: sentInVain } = settled;
    const ended = await context.database.transaction((tx) => failPayment(tx, row, { reason, sentInVain }));
    return ended ? settled : 'overtaken';
  }
  if (settled.reference !== undefined) await remember(context, row, settled.reference);
  if (settled.state === 'unknown') return settled;
  return await makePurchase(context, row, settled.reference, gone);
}

type SettledOutcome =
  | { state: 'settled'; reference: string }
  | Extract<Finished, { state: 'unknown' }>
  | (Extract<Finished, { state: 'failed' }> & { reference?: string });

/** Before accepting "failed", check whether a third party broadcast the authorisation: then it has paid us. */
async function settle(context: X402Context, payment: StandardPayment): Promise<SettledOutcome> {
  try {
    const settled = await context.facilitator.settle(payment);
    if (settled.state !== 'failed') return settled;
    const reference = await context.facilitator.findPreempted(payment);
    return reference === undefined ? settled : { state: 'settled', reference };
  } catch (error) {
    if (error instanceof ChainUnavailable) return { state: 'unknown' };
    throw error;
  }
}

async function remember(context: X402Context, row: PaymentRow, reference: string): Promise<void> {
  await context.database.transaction((tx) => rememberTransaction(tx, row, reference));
  reachCrashPoint('x402.after_remember');
}

/** The money has moved. Makes the purchase, or leaves it to a later call while the chain does not answer. */
async function makePurchase(context: X402Context, row: PaymentRow, reference: string, gone?: AbortSignal): Promise<Finished> {
  const payment = await findOnChain(context, row, reference, gone);
  if (payment === undefined) return { state: 'unknown', reference };
  if (payment === 'used') return await giveUpUsed(context, row, reference);
  const made = payment.kind === 'repeated' ? undefined : await record(context, row, payment);
  if (made === 'used') return await giveUpUsed(context, row, reference);
  reachCrashPoint('x402.after_record');
  return { state: 'settled', row: made ?? (await requireStored(context, row)), isMade: made !== undefined };
}

/** Undefined when another call recorded it first. Pays the money back if the purchase can no longer be made. */
async function record(context: X402Context, row: PaymentRow, payment: NewPayment): Promise<PurchaseRow | undefined | 'used'> {
  const { purpose, fingerprint, request } = row;
  const paid = { purpose, fingerprint, request, settledVia: 'facilitator' } as const;
  const product = products[purpose];
  try {
    return await settleWith(context, row, payment, (tx) => product.record(tx, context, payment, paid));
  } catch (error) {
    if (isRefusal(error, 'payment_contest_over', 'payment_already_used')) return 'used';
    const { giveBack } = product;
    const refusal = giveBack?.refusalOf(error);
    if (giveBack === undefined || refusal === undefined) throw error;
    return await settleWith(context, row, payment, (tx) => giveBack.record(tx, context, payment, paid, refusal));
  }
}

async function settleWith(
  { database }: X402Context,
  row: PaymentRow,
  { key: { reference } }: NewPayment,
  make: (tx: Tx) => Promise<PurchaseRow>,
): Promise<PurchaseRow | undefined> {
  return await database.transaction(async (tx) => {
    const locked = await lockPayment(tx, row);
    if (locked.state === 'settled' || locked.subjectId !== row.subjectId) return undefined;
    const made = await make(tx);
    await linkTransaction(tx, row, reference, row.subjectId);
    await settlePayment(tx, row, reference);
    reachCrashPoint('x402.before_record_commit');
    return made;
  });
}

async function requireStored({ database }: X402Context, row: PaymentRow): Promise<PurchaseRow> {
  const stored = await findPurchaseOf(database.db, row.subjectId);
  if (stored === undefined) throw new Error(`the purchase of payment ${row.alias} vanished`);
  return stored;
}

/** A third party broadcast the authorisation and spent its reference too long ago to contest: that purchase stands. */
async function giveUpUsed(context: X402Context, row: PaymentRow, reference: string): Promise<never> {
  await context.database.transaction((tx) => failPayment(tx, row, { reason: 'payment_already_used', sentInVain: reference }));
  throw new MarketError('payment_already_used');
}

/** Undefined while a node does not show the transaction yet, or a large amount is not final. */
async function findOnChain(context: X402Context, row: PaymentRow, reference: string, gone?: AbortSignal) {
  try {
    return await verifyPayment(context, {
      network: row.network as StandardPayment['network'],
      reference,
      purpose: row.purpose,
      subjectId: row.subjectId,
      expectedMicros: row.amountMicros,
      payers: [row.payer],
      presenter: signedPurchase,
      // The authorisation names its purpose, however long ago it was broadcast.
      payableSince: new Date(0),
      // Payouts wait for finality, and the purchase freezes if the chain takes the payment back.
      leastFinality: 'seen',
      relayedByUs: true,
      justLanded: true,
      ...(gone && { gone }),
    });
  } catch (error) {
    if (isRefusal(error, 'payment_not_found', 'payment_not_final', 'chain_unavailable')) return undefined;
    if (isRefusal(error, 'payment_already_used')) return 'used';
    throw error;
  }
}
