import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { startBentNode } from '../../../testing/bent-node.ts';
import { somebody, startTestChain, type TestChain, transferOf, USDC } from '../../../testing/evm-test-chain.ts';
import { createWallet, interpose, openSolanaBench, type SolanaBench } from '../../../testing/solana-test-bench.ts';
import { type Chain, ChainUnavailable, type OutgoingTransfer, type SignedTransfer } from './chain.ts';
import { withSecondOpinion } from './second-opinion.ts';

const OPEN = { state: 'open' };
const EXPIRED = { state: 'expired' };
const ASSETS = ['usdc', 'native'] as const;

suite('the outcome of an EVM transfer from two nodes', () => {
  let evm: TestChain;
  before(async () => {
    evm = await startTestChain({ byHand: true, treasury: { micros: 10n * USDC } });
  });
  const ask = async (second: Chain, transfer: OutgoingTransfer, signed: SignedTransfer) =>
    await withSecondOpinion(evm.chain, second, 0n).readOutcome(transfer, signed);
  /** A node that lags behind every transaction of the treasury. */
  const behind = async () =>
    evm.adapt({
      rpc: await startBentNode(evm.node.url, async (method, _params, real) => {
        if (method === 'eth_getTransactionReceipt') return { result: null };
        return method === 'eth_getTransactionCount' ? { result: '0x0' } : await real();
      }),
    });
  const down = async () =>
    evm.adapt({ rpc: await startBentNode(evm.node.url, () => ({ error: { code: -32005, message: 'rate limit exceeded' } })) });

  for (const asset of ASSETS) {
    test(`C04: ${asset}: a transfer whose nonce was taken is expired only when the second node agrees`, async () => {
      const transfer = transferOf(somebody(), 1_000n, asset);
      const lost = await evm.chain.signTransfer(transfer);
      await evm.chain.broadcast(await evm.chain.signTransfer(transferOf(somebody(), 1n)));
      await evm.mine(8);
      assert.deepEqual(await evm.chain.readOutcome(transfer, lost), EXPIRED);
      assert.deepEqual(await ask(await behind(), transfer, lost), OPEN);
      await assert.rejects(ask(await down(), transfer, lost), ChainUnavailable);
      assert.deepEqual(await ask(evm.adapt({}), transfer, lost), EXPIRED);
    });
  }

  test('a landed native transfer is final when both nodes agree, and only seen while the second does not know it', async () => {
    const transfer = transferOf(somebody(), 1_000n, 'native');
    const signed = await evm.chain.signTransfer(transfer);
    await evm.chain.broadcast(signed);
    await evm.mine(8);
    const landed = (finality: string) => ({ state: 'landed', reference: signed.reference, finality });
    assert.deepEqual(await ask(evm.adapt({}), transfer, signed), landed('final'));
    assert.deepEqual(await ask(await behind(), transfer, signed), landed('seen'));
    assert.deepEqual(await ask(await down(), transfer, signed), landed('seen'));
  });
});

suite('the outcome of a Solana transfer from two nodes', () => {
  let bench: SolanaBench;
  before(async () => {
    bench = await openSolanaBench();
    await bench.fund(bench.treasury, 1_000_000n);
  });
  after(() => bench.close());

  for (const asset of ASSETS) {
    test(`C04: ${asset}: a lost transfer is expired only when its last block is final for the second node as well`, async () => {
      const first = bench.openChain();
      const transfer = { intentId: randomUUID(), destination: createWallet().address, asset, amount: 900_000n };
      const signed = await first.signTransfer(transfer);
      bench.outlive();
      const ask = (second: Chain) => withSecondOpinion(first, second, 0n).readOutcome(transfer, signed);
      const behind = interpose(bench.rpc, {
        getEpochInfo: async (real) => ({ ...((await real()) as object), blockHeight: Number(signed.validity) }),
      });
      const down = interpose(bench.rpc, {
        getSignatureStatuses: () => {
          throw new ChainUnavailable('solana-mainnet', 'down');
        },
      });
      assert.deepEqual(await first.readOutcome(transfer, signed), EXPIRED);
      assert.deepEqual(await ask(bench.openChain({ rpc: behind })), OPEN);
      // A node of another network never heard of the transfer, and would agree that it is lost.
      const elsewhere = bench.openChain({ identity: { genesisHash: createWallet().address } });
      await assert.rejects(ask(elsewhere), ChainUnavailable);
      await assert.rejects(ask(bench.openChain({ rpc: down })), ChainUnavailable);
      assert.deepEqual(await ask(bench.openChain()), EXPIRED);
    });
  }

  test('a transfer unknown to the first node and landed at the second is not signed anew', async () => {
    const transfer = { intentId: randomUUID(), destination: createWallet().address, asset: 'native', amount: 900_000n } as const;
    const honest = bench.openChain();
    const signed = await honest.signTransfer(transfer);
    await honest.broadcast(signed);
    bench.outlive();
    const blind = bench.openChain({
      rpc: interpose(bench.rpc, {
        getSignatureStatuses: async (real) => ({ ...((await real()) as object), value: [null] }),
        getSignaturesForAddress: () => [],
      }),
    });
    assert.deepEqual(await blind.readOutcome(transfer, signed), EXPIRED);
    const together = await withSecondOpinion(blind, honest, 0n).readOutcome(transfer, signed);
    assert.deepEqual(together, { state: 'landed', reference: signed.reference, finality: 'seen' });
  });
});
