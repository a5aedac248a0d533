import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startBentNode } from '../../../../testing/bent-node.ts';
import { blacklist, refusedFor, somebody, startTestChain, type TestChain, transferOf, USDC } from '../../../../testing/evm-test-chain.ts';
import { ChainUnavailable, type OutgoingTransfer } from '../chain.ts';

const ORACLE = '0x420000000000000000000000000000000000000f';

suite('estimated fees', () => {
  let evm: TestChain;
  before(async () => {
    // Mined by hand: prices follow the last blocks, and must be equal when a transfer is estimated and when it is signed.
    evm = await startTestChain({ byHand: true, treasury: { micros: 100n * USDC } });
  });
  const treasuryCoins = async () => (await evm.chain.readBalances(evm.options.treasury.address)).native;
  /** The treasury's real loss beyond the amount. */
  const charge = async (transfer: OutgoingTransfer): Promise<bigint> => {
    const before = await treasuryCoins();
    const signed = await evm.chain.signTransfer(transfer);
    await evm.chain.broadcast(signed);
    await evm.mine();
    assert.equal((await evm.chain.readOutcome(transfer, signed)).state, 'landed');
    return before - (await treasuryCoins()) - (transfer.asset === 'native' ? transfer.amount : 0n);
  };

  for (const [asset, amount] of [
    ['native', 1_000n],
    ['usdc', USDC],
  ] as const) {
    test(`${asset}: the estimated fee is at least the charged fee, and less than half above it`, async () => {
      const transfer = transferOf(somebody(), amount, asset);
      const estimated = await evm.chain.estimateFee(transfer);
      const charged = await charge(transfer);
      assert.ok(charged > 0n);
      assert.ok(estimated >= charged && 2n * estimated <= 3n * charged, `estimated ${estimated}, charged ${charged}`);
    });
  }

  test('an estimated fee includes the L1 data fee of an OP chain', async () => {
    const transfer = transferOf(somebody(), 1_000n, 'native');
    const rpc = await startBentNode(evm.node.url, async (method, params, ask) => {
      const [{ to }] = params as [{ to?: string }];
      const isOracle = method === 'eth_call' && to?.toLowerCase() === ORACLE;
      return isOracle ? { result: `0x${(10n ** 17n).toString(16).padStart(64, '0')}` } : await ask();
    });
    const fee = await evm.adapt({ rpc }).estimateFee(transfer);
    assert.ok(fee > 10n ** 17n && fee < 10n ** 17n + 10n ** 15n, String(fee));
  });

  test('fees are estimated for a treasury without coins or without a key', async () => {
    const poor = await startTestChain({ treasury: { micros: USDC, wei: 1n } });
    assert.ok((await poor.chain.estimateFee(transferOf(somebody(), USDC))) > 0n);
    assert.ok((await poor.chain.estimateFee(transferOf(somebody(), 1n, 'native'))) > 0n);
    const watching = poor.adapt({ treasury: { address: poor.options.treasury.address } });
    assert.ok((await watching.estimateFee(transferOf(somebody(), USDC))) > 0n);
  });

  test('a transfer that cannot be sent has a refusal instead of a fee', async () => {
    const blocked = somebody();
    await evm.included(await blacklist(await evm.openFaucetWallet(), blocked));
    await assert.rejects(evm.chain.estimateFee(transferOf(blocked)), refusedFor('destination'));
    await assert.rejects(evm.chain.estimateFee(transferOf(somebody(), 5_000n * USDC)), refusedFor('insufficient_usdc'));
    await assert.rejects(evm.chain.estimateFee(transferOf(somebody(), 10n ** 30n, 'native')), refusedFor('insufficient_native'));
  });

  test('a node that is down gives no estimate', async () => {
    const rpc = await startBentNode(evm.node.url, () => ({ error: { code: -32005, message: 'rate limit exceeded' } }));
    await assert.rejects(evm.adapt({ rpc }).estimateFee(transferOf(somebody())), ChainUnavailable);
  });
});
