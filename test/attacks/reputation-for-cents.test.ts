/**
 * Reputation, ranks and trending against a buyer with many wallets and little money. Orders are inserted as records; the market's
 * follower counts them and its API shows them. docs/decisions/0074 lists what a seller of each size loses to 5 USDC of real bad orders.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { reputationScore } from '@market/contract';
import { auditFigures } from '../../packages/server/src/features/audit/index.ts';
import { untilHandled } from '../harness/events.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { type RecordedOrder, recordOrders, recordSellers, sellerId, serviceOf } from '../harness/recorded-orders.ts';

const USDC = 1_000_000;
const CENT = 10_000;

let buyers = 0;
const freshWallet = (): string => `0xbuyer${++buyers}`;

suite('reputation for cents', () => {
  let market: TestMarket;
  let sellers = 0;
  before(async () => {
    market = await openMarket(withChains);
  });
  after(() => market.close());

  async function newSeller(): Promise<number> {
    sellers += 1;
    await recordSellers(market.database.pool, sellers, sellers);
    return sellers;
  }
  async function buy(orders: readonly RecordedOrder[]): Promise<void> {
    await recordOrders(market.database.pool, orders);
    await untilHandled(market.database.pool);
  }
  const read = async (path: `/api/${string}`): Promise<Envelope> => await expectCall(market.url, 200, `GET ${path}`);
  const reputationOf = async (seller: number): Promise<Envelope> => await read(`/api/agents/${sellerId(seller)}/reputation`);
  const idsAt = async (path: `/api/${string}`): Promise<string[]> =>
    (await call(market.url, `GET ${path}`)).body['data'].map((row: Envelope) => row['id']);
  /** Orders of which `share` went well; each buyer buys once. */
  const honest = (seller: number, count: number, share = 1, more: Partial<RecordedOrder> = {}): RecordedOrder[] =>
    Array.from({ length: count }, (_, n) => ({
      seller,
      buyer: freshWallet(),
      priceMicros: 10 * USDC,
      rating: Math.floor((n + 1) * share) > Math.floor(n * share) ? 5 : 2,
      daysAgo: 1 + (n % 25),
      ...more,
    }));

  test('Y02: seven fresh wallets with three orders of 0.01 USDC each buy no score and no rank', async () => {
    const [good, fake] = [await newSeller(), await newSeller()];
    await buy(honest(good, 12));
    const wallets = Array.from({ length: 7 }, freshWallet);
    await buy(wallets.flatMap((buyer) => [1, 2, 3].map(() => ({ seller: fake, buyer, priceMicros: CENT, rating: 5, daysAgo: 0.5 }))));
    const [theirs, bought] = [await reputationOf(good), await reputationOf(fake)];
    assert.deepEqual([theirs['score'], bought['score']], [0.816, null]);
    assert.deepEqual(
      [bought['weighted_orders'], bought['buyers'], bought['repeat_buyers'], bought['timed_orders'], bought['first_response_seconds']],
      [0, 0, 0, 0, null],
      'nothing in the reputation',
    );
    assert.deepEqual([bought['completed_orders'], bought['settled_orders']], [21, 21], 'they still count as completed');
    for (const list of ['/api/agents', '/api/agents?sortBy=rating', '/api/leaderboard/agents'] as const)
      assert.deepEqual((await idsAt(list)).slice(0, 2), [sellerId(good), sellerId(fake)], list);
    for (const sortBy of ['popular', 'rating'])
      assert.deepEqual((await idsAt(`/api/services?sortBy=${sortBy}`)).slice(0, 2), [serviceOf(good), serviceOf(fake)], sortBy);
  });

  test('Y03: six one-star orders of 0.011 USDC do not lower the score of a rival', async () => {
    const rival = await newSeller();
    await buy(honest(rival, 12));
    const before = await reputationOf(rival);
    await buy(Array.from({ length: 6 }, () => ({ seller: rival, buyer: freshWallet(), priceMicros: 11_000, rating: 1, daysAgo: 0.5 })));
    const after = await reputationOf(rival);
    for (const part of ['score', 'weighted_orders', 'weighted_good_orders', 'rating_bound', 'on_time_rate', 'buyers'])
      assert.equal(after[part], before[part], part);
    assert.equal(after['score'], 0.816);
  });

  test('Y04: one wallet with twelve orders of 0.01 USDC leads no list, and with twelve of 5 USDC counts as three', async () => {
    const [busy, pushed, paid] = [await newSeller(), await newSeller(), await newSeller()];
    await buy(honest(busy, 5, 1, { daysAgo: 2 }));
    const [wallet, rich] = [freshWallet(), freshWallet()];
    await buy(Array.from({ length: 12 }, () => ({ seller: pushed, buyer: wallet, priceMicros: CENT, daysAgo: 0.1 })));
    await buy(Array.from({ length: 12 }, () => ({ seller: paid, buyer: rich, priceMicros: 5 * USDC, daysAgo: 0.1 })));
    const { services } = await read('/api/x402/trending?window_days=30');
    const [of, bought] = [busy, paid].map((seller) => services.find((row: Envelope) => row['service_id'] === serviceOf(seller)));
    assert.equal(
      services.find((row: Envelope) => row['service_id'] === serviceOf(pushed)),
      undefined,
      'a service without an order that weighs',
    );
    // 5 + 2·5 + 5·(1 − 2/30), and 3 + 2·1 + 3·(1 − 0.1/30).
    assert.ok(Math.abs(of.score - 19.667) < 0.01, of.score);
    assert.ok(Math.abs(bought.score - 7.99) < 0.01, bought.score);
    assert.deepEqual([bought.order_count, bought.distinct_buyers], [12, 1]);
    const board = (await idsAt('/api/leaderboard/agents')).filter((id) => [busy, pushed, paid].map(sellerId).includes(id));
    assert.deepEqual(board.at(-1), sellerId(pushed));
    assert.equal((await reputationOf(paid))['weighted_orders'], 3);
  });

  test('Y04: a wallet that belongs to an account is the same buyer in trending as in the reputation', async () => {
    const seller = await newSeller();
    const { pool } = market.database;
    const wallets = [freshWallet(), freshWallet(), freshWallet()];
    await pool.query(`insert into users (id, username) values ('many-wallets', 'many-wallets')`);
    await pool.query(
      `insert into user_wallets (id, user_id, address, chain, proof) select w, 'many-wallets', w, 'base', 'signature' from unnest($1::text[]) w`,
      [wallets],
    );
    await buy(wallets.flatMap((buyer) => [1, 2].map(() => ({ seller, buyer, priceMicros: 5 * USDC, daysAgo: 0.1 }))));
    const { services } = await read('/api/x402/trending');
    const row = services.find((one: Envelope) => one['service_id'] === serviceOf(seller));
    assert.deepEqual([row.order_count, row.distinct_buyers, (await reputationOf(seller))['weighted_orders']], [6, 1, 3]);
  });

  /**
   * A hundred honest sellers, and an attacker with 5 USDC in 200 fresh wallets. One in ten honest orders goes wrong with 2 stars; of large
   * sellers one in a hundred. Ranks are places of a hundred, scores thousandths: 1% is one place, or ten thousandths.
   */
  suite('Y02, Y03, Y04: 200 wallets with 5 USDC among a hundred honest sellers', () => {
    /** Orders of each seller: 90 small sellers from 3 on, ten large ones. */
    const SIZES = Array.from({ length: 100 }, (_, n) => (n < 90 ? 3 + n : 180 + 10 * (n - 90)));
    const PURSE = 5 * USDC;
    const WALLETS = 200;
    let first: number;
    let sizeOf: ReadonlyMap<string, number>;
    before(async () => {
      first = sellers + 1;
      sellers += SIZES.length;
      await recordSellers(market.database.pool, first, sellers);
      sizeOf = new Map(SIZES.flatMap((size, n) => [[sellerId(first + n), size] as const, [serviceOf(first + n), size] as const]));
      const orders = SIZES.flatMap((size, n) =>
        honest(first + n, size, size > 100 ? 0.99 : 0.9, { daysAgo: 0.2 }).map((order, at) => ({
          ...order,
          priceMicros: (5 + ((at + n) % 7)) * USDC,
          daysAgo: at % 4 === 0 ? 0.2 + n / 1000 : 1 + ((at * 7 + n) % 80),
        })),
      );
      await buy(orders);
    });

    interface Standing {
      /** List → the honest sellers on it, in order. */
      readonly places: ReadonlyMap<string, readonly string[]>;
      /** Agent → score in thousandths. */
      readonly scores: ReadonlyMap<string, number>;
    }
    async function standing(): Promise<Standing> {
      const places = new Map<string, readonly string[]>();
      const scores = new Map<string, number>();
      const lists = {
        popular: '/api/agents?limit=100',
        rating: '/api/agents?sortBy=rating&limit=100',
        board: '/api/leaderboard/agents?limit=100',
        services: '/api/services?sortBy=popular&limit=100',
        rated: '/api/services?sortBy=rating&limit=100',
        search: '/api/search/services?q=proofreading&limit=50',
        trending: '/api/x402/trending?limit=50',
      } as const;
      for (const [name, path] of Object.entries(lists)) {
        const { data } = (await call(market.url, `GET ${path}`)).body;
        const rows: Envelope[] = name === 'search' ? data.hits.map((hit: Envelope) => hit['service']) : (data.services ?? data);
        places.set(
          name,
          rows.map((row) => row['service_id'] ?? row['id']),
        );
      }
      for (const id of sizeOf.keys())
        if (id.startsWith('ext_')) scores.set(id, Math.round(1000 * (await read(`/api/agents/${id}/reputation`))['score']));
      return { places, scores };
    }
    /** The most places that sellers lost without being a target, and the thousandths that each seller lost. */
    function lost(from: Standing, to: Standing, victims: readonly number[] = []): { places: number; scores: Map<string, number> } {
      const aimedAt = new Set(victims.flatMap((seller) => [sellerId(seller), serviceOf(seller)]));
      let places = 0;
      for (const [name, list] of from.places) {
        const now = to.places.get(name) ?? [];
        for (const [at, id] of list.entries()) {
          if (!sizeOf.has(id) || aimedAt.has(id)) continue;
          const found = now.indexOf(id);
          // One more row above the end of a page pushes the last row off.
          places = Math.max(places, (found === -1 ? now.length : found) - at);
        }
      }
      const scores = new Map([...from.scores].map(([id, score]) => [id, score - (to.scores.get(id) ?? 0)] as const));
      return { places, scores };
    }
    const sellerOf = (size: number): number => first + SIZES.indexOf(size);
    const lostBy = ({ scores }: ReturnType<typeof lost>, sizes: readonly number[]) =>
      sizes.map((size) => scores.get(sellerId(sellerOf(size))));
    const bombs = (seller: number, count: number, micros: number): RecordedOrder[] =>
      Array.from({ length: count }, () => ({ seller, buyer: freshWallet(), priceMicros: micros, rating: 1, late: true, daysAgo: 0.1 }));

    test('5 USDC spread over 200 wallets move no rank and no score', async () => {
      const from = await standing();
      const puppet = await newSeller();
      const half = WALLETS / 2;
      const micros = PURSE / WALLETS;
      const praise = Array.from({ length: half }, () => ({
        seller: puppet,
        buyer: freshWallet(),
        priceMicros: micros,
        rating: 5,
        daysAgo: 0.05,
      }));
      await buy([...praise, ...Array.from({ length: half }, (_, n) => bombs(first + n, 1, micros)).flat()]);
      const change = lost(from, await standing());
      assert.deepEqual([change.places, Math.max(...change.scores.values()), (await reputationOf(puppet))['score']], [0, 0, null]);
    });

    test('5 USDC as praise for an own agent gain one place of a hundred, even if its earnings buy again until fees used them up', async () => {
      const from = await standing();
      const puppet = await newSeller();
      // The fee is a tenth; below 1 USDC an order weighs nothing.
      for (let rest = PURSE; rest >= USDC; rest = Math.floor(rest * 0.9))
        await buy([{ seller: puppet, buyer: freshWallet(), priceMicros: rest, rating: 5, daysAgo: 0.05 }]);
      const change = lost(from, await standing());
      assert.ok(change.places <= 1, `${change.places} places`);
      assert.ok(Math.max(...change.scores.values()) <= 0);
      const bought = await reputationOf(puppet);
      assert.ok(bought['weighted_orders'] < 9, `${bought['weighted_orders']} orders for the fees of 5 USDC`);
    });

    test('5 USDC as five one-star orders for different sellers move sellers with 30 orders and more by at most 1%', async () => {
      const from = await standing();
      const sizes = [230, 60, 40, 30, 10];
      const victims = sizes.map(sellerOf);
      await buy(victims.flatMap((seller) => bombs(seller, 1, USDC)));
      const change = lost(from, await standing(), victims);
      assert.ok(change.places <= 1, `${change.places} places`);
      assert.deepEqual(lostBy(change, sizes), [1, 4, 6, 7, 18], 'thousandths');
    });

    test('5 USDC as one bad order move a large seller by at most 1%, and a small one by one bad order and no more', async () => {
      const from = await standing();
      const sizes = [240, 200, 61, 31, 11];
      const victims = sizes.map(sellerOf);
      for (const seller of victims) {
        const before = await reputationOf(seller);
        await buy(bombs(seller, 1, PURSE));
        const after = await reputationOf(seller);
        const expected = reputationScore(1000 * before['weighted_orders'] + 1000, Math.round(1000 * before['weighted_good_orders']));
        assert.equal(after['score'], expected, `seller ${seller}`);
      }
      const change = lost(from, await standing(), victims);
      assert.ok(change.places <= 1, `${change.places} places`);
      assert.deepEqual(lostBy(change, sizes), [6, 7, 16, 29, 60], 'thousandths');
    });
  });

  test('the reputation figures agree with the event log', async () => {
    assert.deepEqual((await auditFigures(market.database)).findings, []);
  });
});
