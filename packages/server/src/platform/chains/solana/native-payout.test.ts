import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { createWallet, interpose, openSolanaBench, type SolanaBench, USDC_MINT } from '../../../../testing/solana-test-bench.ts';
import { type Chain, type OutgoingTransfer, TransferRefused } from '../chain.ts';
import { transferSol, writeMemo } from './instructions.ts';
import { deriveTokenAccount } from './token-account.ts';

const SOL = 1_000_000_000n;
const RENT_MINIMUM = 890_880n;
const OPEN = { state: 'open' };
const EXPIRED = { state: 'expired' };

let bench: SolanaBench;
let chain: Chain;
let transfer: OutgoingTransfer;

before(async () => {
  bench = await openSolanaBench();
  chain = bench.openChain();
  await bench.fund(bench.treasury, 0n, 100n * SOL);
});
beforeEach(() => {
  transfer = payTo(createWallet().address);
});
after(() => bench.close());

function payTo(destination: string, amount = SOL / 10n): OutgoingTransfer {
  return { intentId: randomUUID(), destination, asset: 'native', amount };
}
const balance = async (address: string): Promise<bigint> => (await chain.readBalances(address)).native;
const landed = (reference: string, finality = 'final') => ({ state: 'landed', reference, finality });

function refuses(reason: TransferRefused['reason'], asked: OutgoingTransfer, from: Chain = chain): Promise<void> {
  return assert.rejects(from.signTransfer(asked), (error) => {
    assert.ok(error instanceof TransferRefused, String(error));
    assert.equal(error.reason, reason, error.message);
    return true;
  });
}

test('a payout in SOL is open until sent, then confirmed, then final; it is exact and names its intent', async () => {
  const signed = await chain.signTransfer(transfer);
  assert.deepEqual(await chain.readOutcome(transfer, signed), OPEN);
  await chain.broadcast(signed);
  bench.pass(1);
  assert.deepEqual(await chain.readOutcome(transfer, signed), landed(signed.reference, 'confirmed'));
  bench.settle();
  assert.deepEqual(await chain.readOutcome(transfer, signed), landed(signed.reference));
  assert.equal(await balance(transfer.destination), transfer.amount);
  assert.equal(await bench.readMemo(signed.reference), `market-payout:${transfer.intentId}`);
});

test('the same bytes of a payout in SOL, sent repeatedly and long after they landed, pay once', async () => {
  const signed = await chain.signTransfer(transfer);
  for (let i = 0; i < 3; i++) await chain.broadcast(signed);
  bench.settle();
  await chain.broadcast(signed);
  bench.outlive();
  await chain.broadcast(signed);
  bench.settle();
  assert.equal(await balance(transfer.destination), transfer.amount);
  assert.deepEqual(await chain.readOutcome(transfer, signed), landed(signed.reference));
});

test('a lost transfer of SOL stays open until its blockhash has expired finally, and is then paid once by new bytes', async () => {
  const first = await chain.signTransfer(transfer);
  bench.pass(180); // expired, but not yet in a final block
  assert.deepEqual(await chain.readOutcome(transfer, first), OPEN);
  bench.pass(4);
  assert.deepEqual(await chain.readOutcome(transfer, first), EXPIRED);
  await chain.broadcast(first);
  const second = await chain.signTransfer(transfer);
  await chain.broadcast(second);
  bench.settle();
  assert.deepEqual(await chain.readOutcome(transfer, second), landed(second.reference));
  assert.equal(await balance(transfer.destination), transfer.amount);
});

test('before a transfer of SOL expires the intent’s memo is searched on chain, also at a node that lost the signature', async () => {
  const first = await chain.signTransfer(transfer);
  bench.pass(2);
  const second = await chain.signTransfer({ ...transfer, destination: ` ${transfer.destination}` });
  await chain.broadcast(first);
  bench.outlive();
  assert.deepEqual(await chain.readOutcome(transfer, second), landed(first.reference));
  assert.deepEqual(await chain.readOutcome({ ...transfer, destination: ` ${transfer.destination}` }, second), landed(first.reference));
  const forgetful = interpose(bench.rpc, { getSignatureStatuses: async (ask) => ({ ...((await ask()) as object), value: [null] }) });
  assert.deepEqual(await bench.openChain({ rpc: forgetful }).readOutcome(transfer, first), landed(first.reference));
});

test('a foreign transaction with our memo is not taken for a payout in SOL, even if we paid its fee', async () => {
  const [forger, wallet] = [createWallet(), createWallet()];
  for (const somebody of [forger, wallet]) await bench.fund(somebody, 0n, 10n * SOL);
  const small = payTo(wallet.address, 1_000n); // less than a fee
  const signed = await chain.signTransfer(small);
  const memo = writeMemo(`market-payout:${small.intentId}`);
  const { treasury } = bench;
  await bench.send([transferSol(forger.address, treasury.address, SOL), memo], [forger]);
  await bench.send([transferSol(forger.address, wallet.address, small.amount), memo], [treasury, forger]);
  bench.outlive();
  assert.deepEqual(await chain.readOutcome(small, signed), EXPIRED);
});

test('a new wallet gets at least its rent minimum; an existing one any amount', async () => {
  const fresh = createWallet().address;
  await refuses('destination', payTo(fresh, RENT_MINIMUM - 1n));
  for (const amount of [RENT_MINIMUM, 1n]) {
    await chain.broadcast(await chain.signTransfer(payTo(fresh, amount)));
    bench.pass(2);
  }
  assert.equal(await balance(fresh), RENT_MINIMUM + 1n);
});

test('a payout to a wallet that was emptied and would hold too little is failed with the reason, once that is final', async () => {
  const wallet = createWallet();
  await bench.fund(wallet, 0n, SOL);
  const small = payTo(wallet.address, 5n);
  const signed = await chain.signTransfer(small);
  await bench.send([transferSol(wallet.address, bench.treasury.address, SOL)], [bench.treasury, wallet]);
  await chain.broadcast(signed);
  bench.pass(2);
  assert.deepEqual(await chain.readOutcome(small, signed), OPEN);
  bench.settle();
  const outcome = await chain.readOutcome(small, signed);
  assert.match(outcome.state === 'failed' ? outcome.reason : outcome.state, /less SOL than an account needs/);
  assert.equal(await balance(wallet.address), 0n);
});

test('a treasury with too little SOL for the amount, its fee or its own rent is refused as insufficient_native', async () => {
  const poor = createWallet();
  await bench.fund(poor, 0n, SOL);
  const from = bench.openChain({ treasury: poor });
  for (const amount of [2n * SOL, SOL + 1n, SOL, SOL - 1n, SOL - RENT_MINIMUM])
    await refuses('insufficient_native', payTo(createWallet().address, amount), from);
  await refuses('insufficient_native', payTo(createWallet().address), bench.openChain({ treasury: createWallet() }));
  assert.ok(await from.signTransfer(payTo(createWallet().address, SOL - 2n * RENT_MINIMUM)));
});

test('a payout whose treasury is emptied meanwhile is failed for lack of SOL, once that is final', async () => {
  const poor = createWallet();
  await bench.fund(poor, 0n, SOL);
  const from = bench.openChain({ treasury: poor });
  const [one, two] = [payTo(createWallet().address, (6n * SOL) / 10n), payTo(createWallet().address, (6n * SOL) / 10n)];
  const [first, second] = [await from.signTransfer(one), await from.signTransfer(two)];
  await from.broadcast(first);
  await from.broadcast(second);
  bench.settle();
  assert.deepEqual(await from.readOutcome(one, first), landed(first.reference));
  const outcome = await from.readOutcome(two, second);
  assert.match(outcome.state === 'failed' ? outcome.reason : outcome.state, /too little SOL for this transfer/);
});

test('a payout in SOL to a destination that is no wallet is refused as destination', async () => {
  const offCurve = await deriveTokenAccount(createWallet().address, USDC_MINT);
  const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  for (const destination of ['', 'nonsense', offCurve, USDC_MINT, program, bench.treasury.address]) {
    await refuses('destination', payTo(destination));
  }
});
