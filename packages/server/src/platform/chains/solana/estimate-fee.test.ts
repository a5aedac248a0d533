import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createWallet, interpose, openSolanaBench, type SolanaBench, USDC_MINT } from '../../../../testing/solana-test-bench.ts';
import { type Chain, ChainUnavailable, type OutgoingTransfer, TransferRefused } from '../chain.ts';
import { transferSol } from './instructions.ts';
import { deriveTokenAccount } from './token-account.ts';

const TOKEN_ACCOUNT_RENT = 2_039_280n;
const LEAST_RENT = 890_880n;

let bench: SolanaBench;
let chain: Chain;

before(async () => {
  bench = await openSolanaBench();
  chain = bench.openChain();
  await bench.fund(bench.treasury, 100_000_000n);
});
after(() => bench.close());

const transferTo = (destination: string, asset: OutgoingTransfer['asset'], amount = 1_000_000n): OutgoingTransfer => ({
  intentId: randomUUID(),
  destination,
  asset,
  amount,
});
const treasuryCoins = async () => (await chain.readBalances(bench.treasury.address)).native;

/** The treasury's real loss beyond the amount. */
async function charge(transfer: OutgoingTransfer): Promise<bigint> {
  const before = await treasuryCoins();
  await chain.broadcast(await chain.signTransfer(transfer));
  bench.pass(2);
  return before - (await treasuryCoins()) - (transfer.asset === 'native' ? transfer.amount : 0n);
}

test('the estimated fee of a transfer in SOL is the charged one', async () => {
  const transfer = transferTo(createWallet().address, 'native');
  const estimated = await chain.estimateFee(transfer);
  assert.ok(estimated >= 5_000n && estimated < 1_000_000n);
  assert.equal(await charge(transfer), estimated);
});

test('the estimated fee of USDC to a wallet without a USDC account includes its rent, only the first time', async () => {
  const wallet = createWallet().address;
  const first = await chain.estimateFee(transferTo(wallet, 'usdc'));
  assert.equal(await charge(transferTo(wallet, 'usdc')), first);
  const second = await chain.estimateFee(transferTo(wallet, 'usdc'));
  assert.equal(first - second, TOKEN_ACCOUNT_RENT);
  assert.equal(await charge(transferTo(wallet, 'usdc')), second);
});

test('the estimated fee subtracts lamports already at the account’s address from its rent', async () => {
  const wallet = createWallet().address;
  const account = await deriveTokenAccount(wallet, USDC_MINT);
  const empty = await chain.estimateFee(transferTo(wallet, 'usdc'));
  await bench.send([transferSol(bench.treasury.address, account, LEAST_RENT)], [bench.treasury]);
  const estimated = await chain.estimateFee(transferTo(wallet, 'usdc'));
  assert.equal(empty - estimated, LEAST_RENT);
  assert.equal(await charge(transferTo(wallet, 'usdc')), estimated);
});

test('a transfer that cannot be sent has a refusal instead of a fee', async () => {
  for (const [transfer, reason] of [
    [transferTo('nonsense', 'usdc'), 'destination'],
    [transferTo(createWallet().address, 'native', 5n), 'destination'],
    [transferTo(createWallet().address, 'usdc', 10n ** 12n), 'insufficient_usdc'],
    [transferTo(createWallet().address, 'native', 10n ** 15n), 'insufficient_native'],
  ] as const) {
    await assert.rejects(chain.estimateFee(transfer), (error) => error instanceof TransferRefused && error.reason === reason);
  }
});

test('fees are estimated for a treasury without SOL or without a key', async () => {
  const broke = createWallet();
  await bench.fund(broke, 5_000_000n, 0n);
  const watching = bench.openChain({ treasury: { address: broke.address } });
  assert.ok((await watching.estimateFee(transferTo(createWallet().address, 'usdc'))) > TOKEN_ACCOUNT_RENT);
});

test('a node without a fee gives no estimate', async () => {
  const rpc = interpose(bench.rpc, { getFeeForMessage: () => ({ context: { slot: 1 }, value: null }) });
  await assert.rejects(bench.openChain({ rpc }).estimateFee(transferTo(createWallet().address, 'native')), ChainUnavailable);
});
