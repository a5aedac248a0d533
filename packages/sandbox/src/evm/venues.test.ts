import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Address, Hex } from 'viem';
import { encodeFunctionData, maxUint256 } from 'viem';
import { EARN_ROUTER_ADDRESS, LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS, USDC_ADDRESS } from './contracts/addresses.ts';
import { earnRouter } from './contracts/compiled/earn-router.generated.ts';
import { sandboxLendVault } from './contracts/compiled/sandbox-lend-vault.generated.ts';
import { sandboxLiquidityPool } from './contracts/compiled/sandbox-liquidity-pool.generated.ts';
import { sandboxUsdc } from './contracts/compiled/sandbox-usdc.generated.ts';
import type { Genesis } from './genesis.ts';
import type { EvmNode } from './node.ts';
import { connect, createPayer, createTestFolder, startTestNode, usdc } from './test-node.ts';

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

  test('the vaults of a new chain hold USDC of an anchor depositor, and the router has the compiled code', async () => {
    assert.equal(await reader.getCode({ address: EARN_ROUTER_ADDRESS }), earnRouter.runtimeCode);
    assert.ok((await read(LEND_VAULT_ADDRESS, 'totalAssets')) >= 1_000_000n * USDC);
    assert.equal(await read(LIQUIDITY_POOL_ADDRESS, 'totalAssets'), 500_000n * USDC);
    const supply = await reader.readContract({ ...usdc, functionName: 'totalSupply' });
    assert.equal(supply, 900_000n * USDC, 'USDC counts what they hold');
  });

  test('a sandbox vault pays interest by block time: simple between changes, higher when more is lent', async () => {
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

  test('only the faucet can change a sandbox vault', async () => {
    const stranger = await createPayer(node, { micros: 100n * USDC });
    for (const functionName of ['pause', 'unpause'] as const) {
      const data = encodeFunctionData({ abi: sandboxLendVault.abi, functionName });
      await assert.rejects(reader.call({ account: stranger.account, to: LEND_VAULT_ADDRESS, data }), /only the faucet/);
    }
    const data = encodeFunctionData({ abi: sandboxLiquidityPool.abi, functionName: 'tradersWin', args: [1n] });
    await assert.rejects(reader.call({ account: stranger.account, to: LIQUIDITY_POOL_ADDRESS, data }), /only the faucet/);
  });

  test('an attacker who deposits first into an empty sandbox vault and donates loses more than the second depositor', async () => {
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

test('a folder of an earlier version keeps its EVM chain and gets missing vaults, once', async (t) => {
  const stateFolder = await createTestFolder(t);
  await (await startTestNode(t, { stateFolder })).close();
  await makeOlder(stateFolder);

  const older = await startTestNode(t, { stateFolder });
  let reader = connect(older);
  const assets = (address: Address) => reader.readContract({ address, abi: sandboxLendVault.abi, functionName: 'totalAssets' });
  const supply = () => reader.readContract({ ...usdc, functionName: 'totalSupply' });
  assert.equal(await reader.getCode({ address: EARN_ROUTER_ADDRESS }), earnRouter.runtimeCode);
  assert.equal(await assets(LIQUIDITY_POOL_ADDRESS), 500_000n * USDC);
  const payer = await createPayer(older, { micros: 10n * USDC });
  const vault = { abi: sandboxLendVault.abi, address: LEND_VAULT_ADDRESS } as const;
  for (const hash of [
    await payer.writeContract({ ...usdc, functionName: 'approve', args: [LEND_VAULT_ADDRESS, maxUint256] }),
    await payer.writeContract({ ...vault, functionName: 'deposit', args: [5n * USDC, payer.account.address], gas: 400_000n }),
  ])
    assert.equal((await reader.waitForTransactionReceipt({ hash })).status, 'success');
  // A reorganisation does not remove them either.
  await older.setFault({ mode: 'reorg' });
  assert.equal(await reader.getCode({ address: EARN_ROUTER_ADDRESS }), earnRouter.runtimeCode);
  const [head, held, minted] = [await reader.getBlock(), await assets(LIQUIDITY_POOL_ADDRESS), await supply()];
  await older.close();

  reader = connect(await startTestNode(t, { stateFolder }));
  assert.deepEqual(await reader.getBlock({ blockNumber: head.number }), head);
  assert.deepEqual([await assets(LIQUIDITY_POOL_ADDRESS), await supply()], [held, minted]);
});

/** Writes a folder as a version without vaults would. */
async function makeOlder(stateFolder: string): Promise<void> {
  const file = join(stateFolder, 'genesis.json');
  const genesis = JSON.parse(await readFile(file, 'utf8')) as Genesis;
  const later: readonly string[] = [EARN_ROUTER_ADDRESS, LEND_VAULT_ADDRESS, LIQUIDITY_POOL_ADDRESS];
  const minter = BigInt(sandboxUsdc.slots.minter);
  const accounts = genesis.accounts
    .filter(({ address }) => !later.includes(address))
    .map((account) => {
      if (account.address !== USDC_ADDRESS) return account;
      return { ...account, storage: Object.fromEntries(Object.entries(account.storage ?? {}).filter(([slot]) => BigInt(slot) === minter)) };
    });
  await writeFile(file, JSON.stringify({ ...genesis, accounts }));
  await rm(join(stateFolder, 'journal.jsonl'), { force: true });
}
