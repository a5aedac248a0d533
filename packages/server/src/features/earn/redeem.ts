/** The calls that the queue makes: `redeem` takes the units of a withdrawal out of the venue, `allow` permits the router to do so. */
import { decideWithdrawal, withSlippage } from '@market/contract';
import { ChainUnavailable, TransferRefused } from '../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { isFairBound } from '../../platform/signer/venue-limits.ts';
import { openStates, stepJob } from '../outgoing/index.ts';
import type { CallKind } from './call-kind.ts';
import { compareLately } from './compare-units.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { settlingQueue } from './earn-job-names.ts';
import { takeRedeemed } from './end-redeem.ts';
import { type IntentRow, moveIntent } from './intent-repository.ts';
import { findPartsOf } from './lost-names.ts';
import { countRefusal, findWithdrawal, moveWithdrawal } from './withdrawal-repository.ts';

const TRY_AGAIN_SECONDS = 60;

export const redeem: CallKind = {
  async prepare(context, vault, intent) {
    const { state, foundUnits } = await compareLately(context, vault);
    if (state === 'unclear') return { state };
    if (foundUnits > 0n && (await wasRedeemedAnew(context, vault, intent)))
      return { state: 'failed', reason: 'Before the marketplace was restored, another call redeemed it.' };
    // Missing units are a loss of all holders: nobody is redeemed before it is spread.
    if (state === 'missing')
      return { state: 'failed', reason: 'The venue holds less than the book says. An operator spreads the loss first.' };
    const least = await readLeastAssets(context, vault, intent);
    return { state: 'ready', readLeast: async () => least };
  },

  async readConfirmed(context, { chain, venues }, { intent, call, reference }) {
    const result = await venues.readResult(call, reference);
    if (result === undefined) throw new ChainUnavailable(intent.network, 'the result of the router cannot be read');
    reachCrashPoint('earn.after_redeem');
    const reading = result.assets === 0n ? undefined : await chain.readReceipt(reference, { notesKnown: true });
    if (reading !== undefined && (reading.state !== 'landed' || reading.receipt.finality !== 'final'))
      throw new ChainUnavailable(intent.network, 'the redeemed USDC is not final yet');
    const receipt = reading?.state === 'landed' ? reading.receipt : undefined;
    if (receipt !== undefined && receipt.receivedMicros < result.assets)
      throw new ChainUnavailable(intent.network, 'the treasury received less than the router sent');
    return (tx) => takeRedeemed(tx, context, chain, intent, { reference, result, receipt });
  },

  /** The withdrawal goes back to the queue and keeps its place. */
  async giveBack(tx, context, intent, { reason, isRefusal }) {
    const withdrawal = await findWithdrawal(tx, intent.subjectId);
    const to = withdrawal && decideWithdrawal(withdrawal.status, 'give_back');
    if (withdrawal !== undefined && to !== undefined) {
      await moveWithdrawal(tx, withdrawal.id, withdrawal.status, to, { reason });
      if (isRefusal) await countRefusal(tx, withdrawal.id);
    }
    await settleLater(tx, context, intent);
  },
};

/** Once per venue: the router may redeem the treasury's units, for the treasury only. */
export const allow: CallKind = {
  prepare: async () => ({ state: 'ready', readLeast: async () => 0n }),
  readConfirmed:
    async (_context, _vault, { intent, reference }) =>
    async (tx) => {
      if (!(await moveIntent(tx, intent.id, openStates, { state: 'confirmed', reference, reason: null }))) return false;
      await enqueueJobs(tx, [stepJob(settlingQueue, intent.vaultKey)]);
      return true;
    },
  giveBack: settleLater,
};

async function settleLater(tx: Tx, { clock }: Pick<EarnContext, 'clock'>, { vaultKey }: IntentRow): Promise<void> {
  await enqueueJobs(tx, [stepJob(settlingQueue, vaultKey, new Date(clock.now().getTime() + TRY_AGAIN_SECONDS * 1000))]);
}

/** True if lost books redeemed the withdrawal under another name: the queue books that redemption. */
async function wasRedeemedAnew({ database }: EarnContext, { chain, key }: VenuePort, intent: IntentRow): Promise<boolean> {
  const parts = await findPartsOf(database.db, chain, key, [{ id: intent.subjectId }]);
  return parts.some(({ intentId }) => intentId !== intent.id);
}

async function readLeastAssets({ database }: EarnContext, { at, venues }: VenuePort, intent: IntentRow): Promise<bigint> {
  const withdrawal = await findWithdrawal(database.db, intent.subjectId);
  const units = intent.units ?? 0n;
  // The preview counts the venue's exit fee: a bound above it would be refused for ever, and block the queue.
  const least = withSlippage(await venues.previewRedeem(at, units), withdrawal?.slippageBps ?? 0);
  if (!isFairBound(least, await venues.valueOf(at, units)))
    throw new TransferRefused('venue', 'The venue pays much less than the units are worth.');
  return least;
}
