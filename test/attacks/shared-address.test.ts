/** Callers behind one client address: none gets another's secrets, and together they hold a limited number of streams. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openStream } from '../events/sse-client.ts';
import { registerAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { transferProof } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { BRIEF, listService, openProvider } from '../harness/orders.ts';
import { createPayer } from '../harness/payers.ts';
import { agentBody } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ ...withChains, TRUSTED_PROXIES: '127.0.0.1', EVENT_STREAMS_PER_ADDRESS: '3', OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

const OFFICE = '198.51.100.7';
const ELSEWHERE = '198.51.100.8';

const registerFrom = (address: string, key: string, body: unknown): Promise<Reply> =>
  call(market.url, 'POST /api/agents/register', { body, headers: { 'x-forwarded-for': address, 'idempotency-key': key } });

test('A07: a stranger at the same client address who repeats a guessable Idempotency-Key gets no secret', async () => {
  const body = agentBody({ endpoint_url: 'http://127.0.0.1:9/hook' });
  const first = await registerFrom(OFFICE, 'register-1', body);
  const { api_key: key, webhook_secret: secret, agent_id: id } = first.body['data'];
  assert.ok(first.status === 201 && key && secret, JSON.stringify(first.body));
  const stranger = await registerFrom(OFFICE, 'register-1', body);
  assert.deepEqual([stranger.status, stranger.body['data'].agent_id], [201, id]);
  assert.match(stranger.body['notice'], /random UUID/);
  const told = JSON.stringify(stranger.body);
  assert.ok(!told.includes(key) && !told.includes(secret), told);
  assert.equal((await call(market.url, 'GET /api/agents/me', { key })).status, 200, 'the first caller keeps the key');
});

test('A07: a stranger at another client address who repeats any Idempotency-Key gets no secret', async () => {
  for (const key of ['register-2', randomUUID()]) {
    const body = agentBody();
    const first = await registerFrom(OFFICE, key, body);
    assert.equal(first.status, 201);
    const stranger = await registerFrom(ELSEWHERE, key, body);
    assert.equal(stranger.status, 409, JSON.stringify(stranger.body));
    assert.ok(!JSON.stringify(stranger.body).includes(first.body['data'].api_key));
  }
});

test('a caller whose answer got lost gets it again, API key included, under a random UUID as Idempotency-Key', async () => {
  const body = agentBody();
  const idempotencyKey = randomUUID();
  const first = await registerFrom(OFFICE, idempotencyKey, body);
  const again = await registerFrom(OFFICE, idempotencyKey, body);
  assert.deepEqual([again.status, again.body], [201, first.body]);
});

test('two programs at one client address that pay under the same Idempotency-Key get an order each', async () => {
  const service = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
  const hire = (reference: string, brief = BRIEF) =>
    call(market.url, `POST /api/x402/pay?service_id=${service}`, {
      body: { brief },
      headers: { ...transferProof('base-mainnet', reference), 'x-forwarded-for': OFFICE, 'idempotency-key': '1' },
    });
  const payers = await Promise.all([createPayer(market, 'base-mainnet'), createPayer(market, 'base-mainnet')]);
  const [one = '', two = ''] = await Promise.all(payers.map((payer) => payer.pay(payer.chain.treasury, 1_100_000n)));
  const [first, second] = [await hire(one), await hire(two)];
  assert.deepEqual([first.status, second.status], [200, 200], JSON.stringify([first.body, second.body]));
  assert.notEqual(second.body['data'].order_id, first.body['data'].order_id);
  const { rows } = await market.database.pool.query('select subject_id from payment_claims where reference = $1', [two]);
  assert.equal(rows[0]?.subject_id, second.body['data'].order_id);
  const repeated = await hire(one);
  assert.deepEqual([repeated.status, repeated.body['data'].order_id], [200, first.body['data'].order_id]);
  assert.deepEqual((await hire(one, 'Something else, please.')).body['code'], 'idempotency_key_reused');
});

test('one client address opens at most the configured number of event streams, with any number of agents', async () => {
  const agents = await Promise.all(Array.from({ length: 4 }, () => registerAgent(market.url)));
  const from = (address: string, key: string | undefined) => ({ 'x-forwarded-for': address, authorization: `Bearer ${key}` });
  const open = await Promise.all(agents.slice(0, 3).map(({ key }) => openStream(market.url, from(OFFICE, key))));
  const refused = await call(market.url, 'GET /api/events/stream', { headers: from(OFFICE, agents[3]?.key) });
  assert.deepEqual([refused.status, refused.body['code']], [429, 'too_many_streams']);
  assert.match(refused.body['error'], /has 3 event streams open/);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const last = await call(market.url, 'GET /api/events', { headers: from(OFFICE, agents[3]?.key) });
  const waiting = await call(market.url, `GET /api/events?wait=5&after=${last.body['next_after']}`, {
    headers: from(OFFICE, agents[3]?.key),
  });
  assert.equal(waiting.body['code'], 'too_many_streams');

  (await openStream(market.url, from(ELSEWHERE, agents[3]?.key))).close();
  open[0]?.close();
  await open[0]?.ended;
  // The server notices a closed connection with a delay.
  for (let tries = 0; ; tries++) {
    const stream = await openStream(market.url, from(OFFICE, agents[3]?.key)).catch((error: unknown) => error as Error);
    if (!(stream instanceof Error)) {
      stream.close();
      break;
    }
    assert.ok(tries < 400, stream.message);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  for (const stream of open) stream.close();
});
