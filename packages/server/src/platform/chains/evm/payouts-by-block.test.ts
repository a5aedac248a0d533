import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import { blacklist, refusedFor, somebody, startTestChain, type TestChain, transferOf, USDC } from '../../../../testing/evm-test-chain.ts';
import type { OutgoingTransfer } from '../chain.ts';
import { decodeBytes } from './broadcast.ts';

suite('payouts block by block', () => {
  let evm: TestChain;
  before(async () => {
    evm = await startTestChain({ byHand: true, treasury: { micros: 20n * USDC } });
  });
  const sign = async (transfer: OutgoingTransfer) => {
    const signed = await evm.chain.signTransfer(transfer);
    await evm.chain.broadcast(signed);
    return { transfer, signed };
  };
  const look = ({ transfer, signed }: Awaited<ReturnType<typeof sign>>) => evm.chain.readOutcome(transfer, signed);
  const landed = (reference: string, finality: string) => ({ state: 'landed', reference, finality });

  test('two signed attempts that both land pay once, and both report the one that paid', async () => {
    const transfer = transferOf(somebody(), USDC);
    const [first, second] = [await sign(transfer), await sign(transfer)];
    assert.deepEqual(await look(first), { state: 'open' });
    await evm.mine();
    const { reference } = first.signed;
    assert.deepEqual(await look(first), landed(reference, 'seen'));
    assert.deepEqual(await look(second), landed(reference, 'seen'));
    const secondReceipt = await evm.reader.getTransactionReceipt({ hash: second.signed.reference as Hex });
    assert.equal(secondReceipt.status, 'reverted');
    await evm.mine(4);
    assert.deepEqual(await look(second), landed(reference, 'final'));
    assert.equal(await evm.balanceOf(transfer.destination as Hex), USDC);
  });

  test('C08: a payout reverted by a reorganisation is open again and pays once with the same bytes', async () => {
    const payout = await sign(transferOf(somebody(), USDC));
    await evm.mine(2);
    assert.deepEqual(await look(payout), landed(payout.signed.reference, 'seen'));
    await evm.node.setFault({ mode: 'reorg' });
    assert.deepEqual(await look(payout), { state: 'open' });
    await evm.chain.broadcast(payout.signed);
    await evm.mine(5);
    assert.deepEqual(await look(payout), landed(payout.signed.reference, 'final'));
    assert.equal(await evm.balanceOf(payout.transfer.destination as Hex), USDC);
  });

  test('a payout whose destination is blacklisted meanwhile is failed with the reason, once that is final', async () => {
    const transfer = transferOf(somebody(), USDC);
    const payout = { transfer, signed: await evm.chain.signTransfer(transfer) };
    await blacklist(await evm.openFaucetWallet(), transfer.destination as Hex);
    await evm.chain.broadcast(payout.signed);
    await evm.mine();
    assert.deepEqual(await look(payout), { state: 'open' });
    await evm.mine(4);
    const outcome = await look(payout);
    assert.equal(outcome.state, 'failed');
    assert.match(outcome.state === 'failed' ? outcome.reason : '', /blacklisted/);
    assert.equal(await evm.balanceOf(transfer.destination as Hex), 0n);
  });

  test('a transfer that failed for lack of USDC can be signed anew, waits for funds, and then pays', async () => {
    const rest = await evm.balanceOf(evm.options.treasury.address);
    const taker = await sign(transferOf(somebody(), rest));
    const loser = await sign(transferOf(somebody(), USDC));
    await evm.mine();
    assert.deepEqual(await look(loser), { state: 'open' });
    await evm.mine(4);
    assert.deepEqual(await look(taker), landed(taker.signed.reference, 'final'));
    assert.deepEqual(await look(loser), { state: 'expired' });
    await assert.rejects(evm.chain.signTransfer(loser.transfer), refusedFor('insufficient_usdc'));

    await evm.fund(evm.options.treasury.address, { micros: USDC });
    const again = await sign(loser.transfer);
    await evm.mine(5);
    assert.deepEqual(await look(again), landed(again.signed.reference, 'final'));
    assert.equal(await evm.balanceOf(loser.transfer.destination as Hex), USDC);
  });

  test('a transfer that ran out of gas can be signed anew', async () => {
    await evm.fund(evm.options.treasury.address, { micros: USDC });
    const transfer = transferOf(somebody(), USDC);
    const signed = await evm.chain.signTransfer(transfer);
    const { chainId, nonce, to, data, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(decodeBytes(signed.bytes) as `0x02${string}`);
    assert.ok(nonce !== undefined && to && data && maxFeePerGas && maxPriorityFeePerGas);
    const raw = await evm.options.treasury.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      to,
      data,
      gas: 40_000n,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    const reference = await evm.reader.sendRawTransaction({ serializedTransaction: raw });
    const starved = { transfer, signed: { ...signed, reference, bytes: Buffer.from(raw.slice(2), 'hex').toString('base64') } };
    await evm.mine(5);
    assert.deepEqual(await look(starved), { state: 'expired' });
    const again = await sign(transfer);
    await evm.mine(5);
    assert.deepEqual(await look(again), landed(again.signed.reference, 'final'));
  });
});
