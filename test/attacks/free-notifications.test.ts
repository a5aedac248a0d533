/** Notifications that strangers cause for nothing or for cents. Each could once fill the list of its recipient. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { claimBounty, postBounty, withdrawClaim } from '../harness/bounties.ts';
import { redeliverEvents, untilHandled, wakeFollowers } from '../harness/events.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, listService, openBuyer, openProvider, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, type TestWallet } from '../harness/people.ts';

suite('free notifications', () => {
  let market: TestMarket;
  let provider: Provider;
  let service: string;
  before(async () => {
    market = await openMarket(withChains);
    provider = await openProvider(market.url);
    service = await listService(market.url, provider);
  });
  after(() => market.close());

  const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
  const list = async (who: CallOptions, query: object = {}): Promise<Envelope> => {
    await untilHandled(market.database.pool);
    return (await call(market.url, `GET /api/notifications${asQuery({ limit: 100, ...query })}`, who)).body;
  };
  const ofType = (page: Envelope, type: string): Envelope[] => page['data'].filter((row: Envelope) => row['type'] === type);
  const markRead = async (who: CallOptions, body: object): Promise<number> =>
    (await expectCall(market.url, 200, 'PATCH /api/notifications', { ...who, body }))['unread_count'];

  test('Y14: unpaid orders of any number of wallets share one notification with their number and the latest of them', async () => {
    const owner = await by(provider.owner);
    const orders: string[] = [];
    for (let n = 0; n < 6; n++) orders.push(await placeOrder(market.url, service, baseWallet()));
    for (const who of [owner, provider]) {
      const page = await list(who);
      assert.deepEqual([page['total'], page['unread_count']], [1, 1]);
      const [row] = page['data'];
      assert.deepEqual([row.type, row.count, row.title, row.order_id], ['provider_order_received', 6, 'New order (6)', orders.at(-1)]);
      assert.match(row.body, /^“.+” was ordered for .+ Work begins when it is paid\. This is the latest of 6 of this kind\.$/);
    }
    const { rows } = await market.database.pool.query(`select 1 from events where type = 'order.created' and subject_id = any($1)`, [
      orders,
    ]);
    assert.equal(rows.length, 6, 'events stay one each');
    const feed = (await call(market.url, 'GET /api/events?limit=100', provider)).body;
    assert.equal(feed['data'].filter(({ event }: Envelope) => event === 'order.created').length, 6);
  });

  test('Y14: marking a notification as read spares what was added since; after it is read, the next event starts a new row', async () => {
    const owner = await by(provider.owner);
    const [seen] = ofType(await list(owner), 'provider_order_received');
    const latest = await placeOrder(market.url, service, baseWallet());
    await untilHandled(market.database.pool);
    assert.equal(await markRead(owner, { ids: [seen?.['id']] }), 1, 'the row that was seen has grown');
    assert.equal(await markRead(owner, { order_id: latest }), 1, 'it is not about this order alone');
    const [grown] = ofType(await list(owner), 'provider_order_received');
    assert.equal(grown?.['count'], 7);
    assert.equal(await markRead(owner, { ids: [grown?.['id']] }), 0);
    const next = await placeOrder(market.url, service, baseWallet());
    const page = await list(owner);
    assert.deepEqual(
      ofType(page, 'provider_order_received').map((row) => [row['count'], row['read'], row['order_id']]),
      [
        [1, 0, next],
        [7, 1, latest],
      ],
    );
    assert.equal(page['data'][0].title, 'New order');
    assert.equal(await markRead(owner, { order_id: next }), 0, 'one that stands alone is about its order');
  });

  test('Y14: a repeated event is not counted again in a notification, read or not', async () => {
    const owner = await by(provider.owner);
    for (let n = 0; n < 3; n++) await placeOrder(market.url, service, baseWallet());
    const before = (await list(owner))['data'];
    await redeliverEvents(market.database.pool, 'notifications');
    assert.deepEqual((await list(owner))['data'], before);
  });

  test('Y14: cancellations of unpaid orders share one notification, too', async () => {
    const other = await openProvider(market.url);
    const offer = await listService(market.url, other);
    for (let n = 0; n < 3; n++) {
      const buyer = baseWallet();
      const order = await placeOrder(market.url, offer, buyer);
      assert.equal((await act(market.url, order, buyer, 'cancel')).status, 200);
    }
    const page = await list(await by(other.owner));
    assert.deepEqual(page['data'].map((row: Envelope) => [row['type'], row['count']]).sort(), [
      ['provider_order_cancelled', 3],
      ['provider_order_received', 3],
    ]);
  });

  test('Y14: a payment has its own notification among unpaid orders; payments below 1 USDC share one', async () => {
    const other = await openProvider(market.url);
    const [dear, cheap] = [await listService(market.url, other), await listService(market.url, other, { price_usd: '0.50' })];
    const buyer = await openBuyer(market, 'base-mainnet');
    const paid: string[] = [];
    for (const offer of [dear, cheap, cheap, cheap]) {
      for (let n = 0; n < 2; n++) await placeOrder(market.url, offer, baseWallet());
      const order = await placeOrder(market.url, offer, buyer);
      await payOrder(market.url, order, buyer);
      paid.push(order);
    }
    const rows = ofType(await list(await by(other.owner)), 'provider_order_paid');
    assert.deepEqual(
      rows.map((row) => [row['count'], row['order_id']]),
      [
        [3, paid[3]],
        [1, paid[0]],
      ],
    );
  });

  test('Y14: messages about an order below 1 USDC share one notification; those about a larger order have their own', async () => {
    const other = await openProvider(market.url);
    const buyer = await openBuyer(market, 'base-mainnet');
    for (const price_usd of ['0.50', '2.00']) {
      const order = await placeOrder(market.url, await listService(market.url, other, { price_usd }), buyer);
      await payOrder(market.url, order, buyer);
      for (let n = 0; n < 3; n++) {
        const body = { content: `Are you there? ${n}`, ...(await signed(buyer)) };
        const reply = await call(market.url, `POST /api/orders/${order}/messages`, { body });
        assert.equal(reply.body['success'], true, JSON.stringify(reply.body));
      }
    }
    const rows = ofType(await list(await by(other.owner)), 'provider_order_message');
    assert.deepEqual(
      rows.map((row) => row['count']),
      [1, 1, 1, 3],
    );
    assert.match(rows[3]?.['body'], /“Are you there\? 2” This is the latest of 3 of this kind\.$/);
  });

  test('Y14: claims of any number of agents on any bounty share one notification to its poster', async () => {
    const poster = baseWallet();
    const agents = [await openProvider(market.url), await openProvider(market.url), await openProvider(market.url)];
    const [first, second] = [await postBounty(market.url, poster), await postBounty(market.url, poster)];
    for (const agent of agents) await claimBounty(market.url, first.id, agent);
    await claimBounty(market.url, second.id, agents[0] as Provider);
    for (const agent of agents.slice(1)) assert.equal((await withdrawClaim(market.url, first.id, agent)).status, 200);
    const page = await list(await by(poster));
    assert.deepEqual(
      page['data'].map((row: Envelope) => [row['type'], row['count'], row['link']]),
      [
        ['bounty_claim_withdrawn', 2, `/bounties/${first.id}`],
        ['bounty_claimed', 4, `/bounties/${second.id}`],
      ],
    );
    assert.equal(page['unread_count'], 2);
  });

  test('Y14: refused presentations of transfers share one notification; an accepted one, which can be contested, has its own', async () => {
    const wallet = baseWallet();
    const present = async (outcome: 'accepted' | 'refused', n: number) =>
      await market.database.pool.query(
        `with told as (insert into events (type, subject_id, data, context) values ('payment.presented_bare', $1, $2, $3) returning id)
         insert into event_queue (follower, event_id) select 'notifications', id from told`,
        [
          `ref-${n}`,
          JSON.stringify({
            network: 'base-mainnet',
            reference: `0x${n}`,
            payer: wallet.address,
            purpose: 'order',
            outcome,
            ...(outcome === 'accepted' && { order_id: `ord_170000000000${n}_k3v9x1q7a` }),
            contestable_until: null,
          }),
          JSON.stringify({ owners: [`wallet:${wallet.address}`] }),
        ],
      );
    for (let n = 0; n < 5; n++) await present(n === 2 ? 'accepted' : 'refused', n);
    await wakeFollowers(market.database.pool);
    const rows = ofType(await list(await by(wallet)), 'payment_presented');
    assert.deepEqual(
      rows.map((row) => row['count']),
      [4, 1],
    );
    assert.match(rows[0]?.['body'], /0x4 of .+ and refused/);
  });

  test('Y14: two readers, one of whom reads while strangers continue, see each of fifty orders counted once', async () => {
    const other = await openProvider(market.url);
    const offer = await listService(market.url, other);
    const owner = await by(other.owner);
    let done = false;
    const reading = (async () => {
      while (!done) {
        const { body } = await call(market.url, 'GET /api/notifications?unread=true', owner);
        const ids = body['data'].map((row: Envelope) => row['id']);
        if (ids.length > 0) await markRead(owner, { ids });
      }
    })();
    try {
      for (let n = 0; n < 10; n++)
        await Promise.all(Array.from({ length: 5 }, async () => await placeOrder(market.url, offer, baseWallet())));
      await untilHandled(market.database.pool);
    } finally {
      done = true;
      await reading;
    }
    const sum = (page: Envelope) => page['data'].reduce((total: number, row: Envelope) => total + row['count'], 0);
    assert.equal(sum(await list(owner)), 50);
    const ofAgent = await list(other);
    assert.deepEqual([ofAgent['total'], sum(ofAgent)], [1, 50]);
  });
});
