import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { MULTICALL3_ADDRESS } from '@market/sandbox/evm';
import { erc20Abi, type Hex } from 'viem';
import { concatHex, encodeFunctionData, numberToHex } from 'viem/utils';
import {
  authorize,
  blacklist,
  deploy,
  type Person,
  receiptOf,
  sendTogether,
  sendUsdc,
  startTestChain,
  type TestChain,
  transferCall,
  USDC,
} from '../../../../testing/evm-test-chain.ts';
import { addressTopic, TRANSFER_TOPIC } from './usdc.ts';

/** A contract that emits its calldata as an event: three topics and one word of data. */
const EVENT_FORGER = '0x601a600c600039601a6000f36020606060003760403560203560003560206000a300';

suite('the receipt of a transaction to the treasury', () => {
  let evm: TestChain;
  let payer: Person;
  let other: Person;
  let treasury: Hex;
  before(async () => {
    evm = await startTestChain({ treasury: { micros: 100n * USDC } });
    [payer, other] = await Promise.all([evm.createPerson({ micros: 1_000n * USDC }), evm.createPerson({ micros: 1_000n * USDC })]);
    treasury = evm.options.treasury.address;
  });
  const read = async (hash: Promise<Hex>) => await receiptOf(evm, await evm.included(await hash));
  const paid = (person: Person, micros: bigint) => ({ address: person.account.address, micros });

  test('the receipt of a plain transfer has the exact amount, the payer, the block and its time', async () => {
    const hash = await evm.included(await sendUsdc(payer, treasury, 4_999_999n));
    const receipt = await receiptOf(evm, hash);
    const { blockNumber } = await evm.reader.getTransactionReceipt({ hash });
    const { timestamp } = await evm.reader.getBlock({ blockNumber });
    assert.equal(receipt.reference, hash);
    assert.equal(receipt.receivedMicros, 4_999_999n);
    assert.deepEqual(receipt.payers, [paid(payer, 4_999_999n)]);
    assert.equal(receipt.blockNumber, blockNumber);
    assert.equal(receipt.blockTime.getTime(), Number(timestamp) * 1000);
  });

  test('an upper-case reference names the same transaction, in one spelling', async () => {
    const hash = await evm.included(await sendUsdc(payer, treasury, USDC));
    const shouted = ` 0x${hash.slice(2).toUpperCase()}\n`;
    assert.equal(evm.chain.canonicalReference(shouted), hash);
    assert.equal((await receiptOf(evm, shouted)).reference, hash);
  });

  test('the payer of a relayed authorisation is its signer, not the sender', async () => {
    const receipt = await read(sendTogether(other, [await authorize(payer, treasury, 5n * USDC)]));
    assert.deepEqual(receipt.payers, [paid(payer, 5n * USDC)]);
  });

  test('two payers in one transaction are listed separately', async () => {
    const receipt = await read(
      sendTogether(other, [
        await authorize(payer, treasury, 2n * USDC),
        await authorize(other, treasury, 3n * USDC),
        await authorize(payer, treasury, USDC),
      ]),
    );
    assert.equal(receipt.receivedMicros, 6n * USDC);
    assert.deepEqual(receipt.payers, [paid(payer, 3n * USDC), paid(other, 3n * USDC)]);
  });

  test('M18: a payment counts in full beside a payout that the treasury signed, which is booked by its own name', async () => {
    const back = await authorize(evm.treasuryWallet, payer.account.address, 4n * USDC);
    const receipt = await read(sendTogether(other, [await authorize(payer, treasury, 5n * USDC), back]));
    assert.equal(receipt.receivedMicros, 5n * USDC);
    assert.deepEqual(receipt.payers, [paid(payer, 5n * USDC)]);
  });

  test('M18: money that leaves the treasury without its signature lessens what came in', async () => {
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [MULTICALL3_ADDRESS, 4n * USDC] });
    await evm.included(await evm.treasuryWallet.sendTransaction({ to: evm.options.usdcAddress, data: approval }));
    const back = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [treasury, payer.account.address, 4n * USDC] });
    const receipt = await read(sendTogether(other, [await authorize(payer, treasury, 5n * USDC), back]));
    assert.equal(receipt.receivedMicros, USDC);
    assert.deepEqual(receipt.payers, [paid(payer, USDC)]);
  });

  test('an outgoing payment is negative and has no payer', async () => {
    const receipt = await read(sendUsdc(evm.treasuryWallet, payer.account.address, USDC));
    assert.equal(receipt.receivedMicros, -USDC);
    assert.deepEqual(receipt.payers, []);
  });

  test('a transfer from the treasury to itself counts for nothing', async () => {
    const receipt = await read(sendUsdc(evm.treasuryWallet, treasury, USDC));
    assert.equal(receipt.receivedMicros, 0n);
    assert.deepEqual(receipt.payers, []);
  });

  test('minted coins arrive without a payer', async () => {
    const receipt = await receiptOf(evm, await evm.node.fundUsdc(treasury, USDC));
    assert.equal(receipt.receivedMicros, USDC);
    assert.deepEqual(receipt.payers, []);
  });

  test('M18: the same event from another contract counts for nothing', async () => {
    const forger = await deploy(evm, payer, EVENT_FORGER);
    const event = concatHex([
      TRANSFER_TOPIC,
      addressTopic(payer.account.address),
      addressTopic(treasury),
      numberToHex(5n * USDC, { size: 32 }),
    ]);
    const hash = await evm.included(await payer.sendTransaction({ to: forger, data: event, gas: 100_000n }));
    const { logs } = await evm.reader.getTransactionReceipt({ hash });
    assert.equal(logs[0]?.topics[2], addressTopic(treasury));
    const receipt = await receiptOf(evm, hash);
    assert.equal(receipt.receivedMicros, 0n);
    assert.deepEqual(receipt.payers, []);
  });

  test('a transfer to another recipient counts for nothing', async () => {
    const receipt = await read(sendUsdc(payer, other.account.address, 5n * USDC));
    assert.equal(receipt.receivedMicros, 0n);
    assert.deepEqual(receipt.payers, []);
  });

  test('native coins count for nothing', async () => {
    const receipt = await read(payer.sendTransaction({ to: treasury, value: 5n * USDC }));
    assert.equal(receipt.receivedMicros, 0n);
  });

  test('a reverted transfer is failed', async () => {
    const hash = await evm.included(await sendUsdc(payer, treasury, 1_000_000n * USDC));
    assert.deepEqual(await evm.chain.readReceipt(hash), { state: 'failed' });
  });

  test('a blacklisted payer’s transfer is failed', async () => {
    const faucet = await evm.openFaucetWallet();
    const barred = await evm.createPerson({ micros: USDC });
    await evm.included(await blacklist(faucet, barred.account.address));
    const hash = await evm.included(await sendUsdc(barred, treasury, USDC));
    assert.deepEqual(await evm.chain.readReceipt(hash), { state: 'failed' });
  });

  test('an unknown transaction is missing', async () => {
    assert.deepEqual(await evm.chain.readReceipt(`0x${'ab'.repeat(32)}`), { state: 'missing' });
  });

  test('a payment on one network is unknown on another', async () => {
    const hash = await evm.included(await sendUsdc(payer, treasury, USDC));
    const alt = await startTestChain({ chainId: 84_530 });
    assert.equal(alt.chain.caip2, 'eip155:84530');
    assert.deepEqual(await alt.chain.readReceipt(hash), { state: 'missing' });
  });

  test('balances are exact', async () => {
    const person = await evm.createPerson({ micros: 1_234_567n, wei: 10n ** 15n });
    assert.deepEqual(await evm.chain.readBalances(person.account.address.toLowerCase()), { usdcMicros: 1_234_567n, native: 10n ** 15n });
  });
});

suite('the finality of a transaction', () => {
  let evm: TestChain;
  let payer: Person;
  before(async () => {
    evm = await startTestChain({ byHand: true });
    payer = await evm.createPerson({ micros: 100n * USDC });
  });

  test('a transaction is seen in a block, confirmed two blocks later, and final with the final tag', async () => {
    const hash = await sendUsdc(payer, evm.options.treasury.address, USDC);
    assert.deepEqual(await evm.chain.readReceipt(hash), { state: 'missing' });
    const stages: string[] = [];
    for (let block = 0; block < 6; block++) {
      await evm.mine();
      stages.push((await receiptOf(evm, hash)).finality);
    }
    assert.deepEqual(stages, ['seen', 'seen', 'confirmed', 'confirmed', 'final', 'final']);
    const stricter = { chain: evm.adapt({ finalTag: 'finalized' }) };
    assert.equal((await receiptOf(stricter, hash)).finality, 'confirmed');
    await evm.mine();
    assert.equal((await receiptOf(stricter, hash)).finality, 'final');
  });

  test('the finality of a transaction is lost in a reorganisation, and regained when it is included again', async () => {
    const request = { to: evm.options.usdcAddress, data: transferCall(evm.options.treasury.address, USDC), gas: 200_000n };
    const serializedTransaction = await payer.signTransaction(await payer.prepareTransactionRequest(request));
    const hash = await evm.reader.sendRawTransaction({ serializedTransaction });
    await evm.mine(2);
    assert.equal((await receiptOf(evm, hash)).finality, 'seen');
    await evm.node.setFault({ mode: 'reorg' });
    assert.deepEqual(await evm.chain.readReceipt(hash), { state: 'missing' });
    await evm.reader.sendRawTransaction({ serializedTransaction });
    await evm.mine();
    assert.equal((await receiptOf(evm, hash)).receivedMicros, USDC);
  });
});
