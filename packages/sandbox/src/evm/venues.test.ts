import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Address, Hex } from 'viem';
import { encodeFunctionData, maxUint256 } from 'viem';
import { EARN_ROUTER_ADDRESS, LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS } from './contracts/addresses.ts';
import { earnRouter } from './contracts/compiled/earn-router.generated.ts';
import { sandboxLendVault } from './contracts/compiled/sandbox-lend-vault.generated.ts';
import { sandboxLiquidityPool } from './contracts/compiled/sandbox-liquidity-pool.generated.ts';
import type { EvmNode } from './node.ts';
import { connect, createPayer, startTestNode, usdc } from './test-node.ts';

const USDC = 1_000_000n;
const YEAR = 365 * 86_400;

describe('the vaults of a new chain', () => {
  let node: EvmNode;
  let reader: ReturnType<typeof connect>;

  const endings: (() => unknown)[] = [];

  before(async () => {
    node = await startTestNode({ after: (end) => endings.unshift(end) });
    reader = connect(node);
  });
  after(async () => {
    for (const end of endings) await end();
  });

  const read = async (address: Address, functionName: 'totalAssets' | 'cash' | 'totalSupply') =>
    await reader.readContract({ address, abi: sandboxLendVault.abi, functionName });

  type Payer = Awaited<ReturnType<typeof createPayer>>;
  async function call(payer: Payer, to: Address, data: Hex): Promise<void> {
    const hash = await payer.sendTransaction({ to, data, gas: 400_000n });
    assert.equal((await reader.waitForTransactionReceipt({ hash })).status, 'success');
  }
  const approve = (payer: Payer, venue: Address) =>
    call(payer, usdc.address, encodeFunctionData({ abi: usdc.abi, functionName: 'approve', args: [venue, maxUint256] }));
  const deposit = (payer: Payer, venue: Address, micros: bigint) =>
    call(payer, venue, encodeFunctionData({ abi: sandboxLendVault.abi, functionName: 'deposit', args: [micros, payer.account.address] }));
  const worthOf = async (payer: Payer, venue: Address) => {
    const units = await reader.readContract({
      address: venue,
      abi: sandboxLendVault.abi,
      functionName: 'balanceOf',
      args: [payer.account.address],
    });
    return await reader.readContract({ address: venue, abi: sandboxLendVault.abi, functionName: 'convertToAssets', args: [units] });
  };

  test('hold USDC of an anchor depositor, beside a router with the compiled code', async () => {
    assert.equal(await reader.getCode({ address: EARN_ROUTER_ADDRESS }), earnRouter.runtimeCode);
    assert.ok((await read(LEND_VAULT_ADDRESS, 'totalAssets')) >= 1_000_000n * USDC);
    assert.equal(await read(LIQUIDITY_POOL_ADDRESS, 'totalAssets'), 500_000n * USDC);
    const supply = await reader.readContract({ ...usdc, functionName: 'totalSupply' });
    assert.equal(supply, 900_000n * USDC, 'USDC counts what they hold');
  });

  test('pay interest by block time: simple between changes, higher when more is lent', async () => {
    const before = await read(LEND_VAULT_ADDRESS, 'totalAssets');
    await node.advance(YEAR);
    const slow = (await read(LEND_VAULT_ADDRESS, 'totalAssets')) - before;
    // 600,000 lent at 60% of utilisation: 1% and three quarters of 6%.
    assert.ok(slow > 32_990n * USDC && slow < 33_010n * USDC, `${slow}`);
    await node.steerVenue({ venue: LEND_VAULT_ADDRESS, action: 'borrow', micros: 390_000n * USDC });
    const dry = await read(LEND_VAULT_ADDRESS, 'totalAssets');
    await node.advance(YEAR);
    assert.ok((await read(LEND_VAULT_ADDRESS, 'totalAssets')) - dry > 10n * slow);
    await node.steerVenue({ venue: LEND_VAULT_ADDRESS, action: 'repay', micros: 390_000n * USDC });
  });

  test('are steered by the faucet alone', async () => {
    const stranger = await createPayer(node, { micros: 100n * USDC });
    for (const functionName of ['pause', 'unpause'] as const) {
      const data = encodeFunctionData({ abi: sandboxLendVault.abi, functionName });
      await assert.rejects(reader.call({ account: stranger.account, to: LEND_VAULT_ADDRESS, data }), /only the faucet/);
    }
    const data = encodeFunctionData({ abi: sandboxLiquidityPool.abi, functionName: 'tradersWin', args: [1n] });
    await assert.rejects(reader.call({ account: stranger.account, to: LIQUIDITY_POOL_ADDRESS, data }), /only the faucet/);
  });

  test('an attacker who is first in an empty vault and donates loses more than the second depositor', async () => {
    const [attacker, victim] = await Promise.all([
      createPayer(node, { micros: 10_000n * USDC }),
      createPayer(node, { micros: 1_000n * USDC }),
    ]);
    const hash = await attacker.deployContract({ abi: sandboxLendVault.abi, bytecode: sandboxLendVault.creationCode });
    const { contractAddress: vault } = await reader.waitForTransactionReceipt({ hash });
    assert.ok(vault);
    await Promise.all([approve(attacker, vault), approve(victim, vault)]);
    await deposit(attacker, vault, 1n);
    await call(attacker, usdc.address, encodeFunctionData({ abi: usdc.abi, functionName: 'transfer', args: [vault, 5_000n * USDC] }));
    await deposit(victim, vault, 1_000n * USDC);
    const [lost, kept] = [5_000n * USDC + 1n - (await worthOf(attacker, vault)), await worthOf(victim, vault)];
    assert.ok(lost > 2_000n * USDC, `the attacker lost ${lost}`);
    assert.ok(kept > 999n * USDC, `the victim kept ${kept}`);
  });
});
