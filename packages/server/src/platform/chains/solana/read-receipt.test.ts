import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import { z } from 'zod';
import {
  createWallet,
  interpose,
  openSolanaBench,
  type SolanaBench,
  USDC_MINT,
  type Wallet,
} from '../../../../testing/solana-test-bench.ts';
import {
  approve,
  closeTokenAccount,
  createAccount,
  createLookupTable,
  initializeTokenAccount,
  mintTo,
  recoverNested,
  setOwner,
  transfer,
} from '../../../../testing/solana-test-instructions.ts';
import { type Chain, ChainUnavailable, type Receipt } from '../chain.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { deriveTokenAccount } from './token-account.ts';

const FIVE = 5_000_000n;

let bench: SolanaBench;
let chain: Chain;
let treasuryAccount: Address;
let buyer: Wallet;
let buyerAccount: Address;
let other: Wallet;
let otherAccount: Address;

before(async () => {
  bench = await openSolanaBench();
  chain = bench.openChain();
  treasuryAccount = bench.treasuryAccount;
  [buyer, other] = [createWallet(), createWallet()];
  buyerAccount = await bench.fund(buyer, 1_000_000_000n);
  otherAccount = await bench.fund(other, 1_000_000_000n);
});
after(() => bench.close());

const pay = (micros: bigint) => transfer(buyerAccount, treasuryAccount, buyer.address, micros);

async function receiptOf(reference: string, from: Chain = chain): Promise<Receipt> {
  const reading = await from.readReceipt(reference);
  assert.equal(reading.state, 'landed');
  return (reading as Extract<typeof reading, { state: 'landed' }>).receipt;
}

async function assertReceived(reference: string, micros: bigint, payers: readonly { address: string; micros: bigint }[]): Promise<void> {
  const receipt = await receiptOf(reference);
  assert.deepEqual({ micros: receipt.receivedMicros, payers: receipt.payers }, { micros, payers });
}

/** Opens a token account of the mint that is not the owner's associated account, with `micros` on it. */
async function openLooseAccount(owner: Wallet, micros: bigint): Promise<Address> {
  const loose = createWallet();
  const steps = [createAccount(owner.address, loose.address, 165), initializeTokenAccount(loose.address, USDC_MINT, owner.address)];
  const source = await deriveTokenAccount(owner.address, USDC_MINT);
  await bench.send([...steps, transfer(source, loose.address, owner.address, micros)], [owner, loose]);
  return loose.address;
}

test('a payment that opens the treasury’s account in the same transaction counts in full, in its block and time', async () => {
  const sentAt = bench.now();
  const reference = await bench.send([await bench.openTokenAccount(buyer, bench.treasury.address), pay(FIVE)], [buyer]);
  await assertReceived(reference, FIVE, [{ address: buyer.address, micros: FIVE }]);
  const receipt = await receiptOf(reference);
  assert.equal(receipt.reference, reference);
  assert.ok(receipt.blockNumber > 0n);
  assert.ok(Math.abs(receipt.blockTime.getTime() - sentAt.getTime()) < 2_000);
});

test('two transfers in one transaction are summed exactly', async () => {
  await assertReceived(await bench.send([pay(2_000_000n), pay(3_000_000n)], [buyer]), FIVE, [{ address: buyer.address, micros: FIVE }]);
  await assertReceived(await bench.send([pay(FIVE - 1n)], [buyer]), FIVE - 1n, [{ address: buyer.address, micros: FIVE - 1n }]);
});

test('M18: money that leaves the treasury in the same transaction does not count', async () => {
  const back = transfer(treasuryAccount, buyerAccount, bench.treasury.address, 4_000_000n);
  const reference = await bench.send([pay(FIVE), back], [buyer, bench.treasury]);
  await assertReceived(reference, 1_000_000n, [{ address: buyer.address, micros: 1_000_000n }]);
});

test('M07: a look-alike mint counts for nothing', async () => {
  const mint = createWallet();
  await bench.issueToken(buyer, mint);
  const [mine, theirs] = await Promise.all([buyer, bench.treasury].map(({ address }) => deriveTokenAccount(address, mint.address)));
  assert.ok(mine !== undefined && theirs !== undefined);
  const open = await Promise.all([buyer, bench.treasury].map(({ address }) => bench.openTokenAccount(buyer, address, mint.address)));
  await bench.send([...open, mintTo(mint.address, mine, buyer.address, FIVE)], [buyer]);
  await assertReceived(await bench.send([transfer(mine, theirs, buyer.address, FIVE)], [buyer]), 0n, []);
});

test('M07: the same mint under another token program counts for nothing', async () => {
  const reference = await bench.send([pay(FIVE)], [buyer]);
  const relabelled = interpose(bench.rpc, {
    getTransaction: async (ask) =>
      JSON.parse(JSON.stringify(await ask()).replaceAll(`"programId":"${TOKEN_PROGRAM}"`, `"programId":"${TOKEN_2022_PROGRAM}"`)),
  });
  const { receivedMicros, payers } = await receiptOf(reference, bench.openChain({ rpc: relabelled }));
  assert.deepEqual({ receivedMicros, payers }, { receivedMicros: 0n, payers: [] });
});

test('a payment whose accounts come from a lookup table counts in full', async () => {
  const entries = [treasuryAccount, buyerAccount];
  const { table, steps } = await createLookupTable(buyer.address, BigInt(await bench.readFinalSlot()), entries);
  await bench.send(steps, [buyer]);
  bench.settle();
  const reference = await bench.sendThroughTable(pay(FIVE), buyer, table, entries);
  await assertReceived(reference, FIVE, [{ address: buyer.address, micros: FIVE }]);
});

test('M08: USDC to another recipient counts for nothing', async () => {
  const reference = await bench.send([transfer(buyerAccount, otherAccount, buyer.address, FIVE)], [buyer]);
  assert.equal((await receiptOf(reference)).receivedMicros, 0n);
});

test('M08: USDC to an account of the treasury that is not its associated one counts for nothing', async () => {
  const loose = createWallet();
  const open = [createAccount(buyer.address, loose.address, 165), initializeTokenAccount(loose.address, USDC_MINT, bench.treasury.address)];
  const reference = await bench.send([...open, transfer(buyerAccount, loose.address, buyer.address, FIVE)], [buyer, loose]);
  assert.equal((await receiptOf(reference)).receivedMicros, 0n);
});

test('changing the owner of an account with USDC to the treasury counts for nothing', async () => {
  const loose = await openLooseAccount(buyer, FIVE);
  await assertReceived(await bench.send([setOwner(loose, buyer.address, bench.treasury.address)], [buyer]), 0n, []);
});

test('USDC sent to the treasury’s associated account after it changed its owner counts for nothing', async () => {
  const careless = createWallet();
  const lost = await bench.fund(careless, 1n);
  await bench.send([setOwner(lost, careless.address, other.address)], [careless]);
  const reference = await bench.send([transfer(buyerAccount, lost, buyer.address, FIVE)], [buyer]);
  assert.equal((await receiptOf(reference, bench.openChain({ treasury: careless }))).receivedMicros, 0n);
});

test('a payment from an account that changes its owner in the same transaction has no payer', async () => {
  const loose = await openLooseAccount(buyer, FIVE);
  const steps = [transfer(loose, treasuryAccount, buyer.address, FIVE), setOwner(loose, buyer.address, other.address)];
  await assertReceived(await bench.send(steps, [buyer]), FIVE, []);
});

test('a payment from an account closed in the same transaction is credited to its owner', async () => {
  const loose = await openLooseAccount(buyer, FIVE);
  const steps = [transfer(loose, treasuryAccount, buyer.address, FIVE), closeTokenAccount(loose, buyer.address, buyer.address)];
  await assertReceived(await bench.send(steps, [buyer]), FIVE, [{ address: buyer.address, micros: FIVE }]);
});

test('money that only passes through another account is credited to its source', async () => {
  const steps = [transfer(buyerAccount, otherAccount, buyer.address, FIVE), transfer(otherAccount, treasuryAccount, other.address, FIVE)];
  await assertReceived(await bench.send(steps, [buyer, other]), FIVE, [{ address: buyer.address, micros: FIVE }]);
});

test('M14: a sponsor who pays the fee is not the payer', async () => {
  await assertReceived(await bench.send([pay(FIVE)], [other, buyer]), FIVE, [{ address: buyer.address, micros: FIVE }]);
});

test('a third party’s payment is credited to the third party', async () => {
  const reference = await bench.send([transfer(otherAccount, treasuryAccount, other.address, FIVE)], [other]);
  await assertReceived(reference, FIVE, [{ address: other.address, micros: FIVE }]);
});

test('two payers are listed with their amounts', async () => {
  const reference = await bench.send([pay(2_000_000n), transfer(otherAccount, treasuryAccount, other.address, 3_000_000n)], [buyer, other]);
  const { receivedMicros, payers } = await receiptOf(reference);
  assert.equal(receivedMicros, FIVE);
  assert.deepEqual(
    new Map(payers.map(({ address, micros }) => [address, micros])),
    new Map([
      [buyer.address, 2_000_000n],
      [other.address, 3_000_000n],
    ]),
  );
});

test('a delegate’s transfer arrives but is not credited to the wallet that did not sign', async () => {
  await bench.send([approve(buyerAccount, other.address, buyer.address, FIVE)], [buyer]);
  await assertReceived(await bench.send([transfer(buyerAccount, treasuryAccount, other.address, FIVE)], [other]), FIVE, []);
});

test('an owner whose money only a program can move is credited without a signature', async () => {
  const nested = await deriveTokenAccount(treasuryAccount, USDC_MINT);
  const open = await bench.openTokenAccount(buyer, treasuryAccount);
  await bench.send([open, transfer(buyerAccount, nested, buyer.address, FIVE)], [buyer]);
  const recover = recoverNested({ nested, tokenAccount: treasuryAccount, mint: USDC_MINT, wallet: bench.treasury.address });
  const reference = await bench.send([recover], [buyer, bench.treasury]);
  await assertReceived(reference, FIVE, [{ address: treasuryAccount, micros: FIVE }]);
});

test('a payment that failed on chain is failed', async () => {
  const reference = await bench.send([pay(10n ** 15n)], [buyer]);
  assert.deepEqual(await chain.readReceipt(reference), { state: 'failed' });
});

test('unknown and malformed references are missing', async () => {
  const unknown = [base58.encode(randomBytes(64)), '1'.repeat(64)];
  const garbled = ['', 'not a reference', buyer.address, '0'.repeat(88), 'z'.repeat(1_000_000)];
  for (const text of [...unknown, ...garbled]) assert.deepEqual(await chain.readReceipt(text), { state: 'missing' });
});

test('a payment is missing until confirmed, then confirmed, then final', async () => {
  const reference = await bench.send([pay(FIVE)], [buyer], 0);
  assert.deepEqual(await chain.readReceipt(reference), { state: 'missing', inBlock: true });
  bench.pass(1);
  assert.equal((await receiptOf(reference)).finality, 'confirmed');
  bench.pass(29);
  assert.equal((await receiptOf(reference)).finality, 'confirmed');
  bench.pass(1);
  assert.equal((await receiptOf(reference)).finality, 'final');
  bench.pass(100_000);
  assert.equal((await receiptOf(reference)).finality, 'final');
});

test('a payment reverted by a reorganisation is missing again', async () => {
  bench.settle();
  const reference = await bench.send([pay(FIVE)], [buyer]);
  assert.equal((await receiptOf(reference)).finality, 'confirmed');
  await bench.node.setFault({ mode: 'reorg' });
  assert.deepEqual(await chain.readReceipt(reference), { state: 'missing' });
});

test('C14: a node that returns another transaction, no block time or contradictions is not trusted', async () => {
  const [reference, another] = [await bench.send([pay(FIVE)], [buyer]), await bench.send([pay(FIVE + 1n)], [buyer])];
  const { rpc } = bench;
  const view = { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' };
  const swapped = interpose(rpc, { getTransaction: () => rpc.call('getTransaction', [another, view], z.unknown()) });
  await assert.rejects(bench.openChain({ rpc: swapped }).readReceipt(reference), ChainUnavailable);
  const timeless = interpose(rpc, { getTransaction: async (ask) => ({ ...((await ask()) as object), blockTime: null }) });
  assert.deepEqual(await bench.openChain({ rpc: timeless }).readReceipt(reference), { state: 'missing', inBlock: true });
  const forgetful = interpose(rpc, { getTransaction: () => null });
  await assert.rejects(bench.openChain({ rpc: forgetful }).readReceipt(reference), ChainUnavailable);
});

test('a transaction that just landed is read with one call, counts as confirmed, and is awaited if not yet visible', async () => {
  const reference = await bench.send([pay(FIVE)], [buyer]);
  const asked: string[] = [];
  let isLate = true;
  const late = interpose(bench.rpc, {
    getSignatureStatuses: async (ask) => {
      asked.push('getSignatureStatuses');
      return await ask();
    },
    getTransaction: async (ask) => {
      asked.push('getTransaction');
      const answer = isLate ? null : await ask();
      isLate = false;
      return answer;
    },
  });
  const reading = await bench.openChain({ rpc: late }).readReceipt(reference, { justLanded: true });
  assert.equal(reading.state === 'landed' && reading.receipt.finality, 'confirmed');
  assert.deepEqual(asked, ['getTransaction', 'getTransaction']);
});
