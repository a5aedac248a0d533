/**
 * A second node's opinion about vaults. Both must agree that a call can never land, and on the amounts it moved. They must agree on prices,
 * too, which set the slippage limit of a transaction.
 */
import { agreeOnOutcome, keepUnavailable } from './agree-on-outcome.ts';
import { type Chain, ChainUnavailable } from './chain.ts';

/** Two nodes may be a few blocks apart, and interest accrues per block. */
const TOLERATED_PER_MILLE = 5n;

export function withTwoVenues(
  { network, venues }: Chain,
  { venues: second }: Chain,
  prove: () => Promise<void>,
  fromMicros: bigint,
): Pick<Chain, 'venues'> {
  if (venues === undefined || second === undefined) return {};
  const requireClose = (a: bigint, b: bigint): bigint => {
    const apart = a > b ? a - b : b - a;
    if (apart * 1_000n > a * TOLERATED_PER_MILLE) throw new ChainUnavailable(network, 'nodes disagree about the price of a vault');
    return a;
  };
  return {
    venues: {
      ...venues,
      async readHeld(at, calls) {
        const asked = prove().then(() => second.readHeld(at, calls));
        const [held, opinion] = await Promise.all([venues.readHeld(at, calls), asked]);
        const same = calls.every(({ intentId }) => held.moved.get(intentId)?.units === opinion.moved.get(intentId)?.units);
        if (same && held.heldUnits === opinion.heldUnits) return held;
        // The nodes may be a few blocks apart: the next look compares again.
        throw new ChainUnavailable(network, 'nodes disagree about what a vault holds');
      },
      async previewDeposit(at, assets) {
        const units = await venues.previewDeposit(at, assets);
        if (assets < fromMicros) return units;
        await prove();
        return requireClose(units, await second.previewDeposit(at, assets));
      },
      async previewRedeem(at, units) {
        await prove();
        return requireClose(await venues.previewRedeem(at, units), await second.previewRedeem(at, units));
      },
      async valueOf(at, units) {
        // Asked for any amount: a lying node could state a small one to avoid the comparison.
        await prove();
        return requireClose(await venues.valueOf(at, units), await second.valueOf(at, units));
      },
      async readOutcome(call, signed) {
        const asked = prove().then(() => second.readOutcome(call, signed));
        const [outcome, opinion] = await Promise.all([venues.readOutcome(call, signed), asked.catch(keepUnavailable)]);
        return agreeOnOutcome(outcome, opinion);
      },
      async readResult(call, reference) {
        const asked = prove().then(() => second.readResult(call, reference));
        const [result, opinion] = await Promise.all([venues.readResult(call, reference), asked]);
        if (result?.assets === opinion?.assets && result?.units === opinion?.units) return result;
        throw new ChainUnavailable(network, `nodes disagree about ${reference}`);
      },
    },
  };
}
