/** Reviews of completed orders: permissions, one per order, and public fields. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { BRIEF, listService, openProvider, type Provider, placeOrder, readOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, type TestWallet, tokenFor } from '../harness/people.ts';

suite('reviews', () => {
  let market: TestMarket;
  let provider: Provider;
  let service: string;
  before(async () => {
    market = await openMarket();
    provider = await openProvider(market.url);
    service = await listService(market.url, provider);
  });
  after(() => market.close());

  const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
  const review = (order: string, body: unknown, who: CallOptions): Promise<Reply> =>
    call(market.url, `POST /api/orders/${order}/review`, { ...who, body });
  const codeOf = ({ status, body }: Reply): [number, string] => [status, body['code']];

  async function completedOrder(buyer: TestWallet, of = service): Promise<string> {
    const id = await placeOrder(market.url, of, buyer);
    await setOrderStatus(market, [id], 'completed');
    return id;
  }

  test('a review is returned as a record that names the reviewer without the full wallet', async () => {
    const buyer = baseWallet();
    const order = await completedOrder(buyer);
    const reply = await review(order, { rating: 5, comment: '  Found the missing invoice.  ' }, await by(buyer));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const { id, created_at, proof, ...record } = reply.body['data'];
    assert.deepEqual(Object.keys(proof).sort(), ['explorer_url', 'network', 'paid_at', 'tx_hash']);
    assert.match(id, /^rev_/);
    assert.match(created_at, /^\d{4}-/);
    const short = `${buyer.address.slice(0, 4)}...${buyer.address.slice(-4)}`;
    assert.deepEqual(record, {
      order_id: order,
      service_id: service,
      agent_id: provider.id,
      reviewer_agent_id: short,
      reviewer_name: short,
      rating: 5,
      comment: 'Found the missing invoice.',
      onchain: null,
    });
    const view = await readOrder(market.url, order, buyer);
    assert.equal(view.review.id, id);
    assert.deepEqual([view.timeline.at(-1).action, view.timeline.at(-1).note], ['review', '5 of 5. Found the missing invoice.']);
    assert.ok(!view.allowed_actions.includes('review'));
  });

  test('E30, P13: a review has a whole rating from 1 to 5 and at most 500 characters', async () => {
    const buyer = baseWallet();
    const order = await completedOrder(buyer);
    const who = await by(buyer);
    for (const body of [
      {},
      { rating: 0 },
      { rating: 6 },
      { rating: 4.5 },
      { rating: '5' },
      { rating: 5, comment: 'x'.repeat(501) },
      { rating: 5, comment: 1 },
    ]) {
      assert.deepEqual(codeOf(await review(order, body, who)), [400, 'invalid_input'], JSON.stringify(body));
    }
    const reply = await review(order, { rating: 1, comment: ' ' }, who);
    assert.equal(reply.status, 200);
    assert.equal(reply.body['data'].comment, null);
  });

  test('a review is accepted from the buyer of a completed order only', async () => {
    const buyer = baseWallet();
    const order = await completedOrder(buyer);
    assert.equal((await review(order, { rating: 5 }, {})).status, 401);
    assert.deepEqual(codeOf(await review('ord_1700000000000_nosuchone', { rating: 5 }, await by(buyer))), [404, 'order_not_found']);
    assert.deepEqual(codeOf(await review(order, { rating: 5 }, await by(baseWallet()))), [403, 'not_your_order']);
    assert.deepEqual(codeOf(await review(order, { rating: 5 }, provider)), [403, 'wrong_side']);
    assert.deepEqual(codeOf(await review(order, { rating: 5 }, await by(provider.owner))), [403, 'wrong_side']);
    for (const status of ['paid', 'in_progress', 'cancelled'] as const) {
      await setOrderStatus(market, [order], status);
      assert.deepEqual(codeOf(await review(order, { rating: 5 }, await by(buyer))), [400, 'illegal_transition'], status);
    }
  });

  test('a review between related parties is refused', async () => {
    const order = await completedOrder(provider.owner);
    assert.deepEqual(codeOf(await review(order, { rating: 5 }, await by(provider.owner))), [403, 'related_party']);
  });

  test('R09, F06: a review is accepted once per order, also when ten arrive in parallel', async () => {
    const buyer = baseWallet();
    const order = await completedOrder(buyer);
    const who = await by(buyer);
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => review(order, { rating: 1 + (n % 5) }, who)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ body }) => body['code'] === 'review_exists').length, 9);
    assert.deepEqual(codeOf(await review(order, { rating: 5 }, who)), [409, 'review_exists']);
    const { rows } = await market.database.pool.query(`select 1 from events where subject_id = $1 and type = 'order.reviewed'`, [order]);
    assert.equal(rows.length, 1);
  });

  test('a review names a buying agent by its id, and an account without public profile by both ends of its paying wallet', async () => {
    const agent = await registerOwnedAgent(market.url, baseWallet());
    const token = await tokenFor(market.url, { email: 'reader@example.com' });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
    const body = { service_id: service, brief: BRIEF };
    for (const [key, id, name] of [
      [agent.key, agent.id, agent.name],
      // Too short to be shortened.
      [token, 'test', 'test'],
    ] as const) {
      const order = (await expectCall(market.url, 200, 'POST /api/orders', { key, body }))['id'];
      await setOrderStatus(market, [order], 'completed');
      const written = await expectCall(market.url, 200, `POST /api/orders/${order}/review`, { key, body: { rating: 4 } });
      assert.deepEqual([written['reviewer_agent_id'], written['reviewer_name']], [id, name]);
    }
  });

  test('reviews of an agent and of a service page through every review once, newest first', async () => {
    const other = await openProvider(market.url);
    const [first, second] = [await listService(market.url, other), await listService(market.url, other, { title: 'Another service' })];
    const wallets: string[] = [];
    for (let n = 0; n < 13; n++) {
      const buyer = baseWallet();
      wallets.push(buyer.address);
      const order = await completedOrder(buyer, n % 3 === 0 ? second : first);
      assert.equal((await review(order, { rating: 5, comment: `number ${n}` }, await by(buyer))).status, 200);
    }
    const comments = (rows: readonly Envelope[]): string[] => rows.map((row) => row['comment']);
    const expected = Array.from({ length: 13 }, (_, n) => `number ${12 - n}`);
    const walk = async (path: `/${string}`): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Reply = await call(market.url, `GET ${path}${asQuery({ limit: 4, ...(cursor !== '' && { cursor }) })}`);
        assert.equal(page.status, 200, JSON.stringify(page.body));
        seen.push(...comments(page.body['data']));
        cursor = page.body['next_cursor'];
      }
      return seen;
    };
    assert.deepEqual(await walk(`/api/agents/${other.slug}/reviews`), expected);
    assert.deepEqual(
      await walk(`/api/services/${second}/reviews`),
      expected.filter((_, n) => (12 - n) % 3 === 0),
    );
    const page = await call(market.url, `GET /api/agents/${other.id}/reviews?limit=1&offset=1`);
    assert.deepEqual([comments(page.body['data']), page.body['total']], [['number 11'], 13]);

    const profile = await expectCall(market.url, 200, `GET /api/agents/${other.id}`);
    assert.deepEqual(comments(profile['reviews']), expected.slice(0, 10));
    const record = await expectCall(market.url, 200, `GET /api/services/${first}`);
    const bySlug = await expectCall(market.url, 200, `GET /api/services/by-slug/${other.slug}/${record['slug']}`);
    assert.deepEqual(
      comments(bySlug['reviews']),
      expected.filter((_, n) => (12 - n) % 3 !== 0),
    );
    const publicText = JSON.stringify([profile, bySlug, page.body]);
    assert.deepEqual(
      wallets.filter((wallet) => publicText.includes(wallet)),
      [],
    );
    assert.deepEqual(Object.keys(profile['recentOrders'][0]).sort(), ['completed_at', 'service_title', 'status']);
    assert.equal(profile['recentOrders'].length, 10);
  });

  test('reviews of a hidden service or agent are listed for its owner only', async () => {
    const gone = await openProvider(market.url);
    const hidden = await listService(market.url, gone);
    await expectCall(market.url, 200, `DELETE /api/services/${hidden}`, gone);
    assert.deepEqual(codeOf(await call(market.url, `GET /api/services/${hidden}/reviews`)), [404, 'service_not_found']);
    assert.equal((await call(market.url, `GET /api/services/${hidden}/reviews`, gone)).status, 200);
    assert.deepEqual(codeOf(await call(market.url, 'GET /api/services/svc_none/reviews')), [404, 'service_not_found']);
    assert.deepEqual(codeOf(await call(market.url, 'GET /api/agents/nobody-here/reviews')), [404, 'agent_not_found']);
    await expectCall(market.url, 200, `PATCH /api/agents/${gone.id}/active`, { ...gone, body: { active: false } });
    assert.deepEqual(codeOf(await call(market.url, `GET /api/agents/${gone.id}/reviews`)), [404, 'agent_not_found']);
  });
});
