/** The demo data of the sandbox is created once, through real commands and payments, despite crashes. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { orderStatuses } from '@market/contract';
import { demoBounties } from '../../packages/sandbox/src/demo/content/bounties.ts';
import { demoDeposits, demoWithdrawal } from '../../packages/sandbox/src/demo/content/earn.ts';
import { demoToken } from '../../packages/sandbox/src/demo/open-token.ts';
import { demoAgents, demoOrders } from '../../packages/sandbox/src/demo/seed-demo.ts';
import { call, type Envelope } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { requireSoundBooks } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';
import { type DemoStage, openDemoStage } from './demo-stage.ts';

const STOP_LIMIT_MS = 10_000;
const KILLED = times(1, 2);

suite('the demo', () => {
  let stage: DemoStage;
  let server: ServerProcess;
  let made: Record<string, number>;

  before(async () => {
    stage = await openDemoStage();
  });
  after(() => stage.close());

  test(`the demo is completed without duplicates by another process after ${KILLED} killed midway`, async () => {
    const begun = await Promise.all(Array.from({ length: KILLED }, () => stage.startWithDemo()));
    await until('some orders being paid', async () => ((await stage.count('orders where paid_micros > 0')) >= 6 ? true : undefined), 60);
    await Promise.all(begun.map((one) => one.kill('SIGKILL')));
    const left = await stage.count('orders');
    assert.ok(left < demoOrders.length, `killed too late: ${left} orders`);

    server = await stage.startWithDemo();
    await stage.untilComplete();
    made = await stage.inventory();
    assert.equal(made['agents'], demoAgents.length);
    assert.equal(made['services'], demoAgents.flatMap(({ services }) => services).length);
    const accepted = demoBounties.filter(({ accepts }) => accepts !== undefined);
    assert.equal(made['orders'], demoOrders.length + accepted.length);
    assert.equal(made['bounties'], demoBounties.length);
    assert.equal(made['bounty_claims'], demoBounties.flatMap(({ claims }) => claims).length);
    const steps = [...demoOrders, ...accepted].flatMap((played) => played.steps ?? []);
    const times = (what: string): number => steps.filter((step) => step.do === what).length;
    assert.equal(made['reviews'], times('review'));
    assert.equal(made['disputes'], times('dispute'));
    assert.equal(made['dispute_statements'], times('state'));
    assert.equal(made['order_messages'], times('message') + times('answer'));
    assert.equal(await stage.count('(select distinct brief from orders) b'), made['orders']);
  });

  test('every payment of the demo bought its order, and the books are sound', async () => {
    const unused = await stage.count(
      'chain_receipts r where not exists (select 1 from payment_claims c where c.caip2 = r.caip2 and c.reference = r.reference)',
    );
    assert.equal(unused, 0);
    const deposits = demoDeposits.length + 1;
    assert.equal(await stage.count("earn_deposits where status = 'deployed'"), deposits);
    assert.equal(
      await stage.count("payment_claims where purpose <> 'earn_return'"),
      (await stage.count('orders where paid_micros > 0')) + deposits,
    );
    await requireSoundBooks(stage);
  });

  test('the demo has a dozen agents with services and reviews, all categories and pricing models, an order in every state', async () => {
    const agents: Envelope[] = (await call(server.url, 'GET /api/agents?services=with&limit=100')).body['data'];
    assert.ok(agents.length >= 12);
    const services: Envelope[] = (await call(server.url, 'GET /api/services?limit=100')).body['data'];
    assert.equal(new Set(services.map((service) => service['category'])).size, 12);
    assert.deepEqual([...new Set(services.map((service) => service['price_type']))].sort(), ['fixed', 'monthly', 'quote', 'weekly']);
    assert.ok(services.filter((service) => service['avg_rating'] !== null).length >= 12);
    const { rows } = await stage.database.pool.query<{ status: string }>('select distinct status from orders');
    assert.deepEqual(rows.map(({ status }) => status).sort(), [...orderStatuses].sort());
    assert.equal(await stage.count("orders where kind = 'machine'"), demoOrders.filter(({ byMachine }) => byMachine === true).length);
    const portfolio: Envelope[] = (await call(server.url, 'GET /api/agents/ombra-studio/portfolio')).body['data'];
    assert.ok(portfolio.length >= 2);
  });

  test('the demo has bounties that are open with claims, in work, completed with a review, and cancelled', async () => {
    const { body } = await call(server.url, 'GET /api/bounties?status=open,claimed,completed,cancelled&limit=50');
    const shown: Envelope[] = body['data'];
    assert.deepEqual([...new Set(shown.map(({ status }) => status))].sort(), ['cancelled', 'claimed', 'completed', 'open']);
    assert.ok(shown.some(({ status, claims_count }) => status === 'open' && claims_count >= 3));
    const [completed] = shown.filter(({ status }) => status === 'completed');
    assert.deepEqual([completed?.['earned_usd'], completed?.['winner_agent_name']], ['6.00', 'Tallyrook']);
    assert.equal(await stage.count("orders o join reviews r on r.order_id = o.id where o.kind = 'bounty'"), 1);
  });

  test('the demo has an agent with a token, whose price comes from a pool on the chain and is recorded for the chart', async () => {
    const { data: token } = (await call(server.url, 'GET /api/agents/tessera/token')).body;
    assert.deepEqual([token.token_symbol, token.token_supply, token.market?.price_usd], [demoToken.symbol, '1000000000', 0.000025]);
    const { data: history } = (await call(server.url, 'GET /api/agents/tessera/token/prices')).body;
    assert.ok(history.points.length >= 1);
    assert.equal(history.points[0].price_usd, '0.000025');
  });

  test('the demo has positions of two people and an agent, a waiting withdrawal, and a month of share prices', async () => {
    assert.equal(await stage.count('earn_positions where shares > 0'), demoDeposits.length + 1);
    const { data } = (await call(server.url, 'GET /api/earn/pool/markets')).body;
    const vaults: Envelope[] = data.products.flatMap(({ markets }: Envelope) => markets);
    const pool = vaults.find(({ strategy }) => strategy === demoWithdrawal.strategy);
    assert.equal(pool?.['queue'].waiting, 1);
    for (const { key } of vaults) {
      const { data: history } = (await call(server.url, `GET /api/earn/pool/history?key=${encodeURIComponent(key)}&period=30d`)).body;
      assert.ok(history.points.length >= 60, `${key} has ${history.points.length} points`);
    }
  });

  test('the demo does not use up the rate limits of local clients, and lets no other client bypass them', async () => {
    const register = (headers: Record<string, string>) =>
      call(server.url, 'POST /api/agents/register', { body: { ...agentBody(), name: '' }, headers });
    const first = await register({});
    assert.equal(first.headers.get('x-ratelimit-remaining'), '4');
    const guessed = await register({ 'x-sandbox-pass': 'A'.repeat(43) });
    assert.equal(guessed.headers.get('x-ratelimit-remaining'), '3');
  });

  test('the demo ends with the server, and a second start adds nothing', async () => {
    const stopped = performance.now();
    assert.equal(await server.kill('SIGTERM'), 0);
    assert.ok(performance.now() - stopped < STOP_LIMIT_MS);
    const { rows } = await stage.database.pool.query<{ now: Date }>('select market_now() as now');
    server = await stage.startWithDemo();
    await until('both sample agents being back at work', async () => {
      const { rowCount } = await stage.database.pool.query('select 1 from agent_presence where seen_at > $1', [rows[0]?.now]);
      return rowCount === 2 ? true : undefined;
    });
    assert.deepEqual(await stage.inventory(), made);
  });
});
