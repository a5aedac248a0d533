/** Public figures that add up, a feed without private data, and an explorer that matches the chains. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  readAllTime,
  readDays,
  readSupply,
  sumFinishedDays,
} from '../../packages/server/src/features/discovery/stats/figures-repository.ts';
import { readTreasuries } from '../../packages/server/src/features/discovery/stats/read-treasuries.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { advanceClock } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { openStatsStage, type StatsStage, secrets } from './stage.ts';

const silent = createLogger({ level: 'silent', pretty: false });

suite('public figures', () => {
  let stage: StatsStage;
  before(async () => {
    stage = await openStatsStage();
  });
  after(() => stage.market.close());

  const read = (path: `/${string}`): Promise<Envelope> => expectCall(stage.market.url, 200, `GET ${path}`);
  const publicReads = [
    '/api/platform-stats',
    '/api/metrics',
    '/api/metrics/activity?limit=100',
    '/api/stats/board',
    '/api/stats/daily',
    '/api/stats/held',
    '/api/explorer/payments',
    '/api/explorer/hires',
    '/api/explorer/payouts',
  ] as const;

  test('public figures count paid orders between unrelated parties only', async () => {
    const stats = await read('/api/platform-stats');
    assert.equal(stats['marketAgents'], 2);
    assert.equal(stats['services'], 1);
    // Completed, in work and by machine; but not refunded, unpaid, or one's own.
    assert.equal(stats['orders'], 3);
    assert.deepEqual(stats['orders_by_status'], { paid: 2, quoted: 1, completed: 1, cancelled: 1 });
    assert.equal(stats['orders_in_work'], 2);
    assert.equal(stats['users'], 2 + 2);
    assert.equal(stats['x402Orders'], 1);
    assert.equal(stats['x402VolumeUsd'], 11);
    assert.equal(stats['x402FeesUsd'], 1);
    const { last_24h: day } = stats;
    assert.deepEqual([day.orders, day.volume_usd, day.refunded_usd, day.completed, day.machine_hires], [4, '41.00', '10.00', 1, 1]);
    assert.deepEqual(stats['last_30d'], day);
  });

  test('the metrics name the busiest agents and months', async () => {
    const metrics = await read('/api/metrics');
    assert.equal(metrics['totalGmv'], 31);
    assert.deepEqual(metrics['servicesByCategory'], { seo: 1 });
    assert.deepEqual(
      metrics['topAgentsByOrders'].map((agent: Envelope) => [agent['id'], agent['completed_orders'], agent['avg_rating']]),
      [[stage.provider.id, 1, 4]],
    );
    assert.equal(metrics['avgRating'], 4);
    assert.deepEqual(
      metrics['ordersOverTime'].map((month: Envelope) => month['count']),
      [4],
    );
  });

  test('the activity feed lists each public step once, newest first, with title, agent, amount and chain', async () => {
    const { events, total } = await read('/api/metrics/activity?limit=100');
    const told = events.map((event: Envelope) => `${event['type']} ${event['action']} ${nameOf(event['order_id'])}`);
    assert.deepEqual([...told].sort(), [
      'order completed completed',
      'order delivered completed',
      'order delivered completed',
      'order paid completed',
      'order paid inWork',
      'order paid machine',
      'order paid refunded',
      'order placed completed',
      'order placed inWork',
      'order placed refunded',
      'order refunded refunded',
      'registration registered ',
      'registration registered ',
      'review reviewed completed',
      'service listed ',
    ]);
    assert.equal(total, events.length);
    const ids = events.map((event: Envelope) => Number(event['id']));
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => b - a),
    );
    const paid = events.find((event: Envelope) => event['action'] === 'paid' && event['order_id'] === stage.orders.refunded);
    assert.equal(paid.title, 'Careful proofreading');
    assert.equal(paid.agent_id, stage.provider.id);
    assert.equal(paid.amount_usd, '10.00');
    assert.equal(paid.network, 'solana-mainnet');
    assert.match(paid.buyer, /^.{4}\.\.\..{4}$/);
    const review = events.find((event: Envelope) => event['type'] === 'review');
    assert.deepEqual([review.rating, review.subtitle], [4, '4']);
  });

  const nameOf = (orderId: string | null): string =>
    Object.entries(stage.orders).find(([, id]) => id === orderId)?.[0] ?? (orderId === null ? '' : `unknown ${orderId}`);

  test('E53: the activity feed pages without gaps or duplicates, and filters by kind', async () => {
    const all = (await read('/api/metrics/activity?limit=100'))['events'].map((event: Envelope) => event['id']);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const reply = await call(stage.market.url, `GET /api/metrics/activity?limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`);
      walked.push(...reply.body['data'].events.map((event: Envelope) => event['id']));
      cursor = reply.body['next_cursor'];
    }
    assert.deepEqual(walked, all);
    const skipped = (await read('/api/metrics/activity?limit=3&offset=4'))['events'].map((event: Envelope) => event['id']);
    assert.deepEqual(skipped, all.slice(4, 7));
    const reviews = (await read('/api/metrics/activity?filter=review'))['events'];
    assert.deepEqual(
      reviews.map((event: Envelope) => event['type']),
      ['review'],
    );
    assert.deepEqual((await read('/api/metrics/activity?filter=token_launch'))['events'], []);
    const refused = await expectCall(stage.market.url, 400, 'GET /api/metrics/activity?filter=secrets');
    assert.equal(refused['code'], 'invalid_input');
    assert.equal((await expectCall(stage.market.url, 400, 'GET /api/metrics/activity?cursor=xyz'))['code'], 'invalid_cursor');
  });

  test('public figures contain no brief, message, reason, e-mail address or full buyer wallet', async () => {
    const { buyer, solanaBuyer } = stage;
    const hidden = [
      ...Object.values(secrets),
      'heron',
      buyer.address,
      buyer.address.toLowerCase(),
      solanaBuyer.address,
      solanaBuyer.address,
    ];
    for (const path of publicReads) {
      const text = JSON.stringify((await call(stage.market.url, `GET ${path}`)).body);
      for (const word of hidden) assert.ok(!text.includes(word), `${path} tells ${word}`);
    }
  });

  test('public figures may be cached for a short time', async () => {
    for (const path of publicReads) {
      const { headers } = await call(stage.market.url, `GET ${path}`);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
    }
  });

  test('the board lists every category; an agent is alive if it used its key', async () => {
    const board: Envelope[] = (await read('/api/stats/board')) as unknown as Envelope[];
    assert.equal(board.length, 12);
    const seo = board.find((row) => row['category'] === 'seo') ?? {};
    assert.deepEqual([seo['services'], seo['agents'], seo['alive_agents'], seo['completed_orders']], [1, 1, 1, 1]);
    assert.equal(seo['median_price_usd'], '10.00');
    assert.ok(seo['median_delivery_seconds'] >= 0);
    assert.deepEqual(seo['orders_per_day'], [...Array<number>(29).fill(0), 1]);
    const coding = board.find((row) => row['category'] === 'coding') ?? {};
    assert.deepEqual([coding['services'], coding['median_price_usd'], coding['median_delivery_seconds']], [0, null, null]);
  });

  test('the explorer lists on-chain payments by network and kind', async () => {
    const payments = (await read('/api/explorer/payments')) as unknown as Envelope[];
    assert.equal(payments.length, 5);
    const onSolana = (await read('/api/explorer/payments?network=solana-mainnet')) as unknown as Envelope[];
    assert.deepEqual(
      onSolana.map((row) => [row['kind'], row['order_id'], row['amount_usd'], row['service_title']]),
      [['order', stage.orders.refunded, '10.00', 'Careful proofreading']],
    );
    const byMachine = (await read('/api/explorer/payments?kind=machine')) as unknown as Envelope[];
    const hires = (await read('/api/explorer/hires')) as unknown as Envelope[];
    assert.deepEqual(
      hires.map((row) => [row['order_id'], row['tx_hash'], row['amount_usd'], row['agent_slug']]),
      [[stage.orders.machine, byMachine[0]?.['tx_hash'], '11.00', stage.provider.slug]],
    );
    assert.deepEqual((await call(stage.market.url, 'GET /api/explorer/payments?network=alt-mainnet')).body['data'], []);
    const { headers, body } = await call(stage.market.url, 'GET /api/explorer/payments?limit=2');
    assert.equal(headers.get('x-ratelimit-limit'), String(120 * 10_000));
    const next = await call(stage.market.url, `GET /api/explorer/payments?limit=3&cursor=${body['next_cursor']}`);
    assert.deepEqual([...body['data'], ...next.body['data']], payments);
    assert.equal(next.body['next_cursor'], null);
  });

  test('the explorer shows the transaction of payouts and refunds once they are final', async () => {
    const payouts = await until('the transfers being final', async () => {
      const rows = (await read('/api/explorer/payouts')) as unknown as Envelope[];
      return rows.length === 3 && rows.every((row) => row['state'] === 'confirmed') ? rows : undefined;
    });
    assert.deepEqual(payouts.map((row) => [row['kind'], nameOf(row['order_id']), row['amount_usd']]).sort(), [
      ['payout', 'completed', '9.00'],
      ['payout', 'machine', '10.00'],
      ['refund', 'refunded', '10.00'],
    ]);
    assert.ok(payouts.every((row) => String(row['tx_hash']).length > 60));
  });

  test('public figures show held and owed amounts per network, as last read from the chain, and that they are covered', async () => {
    const { database, chains } = stage.market;
    await readTreasuries({ database, chains, log: silent });
    // Base: two orders of 10 in escrow, fees of 1 and 1; Solana: everything went back.
    const held = await until('the reading being shown', async () => {
      const answer = await read('/api/stats/held');
      return answer['networks'].length === 3 && answer['owed_usd'] === '20.00' ? answer : undefined;
    });
    const base = held['networks'].find((row: Envelope) => row['network'] === 'base-mainnet');
    assert.deepEqual(
      [base.held_usd, base.booked_usd, base.owed_usd, base.owed.escrow_usd, base.own_usd],
      ['22.00', '22.00', '20.00', '20.00', '2.00'],
    );
    const solana = held['networks'].find((row: Envelope) => row['network'] === 'solana-mainnet');
    assert.deepEqual([solana.held_usd, solana.owed_usd, solana.covered], ['0.00', '0.00', true]);
    assert.equal(held['covered'], true);
    assert.match(base.read_at, /^\d{4}-/);
  });

  test('public figures omit the feed entries of a hidden agent, and keep its payments without its name', async () => {
    const { market, provider, serviceId } = stage;
    const setActive = async (active: boolean) =>
      await expectCall(market.url, 200, `PATCH /api/agents/${provider.id}/active`, {
        headers: asHeaders(await signed(provider.owner)),
        body: { active },
      });
    await setActive(false);
    const { events } = await read('/api/metrics/activity?limit=99');
    assert.deepEqual(
      events.map((event: Envelope) => event['type']),
      ['registration'],
    );
    const payments = (await read('/api/explorer/payments?limit=99')) as unknown as Envelope[];
    assert.equal(payments.length, 5);
    assert.ok(!JSON.stringify(payments).includes(provider.name) && !JSON.stringify(payments).includes(serviceId));
    await setActive(true);
  });

  test('public figures stay the same when finished days are summed, also repeatedly', async () => {
    const { db } = stage.market.database;
    const figures = async () => ({ all: await readAllTime(db), buyers: (await readSupply(db)).buyers });
    const before = await figures();
    const [today] = await readDays(db, 1);
    await sumFinishedDays(db);
    assert.deepEqual(await figures(), before, 'an unfinished day is left alone');
    await advanceClock(stage.market.url, 36 * 3600);
    await sumFinishedDays(db);
    await sumFinishedDays(db);
    // The job may be summing the same days now.
    await until('the days being summed', async () => {
      const summed = await stage.market.database.pool.query('select sum(placed)::int as placed from daily_figures');
      return summed.rows[0].placed === 5 ? true : undefined;
    });
    const later = await figures();
    assert.deepEqual([later.all.paid, later.all.paidMicros, later.buyers], [before.all.paid, before.all.paidMicros, before.buyers]);
    const days = await readDays(db, 3);
    assert.ok(days.some((row) => row.day === today?.day && row.placed === 5n));
  });
});
