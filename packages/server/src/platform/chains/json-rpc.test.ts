import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { z } from 'zod';
import { ChainUnavailable } from './chain.ts';
import { createJsonRpcClient, RpcError } from './json-rpc.ts';

type Answer = (request: { id: number; method: string }, response: http.ServerResponse) => void;

let server: http.Server;
let url: string;
let asked: number;
let answer: Answer;

before(async () => {
  server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked += 1;
      answer(JSON.parse(body), response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = 0;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const good: Answer = ({ id }, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x2105' }));
const client = (urls: string[] = [url]) => createJsonRpcClient({ network: 'base-mainnet', urls, timeoutMs: 300 });
const ask = (rpc = client()) => rpc.call('eth_chainId', [], z.string());

test('a valid answer is returned parsed', async () => {
  answer = good;
  assert.equal(await ask(), '0x2105');
});

test('concurrent calls each get their own answer', async () => {
  answer = ({ id, method }, response) =>
    void setTimeout(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method })), method === 'slow' ? 80 : 5);
  const rpc = client();
  const answers = await Promise.all(['slow', 'quick', 'other'].map((method) => rpc.call(method, [], z.string())));
  assert.deepEqual(answers, ['slow', 'quick', 'other']);
});

test('an error stated by the node is thrown unchanged and not retried', async () => {
  answer = ({ id }, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'nonce too low' } }));
  await assert.rejects(ask(), (error) => error instanceof RpcError && error.code === -32000 && error.message === 'nonce too low');
  assert.equal(asked, 1);
});

test('a node error after an unanswered try is marked as a repeat', async () => {
  answer = ({ id }, response) => {
    if (asked === 1) response.destroy();
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'nonce too low' } }));
  };
  await assert.rejects(ask(), (error) => error instanceof RpcError && error.isRepeat);
  await assert.rejects(ask(), (error) => error instanceof RpcError && !error.isRepeat);
});

const broken: [string, Answer][] = [
  ['silence', () => {}],
  ['a cut connection', (_request, response) => response.destroy()],
  ['HTML', (_request, response) => response.writeHead(502).end('<html>Bad gateway</html>')],
  ['truncated JSON', (_request, response) => response.end('{"jsonrpc":"2.0","id":1,"resu')],
  ['the answer to another question', (_request, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 999, result: '0x1' }))],
  ['another shape', ({ id }, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { hash: 1 } }))],
  ['an endless answer', (_request, response) => void endless(response)],
];
for (const [what, behaviour] of broken) {
  test(`${what} is not accepted: the call ends as unavailable, within its deadline`, async () => {
    answer = behaviour;
    const started = performance.now();
    await assert.rejects(ask(), ChainUnavailable);
    assert.ok(performance.now() - started < 3_000);
  });
}

function endless(response: http.ServerResponse): void {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  const write = (): void => {
    if (!response.destroyed) response.write(chunk, () => setImmediate(write));
  };
  write();
}

test('a second node is called when the first fails', async () => {
  answer = good;
  assert.equal(await ask(client(['http://127.0.0.1:1', url])), '0x2105');
});

test('a dead node is skipped for a while after several failures', async () => {
  answer = (_request, response) => response.destroy();
  const rpc = client();
  for (let i = 0; i < 2; i++) await assert.rejects(ask(rpc));
  const before = asked;
  const started = performance.now();
  await assert.rejects(ask(rpc), ChainUnavailable);
  assert.ok(asked - before <= 1);
  assert.ok(performance.now() - started < 1_000);
});
