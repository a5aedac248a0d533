import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createPayer, createTestFolder, post, randomAddress, startTestNode, usdc } from './test-node.ts';

const chainIdCall = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };

test('a slow EVM node answers every call, three seconds late', async (t) => {
  const node = await startTestNode(t);
  await node.setFault({ mode: 'slow' });
  const startedAt = performance.now();
  const socket = new WebSocket(node.wsUrl);
  await once(socket, 'open');
  socket.send(JSON.stringify(chainIdCall));
  await Promise.all([post(node.url, chainIdCall), post(node.url, [chainIdCall, chainIdCall]), once(socket, 'message')]);
  const seconds = (performance.now() - startedAt) / 1000;
  assert.ok(seconds >= 2.9 && seconds < 5, `${seconds} s`);
  await node.setFault({ mode: 'none' });
  const again = performance.now();
  await post(node.url, chainIdCall);
  assert.ok(performance.now() - again < 1000);
  socket.close();
});

test('an EVM node that is down refuses calls and connections for the given time', async (t) => {
  const node = await startTestNode(t);
  const socket = new WebSocket(node.wsUrl);
  await once(socket, 'open');
  const cut = once(socket, 'close');
  await node.setFault({ mode: 'down', seconds: 0.3 });
  await cut;
  assert.equal((await fetch(node.url, { method: 'POST', body: JSON.stringify(chainIdCall) })).status, 503);
  await assert.rejects(connect(node).getBlockNumber());
  const refused = new WebSocket(node.wsUrl);
  await once(refused, 'error');
  await sleep(320);
  assert.equal(await connect(node).getChainId(), 8453);
  await assert.rejects(node.setFault({ mode: 'down', seconds: 0 }), /positive number/);
});

test('a dropped EVM transaction is acknowledged but does not land until it is sent again', async (t) => {
  const stateFolder = await createTestFolder(t);
  const node = await startTestNode(t, { stateFolder });
  const client = connect(node);
  const payer = await createPayer(node, { micros: 5n });
  const to = randomAddress();
  const transfer = await payer.prepareTransactionRequest({ to, value: 3n });
  const raw = await payer.signTransaction(transfer);
  await node.setFault({ mode: 'drop_tx' });
  const hash = await client.sendRawTransaction({ serializedTransaction: raw });
  await node.fundNative(randomAddress(), 1n);
  await sleep(50);
  await assert.rejects(client.getTransactionReceipt({ hash }), { name: 'TransactionReceiptNotFoundError' });
  await assert.rejects(client.getTransaction({ hash }), { name: 'TransactionNotFoundError' });
  assert.equal(await client.getTransactionCount({ address: payer.account.address, blockTag: 'pending' }), 0);
  await assert.rejects(payer.writeContract({ ...usdc, functionName: 'transfer', args: [to, 6n] }), /exceeds balance/);
  await node.setFault({ mode: 'none' });
  assert.equal(await client.sendRawTransaction({ serializedTransaction: raw }), hash);
  const receipt = await client.waitForTransactionReceipt({ hash });
  assert.equal(receipt.status, 'success');
  await node.close();
  const restarted = await startTestNode(t, { stateFolder });
  assert.deepEqual(await connect(restarted).getTransactionReceipt({ hash }), receipt);
});

test('a reorganisation of the local EVM chain reverts blocks that are not final, keeps final ones, and survives a restart', async (t) => {
  const stateFolder = await createTestFolder(t);
  const node = await startTestNode(t, { stateFolder, blockMilliseconds: 30, finalityBlocks: { safe: 2, finalized: 4 } });
  let client = connect(node);
  const payer = await createPayer(node, { micros: 9n });
  const isFinal = async (block: bigint) => (await client.getBlock({ blockTag: 'finalized' })).number >= block;
  while (!(await isFinal((await client.getBlockNumber()) - 4n))) await sleep(10);
  await sleep(200);
  const to = randomAddress();
  const request = await payer.prepareTransactionRequest({ to, value: 3n });
  const raw = await payer.signTransaction(request);
  const hash = await client.sendRawTransaction({ serializedTransaction: raw });
  const lost = await client.waitForTransactionReceipt({ hash });
  const waiting = await payer.sendTransaction({ to, value: 4n, nonce: 1, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, gas: 21_000n });
  await node.setFault({ mode: 'reorg' });

  await assert.rejects(client.getTransactionReceipt({ hash }), { name: 'TransactionReceiptNotFoundError' });
  await assert.rejects(client.getTransaction({ hash }), { name: 'TransactionNotFoundError' });
  assert.equal(await client.getBalance({ address: to }), 0n);
  assert.equal(await client.readContract({ ...usdc, functionName: 'balanceOf', args: [payer.account.address] }), 9n);
  assert.ok((await client.getBlockNumber()) > lost.blockNumber);
  assert.notEqual((await client.getBlock({ blockNumber: lost.blockNumber })).hash, lost.blockHash);
  assert.equal((await client.getTransaction({ hash: waiting })).blockNumber, null);
  await sleep(100);
  assert.equal(await client.getBalance({ address: to }), 0n);

  await client.sendRawTransaction({ serializedTransaction: raw });
  const found = await client.waitForTransactionReceipt({ hash });
  assert.notEqual(found.blockHash, lost.blockHash);
  await node.close();
  const restarted = await startTestNode(t, { stateFolder });
  client = connect(restarted);
  assert.deepEqual(await client.getTransactionReceipt({ hash }), found);
  assert.equal((await client.getTransaction({ hash: waiting })).nonce, 1);
});

test('a reorganisation of the local EVM chain never reverts a final block', async (t) => {
  const node = await startTestNode(t, { finalityBlocks: { safe: 1, finalized: 2 } });
  const client = connect(node);
  const hash = await node.fundNative(randomAddress(), 1n);
  const { blockNumber, blockHash } = await client.getTransactionReceipt({ hash });
  while ((await client.getBlock({ blockTag: 'finalized' })).number < blockNumber) await sleep(5);
  await node.setFault({ mode: 'reorg' });
  assert.equal((await client.getTransactionReceipt({ hash })).blockHash, blockHash);
});
