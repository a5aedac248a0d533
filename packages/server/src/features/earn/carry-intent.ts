/** Where an intent of Earn is stored and who signs it, for the code that all outgoing transactions share. */
import { type Chain, ChainUnavailable } from '../../platform/chains/chain.ts';
import type { VenueCall, YieldVenues } from '../../platform/chains/yield-venues.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { type Carriage, treasuryTurn } from '../payouts/index.ts';
import { compareUntilClear } from './compare-units.ts';
import { findDeposit } from './deposit-repository.ts';
import type { EarnContext } from './earn-context.ts';
import { settleQueueJob } from './earn-job-names.ts';
import { holdDeposit, mintDeposit } from './end-deposit.ts';
import { takeRedeemed } from './end-redeem.ts';
import { failIntent } from './fail-intent.ts';
import {
  type IntentAttempt,
  type IntentRow,
  insertIntentAttempt,
  latestIntentAttempt,
  moveIntent,
  moveIntentAttempt,
  openIntentStates,
  signedIntentStates,
} from './intent-repository.ts';
import { type RedeemOfDeposit, readRedeemsOf } from './lost-of-deposit.ts';
import { findVaultSetting } from './vaults.ts';

/** A result that cannot be read for so long is for a person to look at. */
const UNREADABLE_SECONDS = 600;

export function carriageOf(
  context: EarnContext,
  chain: Chain,
  venues: YieldVenues,
  intent: IntentRow,
  call: VenueCall,
): Carriage<IntentAttempt> {
  const { database, venueSigner } = context;
  return {
    id: intent.id,
    chain,
    transfer: { intentId: intent.id, destination: intent.router, asset: 'usdc', amount: intent.assets ?? 0n },
    readOutcome: (signed) => venues.readOutcome(call, signed),
    turn: treasuryTurn(chain),
    findLatest: () => latestIntentAttempt(database.db, intent.id),
    replace: (stuck) => venueSigner.replace(intent.network, call, stuck),
    confirm: (attempt, reference) => confirm(context, chain, venues, { intent, call, attempt, reference }),
    markSent: ({ number }, state) =>
      database.transaction(async (tx) => {
        if (await moveIntentAttempt(tx, { intentId: intent.id, number }, state))
          await moveIntent(tx, intent.id, signedIntentStates, { state });
      }),
    storeReplacement: (attempt, signed) =>
      database.transaction(async (tx) => {
        if (!(await moveIntentAttempt(tx, attempt, 'replaced'))) return false;
        await insertIntentAttempt(tx, intent.id, attempt.number + 1, signed);
        return true;
      }),
    expire: (attempt) =>
      database.transaction(async (tx) => {
        if (!(await moveIntentAttempt(tx, attempt, 'expired'))) return;
        await moveIntent(tx, intent.id, signedIntentStates, {
          state: 'queued',
          reason: 'the signed transaction expired; it is signed anew',
        });
      }),
    fail: (attempt, reason) =>
      database.transaction(async (tx) => {
        if (await moveIntentAttempt(tx, attempt, 'failed')) await failIntent(tx, context, intent, reason, { from: signedIntentStates });
      }),
  };
}

interface Landed {
  readonly intent: IntentRow;
  readonly call: VenueCall;
  readonly attempt: IntentAttempt;
  readonly reference: string;
}

/** Everything is read before the transaction begins: what the router measured, and what reached the treasury. */
async function confirm(context: EarnContext, chain: Chain, venues: YieldVenues, landed: Landed): Promise<void> {
  const { intent, call, attempt, reference } = landed;
  const { database } = context;
  if (intent.kind === 'allow') {
    await database.transaction(async (tx) => {
      if (!(await moveIntent(tx, intent.id, openIntentStates, { state: 'confirmed', reference, reason: null }))) return;
      await moveIntentAttempt(tx, attempt, 'confirmed');
      await enqueueJobs(tx, [settleQueueJob(intent.vaultKey)]);
    });
    return;
  }
  const result = await venues.readResult(call, reference);
  if (result === undefined) return await awaitResult(context, landed);
  if (intent.kind === 'deposit') {
    reachCrashPoint('earn.after_deploy');
    const redeems = await readLostRedeems(context, intent);
    await requireWhole(context, intent);
    await database.transaction((tx) => mintDeposit(tx, context, chain, intent, attempt, { reference, result, redeems }));
    return;
  }
  reachCrashPoint('earn.after_redeem');
  const reading = result.assets === 0n ? undefined : await chain.readReceipt(reference, { notesKnown: true });
  if (reading !== undefined && (reading.state !== 'landed' || reading.receipt.finality !== 'final'))
    throw new ChainUnavailable(intent.network, 'the redeemed USDC is not final yet');
  const receipt = reading?.state === 'landed' ? reading.receipt : undefined;
  if (receipt !== undefined && receipt.receivedMicros < result.assets)
    throw new ChainUnavailable(intent.network, 'the treasury received less than the router sent');
  await database.transaction((tx) => takeRedeemed(tx, context, chain, intent, attempt, { reference, result, receipt }));
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
async function awaitResult(context: EarnContext, { intent, attempt }: Landed): Promise<void> {
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
