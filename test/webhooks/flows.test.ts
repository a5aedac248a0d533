/** The webhooks of every flow: in sequence, signed, with exactly the data of the specification, and no others. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { webhookRecorder } from '../../packages/server/src/features/webhooks/index.ts';
import { createEventLog } from '../../packages/server/src/platform/events/event-log.ts';
import { EVENTS_CHANNEL } from '../../packages/server/src/platform/events/event-repository.ts';
import { call, expectCall } from '../harness/http.ts';
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
  readOrder,
  untilStatus,
  untilTransferred,
} from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';
import { requireSigned } from './verify.ts';

const TITLE = 'Careful proofreading';

suite('the webhooks of every flow', () => {
  let market: TestMarket;
  let receiver: Receiver;
  let provider: Provider;
  let buyer: Buyer;
  let secret: string;
  before(async () => {
    market = await openMarket({ ...withOwnChains, OUTBOUND_ALLOW: '127.0.0.1' });
    receiver = await openReceiver();
    provider = await openProvider(market.url);
    buyer = await openBuyer(market, 'base-mainnet', 100_000_000n);
    secret = await setEndpoint(market.url, provider, `${receiver.url}/hook`);
  });
  after(async () => {
    await market.close();
    await receiver.close();
  });

  /** All webhooks about the order, once none is left to send. */
  async function heardOf(order: string): Promise<[event: string, data: unknown][]> {
    await until('all being sent', async () => {
      const { rows } = await market.database.pool.query(
        `select (select count(*) from webhook_queue)::int as queued, (select count(*) from event_queue)::int as untold`,
      );
      return rows[0].queued + rows[0].untold === 0 ? true : undefined;
    });
    const calls = receiver.received.filter(({ json }) => json['order_id'] === order);
    for (const one of calls) {
      requireSigned(one, secret);
      const { 'content-type': type, 'x-market-event': event, 'x-market-agent-id': agent } = one.headers;
      assert.deepEqual([one.method, one.path, type, event, agent], ['POST', '/hook', 'application/json', one.json['event'], provider.id]);
      assert.deepEqual(Object.keys(one.json), ['event', 'order_id', 'data']);
    }
    assert.equal(new Set(calls.map(({ headers }) => headers['x-market-delivery-id'])).size, calls.length, 'an id of its own each');
    return calls.map(({ json }) => [json['event'], json['data']]);
  }

  async function done(reply: Promise<{ status: number; body: object }>): Promise<void> {
    const { status, body } = await reply;
    assert.equal(status, 200, JSON.stringify(body));
  }

  async function say(order: string, content: string, by: 'buyer' | 'provider'): Promise<void> {
    const who = by === 'provider' ? { headers: provider.headers } : { headers: asHeaders(await signed(buyer)) };
    await done(call(market.url, `POST /api/orders/${order}/messages`, { ...who, body: { content } }));
  }

  test('D02, D03, D07: webhooks of a hire with a revision: created, paid, message, revision and completion, but none of the agent’s own actions', async () => {
    const { url } = market;
    const service = await listService(url, provider, { requirement_fields: [{ label: 'Language', type: 'text', required: true }] });
    const order = await placeOrder(url, service, buyer, { requirement_answers: { Language: 'English' } });
    await payOrder(url, order, buyer);
    await done(call(url, `POST /api/orders/${order}/start`, { headers: provider.headers }));
    await say(order, 'Is page two part of it?', 'buyer');
    await say(order, 'Yes.', 'provider');
    await done(deliver(url, order, provider));
    await done(act(url, order, buyer, 'revision', { feedback: 'The last page is missing.' }));
    await done(deliver(url, order, provider));
    await done(act(url, order, buyer, 'approve'));
    const created = {
      service_id: service,
      brief: BRIEF,
      requirement_answers: { Language: 'English' },
      status: 'quoted',
      service_title: TITLE,
    };
    const name = `${buyer.address.slice(0, 4)}...${buyer.address.slice(-4)}`;
    assert.deepEqual(await heardOf(order), [
      ['order.created', created],
      ['order.paid', { status: 'paid', service_title: TITLE }],
      ['order.message', { sender_type: 'client', sender_name: name, content: 'Is page two part of it?' }],
      ['order.revision_requested', { feedback: 'The last page is missing.', revision_count: 1, max_revisions: 3, is_extra: false }],
      ['order.completed', { payout_failed: false }],
    ]);
  });

  test('D01, D06: webhooks of a cancelled quote: created and cancelled, but not the quote', async () => {
    const { url } = market;
    const service = await listService(url, provider, { price_type: 'quote' });
    const order = await placeOrder(url, service, buyer);
    await done(call(url, `POST /api/orders/${order}/quote`, { headers: provider.headers, body: { price_usd: '12.00' } }));
    await done(act(url, order, buyer, 'cancel'));
    assert.deepEqual(await heardOf(order), [
      ['order.created', { service_id: service, brief: BRIEF, status: 'pending_quote', service_title: TITLE }],
      ['order.cancelled', { previous_status: 'quoted' }],
    ]);
  });

  test('D04, D05: webhooks of a dispute, a workspace that opens with its payment, and an automatic release', async () => {
    const { url } = market;
    const disputed = await placeOrder(url, await listService(url, provider), buyer);
    await payOrder(url, disputed, buyer);
    await done(deliver(url, disputed, provider));
    await done(act(url, disputed, buyer, 'dispute', { reason: 'Every second page is missing.' }));
    const workspace = await placeOrder(url, await listService(url, provider, { price_type: 'weekly' }), buyer);
    await payOrder(url, workspace, buyer);
    const silent = await placeOrder(url, await listService(url, provider), buyer);
    await payOrder(url, silent, buyer);
    await done(deliver(url, silent, provider));
    assert.deepEqual((await heardOf(disputed)).at(-1), ['order.disputed', { reason: 'Every second page is missing.' }]);
    assert.deepEqual((await heardOf(workspace)).at(-1), ['order.paid', { status: 'in_progress', service_title: TITLE }]);
    await advanceClock(url, 48 * 3600);
    await untilStatus(url, silent, buyer, 'completed');
    await untilTransferred(url, silent, buyer, 'payout');
    assert.deepEqual(
      (await heardOf(silent)).map(([event]) => event),
      ['order.created', 'order.paid', 'order.completed'],
    );
  });

  test('D01, D08, D09: webhooks of a machine’s hire: created as paid, the sent payout, and a failed one', async () => {
    const { url } = market;
    const service = await listService(url, provider, { price_usd: '5.00' });
    const [offer] = (await call(url, `GET /api/x402/discover/${service}?chain=base`)).body['accepts'];
    const reference = await buyer.payer.pay(offer.payTo, BigInt(offer.maxAmountRequired));
    const hired = await expectCall(url, 200, `POST /api/x402/pay?service_id=${service}`, {
      headers: { 'x-payment': reference, 'x-payment-network': 'base-mainnet', ...asHeaders(await signed(buyer)) },
      body: { brief: 'A logo for a bakery.' },
    });
    const order = String(hired['order_id']);
    await until('the payout', async () => {
      const { rowCount } = await market.database.pool.query(`select 1 from events where subject_id = $1 and type = 'order.payout_sent'`, [
        order,
      ]);
      return rowCount === 1 ? true : undefined;
    });
    await parkPayout(order);
    const [created, sent, failed, ...more] = await heardOf(order);
    assert.ok(sent && failed);
    const data = { service_id: service, brief: 'A logo for a bakery.', status: 'paid', service_title: TITLE, payment_method: 'x402' };
    assert.deepEqual([created, more], [['order.created', data], []]);
    const { tx_hash: hash, ...payout } = sent[1] as Record<string, unknown>;
    assert.deepEqual([sent[0], payout], ['order.payout_sent', { amount_usd: 5, chain: 'base', destination: provider.owner.address }]);
    assert.match(String(hash), /^0x[0-9a-f]{64}$/);
    const { hint, ...failure } = failed[1] as Record<string, unknown>;
    assert.deepEqual([failed[0], failure], ['order.payout_failed', { reason: 'no such account', chain: 'base', amount_usd: 5 }]);
    assert.match(String(hint), /payout_address_base/);
  });

  test('a hire that misses its delivery deadline sends the webhook order.overdue', async () => {
    const { url } = market;
    const service = await listService(url, provider, { price_usd: '5.00', turnaround_hours: 1 });
    const [offer] = (await call(url, `GET /api/x402/discover/${service}?chain=base`)).body['accepts'];
    const reference = await buyer.payer.pay(offer.payTo, BigInt(offer.maxAmountRequired));
    const hired = await expectCall(url, 200, `POST /api/x402/pay?service_id=${service}`, {
      headers: { 'x-payment': reference, 'x-payment-network': 'base-mainnet', ...asHeaders(await signed(buyer)) },
      body: { brief: 'A logo for a bakery.' },
    });
    const order = String(hired['order_id']);
    await untilTransferred(url, order, buyer, 'payout');
    await advanceClock(url, 25 * 3600 + 1);
    const told = await until('the event', async () => {
      const heard = (await heardOf(order)).find(([event]) => event === 'order.overdue');
      return heard?.[1] as Record<string, unknown> | undefined;
    });
    assert.deepEqual([told['status'], told['hires_held']], ['paid', false]);
    assert.equal(told['overdue_since'], (await readOrder(url, order, buyer)).order.overdue_since);
  });

  /** Appends the event of a destination that the chain refuses for good. */
  async function parkPayout(order: string): Promise<void> {
    const { pool } = market.database;
    const data = { purpose: 'payout', network: 'base-mainnet', amount_micros: '5000000', reason: 'no such account' };
    await pool.query(
      `with told as (insert into events (type, subject_id, data) values ('payout.parked', $1, $2) returning id)
       insert into event_queue (follower, event_id) select 'machine_payouts', id from told`,
      [order, JSON.stringify(data)],
    );
    await pool.query('select pg_notify($1, $2)', [EVENTS_CHANNEL, '']);
    await until('the event', async () => {
      const { rowCount } = await pool.query(`select 1 from events where subject_id = $1 and type = 'order.payout_failed'`, [order]);
      return rowCount === 1 ? true : undefined;
    });
  }

  test('D10, D11: the webhook bounty.accepted names the winner’s order; bounty.claim_rejected and bounty.invited name none', async () => {
    const events = createEventLog(market.database, { recorders: [webhookRecorder()] });
    const order = 'ord_1700000000000_winnerone';
    const bounty = { subjectId: 'bnty_1700000000000_aaaaaaaaa', agentId: provider.id };
    const invited = { bounty_id: bounty.subjectId, claim_id: 'clm_1700000000000_aaaaaaaaa', agent_id: provider.id };
    const accepted = { bounty_id: bounty.subjectId, brief: 'A logo.', budget_usd: '40.00', deadline_hours: 48 };
    await market.database.transaction((tx) =>
      events.append(tx, [
        { ...bounty, type: 'bounty.accepted', data: accepted, context: { order_id: order } },
        { ...bounty, type: 'bounty.claim_rejected', data: { bounty_id: bounty.subjectId } },
        { ...bounty, type: 'bounty.invited', data: invited },
      ]),
    );
    assert.deepEqual(await heardOf(order), [['bounty.accepted', accepted]]);
    assert.deepEqual(await heardOf(''), [
      ['bounty.claim_rejected', { bounty_id: bounty.subjectId }],
      ['bounty.invited', invited],
    ]);
  });

  test('D13: webhooks carry only the eleven events of the specification, order.overdue and bounty.invited', async () => {
    const names = new Set(receiver.received.map(({ json }) => json['event']));
    assert.deepEqual([...names].sort(), [
      'bounty.accepted',
      'bounty.claim_rejected',
      'bounty.invited',
      'order.cancelled',
      'order.completed',
      'order.created',
      'order.disputed',
      'order.message',
      'order.overdue',
      'order.paid',
      'order.payout_failed',
      'order.payout_sent',
      'order.revision_requested',
    ]);
  });
});
