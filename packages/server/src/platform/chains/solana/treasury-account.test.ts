import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createWallet, openSolanaBench, type SolanaBench, USDC_MINT, type Wallet } from '../../../../testing/solana-test-bench.ts';
import { setOwner, transfer } from '../../../../testing/solana-test-instructions.ts';
import { TransferRefused } from '../chain.ts';
import { ensureTreasuryAccount } from './treasury-account.ts';

let bench: SolanaBench;

before(async () => {
  bench = await openSolanaBench();
});
after(() => bench.close());

const ensure = (treasury: Wallet | { address: string }) =>
  ensureTreasuryAccount({ network: 'solana-mainnet', usdcMint: USDC_MINT, treasury, rpc: bench.connect() });

/** Advances the node's clock, which otherwise stands still in tests, while `work` waits for it. */
async function whileTimePasses<T>(work: () => Promise<T>): Promise<T> {
  const ticking = setInterval(() => bench.pass(1), 50);
  try {
    return await work();
  } finally {
    clearInterval(ticking);
  }
}

test('the treasury’s USDC account is opened once, also by two concurrent processes, and can then be paid', async () => {
  await bench.fund(bench.treasury, 0n);
  const outcomes = await whileTimePasses(() => Promise.all([ensure(bench.treasury), ensure(bench.treasury)]));
  assert.deepEqual(outcomes, ['created', 'created']);
  assert.equal(await ensure(bench.treasury), 'present');
  assert.equal(await ensure({ address: bench.treasury.address }), 'present');
  const buyer = createWallet();
  const source = await bench.fund(buyer, 5n);
  const reference = await bench.send([transfer(source, bench.treasuryAccount, buyer.address, 5n)], [buyer]);
  assert.equal((await bench.openChain().readReceipt(reference)).state, 'landed');
});

test('without SOL or without a key the account cannot be opened, and the error says so', async () => {
  const broke = createWallet();
  await assert.rejects(ensure(broke), (error) => error instanceof TransferRefused && error.reason === 'insufficient_native');
  await assert.rejects(ensure({ address: broke.address }), /no key to open one/);
});

test('a treasury whose USDC account has another owner is refused', async () => {
  const owner = createWallet();
  const account = await bench.fund(owner, 1n);
  await bench.send([setOwner(account, owner.address, createWallet().address)], [owner]);
  await assert.rejects(ensure(owner), /belongs to somebody else/);
});
