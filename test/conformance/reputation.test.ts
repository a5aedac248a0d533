/** Reputation is counted from settled orders between strangers and agrees with the event log. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { countedPart, orderWeight, reputationPeriod, reputationScore, type SettledOrder, weighOrders } from '@market/contract';
import { auditFigures } from '../../packages/server/src/features/audit/index.ts';
import { allowPayer, registerOwnedAgent } from '../harness/agents.ts';
import { openAdmin, rule } from '../harness/disputes.ts';
import { redeliverEvents, untilHandled } from '../harness/events.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { runMarketCommand } from '../harness/market-command.ts';
import {
  act,
  BRIEF,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
} from '../harness/orders.ts';
import { agentBody, asHeaders, linkWallet, signed, tokenFor } from '../harness/people.ts';
import { generated, openWorkspace } from '../harness/workspaces.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { goPast, HOUR, passTime, untilStatus } from '../orders/market-time.ts';

suite('reputation', () => {
  let shared: SharedMoney;
  let url: string;
  let provider: Provider;
  let services: readonly [string, string];
  let reviewed: { readonly order: string; readonly reference: string };

  async function ok(reply: Promise<Reply>): Promise<void> {
    const { status, body } = await reply;
    assert.equal(status, 200, JSON.stringify(body));
  }
  async function paid(service: string, by: Buyer): Promise<string> {
    const order = await placeOrder(url, service, by);
    await payOrder(url, order, by);
    return order;
  }
  async function completed(service: string, by: Buyer): Promise<string> {
    const order = await paid(service, by);
    await ok(deliver(url, order, provider));
    await ok(act(url, order, by, 'approve'));
    return order;
  }

  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    ({ url } = await shared.startServer());
    const [owner, ann, ben, cleo] = await Promise.all([1, 2, 3, 4].map(() => openBuyer(shared, 'base-mainnet')));
    assert.ok(owner && ann && ben && cleo);
    const agent = await registerOwnedAgent(url, owner);
    provider = { ...agent, owner, headers: { authorization: `Bearer ${agent.key}` } };
    services = [
      await listService(url, provider, { turnaround_hours: 1 }),
      await listService(url, provider, { title: 'Another service', turnaround_hours: 200 }),
    ];
    await openEveryFate(owner, ann, ben, cleo);
    await untilHandled(shared.database.pool);
  });
  after(() => shared.close());

  /**
   * Every outcome of an order. Ann is content, then less so. Ben waits too long, then wins half of a dispute.
   * Cleo is refunded, gets no delivery, and cancels. The owner buys from himself.
   */
  async function openEveryFate(owner: Buyer, ann: Buyer, ben: Buyer, cleo: Buyer): Promise<void> {
    const [quick, slow] = services;
    const order = await placeOrder(url, quick, ann);
    const reference = await payOrder(url, order, ann);
    await passTime(shared, 600);
    await ok(call(url, `POST /api/orders/${order}/messages`, { headers: provider.headers, body: { content: 'On it.' } }));
    await passTime(shared, 600);
    await ok(deliver(url, order, provider));
    await ok(act(url, order, ann, 'approve'));
    await ok(call(url, `POST /api/orders/${order}/review`, { headers: asHeaders(await signed(ann)), body: { rating: 5 } }));
    reviewed = { order, reference };
    const fair = await completed(quick, ann);
    await untilHandled(shared.database.pool);
    await ok(call(url, `POST /api/orders/${fair}/review`, { headers: asHeaders(await signed(ann)), body: { rating: 3 } }));
    await completed(quick, owner);

    const late = await paid(quick, ben);
    await passTime(shared, 2 * HOUR);
    await ok(deliver(url, late, provider));
    await ok(act(url, late, ben, 'approve'));
    const disputed = await paid(slow, ben);
    await ok(deliver(url, disputed, provider));
    await ok(act(url, disputed, ben, 'dispute', { reason: 'Half of it is missing.' }));
    await ok(rule(url, disputed, await openAdmin(url), { ruling: 'split', refund_usd: '4.00' }));

    await ok(act(url, await paid(slow, cleo), cleo, 'cancel'));
    const refunded = await paid(slow, cleo);
    await ok(call(url, `PATCH /api/orders/${refunded}`, { headers: provider.headers, body: { action: 'refund', reason: 'No time.' } }));
    const forgotten = await paid(quick, cleo);
    await goPast(shared, forgotten, 'delivery_deadline');
    await untilStatus(shared, forgotten, 'cancelled');
  }

  const reputationOf = async (path: `/api/${string}`): Promise<Envelope> => await expectCall(url, 200, `GET ${path}/reputation`);

  const listOf = async (path: `/api/${string}`): Promise<Envelope[]> => (await call(url, `GET ${path}`)).body['data'];

  const expected = {
    weighted_orders: 6,
    weighted_good_orders: 1,
    weighted_completed_orders: 4,
    rating_bound: 0.247,
    settled_orders: 6,
    completed_orders: 4,
    completion_rate: 0.667,
    timed_orders: 5,
    on_time_orders: 3,
    on_time_rate: 0.6,
    disputes_lost: 1,
    buyers: 2,
    repeat_buyers: 2,
    repeat_rate: 1,
    recount: null,
  };

  test('reputation of an agent counts every outcome of an order between strangers, and shows the parts of its score', async () => {
    const { score, first_response_seconds: median, ...parts } = await reputationOf(`/api/agents/${provider.id}`);
    assert.deepEqual(parts, expected);
    assert.equal(score, reputationScore(6000, 1000));
    // First responses took 600 s and 7200 s; the three others came at once.
    assert.ok(median >= 0 && median < 60, `${median} seconds`);
    const { stats } = await expectCall(url, 200, `GET /api/agents/${provider.id}`);
    assert.deepEqual(stats.reputation, { score, first_response_seconds: median, ...parts });
    const [listed] = await listOf(`/api/agents?search=${encodeURIComponent(provider.name)}`);
    assert.equal(listed?.['reputation_score'], score);
  });

  test('reputation of a service counts its own orders', async () => {
    const quick = await reputationOf(`/api/services/${services[0]}`);
    assert.deepEqual(
      [
        quick['settled_orders'],
        quick['completed_orders'],
        quick['timed_orders'],
        quick['on_time_orders'],
        quick['buyers'],
        quick['repeat_buyers'],
      ],
      [4, 3, 4, 2, 2, 1],
    );
    assert.equal(quick['score'], reputationScore(4000, 1000));
    const slow = await reputationOf(`/api/services/${services[1]}`);
    assert.deepEqual([slow['settled_orders'], slow['completed_orders'], slow['timed_orders'], slow['disputes_lost']], [2, 1, 1, 1]);
    assert.equal((await expectCall(url, 200, `GET /api/services/${services[1]}`))['reputation_score'], 0);
  });

  test('reputation of an unknown agent or service is 404', async () => {
    assert.equal((await call(url, 'GET /api/agents/nobody/reputation')).body['code'], 'agent_not_found');
    assert.equal((await call(url, 'GET /api/services/nothing/reputation')).body['code'], 'service_not_found');
  });

  test('reputation stays the same when every event is handled again', async () => {
    await redeliverEvents(shared.database.pool, 'figures');
    await untilHandled(shared.database.pool);
    const { score: _score, first_response_seconds: _median, ...parts } = await reputationOf(`/api/agents/${provider.id}`);
    assert.deepEqual(parts, expected);
    assert.deepEqual((await auditFigures(shared.database)).findings, []);
  });

  test('every review names a payment that the explorer lists, and no full wallet', async () => {
    const reviews = await listOf(`/api/agents/${provider.id}/reviews`);
    const review = reviews.find((one) => one['order_id'] === reviewed.order);
    assert.ok(review);
    assert.deepEqual([review['proof'].network, review['proof'].tx_hash], ['base-mainnet', reviewed.reference]);
    const payments = await listOf('/api/explorer/payments?limit=50');
    const listed = payments.find((payment) => payment['tx_hash'] === reviewed.reference);
    assert.equal(listed?.['order_id'], reviewed.order);
    assert.doesNotMatch(JSON.stringify(review).replace(reviewed.reference, ''), /0x[0-9a-fA-F]{40}/);
  });

  test('agents, wallets and account of one person count as one buyer, also after the wallet changes hands', async () => {
    const person = await openBuyer(shared, 'base-mainnet');
    const key = await tokenFor(url, { email: 'many-hats@example.com' });
    await linkWallet(url, key, person);
    const ofWallet = await registerOwnedAgent(url, person);
    const ofAccount = await expectCall(url, 201, 'POST /api/agents/register', { key, body: agentBody() });
    for (const id of [ofWallet.id, ofAccount['agent_id']]) assert.equal((await allowPayer(url, person, id)).status, 200);
    const seller = await openProvider(url);
    const service = await listService(url, seller);
    const orders: string[] = [];
    for (const hat of [ofWallet.key, ofWallet.key, ofAccount['api_key'], ofAccount['api_key'], key]) {
      const placed = await expectCall(url, 200, 'POST /api/orders', { key: hat, body: { service_id: service, brief: BRIEF } });
      const body = {
        action: 'pay',
        escrow_tx_hash: await person.payer.pay(person.payer.chain.treasury, 10_000_000n),
        payment_chain: 'base',
      };
      await expectCall(url, 200, `PATCH /api/orders/${placed['id']}`, { key: hat, body });
      orders.push(placed['id']);
    }
    orders.push(await paid(service, person));
    await untilHandled(shared.database.pool);
    await shared.database.pool.query('delete from user_wallets where address = $1', [person.address]);
    for (const order of orders) await ok(deliver(url, order, seller));
    await goPast(shared, orders.at(-1) ?? '', 'review_deadline');
    for (const order of orders) await untilStatus(shared, order, 'completed', 20);
    await untilHandled(shared.database.pool);
    for (const path of [`/api/agents/${seller.id}`, `/api/services/${service}`] as const) {
      const { buyers, repeat_buyers: repeated, settled_orders: settled, weighted_orders: weight } = await reputationOf(path);
      assert.deepEqual({ buyers, repeated, settled, weight }, { buyers: 1, repeated: 1, settled: 6, weight: 3 });
    }
    assert.deepEqual((await auditFigures(shared.database)).findings, []);
  });

  test('reputation counts a workspace as completed only with an answer, and ignores an unused one', async () => {
    const buyer = await openBuyer(shared, 'base-mainnet');
    const fates: { fate: string; desk: Provider; order: string }[] = [];
    for (const fate of ['unanswered', 'answered', 'unused']) {
      const desk = await openProvider(url);
      const order = await openWorkspace(url, desk, buyer);
      if (fate !== 'unused') await generated(url, order, buyer);
      if (fate === 'answered') await ok(deliver(url, order, desk));
      fates.push({ fate, desk, order });
    }
    for (const deadline of ['workspace_ends_at', 'review_deadline'] as const) {
      await goPast(shared, fates.at(-1)?.order ?? '', deadline);
      for (const { order } of fates) await untilStatus(shared, order, deadline === 'review_deadline' ? 'completed' : 'delivered', 20);
    }
    await untilHandled(shared.database.pool);
    const counted = await Promise.all(
      fates.map(async ({ fate, desk }) => {
        const {
          settled_orders: settled,
          completed_orders: done,
          weighted_good_orders: good,
        } = await reputationOf(`/api/agents/${desk.id}`);
        return [fate, settled, done, good];
      }),
    );
    assert.deepEqual(counted, [
      ['unanswered', 1, 0, 0],
      ['answered', 1, 1, 1],
      ['unused', 0, 0, 0],
    ]);
    assert.deepEqual((await auditFigures(shared.database)).findings, []);
  });

  test('`market audit --figures` finds every changed part of a reputation', async () => {
    const { pool } = shared.database;
    const counts = ['settled_orders', 'kept_orders', 'timed_orders', 'on_time_orders', 'disputes_lost', 'buyers', 'repeat_buyers'];
    const weights = ['score_weight', 'score_good', 'completed_weight', 'rated_weight', 'rating_points', 'rating_rank'];
    for (const column of [...counts, ...weights, 'first_response_seconds'])
      for (const [table, key, id] of [
        ['agent_figures', 'agent_id', provider.id],
        ['services', 'id', services[0]],
      ] as const) {
        await pool.query(`update ${table} set ${column} = ${column} + 1 where ${key} = $1`, [id]);
        const { findings } = await auditFigures(shared.database);
        assert.deepEqual(
          findings.map((finding) => [finding.id, finding.rows.map((row) => row['id'])]),
          [['V12', [id]]],
          `${table}.${column}`,
        );
        await pool.query(`update ${table} set ${column} = ${column} - 1 where ${key} = $1`, [id]);
      }
    for (const part of ['settled', 'good', 'completed', 'rated', 'points']) {
      await pool.query(`update subject_periods set ${part} = ${part} + 1 where subject = $1`, [provider.id]);
      assert.deepEqual(
        (await auditFigures(shared.database)).findings.map(({ id }) => id),
        ['V12'],
        part,
      );
      await pool.query(`update subject_periods set ${part} = ${part} - 1 where subject = $1`, [provider.id]);
    }
    const sound = runMarketCommand(['audit', '--figures'], shared.settings);
    assert.equal(await sound.ended, 0, sound.output());
    await pool.query('update agent_figures set buyers = buyers + 1 where agent_id = $1', [provider.id]);
    const broken = runMarketCommand(['audit', '--figures'], shared.settings);
    assert.equal(await broken.ended, 1, broken.output());
    assert.match(broken.output(), /V12 does not hold/);
    await pool.query('update agent_figures set buyers = buyers - 1 where agent_id = $1', [provider.id]);
  });

  test('the database computes the same reputation score as the contract', async () => {
    const { rows } = await shared.database.pool.query<{ weight: number; good: number; score: number }>(
      `select w * 250 as weight, g * 250 as good, reputation_score(w * 250, g * 250) as score
       from generate_series(1, 120) w, generate_series(0, 120) g where g <= w`,
    );
    for (const { weight, good, score } of rows)
      assert.equal(score, Math.round((reputationScore(weight, good) ?? -1) * 1000), `${good} of ${weight}`);
  });

  test('Y02: the database weighs orders, buyers and periods as the contract does', async () => {
    const { pool } = shared.database;
    const prices = await pool.query<{ price: bigint; weight: number }>(
      `select p::bigint as price, order_weight(p::bigint) as weight from unnest(array[0, 10000, 999999, 1000000, 1004999, 2500000, 4999999, 5000000, 900000000]) p`,
    );
    for (const { price, weight } of prices.rows) assert.equal(weight, orderWeight(BigInt(price)), `${price}`);
    assert.deepEqual(
      prices.rows.map(({ weight }) => weight),
      [0, 0, 0, 200, 200, 500, 999, 1000, 1000],
    );
    const parts = await pool.query<{ settled: number; part: number; counted: number }>(
      `select s * 700 as settled, p * 350 as part, counted_part(s * 700, p * 350) as counted from generate_series(0, 20) s, generate_series(0, 40) p where p <= 2 * s`,
    );
    for (const { settled, part, counted } of parts.rows) assert.equal(counted, countedPart(settled, part), `${part} of ${settled}`);
    const times = await pool.query<{ at: Date; period: number }>(
      `select at, reputation_period(at) as period from unnest(array['2026-11-18 23:59:59.999+00', '1970-01-01+00', '1970-01-30 23:59:59+00', '1970-01-31+00']::timestamptz[]) at`,
    );
    assert.deepEqual(
      times.rows.map(({ at }) => reputationPeriod(at)),
      times.rows.map(({ period }) => period),
    );
  });

  test('anybody can recompute reputation scores from the listed orders, without learning who bought', async () => {
    const orders: (SettledOrder & Envelope)[] = [];
    const list = async (query: string) => (await call(url, `GET /api/agents/${provider.id}/reputation/orders${query}`)).body;
    for (let page = await list(''); ; page = await list(`?period=${page['next_period']}`)) {
      assert.equal(page['data'].length, page['total']);
      orders.push(...page['data']);
      if (page['next_period'] === null) break;
    }
    const { score, weighted_orders, weighted_good_orders } = await reputationOf(`/api/agents/${provider.id}`);
    assert.deepEqual(weighOrders(orders), { score, weighted_orders, weighted_good_orders });
    assert.equal(orders.length, 6);
    assert.ok(orders.every(({ weight, price_usd }) => weight === 1 && price_usd === '10.00'));
    assert.doesNotMatch(JSON.stringify(orders), /0x|ord_|usr_|ext_/);
    const [latest] = orders;
    assert.deepEqual(Object.keys(latest ?? {}).sort(), [
      'buyer',
      'completed',
      'dispute_lost',
      'ended_on',
      'good',
      'on_time',
      'period',
      'price_usd',
      'rating',
      'weight',
    ]);
    const quick = (await list(`?service=${services[0]}`))['data'];
    assert.equal(weighOrders(quick).score, (await reputationOf(`/api/services/${services[0]}`))['score']);
    const [one, two] = [(await list('?limit=1'))['data'], (await list('?limit=1&offset=1'))['data']];
    assert.deepEqual([...one, ...two], orders.slice(0, 2));
    assert.deepEqual(await list('?period=0').then(({ data, period, next_period }) => [data, period, next_period]), [[], null, null]);
    assert.equal((await call(url, `GET /api/agents/${provider.id}/reputation/orders?period=-1`)).status, 400);
    assert.equal((await call(url, 'GET /api/agents/nobody/reputation/orders')).body['code'], 'agent_not_found');
  });
});
