/** Advances a payout: decides when it may leave, and books its end. */
import { type Chain, ChainUnavailable, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import { findAccountRefusal, findHold, OutflowHeld } from '../../platform/signer/outflow-limits.ts';
import { unbooked } from '../ledger/index.ts';
import {
  again,
  DONE,
  moveIntent,
  type NextStep,
  type OpenState,
  type Outgoing,
  POLL_SECONDS,
  settleSigned,
  signAndSend,
  signedStates,
} from '../outgoing/index.ts';
import {
  areReceiptsFinal,
  describeLeft,
  findSpentBefore,
  findSurplusSpentBefore,
  isPaymentReverted,
  listReferencesOf,
  payerOfSurplus,
} from '../payments/index.ts';
import { type AddressHold, findAddressHold } from '../wallet-keys/index.ts';
import { confirmPayout, confirmSeen, describePayout } from './confirm-payout.ts';
import { transferOf } from './payout-signer.ts';
import type { SendingContext } from './payouts-context.ts';
import { otherNamesOf } from './queue-payout.ts';
import { findPayout, type PayoutRow } from './repository.ts';
import {
  assignUnbooked,
  findPaidAgentId,
  findPaidBy,
  findUnbooked,
  hasUnbooked,
  isDelayAnnounced,
  lockOutflow,
  readSigningFacts,
  type SigningFacts,
  type UnbookedRow,
} from './sending-repository.ts';
import { treasuryHolder } from './treasury-holder.ts';

const WAIT_FOR_FUNDS_SECONDS = 30;
const WAIT_FOR_CHAIN_SECONDS = 5;
/** A reverted payment may return, but seldom soon. */
const WAIT_FOR_PAYMENT_SECONDS = 30;
const WAIT_FOR_ADDRESS_SECONDS = 600;

export async function advancePayout(context: SendingContext, payoutId: string): Promise<NextStep> {
  const payout = await findPayout(context.database.db, payoutId);
  if (payout === undefined || ['confirmed', 'parked', 'void'].includes(payout.state)) return DONE;
  const chain = context.chains.get(payout.network);
  if (chain === undefined) return await wait(context, payout, `no node is configured for ${payout.network}`, WAIT_FOR_CHAIN_SECONDS);
  try {
    return payout.state === 'queued'
      ? await begin(context, chain, payout)
      : await settleSigned(context, outgoingOf(context, chain, payout));
  } catch (error) {
    if (error instanceof ChainUnavailable) return await wait(context, payout, error.message, WAIT_FOR_CHAIN_SECONDS);
    throw error;
  }
}

/** Money that came in must be final before money goes out for it. */
async function begin(context: SendingContext, chain: Chain, payout: PayoutRow): Promise<NextStep> {
  if (await isPaymentReverted(context.database.db, payout.subjectId)) {
    return await wait(context, payout, 'its chain took the payment back; nothing leaves for it', WAIT_FOR_PAYMENT_SECONDS);
  }
  if (!(await areReceiptsFinal(context.database.db, payout))) {
    return await wait(context, payout, 'waiting until the payment is final', POLL_SECONDS);
  }
  await context.gate.requireCompared(treasuryHolder(context, chain));
  if (await confirmUnbooked(context, payout)) return DONE;
  const held = await findRestoreHold(context, payout);
  if (held !== undefined) return await wait(context, payout, held.reason, secondsUntil(context, held.until));
  return await signAndSend(context, outgoingOf(context, chain, payout));
}

async function sign(context: SendingContext, payout: PayoutRow): Promise<SignedTransfer | NextStep> {
  const facts = await readSigningFacts(context.database.db, payout.id);
  const held = findReasonToWait(context, payout, facts);
  if (held !== undefined) return await hold(context, payout, held);
  try {
    return await context.signer.sign(payout, { refuseAccount: findAccountRefusal(context.limits, facts, payout.amountMicros) });
  } catch (error) {
    if (error instanceof TransferRefused) return await refuse(context, payout, error);
    if (error instanceof OutflowHeld) return await hold(context, payout, error.message);
    throw error;
  }
}

/** Holds a payout to an address that a restore brought back. */
async function findRestoreHold(context: SendingContext, payout: PayoutRow): Promise<AddressHold | undefined> {
  const { db } = context.database;
  const agentId = await findPaidAgentId(db, payout);
  const { destination, createdAt: chosenAt } = payout;
  return agentId && (await findAddressHold(db, context, { agentId, destination, chosenAt }));
}

/** Caps the wait: the owner may sign an address meanwhile. */
function secondsUntil({ clock }: SendingContext, time: Date): number {
  return Math.min(Math.max((time.getTime() - clock.now().getTime()) / 1000, 1), WAIT_FOR_ADDRESS_SECONDS);
}

/** Why nothing is signed now; undefined when all is well. The stored intent decides, not what this process remembers of it. */
function findReasonToWait({ limits }: SendingContext, payout: PayoutRow, facts: SigningFacts): string | undefined {
  if (facts.closedFor !== null) return facts.closedFor;
  if (facts.destination !== payout.destination || facts.amountMicros !== payout.amountMicros || facts.state !== 'queued')
    return 'the payout changed before it was signed; it is tried again';
  if (facts.reservedMicros !== payout.amountMicros) return 'the books do not hold the amount of this payout; an operator must look at it';
  return findHold(limits, facts, payout);
}

/** Restored books may queue a payout that was paid long ago. True if the chain has shown that payment. */
async function confirmUnbooked(context: SendingContext, payout: PayoutRow): Promise<boolean> {
  if (!(await hasUnbooked(context.database.db))) return false;
  const paid = await findPaidBefore(context, payout);
  const seen = paid ?? (await findSpent(context, payout));
  if (seen === undefined) return false;
  const isSame = seen.network === payout.network && seen.destination === payout.destination && seen.amountMicros === payout.amountMicros;
  await context.database.transaction(async (tx) => {
    if (paid !== undefined && isSame) {
      const booked = await confirmSeen(tx, context, payout, seen.reference, unbooked(payout.network));
      if (booked) await assignUnbooked(tx, seen, payout.id);
      return;
    }
    await park(tx, context, payout, `The chain shows that ${describeLeft(seen)}. An operator must decide.`, ['queued']);
  });
  return true;
}

/** The unbooked transfer under the name of this payout, or under another name of the same money. */
async function findPaidBefore({ database: { db }, chains }: SendingContext, payout: PayoutRow): Promise<UnbookedRow | undefined> {
  const find = (ids: readonly string[]) =>
    findUnbooked(
      db,
      ids.flatMap((id) => [...chains.values()].map((chain) => chain.intentKey(id))),
    );
  const own = await find([payout.id]);
  if (own !== undefined) return own;
  const references = payout.purpose === 'surplus' ? await listReferencesOf(db, payout.network, payerOfSurplus(payout.subjectId)) : [];
  return await find(otherNamesOf(payout, await findPaidBy(db, payout.subjectId), references));
}

/** The unbooked transfer for another use of the payment behind this payout. */
async function findSpent(
  { database: { db }, chains }: SendingContext,
  { purpose, subjectId }: PayoutRow,
): Promise<UnbookedRow | undefined> {
  if (purpose === 'surplus') return await findSurplusSpentBefore(db, chains, payerOfSurplus(subjectId));
  // A withdrawal is paid by its venue.
  return purpose === 'earn_withdrawal' ? undefined : await findSpentBefore(db, chains, subjectId);
}

/** The payout as `outgoing` carries it. */
function outgoingOf(context: SendingContext, chain: Chain, payout: PayoutRow): Outgoing {
  return {
    id: payout.id,
    chain,
    transfer: transferOf(payout),
    turn: treasuryTurn(chain),
    sign: () => sign(context, payout),
    replace: (stuck) => context.signer.replace(payout, stuck),
    async mayStore(tx) {
      await lockOutflow(tx);
      return findReasonToWait(context, payout, await readSigningFacts(tx, payout.id)) === undefined;
    },
    onConfirmed: async (_attempt, reference) => (tx) => confirmPayout(tx, context, payout, reference),
    onFailed: async (_attempt, reason) => (tx) => park(tx, context, payout, reason, signedStates),
  };
}

/** The treasury signs one transaction at a time on each network. */
export const treasuryTurn = (chain: Chain): string => `${chain.caip2}/${chain.treasury}`;

/** A limit is reached or outflow is closed: the payout stays queued, and operators are notified. */
async function hold(context: SendingContext, payout: PayoutRow, reason: string): Promise<NextStep> {
  context.log.error({ payout: payout.id, network: payout.network, reason }, 'a payout is held back');
  return await wait(context, payout, reason, WAIT_FOR_FUNDS_SECONDS);
}

/** Without funds or gas the payout waits and is tried again. A destination that cannot receive is parked for a person. */
async function refuse(context: SendingContext, payout: PayoutRow, error: TransferRefused): Promise<NextStep> {
  if (error.reason === 'insufficient_usdc' || error.reason === 'insufficient_native') {
    context.log.error({ err: error, payout: payout.id }, 'a payout waits for funds');
    await context.database.transaction((tx) => announceDelay(tx, context, payout, error.message));
    return await wait(context, payout, error.message, WAIT_FOR_FUNDS_SECONDS);
  }
  const parkedFor = error.reason === 'account' ? { parkedFor: 'account' as const } : {};
  if (error.reason === 'account') context.log.warn({ payout: payout.id, reason: error.message }, 'a payout waits for a token account');
  await context.database.transaction((tx) => park(tx, context, payout, error.message, ['queued'], parkedFor));
  return DONE;
}

/** Notifies once per payout. */
async function announceDelay(tx: Tx, context: SendingContext, payout: PayoutRow, reason: string): Promise<void> {
  if (!(await moveIntent(tx, payout.id, ['queued'], { state: 'queued' })) || (await isDelayAnnounced(tx, payout))) return;
  await context.events.append(tx, [
    { type: 'payout.delayed', subjectId: payout.subjectId, data: { ...describePayout(payout, null), reason } },
  ]);
}

/** False when another process was faster: the chain then decides what became of the signed bytes. */
async function park(
  tx: Tx,
  context: SendingContext,
  payout: PayoutRow,
  reason: string,
  from: readonly OpenState[],
  parkedFor: { readonly parkedFor?: 'account' } = {},
): Promise<boolean> {
  if (!(await moveIntent(tx, payout.id, from, { state: 'parked', reason, ...parkedFor }))) return false;
  await context.events.append(tx, [
    { type: 'payout.parked', subjectId: payout.subjectId, data: { ...describePayout(payout, null), reason } },
  ]);
  return true;
}

async function wait(context: SendingContext, payout: PayoutRow, reason: string, seconds: number): Promise<NextStep> {
  await context.database.transaction((tx) => moveIntent(tx, payout.id, [payout.state], { state: payout.state, reason }));
  return again(seconds);
}
