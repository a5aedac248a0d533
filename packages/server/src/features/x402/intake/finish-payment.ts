/**
 * Carries a claimed standard payment to its end: settle, find it on chain, make what it bought. Called by the request that brought it, by
 * whoever repeats that request, and by the reconciler after a crash; however many do, money moves once and buys one thing.
 */
import { MarketError } from '@market/contract';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { StandardPayment } from '../../../platform/facilitator/facilitator.ts';
import { type NewPayment, signedPurchase, verifyPayment } from '../../payments/index.ts';
import { recordPurchase, refusalOf } from '../goods/record-purchase.ts';
import { recordReturned } from '../goods/record-registration.ts';
import type { X402Context } from '../x402-context.ts';
import {
  failPayment,
  findPayment,
  findPurchaseOf,
  lockPayment,
  nameTransaction,
  type PaymentRow,
  type PurchaseRow,
  rememberTransaction,
  settlePayment,
} from './repository.ts';

export type Finished =
  | { readonly state: 'settled'; readonly row: PurchaseRow }
  | { readonly state: 'unknown'; readonly reference?: string | undefined }
  | { readonly state: 'failed'; readonly reason: string; readonly message: string };

/** With `gone`, a request waits here for a payment that must be final first. */
export async function finishPayment(context: X402Context, row: PaymentRow, gone?: AbortSignal): Promise<Finished> {
  const finished = await pursue(context, row, gone);
  // Somebody else sent it while this call found that it could not: then what they sent decides.
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
  if (row.state === 'settled') return { state: 'settled', row: await requireStored(context, row) };
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

/** "Failed" is believed only when nobody else handed the authorisation in: then it has paid us after all. */
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

/** The money has moved: what it buys follows, or stays owed until the chain can be asked. */
async function makePurchase(context: X402Context, row: PaymentRow, reference: string, gone?: AbortSignal): Promise<Finished> {
  const payment = await findOnChain(context, row, reference, gone);
  if (payment === undefined) return { state: 'unknown', reference };
  if (payment === 'used') return await giveUpUsed(context, row, reference);
  const made = payment.kind === 'repeated' ? undefined : await record(context, row, payment);
  if (made === 'used') return await giveUpUsed(context, row, reference);
  reachCrashPoint('x402.after_record');
  return { state: 'settled', row: made ?? (await requireStored(context, row)) };
}

/** Undefined when somebody else has recorded it meanwhile. What cannot be had any more is paid back. */
async function record(context: X402Context, row: PaymentRow, payment: NewPayment): Promise<PurchaseRow | undefined | 'used'> {
  const { purpose, fingerprint, request } = row;
  const paid = { purpose, fingerprint, request, settledVia: 'facilitator' } as const;
  try {
    return await settleWith(context, row, payment, (tx) => recordPurchase(tx, context, payment, paid));
  } catch (error) {
    if (error instanceof MarketError && (error.code === 'payment_contest_over' || error.code === 'payment_already_used')) return 'used';
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return await settleWith(context, row, payment, (tx) => recordReturned(tx, context, payment, paid, refusal));
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
    await nameTransaction(tx, row, reference, row.subjectId);
    await settlePayment(tx, row, reference);
    reachCrashPoint('x402.before_record_commit');
    return made;
  });
}

async function requireStored({ database }: X402Context, row: PaymentRow): Promise<PurchaseRow> {
  const stored = await findPurchaseOf(database.db, row.subjectId);
  if (stored === undefined) throw new Error(`what ${row.alias} bought vanished`);
  return stored;
}

/** Somebody else handed the authorisation in and spent its reference so long ago that it cannot be moved: the payer has what it bought. */
async function giveUpUsed(context: X402Context, row: PaymentRow, reference: string): Promise<never> {
  await context.database.transaction((tx) => failPayment(tx, row, { reason: 'payment_already_used', sentInVain: reference }));
  throw new MarketError('payment_already_used');
}

/** What just landed may not be on every node yet, and a large amount must be final first: both only take patience. */
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
      // Its authorisation says what it was for, however long ago somebody handed it in.
      payableSince: new Date(0),
      // Nothing leaves before it is final, and what it bought stands still should the chain take it back.
      leastFinality: 'seen',
      relayedByUs: true,
      justLanded: true,
      ...(gone && { gone }),
    });
  } catch (error) {
    if (error instanceof MarketError && ['payment_not_found', 'payment_not_final', 'chain_unavailable'].includes(error.code))
      return undefined;
    if (error instanceof MarketError && error.code === 'payment_already_used') return 'used';
    throw error;
  }
}
