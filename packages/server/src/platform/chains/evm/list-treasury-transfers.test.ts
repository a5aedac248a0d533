import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Hex } from 'viem';
import { type Bend, startBentNode } from '../../../../testing/bent-node.ts';
import {
  authorize,
  type Person,
  sendTogether,
  sendUsdc,
  startTestChain,
  type TestChain,
  USDC,
} from '../../../../testing/evm-test-chain.ts';
import { type Chain, ChainUnavailable } from '../chain.ts';

suite('incoming treasury transfers', () => {
  let evm: TestChain;
  let payer: Person;
  let treasury: Hex;
  const paid: Hex[] = [];
  before(async () => {
    evm = await startTestChain({ byHand: true, treasury: { micros: 0n } });
    payer = await evm.createPerson({ micros: 100n * USDC });
    treasury = evm.options.treasury.address;
    for (let i = 0; i < 5; i++) {
      const hash = await sendUsdc(payer, treasury, USDC);
      await evm.mine();
      paid.push(hash);
    }
    await evm.mine(10);
  });
  const fromTheStart = (rpc = evm.options.rpc): Chain => evm.adapt({ startBlock: 0n, rpc });
  const finalBlock = async (): Promise<string> => String((await evm.reader.getBlock({ blockTag: 'safe' })).number);

  test('incoming transfers are listed oldest first, and the cursor is the last final block', async () => {
    const page = await fromTheStart().listTreasuryTransfers(null, 100);
    assert.deepEqual(page.references, paid);
    assert.equal(page.cursor, await finalBlock());
    assert.deepEqual(await fromTheStart().listTreasuryTransfers(page.cursor, 100), { references: [], cursor: page.cursor, hasMore: false });
  });

  test('incoming transfers are listed page by page without a gap or a repetition', async () => {
    const found: string[] = [];
    let cursor: string | null = null;
    for (let hasMore = true; hasMore; ) {
      const next = await fromTheStart().listTreasuryTransfers(cursor, 2);
      assert.ok(next.references.length <= 2);
      found.push(...next.references);
      ({ cursor, hasMore } = next);
    }
    assert.deepEqual(found, paid);
  });

  test('the list of incoming transfers starts at the present without a cursor', async () => {
    assert.deepEqual(await evm.chain.listTreasuryTransfers(null, 100), { references: [], cursor: await finalBlock(), hasMore: false });
  });

  test('incoming transfers are listed once they are final, and not before', async () => {
    const { cursor } = await fromTheStart().listTreasuryTransfers(null, 100);
    const hash = await sendUsdc(payer, treasury, USDC);
    await evm.mine();
    assert.deepEqual((await fromTheStart().listTreasuryTransfers(cursor, 100)).references, []);
    await evm.mine(4);
    assert.deepEqual((await fromTheStart().listTreasuryTransfers(cursor, 100)).references, [hash]);
  });

  test('incoming transfers of one block stay together even beyond the limit, and one transaction is listed once', async () => {
    const { cursor } = await fromTheStart().listTreasuryTransfers(null, 100);
    const single = await sendUsdc(payer, treasury, USDC);
    const double = await sendTogether(payer, [await authorize(payer, treasury, USDC), await authorize(payer, treasury, USDC)]);
    await evm.mine(5);
    const page = await fromTheStart().listTreasuryTransfers(cursor, 1);
    assert.deepEqual(page.references, [single, double]);
    assert.deepEqual((await fromTheStart().listTreasuryTransfers(page.cursor, 1)).references, []);
  });

  test('the list of incoming transfers excludes transfers to others, of other contracts or of native coins', async () => {
    const { cursor } = await fromTheStart().listTreasuryTransfers(null, 100);
    await sendUsdc(payer, payer.account.address, USDC);
    await payer.sendTransaction({ to: treasury, value: 1n });
    await evm.mine(6);
    assert.deepEqual((await fromTheStart().listTreasuryTransfers(cursor, 100)).references, []);
  });

  const bendLogs =
    (answer: (filter: { fromBlock: Hex; toBlock: Hex }) => boolean | object[]): Bend =>
    async (method, params, ask) => {
      if (method !== 'eth_getLogs') return await ask();
      const verdict = answer(params[0] as { fromBlock: Hex; toBlock: Hex });
      if (Array.isArray(verdict)) return { result: verdict };
      return verdict ? await ask() : { error: { code: -32602, message: 'query exceeds max block range' } };
    };

  test('incoming transfers are found through a node that accepts small ranges only', async () => {
    await evm.mine(60);
    const rpc = await startBentNode(
      evm.node.url,
      bendLogs(({ fromBlock, toBlock }) => Number(toBlock) - Number(fromBlock) < 40),
    );
    const [direct, halved] = [
      await fromTheStart().listTreasuryTransfers(null, 100),
      await fromTheStart(rpc).listTreasuryTransfers(null, 100),
    ];
    assert.deepEqual(halved, direct);
    assert.ok(direct.references.length >= paid.length);
  });

  test('the list of incoming transfers fails as unavailable when the node refuses every range, or returns logs outside the query', async () => {
    const refusing = await startBentNode(
      evm.node.url,
      bendLogs(() => false),
    );
    await assert.rejects(fromTheStart(refusing).listTreasuryTransfers(null, 100), ChainUnavailable);
    const [log] = await evm.reader.getLogs({ fromBlock: 0n, toBlock: 'latest' });
    assert.ok(log);
    const { blockHash, data, transactionHash, topics } = log;
    const forged = { address: treasury, blockHash, blockNumber: '0x1', data, logIndex: '0x0', topics, transactionHash };
    const forging = await startBentNode(
      evm.node.url,
      bendLogs(() => [forged]),
    );
    await assert.rejects(fromTheStart(forging).listTreasuryTransfers(null, 100), ChainUnavailable);
  });

  test('the list of incoming transfers refuses a cursor that is no block number', async () => {
    await assert.rejects(evm.chain.listTreasuryTransfers('five', 10), /no block number/);
  });
});
