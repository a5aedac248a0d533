/** Slow connections, request smuggling and unusual paths. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { exchangeBytes, parseReply, type RawRequest, sendRaw } from '../harness/raw-http.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const SLOW_SOCKETS = 400;

/** A client that keeps its half of the connection open: only the server's cut closes it. */
async function openSlowly(firstBytes: string): Promise<Socket> {
  const { hostname, port } = new URL(market.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(firstBytes);
  return socket;
}

function collect(socket: Socket): Buffer[] {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  return chunks;
}

async function slowestOf(requests: number): Promise<number> {
  let slowest = 0;
  for (let n = 0; n < requests; n += 1) {
    const started = performance.now();
    assert.equal((await call(market.url, 'GET /api/agents')).status, 200);
    slowest = Math.max(slowest, performance.now() - started);
  }
  return slowest;
}

test(`I12: ${SLOW_SOCKETS} half-sent requests delay no other client and are closed within 20 seconds`, async () => {
  const halves = ['GET /api/agents HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'G', 'GET /api/agents HTTP/1.1\r\nHost: x\r\n'];
  const startedAt = performance.now();
  const sockets = await Promise.all(Array.from({ length: SLOW_SOCKETS }, (_, n) => openSlowly(halves[n % halves.length] ?? '')));
  const bodies = await Promise.all(
    Array.from({ length: 50 }, () =>
      openSlowly('POST /api/agents/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{'),
    ),
  );
  const told = collect(sockets[0] as Socket);
  const drip = setInterval(() => {
    for (const socket of [...sockets, ...bodies]) if (socket.writable) socket.write('a');
  }, 1_000);
  try {
    assert.ok((await slowestOf(30)) < 2_000, 'honest requests waited');
    const left = () => sockets.filter((socket) => !socket.closed).length;
    while (left() > 0 && performance.now() - startedAt < 20_000) await sleep(200);
    assert.equal(left(), 0, `${left()} of ${sockets.length} slow connections are still open`);
    const answer = parseReply(Buffer.concat(told));
    assert.deepEqual([answer.status, faultsOfRefusal(answer)], [408, []]);
    assert.ok((await slowestOf(10)) < 2_000, 'honest requests waited afterwards');
  } finally {
    clearInterval(drip);
    for (const socket of [...sockets, ...bodies]) socket.destroy();
  }
});

const HOST = 'Host: market.example';
const SMUGGLED = `DELETE /api/auth/session HTTP/1.1\r\n${HOST}\r\n\r\n`;
const JSON_TYPE = 'Content-Type: application/json';

/** Requests whose end two parsers could see in different places. */
const ambiguous: readonly [string, string][] = [
  [
    'both lengths',
    `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'two lengths',
    `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}${SMUGGLED}`,
  ],
  ['a list of lengths', `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 2, 40\r\n\r\n{}${SMUGGLED}`],
  [
    'a hidden encoding',
    `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'an encoding behind white space',
    `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  [
    'a folded header',
    `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n\r\n{}${SMUGGLED}`,
  ],
  ['a bare line feed', `POST /api/agents/register HTTP/1.1\n${HOST}\nContent-Length: 2\n\n{}${SMUGGLED}`],
  ['a signed length', `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: +2\r\n\r\n{}${SMUGGLED}`],
  ['NUL in a header', `GET /api/agents HTTP/1.1\r\n${HOST}\r\nX-A: a\0b\r\n\r\n${SMUGGLED}`],
  ['no version', `GET /api/agents\r\n\r\n${SMUGGLED}`],
  ['version 2 in the clear', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${SMUGGLED}`],
  ['no host', `GET /api/agents HTTP/1.1\r\n\r\n${SMUGGLED}`],
  [
    'an unreadable chunk',
    `POST /api/agents/register HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n${SMUGGLED}`,
  ],
];

for (const [title, bytes] of ambiguous) {
  test(`I13: a request with ${title} is refused, the connection closed, and no smuggled request runs`, async () => {
    const answer = (await exchangeBytes(market.url, Buffer.from(bytes), 5_000)).toString();
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ['400'], answer.slice(0, 300));
    assert.deepEqual(faultsOfRefusal(parseReply(Buffer.from(answer))), [], answer.slice(0, 600));
    assert.match(answer, /"code":"malformed_request"/);
  });
}

test('I13: unsupported methods are refused in the envelope', async () => {
  for (const method of ['TRACE', 'PROPFIND', 'LINK', 'PURGE', 'SEARCH', 'get', 'PATCH', 'FOO']) {
    const reply = await sendRaw(market.url, { method, path: '/api/agents' });
    assert.ok([400, 404, 405].includes(reply.status), `${method}: ${reply.status}`);
    assert.deepEqual(faultsOfRefusal(reply), [], method);
  }
});

test('I13: an absolute URL for another host is 404 and CONNECT is 405', async () => {
  const absolute = await sendRaw(market.url, { method: 'GET', path: 'http://169.254.169.254/latest/meta-data' });
  assert.equal(absolute.status, 404);
  const tunnel = (await exchangeBytes(market.url, Buffer.from(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${HOST}\r\n\r\n`), 5_000)).toString();
  const refusal = parseReply(Buffer.from(tunnel));
  assert.deepEqual([refusal.status, faultsOfRefusal(refusal)], [405, []]);
});

test('I13: a compressed request body is refused', async () => {
  const headers = { 'content-encoding': 'gzip' };
  const raw = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const reply = await call(market.url, 'POST /api/agents/register', { headers, raw });
  assert.ok([400, 415].includes(reply.status), String(reply.status));
});

test('I14: a path is decoded once and then matched literally', async () => {
  const { body } = await call(market.url, 'POST /api/agents/register', { body: agentBody() });
  const { slug, api_key } = body['data'];
  const paths: [string, number][] = [
    [`/api/agents/${slug}`, 200],
    [`/api/agents/%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`, 200],
    [`/api/agents/%25${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`, 404],
    [`/api/agents/x/../${slug}`, 404],
    [`/api/agents/x/%2e%2e/${slug}`, 404],
    [`/api/agents/x%2f..%2f${slug}`, 404],
    [`/api/agents/..%2f..%2f..%2f..%2fetc%2fpasswd`, 404],
    [`/API/agents/${slug}`, 404],
    [`/api//agents/${slug}`, 404],
    [`//api/agents/${slug}`, 404],
    [`/api/agents/${slug};jsessionid=1`, 404],
    [`/api/agents/${slug}%00`, 400],
    [`/api/agents/${slug}%20`, 404],
    [`/api\\agents\\${slug}`, 404],
    ['/api/agents/..;/..;/metrics', 404],
    ['/%2e%2e/metrics', 404],
  ];
  for (const [path, status] of paths) {
    const reply = await sendRaw(market.url, { method: 'GET', path, headers: [['Authorization', `Bearer ${api_key}`]] });
    const seen = reply.status === 400 && status === 404 ? 404 : reply.status;
    assert.equal(seen, status, path);
    if (reply.status >= 400) assert.deepEqual(faultsOfRefusal(reply), [], path);
  }
});

/** Requests that the parser or the router refuses before an operation is known. */
const refusedEarly: readonly [string, number, RawRequest][] = [
  ['headers that are too large', 431, { method: 'GET', path: '/api/agents', headers: [['X-Large', 'x'.repeat(20_000)]] }],
  ['many headers', 431, { method: 'GET', path: '/api/agents', headers: Array.from({ length: 900 }, (_, n) => [`X-${n}`, 'y'.repeat(30)]) }],
  ['an address that is too long', 414, { method: 'GET', path: `/api/agents?search=${'x'.repeat(20_000)}` }],
  ['an address that cannot be decoded', 400, { method: 'GET', path: '/api/agents/%zz' }],
  [
    'a body that is too large',
    413,
    {
      method: 'POST',
      path: '/api/agents/register',
      headers: [['Content-Type', 'application/json']],
      body: `{"a":"${'x'.repeat(300_000)}"}`,
    },
  ],
  [
    'a body of another type',
    415,
    { method: 'POST', path: '/api/agents/register', headers: [['Content-Type', 'text/plain']], body: 'name=x' },
  ],
  [
    'a body that is not JSON',
    400,
    { method: 'POST', path: '/api/agents/register', headers: [['Content-Type', 'application/json']], body: '{' },
  ],
  ['a method the address does not take', 405, { method: 'DELETE', path: '/api/agents' }],
  ['an address that leads nowhere', 404, { method: 'GET', path: '/api/nothing' }],
  [
    'an upgrade that is not offered',
    404,
    {
      method: 'GET',
      path: '/api/socket',
      headers: [
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Version', '13'],
      ],
    },
  ],
];

test('I13: every refusal of the HTTP layer carries the envelope and a request id', async () => {
  for (const [title, status, request] of refusedEarly) {
    const reply = await sendRaw(market.url, request);
    assert.equal(reply.status, status, `${title}: ${reply.text.slice(0, 200)}`);
    assert.deepEqual(faultsOfRefusal(reply), [], title);
  }
});

test('I13: an unknown Expect header is ignored', async () => {
  const reply = await sendRaw(market.url, { method: 'GET', path: '/api/agents', headers: [['Expect', 'a-miracle']] });
  assert.equal(reply.status, 200);
});
