import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openReceiver, type Receiver, withJson } from '../../../../../test/harness/receiver.ts';
import { createOutboundClient, type OutboundFailure, type OutboundPost } from './outbound-client.ts';

const client = createOutboundClient({ allowHosts: ['127.0.0.1'], connectTimeoutMs: 300, bodyTimeoutMs: 300 });
const post: OutboundPost = {
  headers: { 'Content-Type': 'application/json' },
  body: '{"a":"ü"}',
  timeoutMs: 5_000,
  maxResponseBytes: 1_000,
};

let receiver: Receiver;
before(async () => {
  receiver = await openReceiver();
});
after(() => receiver.close());

async function failureOf(url: string, more: Partial<OutboundPost> = {}, using = client): Promise<OutboundFailure> {
  const answer = await using.post(url, { ...post, ...more });
  assert.ok(!answer.ok, `${url} was answered`);
  assert.match(answer.message, /^[A-Z].+\.$/);
  return answer;
}

/** A server that sends the same bytes, or none, to every client. */
async function openSocketServer(t: TestContext, greet: (socket: Socket) => void): Promise<{ server: Server; address: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // Reads, so that it notices when the client leaves.
    socket.resume();
    greet(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function connectionsOf(server: Server): Promise<number> {
  return await new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
}

describe('an outbound call', () => {
  test('an outbound GET sends no body, respects the limits, and follows no redirect', async () => {
    const { body: _body, ...get } = post;
    receiver.answer((response) => void response.writeHead(302, { location: '/elsewhere' }).end());
    const moved = await client.get(`${receiver.url}/picture`, get);
    assert.ok(moved.ok);
    assert.equal(moved.status, 302);
    const got = receiver.received.at(-1);
    assert.deepEqual([got?.method, got?.path, got?.text, got?.headers['content-length']], ['GET', '/picture', '', undefined]);
    receiver.answer((response) => void response.end('x'.repeat(1_001)));
    const large = await client.get(`${receiver.url}/picture`, get);
    assert.ok(!large.ok && large.kind === 'too_large');
    const own = await createOutboundClient({ allowHosts: [] }).get(`${receiver.url}/picture`, get);
    assert.ok(!own.ok && own.kind === 'refused');
  });

  test('an outbound call sends the body with its length and the given headers, and returns status, headers and bytes', async () => {
    receiver.answer(withJson(201, { done: true }));
    const answer = await client.post(`${receiver.url}/hook?a=1`, { ...post, headers: { ...post.headers, 'X-Market-Event': 'ping' } });
    assert.ok(answer.ok);
    assert.deepEqual([answer.status, answer.headers['content-type'], answer.body.toString()], [201, 'application/json', '{"done":true}']);
    const got = receiver.received.at(-1);
    assert.deepEqual([got?.method, got?.path, got?.text], ['POST', '/hook?a=1', post.body]);
    const { host, connection, ...headers } = got?.headers ?? {};
    assert.deepEqual([`http://${host}`, connection], [receiver.url, 'close']);
    assert.deepEqual(headers, {
      'content-type': 'application/json',
      'x-market-event': 'ping',
      'content-length': String(Buffer.byteLength(post.body)),
      'accept-encoding': 'identity',
    });
  });

  test('W06: an outbound call does not follow a redirect, but returns it', async (t) => {
    const canary = await openReceiver();
    t.after(canary.close);
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answer((response) => void response.writeHead(status, { location: canary.url }).end());
      const answer = await client.post(receiver.url, post);
      assert.ok(answer.ok && answer.status === status);
    }
    assert.equal(canary.received.length, 0);
  });

  test('W08: an outbound call does not decompress a compressed answer', async () => {
    const bomb = gzipSync(Buffer.alloc(500_000));
    receiver.answer((response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const answer = await client.post(receiver.url, post);
    assert.ok(answer.ok);
    assert.deepEqual(answer.body, bomb);
  });
});

describe('an outbound call ends', () => {
  test('W08: an outbound call ends when the answer exceeds the size limit, by received bytes and not by Content-Length', async () => {
    receiver.answer((response) => void response.end('x'.repeat(1_000)));
    assert.ok((await client.post(receiver.url, post)).ok);
    receiver.answer((response) => void response.end('x'.repeat(1_001)));
    const announced = await failureOf(receiver.url);
    assert.deepEqual([announced.kind, announced.status], ['too_large', 200]);

    let sent = 0;
    receiver.answer((response) => {
      const chatter = setInterval(() => response.write('y'.repeat(200), () => (sent += 200)), 1);
      response.on('close', () => clearInterval(chatter));
    });
    assert.equal((await failureOf(receiver.url)).kind, 'too_large');
    assert.ok(sent < 20_000, `${sent} bytes were taken`);
  });

  test('W08: an outbound call ends when the headers are larger than 16 KiB', async () => {
    receiver.answer((response) => void response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end());
    assert.equal((await failureOf(receiver.url)).kind, 'too_large');
  });

  test('an outbound call ends at the deadline, when no byte arrives', async () => {
    receiver.answer(() => undefined);
    const { kind, durationMs, status } = await failureOf(receiver.url, { timeoutMs: 150 });
    assert.deepEqual([kind, status], ['timeout', undefined]);
    assert.ok(durationMs >= 140 && durationMs < 1_000, `${durationMs} ms`);
  });

  test('W08: an outbound call ends when the body trickles beyond the deadline', async () => {
    receiver.answer((response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const { kind, durationMs } = await failureOf(receiver.url, { timeoutMs: 60_000 });
    assert.equal(kind, 'timeout');
    assert.ok(durationMs < 3_000, `${durationMs} ms`);
  });

  test('an outbound call ends when the TLS handshake stalls, long before the deadline of the answer', async (t) => {
    const { address } = await openSocketServer(t, () => undefined);
    const { kind, durationMs } = await failureOf(`https://${address}/`, { timeoutMs: 60_000 });
    assert.equal(kind, 'timeout');
    assert.ok(durationMs < 3_000, `${durationMs} ms`);
  });

  test('an outbound call ends when the caller aborts, before or during the call', async () => {
    receiver.answer(() => undefined);
    const hangUp = new AbortController();
    setTimeout(() => hangUp.abort(), 50);
    assert.equal((await failureOf(receiver.url, { signal: hangUp.signal })).kind, 'aborted');
    const before = receiver.received.length;
    assert.equal((await failureOf(receiver.url, { signal: hangUp.signal })).kind, 'aborted');
    assert.equal(receiver.received.length, before);
  });

  test('an outbound call ends without leaving a listener on a longer-lived signal', async () => {
    receiver.answer((response) => void response.end());
    const { signal } = new AbortController();
    for (let calls = 0; calls < 3; calls++) assert.ok((await client.post(receiver.url, { ...post, signal })).ok);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  test('an outbound call ends when the client is closed', async () => {
    receiver.answer(() => undefined);
    const closing = createOutboundClient({ allowHosts: ['127.0.0.1'] });
    setTimeout(closing.close, 50);
    assert.equal((await failureOf(receiver.url, {}, closing)).kind, 'aborted');
  });
});

describe('failures of an outbound call', () => {
  test('failures distinguish a refused port, a name without address, an answer that is not HTTP and a broken connection', async (t) => {
    const { server: closed, address: nobody } = await openSocketServer(t, () => undefined);
    closed.close();
    assert.equal((await failureOf(`http://${nobody}/`)).kind, 'connect');

    const nowhere = createOutboundClient({ allowHosts: [], resolve: async () => [] });
    assert.equal((await failureOf('https://gone.attacker.com/', {}, nowhere)).kind, 'dns');

    for (const bytes of ['SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort', '']) {
      const { address } = await openSocketServer(t, (socket) => socket.once('data', () => socket.end(bytes)));
      assert.equal((await failureOf(`http://${address}/`)).kind, 'protocol', bytes);
    }
    const { address } = await openSocketServer(t, (socket) => socket.resetAndDestroy());
    assert.match((await failureOf(`http://${address}/`)).kind, /^(protocol|connect)$/);
  });

  test('a call to a forbidden address fails without connecting', async () => {
    assert.equal((await failureOf('http://127.0.0.2:9000/')).kind, 'refused');
    assert.equal((await failureOf('https://user:x@127.0.0.1/')).kind, 'refused');
    assert.equal((await failureOf('not a url')).kind, 'refused');
  });
});

describe('connections and load of the outbound client', () => {
  test('five hundred concurrent calls leave no connection open, whether answered, cut or broken', async () => {
    const patient = createOutboundClient({ allowHosts: ['127.0.0.1'] });
    let number = 0;
    receiver.answer((response) => {
      number += 1;
      if (number % 4 === 0) response.end('x'.repeat(5_000));
      else if (number % 4 === 1) response.destroy();
      else if (number % 4 === 2) response.end('fine');
    });
    const answers = await Promise.all(Array.from({ length: 500 }, () => patient.post(receiver.url, { ...post, timeoutMs: 4_000 })));
    assert.deepEqual(
      new Set(answers.map((answer) => (answer.ok ? 'answered' : answer.kind))),
      new Set(['answered', 'too_large', 'protocol', 'timeout']),
    );
    for (let look = 0; look < 50 && (await receiver.openConnections()) > 0; look++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await receiver.openConnections(), 0);
  });

  test('an abandoned handshake is closed', async (t) => {
    const { server, address } = await openSocketServer(t, () => undefined);
    await failureOf(`https://${address}/`, { timeoutMs: 60 });
    for (let look = 0; look < 50 && (await connectionsOf(server)) > 0; look++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await connectionsOf(server), 0);
  });

  test('concurrent calls beyond a thousand are refused as busy', async () => {
    receiver.answer((response) => void setTimeout(() => response.end(), 300));
    const answers = await Promise.all(Array.from({ length: 1_020 }, () => client.post(receiver.url, { ...post, timeoutMs: 10_000 })));
    assert.equal(answers.filter((answer) => !answer.ok && answer.kind === 'busy').length, 20);
    assert.ok((await client.post(receiver.url, post)).ok);
  });
});

describe('a keep-alive connection', () => {
  const kept: OutboundPost = { ...post, keepAlive: true, overflow: 'cut' };

  test('a keep-alive connection serves the next call to the same host, one call at a time', async () => {
    receiver.answer((response) => void response.end('fine'));
    const own = createOutboundClient({ allowHosts: ['127.0.0.1'] });
    const before = receiver.connections();
    for (let number = 0; number < 5; number++) assert.ok((await own.post(receiver.url, kept)).ok);
    assert.equal(receiver.received.at(-1)?.headers['connection'], 'keep-alive');
    assert.equal(receiver.connections() - before, 1);
    await Promise.all(Array.from({ length: 3 }, () => own.post(receiver.url, kept)));
    assert.equal(receiver.connections() - before, 3);
    own.close();
    for (let look = 0; look < 50 && (await receiver.openConnections()) > 0; look++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await receiver.openConnections(), 0);
  });

  test('a keep-alive connection is not shared by two names of one address, nor used after a name changed its addresses', async () => {
    receiver.answer((response) => void response.end());
    const { port } = new URL(receiver.url);
    const zone: Record<string, string[]> = { 'a.attacker.com': ['127.0.0.1'], 'b.attacker.com': ['127.0.0.1'] };
    const own = createOutboundClient({ allowHosts: Object.keys(zone), resolve: async (host) => zone[host] ?? [] });
    const before = receiver.connections();
    for (const name of ['a', 'b', 'a', 'b']) assert.ok((await own.post(`http://${name}.attacker.com:${port}/`, kept)).ok);
    assert.equal(receiver.connections() - before, 2);
    zone['a.attacker.com'] = ['127.0.0.2'];
    zone['b.attacker.com'] = [];
    // Longer than the result of a DNS lookup is kept.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    assert.equal((await failureOf(`http://a.attacker.com:${port}/`, kept, own)).kind, 'connect');
    assert.equal((await failureOf(`http://b.attacker.com:${port}/`, kept, own)).kind, 'dns');
    own.close();
  });

  test('a keep-alive connection closed by the server is replaced without failing the call; one that broke during an answer fails it', async (t) => {
    const asked: string[] = [];
    let connections = 0;
    const { address } = await openSocketServer(t, (socket) => {
      const number = ++connections;
      let calls = 0;
      socket.on('data', () => {
        calls += 1;
        asked.push(`${number}.${calls}`);
        if (calls === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        else if (number === 1) socket.destroy();
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nha');
      });
    });
    const own = createOutboundClient({ allowHosts: ['127.0.0.1'] });
    const outcome = async (): Promise<string> => {
      const answer = await own.post(`http://${address}/`, kept);
      return answer.ok ? answer.body.toString() : answer.kind;
    };
    assert.deepEqual([await outcome(), await outcome(), await outcome(), await outcome()], ['ok', 'ok', 'protocol', 'ok']);
    assert.deepEqual(asked, ['1.1', '1.2', '2.1', '2.2', '3.1']);
    own.close();
  });

  test('a keep-alive connection is closed when the server sends unrequested data, or a keep-alive timeout that is too short', async (t) => {
    let connections = 0;
    const { address } = await openSocketServer(t, (socket) => {
      const number = ++connections;
      socket.on('data', () => {
        const patience = number === 2 ? 'Keep-Alive: timeout=1\r\n' : '';
        socket.write(`HTTP/1.1 200 OK\r\n${patience}Content-Length: 2\r\n\r\nok`);
        if (number === 1) setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'), 20);
      });
    });
    const own = createOutboundClient({ allowHosts: ['127.0.0.1'] });
    for (let number = 0; number < 3; number++) {
      const answer = await own.post(`http://${address}/`, kept);
      assert.ok(answer.ok && answer.body.toString() === 'ok');
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    assert.equal(connections, 3);
    own.close();
  });
});

test('a header value with a line break throws and sends nothing', async () => {
  const before = receiver.received.length;
  await assert.rejects(client.post(receiver.url, { ...post, headers: { 'X-Market-Event': 'a\r\nX-Evil: b' } }), /not plain text/);
  assert.equal(receiver.received.length, before);
});
