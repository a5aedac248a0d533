import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPublicClient, defineChain, http } from 'viem';
import * as chains from 'viem/chains';
import { startEvmNode } from './node.ts';
import { connect, createPayer, createTestFolder, ETHER, post, randomAddress, startTestNode, usdc } from './test-node.ts';

test('a standard client finds Base with USDC and Multicall3 on the local node', async (t) => {
  const node = await startTestNode(t);
  const client = connect(node);
  assert.deepEqual([await client.getChainId(), node.chainId], [8453, 8453]);
  assert.match(node.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(node.wsUrl, node.url.replace('http', 'ws'));
  assert.ok(await client.getCode({ address: usdc.address }));
  assert.ok(await client.getCode({ address: chains.base.contracts.multicall3.address }));
});

test('the EVM faucet sends coins in real transactions', async (t) => {
  const node = await startTestNode(t);
  const client = connect(node);
  const address = randomAddress();
  const [eth, dollars] = await Promise.all([node.fundNative(address, 3n * ETHER), node.fundUsdc(address, 1_500_000n)]);
  assert.equal(await client.getBalance({ address }), 3n * ETHER);
  assert.equal(await client.readContract({ ...usdc, functionName: 'balanceOf', args: [address] }), 1_500_000n);
  for (const hash of [eth, dollars]) assert.equal((await client.getTransactionReceipt({ hash })).status, 'success');
  await assert.rejects(node.fundUsdc('0x12', 1n), /is not an address/);
  await assert.rejects(node.fundNative(address, 0n), /positive amount/);
  await assert.rejects(node.fundUsdc(`0x${'0'.repeat(40)}`, 1n), /failed/);
});

test('two EVM chains in one process share no state', async (t) => {
  const [base, alt] = await Promise.all([startTestNode(t), startTestNode(t, { chainId: 84_530 })]);
  const address = randomAddress();
  await base.fundNative(address, ETHER);
  const chain = defineChain({ ...chains.base, id: 84_530, name: 'alt' });
  const altClient = createPublicClient({ chain, transport: http(alt.url) });
  assert.equal(await altClient.getChainId(), 84_530);
  assert.equal(await altClient.getBalance({ address }), 0n);
  const payer = await createPayer(base);
  const raw = await payer.account.signTransaction({
    chainId: 8453,
    type: 'eip1559',
    nonce: 0,
    to: address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 9n,
  });
  await alt.fundNative(payer.account.address, ETHER);
  await assert.rejects(altClient.sendRawTransaction({ serializedTransaction: raw }), /invalid chain id/);
});

test('an EVM transaction becomes safe, then final without further ones, and then block production stops', async (t) => {
  const node = await startTestNode(t, { finalityBlocks: { safe: 3, finalized: 6 } });
  const client = connect(node);
  const { blockNumber } = await client.getTransactionReceipt({ hash: await node.fundNative(randomAddress(), 1n) });
  const seen: string[] = [];
  let blocks: bigint[] = [];
  while (seen.at(-1) !== 'final') {
    blocks = await Promise.all(
      (['latest', 'safe', 'finalized'] as const).map(async (blockTag) => (await client.getBlock({ blockTag })).number),
    );
    const [latest = 0n, safe = 0n, finalized = 0n] = blocks;
    assert.ok(finalized <= safe && safe <= latest, String(blocks));
    seen.push(finalized >= blockNumber ? 'final' : safe >= blockNumber ? 'safe' : 'fresh');
    await sleep(2);
  }
  assert.notEqual(seen[0], 'final');
  assert.deepEqual(await finalityAt(client), [blockNumber + 6n, blockNumber + 3n, blockNumber]);
  await sleep(150);
  assert.equal(await client.getBlockNumber(), blockNumber + 6n);
});

async function finalityAt(client: ReturnType<typeof connect>): Promise<bigint[]> {
  return Promise.all((['latest', 'safe', 'finalized'] as const).map(async (blockTag) => (await client.getBlock({ blockTag })).number));
}

test('the state at a safe or finalized tag is the state of that block', async (t) => {
  const node = await startTestNode(t, { finalityBlocks: { safe: 1000, finalized: 2000 }, blockMilliseconds: 500 });
  const client = connect(node);
  const address = randomAddress();
  await node.fundNative(address, 5n);
  const balances = (['latest', 'pending', 'safe', 'finalized'] as const).map((blockTag) => client.getBalance({ address, blockTag }));
  assert.deepEqual(await Promise.all(balances), [5n, 5n, 0n, 0n]);
});

test('an EVM transaction with a nonce gap waits until the gap is filled', async (t) => {
  const node = await startTestNode(t);
  const client = connect(node);
  const payer = await createPayer(node);
  const to = randomAddress();
  const send = (nonce: number) => payer.sendTransaction({ to, value: 1n, nonce, gas: 21_000n });
  const second = await send(1);
  await sleep(60);
  assert.equal((await client.getTransaction({ hash: second })).blockNumber, null);
  const first = await send(0);
  const receipts = await Promise.all([first, second].map((hash) => client.waitForTransactionReceipt({ hash })));
  assert.deepEqual(
    receipts.map(({ status }) => status),
    ['success', 'success'],
  );
  assert.equal(await client.getBalance({ address: to }), 2n);
});

test('times of EVM blocks increase with the clock, and are never far ahead of it', async (t) => {
  const now = 1_800_000_000_000;
  const node = await startTestNode(t, { now: () => now, blockMilliseconds: 1, finalityBlocks: { safe: 5, finalized: 20 } });
  const client = connect(node);
  await node.fundNative(randomAddress(), 1n);
  while ((await client.getBlockNumber()) < 21n) await sleep(2);
  const times = await Promise.all(
    Array.from(
      { length: 22 },
      async (_, number) => Number((await client.getBlock({ blockNumber: BigInt(number) })).timestamp) - now / 1000,
    ),
  );
  assert.deepEqual(times.slice(0, 7), [0, 1, 2, 3, 4, 5, 5]);
  assert.equal(times.at(-1), 5);
});

test('advancing the clock of an EVM chain moves block time at once', async (t) => {
  const node = await startTestNode(t);
  const client = connect(node);
  const before = (await client.getBlock()).timestamp;
  await node.advance(86_400);
  assert.ok((await client.getBlock()).timestamp >= before + 86_400n);
  await assert.rejects(node.advance(-1), /whole number/);
});

test('a call on an idle EVM chain uses the present time', async (t) => {
  let now = Date.now();
  const node = await startTestNode(t, { now: () => now });
  const client = connect(node);
  const address = chains.base.contracts.multicall3.address;
  const abi = [
    { type: 'function', name: 'getCurrentBlockTimestamp', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' },
  ] as const;
  now += 3_600_000;
  const seen = await client.readContract({ address, abi, functionName: 'getCurrentBlockTimestamp' });
  assert.equal(Number(seen), Math.floor(now / 1000));
  const height = await client.getBlockNumber();
  await client.readContract({ address, abi, functionName: 'getCurrentBlockTimestamp' });
  assert.equal(await client.getBlockNumber(), height, 'a fresh head is not renewed');
});

test('the public port of an EVM node refuses methods that forge blocks, balances and accounts', async (t) => {
  const { url } = await startTestNode(t);
  for (const method of [
    'evm_mine',
    'evm_snapshot',
    'evm_revert',
    'hardhat_setBalance',
    'hardhat_reset',
    'debug_traceCall',
    'eth_sendTransaction',
  ]) {
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method, params: [] });
    assert.partialDeepStrictEqual(answer, { id: 1, error: { code: -32601 } });
  }
  assert.partialDeepStrictEqual(await post(url, { id: 1, method: 'eth_accounts' }), { result: [] });
});

test('an EVM node that finds its port in use names it in the error and releases the folder', async (t) => {
  const occupant = createServer().listen(0, '127.0.0.1');
  t.after(() => occupant.close());
  await once(occupant, 'listening');
  const address = occupant.address();
  assert.ok(address !== null && typeof address === 'object');
  const stateFolder = await createTestFolder(t);
  await assert.rejects(startEvmNode({ port: address.port, chainId: 8453, stateFolder }), new RegExp(`Port ${address.port} .* taken`));
  await startTestNode(t, { stateFolder });
});
