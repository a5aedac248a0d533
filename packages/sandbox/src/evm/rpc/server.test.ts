import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createPublicClient, type Hex, parseAbiItem, webSocket } from 'viem';
import { base } from 'viem/chains';
import { connect, createPayer, ETHER, post, randomAddress, startTestNode, usdc } from '../test-node.ts';

const call = (id: unknown, method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id, method, params });

test('answers of the EVM node have the id of their call, alone and in batches', async (t) => {
  const { url } = await startTestNode(t);
  assert.deepEqual(await post(url, { jsonrpc: '2.0', id: 'a', method: 'eth_chainId' }), { jsonrpc: '2.0', id: 'a', result: '0x2105' });
  const answers = await post(url, [call(1, 'eth_chainId'), call('two', 'net_version'), call(3, 'eth_nothing'), 5]);
  assert.partialDeepStrictEqual(answers, [
    { id: 1, result: '0x2105' },
    { id: 'two', result: '8453' },
    { id: 3, error: { code: -32601 } },
    { id: null, error: { code: -32600 } },
  ]);
});

test('the EVM node does not answer a notification', async (t) => {
  const { url } = await startTestNode(t);
  assert.equal(await post(url, { jsonrpc: '2.0', method: 'eth_chainId' }), undefined);
  assert.deepEqual(await post(url, [{ jsonrpc: '2.0', method: 'eth_chainId' }, call(1, 'eth_chainId')]), [
    { jsonrpc: '2.0', id: 1, result: '0x2105' },
  ]);
});

test('invalid input gets an error and never ends the EVM node', async (t) => {
  const { url } = await startTestNode(t);
  const deep = (depth: number) => `{"id":1,"method":"eth_call","params":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const nonsense = ['', 'nonsense', '[]', '{}', 'null', '"x"', '7', '{"id":1,"method":5}', '{"id":1,"method":"eth_call","params":{}}'];
  const huge = `0x${'ff'.repeat(32)}`;
  const calls = [
    'eth_call',
    'eth_estimateGas',
    'eth_getBalance',
    'eth_getLogs',
    'eth_sendRawTransaction',
    'eth_feeHistory',
    'eth_getProof',
  ];
  const bad = [[], [null], [{}, {}], ['0x'], [huge, huge, huge], [{ to: huge }], [[[]]], ['0x7ec0'], ['0x03f8'], ['0x02c0']];
  const bodies = [
    ...nonsense,
    deep(200),
    deep(50_000),
    ...calls.flatMap((method) => bad.map((params) => JSON.stringify(call(1, method, params)))),
  ];
  for (const body of bodies) assert.ok(await post(url, body), body.slice(0, 80));
  assert.partialDeepStrictEqual(await post(url, call(1, 'eth_chainId')), { result: '0x2105' });
});

test('the EVM node refuses too long bodies, too large batches and HTTP methods other than POST', async (t) => {
  const { url } = await startTestNode(t);
  const long = await fetch(url, { method: 'POST', body: 'x'.repeat(6 * 1024 * 1024) });
  assert.equal(long.status, 413);
  const many = Array.from({ length: 1001 }, (_, id) => call(id, 'eth_chainId'));
  assert.partialDeepStrictEqual(await post(url, many), { error: { code: -32600 } });
  assert.equal((await fetch(url)).status, 405);
});

test('any origin may call the EVM node', async (t) => {
  const { url } = await startTestNode(t);
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(call(1, 'eth_chainId')) });
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
});

test('errors of the EVM node have the codes and messages of geth', async (t) => {
  const node = await startTestNode(t);
  const client = connect(node);
  const payer = await createPayer(node);
  const to = randomAddress();
  const sign = (nonce: number, changes: { value?: bigint; gas?: bigint; chainId?: number; maxFeePerGas?: bigint } = {}) =>
    payer.account.signTransaction({ chainId: 8453, type: 'eip1559', nonce, to, gas: 21_000n, maxFeePerGas: 10n ** 9n, ...changes });
  const send = async (raw: Hex) => post(node.url, call(1, 'eth_sendRawTransaction', [raw]));
  const refused = async (raw: Hex, message: RegExp) => {
    const answer = await send(raw);
    assert.partialDeepStrictEqual(answer, { error: { code: -32000 } });
    assert.match(JSON.stringify(answer), message);
  };

  await client.waitForTransactionReceipt({ hash: await client.sendRawTransaction({ serializedTransaction: await sign(0) }) });
  await refused(await sign(0), /"nonce too low: next nonce 1, tx nonce 0"/);
  await refused(await sign(1, { value: 2n * ETHER }), /"insufficient funds for gas \* price \+ value: balance \d+, tx cost \d+"/);
  await refused(await sign(1, { gas: 20_000n }), /"intrinsic gas too low: gas 20000, minimum needed 21000"/);
  await refused(await sign(1, { gas: 500_000_000n }), /"exceeds block gas limit/);
  await refused(await sign(1, { chainId: 1 }), /"invalid chain id for signer: want 8453"/);
  await send(await sign(5));
  await refused(await sign(5), /"already known"/);
  await refused(await sign(5, { value: 1n }), /"replacement transaction underpriced"/);
  await refused('0x7ef8', /"transaction type not supported"/);
  const poor = { from: randomAddress(), to, value: '0x1' };
  assert.match(JSON.stringify(await post(node.url, call(1, 'eth_estimateGas', [poor]))), /insufficient funds/);
  assert.partialDeepStrictEqual(await post(node.url, call(1, 'eth_getBalance', [to, '0xffff'])), {
    error: { message: 'header not found' },
  });
  assert.partialDeepStrictEqual(await post(node.url, call(1, 'eth_getFilterChanges', ['0x99'])), {
    error: { message: 'filter not found' },
  });
});

test('a revert on the EVM node is code 3 with the contract’s data', async (t) => {
  const { url } = await startTestNode(t);
  const data = `0xa9059cbb${randomAddress().slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`;
  for (const method of ['eth_call', 'eth_estimateGas']) {
    const answer = await post(url, call(1, method, [{ from: randomAddress(), to: usdc.address, data }]));
    assert.partialDeepStrictEqual(answer, { error: { code: 3, message: 'execution reverted: ERC20: transfer amount exceeds balance' } });
    assert.match(JSON.stringify(answer), /"data":"0x08c379a0/);
  }
});

test('optional parameters of EVM methods may be omitted', async (t) => {
  const node = await startTestNode(t);
  const address = randomAddress();
  await node.fundNative(address, 255n);
  const result = async (method: string, params?: unknown[]) => {
    const answer = await post(node.url, { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
    assert.ok(typeof answer === 'object' && answer !== null && 'result' in answer, JSON.stringify(answer));
    return answer.result;
  };
  assert.equal(await result('eth_getBalance', [address]), '0xff');
  assert.equal(await result('eth_getBalance', [address, null]), '0xff');
  assert.equal(await result('eth_call', [{ to: address }]), '0x');
  assert.ok(await result('eth_getBlockByNumber'));
  assert.ok(await result('eth_feeHistory', ['0x1']));
  assert.deepEqual(await result('eth_getLogs', [{ address }]), []);
  const receipts = await result('eth_getBlockReceipts', ['0x1']);
  assert.ok(Array.isArray(receipts) && receipts.length === 1);
});

test('a WebSocket client of the EVM node reads, sends and subscribes to blocks and logs', async (t) => {
  const node = await startTestNode(t);
  const client = createPublicClient({ chain: base, transport: webSocket(node.wsUrl, { reconnect: false, keepAlive: false }) });
  assert.equal(await client.getChainId(), 8453);
  const to = randomAddress();
  const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
  const values: (bigint | undefined)[] = [];
  const blocks: bigint[] = [];
  const received = Promise.withResolvers<void>();
  const stopLogs = client.watchEvent({
    address: usdc.address,
    event,
    args: { to },
    onLogs: (logs) => {
      values.push(...logs.map(({ args }) => args.value));
      if (values.length === 2) received.resolve();
    },
  });
  const stopBlocks = client.watchBlockNumber({ onBlockNumber: (number) => blocks.push(number) });
  await client.getBlockNumber();
  await Promise.all([node.fundUsdc(to, 1n), node.fundUsdc(to, 2n), node.fundUsdc(randomAddress(), 3n)]);
  await received.promise;
  assert.deepEqual(values, [1n, 2n]);
  assert.ok(blocks.length > 0);
  stopLogs();
  stopBlocks();
  const payer = await createPayer(node);
  const raw = await payer.account.signTransaction({ chainId: 8453, type: 'eip1559', nonce: 0, to, gas: 21_000n, maxFeePerGas: 10n ** 9n });
  const hash = await client.sendRawTransaction({ serializedTransaction: raw });
  assert.equal((await connect(node).waitForTransactionReceipt({ hash })).status, 'success');
});

test('invalid WebSocket input gets an error from the EVM node, and an unknown subscription is refused', async (t) => {
  const node = await startTestNode(t);
  const socket = new WebSocket(node.wsUrl);
  await once(socket, 'open');
  const ask = async (text: string) => {
    socket.send(text);
    const [message] = await once(socket, 'message');
    return JSON.parse(message.data);
  };
  assert.partialDeepStrictEqual(await ask('nonsense'), { error: { code: -32700 } });
  assert.partialDeepStrictEqual(await ask(JSON.stringify(call(1, 'eth_subscribe', ['everything']))), { error: { code: -32602 } });
  assert.partialDeepStrictEqual(await ask(JSON.stringify(call(1, 'eth_unsubscribe', ['0x1']))), { error: { code: -32602 } });
  const { result } = await ask(JSON.stringify(call(1, 'eth_subscribe', ['newHeads'])));
  assert.partialDeepStrictEqual(await ask(JSON.stringify(call(2, 'eth_unsubscribe', [result]))), { id: 2, result: true });
  socket.close();
});
