/**
 * Carries signed bytes to their chain and finds their outcome. Payouts of the treasury and movements of agents' wallets share it: they
 * differ in who signs and in where intents and attempts are stored.
 */
import type { Chain, OutgoingTransfer, SignedTransfer, TransferOutcome } from '../../platform/chains/chain.ts';
import { takeSigningTurn } from '../../platform/chains/signing-turn.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

/** The result of a step: done, or run again in some seconds. `landed` names the transaction that the chain shows, not final yet. */
export type NextStep = { readonly kind: 'done' } | { readonly kind: 'again'; readonly seconds: number; readonly landed?: string };

export const DONE: NextStep = { kind: 'done' };
export const again = (seconds: number): NextStep => ({ kind: 'again', seconds });
export const POLL_SECONDS = 1;
/** Longer than any block we know takes, so that only what is really stuck is replaced. */
const STUCK_SECONDS = 60;

export interface StoredAttempt {
  readonly number: number;
  readonly reference: string;
  readonly signedBytes: string;
  readonly validity: string;
  readonly createdAt: Date;
}

/** One intent whose bytes are stored. Each write is one transaction that compares the state it comes from. */
export interface Carriage<A extends StoredAttempt> {
  /** Id of the intent. */
  readonly id: string;
  readonly chain: Chain;
  readonly transfer: OutgoingTransfer;
  /** Instead of `Chain.readOutcome`, for bytes that do more than pay. */
  readOutcome?(signed: SignedTransfer): Promise<TransferOutcome>;
  /** The account whose transactions are signed one after the other. */
  readonly turn: string;
  findLatest(): Promise<A | undefined>;
  markSent(attempt: Pick<A, 'number'>, state: 'sent' | 'unknown'): Promise<void>;
  /** Bytes with a higher fee, as `Chain.replaceTransfer`. */
  replace(stuck: SignedTransfer): Promise<SignedTransfer | undefined>;
  /** False when another process was faster. */
  storeReplacement(attempt: A, signed: SignedTransfer): Promise<boolean>;
  confirm(attempt: A, reference: string): Promise<void>;
  /** The bytes can never land: the intent is queued again. */
  expire(attempt: A): Promise<void>;
  fail(attempt: A, reason: string): Promise<void>;
}

export interface CarrierContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function sendStored<A extends StoredAttempt>(
  { log }: CarrierContext,
  carriage: Carriage<A>,
  attempt: Pick<A, 'number'>,
  signed: SignedTransfer,
): Promise<NextStep> {
  let state: 'sent' | 'unknown' = 'sent';
  try {
    reachCrashPoint('payout.before_broadcast');
    await carriage.chain.broadcast(signed);
  } catch (error) {
    // Refused or unreachable: the bytes may still land. Only the chain shows it.
    state = 'unknown';
    log.warn({ err: error, transfer: carriage.id }, 'a transfer was sent with unknown outcome');
  }
  reachCrashPoint('payout.after_broadcast');
  await carriage.markSent(attempt, state);
  reachCrashPoint('payout.after_mark_sent');
  return again(POLL_SECONDS);
}

/** Finds the outcome of the stored bytes: landed, open, expired, or failed. */
export async function settleStored<A extends StoredAttempt>(context: CarrierContext, carriage: Carriage<A>): Promise<NextStep> {
  const { id, chain, transfer } = carriage;
  const attempt = await carriage.findLatest();
  if (attempt === undefined) throw new Error(`${id} is signed without an attempt`);
  const signed: SignedTransfer = { reference: attempt.reference, bytes: attempt.signedBytes, validity: attempt.validity };
  reachCrashPoint('payout.before_outcome');
  const outcome = await (carriage.readOutcome?.(signed) ?? chain.readOutcome(transfer, signed));
  reachCrashPoint('payout.after_outcome');
  switch (outcome.state) {
    case 'landed':
      if (outcome.finality !== 'final') return { kind: 'again', seconds: POLL_SECONDS, landed: outcome.reference };
      await carriage.confirm(attempt, outcome.reference);
      reachCrashPoint('payout.after_confirm');
      return DONE;
    case 'open':
      return await takeSigningTurn(
        context.database.pool,
        carriage.turn,
        async () => (await replaceStuck(context, carriage, attempt)) ?? (await sendStored(context, carriage, attempt, signed)),
      );
    case 'expired':
      await carriage.expire(attempt);
      reachCrashPoint('payout.after_expiry');
      return again(0);
    case 'failed':
      await carriage.fail(attempt, outcome.reason);
      return DONE;
  }
}

/** A transaction that does not land keeps all behind it waiting: it is replaced under its own nonce with a higher fee. */
async function replaceStuck<A extends StoredAttempt>(
  context: CarrierContext,
  carriage: Carriage<A>,
  attempt: A,
): Promise<NextStep | undefined> {
  const isYoung = context.clock.now().getTime() - attempt.createdAt.getTime() < STUCK_SECONDS * 1000;
  if (carriage.chain.kind !== 'evm' || isYoung) return undefined;
  const stuck = { reference: attempt.reference, bytes: attempt.signedBytes, validity: attempt.validity };
  const signed = await carriage.replace(stuck);
  if (signed === undefined) return undefined;
  if (!(await carriage.storeReplacement(attempt, signed))) return again(POLL_SECONDS);
  context.log.warn({ transfer: carriage.id, stuck: stuck.reference, replacement: signed.reference }, 'a stuck transfer was replaced');
  return await sendStored(context, carriage, { number: attempt.number + 1 }, signed);
}
