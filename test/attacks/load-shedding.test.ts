/** An overloaded process answers 503 at once, still serves health and payments, and recovers. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { type Listening, openListen, postMcp } from '../harness/mcp.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

const MOST_REQUESTS = 4;
const MOST_CONNECTIONS = 30;

suite('an overloaded process', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({
      MAX_REQUESTS: String(MOST_REQUESTS),
      MAX_CONNECTIONS: String(MOST_CONNECTIONS),
    });
  });
  after(() => market.close());

  const ask = (path: string) => askOf(market, path);

  async function untilMeasured(figure: RegExp): Promise<void> {
    for (let look = 0; look < 200; look += 1) {
      if (figure.test((await ask('/metrics')).text)) return;
      await sleep(50);
    }
    assert.fail(`the figures never showed ${figure}`);
  }

  test('C27: beyond the limit of running requests the server answers 503 with Retry-After, except health and payments, and recovers', async () => {
    const client = await market.database.pool.connect();
    let hanging: Promise<Reply>[] = [];
    try {
      // Readers of agents wait for this lock, as they would for a slow disk.
      await client.query('begin; lock table agents in access exclusive mode');
      hanging = Array.from({ length: MOST_REQUESTS }, () => call(market.url, 'GET /api/agents'));
      await untilMeasured(/market_http_requests_under_way 4\b/);
      requireShed(await ask('/api/services'));
      requireShed(await ask('/api/agents'));
      const shed = await postMcp(market.url, { jsonrpc: '2.0', id: 1, method: 'ping' });
      assert.deepEqual([shed.status, shed.json.error.code, shed.json.error.data.code], [503, -32_603, 'overloaded']);
      assert.ok(shed.json.error.data.retry_after_seconds > 0, shed.text);
      assert.equal((await ask('/healthz')).status, 200);
      // /readyz reports the lock, not the load.
      assert.match((await ask('/readyz')).text, /a table is locked/);
      // A payment is handled, and refused for its own fault.
      const payment = await call(market.url, 'PATCH /api/orders/ord_1_abcdefghi', { body: { action: 'pay', escrow_tx_hash: '0x1' } });
      assert.ok(payment.status < 500, JSON.stringify(payment.body));
      assert.match((await ask('/metrics')).text, /market_requests_shed_total\{reason="requests"\} 3/);
    } finally {
      await client.query('rollback');
      client.release();
    }
    for (const reply of await Promise.all(hanging)) assert.equal(reply.status, 200);
    await requireRecovery(market);
  });

  test('C27: listening streams of MCP do not count among running requests', async () => {
    const { key } = await registerAgent(market.url);
    const listening: Listening[] = [];
    for (let count = 0; count <= MOST_REQUESTS; count += 1) listening.push(await openListen(market.url, key));
    assert.deepEqual([...new Set(listening.map(({ status }) => status))], [200]);
    await untilMeasured(/market_http_requests_under_way 0\b/);
    assert.equal((await ask('/api/agents')).status, 200);
    for (const stream of listening) stream.close();
    await Promise.all(listening.map(({ ended }) => ended));
    await untilMeasured(/market_http_requests_under_way 0\b/);
  });

  async function open(bytes: string): Promise<Socket> {
    const { hostname, port } = new URL(market.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined).resume();
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(bytes);
    return socket;
  }

  test('C27: beyond the limit of open connections new ones get 503, and idle ones are closed', async () => {
    await sleep(1_000);
    const idle = await Promise.all(
      Array.from({ length: MOST_CONNECTIONS }, () => open('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n')),
    );
    await untilMeasured(/market_http_connections 3[1-9]\b/);
    requireShed(await ask('/api/agents'));
    await requireRecovery(market);
    assert.ok(idle.filter(({ closed }) => closed).length > 0, 'no idle connection was closed');
    for (const socket of idle) socket.destroy();
  });

  test('C27: connections with half-sent requests cannot block the health check', async () => {
    const half = await Promise.all(
      Array.from({ length: MOST_CONNECTIONS + 5 }, () => open('GET /api/agents HTTP/1.1\r\nHost: x\r\nX-Slow: ')),
    );
    await untilMeasured(/market_http_connections 3[5-9]\b/);
    requireShed(await ask('/api/agents'));
    assert.equal((await ask('/readyz')).status, 200);
    for (const socket of half) socket.destroy();
    await requireRecovery(market);
  });

  test('C27: far beyond the connection limit new connections are closed without an answer, so file descriptors stay bounded', async () => {
    const many = await Promise.all(
      Array.from({ length: MOST_CONNECTIONS + 260 }, () => open('GET /api/agents HTTP/1.1\r\nHost: x\r\nX-Slow: ')),
    );
    const closed = () => many.filter((socket) => socket.closed).length;
    for (let look = 0; look < 100 && closed() < 55; look += 1) await sleep(50);
    assert.ok(closed() >= 55, `${closed()} of ${many.length} were closed`);
    for (const socket of many) socket.destroy();
    await requireRecovery(market);
  });
});

test('C27: while the event loop lags the server answers 503 with Retry-After, and recovers', async () => {
  const market = await openMarket({ MAX_EVENT_LOOP_DELAY_MS: '200' });
  try {
    await requireRecovery(market);
    const stalledUntil = performance.now() + 3_000;
    while (performance.now() < stalledUntil);
    await sleep(0);
    requireShed(await askOf(market, '/api/agents'));
    assert.equal((await askOf(market, '/healthz')).status, 200);
    await requireRecovery(market);
  } finally {
    await market.close();
  }
});

/** Sends the request on a connection of its own. */
const askOf = ({ url }: TestMarket, path: string) => sendRaw(url, { method: 'GET', path });

function requireShed(reply: Reply): void {
  assert.deepEqual([reply.status, reply.body['code']], [503, 'overloaded'], JSON.stringify(reply.body));
  assert.deepEqual(faultsOfRefusal(reply), []);
  const seconds = Number(reply.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 5, `Retry-After is ${seconds}`);
}

async function requireRecovery(market: TestMarket): Promise<void> {
  for (let look = 0; look < 100; look += 1) {
    const reply = await askOf(market, '/api/agents').catch(() => undefined);
    if (reply?.status === 200) return;
    await sleep(50);
  }
  assert.fail('the process did not recover');
}
