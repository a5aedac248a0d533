import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { MASTER_KEY, openMarket, type TestMarket } from '../harness/market.ts';
import { act, listService, openProvider, type Provider, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, openSession, signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { opened, openStream, type SseStream } from './sse-client.ts';

let market: TestMarket;
let provider: Provider;
let buyer: TestWallet;
let serviceId: string;

before(async () => {
  market = await openMarket();
  provider = await openProvider(market.url);
  buyer = baseWallet();
  serviceId = await listService(market.url, provider, { price_usd: '1.00' });
});

after(() => market.close());

const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
const read = async (who: CallOptions, query = ''): Promise<Envelope> => {
  const reply = await call(market.url, `GET /api/events${query}`, who);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
};
const names = (body: Envelope): string[] => body['data'].map((event: Envelope) => event['event']);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test('an agent reads its own events by number from the first one on, page by page, without a gap', async () => {
  const order = await placeOrder(market.url, serviceId, buyer);
  const first = await read(provider, '?limit=1');
  assert.deepEqual(names(first), ['agent.registered']);
  assert.deepEqual([first['data'][0].seq, first['next_after'], first['has_more']], [1, '1', true]);
  const rest = await read(provider, '?after=1');
  assert.deepEqual(names(rest), ['service.created', 'order.created']);
  assert.deepEqual(
    rest['data'].map((event: Envelope) => event['seq']),
    [2, 3],
  );
  const [, created] = rest['data'];
  assert.deepEqual(Object.keys(created), ['cursor', 'seq', 'id', 'event', 'order_id', 'agent_id', 'data', 'created_at']);
  assert.deepEqual([created.order_id, created.agent_id, created.data.status, rest['has_more']], [order, provider.id, 'quoted', false]);
  const end = await read(provider, `?after=${rest['next_after']}`);
  assert.deepEqual([end['data'], end['next_after'], end['has_more']], [[], '3', false]);
});

test('an owner reads the feed of one agent by number, like the agent itself; others may not', async () => {
  const owner = baseWallet();
  const [one, other] = [await openProvider(market.url, 'base-mainnet', owner), await openProvider(market.url, 'base-mainnet', owner)];
  await listService(market.url, one, { price_usd: '1.00' });
  const query = `?agent_id=${one.id}`;
  const asOwner = await read(await by(owner), query);
  assert.deepEqual([asOwner['data'], asOwner['last_seq']], [(await read(one))['data'], 2]);
  assert.deepEqual(names(await read(await by(owner), `${query}&after=1`)), ['service.created']);
  assert.deepEqual(names(await read(one, query)), names(asOwner));
  assert.equal((await read(await by(owner)))['last_seq'], null);
  for (const who of [await by(baseWallet()), { headers: bearer(other.key) }]) {
    const refused = await call(market.url, `GET /api/events${query}`, who);
    assert.deepEqual([refused.status, refused.body['code']], [403, 'forbidden']);
  }
});

test('an owner streams the events of one agent without those of other agents', async () => {
  const owner = baseWallet();
  const [one, other] = [await openProvider(market.url, 'base-mainnet', owner), await openProvider(market.url, 'base-mainnet', owner)];
  const stream = await opened(await openStream(market.url, asHeaders(await signed(owner)), `?agent_id=${one.id}&after=1`));
  await listService(market.url, other, { price_usd: '1.00' });
  await listService(market.url, one, { price_usd: '2.00' });
  const [heard] = await stream.has(1);
  assert.deepEqual([heard?.id, heard?.event, heard?.data.agent_id], ['2', 'service.created', one.id]);
  stream.close();
});

test('buyer, owners and both agents read the same event; strangers do not, and internal fields are absent', async () => {
  const owner = baseWallet();
  const buying = await openProvider(market.url, 'base-mainnet', owner);
  const reply = await call(market.url, 'POST /api/orders', { ...buying, body: { service_id: serviceId, brief: 'Proofread my page.' } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const order = reply.body['data'].order_id;
  const query = `?order_id=${order}`;
  for (const who of [provider, buying, await by(provider.owner), await by(owner)]) {
    const body = await read(who, query);
    assert.deepEqual(names(body), ['order.created']);
    assert.doesNotMatch(JSON.stringify(body), /actor_role|related_party/);
  }
  assert.deepEqual(names(await read(await by(buyer), query)), []);
  assert.deepEqual(names(await read(await registerAgent(market.url), query)), []);
  assert.equal((await call(market.url, 'GET /api/events')).status, 401);
});

test('an account reads the events of its wallets and agents, each once, with a cursor that resumes', async () => {
  const token = await tokenFor(market.url, { email: 'ines@example.com', name: 'Ines' });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  const agent = await registerAgent(market.url, {}, { key: token });
  const own = await read({ key: token }, '?limit=1');
  assert.deepEqual(names(own), ['user.created']);
  assert.equal(own['data'][0].seq, null);
  assert.equal(own['data'][0].cursor, own['next_after']);
  const rest = await read({ key: token }, `?after=${own['next_after']}`);
  assert.deepEqual(names(rest), ['agent.registered']);
  assert.equal(rest['data'][0].agent_id, agent.id);
  assert.deepEqual(names(await read({ key: token }, `?after=${rest['next_after']}`)), []);
  assert.deepEqual(names(await read({ key: token }, '?types=agent.registered,order.paid')), ['agent.registered']);
});

test('an order token reads the events of its order only', async () => {
  const [mine, other] = [await placeOrder(market.url, serviceId, buyer), await placeOrder(market.url, serviceId, buyer)];
  const token = `order_${'ab'.repeat(24)}`;
  const [hash] = createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] }).lookupHashes(token);
  await market.database.pool.query(
    `insert into order_tokens (order_id, token_hash, expires_at) values ($1, $2, market_now() + interval '1 day')`,
    [mine, hash],
  );
  const body = await read({ key: token });
  assert.deepEqual(
    body['data'].map((event: Envelope) => event['order_id']),
    [mine],
  );
  assert.deepEqual(names(await read({ key: token }, `?order_id=${other}`)), []);
  const stream = await opened(await openStream(market.url, bearer(token)));
  await act(market.url, other, buyer, 'cancel');
  await act(market.url, mine, buyer, 'cancel');
  const [cancelled] = await stream.has(1);
  assert.deepEqual([cancelled?.event, cancelled?.data.order_id], ['order.cancelled', mine]);
  stream.close();
});

test('an invalid event position is refused with invalid_position for every kind of caller', async () => {
  for (const after of ['x', '-1', '1e3', '99999999', '1'.repeat(40)]) {
    assert.equal((await expectCall(market.url, 400, `GET /api/events?after=${after}`, provider))['code'], 'invalid_position');
    assert.equal((await expectCall(market.url, 400, `GET /api/events/stream?after=${after}`, provider))['code'], 'invalid_position');
  }
  for (const after of ['42', 'bm8', '%F0%9F%90%99', Buffer.from('1.-2').toString('base64url')])
    assert.equal((await expectCall(market.url, 400, `GET /api/events?after=${after}`, await by(buyer)))['code'], 'invalid_position');
});

test('invalid event filters are refused by pages and streams alike', async () => {
  const tooMany = Array.from({ length: 51 }, (_, index) => `t${index}`).join(',');
  for (const query of [
    'order_id=1',
    'order_id=',
    `types=${tooMany}`,
    `types=${'x'.repeat(2001)}`,
    'types=a&types=b',
    'after=',
    `after=${'9'.repeat(101)}`,
  ]) {
    for (const path of ['events', 'events/stream']) {
      const refused = await expectCall(market.url, 400, `GET /api/${path}?${query}`, provider);
      assert.equal(refused['code'], 'invalid_input', `${path}?${query.slice(0, 30)}`);
    }
  }
  for (const query of ['limit=0', 'limit=x', 'wait=-1', 'wait=x']) await expectCall(market.url, 400, `GET /api/events?${query}`, provider);
});

test('a long poll for events is answered as soon as one happens, and with an empty page after its wait', async () => {
  const { next_after: end } = await read(await by(buyer), '?limit=500');
  const began = performance.now();
  const waiting = read(await by(buyer), `?after=${end}&wait=20`);
  setTimeout(() => void placeOrder(market.url, serviceId, buyer), 200);
  assert.deepEqual(names(await waiting), ['order.created']);
  assert.ok(performance.now() - began < 5_000);
  const again = await read(await by(baseWallet()), '?wait=0.3');
  assert.deepEqual([again['data'], again['has_more']], [[], false]);
});

test('an event stream starts at the present, carries events as the feed shows them, and resumes by header, URL or after', async () => {
  const stream = await opened(await openStream(market.url, provider.headers));
  assert.match(stream.headers['content-type'] ?? '', /^text\/event-stream/);
  assert.equal(stream.headers['cache-control'], 'no-store, no-transform');
  const start = stream.lastId();
  const orders = [await placeOrder(market.url, serviceId, buyer), await placeOrder(market.url, serviceId, buyer)];
  const heard = await stream.has(2);
  stream.close();
  assert.deepEqual(
    heard.map(({ event, id, data }) => [event, id, data.order_id]),
    orders.map((order, index) => ['order.created', String(Number(start) + 1 + index), order]),
  );
  const page = await read(provider, `?after=${start}`);
  assert.deepEqual(
    heard.map(({ data }) => data),
    page['data'],
  );
  for (const [headers, query] of [
    [{ ...provider.headers, 'last-event-id': heard[0]?.id ?? '' }, ''],
    [{ ...provider.headers, 'last-event-id': heard[0]?.id ?? '' }, `?after=${start}`],
    [provider.headers, `?last_event_id=${heard[0]?.id}`],
    [provider.headers, `?after=${heard[0]?.id}`],
  ] as const) {
    const resumed = await openStream(market.url, headers, query);
    const [next] = await resumed.has(1);
    assert.deepEqual(next?.data, heard[1]?.data);
    resumed.close();
  }
});

test('a browser streams events with only its session cookie, and filters select them', async () => {
  const cookie = await openSession(market.url, buyer);
  assert.match(cookie, /^market_session=/);
  const order = await placeOrder(market.url, serviceId, buyer);
  const streams = await Promise.all(
    ['?types=order.cancelled', `?order_id=${order}`, ''].map(
      async (query) => await opened(await openStream(market.url, { cookie }, query)),
    ),
  );
  const [onlyCancelled, onlyOrder, everything] = streams as [SseStream, SseStream, SseStream];
  const other = await placeOrder(market.url, serviceId, buyer);
  await act(market.url, order, buyer, 'cancel');
  await everything.has(2);
  assert.deepEqual(
    everything.events.map(({ event, data }) => [event, data.order_id]),
    [
      ['order.created', other],
      ['order.cancelled', order],
    ],
  );
  for (const stream of [onlyCancelled, onlyOrder]) {
    const [heard] = await stream.has(1);
    assert.deepEqual([heard?.event, heard?.data.order_id, stream.events.length], ['order.cancelled', order, 1]);
  }
  for (const stream of streams) stream.close();
});

test('a caller holds at most twenty event streams, gets an error beyond, and frees one by closing it', async () => {
  const agent: TestAgent = await registerAgent(market.url);
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(market.url, bearer(agent.key))));
  const refused = await call(market.url, 'GET /api/events/stream', agent);
  assert.deepEqual([refused.status, refused.body['code'], refused.headers.get('retry-after')], [429, 'too_many_streams', '10']);
  streams[0]?.close();
  for (let look = 0; look < 100; look++) {
    const next = await openStream(market.url, bearer(agent.key)).catch(() => undefined);
    if (next !== undefined) {
      next.close();
      for (const stream of streams) stream.close();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('the place was not given back');
});
