/**
 * Carries a claimed standard payment to its end: settle, find it on chain, make what it bought. Called by the request that brought it, by
 * whoever repeats that request, and by the reconciler after a crash; however many do, money moves once and one order is made.
 */
import { MarketError } from '@market/contract';
import { ChainUnavailable } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { StandardPayment } from '../../platform/facilitator/facilitator.ts';
import { verifyPayment } from '../payments/index.ts';
import { type HireData, recordHire, storedAnswer } from './hire-answer.ts';
import {
  failPayment,
  findHireOf,
  findPayment,
  lockPayment,
  nameTransaction,
  type PaymentRow,
  rememberTransaction,
  settlePayment,
} from './repository.ts';
import { unpackHire } from './stored-request.ts';
import type { X402Context } from './x402-context.ts';

export type Finished =
  | { readonly state: 'settled'; readonly answer: HireData }
  | { readonly state: 'unknown'; readonly reference?: string | undefined }
  | { readonly state: 'failed'; readonly reason: string; readonly message: string };

export async function finishPayment(context: X402Context, row: PaymentRow): Promise<Finished> {
  const finished = await pursue(context, row);
  // Somebody else sent it while this call found that it could not: then what they sent decides.
  return finished === 'overtaken' ? await afterOvertaking(context, row) : finished;
}

async function afterOvertaking(context: X402Context, row: PaymentRow): Promise<Finished> {
  const now = await findPayment(context.database.db, row);
  if (now === undefined || now.subjectId !== row.subjectId) return { state: 'unknown' };
  if (now.state === 'failed') return { state: 'failed', reason: now.reason ?? '', message: 'Nothing was taken.' };
  const finished = await pursue(context, now);
  return finished === 'overtaken' ? { state: 'unknown', reference: now.transaction ?? undefined } : finished;
}

async function pursue(context: X402Context, row: PaymentRow): Promise<Finished | 'overtaken'> {
  if (row.state === 'settled') return { state: 'settled', answer: await requireStored(context, row) };
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
  return await makeOrder(context, row, settled.reference);
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

/** The money has moved: the order follows, or stays owed until the chain can be asked. */
async function makeOrder(context: X402Context, row: PaymentRow, reference: string): Promise<Finished> {
  const hire = unpackHire(row.request);
  const payment = await findOnChain(context, row, reference);
  if (payment === undefined) return { state: 'unknown', reference };
  if (payment === 'used') return await giveUpUsed(context, row, reference);
  const answer = await context.database.transaction(async (tx) => {
    const locked = await lockPayment(tx, row);
    if (locked.state === 'settled' || locked.subjectId !== row.subjectId || payment.kind === 'repeated') return undefined;
    const made = await recordHire(tx, context, payment, { hire, fingerprint: row.fingerprint, settledVia: 'facilitator' });
    await nameTransaction(tx, row, reference, hire.orderId);
    await settlePayment(tx, row, reference);
    reachCrashPoint('x402.before_record_commit');
    return made;
  });
  reachCrashPoint('x402.after_record');
  return { state: 'settled', answer: answer ?? (await requireStored(context, row)) };
}

async function requireStored(context: X402Context, row: PaymentRow): Promise<HireData> {
  const stored = await findHireOf(context.database.db, row.subjectId);
  if (stored === undefined) throw new Error(`what ${row.alias} bought vanished`);
  return storedAnswer(context, stored);
}

/** Who hands in somebody else's authorisation has a reference of their own to show, and was faster: the payer has that order then. */
async function giveUpUsed(context: X402Context, row: PaymentRow, reference: string): Promise<never> {
  await context.database.transaction((tx) => failPayment(tx, row, { reason: 'payment_already_used', sentInVain: reference }));
  throw new MarketError('payment_already_used');
}

/** What just landed may not be on every node yet, and a large amount must be final first: both only take patience. */
async function findOnChain(context: X402Context, row: PaymentRow, reference: string) {
  try {
    return await verifyPayment(context, {
      network: row.network as StandardPayment['network'],
      reference,
      purpose: 'x402',
      subjectId: row.subjectId,
      expectedMicros: row.amountMicros,
      payers: [row.payer],
      // Its authorisation says what it was for, however long ago somebody handed it in.
      payableSince: new Date(0),
      // Nothing leaves before it is final, and the order stands still should the chain take it back.
      leastFinality: 'seen',
      relayedByUs: true,
    });
  } catch (error) {
    if (error instanceof MarketError && ['payment_not_found', 'payment_not_final', 'chain_unavailable'].includes(error.code))
      return undefined;
    if (error instanceof MarketError && error.code === 'payment_already_used') return 'used';
    throw error;
  }
}
