import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS } from '@market/sandbox/evm';
import { refusedFor, somebody, startTestChain, type TestChain, USDC } from '../../../../../testing/evm-test-chain.ts';
import {
  allowNow,
  carryOut,
  depositNow,
  depositOf,
  lendVault,
  liquidityPool,
  openVenueControls,
  redeemOf,
  resultNow,
  untilDecided,
  venuesOf,
} from '../../../../../testing/venue-test-bench.ts';
import type { YieldVenues } from '../../yield-venues.ts';

const DAY = 86_400;
const near = (a: bigint, b: bigint, tolerance: bigint) => (a > b ? a - b : b - a) <= tolerance;

describe('yield venues of the sandbox', () => {
  let chain: TestChain;
  let venues: YieldVenues;
  let controls: Awaited<ReturnType<typeof openVenueControls>>;

  before(async () => {
    chain = await startTestChain({ treasury: { micros: 10_000n * USDC } });
    venues = venuesOf(chain.chain);
    controls = await openVenueControls(chain);
  });

  test('both venues and the router of the sandbox pass the check', async () => {
    assert.equal(await venues.check(lendVault), undefined);
    assert.equal(await venues.check(liquidityPool), undefined);
  });

  test('a wrong address is explained to the operator', async () => {
    assert.match((await venues.check({ ...lendVault, router: LEND_VAULT_ADDRESS })) ?? '', /not the Earn router/);
    assert.match((await venues.check({ ...lendVault, router: somebody() })) ?? '', /no router at/);
    assert.match((await venues.check({ ...lendVault, venue: somebody() })) ?? '', /no contract at/);
    assert.match((await venues.check({ ...lendVault, venue: chain.chain.usdcAddress })) ?? '', /names no asset/);
    assert.match((await venues.check({ ...lendVault, adapter: 'aave_v3', pool: LIQUIDITY_POOL_ADDRESS })) ?? '', /Aave/);
  });

  test('the lending vault states its rate, its size and its available part', async () => {
    const reading = await venues.read(lendVault);
    assert.equal(reading.unitDecimals, 12);
    assert.ok(reading.totalAssets >= 1_000_000n * USDC);
    assert.equal(reading.freeAssets, 400_000n * USDC);
    assert.ok(near(reading.pricePerUnit, USDC * 10n ** 12n, 10n ** 14n));
    assert.equal(reading.heldUnits, 0n);
    assert.ok(reading.supplyAprPct !== null && reading.supplyAprPct > 3 && reading.supplyAprPct < 4);
    assert.equal(reading.feeAprPct, null);
    assert.equal(reading.paused, false);
    assert.ok(reading.blockNumber > 0n);
  });

  test('the pool states its fee rate from the providers’ 60% of a day’s fees', async () => {
    const { feeAprPct, supplyAprPct, totalAssets } = await venues.read(liquidityPool);
    assert.equal(supplyAprPct, null);
    assert.equal(totalAssets, 500_000n * USDC);
    // Genesis contains 5 USDC of fees for each of the last 24 hours.
    assert.ok(feeAprPct !== null && Math.abs(feeAprPct - (120 * 0.6 * 365 * 100) / 500_000) < 0.3, String(feeAprPct));
  });

  test('a deposit gives the previewed units, grows with the chain’s clock, and comes back with interest', async () => {
    const { units, assets } = await depositNow(chain.chain, lendVault, 1_000n * USDC);
    assert.equal(assets, 1_000n * USDC);
    assert.equal((await venues.read(lendVault)).heldUnits, units);
    const first = await venues.valueOf(lendVault, units);
    assert.ok(near(first, 1_000n * USDC, 10n));
    await chain.node.advance(30 * DAY);
    const grown = await venues.valueOf(lendVault, units);
    const expected = (1_000n * USDC * 33n * 30n) / (1000n * 365n);
    assert.ok(near(grown - first, expected, expected / 20n), `${grown - first} of ${expected}`);

    assert.equal(await venues.readAllowance(lendVault), 0n);
    await assert.rejects(venues.sign(redeemOf(lendVault, units, 1n)), refusedFor('account'));
    await allowNow(chain.chain, lendVault);
    const before = await chain.balanceOf(chain.treasuryWallet.account.address);
    const back = await resultNow(chain.chain, redeemOf(lendVault, units, (grown * 99n) / 100n));
    assert.equal(back.units, units);
    assert.ok(back.assets >= grown);
    assert.equal(await chain.balanceOf(chain.treasuryWallet.account.address), before + back.assets);
    assert.equal((await venues.read(lendVault)).heldUnits, 0n);
  });

  test('cash limits what can be redeemed, and a repayment frees it', async () => {
    const { units } = await depositNow(chain.chain, lendVault, 1_000n * USDC);
    const { freeAssets } = await venues.read(lendVault);
    await controls.lend('borrow', freeAssets - 100n * USDC);
    const dry = await venues.read(lendVault);
    assert.equal(dry.freeAssets, 100n * USDC);
    assert.ok(dry.redeemableUnits < units / 9n && dry.redeemableUnits > 0n);
    assert.ok((dry.supplyAprPct ?? 0) > 20, 'a dry vault pays more');
    await assert.rejects(venues.sign(redeemOf(lendVault, units, 1n)), refusedFor('venue'));
    const part = await resultNow(chain.chain, redeemOf(lendVault, dry.redeemableUnits, 90n * USDC));
    assert.ok(part.assets <= 100n * USDC);
    await controls.lend('repay', 200_000n * USDC);
    assert.ok((await venues.read(lendVault)).redeemableUnits >= units - part.units);
  });

  test('a pool falls when traders win and rises when they lose and pay fees', async () => {
    const price = async () => (await venues.read(liquidityPool)).pricePerUnit;
    const first = await price();
    await controls.pool('tradersWin', 50_000n * USDC);
    const fallen = await price();
    assert.ok(near(fallen * 10n, first * 9n, first / 1000n));
    await controls.pool('tradersLose', 25_000n * USDC);
    const risen = await price();
    assert.ok(risen > fallen && risen < first);
    const total = (await venues.read(liquidityPool)).totalAssets;
    await controls.pool('accrueFees', 1_000n * USDC);
    assert.equal((await venues.read(liquidityPool)).totalAssets - total, 600n * USDC);
    await controls.pool('openPositions', 400_000n * USDC);
    assert.equal((await venues.read(liquidityPool)).freeAssets, total + 600n * USDC - 400_000n * USDC);
    await controls.pool('closePositions', 400_000n * USDC);
  });

  test('a paused venue accepts and pays nothing, and says so', async () => {
    await controls.pause(LIQUIDITY_POOL_ADDRESS);
    const { paused, depositableAssets, redeemableUnits, freeAssets } = await venues.read(liquidityPool);
    assert.deepEqual([paused, depositableAssets, redeemableUnits, freeAssets], [true, 0n, 0n, 0n]);
    await assert.rejects(venues.previewDeposit(liquidityPool, USDC), refusedFor('venue'));
    await assert.rejects(venues.sign(depositOf(liquidityPool, USDC, 1n)), refusedFor('venue'));
    await controls.unpause(LIQUIDITY_POOL_ADDRESS);
    assert.equal((await venues.read(liquidityPool)).paused, false);
  });

  test('a donation raises the price of all units and mints none', async () => {
    const before = await venues.read(liquidityPool);
    await controls.donate(LIQUIDITY_POOL_ADDRESS, 10_000n * USDC);
    const after = await venues.read(liquidityPool);
    assert.equal(after.totalUnits, before.totalUnits);
    assert.ok(after.pricePerUnit > before.pricePerUnit);
  });

  test('a price that moves between preview and signature is refused, and the USDC stays in the treasury', async () => {
    const units = await venues.previewDeposit(liquidityPool, 1_000n * USDC);
    const holdings = await chain.balanceOf(chain.treasuryWallet.account.address);
    await controls.donate(LIQUIDITY_POOL_ADDRESS, 50_000n * USDC);
    await assert.rejects(venues.sign(depositOf(liquidityPool, 1_000n * USDC, (units * 99n) / 100n)), (error: Error) =>
      /too few units/.test(error.message),
    );
    assert.equal(await chain.balanceOf(chain.treasuryWallet.account.address), holdings);
  });

  test('the same intent signed and sent twice deposits once and redeems once', async () => {
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const first = await carryOut(chain.chain, call);
    const again = await venues.sign(call);
    await chain.chain.broadcast(again);
    assert.equal(first.outcome.state, 'landed');
    assert.deepEqual(await untilDecided(chain.chain, call, again), first.outcome);
    const held = (await venues.read(lendVault)).heldUnits;

    const redeem = redeemOf(lendVault, 10n ** 13n, 1n);
    const one = await venues.sign(redeem);
    const two = await venues.sign(redeem);
    await chain.chain.broadcast(one);
    assert.equal((await untilDecided(chain.chain, redeem, one)).state, 'landed');
    await chain.chain.broadcast(two).catch(() => undefined);
    const three = await venues.sign(redeem);
    await chain.chain.broadcast(three);
    assert.deepEqual(await untilDecided(chain.chain, redeem, three), await untilDecided(chain.chain, redeem, one));
    assert.equal((await venues.read(lendVault)).heldUnits, held - 10n ** 13n);
  });

  test('the refusal names a treasury with too little USDC or ether as the cause', async () => {
    const holdings = await chain.balanceOf(chain.treasuryWallet.account.address);
    await assert.rejects(venues.sign(depositOf(lendVault, holdings + 1n, 1n)), refusedFor('insufficient_usdc'));
  });
});
