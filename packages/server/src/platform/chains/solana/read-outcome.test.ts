import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { createWallet, interpose, openSolanaBench, type SolanaBench, USDC_MINT } from '../../../../testing/solana-test-bench.ts';
import { transfer as transferTokens } from '../../../../testing/solana-test-instructions.ts';
import { type Chain, ChainUnavailable, type OutgoingTransfer } from '../chain.ts';
import { writeMemo } from './instructions.ts';
import { deriveTokenAccount } from './token-account.ts';

const FIVE = 5_000_000n;

let bench: SolanaBench;
let chain: Chain;
let transfer: OutgoingTransfer;

before(async () => {
  bench = await openSolanaBench();
  chain = bench.openChain();
  await bench.fund(bench.treasury, 1_000_000_000n);
});
beforeEach(() => {
  transfer = { intentId: randomUUID(), destination: createWallet().address, asset: 'usdc', amount: FIVE };
});
after(() => bench.close());

const received = async (): Promise<bigint> => (await chain.readBalances(transfer.destination)).usdcMicros;

test('a payout is open until sent, then confirmed, then final, and names its intent', async () => {
  const signed = await chain.signTransfer(transfer);
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'open' });
  await chain.broadcast(signed);
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'open' });
  bench.pass(1);
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'landed', reference: signed.reference, finality: 'confirmed' });
  bench.settle();
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'landed', reference: signed.reference, finality: 'final' });
  assert.equal(await received(), FIVE);
  const { references } = await chain.listTreasuryTransfers(null, 1_000);
  assert.equal(references.at(-1), signed.reference);
  assert.equal(await bench.readMemo(signed.reference), `market-payout:${transfer.intentId}`);
  const reading = await chain.readReceipt(signed.reference);
  assert.ok(reading.state === 'landed');
  assert.equal(reading.receipt.receivedMicros, -FIVE);
  assert.deepEqual(reading.receipt.payers, [{ address: bench.treasury.address, micros: FIVE }]);
});

test('the same bytes sent repeatedly, by several processes and long after they landed, pay once', async () => {
  const signed = await chain.signTransfer(transfer);
  await Promise.all(Array.from({ length: 5 }, () => bench.openChain({ rpc: bench.connect() }).broadcast(signed)));
  bench.settle();
  await chain.broadcast(signed);
  bench.outlive();
  await chain.broadcast(signed);
  bench.settle();
  assert.equal(await received(), FIVE);
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'landed', reference: signed.reference, finality: 'final' });
});

test('C02: after a crash between signing and sending another process sends the stored bytes, once', async () => {
  const { reference, bytes, validity } = await chain.signTransfer(transfer);
  const stored = { reference, bytes, validity };
  const successor = bench.openChain();
  assert.deepEqual(await successor.readOutcome(transfer, stored), { state: 'open' });
  await successor.broadcast(stored);
  bench.settle();
  assert.deepEqual(await successor.readOutcome(transfer, stored), { state: 'landed', reference: stored.reference, finality: 'final' });
  assert.equal(await received(), FIVE);
});

test('C04: a lost transfer stays open until its blockhash has expired finally, and is then paid once by new bytes', async () => {
  const first = await chain.signTransfer(transfer);
  await bench.node.setFault({ mode: 'drop_tx' });
  await chain.broadcast(first);
  await bench.node.setFault({ mode: 'none' });
  bench.pass(149);
  assert.deepEqual(await chain.readOutcome(transfer, first), { state: 'open' });
  bench.pass(31); // expired, but not yet in a final block
  assert.deepEqual(await chain.readOutcome(transfer, first), { state: 'open' });
  bench.pass(4);
  assert.deepEqual(await chain.readOutcome(transfer, first), { state: 'expired' });
  await chain.broadcast(first); // too late: accepted or not, it must not land
  const second = await chain.signTransfer(transfer);
  assert.notEqual(second.reference, first.reference);
  await chain.broadcast(second);
  bench.settle();
  assert.deepEqual(await chain.readOutcome(transfer, second), { state: 'landed', reference: second.reference, finality: 'final' });
  assert.equal(await received(), FIVE);
});

test('before a transfer expires an earlier attempt of the same intent is searched on chain', async () => {
  const first = await chain.signTransfer(transfer);
  bench.pass(2);
  const second = await chain.signTransfer(transfer);
  await chain.broadcast(first);
  bench.outlive();
  assert.deepEqual(await chain.readOutcome(transfer, second), { state: 'landed', reference: first.reference, finality: 'final' });
  assert.equal(await received(), FIVE);
});

test('a foreign transaction with our memo is not taken for the payout', async () => {
  const forger = createWallet();
  const source = await bench.fund(forger, FIVE);
  const signed = await chain.signTransfer(transfer);
  const memo = writeMemo(`market-payout:${transfer.intentId}`);
  await bench.send([transferTokens(source, bench.treasuryAccount, forger.address, 1n), memo], [forger]);
  await bench.send([transferTokens(source, bench.treasuryAccount, forger.address, 1n), memo], [bench.treasury, forger]);
  bench.outlive();
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'expired' });
});

test('a transfer that lands and fails is open until that is final, then failed with a reason', async () => {
  const { usdcMicros: all } = await chain.readBalances(bench.treasury.address);
  const signed = await chain.signTransfer({ ...transfer, amount: all });
  const elsewhere = createWallet();
  const away = await deriveTokenAccount(elsewhere.address, USDC_MINT);
  const open = await bench.openTokenAccount(bench.treasury, elsewhere.address);
  await bench.send([open, transferTokens(bench.treasuryAccount, away, bench.treasury.address, 1n)], [bench.treasury]);
  await chain.broadcast(signed);
  bench.pass(2);
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'open' });
  bench.settle();
  assert.deepEqual(await chain.readOutcome(transfer, signed), {
    state: 'failed',
    reason: 'The treasury has too little USDC for this transfer.',
  });
  assert.equal(await received(), 0n);
});

test('C08: a payout reverted by a reorganisation is open again and lands once when sent again', async () => {
  bench.settle();
  const signed = await chain.signTransfer(transfer);
  await chain.broadcast(signed);
  bench.pass(2);
  assert.equal((await chain.readOutcome(transfer, signed)).state, 'landed');
  await bench.node.setFault({ mode: 'reorg' });
  assert.deepEqual(await chain.readOutcome(transfer, signed), { state: 'open' });
  await chain.broadcast(signed);
  bench.settle();
  assert.equal((await chain.readOutcome(transfer, signed)).state, 'landed');
  assert.equal(await received(), FIVE);
});

test('a node behind the final block cannot declare a transfer expired', async () => {
  const signed = await chain.signTransfer(transfer);
  await chain.broadcast(signed);
  bench.outlive();
  const behind = interpose(bench.rpc, { getSignatureStatuses: () => ({ context: { slot: 1 }, value: [null] }) });
  assert.deepEqual(await bench.openChain({ rpc: behind }).readOutcome(transfer, signed), { state: 'open' });
});

test('a node that lost the signature causes no second payment: the memo on chain is found', async () => {
  const signed = await chain.signTransfer(transfer);
  await chain.broadcast(signed);
  bench.outlive();
  const forgetful = interpose(bench.rpc, {
    getSignatureStatuses: async (ask) => ({ ...((await ask()) as object), value: [null] }),
  });
  const outcome = await bench.openChain({ rpc: forgetful }).readOutcome(transfer, signed);
  assert.deepEqual(outcome, { state: 'landed', reference: signed.reference, finality: 'final' });
});

test('while the node is down a transfer has no outcome', async () => {
  const signed = await chain.signTransfer(transfer);
  await chain.broadcast(signed);
  bench.outlive();
  await bench.node.setFault({ mode: 'down' });
  try {
    const patientless = bench.openChain({ rpc: bench.connect({ timeoutMs: 300, tries: 1 }) });
    await assert.rejects(patientless.readOutcome(transfer, signed), ChainUnavailable);
    await assert.rejects(patientless.broadcast(signed), ChainUnavailable);
    await assert.rejects(patientless.readReceipt(signed.reference), ChainUnavailable);
  } finally {
    await bench.node.setFault({ mode: 'none' });
  }
  assert.equal((await chain.readOutcome(transfer, signed)).state, 'landed');
});
