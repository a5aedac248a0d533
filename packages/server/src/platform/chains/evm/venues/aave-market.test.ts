import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { refusedFor, somebody, startTestChain, type TestChain, USDC } from '../../../../../testing/evm-test-chain.ts';
import {
  allowNow,
  deployAaveMarket,
  depositNow,
  depositOf,
  redeemOf,
  resultNow,
  venuesOf,
} from '../../../../../testing/venue-test-bench.ts';
import type { YieldVenues } from '../../yield-venues.ts';

const [ACTIVE, FROZEN, PAUSED] = [56n, 57n, 60n];
const RAY = 10n ** 27n;

describe('a market of Aave v3 behind its ERC-4626 wrapper', () => {
  let evm: TestChain;
  let venues: YieldVenues;
  let market: Awaited<ReturnType<typeof deployAaveMarket>>;

  before(async () => {
    evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    venues = venuesOf(evm.chain);
    market = await deployAaveMarket(evm, await evm.createPerson());
  });

  test('the check accepts an Aave market behind its wrapper, and refuses a wrapper of another market', async () => {
    assert.equal(await venues.check(market.at), undefined);
    await market.setReserve({ aToken: somebody() });
    assert.match((await venues.check(market.at)) ?? '', /does not wrap the USDC of Aave/);
    await market.setReserve({});
  });

  test('an Aave market takes a deposit, states Aave’s rate, and pays from the Pool’s cash alone', async () => {
    await market.setReserve({ rate: (RAY * 412n) / 10_000n });
    assert.equal((await venues.read(market.at)).supplyAprPct, 4.12);
    const { units } = await depositNow(evm.chain, market.at, 200n * USDC);
    await market.setReserve({ lent: 150n * USDC });
    const { freeAssets, redeemableUnits } = await venues.read(market.at);
    assert.equal(freeAssets, 50n * USDC);
    assert.ok(redeemableUnits <= units / 4n && redeemableUnits > units / 5n);
    await allowNow(evm.chain, market.at);
    await assert.rejects(venues.sign(redeemOf(market.at, units, 1n)), refusedFor('venue'));
    await resultNow(evm.chain, redeemOf(market.at, redeemableUnits, 1n));
  });

  test('an Aave market that is frozen takes nothing and pays; one that is paused or inactive does neither', async () => {
    await market.setReserve({ bits: [ACTIVE, FROZEN] });
    const frozen = await venues.read(market.at);
    assert.deepEqual([frozen.paused, frozen.depositableAssets], [false, 0n]);
    assert.ok(frozen.redeemableUnits > 0n);
    await assert.rejects(venues.sign(depositOf(market.at, USDC, 1n)), refusedFor('venue'));
    for (const bits of [[ACTIVE, PAUSED], []]) {
      await market.setReserve({ bits });
      const { paused, depositableAssets, redeemableUnits, freeAssets } = await venues.read(market.at);
      assert.deepEqual([paused, depositableAssets, redeemableUnits, freeAssets], [true, 0n, 0n, 0n]);
    }
  });
});
