/** Advances one movement out of an agent's wallet: checks whether it may be signed, and books its end. */
import { MarketError, networkFacts } from '@market/contract';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { KEY_HOURS } from '../../platform/idempotency/idempotent-answers.ts';
import { findAccountRefusal } from '../../platform/signer/outflow-limits.ts';
import { findFound, takeFound, takeFoundIn } from '../outgoing/gate/index.ts';
import {
  again,
  type Booking,
  bookOrUndo,
  DONE,
  findLatestAttempt,
  insertFoundAttempt,
  type NextStep,
  type Outgoing,
  openStates,
  POLL_SECONDS,
  reopenLastAttempt,
  settleSigned,
  signAndSend,
  signedOf,
  signedStates,
} from '../outgoing/index.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';
import { isMint } from './mint-movements.ts';
import { appendMovementEvent } from './movement-events.ts';
import { findMovement, type MovementRow, moveMovement, readAccountCosts } from './repository.ts';
import { walletHolder } from './wallet-holder.ts';
import { hasUnnamedSince } from './wallet-holder-repository.ts';
import { openSigner, requireWallet } from './wallet-keys.ts';

const WAIT_FOR_CHAIN_SECONDS = 5;
const WAIT_FOR_GAS_SECONDS = 30;
const WAIT_FOR_OPERATOR_SECONDS = 60;
/** A movement that is still queued after this time fails: it must not leave when the owner no longer expects it. */
const GIVE_UP_SECONDS = 600;
const WAIT_FOR_LAPSE_SECONDS = 60;

export async function advanceMovement(context: AgentWalletsContext, id: string): Promise<NextStep> {
  const movement = await findMovement(context.database.db, id);
  if (movement === undefined || !openStates.some((state) => state === movement.state)) return DONE;
  try {
    return movement.state === 'queued' ? await begin(context, movement) : await settleSigned(context, outgoingOf(context, movement));
  } catch (error) {
    if (error instanceof ChainUnavailable) return await wait(context, movement, error.message, WAIT_FOR_CHAIN_SECONDS);
    if (error instanceof MarketError && error.code === 'wallet_key_unreadable')
      return await wait(context, movement, error.message, WAIT_FOR_GAS_SECONDS);
    throw error;
  }
}

async function begin(context: AgentWalletsContext, movement: MovementRow): Promise<NextStep> {
  const { clock } = context;
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
  return await signAndSend(context, outgoingOf(context, movement));
}

/**
 * After a restore of the books the transaction may be on chain already. The chain then shows the movement's name, or its result. True when
 * that ended the movement.
 */
async function endByWhatWasSent(context: AgentWalletsContext, movement: MovementRow, holder: string): Promise<boolean> {
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
 * A send of the native coin carries no name on EVM networks. So an unknown transaction may be this send, made before a restore and repeated
 * under its Idempotency-Key now. Keys are good for KEY_HOURS. With `notSentBefore` the owner says that earlier transactions are others; mints
 * are found by their result. For both, only transactions found after the request count.
 */
function doubtedSince(movement: MovementRow): Date {
  const { createdAt, notSentBefore } = movement;
  return notSentBefore || isMint(movement) ? createdAt : new Date(createdAt.getTime() - KEY_HOURS * 3_600_000);
}

const MAYBE_SENT =
  'The wallet made a transaction that our records do not have: a backup was restored, or its key was used elsewhere. So this may have been sent, and nothing was sent now. Look at the wallet on chain.';
const IF_NOT_SENT = `If it is not there, repeat the call with a new Idempotency-Key and not_sent_before: true, or wait for ${KEY_HOURS} hours.`;

/** Confirms a movement that the chain shows although these books never signed it. */
async function confirmFound(
  context: AgentWalletsContext,
  movement: MovementRow,
  reference: string,
  take: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const book = await readConfirmed(context, movement, 0n, reference);
  // Nothing is booked when another process has signed the movement meanwhile; then the transaction stays unexplained.
  await bookOrUndo(context.database, async (tx) => {
    if (!(await take(tx)) || !(await moveMovement(tx, movement.id, ['queued'], { state: 'unknown', amount: movement.amount })))
      return false;
    await insertFoundAttempt(tx, movement.id, reference);
    return await book(tx);
  });
}

/**
 * Until an authorisation lapses, anybody who saw its bytes can submit it. Undefined when no authorisation of this movement was used or can
 * still be used.
 */
async function followAuthorisation(context: AgentWalletsContext, movement: MovementRow): Promise<NextStep | undefined> {
  const { database, walletChains } = context;
  const last = isMint(movement) ? undefined : await findLatestAttempt(database.db, movement.id);
  const chain = walletChains.open(movement.network, { address: movement.wallet }, movement.asset);
  if (last === undefined || chain.isAuthorised === undefined) return undefined;
  // Keep this order: a use before the first answer shows in the second.
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

/** True if the mint exists although all attempts counted as expired, because a node was wrong. Then the last attempt is open again. */
async function isMadeAlready({ database, mints, walletChains, log }: AgentWalletsContext, movement: MovementRow): Promise<boolean> {
  const { id, network, wallet, asset } = movement;
  const last = await findLatestAttempt(database.db, id);
  if (last === undefined) return false;
  if (!(await mints.isMade(movement, walletChains.open(network, { address: wallet }, asset), last.reference))) return false;
  log.error({ movement: id }, 'a mint exists whose transaction a node had called expired');
  await database.transaction(async (tx) => {
    if (await moveMovement(tx, id, ['queued'], { state: 'unknown' })) await reopenLastAttempt(tx, id);
  });
  return true;
}

/** Reads the intent from the database again and signs that, not what this process has in memory. */
async function signStored(context: AgentWalletsContext, { id }: MovementRow): Promise<SignedTransfer | NextStep> {
  const stored = await findMovement(context.database.db, id);
  if (stored?.state !== 'queued') return again(POLL_SECONDS);
  try {
    return await sign(context, stored);
  } catch (error) {
    if (error instanceof TransferRefused) return await refuse(context, stored, error);
    throw error;
  }
}

/** Opens the key for this one signature only. */
async function sign(context: AgentWalletsContext, movement: MovementRow): Promise<SignedTransfer> {
  const { network, agentId, asset, amount } = movement;
  const wallet = await requireWallet(context, agentId, networkFacts[network].kind);
  if (wallet.address !== movement.wallet) throw new TransferRefused('other', 'The wallet of this agent has changed.');
  const chain = context.walletChains.open(network, openSigner(context, wallet), asset);
  if (isMint(movement)) return await context.mints.sign(movement, chain);
  return await chain.signTransfer(transferOf(movement), { refuseAccount: await findRefusedAccount(context, movement, amount) });
}

/** Limits the token accounts that the sponsor pays for, as for payouts. Otherwise a wallet could collect their rent. */
async function findRefusedAccount(context: AgentWalletsContext, movement: MovementRow, amount: bigint): Promise<string | undefined> {
  if (movement.asset !== 'usdc' || !context.walletChains.isSponsored(movement.network, 'usdc')) return undefined;
  const costs = await readAccountCosts(context.database.db, movement);
  const figures = { waitingMicros: 0n, ...costs };
  const refusal = findAccountRefusal(context.accountLimits, figures, amount);
  return refusal?.replace('It is paid when the account exists.', 'Open the account, then send again.');
}

/** Describes a movement for `features/outgoing`, which carries all money out. */
function outgoingOf(context: AgentWalletsContext, movement: MovementRow): Outgoing {
  const { walletChains, mints } = context;
  const { id, network, wallet, asset } = movement;
  const chain = walletChains.open(network, { address: wallet }, asset);
  return {
    id,
    chain,
    ...(isMint(movement) && { readOutcome: (signed: SignedTransfer) => mints.readOutcome(movement, chain, signed) }),
    transfer: transferOf(movement),
    turn: walletChains.turnOf(network, wallet, asset),
    sign: () => signStored(context, movement),
    async replace(stuck) {
      const row = await requireWallet(context, movement.agentId, networkFacts[network].kind);
      return await walletChains.open(network, openSigner(context, row), asset).replaceTransfer(transferOf(movement), stuck);
    },
    onConfirmed: ({ rentLamports }, reference) => readConfirmed(context, movement, rentLamports, reference),
    async onFailed(attempt, reason) {
      // While somebody could still use the authorisation, the movement stays open and the reconciler checks it again.
      if (!isMint(movement) && (await chain.isAuthorised?.(transferOf(movement), signedOf(attempt))) === true) return undefined;
      return (tx) => bookFailed(tx, context, movement, signedStates, wordsOf(movement, new TransferRefused('other', reason)));
    },
  };
}

function transferOf({ id, destination, asset, amount }: MovementRow): OutgoingTransfer {
  return { intentId: id, destination, asset, amount };
}

/** Reads the cost of the transaction and returns the booking. The reads come first, outside of the database transaction. */
async function readConfirmed(
  context: AgentWalletsContext,
  movement: MovementRow,
  rentLamports: bigint,
  reference: string,
): Promise<Booking> {
  const { walletChains, log } = context;
  const { id, network, asset } = movement;
  let frontedNative: bigint | null = null;
  if (walletChains.isSponsored(network, asset)) {
    // A node that cannot read the fee must not keep the movement open; the fee then stays unknown.
    const fee = await walletChains.readFee(network, reference).catch((error: unknown) => {
      log.warn({ err: error, movement: id }, 'the fee of a movement could not be read');
      return undefined;
    });
    frontedNative = fee === undefined ? null : fee + rentLamports;
  }
  // A mint reserved its highest cost; the log shows what the wallet paid.
  const paid = isMint(movement) ? { amount: await readPaid(context, movement, reference) } : {};
  const chain = walletChains.open(network, { address: movement.wallet }, asset);
  const made = isMint(movement) ? await context.mints.readMade(movement, chain, reference) : null;
  return async (tx) => {
    if (!(await moveMovement(tx, id, openStates, { state: 'confirmed', reference, reason: null, frontedNative, ...paid }))) return false;
    if (isMint(movement)) await context.mints.confirm(tx, movement, reference, made);
    else await appendMovementEvent(tx, context, movement, 'agent.wallet_sent', { reference });
    return true;
  };
}

/** Ends a movement for which nothing was signed. */
async function fail(context: AgentWalletsContext, movement: MovementRow, reason: string): Promise<void> {
  await context.database.transaction((tx) => bookFailed(tx, context, movement, ['queued'], reason));
}

async function bookFailed(
  tx: Tx,
  context: AgentWalletsContext,
  movement: MovementRow,
  from: readonly MovementRow['state'][],
  reason: string,
): Promise<boolean> {
  if (!(await moveMovement(tx, movement.id, from, { state: 'failed', reason }))) return false;
  if (isMint(movement)) await context.mints.fail(tx, movement, reason);
  else await appendMovementEvent(tx, context, movement, 'agent.wallet_send_failed', { reason });
  reachCrashPoint('movement.before_fail_commit');
  return true;
}

async function readPaid(
  { walletChains }: AgentWalletsContext,
  { network, wallet, asset, amount }: MovementRow,
  reference: string,
): Promise<bigint> {
  if (networkFacts[network].kind === 'evm') return (await walletChains.readFee(network, reference)) ?? amount;
  const change = await walletChains.open(network, { address: wallet }, asset).coins?.readCoinChange(reference);
  return change === undefined || change.change >= 0n ? amount : -change.change;
}

/** Waits when the sponsor has no coins, because an operator has to fund it. Any other refusal ends the movement. */
async function refuse(context: AgentWalletsContext, movement: MovementRow, error: TransferRefused): Promise<NextStep> {
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

/** Rewords errors of the chain adapters, which name the treasury as the sender, for the agent's wallet. */
function wordsOf({ network, wallet }: MovementRow, error: TransferRefused): string {
  const { symbol } = networkFacts[network].coin;
  if (error.reason === 'insufficient_usdc') return `The wallet ${wallet} holds too little USDC for this. Send less or fund it.`;
  if (error.reason === 'insufficient_native')
    return `The wallet ${wallet} holds too little ${symbol} for this and its fee. Send less or fund it.`;
  return error.message.replace(/\b([Tt])he (?:Solana )?treasury\b/g, '$1he wallet');
}

async function wait(context: AgentWalletsContext, movement: MovementRow, reason: string, seconds: number): Promise<NextStep> {
  await context.database.transaction((tx) => moveMovement(tx, movement.id, [movement.state], { state: movement.state, reason }));
  return again(seconds);
}
