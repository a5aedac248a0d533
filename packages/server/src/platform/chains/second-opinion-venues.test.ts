import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { startTestChain, type TestChain, USDC } from '../../../testing/evm-test-chain.ts';
import { carryOut, depositOf, lendVault, venuesOf } from '../../../testing/venue-test-bench.ts';
import { type Chain, ChainUnavailable } from './chain.ts';
import { withSecondOpinion } from './second-opinion.ts';
import type { YieldVenues } from './yield-venues.ts';

describe('C09: two nodes about a vault', () => {
  let evm: TestChain;
  const FROM = 50n * USDC;

  before(async () => {
    evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
  });

  function besides(change: (honest: YieldVenues) => YieldVenues): YieldVenues {
    const other: Chain = { ...evm.chain, venues: change(venuesOf(evm.chain)) };
    return venuesOf(withSecondOpinion(evm.chain, other, FROM));
  }

  test('two nodes about a vault: prices that differ by more than half a percent are refused; small deposits ask one node', async () => {
    const lying = besides((honest) => ({
      ...honest,
      previewDeposit: async (at, assets) => ((await honest.previewDeposit(at, assets)) * 98n) / 100n,
      valueOf: async (at, units) => ((await honest.valueOf(at, units)) * 102n) / 100n,
    }));
    await assert.rejects(lying.previewDeposit(lendVault, FROM), ChainUnavailable);
    assert.ok((await lying.previewDeposit(lendVault, FROM - 1n)) > 0n);
    await assert.rejects(lying.valueOf(lendVault, 10n ** 12n), ChainUnavailable);
    assert.ok((await besides((honest) => honest).valueOf(lendVault, 10n ** 12n)) > 0n);
  });

  test('two nodes about a vault: a call is expired only if both say so, and its result counts only if both show the same', async () => {
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const { signed, outcome } = await carryOut(evm.chain, call);
    assert.equal(outcome.state, 'landed');
    const lying = besides((honest) => ({
      ...honest,
      readOutcome: async () => ({ state: 'expired' }),
      readResult: async () => ({ assets: 100n * USDC, units: 1n }),
    }));
    assert.equal((await lying.readOutcome(call, signed)).state, 'landed');
    await assert.rejects(lying.readResult(call, outcome.reference), ChainUnavailable);
    assert.deepEqual(
      await besides((honest) => honest).readResult(call, outcome.reference),
      await venuesOf(evm.chain).readResult(call, outcome.reference),
    );
    const silent = besides((honest) => ({
      ...honest,
      readOutcome: async () => {
        throw new ChainUnavailable('base-mainnet', 'down');
      },
    }));
    assert.deepEqual(await silent.readOutcome(call, signed), { ...outcome, finality: 'seen' });
  });
});
