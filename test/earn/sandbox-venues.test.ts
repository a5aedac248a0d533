/** The sandbox's own vaults, controlled by its operation and its clock. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lendVault, liquidityPool, venuesOf } from '../../packages/server/testing/venue-test-bench.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';

const USDC = 1_000_000n;

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
});
after(() => market.close());

function venues() {
  const chain = market.chains.get('base-mainnet');
  assert.ok(chain);
  return venuesOf(chain);
}

const change = async (status: number, key: string, action: string, usdc?: string) =>
  await expectCall(market.url, status, 'POST /sandbox/earn/venue', { body: { key, action, ...(usdc !== undefined && { usdc }) } });

test('moving the sandbox clock raises the value of lent USDC with the next block', async () => {
  const before = await venues().read(lendVault);
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: 365 * 86_400 } });
  const { totalAssets, pricePerUnit } = await venues().read(lendVault);
  const grown = totalAssets - before.totalAssets;
  assert.ok(grown > 32_000n * USDC && grown < 34_000n * USDC, `${grown}`);
  assert.ok(pricePerUnit > before.pricePerUnit);
});

test('every action of the sandbox changes the vault it names, on the real chain', async () => {
  await change(200, 'lend_a:usdc', 'borrow', '399000');
  assert.equal((await venues().read(lendVault)).freeAssets, 1_000n * USDC);
  await change(200, 'lend_a:usdc', 'repay', '500');
  assert.equal((await venues().read(lendVault)).freeAssets, 1_500n * USDC);
  await change(200, 'lend_a:usdc', 'donate', '1');
  assert.equal((await venues().read(lendVault)).freeAssets, 1_501n * USDC);
  await change(200, 'lend_a:usdc', 'pause');
  assert.equal((await venues().read(lendVault)).paused, true);
  await change(200, 'lend_a:usdc', 'resume');
  assert.equal((await venues().read(lendVault)).paused, false);

  const total = async () => (await venues().read(liquidityPool)).totalAssets;
  const first = await total();
  await change(200, 'usdc-traders', 'traders_win', '1000');
  await change(200, 'usdc-traders', 'traders_lose', '400');
  await change(200, 'usdc-traders', 'accrue_fees', '100');
  assert.equal(await total(), first - 540n * USDC);
  await change(200, 'usdc-traders', 'borrow', '300000');
  assert.equal((await venues().read(liquidityPool)).freeAssets, first - 540n * USDC - 300_000n * USDC);
  await change(200, 'usdc-traders', 'repay', '300000');
});

test('an action that a sandbox vault does not have is refused with an explanation', async () => {
  await change(400, 'lend_a:usdc', 'traders_win', '1');
  await change(400, 'lend_a:usdc', 'borrow');
  await change(400, 'lend_z:usdc', 'pause');
  await change(400, 'lend_a:usdc', 'burn', '1');
});
