import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { toBytes } from './hex.ts';
import { type EvmNode, startEvmNode } from './node.ts';
import { connect, createPayer, createTestFolder, ETHER, post, randomAddress, startTestNode, usdc } from './test-node.ts';
import { addressOf, signTransaction } from './transaction.ts';

test('a restart of an EVM node keeps balances, blocks, receipts, the clock and pending transactions', async (t) => {
  const stateFolder = await createTestFolder(t);
  const first = await startTestNode(t, { stateFolder });
  const payer = await createPayer(first, { micros: 9_000_000n });
  const to = randomAddress();
  let client = connect(first);
  const paid = await payer.writeContract({ ...usdc, functionName: 'transfer', args: [to, 4_000_000n] });
  const receipt = await client.waitForTransactionReceipt({ hash: paid });
  const gapped = await payer.sendTransaction({ to, value: 7n, nonce: 2, gas: 21_000n });
  await first.advance(1_000_000);
  await Promise.all([client.getBlock({ blockTag: 'pending' }), client.estimateGas({ account: payer.account, to })]);
  const head = await client.getBlock();
  await first.close();

  const second = await startTestNode(t, { stateFolder });
  client = connect(second);
  assert.deepEqual(await client.getTransactionReceipt({ hash: paid }), receipt);
  assert.deepEqual(await client.getBlock({ blockNumber: head.number }), head);
  assert.equal(await client.readContract({ ...usdc, functionName: 'balanceOf', args: [to] }), 4_000_000n);
  assert.ok((await client.getBlock()).timestamp >= BigInt(Math.floor(Date.now() / 1000)) + 999_990n);
  const again = await createPayer(second);
  await second.fundNative(again.account.address, ETHER);
  const raw = await payer.account.signTransaction({ chainId: 8453, type: 'eip1559', nonce: 1, to, gas: 21_000n, maxFeePerGas: 10n ** 9n });
  await client.sendRawTransaction({ serializedTransaction: raw });
  assert.equal((await client.waitForTransactionReceipt({ hash: gapped })).status, 'success');
  assert.equal(await client.getBalance({ address: to }), 7n);
});

test('an EVM node restores a thousand transactions within seconds', async (t) => {
  const stateFolder = await createTestFolder(t);
  const first = await startTestNode(t, { stateFolder });
  const client = connect(first);
  const key = toBytes(generatePrivateKey());
  const address = addressOf(key);
  await first.fundNative(address, ETHER);
  const call = { chainId: 8453, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n, gas: 100_000, to: usdc.address, value: 0n } as const;
  const batch = Array.from({ length: 1000 }, (_, nonce) => {
    const raw = signTransaction({ ...call, nonce, data: '0x18160ddd' }, key);
    return { jsonrpc: '2.0', id: nonce, method: 'eth_sendRawTransaction', params: [raw] };
  });
  await post(first.url, batch);
  while ((await client.getTransactionCount({ address })) < 1000) await sleep(20);
  await first.close();
  const startedAt = performance.now();
  const second = await startTestNode(t, { stateFolder });
  const seconds = (performance.now() - startedAt) / 1000;
  assert.equal(await connect(second).getTransactionCount({ address }), 1000);
  assert.ok(seconds < 5, `${seconds} s`);
});

test('an EVM node killed under load loses no acknowledged transaction or receipt', { timeout: 30_000 }, async (t) => {
  const stateFolder = await createTestFolder(t);
  const preparation = await startTestNode(t, { stateFolder });
  const payers = await Promise.all(Array.from({ length: 3 }, () => createPayer(preparation, { micros: 1_000_000n })));
  await preparation.close();

  for (let round = 0; round < 3; round++) {
    const { child, url } = await startChild(t, stateFolder);
    const client = connect({ url });
    const acknowledged: Hex[] = [];
    const receipts = new Map<Hex, Hex>();
    const work = payers.map(async ({ account }) => {
      for (;;) {
        const nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
        const fees = { gas: 100_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
        const raw = await account.signTransaction({ chainId: 8453, type: 'eip1559', nonce, to: randomAddress(), value: 1n, ...fees });
        const hash = await client.sendRawTransaction({ serializedTransaction: raw });
        acknowledged.push(hash);
        const receipt = await client
          .getTransactionReceipt({ hash: acknowledged[Math.max(0, acknowledged.length - 8)] ?? hash })
          .catch(() => undefined);
        if (receipt !== undefined) receipts.set(receipt.transactionHash, receipt.blockHash);
      }
    });
    const stopped = Promise.allSettled(work);
    while (receipts.size < 15) await sleep(5);
    child.kill('SIGKILL');
    await stopped;

    const node = await startEvmNode({ port: 0, chainId: 8453, stateFolder, blockMilliseconds: 10 });
    try {
      await assertAllThere(node, acknowledged, receipts);
    } finally {
      await node.close();
    }
  }
});

async function assertAllThere(node: EvmNode, acknowledged: readonly Hex[], receipts: ReadonlyMap<Hex, Hex>): Promise<void> {
  const client = connect(node);
  for (const [hash, blockHash] of receipts) assert.equal((await client.getTransactionReceipt({ hash })).blockHash, blockHash);
  for (const hash of acknowledged) assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success');
}

async function startChild(t: TestContext, stateFolder: string): Promise<{ child: ChildProcess; url: string }> {
  const program = `
    import { startEvmNode } from ${JSON.stringify(import.meta.resolve('./node.ts'))};
    const node = await startEvmNode({ port: 0, chainId: 8453, stateFolder: ${JSON.stringify(stateFolder)}, blockMilliseconds: 10 });
    console.log(node.url);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [url] = await once(createInterface(child.stdout), 'line');
  return { child, url };
}

test('a truncated last line of the EVM journal is dropped, a damaged line in the middle is reported', async (t) => {
  const stateFolder = await createTestFolder(t);
  const journal = join(stateFolder, 'journal.jsonl');
  const first = await startTestNode(t, { stateFolder });
  const hash = await first.fundNative(randomAddress(), 1n);
  await first.close();
  await appendFile(journal, '{"tx":"0x02f8');
  const second = await startTestNode(t, { stateFolder });
  assert.equal((await connect(second).getTransactionReceipt({ hash })).status, 'success');
  await second.fundNative(randomAddress(), 1n);
  await second.close();
  const text = await readFile(journal, 'utf8');
  await writeFile(journal, text.replace('"tx"', 'tx'));
  await assert.rejects(startTestNode(t, { stateFolder }), /journal\.jsonl is damaged at line 1/);
  await writeFile(journal, text.replace(/"parent":"0x./, '"parent":"0xz'));
  await assert.rejects(startTestNode(t, { stateFolder }), /cannot be repeated.*Remove the folder/);
  await writeFile(journal, text);
  await startTestNode(t, { stateFolder });
});

test('the folder of an EVM chain serves one running node and one chain id', async (t) => {
  const stateFolder = await createTestFolder(t);
  const node = await startTestNode(t, { stateFolder });
  await assert.rejects(startTestNode(t, { stateFolder }), /Another process runs the chain in/);
  assert.equal(await connect(node).getChainId(), 8453);
  await node.close();
  await node.close();
  await assert.rejects(startTestNode(t, { stateFolder, chainId: 84_530 }), /belongs to chain 8453/);
  await startTestNode(t, { stateFolder });
});

test("the EVM faucet's key is random, private, and never replaced silently", async (t) => {
  const folders = [await createTestFolder(t), await createTestFolder(t)];
  const keys = await Promise.all(
    folders.map(async (stateFolder) => {
      const node = await startTestNode(t, { stateFolder });
      await node.close();
      assert.equal((await stat(join(stateFolder, 'faucet.key'))).mode & 0o777, 0o600);
      return readFile(join(stateFolder, 'faucet.key'), 'utf8');
    }),
  );
  assert.notEqual(keys[0], keys[1]);
  const [stateFolder = ''] = folders;
  await rm(join(stateFolder, 'faucet.key'));
  await assert.rejects(startTestNode(t, { stateFolder }), /faucet's key was replaced/);
});
