/** Servers that cost memory, never read, or answer requests that Node refuses to send; each once harmed the process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readAnswer } from '../../../../../test/harness/answer-server.ts';
import { createOutboundClient, type OutboundPost } from './outbound-client.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const MEGABYTE = 1_000_000;
const post: OutboundPost = { headers: {}, body: '{}', timeoutMs: 3_000, maxResponseBytes: MEGABYTE };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A server that passes on each connection once its request has begun, and reads nothing more. */
async function openServer(t: TestContext, answer: (socket: Socket) => void): Promise<{ port: number; url: string }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/` };
}

async function memoryInUse(): Promise<number> {
  collectGarbage();
  // Freed memory shows in the count a little later.
  await sleep(50);
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function chunksOf(size: number, total: number): string {
  return `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(total / size);
}

describe('an answer in many parts', () => {
  test('W08: an answer in a million chunks of one byte is refused early', async (t) => {
    const { port } = await openServer(t, (socket) => socket.end(`${HEAD}${chunksOf(1, MEGABYTE)}0\r\n\r\n`));
    const socket = connect(port, '127.0.0.1');
    assert.equal(await readAnswer(socket, '/', { maxBodyBytes: MEGABYTE }), 'too_large');
    assert.ok(socket.bytesRead < MEGABYTE, `${socket.bytesRead} bytes were read`);
    const cut = connect(port, '127.0.0.1');
    assert.equal(await readAnswer(cut, '/', { maxBodyBytes: MEGABYTE, overflow: 'cut' }), 'too_large');
  });

  test('an answer from a server that flushes every 200 bytes is read whole', async (t) => {
    const { port } = await openServer(t, (socket) => socket.end(`${HEAD}${chunksOf(200, MEGABYTE)}0\r\n\r\n`));
    assert.equal(await readAnswer(connect(port, '127.0.0.1'), '/', { maxBodyBytes: MEGABYTE }), `200 ${'x'.repeat(MEGABYTE)}`);
  });

  test('W08: an unfinished answer takes no more memory than its bytes', async (t) => {
    const bytes = Buffer.from(`${HEAD}${chunksOf(1, 60_000)}`);
    const { port } = await openServer(t, (socket) => socket.write(bytes));
    const before = await memoryInUse();
    const socket = connect(port, '127.0.0.1');
    const outcome = readAnswer(socket, '/', { maxBodyBytes: MEGABYTE });
    while (socket.bytesRead < bytes.length && !socket.destroyed) await sleep(5);
    const taken = (await memoryInUse()) - before;
    assert.ok(!socket.destroyed);
    socket.destroy();
    assert.equal(await outcome, 'protocol');
    assert.ok(taken < 4 * MEGABYTE, `${taken} bytes were taken`);
  });
});

for (const keepAlive of [true, false]) {
  test(`a whole answer counts though the server stops reading the request, ${keepAlive ? 'keep-alive' : 'close'}`, async (t) => {
    let theirs: Socket | undefined;
    const { url } = await openServer(t, (socket) => {
      theirs = socket.pause();
      socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\n\r\nlong');
    });
    const client = createOutboundClient({ allowHosts: ['127.0.0.1'] });
    const answer = await client.post(url, { ...post, keepAlive, body: 'x'.repeat(20 * MEGABYTE) });
    assert.ok(answer.ok, 'the call failed');
    assert.deepEqual([answer.status, answer.body.toString()], [413, 'long']);
    assert.ok(theirs !== undefined);
    await once(theirs.resume(), 'close', { signal: AbortSignal.timeout(2_000) });
  });
}

test('a request that Node refuses fails only its own call', async (t) => {
  const { url } = await openServer(t, (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  const client = createOutboundClient({ allowHosts: ['127.0.0.1'] });
  for (const keepAlive of [true, false]) {
    const failure = await client.post(url, { ...post, keepAlive, headers: { 'a b': 'c' } });
    assert.ok(!failure.ok && failure.kind === 'protocol');
    assert.equal(failure.message, 'The request cannot be sent (ERR_INVALID_HTTP_TOKEN).');
  }
  assert.ok((await client.post(url, post)).ok);
});

test('W08: an idle connection does not keep its last answer in memory', async (t) => {
  const { url } = await openServer(t, (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${MEGABYTE}\r\n\r\n${'x'.repeat(MEGABYTE)}`),
  );
  const client = createOutboundClient({ allowHosts: ['127.0.0.1'] });
  const before = await memoryInUse();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const answer = await client.post(url, { ...post, keepAlive: true });
      return answer.ok ? answer.status : answer.message;
    }),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));
  const kept = (await memoryInUse()) - before;
  assert.ok(kept < 5 * MEGABYTE, `${kept} bytes were kept`);
  client.close();
});
