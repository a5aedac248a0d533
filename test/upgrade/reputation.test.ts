/** The market that opens the database recounts scores from before the weights, and says why. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { recountReason, reputationScore } from '@market/contract';
import pg from 'pg';
import { auditFigures } from '../../packages/server/src/features/audit/index.ts';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { untilHandled } from '../harness/events.ts';
import { type Envelope, expectCall } from '../harness/http.ts';
import { MASTER_KEY, type ServerProcess, startServer, withOwnChains } from '../harness/market.ts';
import { type RecordedOrder, recordOrders, recordSellers, sellerId, serviceOf } from '../harness/recorded-orders.ts';
import { migrateAsBefore } from './open-upgraded-market.ts';

const FIRST_WITH_WEIGHTS = '0072';
const CENT = 10_000;

suite('Y02, Y03: scores from before the weights', () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let server: ServerProcess;
  const [good, fake, bombed, large, fresh] = [1, 2, 3, 4, 5] as const;
  const orders = (seller: number, count: number, priceMicros: number, rating: number, wallets = count): RecordedOrder[] =>
    Array.from({ length: count }, (_, n) => ({
      seller,
      buyer: `0x${seller}${rating}${n % wallets}`,
      priceMicros,
      rating,
      daysAgo: 1 + n / 1000,
    }));

  before(async () => {
    testDatabase = await createTestDatabase({ empty: true });
    pool = new pg.Pool({ ...testDatabase.connection, max: 2 });
    await migrateAsBefore(pool, FIRST_WITH_WEIGHTS);
    await recordSellers(pool, good, fresh);
    await recordOrders(pool, [
      ...orders(good, 12, 10_000_000, 5),
      ...orders(fake, 21, CENT, 5, 7),
      ...orders(bombed, 12, 10_000_000, 5),
      ...orders(bombed, 6, 11_000, 1),
      ...orders(large, 1000, 2_500_000, 5, 500),
    ]);
    await countAsBefore();
    server = await startServer({
      ...withOwnChains,
      DATABASE_URL: testDatabase.url,
      DATABASE_POOL_SIZE: '8',
      MASTER_KEY,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_SCALE: '10000',
    });
    await untilHandled(pool);
  });
  after(async () => {
    await server?.kill('SIGTERM');
    await pool?.end();
    await testDatabase?.drop();
  });

  /** The rows that the former follower of figures left for these orders. */
  async function countAsBefore(): Promise<void> {
    await pool.query(`
      delete from event_queue;
      insert into counted_orders (order_id, agent_id, service_id, buyer, total_orders, completed_orders, revenue_micros, rating_sum, rating_count,
                                  settled_orders, kept_orders, good_orders, timed_orders, on_time_orders, response_seconds, ended_at)
        select o.id, o.provider_agent_id, o.service_id, known_buyer(o), 1, 1, o.price_micros, r.rating, 1, 1, 1, (r.rating >= 4)::int, 1, 1, 60, o.completed_at
        from orders o join reviews r on r.order_id = o.id;
      insert into subject_buyers (subject, buyer, settled_orders, kept_orders, good_orders)
        select s.subject, c.buyer, count(*), count(*), sum(c.good_orders)
        from counted_orders c cross join lateral (values (c.agent_id), (c.service_id)) s (subject) group by 1, 2`);
    for (const [table, key] of [
      ['agent_figures', 'agent_id'],
      ['services', 'id'],
    ])
      await pool.query(`
        update ${table} f set total_orders = n, completed_orders = n, rating_sum = stars, rating_count = n, settled_orders = n, kept_orders = n, timed_orders = n,
          on_time_orders = n, first_response_seconds = 60, buyers = b.all_buyers, repeat_buyers = b.back, score_weight = b.weight, score_good = b.good
          ${table === 'agent_figures' ? ', revenue_micros = revenue' : ''}
        from (select s.subject, count(*) as n, sum(rating_sum) as stars, sum(revenue_micros) as revenue
              from counted_orders c cross join lateral (values (c.agent_id), (c.service_id)) s (subject) group by 1) c
        join (select subject, count(*) as all_buyers, count(*) filter (where kept_orders > 1) as back, sum(reputation_weight(settled_orders)) as weight,
                     sum(reputation_good(settled_orders, good_orders)) as good from subject_buyers group by 1) b using (subject)
        where f.${key} = c.subject`);
  }

  const read = async (path: `/api/${string}`): Promise<Envelope> => await expectCall(server.url, 200, `GET ${path}/reputation`);

  test('the upgrade recounts scores from before the weights once, and keeps the old score with the reason', async () => {
    for (const [seller, before, now] of [
      [good, 0.816, 0.816],
      [fake, 0.885, null],
      [bombed, 0.473, 0.816],
      [large, 0.997, reputationScore(500_000, 500_000)],
    ] as const)
      for (const path of [`/api/agents/${sellerId(seller)}`, `/api/services/${serviceOf(seller)}`] as const) {
        const { score, recount } = await read(path);
        assert.deepEqual([score, recount.score_before, recount.reason], [now, before, recountReason], path);
        assert.ok(Number.isFinite(Date.parse(`${recount.at.replace(' ', 'T')}Z`)));
      }
    assert.deepEqual(
      [(await read(`/api/agents/${sellerId(fresh)}`))['recount'], (await read(`/api/agents/${sellerId(fresh)}`))['score']],
      [null, null],
    );
  });

  test('the upgrade of scores leaves the plain counts unchanged, and the audit sound', async () => {
    const { completed_orders, settled_orders, buyers } = await read(`/api/agents/${sellerId(fake)}`);
    assert.deepEqual([completed_orders, settled_orders, buyers], [21, 21, 0]);
    const database = openDatabase({ connection: { ...testDatabase.connection }, poolSize: 2, onError: () => undefined });
    assert.deepEqual((await auditFigures(database)).findings, []);
    await database.close();
  });
});
