/** Notifications: both sides of an order get every step once, and read only their own. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { deliverEvent, redeliverEvents, untilHandled } from '../harness/events.ts';
import { asQuery, type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  BRIEF,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  untilStatus,
} from '../harness/orders.ts';
import { asHeaders, baseWallet, linkWallet, signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

suite('notifications', () => {
  let market: TestMarket;
  let provider: Provider;
  let buyer: Buyer;
  let admin: CallOptions;
  before(async () => {
    market = await openMarket(withOwnChains);
    admin = { key: await tokenFor(market.url, { email: 'root@example.com', admin: true }) };
  });
  after(() => market.close());

  const by = async (wallet: TestWallet): Promise<CallOptions> => ({ headers: asHeaders(await signed(wallet)) });
  const list = (who: CallOptions, query: object = {}): Promise<Reply> => call(market.url, `GET /api/notifications${asQuery(query)}`, who);
  const markRead = (who: CallOptions, body: object = {}): Promise<Reply> => call(market.url, 'PATCH /api/notifications', { ...who, body });
  /** Notifications of one order, oldest first. */
  const heard = async (who: CallOptions, order: string): Promise<Envelope[]> =>
    (await list(who, { limit: 100 })).body['data'].filter((row: Envelope) => row['order_id'] === order).reverse();
  const types = (rows: readonly Envelope[]): string[] => rows.map((row) => row['type']);
  const bodyOf = (rows: readonly Envelope[], type: string): string => rows.find((row) => row['type'] === type)?.['body'];

  async function bothSides(order: string): Promise<{ buyer: string[]; provider: string[] }> {
    await untilHandled(market.database.pool);
    return { buyer: types(await heard(await by(buyer), order)), provider: types(await heard(await by(provider.owner), order)) };
  }
  async function openSides(): Promise<string> {
    provider = await openProvider(market.url);
    buyer = await openBuyer(market, 'base-mainnet');
    return await listService(market.url, provider);
  }
  async function untilPaidOut(order: string, purpose: 'payout' | 'refund'): Promise<void> {
    await until(`the ${purpose}`, async () => {
      const { rows } = await market.database.pool.query(
        `select 1 from payouts where subject_id = $1 and purpose = $2 and state = 'confirmed'`,
        [order, purpose],
      );
      return rows.length > 0 ? true : undefined;
    });
  }

  test('a quoted order notifies each side once of every step, in order, until payout and review', async () => {
    await openSides();
    const service = await listService(market.url, provider, { price_type: 'quote', price_usd: '0' });
    const order = await placeOrder(market.url, service, buyer);
    const asProvider = (path: string, body: object) =>
      expectCall(market.url, 200, `POST /api/orders/${order}/${path}`, { ...provider, body });
    const asBuyer = async (path: string, body: object) =>
      expectCall(market.url, 200, `POST /api/orders/${order}/${path}`, { ...(await by(buyer)), body });
    await asProvider('quote', { price_usd: '20.00' });
    assert.equal((await act(market.url, order, buyer, 'accept')).status, 200);
    await payOrder(market.url, order, buyer);
    await asProvider('start', {});
    await asBuyer('messages', { content: 'Is page two part of it?' });
    await asProvider('messages', { content: 'It is.' });
    assert.equal((await deliver(market.url, order, provider)).status, 200);
    assert.equal((await act(market.url, order, buyer, 'revision', { feedback: 'The last page is missing.' })).status, 200);
    assert.equal((await deliver(market.url, order, provider)).status, 200);
    assert.equal((await act(market.url, order, buyer, 'approve')).status, 200);
    await untilPaidOut(order, 'payout');
    await asBuyer('review', { rating: 4, comment: 'Careful work.' });

    assert.deepEqual(await bothSides(order), {
      buyer: ['order_quoted', 'order_started', 'order_message', 'order_delivered', 'order_revision', 'order_delivered', 'order_completed'],
      provider: [
        'provider_order_received',
        'provider_order_accepted',
        'provider_order_paid',
        'provider_order_message',
        'provider_revision_requested',
        'provider_order_completed',
        'provider_payout_sent',
        'provider_order_reviewed',
      ],
    });
    const [toBuyer, toOwner] = [await heard(await by(buyer), order), await heard(await by(provider.owner), order)];
    assert.deepEqual(types(await heard(provider, order)), types(toOwner), 'the agent reads the same with its key');
    assert.match(bodyOf(toBuyer, 'order_quoted'), /20\.00 USDC/);
    assert.match(bodyOf(toOwner, 'provider_order_paid'), /20\.00 USDC on Base is held/);
    assert.match(bodyOf(toOwner, 'provider_revision_requested'), /The last page is missing\./);
    assert.match(bodyOf(toOwner, 'provider_order_completed'), /18\.00 USDC on Base is released to you/);
    assert.match(bodyOf(toOwner, 'provider_order_message'), /Is page two part of it\?/);
    assert.deepEqual(
      [toBuyer[0]?.['wallet'], toBuyer[0]?.['user_id'], toBuyer[0]?.['agent_id'], toBuyer[0]?.['read']],
      [buyer.address, null, null, 0],
    );
  });

  test('a cancelled paid order notifies both sides of the refund, and the buyer of its arrival', async () => {
    const order = await placeOrder(market.url, await openSides(), buyer);
    await payOrder(market.url, order, buyer);
    assert.equal((await act(market.url, order, buyer, 'cancel')).status, 200);
    await untilPaidOut(order, 'refund');
    assert.deepEqual(await bothSides(order), {
      buyer: ['order_cancelled', 'order_refund_sent'],
      provider: ['provider_order_received', 'provider_order_paid', 'provider_order_cancelled'],
    });
    assert.match(bodyOf(await heard(await by(buyer), order), 'order_cancelled'), /10\.00 USDC on Base is refunded to the wallet that paid/);
  });

  test('the notification of an order declined before payment says that nothing was paid', async () => {
    const order = await placeOrder(market.url, await openSides(), buyer);
    await expectCall(market.url, 200, `PATCH /api/orders/${order}`, { ...provider, body: { action: 'decline' } });
    assert.deepEqual(await bothSides(order), {
      buyer: ['order_cancelled'],
      provider: ['provider_order_received', 'provider_order_cancelled'],
    });
    assert.match(bodyOf(await heard(await by(buyer), order), 'order_cancelled'), /declined .* Nothing was paid\./);
  });

  test('a dispute notifies both sides when it is opened, withdrawn, reopened, argued and ruled, with each side’s share', async () => {
    const order = await placeOrder(market.url, await openSides(), buyer);
    await payOrder(market.url, order, buyer);
    assert.equal((await deliver(market.url, order, provider)).status, 200);
    await expectCall(market.url, 200, `PATCH /api/orders/${order}`, { ...provider, body: { action: 'allow_revision' } });
    for (const action of ['dispute', 'withdraw_dispute', 'dispute']) {
      const reply = await act(market.url, order, buyer, action, action === 'dispute' ? { reason: 'Two accounts are missing.' } : {});
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    }
    const statement = { statement: 'They were not in the export.' };
    await expectCall(market.url, 200, `POST /api/orders/${order}/dispute/statements`, { ...provider, body: statement });
    const ruling = { ruling: 'split', refund_usd: '4.00', reason: 'One of them was there, one was not.' };
    await expectCall(market.url, 200, `POST /api/admin/orders/${order}/rule`, { ...admin, body: ruling });
    await untilPaidOut(order, 'payout');
    await untilPaidOut(order, 'refund');
    const told = await bothSides(order);
    assert.deepEqual(told.buyer, [
      'order_delivered',
      'order_revision_allowed',
      'order_dispute_stated',
      'order_dispute_ruled',
      'order_completed',
      'order_refund_sent',
    ]);
    assert.deepEqual(told.provider, [
      'provider_order_received',
      'provider_order_paid',
      'provider_order_disputed',
      'provider_dispute_withdrawn',
      'provider_order_disputed',
      'provider_dispute_ruled',
      'provider_order_completed',
      'provider_payout_sent',
    ]);
    assert.match(bodyOf(await heard(await by(buyer), order), 'order_completed'), /4\.00 USDC on Base is refunded to you/);
    assert.match(bodyOf(await heard(provider, order), 'provider_order_completed'), /5\.40 USDC on Base is released to you/);
  });

  test('notifications of a reverted or restored payment and of a stuck payout go to the sides concerned', async () => {
    const order = await placeOrder(market.url, await openSides(), buyer);
    const network = 'base-mainnet';
    const transfer = {
      payout_id: 'pay_x',
      network,
      destination: '0x',
      amount_micros: '9000000',
      reference: null,
      reason: 'the address cannot receive USDC',
    };
    for (const [type, data] of [
      ['payment.reverted', { network, reference: '0x', purpose: 'order' }],
      ['payment.restored', { network, reference: '0x', purpose: 'order' }],
      ['payout.parked', { ...transfer, purpose: 'payout' }],
      ['payout.parked', { ...transfer, purpose: 'refund' }],
    ] as const) {
      await deliverEvent(market.database.pool, { type, subjectId: order, data });
    }
    assert.deepEqual(await bothSides(order), {
      buyer: ['order_payment_reverted', 'order_payment_restored', 'order_refund_delayed'],
      provider: ['provider_order_received', 'provider_payment_reverted', 'provider_payment_restored', 'provider_payout_delayed'],
    });
    assert.match(
      bodyOf(await heard(provider, order), 'provider_payout_delayed'),
      /9\.00 USDC on Base .* is delayed: the address cannot receive USDC\./,
    );
  });

  test('a reverted payment that belongs to no order creates no notification', async () => {
    const before = await market.database.pool.query('select count(*)::int as count from notifications');
    await deliverEvent(market.database.pool, {
      type: 'payment.reverted',
      subjectId: 'eip155:8453/0xabc',
      data: { network: 'base-mainnet', reference: '0xabc', purpose: null },
    });
    await untilHandled(market.database.pool);
    assert.deepEqual((await market.database.pool.query('select count(*)::int as count from notifications')).rows, before.rows);
  });

  test('an account with a wallet gets one notification for both; a buying agent and its owner get one each', async () => {
    const service = await openSides();
    const wallet = baseWallet();
    const token = await tokenFor(market.url, { email: 'both@example.com' });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
    await linkWallet(market.url, token, wallet);
    const body = { service_id: service, brief: BRIEF };
    const ofAccount = (
      await expectCall(market.url, 200, 'POST /api/orders', { key: token, body: { ...body, client_wallet: wallet.address } })
    )['id'];
    const owner = baseWallet();
    const agent = await registerOwnedAgent(market.url, owner);
    const ofAgent = (await expectCall(market.url, 200, 'POST /api/orders', { key: agent.key, body }))['id'];
    for (const order of [ofAccount, ofAgent]) {
      await expectCall(market.url, 200, `PATCH /api/orders/${order}`, { ...provider, body: { action: 'decline' } });
    }
    await untilHandled(market.database.pool);

    const [row, ...more] = await heard({ key: token }, ofAccount);
    assert.deepEqual(more, []);
    assert.equal(row?.['wallet'], wallet.address);
    assert.ok(row?.['user_id']);
    assert.deepEqual((await heard(await by(wallet), ofAccount))[0]?.['id'], row?.['id']);
    const [toAgent, toOwner] = [await heard({ key: agent.key }, ofAgent), await heard(await by(owner), ofAgent)];
    assert.deepEqual([toAgent.length, toAgent[0]?.['agent_id'], toAgent[0]?.['wallet']], [1, agent.id, null]);
    assert.deepEqual([toOwner.length, toOwner[0]?.['agent_id'], toOwner[0]?.['wallet']], [1, null, owner.address]);
  });

  test('A03, E54: notifications are paged, counted, filtered and marked as read by their reader only', async () => {
    const service = await openSides();
    const reason = 'the address has no account';
    const parked = { purpose: 'payout', network: 'base-mainnet', amount_micros: '9000000', reason };
    for (let n = 0; n < 34; n++) {
      const subjectId = await placeOrder(market.url, service, baseWallet());
      await deliverEvent(market.database.pool, { type: 'payout.parked', subjectId, data: parked });
    }
    await untilHandled(market.database.pool);
    const owner = await by(provider.owner);
    const first = await list(owner);
    // One more, because the unpaid orders themselves share a notification.
    assert.deepEqual([first.body['data'].length, first.body['total'], first.body['unread_count']], [30, 35, 35]);
    const second = await list(owner, { cursor: first.body['next_cursor'] });
    const ids: string[] = [...first.body['data'], ...second.body['data']].map((row: Envelope) => row['id']);
    assert.deepEqual([new Set(ids).size, second.body['next_cursor']], [35, null]);

    const stranger = await by(baseWallet());
    assert.deepEqual((await list(stranger)).body['data'], []);
    assert.deepEqual((await markRead(stranger, { ids: ids.slice(0, 3) })).body['data'], { unread_count: 0 });
    assert.deepEqual((await markRead(owner, { ids: [...ids.slice(0, 3), 'notif_of_somebody', 'x'] })).body['data'], { unread_count: 32 });
    const unread = await list(owner, { unread: 'true', limit: 100 });
    assert.deepEqual([unread.body['total'], unread.body['data'].some((row: Envelope) => row['read'] === 1)], [32, false]);
    assert.equal((await list(owner, { unread: 'false' })).body['total'], 35);
    assert.equal((await list(provider)).body['unread_count'], 35, 'the agent’s own rows are not its owner’s');

    const { order_id: orderId } = unread.body['data'][0];
    assert.deepEqual((await markRead(stranger, { order_id: orderId })).body['data'], { unread_count: 0 });
    assert.deepEqual((await markRead(owner, { order_id: orderId })).body['data'], { unread_count: 31 });
    assert.deepEqual((await markRead(owner, { ids: [] })).body['data'], { unread_count: 0 });
    assert.deepEqual((await markRead(provider)).body['data'], { unread_count: 0 });
    assert.equal((await list({})).status, 401);
    assert.equal((await markRead({})).status, 401);
    for (const query of [{ limit: 0 }, { unread: 'maybe' }, { cursor: 'bm9uc2Vuc2U' }])
      assert.equal((await list(owner, query)).status, 400);
    for (const wrong of [{ order_id: 'x' }, { ids: 'all' }, { ids: [1] }, { ids: Array(1001).fill('x') }])
      assert.equal((await markRead(owner, wrong)).status, 400);
  });

  test('no notification is repeated when an event is handled again', async () => {
    const count = async (): Promise<number> =>
      (await market.database.pool.query('select count(*)::int as count from notifications')).rows[0].count;
    await untilHandled(market.database.pool);
    const before = await count();
    assert.ok(before > 50);
    await redeliverEvents(market.database.pool, 'notifications');
    await untilHandled(market.database.pool);
    assert.equal(await count(), before);
  });

  test('notifications warn of an overdue order and report its cancellation; read ones are deleted after 90 days', async () => {
    const order = await placeOrder(market.url, await openSides(), buyer);
    await payOrder(market.url, order, buyer);
    await advanceClock(market.url, 48 * 3600 + 60);
    await until('the warning', async () => ((await bothSides(order)).buyer.length > 0 ? true : undefined));
    await advanceClock(market.url, 24 * 3600);
    await untilStatus(market.url, order, buyer, 'cancelled');
    await untilPaidOut(order, 'refund');
    assert.deepEqual(await bothSides(order), {
      buyer: ['order_deadline_near', 'order_cancelled', 'order_refund_sent'],
      provider: ['provider_order_received', 'provider_order_paid', 'provider_deadline_near', 'provider_order_cancelled'],
    });
    const [oldest] = await heard(await by(buyer), order);
    await markRead(await by(buyer), { ids: [oldest?.['id']] });
    await advanceClock(market.url, 89 * 24 * 3600);
    await advanceClock(market.url, 2 * 24 * 3600);
    await until('the removal', async () => ((await list(await by(buyer))).body['total'] === 2 ? true : undefined));
    assert.equal((await list(await by(buyer))).body['unread_count'], 2);
  });
});
