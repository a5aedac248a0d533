/**
 * Carries an intent to the chain, one safe step at a time. Bytes are stored before they are sent; what may have landed is
 * looked for before anything is signed anew. So whatever dies between two lines, the next run goes on from the rows.
 */
import { type Chain, ChainUnavailable, type OutgoingTransfer, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import { takeSigningTurn } from '../../platform/chains/signing-turn.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { inFlight, post, treasury } from '../ledger/index.ts';
import { areReceiptsFinal, isPaymentReverted } from '../payments/index.ts';
import type { PayoutsContext } from './payouts-context.ts';
import { type AttemptRow, findPayout, insertAttempt, latestAttempt, moveAttempt, movePayout, type PayoutRow } from './repository.ts';

/** What to do after a step: nothing more, or look again in so many seconds. */
export type NextStep = { readonly kind: 'done' } | { readonly kind: 'again'; readonly seconds: number };

const DONE: NextStep = { kind: 'done' };
const again = (seconds: number): NextStep => ({ kind: 'again', seconds });
const POLL_SECONDS = 1;
const WAIT_FOR_FUNDS_SECONDS = 30;
const WAIT_FOR_CHAIN_SECONDS = 5;
/** A payment that was taken back may come again, but seldom soon. */
const WAIT_FOR_PAYMENT_SECONDS = 30;

export async function advancePayout(context: PayoutsContext, payoutId: string): Promise<NextStep> {
  const payout = await findPayout(context.database.db, payoutId);
  if (payout === undefined || ['confirmed', 'parked', 'void'].includes(payout.state)) return DONE;
  const chain = context.chains.get(payout.network);
  if (chain === undefined) return await wait(context, payout, `no node is configured for ${payout.network}`, WAIT_FOR_CHAIN_SECONDS);
  try {
    return payout.state === 'queued' ? await signAndSend(context, chain, payout) : await settleAttempt(context, chain, payout);
  } catch (error) {
    if (error instanceof ChainUnavailable) return await wait(context, payout, error.message, WAIT_FOR_CHAIN_SECONDS);
    throw error;
  }
}

/** Money that came in must be final before money goes out for it. */
async function signAndSend(context: PayoutsContext, chain: Chain, payout: PayoutRow): Promise<NextStep> {
  if (await isPaymentReverted(context.database.db, payout.subjectId)) {
    return await wait(context, payout, 'its chain took the payment back; nothing leaves for it', WAIT_FOR_PAYMENT_SECONDS);
  }
  if (!(await areReceiptsFinal(context.database.db, payout))) {
    return await wait(context, payout, 'waiting until the payment is final', POLL_SECONDS);
  }
  return await takeSigningTurn(context.database.pool, `${chain.caip2}/${chain.treasury}`, async () => {
    reachCrashPoint('payout.before_sign');
    let signed: SignedTransfer;
    try {
      signed = await chain.signTransfer(transferOf(payout));
    } catch (error) {
      if (error instanceof TransferRefused) return await refuse(context, payout, error);
      throw error;
    }
    reachCrashPoint('payout.after_sign');
    const stored = await context.database.transaction(async (tx) => {
      if (!(await movePayout(tx, payout.id, ['queued'], { state: 'signed', reason: null }))) return undefined;
      // An operator may have sent it elsewhere while these bytes were being signed.
      if ((await findPayout(tx, payout.id))?.destination !== payout.destination)
        throw new Error(`payout ${payout.id} was changed while it was signed`);
      const number = ((await latestAttempt(tx, payout.id))?.number ?? 0) + 1;
      await insertAttempt(tx, payout.id, number, signed);
      reachCrashPoint('payout.before_store_commit');
      return { payoutId: payout.id, number };
    });
    if (stored === undefined) return again(POLL_SECONDS);
    reachCrashPoint('payout.after_store');
    return await send(context, chain, payout, stored, signed);
  });
}

async function send(
  context: PayoutsContext,
  chain: Chain,
  payout: PayoutRow,
  attempt: Pick<AttemptRow, 'payoutId' | 'number'>,
  signed: SignedTransfer,
): Promise<NextStep> {
  let state: 'sent' | 'unknown' = 'sent';
  try {
    reachCrashPoint('payout.before_broadcast');
    await chain.broadcast(signed);
  } catch (error) {
    // Refused or unreachable: the bytes may be on their way all the same. Only looking tells.
    state = 'unknown';
    context.log.warn({ err: error, payout: payout.id }, 'a payout was sent with unknown outcome');
  }
  reachCrashPoint('payout.after_broadcast');
  await context.database.transaction(async (tx) => {
    if (await moveAttempt(tx, attempt, state)) await movePayout(tx, payout.id, ['signed', 'sent', 'unknown'], { state });
    reachCrashPoint('payout.before_mark_commit');
  });
  reachCrashPoint('payout.after_mark_sent');
  return again(POLL_SECONDS);
}

/** Looks for what the stored bytes did: landed, still open, never to land, or failed. */
async function settleAttempt(context: PayoutsContext, chain: Chain, payout: PayoutRow): Promise<NextStep> {
  const attempt = await latestAttempt(context.database.db, payout.id);
  if (attempt === undefined) throw new Error(`payout ${payout.id} is ${payout.state} without an attempt`);
  const signed: SignedTransfer = { reference: attempt.reference, bytes: attempt.signedBytes, validity: attempt.validity };
  reachCrashPoint('payout.before_outcome');
  const outcome = await chain.readOutcome(transferOf(payout), signed);
  reachCrashPoint('payout.after_outcome');
  switch (outcome.state) {
    case 'landed':
      if (outcome.finality !== 'final') return again(POLL_SECONDS);
      await confirm(context, payout, attempt, outcome.reference);
      return DONE;
    case 'open':
      return await takeSigningTurn(context.database.pool, `${chain.caip2}/${chain.treasury}`, () =>
        send(context, chain, payout, attempt, signed),
      );
    case 'expired':
      await context.database.transaction(async (tx) => {
        if (!(await moveAttempt(tx, attempt, 'expired'))) return;
        await movePayout(tx, payout.id, ['signed', 'sent', 'unknown'], {
          state: 'queued',
          reason: 'the signed transfer expired; it is signed anew',
        });
      });
      reachCrashPoint('payout.after_expiry');
      return again(0);
    case 'failed':
      await context.database.transaction(async (tx) => {
        if (await moveAttempt(tx, attempt, 'failed')) await park(tx, context, payout, outcome.reason);
      });
      return DONE;
  }
}

async function confirm(context: PayoutsContext, payout: PayoutRow, attempt: AttemptRow, reference: string): Promise<void> {
  await context.database.transaction(async (tx) => {
    const moved = await movePayout(tx, payout.id, ['signed', 'sent', 'unknown'], { state: 'confirmed', reference, reason: null });
    if (!moved) return;
    await moveAttempt(tx, attempt, 'confirmed');
    await post(tx, {
      kind: 'payout_confirmed',
      subjectId: payout.subjectId,
      idempotencyKey: `confirm:${payout.id}`,
      entries: [
        { account: inFlight(payout.network, payout.id), micros: -payout.amountMicros },
        { account: treasury(payout.network), micros: payout.amountMicros },
      ],
    });
    await context.events.append(tx, [{ type: 'payout.confirmed', subjectId: payout.subjectId, data: describePayout(payout, reference) }]);
    reachCrashPoint('payout.before_confirm_commit');
  });
  reachCrashPoint('payout.after_confirm');
}

/** No funds or gas: it waits and is tried again. A destination that cannot receive is for a person to decide. */
async function refuse(context: PayoutsContext, payout: PayoutRow, error: TransferRefused): Promise<NextStep> {
  if (error.reason === 'insufficient_usdc' || error.reason === 'insufficient_native') {
    context.log.error({ err: error, payout: payout.id }, 'a payout waits for funds');
    return await wait(context, payout, error.message, WAIT_FOR_FUNDS_SECONDS);
  }
  await context.database.transaction((tx) => park(tx, context, payout, error.message));
  return DONE;
}

async function park(tx: Parameters<typeof movePayout>[0], context: PayoutsContext, payout: PayoutRow, reason: string): Promise<void> {
  const moved = await movePayout(tx, payout.id, ['queued', 'signed', 'sent', 'unknown'], { state: 'parked', reason });
  if (moved)
    await context.events.append(tx, [
      { type: 'payout.parked', subjectId: payout.subjectId, data: { ...describePayout(payout, null), reason } },
    ]);
}

async function wait(context: PayoutsContext, payout: PayoutRow, reason: string, seconds: number): Promise<NextStep> {
  await context.database.transaction((tx) => movePayout(tx, payout.id, [payout.state], { state: payout.state, reason }));
  return again(seconds);
}

function transferOf(payout: PayoutRow): OutgoingTransfer {
  return { intentId: payout.id, destination: payout.destination, asset: 'usdc', amount: payout.amountMicros };
}

function describePayout(payout: PayoutRow, reference: string | null): Record<string, unknown> {
  return {
    payout_id: payout.id,
    purpose: payout.purpose,
    network: payout.network,
    destination: payout.destination,
    amount_micros: String(payout.amountMicros),
    reference,
  };
}
