import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Hex } from 'viem';
import { type Bend, type NodeAnswer, startBentNode } from '../../../../testing/bent-node.ts';
import { receiptOf, sendUsdc, startTestChain, type TestChain, transferOf, USDC } from '../../../../testing/evm-test-chain.ts';
import { ChainUnavailable, TransferRefused } from '../chain.ts';

type Json = Record<string, unknown>;
type RawReceipt = Json & { logs: (Json & { topics: string[] })[] };

suite('a node with false, mixed-up or non-standard answers', () => {
  let evm: TestChain;
  let hash: Hex;
  let otherHash: Hex;
  before(async () => {
    evm = await startTestChain({ treasury: { micros: 100n * USDC } });
    const payer = await evm.createPerson({ micros: 100n * USDC });
    hash = await evm.included(await sendUsdc(payer, evm.options.treasury.address, 5n * USDC));
    otherHash = await evm.included(await sendUsdc(payer, evm.options.treasury.address, 7n * USDC));
  });

  const bendReceipt =
    (change: (receipt: RawReceipt) => unknown): Bend =>
    async (method, _params, ask) => {
      const answer = await ask();
      return method === 'eth_getTransactionReceipt' ? { result: change(answer.result as RawReceipt) } : answer;
    };
  const bendLog = (change: (log: RawReceipt['logs'][number]) => Json): Bend =>
    bendReceipt((receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, ...change(log) })) }));
  const replace =
    (asked: string, answer: (real: NodeAnswer) => NodeAnswer): Bend =>
    async (method, _params, ask) =>
      method === asked ? answer(await ask()) : await ask();
  const read = async (bend: Bend) => await evm.adapt({ rpc: await startBentNode(evm.node.url, bend) }).readReceipt(hash);

  test('a correct answer of a node passes unchanged', async () => {
    const chain = evm.adapt({ rpc: await startBentNode(evm.node.url, (_method, _params, ask) => ask()) });
    assert.equal((await receiptOf({ chain }, hash)).receivedMicros, 5n * USDC);
  });

  const lies: [string, Bend][] = [
    ['a receipt of another transaction', bendReceipt((receipt) => ({ ...receipt, transactionHash: otherHash }))],
    ['logs of another transaction', bendLog(() => ({ transactionHash: otherHash }))],
    ['logs of another block', bendLog(() => ({ blockHash: `0x${'1'.repeat(64)}` }))],
    ['a receipt without a status', bendReceipt(({ status: _dropped, ...receipt }) => receipt)],
    ['a status that is neither', bendReceipt((receipt) => ({ ...receipt, status: '0x2' }))],
    ['a USDC transfer with one topic too few', bendLog(({ topics }) => ({ topics: topics.slice(0, 2) }))],
    [
      'a USDC transfer to more than an address',
      bendLog(({ topics }) => ({ topics: [topics[0], topics[1], topics[2]?.replace('0x0', '0x1')] })),
    ],
    ['a USDC transfer of more than a number', bendLog(({ data }) => ({ data: `${data}00` }))],
    ['an amount that is no hexadecimal', bendLog(() => ({ data: '5000000' }))],
    [
      'another block than the one asked for',
      replace('eth_getBlockByNumber', ({ result }) => ({ result: { ...(result as Json), number: '0x1' } })),
    ],
    ['a block number in words', replace('eth_blockNumber', () => ({ result: 'one hundred' }))],
    ['an error for the receipt', replace('eth_getTransactionReceipt', () => ({ error: { code: -32005, message: 'rate limit exceeded' } }))],
  ];
  for (const [what, bend] of lies) {
    test(`C14: ${what} is rejected as unavailable`, async () => {
      await assert.rejects(read(bend), ChainUnavailable);
    });
  }

  const harmless: [string, Bend, string][] = [
    ['a block that is not (or no longer) the chain’s', bendReceipt((receipt) => rehash(receipt)), 'missing'],
    [
      'a receipt from before the block was sealed',
      bendReceipt((receipt) => ({ ...receipt, blockHash: null, blockNumber: null, logs: [] })),
      'missing',
    ],
    ['a block no node has yet', replace('eth_getBlockByNumber', () => ({ result: null })), 'missing'],
  ];
  for (const [what, bend, state] of harmless) {
    test(`${what}: ${state}`, async () => {
      assert.deepEqual(await read(bend), { state });
    });
  }

  test('M18: a removed log counts for nothing', async () => {
    const chain = evm.adapt({
      rpc: await startBentNode(
        evm.node.url,
        bendLog(() => ({ removed: true })),
      ),
    });
    assert.equal((await receiptOf({ chain }, hash)).receivedMicros, 0n);
  });

  test('C11: a node that lags makes a transaction look less final, never more', async () => {
    const chain = evm.adapt({
      finalTag: 'finalized',
      rpc: await startBentNode(evm.node.url, async (method, params, ask) => {
        if (method === 'eth_blockNumber') return { result: '0x1' };
        return params[0] === 'finalized' ? { result: null } : await ask();
      }),
    });
    assert.equal((await receiptOf({ chain }, hash)).finality, 'seen');
  });

  test('a node that returns another transaction hash for a broadcast is not trusted', async () => {
    const rpc = await startBentNode(
      evm.node.url,
      replace('eth_sendRawTransaction', () => ({ result: otherHash })),
    );
    const chain = evm.adapt({ rpc });
    await assert.rejects(chain.broadcast(await chain.signTransfer(transferOf(otherHash.slice(0, 42) as Hex))), ChainUnavailable);
  });

  const words: [string, 'fine' | 'unknown' | 'never'][] = [
    ['already known', 'fine'],
    ['ALREADY_EXISTS: already in mempool', 'fine'],
    ['nonce too low: next nonce 7, tx nonce 5', 'fine'],
    ['replacement transaction underpriced', 'unknown'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 1', 'unknown'],
    ['txpool is full', 'unknown'],
    ['invalid chain id for signer: have 1 want 2', 'never'],
    ['intrinsic gas too low: gas 1, minimum needed 21000', 'never'],
  ];
  for (const [message, meaning] of words) {
    test(`"${message}" to a broadcast means ${meaning}`, async () => {
      const rpc = await startBentNode(
        evm.node.url,
        replace('eth_sendRawTransaction', () => ({ error: { code: -32000, message } })),
      );
      const chain = evm.adapt({ rpc });
      const said = await chain
        .broadcast(await chain.signTransfer(transferOf(otherHash.slice(0, 42) as Hex)))
        .catch((error: unknown) => error);
      assert.equal(said === undefined ? 'fine' : said instanceof TransferRefused ? 'never' : 'unknown', meaning);
      if (meaning === 'unknown') assert.ok(said instanceof ChainUnavailable);
    });
  }

  test('USDC paused by its issuer makes payouts wait', async () => {
    const error = { code: -32000, message: 'execution reverted: Pausable: paused' };
    const rpc = await startBentNode(
      evm.node.url,
      replace('eth_estimateGas', () => ({ error })),
    );
    await assert.rejects(evm.adapt({ rpc }).signTransfer(transferOf(otherHash.slice(0, 42) as Hex)), ChainUnavailable);
  });

  test('a payout that landed without its transfer, or with another, is not reported as paid', async () => {
    const transfer = transferOf(otherHash.slice(0, 42) as Hex);
    const signed = await evm.chain.signTransfer(transfer);
    await evm.chain.broadcast(signed);
    await evm.included(signed.reference as Hex);
    const rpc = await startBentNode(
      evm.node.url,
      bendReceipt((receipt) => ({ ...receipt, logs: [] })),
    );
    await assert.rejects(evm.adapt({ rpc }).readOutcome(transfer, signed), ChainUnavailable);
    await assert.rejects(evm.chain.readOutcome({ ...transfer, amount: transfer.amount + 1n }, signed), ChainUnavailable);
    assert.equal((await evm.chain.readOutcome(transfer, signed)).state, 'landed');
  });

  test('a used authorisation without a known transaction is not reported as paid', async () => {
    const rpc = await startBentNode(evm.node.url, async (method, _params, ask) => {
      if (method === 'eth_call') return { result: `0x${'1'.padStart(64, '0')}` };
      return method === 'eth_getLogs' ? { result: [] } : await ask();
    });
    const transfer = transferOf(otherHash.slice(0, 42) as Hex);
    const signed = await evm.chain.signTransfer(transfer);
    await assert.rejects(evm.adapt({ rpc }).readOutcome(transfer, signed), ChainUnavailable);
  });
});

function rehash(receipt: RawReceipt): RawReceipt {
  const blockHash = `0x${'2'.repeat(64)}`;
  return { ...receipt, blockHash, logs: receipt.logs.map((log) => ({ ...log, blockHash })) };
}
