/** What the machine of all money out needs to know of an intent of Earn. */
import { type Chain, ChainUnavailable, type SignedTransfer } from '../../platform/chains/chain.ts';
import type { VenueCall, YieldVenues } from '../../platform/chains/yield-venues.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { type Attempt, type Booking, type NextStep, type Outgoing, openStates, signedStates } from '../outgoing/index.ts';
import { treasuryTurn } from '../payouts/index.ts';
import { compareUntilClear } from './compare-units.ts';
import { findDeposit } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { settleQueueJob } from './earn-job-names.ts';
import { holdDeposit, mintDeposit } from './end-deposit.ts';
import { takeRedeemed } from './end-redeem.ts';
import { failIntent } from './fail-intent.ts';
import { type IntentRow, moveIntent } from './intent-repository.ts';
import { type RedeemOfDeposit, readRedeemsOf } from './lost-of-deposit.ts';
import { findVaultSetting } from './vaults.ts';

/** A result that cannot be read for so long is for a person to look at. */
const UNREADABLE_SECONDS = 600;

export function outgoingOf(
  context: EarnContext,
  chain: Chain,
  venues: YieldVenues,
  intent: IntentRow,
  ordered: { readonly call: VenueCall; sign(): Promise<SignedTransfer | NextStep> },
): Outgoing {
  const { venueSigner } = context;
  const { call } = ordered;
  return {
    id: intent.id,
    chain,
    transfer: { intentId: intent.id, destination: intent.router, asset: 'usdc', amount: intent.assets ?? 0n },
    readOutcome: (signed) => venues.readOutcome(call, signed),
    turn: treasuryTurn(chain),
    sign: ordered.sign,
    replace: (stuck) => venueSigner.replace(intent.network, call, stuck),
    onConfirmed: (attempt, reference) => readConfirmed(context, chain, venues, { intent, call, attempt, reference }),
    onFailed: async (_attempt, reason) => (tx) => failIntent(tx, context, intent, reason, { from: signedStates }),
  };
}

interface Landed {
  readonly intent: IntentRow;
  readonly call: VenueCall;
  readonly attempt: Attempt;
  readonly reference: string;
}

/** Everything is read before the transaction begins: what the router measured, and what reached the treasury. */
async function readConfirmed(context: EarnContext, chain: Chain, venues: YieldVenues, landed: Landed): Promise<Booking> {
  const { intent, call, reference } = landed;
  if (intent.kind === 'allow') {
    return async (tx) => {
      if (!(await moveIntent(tx, intent.id, openStates, { state: 'confirmed', reference, reason: null }))) return false;
      await enqueueJobs(tx, [settleQueueJob(intent.vaultKey)]);
      return true;
    };
  }
  const result = await venues.readResult(call, reference);
  if (result === undefined) return await awaitResult(context, landed);
  if (intent.kind === 'deposit') {
    reachCrashPoint('earn.after_deploy');
    const redeems = await readLostRedeems(context, intent);
    await requireWhole(context, intent);
    return (tx) => mintDeposit(tx, context, chain, intent, { reference, result, redeems });
  }
  reachCrashPoint('earn.after_redeem');
  const reading = result.assets === 0n ? undefined : await chain.readReceipt(reference, { notesKnown: true });
  if (reading !== undefined && (reading.state !== 'landed' || reading.receipt.finality !== 'final'))
    throw new ChainUnavailable(intent.network, 'the redeemed USDC is not final yet');
  const receipt = reading?.state === 'landed' ? reading.receipt : undefined;
  if (receipt !== undefined && receipt.receivedMicros < result.assets)
    throw new ChainUnavailable(intent.network, 'the treasury received less than the router sent');
  return (tx) => takeRedeemed(tx, context, chain, intent, { reference, result, receipt });
}

/** Shares are minted at the price of the book: what is missing must be spread first. */
async function requireWhole(context: EarnContext, { vaultKey, network }: IntentRow): Promise<void> {
  const vault = findVaultSetting(context, vaultKey);
  if (vault === undefined || (await compareUntilClear(context, vault)).state !== 'missing') return;
  throw new ChainUnavailable(
    network,
    'the venue holds less than the book of the vault says: shares wait until an operator spreads the loss',
  );
}

async function readLostRedeems(context: EarnContext, { subjectId, vaultKey }: IntentRow): Promise<readonly RedeemOfDeposit[]> {
  const { db } = context.database;
  const [deposit, vault] = [await findDeposit(db, subjectId), findVaultSetting(context, vaultKey)];
  return deposit === undefined || vault === undefined ? [] : await readRedeemsOf(db, context, vault, deposit);
}

/** Event and storage of the router do not agree, or no node shows them. Nothing is guessed. */
async function awaitResult(context: EarnContext, { intent, attempt }: Landed): Promise<never> {
  const { clock, database, log } = context;
  if (intent.kind === 'deposit' && clock.now().getTime() - attempt.createdAt.getTime() > UNREADABLE_SECONDS * 1000) {
    log.error({ intent: intent.id }, 'the result of a deploy cannot be read: its deposit is held');
    await database.transaction(async (tx) => {
      const deposit = await findDeposit(tx, intent.subjectId);
      if (deposit !== undefined) await holdDeposit(tx, context, deposit, 'What the venue gave for it cannot be read.');
    });
  }
  throw new ChainUnavailable(intent.network, 'the result of the router cannot be read');
}
