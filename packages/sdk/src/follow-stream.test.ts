import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createMarketClient, MarketApiError } from './index.ts';

interface Visit {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

/** Starts a server that handles each connection by the next of `ways`; the last one handles all further ones. */
async function serve(t: TestContext, ...ways: ((response: ServerResponse) => void)[]): Promise<{ baseUrl: string; visits: Visit[] }> {
  const visits: Visit[] = [];
  const server = createServer((request, response) => {
    const way = ways[Math.min(visits.length, ways.length - 1)];
    visits.push({ url: request.url ?? '', headers: request.headers, response });
    way?.(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, visits };
}

const event = (seq: number) => ({
  cursor: String(seq),
  seq,
  id: `evt_${seq}`,
  event: 'order.paid',
  order_id: null,
  agent_id: null,
  data: {},
});
const frameOf = (seq: number) => `id: ${seq}\nevent: order.paid\ndata: ${JSON.stringify(event(seq))}\n\n`;
const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });

test('an event stream survives a lost connection, a busy server and a bye: every event comes once, from the last id on', async (t) => {
  const { baseUrl, visits } = await serve(
    t,
    (response) => begin(response).write(`retry: 5\nid: 40\n\n${frameOf(41)}`, () => response.destroy()),
    (response) =>
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"success":false,"error":"Full.","code":"streams_full"}'),
    (response) => begin(response).end(`${frameOf(42)}${frameOf(43)}event: bye\ndata: {"reason":"server_stopping"}\n\n`),
    (response) => begin(response).write(`: nothing new\nid: 50\n\n`, () => response.destroy()),
    (response) => begin(response).write(frameOf(51)),
  );
  const client = createMarketClient({ baseUrl, apiKey: 'market_k' });
  const received: number[] = [];
  for await (const { seq } of client.events.stream({ after: '40', types: 'order.paid' })) {
    received.push(seq ?? 0);
    if (seq === 51) break;
  }
  assert.deepEqual(received, [41, 42, 43, 51]);
  assert.deepEqual(
    visits.map(({ headers }) => headers['last-event-id']),
    [undefined, '41', '41', '43', '50'],
  );
  const [first] = visits;
  assert.equal(first?.url, '/api/events/stream?after=40&types=order.paid');
  assert.equal(first?.headers.authorization, 'Bearer market_k');
  assert.equal(first?.headers.accept, 'text/event-stream');
  await once(visits.at(-1)?.response ?? assert.fail(), 'close');
});

test('a refusal ends the event stream with the service’s error', async (t) => {
  const { baseUrl, visits } = await serve(
    t,
    (response) => begin(response).end('event: bye\ndata: {"reason":"invalid_api_key"}\n\n'),
    (response) => response.writeHead(401).end('{"success":false,"error":"Unknown key.","code":"invalid_api_key"}'),
  );
  const follow = async () => {
    for await (const _ of createMarketClient({ baseUrl, apiKey: 'market_k' }).events.stream()) assert.fail('there was no event');
  };
  await assert.rejects(follow(), (error) => error instanceof MarketApiError && error.code === 'invalid_api_key');
  assert.equal(visits.length, 2);
});

test('an event stream throws unexpected_answer for an answer of another type', async (t) => {
  const { baseUrl } = await serve(t, (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'));
  const follow = async () => {
    for await (const _ of createMarketClient({ baseUrl }).events.stream()) assert.fail('there was no event');
  };
  await assert.rejects(follow(), { code: 'unexpected_answer' });
});

test('the caller’s signal ends the event stream without an error, during events and while connecting', async (t) => {
  const { baseUrl, visits } = await serve(t, (response) => begin(response).write(frameOf(1)));
  const client = createMarketClient({ baseUrl });
  const stop = new AbortController();
  for await (const _ of client.events.stream({}, { signal: stop.signal })) stop.abort();
  await once(visits[0]?.response ?? assert.fail(), 'close');

  const unreachable = createMarketClient({ baseUrl: 'http://127.0.0.1:9' });
  const soon = AbortSignal.timeout(100);
  for await (const _ of unreachable.events.stream({}, { signal: soon })) assert.fail('nobody is there');
  assert.ok(soon.aborted);
});

test('a wallet signs for an event stream like for any other call', async (t) => {
  const { baseUrl, visits } = await serve(t, (response) => begin(response).write(frameOf(1)));
  const wallet = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', signMessage: async () => 'signed' };
  for await (const _ of createMarketClient({ baseUrl, wallet }).events.stream()) break;
  assert.equal(visits[0]?.headers['x-market-wallet-sig'], 'signed');
});
