import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EARN_ROUTER_ADDRESS, earnRouter } from '@market/sandbox/evm';
import { encodeFunctionData, parseTransaction } from 'viem/utils';
import { receiptOf, sendUsdc, somebody, startTestChain, USDC } from '../../../../../testing/evm-test-chain.ts';
import {
  allowNow,
  carryOut,
  depositNow,
  depositOf,
  lendVault,
  newIntent,
  redeemOf,
  resultNow,
  untilDecided,
  venuesOf,
} from '../../../../../testing/venue-test-bench.ts';
import { ChainUnavailable } from '../../chain.ts';
import { decodeBytes } from '../broadcast.ts';

describe('attempts of one call', () => {
  test('a stuck deposit is replaced under its account nonce, and both together deposit once', async () => {
    const evm = await startTestChain({ byHand: true, treasury: { micros: 1_000n * USDC } });
    const venues = venuesOf(evm.chain);
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const first = await venues.sign(call);
    assert.equal((await venues.readOutcome(call, first)).state, 'open');
    const raised = await venues.replace(call, first);
    assert.ok(raised);
    assert.equal(raised.validity, first.validity);
    const [a, b] = [first, raised].map(({ bytes }) => parseTransaction(decodeBytes(bytes) as `0x02${string}`));
    assert.ok((b?.maxFeePerGas ?? 0n) > (a?.maxFeePerGas ?? 0n));
    await evm.chain.broadcast(raised);
    await evm.mine(10);
    const outcome = await venues.readOutcome(call, first);
    assert.deepEqual(outcome, { state: 'landed', reference: raised.reference, finality: 'final' });
    assert.deepEqual(await venues.readOutcome(call, raised), outcome);
    assert.equal(await venues.replace(call, raised), undefined);
    assert.equal(await evm.balanceOf(evm.treasuryWallet.account.address), 900n * USDC);
  });

  test('a call whose account nonce another transaction used is expired, and can be signed anew', async () => {
    const evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    const venues = venuesOf(evm.chain);
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const first = await venues.sign(call);
    await evm.included(await sendUsdc(evm.treasuryWallet, somebody(), USDC));
    assert.equal((await untilDecided(evm.chain, call, first)).state, 'expired');
    const again = await venues.sign(call);
    await evm.chain.broadcast(again);
    assert.equal((await untilDecided(evm.chain, call, again)).state, 'landed');

    await allowNow(evm.chain, lendVault);
    const redeem = redeemOf(lendVault, 10n ** 12n, 1n);
    const stale = await venues.sign(redeem);
    await evm.included(await sendUsdc(evm.treasuryWallet, somebody(), USDC));
    assert.equal((await untilDecided(evm.chain, redeem, stale)).state, 'expired');
    const allow = { kind: 'allow', intentId: newIntent(), at: lendVault } as const;
    const staleAllow = await venues.sign(allow);
    await evm.included(await sendUsdc(evm.treasuryWallet, somebody(), USDC));
    assert.equal((await untilDecided(evm.chain, allow, staleAllow)).state, 'expired');
  });

  test('a call whose authorisation lapsed is expired, even if no other transaction used its nonce', async () => {
    const evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const signed = await venuesOf(evm.chain).sign(call);
    await evm.node.advance(3_700);
    await evm.mine(8);
    assert.equal((await venuesOf(evm.chain).readOutcome(call, signed)).state, 'expired');
  });

  test('bytes of another call are not taken for those of this call', async () => {
    const evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    const venues = venuesOf(evm.chain);
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const signed = await venues.sign(call);
    await assert.rejects(venues.readOutcome({ ...call, assets: 99n * USDC }, signed), ChainUnavailable);
    await assert.rejects(venues.readOutcome({ ...call, intentId: newIntent() }, signed), ChainUnavailable);
    await assert.rejects(venues.readOutcome({ ...call, at: { ...lendVault, venue: somebody() } }, signed), ChainUnavailable);
    const reading = await venues.readOutcome({ ...call, minUnits: 2n }, signed);
    assert.equal(reading.state, 'open', 'each signature may have its own bound');
  });

  test('a deposit shows among outgoing transfers under the name of its intent, and a redemption as a receipt from the router', async () => {
    const evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const { units } = await resultNow(evm.chain, call);
    const { transfers } = await evm.chain.listOutgoing('0', async () => new Set());
    assert.deepEqual(
      transfers.map(({ intentKey, destination, micros }) => [intentKey, destination, micros]),
      [[evm.chain.intentKey(call.intentId), EARN_ROUTER_ADDRESS, 100n * USDC]],
    );
    await allowNow(evm.chain, lendVault);
    const redeem = redeemOf(lendVault, units, 1n);
    const { outcome } = await carryOut(evm.chain, redeem);
    assert.equal(outcome.state, 'landed');
    const result = await venuesOf(evm.chain).readResult(redeem, outcome.reference);
    const { payers, receivedMicros } = await receiptOf(evm, outcome.reference);
    assert.deepEqual(payers, [{ address: EARN_ROUTER_ADDRESS, micros: result?.assets }]);
    assert.equal(receivedMicros, result?.assets);
  });

  test('a stranger who copies the call of a deposit gets nothing: the router acts for its caller alone', async () => {
    const evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    const call = depositOf(lendVault, 100n * USDC, 1n);
    const { data = '0x' } = parseTransaction(decodeBytes((await venuesOf(evm.chain).sign(call)).bytes) as `0x02${string}`);
    const thief = await evm.createPerson();
    await assert.rejects(evm.reader.call({ account: thief.account, to: EARN_ROUTER_ADDRESS, data }), /invalid signature/);
    const { units } = await depositNow(evm.chain, lendVault, 100n * USDC);
    await allowNow(evm.chain, lendVault);
    const steal = encodeFunctionData({
      abi: earnRouter.abi,
      functionName: 'redeem',
      args: [evm.options.usdcAddress, lendVault.venue as `0x${string}`, units, 0n, `0x${'11'.repeat(32)}`],
    });
    await assert.rejects(evm.reader.call({ account: thief.account, to: EARN_ROUTER_ADDRESS, data: steal }));
  });
});
