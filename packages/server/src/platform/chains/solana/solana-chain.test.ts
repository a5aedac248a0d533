import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createWallet, openSolanaBench, type SolanaBench } from '../../../../testing/solana-test-bench.ts';
import { setOwner } from '../../../../testing/solana-test-instructions.ts';

let bench: SolanaBench;

before(async () => {
  bench = await openSolanaBench();
});
after(() => bench.close());

test('a node of the pinned network is accepted and any other is refused', async () => {
  const { genesisHash } = bench.node;
  await bench.openChain().requireIdentity();
  await bench.openChain({ identity: { genesisHash } }).requireIdentity();
  const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
  await assert.rejects(bench.openChain({ identity: { genesisHash: mainnet } }).requireIdentity(), /serves another network/);
});

test('a USDC mint that does not exist on the node’s network is refused', async () => {
  for (const usdcMint of [createWallet().address, bench.treasury.address]) {
    await assert.rejects(bench.openChain({ usdcMint }).requireIdentity(), /no USDC mint/);
  }
});

test('invalid addresses are refused when the chain is set up', () => {
  assert.throws(() => bench.openChain({ usdcMint: 'usdc' }), /USDC mint is not a Solana address/);
  assert.throws(() => bench.openChain({ treasury: { address: '0x0' } }), /treasury is not a Solana address/);
});

test('balances are the wallet’s SOL and the USDC it still owns', async () => {
  const chain = bench.openChain();
  const wallet = createWallet();
  assert.deepEqual(await chain.readBalances(wallet.address), { usdcMicros: 0n, native: 0n });
  const account = await bench.fund(wallet, 7n, 1_000_000_000n);
  assert.deepEqual(await chain.readBalances(wallet.address), { usdcMicros: 7n, native: 1_000_000_000n });
  await bench.send([setOwner(account, wallet.address, createWallet().address)], [wallet]);
  assert.equal((await chain.readBalances(wallet.address)).usdcMicros, 0n);
});

test('the Solana chain describes itself, and has no contract wallets', async () => {
  const chain = bench.openChain();
  const { network, kind, caip2, treasury } = chain;
  assert.deepEqual(
    { network, kind, caip2, treasury },
    { network: 'solana-mainnet', kind: 'solana', caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', treasury: bench.treasury.address },
  );
  assert.equal(bench.openChain({ caip2: 'solana:sandbox' }).caip2, 'solana:sandbox');
  assert.equal(await chain.verifyContractSignature(treasury, 'text', 'signature'), false);
});
