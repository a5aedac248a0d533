/** When the treasury may ask something of a venue, and at which bound. */
import { networkFacts, notDepositableReasons, unitsOfOneShare, withSlippage } from '@market/contract';
import { type Chain, ChainUnavailable, type SignedTransfer, TransferRefused } from '../../platform/chains/chain.ts';
import type { VenueAddress, YieldVenues } from '../../platform/chains/yield-venues.ts';
import { OutflowHeld } from '../../platform/signer/outflow-limits.ts';
import { isFairBound } from '../../platform/signer/venue-limits.ts';
import { again, DONE, type NextStep, openStates, POLL_SECONDS, settleSigned, signAndSend } from '../outgoing/index.ts';
import { describeLeft, findSpentBefore, payoutIdFor } from '../payments/index.ts';
import { treasuryHolder } from '../payouts/index.ts';
import { compareLately } from './compare-units.ts';
import { findDeposit } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { holdUndeployed } from './end-deposit.ts';
import { failIntent } from './fail-intent.ts';
import { findIntent, type IntentRow, isUnbooked, moveIntent } from './intent-repository.ts';
import { describeOther, findOtherDeploy } from './lost-deploy.ts';
import { findPartsOf } from './lost-names.ts';
import { outgoingOf } from './outgoing-intent.ts';
import { whyClosed } from './present-market.ts';
import { vaultHolder } from './vault-holder.ts';
import { bookOf, findVault } from './vault-repository.ts';
import type { VaultSetting } from './vault-setting.ts';
import { findVaultSetting, findVenuePort } from './vaults.ts';
import { callOf } from './venue-call.ts';
import { findWithdrawal } from './withdrawal-repository.ts';

const WAIT_FOR_CHAIN_SECONDS = 5;
const WAIT_FOR_FUNDS_SECONDS = 30;
const WAIT_FOR_OPERATOR_SECONDS = 60;

export async function advanceIntent(context: EarnContext, id: string): Promise<NextStep> {
  const intent = await findIntent(context.database.db, id);
  if (intent === undefined || !openStates.some((state) => state === intent.state)) return DONE;
  const port = findVenuePort(context, intent);
  const at = findVaultSetting(context, intent.vaultKey)?.at;
  if (port === undefined || at === undefined) return await wait(context, intent, 'the venue is not configured', WAIT_FOR_OPERATOR_SECONDS);
  try {
    if (intent.state === 'queued') return await begin(context, port.chain, port.venues, { intent, at });
    const ordered = { call: callOf(intent, at), sign: async () => again(POLL_SECONDS) };
    return await settleSigned(context, outgoingOf(context, port.chain, port.venues, intent, ordered));
  } catch (error) {
    if (error instanceof ChainUnavailable) return await wait(context, intent, error.message, WAIT_FOR_CHAIN_SECONDS);
    throw error;
  }
}

interface Ordered {
  readonly intent: IntentRow;
  readonly at: VenueAddress;
}

async function begin(context: EarnContext, chain: Chain, venues: YieldVenues, { intent, at }: Ordered): Promise<NextStep> {
  const reason = await findReasonToWait(context, chain, intent);
  if (reason !== undefined) {
    context.log.error({ intent: intent.id, network: intent.network, reason }, 'an intent of Earn is held back');
    return await wait(context, intent, reason, WAIT_FOR_OPERATOR_SECONDS);
  }
  if (intent.kind === 'deposit' && (await endByOtherDeploy(context, intent))) return DONE;
  const compared = await compareBefore(context, intent);
  if (compared !== undefined) return compared;
  // Before its turn: others wait meanwhile. Whether a vault is closed counts at the last moment.
  const bound = intent.kind === 'redeem' ? await readBound(context, chain, venues, { intent, at }) : undefined;
  if (typeof bound === 'object') return bound;
  const sign = () => signStored(context, chain, venues, { intent, at }, bound);
  return await signAndSend(context, outgoingOf(context, chain, venues, intent, { call: callOf(intent, at), sign }));
}

/** The stored intent decides, not what this process remembers of it. */
async function signStored(
  context: EarnContext,
  chain: Chain,
  venues: YieldVenues,
  { intent, at }: Ordered,
  bound: bigint | undefined,
): Promise<SignedTransfer | NextStep> {
  const stored = await findIntent(context.database.db, intent.id);
  if (stored?.state !== 'queued') return again(POLL_SECONDS);
  try {
    const minOut = bound ?? (await readLeast(context, chain, venues, { intent: stored, at }));
    // Stored first: a separate signer reads the bound from here.
    await context.database.transaction((tx) => moveIntent(tx, stored.id, ['queued'], { state: 'queued', minOut }));
    return await context.venueSigner.sign(stored.network, callOf({ ...stored, minOut }, at));
  } catch (error) {
    if (error instanceof TransferRefused) return await refuse(context, stored, error);
    if (error instanceof OutflowHeld) return await wait(context, stored, error.message, WAIT_FOR_FUNDS_SECONDS);
    throw error;
  }
}

/** Undefined: go on. Units that are missing are everybody's loss, so nobody is redeemed before it is spread. */
async function compareBefore(context: EarnContext, intent: IntentRow): Promise<NextStep | undefined> {
  const vault = findVaultSetting(context, intent.vaultKey);
  if (vault === undefined || intent.kind === 'allow') return undefined;
  const { state, foundUnits } = await compareLately(context, vault);
  if (state === 'unclear') return again(POLL_SECONDS);
  if (intent.kind === 'redeem' && foundUnits > 0n && (await wasRedeemedAnew(context, vault, intent))) {
    const reason = 'Before the marketplace was restored, another call redeemed it.';
    return await failUnsigned(context, intent, reason, { isRefusal: false });
  }
  // A deposit finds its vault impaired, and goes back.
  if (state === 'sound' || intent.kind === 'deposit') return undefined;
  const reason = 'The venue holds less than the book says. An operator spreads the loss first.';
  return await failUnsigned(context, intent, reason, { isRefusal: false });
}

/** Lost books redeemed another part of this withdrawal after this call: the queue books that one. */
async function wasRedeemedAnew({ database, chains }: EarnContext, vault: VaultSetting, intent: IntentRow): Promise<boolean> {
  const chain = chains.get(vault.network);
  if (chain === undefined) return false;
  const parts = await findPartsOf(database.db, chain, vault.key, [{ id: intent.subjectId }]);
  return parts.some(({ intentId }) => intentId !== intent.id);
}

/** Money leaves only while books and chain agree. An intent that lost books had carried out is found on chain when it is signed. */
async function findReasonToWait(context: EarnContext, chain: Chain, intent: IntentRow): Promise<string | undefined> {
  const vault = findVaultSetting(context, intent.vaultKey);
  const units = vault && vaultHolder(context, vault);
  const closed = await context.gate.findClosed(units ?? treasuryHolder(context, chain));
  if (closed !== undefined || intent.kind !== 'deposit') return closed;
  // What went back to its payer goes to no venue.
  const refund = payoutIdFor({ purpose: 'earn_refund', subjectId: intent.subjectId });
  const left = await findSpentBefore(context.database.db, context.chains, intent.subjectId, [refund]);
  return left && `The chain shows that ${describeLeft(left)}. An operator must decide.`;
}

/** True when lost books had deployed the transfer otherwise. */
async function endByOtherDeploy(context: EarnContext, intent: IntentRow): Promise<boolean> {
  const vault = findVaultSetting(context, intent.vaultKey);
  const deposit = { id: intent.subjectId, amountMicros: intent.assets ?? 0n };
  const other = vault && (await findOtherDeploy(context, vault, deposit));
  if (other === undefined) return false;
  const reason = `${describeOther(other)} An operator must decide.`;
  context.log.error({ intent: intent.id, deposit: deposit.id, reason }, 'a deposit is held: lost books deployed its transfer otherwise');
  await context.database.transaction((tx) => holdUndeployed(tx, context, intent, reason));
  return true;
}

async function readBound(context: EarnContext, chain: Chain, venues: YieldVenues, ordered: Ordered): Promise<bigint | NextStep> {
  try {
    return await readLeast(context, chain, venues, ordered);
  } catch (error) {
    if (error instanceof TransferRefused) return await refuse(context, ordered.intent, error);
    throw error;
  }
}

/** The least that must come out, from what the venue says at this moment. */
async function readLeast({ database }: EarnContext, chain: Chain, venues: YieldVenues, { intent, at }: Ordered): Promise<bigint> {
  const { db } = database;
  if (intent.kind === 'deposit') {
    const [deposit, vault] = [await findDeposit(db, intent.subjectId), await findVault(db, intent.vaultKey)];
    const closed = vault === undefined ? null : whyClosed(vault);
    // What the chain shows already cannot go back to its payer.
    if (closed !== null && !(await isUnbooked(db, chain.intentKey(intent.id))))
      throw new TransferRefused('venue', notDepositableReasons[closed]);
    const assets = intent.assets ?? 0n;
    const expected = await venues.previewDeposit(at, assets);
    const slippageBps = deposit?.slippageBps ?? 0;
    // A gift to a venue can make a unit so dear that rounding eats the deposit: what the units are worth counts, too.
    if ((await venues.valueOf(at, expected)) < withSlippage(assets, slippageBps) - 1n)
      throw new TransferRefused('venue', 'The units that the venue gives are worth less than the deposit.');
    const least = withSlippage(expected, slippageBps);
    const ofOneShare = vault === undefined ? 1n : unitsOfOneShare(bookOf(vault));
    if (least < ofOneShare) return ofOneShare;
    return least;
  }
  if (intent.kind === 'allow') return 0n;
  const withdrawal = await findWithdrawal(db, intent.subjectId);
  const units = intent.units ?? 0n;
  // With the venue's fee for leaving: a bound above it would be refused for ever, and nobody passes the head of the queue.
  const least = withSlippage(await venues.previewRedeem(at, units), withdrawal?.slippageBps ?? 0);
  if (!isFairBound(least, await venues.valueOf(at, units)))
    throw new TransferRefused('venue', 'The venue pays much less than the units are worth.');
  return least;
}

/** A treasury without coins is for the operator to fill; what the venue refuses ends the intent. */
async function refuse(context: EarnContext, intent: IntentRow, error: TransferRefused): Promise<NextStep> {
  if (error.reason === 'insufficient_native' || error.reason === 'insufficient_usdc') {
    const { symbol } = networkFacts[intent.network].coin;
    context.log.error({ err: error, intent: intent.id, coin: symbol }, 'an intent of Earn waits for funds of the treasury');
    return await wait(context, intent, error.message, WAIT_FOR_FUNDS_SECONDS);
  }
  context.log.warn({ err: error, intent: intent.id }, 'a venue refused an intent of Earn');
  return await failUnsigned(context, intent, error.message);
}

/** Another process may have signed it meanwhile: then the chain decides. */
async function failUnsigned(
  context: EarnContext,
  intent: IntentRow,
  reason: string,
  more: { readonly isRefusal?: boolean } = {},
): Promise<NextStep> {
  const hasFailed = await context.database.transaction((tx) => failIntent(tx, context, intent, reason, { from: ['queued'], ...more }));
  return hasFailed ? DONE : again(POLL_SECONDS);
}

async function wait(context: EarnContext, intent: IntentRow, reason: string, seconds: number): Promise<NextStep> {
  await context.database.transaction((tx) => moveIntent(tx, intent.id, [intent.state], { state: intent.state, reason }));
  return again(seconds);
}
