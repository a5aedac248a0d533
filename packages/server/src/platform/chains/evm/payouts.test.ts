import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import {
  blacklist,
  refusedFor,
  sendUsdc,
  somebody,
  startTestChain,
  type TestChain,
  transferOf,
  USDC,
  untilOutcome,
} from '../../../../testing/evm-test-chain.ts';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, type TransferOutcome } from '../chain.ts';
import { decodeBytes } from './broadcast.ts';

const isFinal = (outcome: TransferOutcome) => outcome.state === 'landed' && outcome.finality === 'final';
const isExpired = (outcome: TransferOutcome) => outcome.state === 'expired';
const AUTHORIZATION_SECONDS = 3_600;

suite('payouts', () => {
  let evm: TestChain;
  let treasury: Hex;
  before(async () => {
    evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    treasury = evm.options.treasury.address;
  });

  const signAndSend = async (transfer: OutgoingTransfer): Promise<SignedTransfer> => {
    const signed = await evm.chain.signTransfer(transfer);
    await evm.chain.broadcast(signed);
    return signed;
  };
  const untilFinal = async (transfer: OutgoingTransfer, signed: SignedTransfer): Promise<string> => {
    const outcome = await untilOutcome(evm, transfer, signed, isFinal);
    return outcome.state === 'landed' ? outcome.reference : '';
  };
  const requirePaidOnce = async ({ destination, amount }: OutgoingTransfer): Promise<void> => {
    assert.equal(await evm.balanceOf(destination as Hex), amount);
  };
  const loseBroadcast = async (signed: SignedTransfer): Promise<void> => {
    await evm.node.setFault({ mode: 'drop_tx' });
    await evm.chain.broadcast(signed);
    await evm.node.setFault({ mode: 'none' });
  };

  test('a payout that is signed, sent, landed and final pays the exact amount under the promised reference', async () => {
    const transfer = transferOf(somebody(), 1_234_567n);
    const signed = await signAndSend(transfer);
    assert.equal(await untilFinal(transfer, signed), signed.reference);
    await requirePaidOnce(transfer);
    const reading = await evm.chain.readReceipt(signed.reference);
    // A payout that we signed ourselves lessens no payment in the same transaction.
    assert.equal(reading.state === 'landed' && reading.receipt.receivedMicros, 0n);
  });

  test('signing alone pays nothing', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    assert.deepEqual(await evm.chain.readOutcome(transfer, signed), { state: 'open' });
    assert.equal(await evm.balanceOf(transfer.destination as Hex), 0n);
  });

  test('the same bytes of a payout, sent repeatedly, pay once', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    for (let i = 0; i < 3; i++) await evm.chain.broadcast(signed);
    await untilFinal(transfer, signed);
    await evm.chain.broadcast(signed);
    await requirePaidOnce(transfer);
  });

  test('C02: after a crash between signing and sending the stored bytes are sent', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    const next = { chain: evm.adapt({}) };
    assert.deepEqual(await next.chain.readOutcome(transfer, signed), { state: 'open' });
    await next.chain.broadcast(signed);
    await untilOutcome(next, transfer, signed, isFinal);
    await requirePaidOnce(transfer);
  });

  test('after a crash that lost the signed bytes, signing again pays once', async () => {
    const transfer = transferOf(somebody());
    const lost = await evm.chain.signTransfer(transfer);
    await evm.node.advance(2);
    const signed = await signAndSend(transfer);
    assert.notEqual(lost.reference, signed.reference);
    await evm.chain.broadcast(lost).catch((error) => assert.ok(error instanceof ChainUnavailable));
    await untilFinal(transfer, signed);
    await requirePaidOnce(transfer);
  });

  test('C04: a transfer that the node accepted and lost stays open and lands when sent again', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    await loseBroadcast(signed);
    await evm.node.advance(30);
    assert.deepEqual(await evm.chain.readOutcome(transfer, signed), { state: 'open' });
    await evm.chain.broadcast(signed);
    assert.equal(await untilFinal(transfer, signed), signed.reference);
    await requirePaidOnce(transfer);
  });

  test('bytes whose nonce another transfer took expire once that one is final; signed anew they pay once', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    await loseBroadcast(signed);
    const other = transferOf(somebody());
    const otherSigned = await signAndSend(other);
    assert.equal(otherSigned.validity, signed.validity);
    await untilOutcome(evm, transfer, signed, isExpired);
    assert.ok(isFinal(await evm.chain.readOutcome(other, otherSigned)));

    const again = await signAndSend(transfer);
    await untilFinal(transfer, again);
    await evm.chain.broadcast(signed);
    await requirePaidOnce(transfer);
  });

  test('bytes whose authorisation lapsed are expired; signed anew they pay, the old ones never', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    await loseBroadcast(signed);
    await evm.node.advance(AUTHORIZATION_SECONDS);
    await sendUsdc(await evm.createPerson({ micros: USDC }), somebody(), USDC);
    await untilOutcome(evm, transfer, signed, isExpired);

    await evm.chain.broadcast(signed);
    const again = await signAndSend(transfer);
    assert.equal(await untilFinal(transfer, again), again.reference);
    await requirePaidOnce(transfer);
  });

  test('a stranger who submits our authorisation first has made the payment', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    const { data } = parseTransaction(decodeBytes(signed.bytes) as `0x02${string}`);
    assert.ok(data);
    const stranger = await evm.createPerson();
    const theirs = await evm.included(await stranger.sendTransaction({ to: evm.options.usdcAddress, data }));
    assert.equal(await untilFinal(transfer, signed), theirs);
    await evm.chain.broadcast(signed);
    await evm.included(signed.reference as Hex);
    assert.equal(await untilFinal(transfer, signed), theirs);
    await requirePaidOnce(transfer);
  });

  test('signing an already paid transfer sends nothing and finds the payment', async () => {
    const transfer = transferOf(somebody());
    const first = await signAndSend(transfer);
    await untilFinal(transfer, first);
    const sent = await evm.reader.getTransactionCount({ address: treasury });
    const second = await signAndSend(transfer);
    assert.notEqual(second.reference, first.reference);
    assert.ok(Number(second.validity) < sent, 'the account nonce is gone');
    assert.equal(await untilFinal(transfer, second), first.reference);
    assert.equal(await evm.reader.getTransactionCount({ address: treasury }), sent);
    await requirePaidOnce(transfer);
  });

  test('a wallet blacklisted after it was paid does not hide the payment', async () => {
    const transfer = transferOf(somebody());
    await untilFinal(transfer, await signAndSend(transfer));
    await evm.included(await blacklist(await evm.openFaucetWallet(), transfer.destination as Hex));
    await untilFinal(transfer, await evm.chain.signTransfer(transfer));
  });

  test('payouts in sequence have consecutive nonces and all land', async () => {
    const payouts: { transfer: OutgoingTransfer; signed: SignedTransfer }[] = [];
    for (let i = 0; i < 12; i++) {
      const transfer = transferOf(somebody(), USDC);
      payouts.push({ transfer, signed: await signAndSend(transfer) });
    }
    const first = Number(payouts[0]?.signed.validity);
    assert.deepEqual(
      payouts.map(({ signed }) => Number(signed.validity) - first),
      payouts.map((_, index) => index),
    );
    for (const { transfer, signed } of payouts) await untilFinal(transfer, signed);
    for (const { transfer } of payouts) await requirePaidOnce(transfer);
  });

  test('a node that is down gives no answer, and no payout is lost', async () => {
    const transfer = transferOf(somebody());
    const signed = await evm.chain.signTransfer(transfer);
    await evm.node.setFault({ mode: 'down' });
    await assert.rejects(evm.chain.broadcast(signed), ChainUnavailable);
    await assert.rejects(evm.chain.readOutcome(transfer, signed), ChainUnavailable);
    await assert.rejects(evm.chain.signTransfer(transfer), ChainUnavailable);
    await assert.rejects(evm.chain.readReceipt(signed.reference), ChainUnavailable);
    await evm.node.setFault({ mode: 'none' });
    const recovered = { chain: evm.adapt({}) };
    await recovered.chain.broadcast(signed);
    await untilOutcome(recovered, transfer, signed, isFinal);
    await requirePaidOnce(transfer);
  });

  test('M28: a blacklisted destination is refused before anything is signed', async () => {
    const destination = somebody();
    await evm.included(await blacklist(await evm.openFaucetWallet(), destination));
    await assert.rejects(evm.chain.signTransfer(transferOf(destination)), refusedFor('destination'));
  });

  const unpayable: [string, () => string][] = [
    ['the zero address', () => `0x${'0'.repeat(40)}`],
    ['the treasury itself', () => treasury.toLowerCase()],
    ['the USDC contract', () => evm.options.usdcAddress],
    ['a Solana address', () => '4Nd1mYQhWbWJ8Gv5k1nTzS7nWq4eYb9vQ6Zr3pXc2uLd'],
    ['half an address', () => treasury.slice(0, 21)],
  ];
  for (const [what, address] of unpayable) {
    test(`M28: ${what} is refused as destination`, async () => {
      await assert.rejects(
        evm.chain.signTransfer({ intentId: 'pay_1', destination: address(), asset: 'usdc', amount: USDC }),
        refusedFor('destination'),
      );
    });
  }

  test('a payout of zero is refused', async () => {
    await assert.rejects(evm.chain.signTransfer(transferOf(somebody(), 0n)), refusedFor('other'));
  });

  test('a payout of more than the treasury has is refused for lack of USDC, with both amounts', async () => {
    const error = await evm.chain.signTransfer(transferOf(somebody(), 5_000n * USDC)).catch((refusal: unknown) => refusal);
    assert.ok(refusedFor('insufficient_usdc')(error), String(error));
    assert.match(String(error), /holds \d+\.\d+ USDC on base-mainnet, the transfer needs 5000\.00/);
  });

  test('a payout of a treasury without coins for fees is refused for lack of them', async () => {
    const poor = await startTestChain({ treasury: { micros: 10n * USDC, wei: 1_000n } });
    await assert.rejects(poor.chain.signTransfer(transferOf(somebody())), refusedFor('insufficient_native'));
  });

  test('fees above our limit make payouts wait', async () => {
    const stingy = evm.adapt({ maxFeePerGas: 1n });
    await assert.rejects(
      stingy.signTransfer(transferOf(somebody())),
      (error) => error instanceof ChainUnavailable && /above the limit/.test(error.message),
    );
  });

  test('without the treasury’s key payouts wait, and everything else works', async () => {
    const watching = evm.adapt({ treasury: { address: treasury.toLowerCase() } });
    assert.equal(watching.treasury, treasury);
    await assert.rejects(watching.signTransfer(transferOf(somebody())), ChainUnavailable);
    assert.ok((await watching.readBalances(treasury)).usdcMicros > 0n);
  });

  test('permanently invalid bytes of a payout are refused', async () => {
    const signed = await evm.chain.signTransfer(transferOf(somebody()));
    const elsewhere = await startTestChain({ chainId: 84_530 });
    await assert.rejects(elsewhere.chain.broadcast(signed), refusedFor('other'));
  });
});
