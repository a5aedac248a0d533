import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS } from './contracts/addresses.ts';
import { sandboxLendVault } from './contracts/compiled/sandbox-lend-vault.generated.ts';
import { sandboxLiquidityPool } from './contracts/compiled/sandbox-liquidity-pool.generated.ts';
import { connect, startTestNode } from './test-node.ts';

const USDC = 1_000_000n;

test('each act does to its venue what it says, and the other venue refuses it', async (t) => {
  const node = await startTestNode(t);
  const client = connect(node);
  const lend = { address: LEND_VAULT_ADDRESS, abi: sandboxLendVault.abi } as const;
  const pool = { address: LIQUIDITY_POOL_ADDRESS, abi: sandboxLiquidityPool.abi } as const;
  const cash = () => client.readContract({ ...lend, functionName: 'cash' });
  const pooled = () => client.readContract({ ...pool, functionName: 'totalAssets' });
  const free = () => client.readContract({ ...pool, functionName: 'cash' });
  const [lendBefore, poolBefore] = [await cash(), await pooled()];

  await node.steerVenue({ venue: 'lend', act: 'borrow', micros: 1_000n * USDC });
  assert.equal(await cash(), lendBefore - 1_000n * USDC);
  await node.steerVenue({ venue: 'lend', act: 'repay', micros: 400n * USDC });
  assert.equal(await cash(), lendBefore - 600n * USDC);

  await node.steerVenue({ venue: 'pool', act: 'accrue_fees', micros: 10n * USDC });
  assert.equal(await pooled(), poolBefore + 6n * USDC, 'providers get 60%');
  await node.steerVenue({ venue: 'pool', act: 'traders_lose', micros: 50n * USDC });
  await node.steerVenue({ venue: 'pool', act: 'traders_win', micros: 120n * USDC });
  assert.equal(await pooled(), poolBefore - 64n * USDC);
  await node.steerVenue({ venue: 'pool', act: 'open_positions', micros: 30n * USDC });
  assert.equal(await free(), poolBefore - 94n * USDC);
  await node.steerVenue({ venue: 'pool', act: 'close_positions', micros: 30n * USDC });
  assert.equal(await free(), poolBefore - 64n * USDC);

  await node.steerVenue({ venue: 'pool', act: 'pause' });
  assert.equal(await client.readContract({ ...pool, functionName: 'paused' }), true);
  await node.steerVenue({ venue: 'pool', act: 'unpause' });
  assert.equal(await client.readContract({ ...pool, functionName: 'paused' }), false);

  await assert.rejects(node.steerVenue({ venue: 'lend', act: 'traders_win', micros: 1n }), /does not know/);
  await assert.rejects(node.steerVenue({ venue: 'lend', act: 'borrow' }), /above 0/);
});
