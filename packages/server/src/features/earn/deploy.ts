/** The call that brings a deposit into its venue: when it may be signed, at which bound, and what its result books. */
import { closedReason, notDepositableReasons, unitsOfOneShare, withSlippage } from '@market/contract';
import { ChainUnavailable, TransferRefused } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import { larger } from '../../platform/larger-and-smaller.ts';
import { describeLeft, findSpentBefore, namesOfDeploys, payoutIdFor } from '../payments/index.ts';
import type { CallKind, Landed } from './call-kind.ts';
import { compareLately, compareUntilClear } from './compare-units.ts';
import { findDeposit } from './deposit-repository.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { giveBackDeposit, holdDeposit, holdUndeployed, mintDeposit } from './end-deposit.ts';
import { listFoundRedeems } from './found-redeem-repository.ts';
import { findUnbookedDeploy, type IntentRow, isUnbooked, type UnbookedDeploy } from './intent-repository.ts';
import { describeOther, findOtherDeploy, readRedeemsOf } from './lost-deposit.ts';
import { bookOf, findVault } from './vault-repository.ts';

/** After so long, an unreadable result needs an operator. */
const UNREADABLE_SECONDS = 600;

export const deploy: CallKind = {
  async prepare(context, vault, intent) {
    const { db } = context.database;
    const { subjectId } = intent;
    // Before a restore, the money may have gone back to its payer, or left for something else.
    const left = await findSpentBefore(db, context.chains, subjectId, [payoutIdFor({ purpose: 'earn_refund', subjectId })]);
    if (left !== undefined) return { state: 'held', reason: `The chain shows that ${describeLeft(left)}. An operator must decide.` };
    const names = namesOfDeploys(subjectId).map((name) => vault.chain.intentKey(name));
    const deployed = await findUnbookedDeploy(db, names);
    if (deployed !== undefined && (await holdIfOther(context, vault, intent, deployed))) return { state: 'ended' };
    // A vault that lacks units is impaired now: the deposit finds it closed, and goes back.
    const { state } = await compareLately(context, vault);
    return state === 'unclear' ? { state } : { state: 'ready', readLeast: () => readLeastUnits(context, vault, intent) };
  },

  async readConfirmed(context, vault, landed) {
    const { intent, call, reference } = landed;
    const { db } = context.database;
    const result = await vault.venues.readResult(call, reference);
    if (result === undefined) return await awaitResult(context, landed);
    reachCrashPoint('earn.after_deploy');
    const deposit = await findDeposit(db, intent.subjectId);
    const found = await listFoundRedeems(db, vault.key);
    const redeems = deposit === undefined || found.length === 0 ? [] : await readRedeemsOf(context, vault, deposit, found);
    // Minting uses the price of the book, so missing units must be spread first.
    if ((await compareUntilClear(context, vault)).state === 'missing') throw new ChainUnavailable(intent.network, MISSING);
    return (tx) => mintDeposit(tx, context, vault, intent, { reference, result, redeems });
  },

  giveBack: (tx, _context, intent, { reason }) => giveBackDeposit(tx, intent, reason),
};

const MISSING = 'the venue holds less than the book of the vault says: shares wait until an operator spreads the loss';

/** True when lost books had deployed the transfer otherwise. */
async function holdIfOther(context: EarnContext, vault: VenuePort, intent: IntentRow, deployed: UnbookedDeploy): Promise<boolean> {
  const { database, log } = context;
  const other = await findOtherDeploy(context, vault, { id: intent.subjectId, amountMicros: intent.assets ?? 0n }, deployed);
  if (other === undefined) return false;
  const reason = `${describeOther(other)} An operator must decide.`;
  log.error({ intent: intent.id, deposit: intent.subjectId, reason }, 'a deposit is held: lost books deployed its transfer otherwise');
  await database.transaction((tx) => holdUndeployed(tx, context, intent, reason));
  return true;
}

/** The fewest units that the venue must give. Asked in the turn, so that a vault closed meanwhile refuses the deposit. */
async function readLeastUnits({ database: { db } }: EarnContext, { at, chain, venues }: VenuePort, intent: IntentRow): Promise<bigint> {
  const [deposit, vault] = [await findDeposit(db, intent.subjectId), await findVault(db, intent.vaultKey)];
  const closed = vault === undefined ? null : closedReason(vault, bookOf(vault));
  // Lost books deployed it: it cannot go back to its payer.
  if (closed !== null && !(await isUnbooked(db, chain.intentKey(intent.id))))
    throw new TransferRefused('venue', notDepositableReasons[closed]);
  const assets = intent.assets ?? 0n;
  const expected = await venues.previewDeposit(at, assets);
  const slippageBps = deposit?.slippageBps ?? 0;
  // A gift to a venue can make one unit so dear that rounding eats the deposit, so the value of the units counts, too.
  if ((await venues.valueOf(at, expected)) < withSlippage(assets, slippageBps) - 1n)
    throw new TransferRefused('venue', 'The units that the venue gives are worth less than the deposit.');
  return larger(withSlippage(expected, slippageBps), vault === undefined ? 1n : unitsOfOneShare(bookOf(vault)));
}

/** The router's event and storage disagree, or no node shows them: wait, and hold the deposit after a while. */
async function awaitResult(context: EarnContext, { intent, attempt }: Landed): Promise<never> {
  const { clock, database, log } = context;
  if (clock.now().getTime() - attempt.createdAt.getTime() > UNREADABLE_SECONDS * 1000) {
    log.error({ intent: intent.id }, 'the result of a deploy cannot be read: its deposit is held');
    await database.transaction(async (tx) => {
      const deposit = await findDeposit(tx, intent.subjectId);
      if (deposit !== undefined) await holdDeposit(tx, context, deposit, 'What the venue gave for it cannot be read.');
    });
  }
  throw new ChainUnavailable(intent.network, 'the result of the router cannot be read');
}
