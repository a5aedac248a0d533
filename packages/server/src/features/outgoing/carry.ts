/**
 * Carries an intent to its chain, one safe step at a time. Bytes are stored before they are sent, and earlier bytes are looked up on chain
 * before new ones are signed. So after a crash at any line, the next run continues from the stored rows.
 */
import type { SignedTransfer, TransferOutcome } from '../../platform/chains/chain.ts';
import { takeSigningTurn } from '../../platform/chains/signing-turn.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import {
  type Attempt,
  confirmAttempt,
  findLatestAttempt,
  findProof,
  hasOpenAttempt,
  insertAttempt,
  insertNextAttempt,
  keepProof,
  moveAttempt,
} from './attempt-repository.ts';
import { findIntentState, moveIntent } from './intent-repository.ts';
import { again, DONE, type NextStep, POLL_SECONDS } from './next-step.ts';
import type { Booking, Outgoing } from './outgoing.ts';
import { openStates, signedStates } from './states.ts';

/** Longer than the block time of any network we know, so that only a stuck transaction is replaced. */
const STUCK_SECONDS = 60;
/** A landed transfer that cannot be booked waits for another process, or for a person. */
const LOOK_AGAIN_SECONDS = 30;

export interface CarrierContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Carries a queued intent: signs it, stores the bytes, sends them. */
export async function signAndSend(context: CarrierContext, outgoing: Outgoing): Promise<NextStep> {
  return await takeSigningTurn(context.database.pool, outgoing.turn, async () => {
    reachCrashPoint('outgoing.before_sign');
    const signed = await outgoing.sign();
    if ('kind' in signed) return signed;
    reachCrashPoint('outgoing.after_sign');
    const number = await storeSigned(context, outgoing, signed);
    if (number === undefined) return again(POLL_SECONDS);
    reachCrashPoint('outgoing.after_store');
    return await send(context, outgoing, number, signed);
  });
}

/** Undefined when another process was faster, or a limit was reached meanwhile: then these bytes are never sent. */
async function storeSigned({ database }: CarrierContext, outgoing: Outgoing, signed: SignedTransfer): Promise<number | undefined> {
  return await database.transaction(async (tx) => {
    if ((await outgoing.mayStore?.(tx)) === false) return undefined;
    if (!(await moveIntent(tx, outgoing.id, ['queued'], { state: 'signed', reason: null }))) return undefined;
    const { number } = await insertNextAttempt(tx, outgoing.id, signed);
    reachCrashPoint('outgoing.before_store_commit');
    return number;
  });
}

async function send({ database, log }: CarrierContext, outgoing: Outgoing, number: number, signed: SignedTransfer): Promise<NextStep> {
  let state: 'sent' | 'unknown' = 'sent';
  try {
    reachCrashPoint('outgoing.before_broadcast');
    await outgoing.chain.broadcast(signed);
  } catch (error) {
    // Refused or unreachable: the bytes may still land. Only the chain shows it.
    state = 'unknown';
    log.warn({ err: error, transfer: outgoing.id }, 'a transfer was sent with unknown outcome');
  }
  reachCrashPoint('outgoing.after_broadcast');
  await database.transaction(async (tx) => {
    if (await moveAttempt(tx, { intentId: outgoing.id, number }, state)) await moveIntent(tx, outgoing.id, signedStates, { state });
    reachCrashPoint('outgoing.before_mark_commit');
  });
  reachCrashPoint('outgoing.after_mark_sent');
  return again(POLL_SECONDS);
}

/** Settles a signed intent by the outcome of its stored bytes: landed, open, expired or failed. */
export async function settleSigned(context: CarrierContext, outgoing: Outgoing): Promise<NextStep> {
  const { id } = outgoing;
  const { database } = context;
  const attempt = await findLatestAttempt(database.db, id);
  if (attempt === undefined) throw new Error(`${id} is signed without an attempt`);
  reachCrashPoint('outgoing.before_outcome');
  const outcome = await readOutcome(outgoing, attempt);
  reachCrashPoint('outgoing.after_outcome');
  const proof = await findProof(database.db, attempt);
  if (proof !== undefined) return await settleProven(context, outgoing, proof, { attempt, outcome });
  switch (outcome.state) {
    case 'landed': {
      if (outcome.finality !== 'final') return { kind: 'again', seconds: POLL_SECONDS, landed: outcome.reference };
      const book = await outgoing.onConfirmed(attempt, outcome.reference);
      const tryBook = () =>
        bookOrUndo(database, async (tx) => {
          if (!(await confirmAttempt(tx, attempt)) || !(await book(tx))) return false;
          // Check only now, when the intent is locked: before, another process may have stored new bytes for it.
          if (await hasOpenAttempt(tx, id)) return false;
          reachCrashPoint('outgoing.before_confirm_commit');
          return true;
        });
      // Where no proof is kept, the later bytes may have died in between, and nothing is in the way any more.
      const isBooked = (await tryBook()) || (!(await database.transaction((tx) => keepProof(tx, attempt))) && (await tryBook()));
      reachCrashPoint('outgoing.after_confirm');
      return isBooked ? DONE : await afterUnbooked(context, id, outcome.reference);
    }
    case 'open':
      return await takeSigningTurn(
        database.pool,
        outgoing.turn,
        async () => (await replaceStuck(context, outgoing, attempt)) ?? (await send(context, outgoing, attempt.number, signedOf(attempt))),
      );
    case 'expired':
      await bookOrUndo(
        database,
        async (tx) =>
          (await moveAttempt(tx, attempt, 'expired')) &&
          (await moveIntent(tx, id, signedStates, { state: 'queued', reason: EXPIRED })) &&
          (await findProof(tx, attempt)) === undefined,
      );
      reachCrashPoint('outgoing.after_expiry');
      return again(0);
    case 'failed': {
      const book = await outgoing.onFailed(attempt, outcome.reason);
      if (book !== undefined)
        await bookOrUndo(
          database,
          async (tx) => (await moveAttempt(tx, attempt, 'failed')) && (await book(tx)) && (await findProof(tx, attempt)) === undefined,
        );
      return DONE;
    }
  }
}

const EXPIRED = 'the signed transfer expired; it is signed anew';

async function readOutcome({ chain, transfer, readOutcome }: Outgoing, attempt: Attempt): Promise<TransferOutcome> {
  return await (readOutcome?.(signedOf(attempt)) ?? chain.readOutcome(transfer, signedOf(attempt)));
}

/**
 * The chain has shown that `proof` landed, although another process called it dead and stored later bytes. Those are never sent again, or
 * the intent would be paid twice. `proof` is booked once they can land no more.
 */
async function settleProven(
  { database, log }: CarrierContext,
  outgoing: Outgoing,
  proof: Attempt,
  later: { readonly attempt: Attempt; readonly outcome: TransferOutcome },
): Promise<NextStep> {
  const { attempt, outcome } = later;
  if (outcome.state === 'open' || (outcome.state === 'landed' && outcome.finality !== 'final')) return again(LOOK_AGAIN_SECONDS);
  const landed = await readOutcome(outgoing, proof);
  const references = [proof.reference, attempt.reference];
  if (landed.state !== 'landed' || landed.finality !== 'final') {
    log.error(
      { transfer: outgoing.id, references },
      'the node no longer shows a transfer that was final; compare the intent with its chain',
    );
    return again(LOOK_AGAIN_SECONDS);
  }
  if (outcome.state === 'landed' && outcome.reference !== landed.reference)
    log.error({ transfer: outgoing.id, references }, 'an intent was paid twice: a node had called bytes dead that landed');
  const book = await outgoing.onConfirmed(proof, landed.reference);
  const isBooked = await bookOrUndo(database, async (tx) => (await moveAttempt(tx, attempt, 'expired')) && (await book(tx)));
  return isBooked ? DONE : again(LOOK_AGAIN_SECONDS);
}

export function signedOf({ reference, signedBytes: bytes, validity }: Attempt): SignedTransfer {
  return { reference, bytes, validity };
}

/** Another process moved the intent meanwhile. */
class Superseded extends Error {}

/** Books in one transaction. If another process was faster, undoes everything and returns false. */
export async function bookOrUndo(database: Database, book: Booking): Promise<boolean> {
  try {
    return await database.transaction(async (tx) => {
      if (!(await book(tx))) throw new Superseded();
      return true;
    });
  } catch (error) {
    if (error instanceof Superseded) return false;
    throw error;
  }
}

/** Logs a landed transfer that could not be booked: other bytes of the intent may be under way, or the intent ended otherwise. */
async function afterUnbooked({ database, log }: CarrierContext, id: string, reference: string): Promise<NextStep> {
  const state = await findIntentState(database.db, id);
  if (state === 'confirmed') return DONE;
  log.error({ transfer: id, reference, state }, 'a transfer landed and could not be booked; compare the intent with its chain');
  return openStates.some((open) => open === state) ? again(LOOK_AGAIN_SECONDS) : DONE;
}

/** Replaces a stuck transaction under its own nonce with a higher fee, because all later ones wait for it. */
async function replaceStuck(context: CarrierContext, outgoing: Outgoing, attempt: Attempt): Promise<NextStep | undefined> {
  const isYoung = context.clock.now().getTime() - attempt.createdAt.getTime() < STUCK_SECONDS * 1000;
  if (outgoing.chain.kind !== 'evm' || isYoung) return undefined;
  const signed = await outgoing.replace?.(signedOf(attempt));
  if (signed === undefined) return undefined;
  const next = { intentId: outgoing.id, number: attempt.number + 1 };
  const isStored = await context.database.transaction(async (tx) => {
    if (!(await moveAttempt(tx, attempt, 'replaced'))) return false;
    await insertAttempt(tx, next, signed);
    return true;
  });
  if (!isStored) return again(POLL_SECONDS);
  context.log.warn({ transfer: outgoing.id, stuck: attempt.reference, replacement: signed.reference }, 'a stuck transfer was replaced');
  return await send(context, outgoing, next.number, signed);
}
