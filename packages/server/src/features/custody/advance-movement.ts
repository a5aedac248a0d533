/**
 * Moves money out of an agent's wallet, one safe step at a time, by the code that payouts use: bytes are stored before they are sent, and
 * signed again only when the chain has proven that the earlier ones can never land.
 */
import { MarketError, networkFacts } from '@market/contract';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import { takeSigningTurn } from '../../platform/chains/signing-turn.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { KEY_HOURS } from '../../platform/idempotency/idempotent-answers.ts';
import { findAccountRefusal } from '../../platform/signer/outflow-limits.ts';
import { findFound, takeFound, takeFoundIn } from '../outflow/index.ts';
import { again, type Carriage, DONE, type NextStep, POLL_SECONDS, sendStored, settleStored } from '../payouts/index.ts';
import type { CustodyContext } from './custody-context.ts';
import { isMint } from './mint-movements.ts';
import { appendMovementEvent } from './movement-events.ts';
import {
  findMovement,
  insertMovementAttempt,
  latestMovementAttempt,
  type MovementAttempt,
  type MovementRow,
  moveMovement,
  moveMovementAttempt,
  openMovementStates,
  readAccountCosts,
  reopenLastAttempt,
} from './repository.ts';
import { walletHolder } from './wallet-holder.ts';
import { hasUnnamedSince } from './wallet-holder-repository.ts';
import { openSigner, requireWallet } from './wallet-keys.ts';

const WAIT_FOR_CHAIN_SECONDS = 5;
const WAIT_FOR_GAS_SECONDS = 30;
const WAIT_FOR_OPERATOR_SECONDS = 60;
/** A movement that nobody could sign for so long is given up: it must not leave when the owner no longer expects it. */
const GIVE_UP_SECONDS = 600;
const WAIT_FOR_LAPSE_SECONDS = 60;
const SIGNED = ['signed', 'sent', 'unknown'] as const;

export async function advanceMovement(context: CustodyContext, id: string): Promise<NextStep> {
  const movement = await findMovement(context.database.db, id);
  if (movement === undefined || !openMovementStates.some((state) => state === movement.state)) return DONE;
  try {
    return movement.state === 'queued' ? await signAndSend(context, movement) : await settleStored(context, carriageOf(context, movement));
  } catch (error) {
    if (error instanceof ChainUnavailable) return await wait(context, movement, error.message, WAIT_FOR_CHAIN_SECONDS);
    if (error instanceof MarketError && error.code === 'wallet_key_unreadable')
      return await wait(context, movement, error.message, WAIT_FOR_GAS_SECONDS);
    throw error;
  }
}

async function signAndSend(context: CustodyContext, movement: MovementRow): Promise<NextStep> {
  const { database, clock, walletChains } = context;
  const holder = walletHolder(context, { ...movement, address: movement.wallet });
  const closed = await context.gate.findClosed(holder);
  if (closed !== undefined) return await wait(context, movement, closed, WAIT_FOR_OPERATOR_SECONDS);
  if (isMint(movement) && (await isMadeAlready(context, movement))) return again(0);
  if (await endByWhatWasSent(context, movement, holder.name)) return DONE;
  if (clock.now().getTime() - movement.createdAt.getTime() > GIVE_UP_SECONDS * 1000) {
    const next = await followAuthorisation(context, movement);
    if (next !== undefined) return next;
    await fail(context, movement, `It could not be sent within ${GIVE_UP_SECONDS / 60} minutes and was given up. Nothing was moved.`);
    return DONE;
  }
  const turn = walletChains.turnOf(movement.network, movement.wallet, movement.asset);
  return await takeSigningTurn(database.pool, turn, async () => {
    // The stored intent decides, not what this process remembers of it.
    const stored = await findMovement(database.db, movement.id);
    if (stored?.state !== 'queued') return again(POLL_SECONDS);
    reachCrashPoint('movement.before_sign');
    let signed: SignedTransfer;
    try {
      signed = await sign(context, stored);
    } catch (error) {
      if (error instanceof TransferRefused) return await refuse(context, stored, error);
      throw error;
    }
    reachCrashPoint('movement.after_sign');
    const number = await storeSigned(context, stored, signed);
    if (number === undefined) return again(POLL_SECONDS);
    reachCrashPoint('movement.after_store');
    return await sendStored(context, carriageOf(context, stored), { number }, signed);
  });
}

/**
 * The books may have been restored after another process sent it: then the chain shows its name, or what it was to make. True when that
 * ended the movement.
 */
async function endByWhatWasSent(context: CustodyContext, movement: MovementRow, holder: string): Promise<boolean> {
  const { database, walletChains, mints } = context;
  const { id, network, wallet, asset } = movement;
  const chain = walletChains.open(network, { address: wallet }, asset);
  const found = await findFound(database.db, holder, chain.intentKey(id));
  if (found !== undefined && !isMint(movement)) {
    if (found.destination !== movement.destination) {
      await fail(context, movement, `Under this name ${found.reference} paid another address. Send again with a new Idempotency-Key.`);
      return true;
    }
    await confirmFound(context, { ...movement, amount: found.amount }, found.reference, (tx) => takeFound(tx, found, id));
    return true;
  }
  const made = isMint(movement) ? await mints.findMade(movement, chain) : undefined;
  if (made !== undefined) {
    await confirmFound(context, movement, made, async (tx) => {
      await takeFoundIn(tx, holder, made, id);
      return true;
    });
    return true;
  }
  if (asset === 'native' && chain.countSent !== undefined && (await hasUnnamedSince(database.db, holder, doubtedSince(movement)))) {
    await fail(context, movement, isMint(movement) ? MAYBE_SENT : `${MAYBE_SENT} ${IF_NOT_SENT}`);
    return true;
  }
  return false;
}

/**
 * The network's own coin carries no name on EVM networks. So a transaction that the books lost may be any send that is repeated, for as long as
 * a repeat under an Idempotency-Key is the same send. What was found before the order, its owner may have looked at. A mint is asked for by
 * what it makes.
 */
function doubtedSince(movement: MovementRow): Date {
  const { createdAt, notSentBefore } = movement;
  return notSentBefore || isMint(movement) ? createdAt : new Date(createdAt.getTime() - KEY_HOURS * 3_600_000);
}

const MAYBE_SENT =
  'The wallet made a transaction that our records do not have: a backup was restored, or its key was used elsewhere. So this may have been sent, and nothing was sent now. Look at the wallet on chain.';
const IF_NOT_SENT = `If it is not there, repeat the call with a new Idempotency-Key and not_sent_before: true, or wait for ${KEY_HOURS} hours.`;
const NO_BYTES = { bytes: Buffer.from('found on chain').toString('base64'), validity: '0' };

/** These books never signed it. */
async function confirmFound(
  context: CustodyContext,
  movement: MovementRow,
  reference: string,
  take: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const last = await latestMovementAttempt(context.database.db, movement.id);
  const attempt = { movementId: movement.id, number: (last?.number ?? 0) + 1, rentLamports: 0n };
  await confirm(context, movement, attempt, reference, async (tx) => {
    if (!(await take(tx)) || !(await moveMovement(tx, movement.id, ['queued'], { state: 'unknown', amount: movement.amount })))
      return false;
    await insertMovementAttempt(tx, movement.id, attempt.number, { reference, ...NO_BYTES });
    return true;
  });
}

/**
 * Anybody who saw the bytes of an attempt can submit its authorisation until it lapses. Undefined when nothing of this movement can move
 * money any more, and nothing did.
 */
async function followAuthorisation(context: CustodyContext, movement: MovementRow): Promise<NextStep | undefined> {
  const { database, walletChains } = context;
  const last = isMint(movement) ? undefined : await latestMovementAttempt(database.db, movement.id);
  const chain = walletChains.open(movement.network, { address: movement.wallet }, movement.asset);
  if (last === undefined || chain.isAuthorised === undefined) return undefined;
  // In this order: what is used until the first answer shows in the second.
  const isOpen = await chain.isAuthorised(transferOf(movement), signedOf(last));
  const outcome = await chain.readOutcome(transferOf(movement), signedOf(last));
  if (outcome.state === 'landed') {
    await database.transaction(async (tx) => {
      if (await moveMovement(tx, movement.id, ['queued'], { state: 'unknown' })) await reopenLastAttempt(tx, movement.id);
    });
    return again(0);
  }
  if (!isOpen) return undefined;
  return await wait(
    context,
    movement,
    'It was signed, and others may have seen it. It ends when the signature has lapsed.',
    WAIT_FOR_LAPSE_SECONDS,
  );
}

function signedOf({ reference, signedBytes: bytes, validity }: MovementAttempt): SignedTransfer {
  return { reference, bytes, validity };
}

/** The mint exists although all bytes counted as expired, which only a wrong node can cause. The last ones are looked at again. */
async function isMadeAlready({ database, mints, walletChains, log }: CustodyContext, movement: MovementRow): Promise<boolean> {
  const { id, network, wallet, asset } = movement;
  const last = await latestMovementAttempt(database.db, id);
  if (last === undefined) return false;
  if (!(await mints.isMade(movement, walletChains.open(network, { address: wallet }, asset), last.reference))) return false;
  log.error({ movement: id }, 'a mint exists whose transaction a node had called expired');
  await database.transaction(async (tx) => {
    if (await moveMovement(tx, id, ['queued'], { state: 'unknown' })) await reopenLastAttempt(tx, id);
  });
  return true;
}

/** The key is open for this one signature. */
async function sign(context: CustodyContext, movement: MovementRow): Promise<SignedTransfer> {
  const { network, agentId, asset, amount } = movement;
  const wallet = await requireWallet(context, agentId, networkFacts[network].kind);
  if (wallet.address !== movement.wallet) throw new TransferRefused('other', 'The wallet of this agent has changed.');
  const chain = context.walletChains.open(network, openSigner(context, wallet), asset);
  if (isMint(movement)) return await context.mints.sign(movement, chain);
  return await chain.signTransfer(transferOf(movement), { refuseAccount: await findRefusedAccount(context, movement, amount) });
}

/** The sponsor opens token accounts under the limits of payouts, or a wallet could collect their rent. */
async function findRefusedAccount(context: CustodyContext, movement: MovementRow, amount: bigint): Promise<string | undefined> {
  if (movement.asset !== 'usdc' || !context.walletChains.isSponsored(movement.network, 'usdc')) return undefined;
  const costs = await readAccountCosts(context.database.db, movement);
  const figures = { waitingMicros: 0n, ...costs };
  const refusal = findAccountRefusal(context.accountLimits, figures, amount);
  return refusal?.replace('It is paid when the account exists.', 'Open the account, then send again.');
}

/** Undefined when another process was faster: then these bytes are never sent. */
async function storeSigned({ database }: CustodyContext, movement: MovementRow, signed: SignedTransfer): Promise<number | undefined> {
  return await database.transaction(async (tx) => {
    if (!(await moveMovement(tx, movement.id, ['queued'], { state: 'signed', reason: null }))) return undefined;
    const number = ((await latestMovementAttempt(tx, movement.id))?.number ?? 0) + 1;
    await insertMovementAttempt(tx, movement.id, number, signed);
    reachCrashPoint('movement.before_store_commit');
    return number;
  });
}

function carriageOf(context: CustodyContext, movement: MovementRow): Carriage<MovementAttempt> {
  const { database, walletChains } = context;
  const { id, network, wallet, asset } = movement;
  const chain = walletChains.open(network, { address: wallet }, asset);
  return {
    id,
    chain,
    ...(isMint(movement) && { readOutcome: (signed: SignedTransfer) => context.mints.readOutcome(movement, chain, signed) }),
    transfer: transferOf(movement),
    turn: walletChains.turnOf(network, wallet, asset),
    findLatest: () => latestMovementAttempt(database.db, id),
    async replace(stuck) {
      const row = await requireWallet(context, movement.agentId, networkFacts[network].kind);
      return await walletChains.open(network, openSigner(context, row), asset).replaceTransfer(transferOf(movement), stuck);
    },
    confirm: (attempt, reference) => confirm(context, movement, attempt, reference),
    markSent: ({ number }, state) =>
      database.transaction(async (tx) => {
        if (await moveMovementAttempt(tx, { movementId: id, number }, state)) await moveMovement(tx, id, SIGNED, { state });
      }),
    storeReplacement: (attempt, signed) =>
      database.transaction(async (tx) => {
        if (!(await moveMovementAttempt(tx, attempt, 'replaced'))) return false;
        await insertMovementAttempt(tx, id, attempt.number + 1, signed);
        return true;
      }),
    expire: (attempt) =>
      database.transaction(async (tx) => {
        if (!(await moveMovementAttempt(tx, attempt, 'expired'))) return;
        await moveMovement(tx, id, SIGNED, { state: 'queued', reason: 'the signed transfer expired; it is signed anew' });
      }),
    async fail(attempt, reason) {
      // Kept open, and looked at again by the reconciler, while somebody could still use its authorisation.
      if (!isMint(movement) && (await chain.isAuthorised?.(transferOf(movement), signedOf(attempt))) === true) return;
      await fail(context, movement, wordsOf(movement, new TransferRefused('other', reason)), attempt);
    },
  };
}

function transferOf({ id, destination, asset, amount }: MovementRow): OutgoingTransfer {
  return { intentId: id, destination, asset, amount };
}

async function confirm(
  context: CustodyContext,
  movement: MovementRow,
  attempt: Pick<MovementAttempt, 'movementId' | 'number' | 'rentLamports'>,
  reference: string,
  prepare: (tx: Tx) => Promise<boolean> = async () => true,
): Promise<void> {
  const { database, walletChains, log } = context;
  const { id, network, asset } = movement;
  let frontedNative: bigint | null = null;
  if (walletChains.isSponsored(network, asset)) {
    // The books show what is known: a node that does not show the fee must not keep a movement open.
    const fee = await walletChains.readFee(network, reference).catch((error: unknown) => {
      log.warn({ err: error, movement: id }, 'the fee of a movement could not be read');
      return undefined;
    });
    frontedNative = fee === undefined ? null : fee + attempt.rentLamports;
  }
  // A mint was ordered at its highest cost; the log shows what the wallet paid.
  const paid = isMint(movement) ? { amount: await readPaid(context, movement, reference) } : {};
  const chain = walletChains.open(network, { address: movement.wallet }, asset);
  const made = isMint(movement) ? await context.mints.readMade(movement, chain, reference) : null;
  await database.transaction(async (tx) => {
    if (!(await prepare(tx))) return;
    if (!(await moveMovement(tx, id, SIGNED, { state: 'confirmed', reference, reason: null, frontedNative, ...paid }))) return;
    await moveMovementAttempt(tx, attempt, 'confirmed');
    if (isMint(movement)) await context.mints.confirm(tx, movement, reference, made);
    else await appendMovementEvent(tx, context, movement, 'agent.wallet_sent', { reference });
    reachCrashPoint('movement.before_confirm_commit');
  });
}

async function fail(context: CustodyContext, movement: MovementRow, reason: string, attempt?: MovementAttempt): Promise<void> {
  await context.database.transaction(async (tx) => {
    if (attempt !== undefined && !(await moveMovementAttempt(tx, attempt, 'failed'))) return;
    const from = attempt === undefined ? (['queued'] as const) : SIGNED;
    if (!(await moveMovement(tx, movement.id, from, { state: 'failed', reason }))) return;
    if (isMint(movement)) await context.mints.fail(tx, movement, reason);
    else await appendMovementEvent(tx, context, movement, 'agent.wallet_send_failed', { reason });
    reachCrashPoint('movement.before_fail_commit');
  });
}

async function readPaid(
  { walletChains }: CustodyContext,
  { network, wallet, asset, amount }: MovementRow,
  reference: string,
): Promise<bigint> {
  if (networkFacts[network].kind === 'evm') return (await walletChains.readFee(network, reference)) ?? amount;
  const change = await walletChains.open(network, { address: wallet }, asset).coins?.readCoinChange(reference);
  return change === undefined || change.change >= 0n ? amount : -change.change;
}

/** A sponsor without coins is for the operator to fill; anything else ends the movement. */
async function refuse(context: CustodyContext, movement: MovementRow, error: TransferRefused): Promise<NextStep> {
  const isSponsored = context.walletChains.isSponsored(movement.network, movement.asset);
  if (error.reason === 'insufficient_native' && isSponsored) {
    context.log.error(
      { err: error, movement: movement.id, network: movement.network },
      'a movement waits: the sponsor has no coins for its fee',
    );
    return await wait(context, movement, 'The marketplace has too little of the network’s coin for the fee.', WAIT_FOR_GAS_SECONDS);
  }
  const next = await followAuthorisation(context, movement);
  if (next !== undefined) return next;
  await fail(context, movement, wordsOf(movement, error));
  return DONE;
}

/** The chain adapters speak of the treasury; here the wallet stands in its place. */
function wordsOf({ network, wallet }: MovementRow, error: TransferRefused): string {
  const { symbol } = networkFacts[network].coin;
  if (error.reason === 'insufficient_usdc') return `The wallet ${wallet} holds too little USDC for this. Send less or fund it.`;
  if (error.reason === 'insufficient_native')
    return `The wallet ${wallet} holds too little ${symbol} for this and its fee. Send less or fund it.`;
  return error.message.replace(/\b([Tt])he (?:Solana )?treasury\b/g, '$1he wallet');
}

async function wait(context: CustodyContext, movement: MovementRow, reason: string, seconds: number): Promise<NextStep> {
  await context.database.transaction((tx) => moveMovement(tx, movement.id, [movement.state], { state: movement.state, reason }));
  return again(seconds);
}
