// The engine ends the process on malformed bytes, so the node must reject such input first.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  AccountRole,
  address,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { getTransferInstruction } from '@solana-program/token';
import WebSocket from 'ws';
import { ACCOUNT_METHODS } from './methods/account-methods.ts';
import { BLOCK_METHODS } from './methods/block-methods.ts';
import { TRANSACTION_METHODS } from './methods/transaction-methods.ts';
import type { SolanaNode } from './node.ts';
import { createClient, createWallet, startNode, usdcAccount } from './test-client.ts';

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly id: unknown;
}

async function post(node: SolanaNode, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(node.url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
}

async function callAll(node: SolanaNode, calls: readonly [method: string, params: unknown][]): Promise<RpcAnswer[]> {
  const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
  return (await (await post(node, JSON.stringify(batch))).json()) as RpcAnswer[];
}

async function call(node: SolanaNode, method: string, params: unknown): Promise<RpcAnswer> {
  return (await callAll(node, [[method, params]]))[0] as RpcAnswer;
}

function* inGroups<Item>(items: readonly Item[], size: number): Iterable<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

describe('the node', () => {
  it('the Solana node answers invalid JSON-RPC with the standard error codes', async (t) => {
    const node = await startNode(t);
    const codeOf = async (body: string) => ((await (await post(node, body)).json()) as RpcAnswer).error?.code;
    assert.equal(await codeOf('{"jsonrpc":'), -32700);
    assert.equal(await codeOf(''), -32700);
    assert.equal(await codeOf('[]'), -32600);
    assert.equal(await codeOf('7'), -32600);
    assert.equal(await codeOf('{"id":1}'), -32600);
    assert.equal(await codeOf('{"id":1,"method":"getSlot","params":{"a":1}}'), -32602);
    assert.equal(await codeOf('{"id":1,"method":"__proto__"}'), -32601);
    assert.equal(await codeOf('{"id":1,"method":"slotSubscribe"}'), -32601);
    assert.equal(await codeOf(JSON.stringify(Array.from({ length: 101 }, () => ({ id: 1, method: 'getSlot' })))), -32600);
    assert.equal(await (await post(node, '{"jsonrpc":"2.0","method":"ping"}')).text(), '');
    assert.equal((await post(node, ' '.repeat(60_000))).status, 413);
    assert.equal((await post(node, '{}', { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await fetch(node.url)).status, 405);
    assert.equal(await (await fetch(`${node.url}/health`)).text(), 'ok');
    const preflight = await fetch(node.url, { method: 'OPTIONS' });
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
  });

  it('the Solana node returns the error codes of a real node', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const wallet = await createWallet(node, client);
    const signed = await client.sign(wallet, [
      getTransferSolInstruction({ source: wallet, destination: wallet.address, amount: 10n ** 12n }),
    ]);
    const bytes = Buffer.from(getBase64EncodedWireTransaction(signed), 'base64');
    const failing = await call(node, 'sendTransaction', [
      bytes.toString('base64'),
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
    assert.equal(failing.error?.code, -32002);
    assert.match(failing.error.message, /^Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1$/);
    assert.match(JSON.stringify(failing.error), /"logs":\["Program 1{32} invoke \[1\]"/);
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    const forged = await call(node, 'sendTransaction', [
      bytes.toString('base64'),
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
    assert.equal(forged.error?.code, -32003);
    assert.equal((await call(node, 'getBlock', [999_999_999])).error?.code, -32004);
    assert.equal((await call(node, 'getBlock', [1])).error?.code, -32001);
    assert.equal((await call(node, 'getSlot', [{ minContextSlot: 999_999_999 }])).error?.code, -32016);
    assert.equal((await call(node, 'getBalance', ['1111'])).error?.message, 'Invalid param: WrongSize');
    assert.equal((await call(node, 'getBalance', ['0OIl'])).error?.message, 'Invalid param: Invalid');
    assert.equal((await call(node, 'getTransaction', ['1'.repeat(64), { commitment: 'processed' }])).error?.code, -32602);
    assert.equal((await call(node, 'getSignaturesForAddress', [wallet.address, { limit: 1001 }])).error?.code, -32602);
  });

  it('the Solana node survives every method with every kind of invalid parameter', async (t) => {
    const node = await startNode(t);
    const values = [
      null,
      true,
      -1,
      0,
      1.5,
      2 ** 53,
      1e300,
      '',
      'x',
      '1'.repeat(32),
      '1'.repeat(64),
      'a'.repeat(5000),
      '\u0000\ud800',
      [],
      [[]],
      [null],
      {},
      { commitment: 'x' },
      { encoding: 7 },
      { encoding: 'base64', dataSlice: { offset: 9e15, length: 9e15 } },
      { filters: [{ memcmp: {} }] },
      { filters: [{ memcmp: { offset: 2 ** 40, bytes: '1' } }] },
      { mint: 5 },
      { addresses: [1] },
      { accounts: { addresses: [{}] } },
      { transactionDetails: 'full', maxSupportedTransactionVersion: -1 },
      { minContextSlot: -5 },
    ];
    const methods = Object.keys({ ...ACCOUNT_METHODS, ...BLOCK_METHODS, ...TRANSACTION_METHODS });
    assert.ok(methods.length >= 27);
    const calls = methods.flatMap((method) => {
      const singles = values.map((value): [string, unknown] => [method, [value]]);
      return [...singles, ...values.map((value): [string, unknown] => [method, ['1'.repeat(32), value, value]])];
    });
    for (const group of inGroups(calls, 9)) {
      for (const answer of await callAll(node, group)) {
        assert.notEqual(answer.error?.code, -32603, `${JSON.stringify(group[answer.id as number]).slice(0, 200)} broke the node`);
      }
    }
    assert.equal((await call(node, 'getHealth', [])).result, 'ok');
  });

  it('the Solana node survives random and mutated transactions, and none of them moves money', { timeout: 30_000 }, async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const [wallet, other] = [await createWallet(node, client), await generateKeyPairSigner()];
    const instructions = [
      getTransferSolInstruction({ source: wallet, destination: other.address, amount: 1_000_000n }),
      getTransferInstruction({ source: await usdcAccount(wallet.address), destination: wallet.address, authority: wallet, amount: 1n }),
    ];
    const whole = Buffer.from(getBase64EncodedWireTransaction(await client.sign(wallet, instructions)), 'base64');
    const mutilated = [
      ...Array.from({ length: 60 }, (_, size) => randomBytes(size * 7)),
      ...Array.from({ length: whole.length }, (_, size) => whole.subarray(0, size)),
      ...Array.from({ length: whole.length }, (_, at) => withByte(whole, at, 0xff)),
      ...Array.from({ length: whole.length - 65 }, (_, at) => withByte(whole, at + 65, (whole[at + 65] ?? 0) ^ (1 << (at % 8)))),
      ...Array.from({ length: 130 }, (_, at) => withByte(whole, 65 + (at % 12), at * 2)),
    ];
    const changed = mutilated.filter((bytes) => !bytes.equals(whole));
    const calls = changed.flatMap((bytes): [string, unknown][] => {
      const text = bytes.toString('base64');
      return [
        ['sendTransaction', [text, { encoding: 'base64', skipPreflight: true }]],
        ['simulateTransaction', [text, { encoding: 'base64', replaceRecentBlockhash: true, commitment: 'processed' }]],
        ['getFeeForMessage', [bytes.subarray(65).toString('base64')]],
      ];
    });
    for (const group of inGroups(calls, 30)) {
      for (const answer of await callAll(node, group)) assert.notEqual(answer.error?.code, -32603, JSON.stringify(answer));
    }
    await node.advance(1);
    assert.equal((await client.rpc.getBalance(wallet.address).send()).value, 10_000_000_000n);
  });

  it('the Solana node survives transactions that write to programs, sysvars and each other', async (t) => {
    const node = await startNode(t);
    const client = createClient(node);
    const wallet = await createWallet(node, client);
    for (const target of UNUSUAL_ACCOUNTS) {
      const gift = getTransferSolInstruction({ source: wallet, destination: address(target), amount: 5_000_000n });
      if (target !== gift.programAddress) await sendAnyway(client, wallet, [gift]);
      await sendAnyway(client, wallet, [{ programAddress: address(target), data: randomBytes(9) }]);
      const others = UNUSUAL_ACCOUNTS.filter((account) => account !== target);
      const accounts = others.map((account) => ({ address: address(account), role: AccountRole.WRITABLE }));
      await sendAnyway(client, wallet, [{ programAddress: address(target), accounts, data: new Uint8Array(4) }]);
    }
    assert.equal((await call(node, 'getHealth', [])).result, 'ok');
    const { address: friend } = await generateKeyPairSigner();
    await client.send(wallet, [getTransferSolInstruction({ source: wallet, destination: friend, amount: 1_000_000n })]);
  });

  it('the Solana node survives invalid input over WebSocket', async (t) => {
    const node = await startNode(t);
    const socket = new WebSocket(node.wsUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const answers: string[] = [];
    socket.on('message', (data) => answers.push(String(data)));
    const lines = ['', '{', 'null', '{"id":1,"method":"xSubscribe"}', '{"id":2,"method":"slotUnsubscribe","params":[77]}'];
    const subscriptions = ['{"id":3,"method":"accountSubscribe","params":[5]}', '{"id":4,"method":"logsSubscribe","params":[{}]}'];
    for (const line of [...lines, ...subscriptions]) socket.send(line);
    socket.send(randomBytes(100));
    socket.send('{"id":5,"method":"constructorSubscribe","params":[]}');
    socket.send('{"id":9,"method":"getHealth"}');
    while (!answers.some((answer) => answer.includes('"id":9'))) await new Promise((resolve) => socket.once('message', resolve));
    assert.equal(answers.filter((answer) => answer.includes('"error"')).length, 9);
    const oversized = new Promise((resolve) => socket.once('close', resolve));
    socket.send('x'.repeat(200_000));
    await oversized;
    assert.equal((await call(node, 'getHealth', [])).result, 'ok');
  });
});

const UNUSUAL_ACCOUNTS = [
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'So11111111111111111111111111111111111111112',
];

async function sendAnyway(
  client: ReturnType<typeof createClient>,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
): Promise<void> {
  await client.submit(await client.sign(payer, instructions), true);
}

function withByte(bytes: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = value & 0xff;
  return changed;
}
