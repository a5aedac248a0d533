/**
 * Sends a payout to its chain, one safe step at a time. Bytes are stored before they are sent, and earlier bytes are looked up on
 * chain before new ones are signed. So after a crash at any line, the next run continues from the stored rows.
 */
import { formatUsd } from '@market/contract';
import { type Chain, ChainUnavailable, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import { takeSigningTurn } from '../../platform/chains/signing-turn.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { findAccountRefusal, findHold, OutflowHeld } from '../../platform/signer/outflow-limits.ts';
import { unbooked } from '../ledger/index.ts';
import { areReceiptsFinal, isPaymentReverted } from '../payments/index.ts';
import { confirmAttempt, confirmSeen, describePayout } from './confirm-payout.ts';
import { assignUnbooked, findUnbooked, isDelayTold, lockOutflow, readSigningFacts, type SigningFacts } from './outflow-repository.ts';
import { transferOf } from './payout-signer.ts';
import type { OutflowContext } from './payouts-context.ts';
import { type AttemptRow, findPayout, insertAttempt, latestAttempt, moveAttempt, movePayout, type PayoutRow } from './repository.ts';

/** The result of a step: done, or run again in some seconds. */
export type NextStep = { readonly kind: 'done' } | { readonly kind: 'again'; readonly seconds: number };

const DONE: NextStep = { kind: 'done' };
const again = (seconds: number): NextStep => ({ kind: 'again', seconds });
const POLL_SECONDS = 1;
const WAIT_FOR_FUNDS_SECONDS = 30;
const WAIT_FOR_CHAIN_SECONDS = 5;
/** Longer than any block we know takes, so that only what is really stuck is replaced. */
const STUCK_SECONDS = 60;
/** A reverted payment may return, but seldom soon. */
const WAIT_FOR_PAYMENT_SECONDS = 30;

export async function advancePayout(context: OutflowContext, payoutId: string): Promise<NextStep> {
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
async function signAndSend(context: OutflowContext, chain: Chain, payout: PayoutRow): Promise<NextStep> {
  if (await isPaymentReverted(context.database.db, payout.subjectId)) {
    return await wait(context, payout, 'its chain took the payment back; nothing leaves for it', WAIT_FOR_PAYMENT_SECONDS);
  }
  if (!(await areReceiptsFinal(context.database.db, payout))) {
    return await wait(context, payout, 'waiting until the payment is final', POLL_SECONDS);
  }
  await context.gate.requireCompared(chain);
  if (await confirmUnbooked(context, payout)) return DONE;
  return await takeSigningTurn(context.database.pool, `${chain.caip2}/${chain.treasury}`, async () => {
    const facts = await readSigningFacts(context.database.db, payout.id);
    const held = findReasonToWait(context, payout, facts);
    if (held !== undefined) return await hold(context, payout, held);
    reachCrashPoint('payout.before_sign');
    let signed: SignedTransfer;
    try {
      signed = await context.signer.sign(payout, { refuseAccount: findAccountRefusal(context.limits, facts, payout.amountMicros) });
    } catch (error) {
      if (error instanceof TransferRefused) return await refuse(context, payout, error);
      if (error instanceof OutflowHeld) return await hold(context, payout, error.message);
      throw error;
    }
    reachCrashPoint('payout.after_sign');
    const stored = await storeSigned(context, payout, signed);
    if (stored === undefined) return again(POLL_SECONDS);
    reachCrashPoint('payout.after_store');
    return await send(context, chain, payout, stored, signed);
  });
}

/** Why nothing is signed now; undefined when all is well. The stored intent decides, not what this process remembers of it. */
function findReasonToWait({ limits }: OutflowContext, payout: PayoutRow, facts: SigningFacts): string | undefined {
  if (facts.closedFor !== null) return facts.closedFor;
  if (facts.destination !== payout.destination || facts.amountMicros !== payout.amountMicros || facts.state !== 'queued')
    return 'the payout was changed while it was being looked at; it is looked at again';
  if (facts.reservedMicros !== payout.amountMicros) return 'the books do not hold the amount of this payout; an operator must look at it';
  return findHold(limits, facts, payout.amountMicros);
}

/** Undefined when another process was faster or a limit was reached meanwhile: then these bytes are never sent. */
async function storeSigned(context: OutflowContext, payout: PayoutRow, signed: SignedTransfer) {
  return await context.database.transaction(async (tx) => {
    await lockOutflow(tx);
    if (findReasonToWait(context, payout, await readSigningFacts(tx, payout.id)) !== undefined) return undefined;
    if (!(await movePayout(tx, payout.id, ['queued'], { state: 'signed', reason: null }))) return undefined;
    const number = ((await latestAttempt(tx, payout.id))?.number ?? 0) + 1;
    await insertAttempt(tx, payout.id, number, signed);
    reachCrashPoint('payout.before_store_commit');
    return { payoutId: payout.id, number };
  });
}

/** Books restored from an old backup may queue what was paid long ago. True when the chain has shown it. */
async function confirmUnbooked(context: OutflowContext, payout: PayoutRow): Promise<boolean> {
  const keys = [...context.chains.values()].map((chain) => chain.intentKey(payout.id));
  const seen = await findUnbooked(context.database.db, keys);
  if (seen === undefined) return false;
  const isSame = seen.network === payout.network && seen.destination === payout.destination && seen.amountMicros === payout.amountMicros;
  await context.database.transaction(async (tx) => {
    if (isSame) {
      const booked = await confirmSeen(tx, context, payout, seen.reference, unbooked(payout.network));
      if (booked) await assignUnbooked(tx, seen, payout.id);
      return;
    }
    const reason = `The chain shows that ${formatUsd(seen.amountMicros)} USDC left for it to ${seen.destination} on ${seen.network} (${seen.reference}). An operator must decide.`;
    await park(tx, context, payout, reason);
  });
  return true;
}

async function send(
  context: OutflowContext,
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
    // Refused or unreachable: the bytes may still land. Only the chain can tell.
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

/** Finds the outcome of the stored bytes: landed, open, expired, or failed. */
async function settleAttempt(context: OutflowContext, chain: Chain, payout: PayoutRow): Promise<NextStep> {
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
      return await takeSigningTurn(
        context.database.pool,
        `${chain.caip2}/${chain.treasury}`,
        async () => (await replaceStuck(context, chain, payout, attempt)) ?? (await send(context, chain, payout, attempt, signed)),
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

/** A transaction that does not land keeps all behind it waiting: it is replaced under its own nonce with a higher fee. */
async function replaceStuck(context: OutflowContext, chain: Chain, payout: PayoutRow, attempt: AttemptRow): Promise<NextStep | undefined> {
  if (chain.kind !== 'evm' || context.clock.now().getTime() - attempt.createdAt.getTime() < STUCK_SECONDS * 1000) return undefined;
  const stuck = { reference: attempt.reference, bytes: attempt.signedBytes, validity: attempt.validity };
  const signed = await context.signer.replace(payout, stuck);
  if (signed === undefined) return undefined;
  const number = attempt.number + 1;
  const stored = await context.database.transaction(async (tx) => {
    if (!(await moveAttempt(tx, attempt, 'replaced'))) return false;
    await insertAttempt(tx, payout.id, number, signed);
    return true;
  });
  if (!stored) return again(POLL_SECONDS);
  context.log.warn({ payout: payout.id, stuck: stuck.reference, replacement: signed.reference }, 'a stuck payout was replaced');
  return await send(context, chain, payout, { payoutId: payout.id, number }, signed);
}

async function confirm(context: OutflowContext, payout: PayoutRow, attempt: AttemptRow, reference: string): Promise<void> {
  await context.database.transaction((tx) => confirmAttempt(tx, context, payout, attempt, reference));
  reachCrashPoint('payout.after_confirm');
}

/** A limit is reached or outflow is closed: the payout stays queued, and operators are notified. */
async function hold(context: OutflowContext, payout: PayoutRow, reason: string): Promise<NextStep> {
  context.log.error({ payout: payout.id, network: payout.network, reason }, 'a payout is held back');
  return await wait(context, payout, reason, WAIT_FOR_FUNDS_SECONDS);
}

/** No funds or gas: it waits and is tried again. A destination that cannot receive is for a person to decide. */
async function refuse(context: OutflowContext, payout: PayoutRow, error: TransferRefused): Promise<NextStep> {
  if (error.reason === 'insufficient_usdc' || error.reason === 'insufficient_native') {
    context.log.error({ err: error, payout: payout.id }, 'a payout waits for funds');
    await context.database.transaction((tx) => tellDelay(tx, context, payout, error.message));
    return await wait(context, payout, error.message, WAIT_FOR_FUNDS_SECONDS);
  }
  const parkedFor = error.reason === 'account' ? { parkedFor: 'account' as const } : {};
  if (error.reason === 'account') context.log.warn({ payout: payout.id, reason: error.message }, 'a payout waits for a token account');
  await context.database.transaction((tx) => park(tx, context, payout, error.message, parkedFor));
  return DONE;
}

/** Notifies once per payout. */
async function tellDelay(tx: Tx, context: OutflowContext, payout: PayoutRow, reason: string): Promise<void> {
  if (!(await movePayout(tx, payout.id, ['queued'], { state: 'queued' })) || (await isDelayTold(tx, payout))) return;
  await context.events.append(tx, [
    { type: 'payout.delayed', subjectId: payout.subjectId, data: { ...describePayout(payout, null), reason } },
  ]);
}

async function park(
  tx: Tx,
  context: OutflowContext,
  payout: PayoutRow,
  reason: string,
  parkedFor: { readonly parkedFor?: 'account' } = {},
): Promise<void> {
  const moved = await movePayout(tx, payout.id, ['queued', 'signed', 'sent', 'unknown'], { state: 'parked', reason, ...parkedFor });
  if (moved)
    await context.events.append(tx, [
      { type: 'payout.parked', subjectId: payout.subjectId, data: { ...describePayout(payout, null), reason } },
    ]);
}

async function wait(context: OutflowContext, payout: PayoutRow, reason: string, seconds: number): Promise<NextStep> {
  await context.database.transaction((tx) => movePayout(tx, payout.id, [payout.state], { state: payout.state, reason }));
  return again(seconds);
}
