/** While a bare payment is contestable its results are withheld, and the payer's proof ends all rights of the first presenter. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { hireBare, hireSigned, idOf } from '../harness/bare-transfers.ts';
import { upload } from '../harness/files.ts';
import { type CallOptions, call, type Reply } from '../harness/http.ts';
import { transferProof } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  readOrder,
  requireSoundBooks,
} from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, signedFor, type TestWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const BRIEF = 'A logo for a bakery.';
const WINDOW_SECONDS = 15 * 60;
/** Words of the result, which no answer to a stranger may hold. */
const RESULT = 'the-secret-result';

describe('the results of a contestable order', () => {
  let market: TestMarket;
  let url: string;
  let provider: Provider;
  let service: string;
  before(async () => {
    market = await openMarket(withOwnChains);
    ({ url } = market);
    provider = await openProvider(url);
    service = await listService(url, provider, { price_usd: '5.00' });
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  const pays = ({ payer }: Buyer, micros = 5_500_000n) => payer.pay(payer.chain.treasury, micros);
  const bySignature = async (who: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(who)) });
  const holdsResult = ({ body }: Reply) => JSON.stringify(body).includes(RESULT);

  /** A stranger presents another's transfer with the key of its own agent. */
  async function presentWithKey(more: Record<string, unknown> = {}, serviceId = service) {
    const buyer = await openBuyer(market, NETWORK);
    const owner = baseWallet();
    const agent = await registerOwnedAgent(url, owner);
    await limit(agent, owner);
    const reference = await pays(buyer);
    const headers = { ...transferProof(NETWORK, reference), 'idempotency-key': randomUUID() };
    const present = () =>
      call(url, `POST /api/x402/pay?service_id=${serviceId}`, { key: agent.key, headers, body: { brief: BRIEF, ...more } });
    const hired = await present();
    return { buyer, agent, reference, present, hired, id: idOf(hired), token: hired.body['data'].read_token as string };
  }

  async function limit({ id }: TestAgent, owner: TestWallet): Promise<void> {
    const [path, body] = [`/api/spending/policies/agent/${id}` as const, { per_day_usd: '100', frozen: false }];
    const headers = asHeaders(await signedFor(url, owner, { method: 'PUT', path, body }));
    const reply = await call(url, `PUT ${path}`, { headers, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }

  async function uploadAndDeliver(id: string): Promise<string> {
    const stored = await upload(url, provider.key, { content: RESULT, name: 'result.txt', type: 'text/plain' });
    const address = stored.body['data']?.url;
    assert.ok(address, JSON.stringify(stored.body));
    const items = [{ deliverable_url: address }, { content: RESULT }, { deliverable_url: `https://example.com/${RESULT}` }];
    const delivered = await call(url, `POST /api/orders/${id}/deliver`, { body: { deliverables: items }, headers: provider.headers });
    assert.equal(delivered.status, 200, JSON.stringify(delivered.body));
    const message = { content: `Here it is: ${RESULT}` };
    assert.equal((await call(url, `POST /api/orders/${id}/messages`, { body: message, headers: provider.headers })).status, 200);
    return address;
  }

  const confirm = async (id: string, buyer: TestWallet) =>
    await call(url, `POST /api/orders/${id}/confirm-payment`, await bySignature(buyer));
  /** Calls in which a buyer reads the provider's work. */
  const placesOf = (id: string) => [`GET /api/orders/${id}`, `GET /api/orders/${id}/messages`, `GET /api/events?order_id=${id}`] as const;

  test('V12: the first presenter sees status and delivery, and nobody who could still take the payment back sees the content', async () => {
    const { buyer, agent, id, token, hired } = await presentWithKey();
    assert.match(hired.body['data'].poll_hint, /withheld until contestable_until/);
    const file = (await uploadAndDeliver(id)).slice(url.length) as `/${string}`;
    for (const credential of [{ key: token }, { key: agent.key }]) {
      await until('the delivery in the feed', async () => {
        const { body } = await call(url, `GET /api/events?order_id=${id}`, credential);
        const seen = body['data'].find(({ event }: { event: string }) => event === 'order.delivered');
        if (seen === undefined) return undefined;
        assert.ok(seen.data.withheld_until);
        return true;
      });
      for (const place of placesOf(id)) {
        const read = await call(url, place, credential);
        assert.equal(read.status, 200, JSON.stringify(read.body));
        assert.ok(!holdsResult(read), `${place}: ${JSON.stringify(read.body)}`);
      }
      const {
        order,
        deliverables,
        withheld_until: at,
        withheld_hint: hint,
      } = (await call(url, `GET /api/orders/${id}`, credential)).body['data'];
      assert.deepEqual([order.status, deliverables, order.deliverable_url, at], ['delivered', [], null, order.contestable_until]);
      assert.ok(order.delivered_at !== null && order.withheld_until === at && hint.includes(buyer.address));
      const { body } = await call(url, `GET /api/orders/${id}/messages`, credential);
      assert.deepEqual([body['data'][0].content, body['data'][0].withheld_until], ['', at]);
      assert.equal((await call(url, `GET ${file}`, credential)).status, 404);
    }
    const listed = await call(url, 'GET /api/orders?role=client', { key: agent.key });
    assert.ok(!holdsResult(listed) && listed.body['data'][0].withheld_until !== null);
    const again = await hireBare(url, service, NETWORK, (await readOrder(url, id, buyer)).order.escrow_tx_hash, BRIEF);
    assert.ok(!holdsResult(again));

    // Reading is no proof, so the payer, who may still take the payment back, does not see it either.
    const own = await readOrder(url, id, buyer);
    assert.deepEqual([own.deliverables.length, own.withheld_until], [0, own.order.contestable_until]);
    assert.ok(!holdsResult(await call(url, `GET /api/orders/${id}/messages`, await bySignature(buyer))));
    assert.equal((await call(url, `GET ${file}`, await bySignature(buyer))).status, 404);
    const made = await call(url, `GET /api/orders/${id}`, { headers: provider.headers });
    assert.deepEqual([made.body['data'].deliverables.length, made.body['data'].withheld_until], [3, null]);

    await advanceClock(url, WINDOW_SECONDS + 1);
    const open = await call(url, `GET /api/orders/${id}`, { key: token });
    assert.deepEqual([open.body['data'].deliverables.length, open.body['data'].withheld_until], [3, null]);
    assert.equal((await call(url, `GET ${file}`, { key: token })).status, 200);
  });

  test('V12: answers in a contestable workspace are withheld from the agent that asked', async () => {
    const quota = await listService(url, provider, { price_usd: '5.00', quota_limit: 3, title: 'Three drawings' });
    const { agent, buyer, id } = await presentWithKey({}, quota);
    const asked = await call(url, `POST /api/orders/${id}/generate`, { key: agent.key, body: { prompt: 'A bakery at dawn, please.' } });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    assert.equal((await deliver(url, id, provider, { deliverable_url: `https://example.com/${RESULT}` })).status, 200);
    const requests = await call(url, `GET /api/orders/${id}/requests`, { key: agent.key });
    const [request] = requests.body['data'];
    assert.deepEqual([request.status, request.deliverables, holdsResult(requests)], ['completed', [], false]);
    assert.ok(request.withheld_until !== null && request.answered_at !== null);
    assert.ok(!holdsResult(await call(url, `GET /api/orders/${id}/requests`, await bySignature(buyer))));
    assert.equal((await confirm(id, buyer)).status, 200);
    assert.ok(holdsResult(await call(url, `GET /api/orders/${id}/requests`, await bySignature(buyer))));
  });

  test('V12, V14: the payer’s confirmation shows everything, ends the contest, and leaves the first presenter nothing', async () => {
    const { buyer, agent, id, token } = await presentWithKey();
    const file = (await uploadAndDeliver(id)).slice(url.length) as `/${string}`;
    for (const stranger of [await openBuyer(market, NETWORK), { ...buyer, ...baseWallet() }]) {
      assert.equal((await confirm(id, stranger)).status, 403);
    }
    assert.equal((await call(url, `POST /api/orders/${id}/confirm-payment`, { key: agent.key })).body['code'], 'payment_wrong_payer');
    const firstStep = async (credential: object) =>
      (await call(url, `GET /api/orders/${id}`, credential)).body['data'].next_actions[0]?.action;
    assert.equal(await firstStep(await bySignature(buyer)), 'confirm_payment');
    assert.notEqual(await firstStep({ key: agent.key }), 'confirm_payment');
    const confirmed = await confirm(id, buyer);
    assert.deepEqual([confirmed.status, confirmed.body['data'].contestable_until], [200, null], JSON.stringify(confirmed.body));
    assert.equal((await confirm(id, buyer)).status, 200);
    assert.notEqual(await firstStep(await bySignature(buyer)), 'confirm_payment');
    const own = await readOrder(url, id, buyer);
    assert.deepEqual([own.deliverables.length, own.withheld_until], [3, null]);
    assert.equal((await call(url, `GET ${file}`, await bySignature(buyer))).status, 200);
    assert.equal((await call(url, `GET /api/orders/${id}`, { key: token })).body['code'], 'invalid_order_token');
    assert.equal((await call(url, `GET /api/orders/${id}`, { key: agent.key })).status, 403);
    const late = await hireSigned(url, service, buyer, own.order.escrow_tx_hash, 'Something else entirely.');
    assert.equal(late.status, 409, JSON.stringify(late.body));
  });

  test('V12, M14: the reader of a result cannot take the payment back: the contest ends with the window', async () => {
    const buyer = await openBuyer(market, NETWORK);
    const reference = await pays(buyer);
    const body = { brief: BRIEF, settlement: 'on_approval' };
    const taken = idOf(await call(url, `POST /api/x402/pay?service_id=${service}`, { headers: transferProof(NETWORK, reference), body }));
    await deliver(url, taken, provider);
    await advanceClock(url, WINDOW_SECONDS + 1);
    const late = await hireSigned(url, service, buyer, reference, 'Something else entirely.');
    assert.deepEqual([late.status, late.body['code'], late.body['data'].order_id], [409, 'payment_contest_over', taken]);
    assert.equal((await readOrder(url, taken, buyer)).order.status, 'delivered');
  });

  test('V12: the provider learns before working that the payment can be contested', async () => {
    const { id, hired } = await presentWithKey();
    const { rows } = await market.database.pool.query(`select data from events where subject_id = $1 and type = 'order.created'`, [id]);
    assert.equal(rows[0].data.contestable_until, hired.body['data'].contestable_until);
    const seen = await call(url, `GET /api/orders/${id}`, { headers: provider.headers });
    assert.equal(seen.body['data'].order.contestable_until, rows[0].data.contestable_until);
  });

  /** Requires that everything the first presenter may still try fails. */
  async function requireEnded({
    agent,
    token,
    id,
    present,
  }: {
    agent: TestAgent;
    token: string;
    id: string;
    present: () => Promise<Reply>;
  }) {
    for (const place of [...placesOf(id)]) {
      const read = await call(url, place, { key: token });
      assert.deepEqual([read.status, read.body['code']], [401, 'invalid_order_token'], place);
    }
    for (const place of [`GET /api/orders/${id}`, `GET /api/orders/${id}/messages`] as const) {
      const read = await call(url, place, { key: agent.key });
      assert.deepEqual([read.status, read.body['code']], [403, 'not_your_order'], place);
    }
    for (const [route, body] of [
      [`PATCH /api/orders/${id}`, { action: 'approve' }],
      [`POST /api/orders/${id}/messages`, { content: 'Send it to me.' }],
    ] as const) {
      assert.equal((await call(url, route, { key: agent.key, body })).status, 403, route);
    }
    assert.deepEqual((await call(url, 'GET /api/orders?role=client', { key: agent.key })).body['data'], []);
    const replayed = await present();
    assert.ok(!JSON.stringify(replayed.body).includes(token), JSON.stringify(replayed.body));
    assert.equal(replayed.headers.get('idempotent-replayed'), null);
    const feed = await call(url, `GET /api/events?order_id=${id}`, { key: agent.key });
    assert.ok(!holdsResult(feed));
  }

  test('V14: key, token and stored answer of the first presenter end when the payer keeps the order', async () => {
    const first = await presentWithKey();
    await uploadAndDeliver(first.id);
    const approved = await act(url, first.id, first.buyer, 'approve');
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    await requireEnded(first);
    const { order } = await readOrder(url, first.id, first.buyer);
    assert.deepEqual([order.client_agent_id, order.client_wallet], [null, first.buyer.address]);
  });

  test('V14, X02: the payer’s same request gets a token of its own, and again the same answer', async () => {
    const first = await presentWithKey();
    const kept = await hireSigned(url, service, first.buyer, first.reference, BRIEF);
    await requireEnded(first);
    const { read_token: token } = kept.body['data'];
    assert.equal(idOf(kept), first.id);
    assert.notEqual(token, first.token);
    assert.equal((await call(url, `GET /api/orders/${first.id}`, { key: token })).body['data'].withheld_until, null);
    const again = await hireSigned(url, service, first.buyer, first.reference, BRIEF);
    assert.deepEqual([idOf(again), again.body['data'].read_token], [first.id, token]);
  });

  test('V14, X01: when the payment moves to another order, the first presenter loses the cancelled one, too', async () => {
    const first = await presentWithKey();
    await uploadAndDeliver(first.id);
    const own = await hireSigned(url, service, first.buyer, first.reference, 'Quite another logo.');
    assert.notEqual(idOf(own), first.id);
    await requireEnded(first);
    assert.equal((await readOrder(url, first.id, first.buyer)).order.status, 'cancelled');
  });

  test('V14: an agent whose key comes with the payer’s signature stays the buyer', async () => {
    const { agent, buyer, id, token } = await presentWithKey();
    await deliver(url, id, provider);
    const body = { action: 'approve', ...(await signed(buyer)) };
    const approved = await call(url, `PATCH /api/orders/${id}`, { key: agent.key, body });
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    for (const key of [agent.key, token]) {
      const read = await call(url, `GET /api/orders/${id}`, { key });
      assert.deepEqual([read.status, read.body['data']?.deliverables.length], [200, 1]);
    }
  });

  test('V14: the payer’s proof after the window ends the first presenter as well', async () => {
    const first = await presentWithKey();
    await advanceClock(url, WINDOW_SECONDS + 1);
    assert.equal(idOf(await hireSigned(url, service, first.buyer, first.reference, BRIEF)), first.id);
    await requireEnded(first);
  });

  test('V14: the spend policy of the first presenter’s agent stops counting the transfer', async () => {
    const first = await presentWithKey();
    const counted = async () =>
      (await market.database.pool.query(`select status from spendings where bought_id = $1 order by 1`, [first.id])).rows;
    assert.deepEqual(await counted(), [{ status: 'kept' }]);
    idOf(await hireSigned(url, service, first.buyer, first.reference, BRIEF));
    assert.deepEqual(await counted(), [{ status: 'released' }]);
  });
});
