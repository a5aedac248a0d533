/** Feeds of payable services: complete, sorted, fresh, and with the same offers as the endpoint. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { withBazaar } from '@x402/extensions/bazaar';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock, listService, openProvider, type Provider } from '../harness/orders.ts';

const feeds = ['/api/x402/services', '/api/x402/directory', '/discovery/resources', '/.well-known/x402', '/openapi.json'] as const;

function pathOf(address: string): `/${string}` {
  const { pathname, search } = new URL(address);
  return `${pathname as '/'}${search}`;
}

/** The service ids in a feed, in its order. */
async function idsIn(url: string, feed: (typeof feeds)[number]): Promise<string[]> {
  const { status, body } = await call(url, `GET ${feed}`);
  assert.equal(status, 200, JSON.stringify(body));
  const addresses: Record<(typeof feeds)[number], () => string[]> = {
    '/api/x402/services': () => body['data'].services.map((service: Envelope) => service['discover_url']),
    '/api/x402/directory': () => body['items'].map((item: Envelope) => item['resource']),
    '/discovery/resources': () => body['items'].map((item: Envelope) => item['resource']),
    '/.well-known/x402': () => body['resources'],
    '/openapi.json': () => Object.keys(body['paths']),
  };
  return addresses[feed]().map((address) => /\/discover\/([^?]+)/.exec(address)?.[1] ?? address);
}

describe('feeds of payable services', () => {
  let market: TestMarket;
  let provider: Provider;
  let cheap: string;
  let dear: string;
  before(async () => {
    market = await openMarket(withOwnChains);
    provider = await openProvider(market.url);
    cheap = await listService(market.url, provider, { price_usd: '0.011', title: 'A haiku', category: 'custom' });
    dear = await listService(market.url, provider, { price_usd: '5.00', title: 'A logo', category: 'image_gen' });
    await listService(market.url, provider, { price_type: 'quote', title: 'By quote', price_usd: '5.00' });
    await listService(market.url, provider, { price_type: 'weekly', title: 'By the week', price_usd: '5.00' });
    const gone = await listService(market.url, provider, { title: 'No longer offered' });
    await expectCall(market.url, 200, `DELETE /api/services/${gone}`, { headers: provider.headers });
  });
  after(async () => {
    await market.close();
  });

  for (const feed of feeds) {
    test(`${feed} lists every active service with a fixed price, and no other`, async () => {
      assert.deepEqual((await idsIn(market.url, feed)).sort(), [cheap, dear].sort());
    });

    test(`${feed} reflects every change at once, from any process`, async () => {
      const { url, database } = market;
      const changing = await listService(url, provider, { title: 'Here for a moment' });
      assert.ok((await idsIn(url, feed)).includes(changing));
      await expectCall(url, 200, `PATCH /api/services/${changing}`, { headers: provider.headers, body: { active: false } });
      assert.ok(!(await idsIn(url, feed)).includes(changing));
      // Changed by SQL, as another process would: the agent is taken off the market.
      await database.pool.query(`update agents set moderation_status = 'spam' where id = $1`, [provider.id]);
      assert.deepEqual(await idsIn(url, feed), []);
      await database.pool.query(`update agents set moderation_status = 'ok' where id = $1`, [provider.id]);
      assert.equal((await idsIn(url, feed)).length, 2);
    });

    test(`${feed} may be cached for 30 seconds`, async () => {
      const { headers } = await call(market.url, `GET ${feed}`);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=30$/);
    });
  }

  test('the x402 catalogue shows the same offers as the challenge', async () => {
    const { services } = await expectCall(market.url, 200, 'GET /api/x402/services');
    const listed = services.find((service: Envelope) => service['service_id'] === cheap);
    const { body } = await call(market.url, `GET /api/x402/discover/${cheap}`);
    assert.deepEqual(Object.values(listed.payments), body['accepts']);
    assert.deepEqual([listed.price_usd, listed.platform_fee_usd, listed.total_charged_usd], [0.011, 0.0011, 0.0121]);
    assert.equal(listed.payments.base.maxAmountRequired, '12100');
  });

  test('the x402 catalogue is filtered by category and narrowed to a network', async () => {
    const images = await expectCall(market.url, 200, 'GET /api/x402/services?category=image_gen&chain=solana');
    assert.deepEqual([images['total'], images['services'].map((service: Envelope) => service['service_id'])], [1, [dear]]);
    assert.deepEqual(Object.keys(images['services'][0].payments), ['solana']);
    assert.equal((await call(market.url, 'GET /api/x402/services?chain=dogecoin')).status, 400);
    assert.equal((await call(market.url, 'GET /api/x402/services?category=juggling')).status, 400);
    assert.equal((await call(market.url, 'GET /api/x402/services?cursor=nonsense')).body['code'], 'invalid_cursor');
  });

  test('X10: the x402 catalogue is sorted by completed orders, weighed by price, then by rating', async () => {
    const { url, database } = market;
    const liked = await listService(url, provider, { title: 'Liked' });
    const set = (id: string, completed: number, stars: number) =>
      database.pool.query('update services set completed_weight = $2, rating_rank = $3 where id = $1', [id, completed, stars]);
    await set(cheap, 3, 2);
    await set(dear, 9, 1);
    await set(liked, 3, 5);
    assert.deepEqual(await idsIn(url, '/api/x402/services'), [dear, liked, cheap]);
    await expectCall(url, 200, `DELETE /api/services/${liked}`, { headers: provider.headers });
  });

  test('both addresses of the x402 manifest return the same document, and each of its resources answers 402', async () => {
    const [plain, file] = await Promise.all([call(market.url, 'GET /.well-known/x402'), call(market.url, 'GET /.well-known/x402.json')]);
    assert.deepEqual(plain.body, file.body);
    assert.deepEqual([plain.body['x402Version'], plain.body['version'], plain.body['success']], [2, 1, undefined]);
    for (const resource of plain.body['resources']) assert.equal((await fetch(resource)).status, 402, resource);
    for (const link of Object.values<string>(plain.body['links'])) assert.equal((await fetch(link)).status, 200, link);
    assert.deepEqual(
      plain.body['items'].map((item: Envelope) => item['resource']),
      plain.body['resources'],
    );
  });

  test('the official x402 client lists our services like those of a facilitator', async () => {
    const client = withBazaar(new HTTPFacilitatorClient({ url: market.url }));
    const page = await client.extensions.bazaar.listResources({ type: 'http', limit: 1, offset: 1 });
    assert.deepEqual([page.x402Version, page.items.length, page.pagination.limit, page.pagination.offset], [2, 1, 1, 1]);
    const [item] = page.items;
    assert.ok(item !== undefined && Date.parse(item.lastUpdated) > 0);
    const challenge = await call(market.url, `GET ${pathOf(item.resource)}`);
    const header = JSON.parse(Buffer.from(challenge.headers.get('payment-required') ?? '', 'base64').toString('utf8'));
    const terms = ({ scheme, network, amount, payTo }: Envelope) => [scheme, network, amount, payTo].join(' ');
    assert.deepEqual(item.accepts.map((offer) => terms(offer as unknown as Envelope)).sort(), header.accepts.map(terms).sort());
  });

  test('an address of the x402 directory answers in the version that its entry states', async () => {
    const { body } = await call(market.url, 'GET /api/x402/directory');
    assert.deepEqual(body['data'].resources, body['items']);
    for (const { resource, accepts } of body['items']) {
      const challenge = await call(market.url, `GET ${pathOf(resource)}`);
      assert.deepEqual([challenge.status, challenge.body['accepts']], [402, accepts]);
    }
  });

  describe('the demand figures', () => {
    let orders = 0;
    /** Inserts an order as stored, without the steps that lead there. */
    async function record(service: string, more: Record<string, unknown> = {}): Promise<void> {
      orders += 1;
      const order = {
        id: `ord_1700000000000_${String(orders).padStart(9, '0')}`,
        service_id: service,
        provider_agent_id: provider.id,
        service_title: 'A service',
        price_type: 'fixed',
        turnaround_hours: 1,
        max_revisions: 0,
        brief: 'Do it.',
        status: 'completed',
        price_micros: 5_000_000,
        paid_micros: 5_000_000,
        payment_network: 'base-mainnet',
        payment_reference: `0x${orders}`,
        client_wallet: `0xbuyer${orders}`,
        paid_at: new Date((await market.database.pool.query('select market_now() as now')).rows[0].now),
        ...more,
      };
      const names = Object.keys(order);
      await market.database.pool.query(
        `insert into orders (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
        Object.values(order),
      );
      // Counts the order, as the figures do after its events.
      await market.database.pool.query(
        `insert into counted_orders (order_id, agent_id, service_id, buyer, kept_orders) select id, provider_agent_id, service_id, known_buyer(o), 1 from orders o where id = $1`,
        [order.id],
      );
      await market.database.pool.query('update services set total_orders = total_orders + 1 where id = $1', [service]);
    }
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

    test('the demand figures of x402 services count orders, distinct buyers and the age of each order', async () => {
      for (const client_wallet of ['0xa', '0xa', '0xb']) await record(dear, { client_wallet, paid_at: ago(15) });
      await record(cheap, { client_wallet: '0xc' });
      const { services, count } = await expectCall(market.url, 200, 'GET /api/x402/trending?window_days=30');
      assert.deepEqual(
        services.map((service: Envelope) => [service['service_id'], service['order_count'], service['distinct_buyers']]),
        [
          [dear, 3, 2],
          [cheap, 1, 1],
        ],
      );
      assert.equal(count, 2);
      // 3 + 2·2 + 3·(1 − 15/30), and 1 + 2·1 + 1·1.
      assert.ok(Math.abs(services[0].score - 8.5) < 0.01, services[0].score);
      assert.ok(Math.abs(services[1].score - 4) < 0.01, services[1].score);
    });

    test('X10: the demand figures of x402 services exclude unpaid, cancelled, related-party and older orders', async () => {
      const pushed = await listService(market.url, provider, { title: 'Pushed' });
      await record(pushed, { status: 'accepted', paid_micros: 0, payment_reference: null, paid_at: null });
      await record(pushed, { status: 'cancelled' });
      await record(pushed, { related_party: true });
      await record(pushed, { paid_at: ago(40) });
      const ids = async (query: string): Promise<string[]> =>
        (await expectCall(market.url, 200, `GET /api/x402/trending${query}`))['services'].map((service: Envelope) => service['service_id']);
      assert.ok(!(await ids('?window_days=29')).includes(pushed));
      assert.ok((await ids('?window_days=60')).includes(pushed));
      await expectCall(market.url, 200, `DELETE /api/services/${pushed}`, { headers: provider.headers });
      assert.ok(!(await ids('?window_days=60')).includes(pushed));
      assert.deepEqual(await ids('?limit=1'), [dear]);
    });

    test('the demand figures of x402 services decay with time', async () => {
      await advanceClock(market.url, 10 * 86_400);
      const { services } = await expectCall(market.url, 200, 'GET /api/x402/trending?window_days=20');
      assert.deepEqual(
        services.map((service: Envelope) => service['service_id']),
        [cheap],
      );
    });
  });
});

test('a market without an open network lists nothing in its x402 feeds', async () => {
  const market = await openMarket();
  try {
    await listService(market.url, await openProvider(market.url));
    for (const feed of feeds) assert.deepEqual(await idsIn(market.url, feed), [], feed);
  } finally {
    await market.close();
  }
});

describe('feeds of a large market', () => {
  let market: TestMarket;
  let payable: string[];
  before(async () => {
    market = await openMarket(withOwnChains);
    const { id } = await openProvider(market.url);
    await market.database.pool.query(
      `insert into services (id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours, total_orders,
                             completed_weight, rating_rank, rated_weight)
       select 'svc_1700000000000_' || lpad(n::text, 9, '0'), $1, 'service-' || n, 'seo', 'Service ' || n, 'One of many.', 10000 * (1 + n % 50),
              case when n % 10 = 3 then 'quote' else 'fixed' end, 1, n % 7, n % 7, (n % 5) * (n % 3), n % 3
       from generate_series(1, 1300) n`,
      [id],
    );
    const { rows } = await market.database.pool.query(
      `select id from services where listed and price_type = 'fixed' and price_micros > 0 order by completed_weight desc, rating_rank desc, id desc`,
    );
    payable = rows.map(({ id }) => id);
    assert.ok(payable.length > 1_000, `${payable.length} payable services are too few for this test`);
  });
  after(async () => {
    await market.close();
  });

  test('the pages of the x402 catalogue contain every service once, in order, and only the last page has no cursor', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Envelope = await expectCall(market.url, 200, `GET /api/x402/services?limit=200${cursor && `&cursor=${cursor}`}`);
      seen.push(...page['services'].map((service: Envelope) => service['service_id']));
      assert.deepEqual([page['total'], page['total_capped']], [1_000, true]);
      cursor = page['next_cursor'];
    }
    assert.deepEqual(seen, payable);
  });

  for (const [feed, next, names] of [
    ['/openapi.json', 'x-next', 'paths'],
    ['/.well-known/x402', 'next', 'items'],
  ] as const) {
    test(`the pages of ${feed} link to each other and contain every service once`, async () => {
      let count = 0;
      let pages = 0;
      for (let address: string | null | undefined = `${market.url}${feed}`; typeof address === 'string'; pages++) {
        const document: Envelope = (await (await fetch(address)).json()) as Envelope;
        count += Object.keys(document[names]).length;
        address = document[next];
      }
      assert.equal(count, payable.length);
      assert.ok(pages > 1);
    });
  }
});
