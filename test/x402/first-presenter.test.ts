/** The first presenter of a bare transfer may only read the order: its token reads one order and proves no identity. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { hireBare, hireSigned, idOf, untilPaidOut } from '../harness/bare-transfers.ts';
import { type CallOptions, call, type Reply } from '../harness/http.ts';
import { transferProof } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  placeOrder,
  requireSoundBooks,
} from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { NETWORKS, until } from '../money/money.ts';

const BRIEF = 'A logo for a bakery.';
const WINDOW_SECONDS = 15 * 60;

describe('the first presenter of a bare transfer', () => {
  let market: TestMarket;
  let url: string;
  let provider: Provider;
  /** A service that costs a machine 5.50. */
  let service: string;
  before(async () => {
    market = await openMarket(withOwnChains);
    ({ url } = market);
    provider = await openProvider(url);
    service = await listService(url, provider, { price_usd: '5.00' });
  });
  after(() => market.close());

  const pays = ({ payer }: Buyer, micros = 5_500_000n) => payer.pay(payer.chain.treasury, micros);
  const bearer = (token: string): CallOptions => ({ key: token });
  const contestableUntil = async (orderId: string) => {
    const { rows } = await market.database.pool.query('select contestable_until, proof from payment_claims where subject_id = $1', [
      orderId,
    ]);
    return rows[0];
  };
  async function hireAsStranger(
    network: NetworkName = 'base-mainnet',
  ): Promise<{ buyer: Buyer; reference: string; hired: Reply; id: string }> {
    const buyer = await openBuyer(market, network);
    const reference = await pays(buyer);
    const hired = await hireBare(url, service, network, reference, BRIEF);
    return { buyer, reference, hired, id: idOf(hired) };
  }

  for (const network of some(NETWORKS, 1)) {
    test(`on ${network} the first presenter of a bare transfer reads the order with the token, in the header and in the query`, async () => {
      const { hired, id, reference } = await hireAsStranger(network);
      const { read_token: token, status_url: statusUrl, poll_hint: hint } = hired.body['data'];
      assert.match(token, /^order_[0-9a-f]{48}$/);
      assert.equal(statusUrl, `${url}/api/orders/${id}`);
      assert.match(hint, /Authorization: Bearer <read_token>/);
      assert.match(hint, /\?read_token=/);
      assert.equal((await deliver(url, id, provider)).status, 200);
      const path = statusUrl.slice(url.length) as `/${string}`;
      for (const [query, options] of [
        ['', bearer(token)],
        [`?read_token=${token}`, {}],
      ] as const) {
        const read = await call(url, `GET ${path}${query}`, options);
        assert.equal(read.status, 200, JSON.stringify(read.body));
        const { order, deliverables, allowed_actions: allowed, unavailable_actions: others } = read.body['data'];
        assert.deepEqual([order.id, order.status, deliverables, allowed], [id, 'delivered', [], []]);
        assert.equal(read.body['data'].withheld_until, order.contestable_until);
        assert.match(others.find(({ action }: { action: string }) => action === 'approve').reason, /only reads/);
        assert.deepEqual([read.headers.get('x-ignored-parameters'), read.headers.get('cache-control')], [null, 'no-store']);
        assert.equal(read.headers.get('referrer-policy'), 'no-referrer');
        // A feed shows an event once all transactions that began before it have ended, also those of other databases.
        await until('the delivery in the feed', async () => {
          const events = await call(url, `GET /api/events${query}`, options);
          return events.body['data'].some(({ event }: { event: string }) => event === 'order.delivered') ? true : undefined;
        });
      }
      const again = await hireBare(url, service, network, reference, BRIEF);
      assert.deepEqual([idOf(again), again.body['data'].read_token], [id, null]);
      assert.match(again.body['data'].poll_hint, /signature of the wallet that paid/);
    });
  }

  test('X01, M06: the token of a first presenter sends no command, and so cannot end the contest window', async () => {
    const { buyer, reference, hired, id } = await hireAsStranger();
    const token = hired.body['data'].read_token;
    assert.equal((await deliver(url, id, provider)).status, 200);
    const commands: readonly (readonly [`${string} /${string}`, unknown])[] = [
      ...['approve', 'cancel', 'accept'].map((action) => [`PATCH /api/orders/${id}`, { action }] as const),
      [`PATCH /api/orders/${id}`, { action: 'revision', feedback: 'Larger, please.' }],
      [`PATCH /api/orders/${id}`, { action: 'dispute', reason: 'It is not what I wanted.' }],
      [`PATCH /api/orders/${id}`, { action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' }],
      [`POST /api/orders/${id}/messages`, { content: 'Hello there.' }],
      [`POST /api/orders/${id}/review`, { rating: 5, comment: 'Well done indeed.' }],
    ];
    for (const [route, body] of commands) {
      const refused = await call(url, route, { ...bearer(token), body });
      assert.deepEqual([refused.status, refused.body['code']], [403, 'wrong_credential'], `${route}: ${JSON.stringify(refused.body)}`);
      const inQuery = await call(url, `${route}?read_token=${token}`, { body });
      assert.equal(inQuery.status, 401, `${route}: ${JSON.stringify(inQuery.body)}`);
    }
    assert.equal((await contestableUntil(id)).proof, 'bare');
    assert.notEqual((await contestableUntil(id)).contestable_until, null);
    // The payer still can, which ends the window.
    assert.equal((await act(url, id, buyer, 'approve')).status, 200);
    assert.deepEqual(await contestableUntil(id), { contestable_until: null, proof: 'wallet' });
  });

  test('X01, Y13: the token of a first presenter reads no other order, and an address with the acting token is refused', async () => {
    const [one, two] = [await hireAsStranger(), await hireAsStranger('alt-mainnet')];
    const other = await call(url, `GET /api/orders/${two.id}`, bearer(one.hired.body['data'].read_token));
    assert.deepEqual([other.status, other.body['code']], [403, 'not_your_order']);
    const signed = await hireSigned(url, service, one.buyer, one.reference, BRIEF);
    const { buyer_token: acting, read_token: reading } = signed.body['data'];
    assert.equal(new Set([acting, reading, one.hired.body['data'].read_token]).size, 3);
    assert.equal(one.hired.body['data'].buyer_token, null);
    const refused = await call(url, `GET /api/orders/${one.id}?read_token=${acting}`);
    assert.deepEqual([refused.status, refused.body['code']], [401, 'invalid_order_token']);
    assert.match(refused.body['error'], /acts as the buyer/);
    const read = await call(url, `GET /api/orders/${one.id}?read_token=${reading}`);
    assert.deepEqual([read.status, read.body['data'].allowed_actions], [200, []]);
    assert.equal((await call(url, `GET /api/orders/${one.id}?read_token=order_${'0'.repeat(48)}`)).status, 401);
  });

  test('X03: a first presenter gets the token again under the same random Idempotency-Key', async () => {
    const buyer = await openBuyer(market, 'solana-mainnet');
    const headers = { ...transferProof('solana-mainnet', await pays(buyer)), 'idempotency-key': randomUUID() };
    const hire = () => call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: BRIEF } });
    const first = await hire();
    const again = await hire();
    assert.deepEqual([again.headers.get('idempotent-replayed'), again.body], ['true', first.body]);
    assert.match(again.body['data'].read_token, /^order_/);
    const { rows } = await market.database.pool.query('select holder, reads_only from order_tokens where order_id = $1 order by 1, 2', [
      idOf(first),
    ]);
    assert.deepEqual(rows, [
      { holder: 'payer', reads_only: false },
      { holder: 'payer', reads_only: true },
      { holder: 'presenter', reads_only: true },
    ]);
  });

  test('a first presenter sees the payout as held in the contest window, and as paid only after it arrived', async () => {
    const { hired, id, reference, buyer } = await hireAsStranger();
    const { payout } = hired.body['data'].x402;
    assert.deepEqual(
      [payout.status, payout.attempted, payout.paid, payout.tx_hash, payout.amount_usd, payout.chain],
      ['held', false, false, null, 5, 'base'],
    );
    assert.deepEqual([payout.held_until, payout.destination], [hired.body['data'].contestable_until, provider.owner.address]);
    await advanceClock(url, WINDOW_SECONDS + 1);
    const hash = await untilPaidOut(url, id, buyer);
    const paid = await until('the payout being final', async () => {
      const again = await hireBare(url, service, 'base-mainnet', reference, BRIEF);
      const { payout: now } = again.body['data'].x402;
      assert.ok(now.paid === (now.status === 'paid'), JSON.stringify(now));
      return now.status === 'paid' ? now : undefined;
    });
    assert.deepEqual([paid.tx_hash, paid.destination, paid.attempted], [hash, provider.owner.address, true]);
  });

  test('a proven payer sees the payout of a hire as queued, and with settlement on approval as held', async () => {
    const buyer = await openBuyer(market, 'alt-mainnet');
    const proven = await hireSigned(url, service, buyer, await pays(buyer), BRIEF);
    const { payout } = proven.body['data'].x402;
    assert.deepEqual([payout.status, payout.paid, payout.chain, payout.held_until], ['queued', false, 'alt', null]);
    const patient = await openBuyer(market, 'alt-mainnet');
    const headers = transferProof('alt-mainnet', await pays(patient));
    const body = { brief: BRIEF, settlement: 'on_approval' };
    await advanceClock(url, 1);
    const held = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body });
    assert.equal(held.body['data'].x402.payout.status, 'held', JSON.stringify(held.body));
  });

  test('M10: every x402 entrance names the surplus and to whom it is owed', async () => {
    const network = 'solana-mainnet';
    const over = async (buyer: Buyer, micros: bigint) => transferProof(network, await pays(buyer, micros + 250_000n));
    const hireBody = { service_id: service, brief: BRIEF };
    const doors: readonly (readonly [string, (buyer: Buyer) => Promise<unknown>])[] = [
      [
        'pay',
        async (buyer) => {
          const headers = await over(buyer, 5_500_000n);
          return (await call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: BRIEF } })).body['data'].x402
            .surplus;
        },
      ],
      [
        'POST /api/orders',
        async (buyer) => {
          const headers = await over(buyer, 5_500_000n);
          return (await call(url, 'POST /api/orders', { headers, body: hireBody })).body['x402'].surplus;
        },
      ],
      [
        'the path',
        async (buyer) => {
          const headers = await over(buyer, 5_500_000n);
          return (await call(url, `POST /api/x402/discover/${service}`, { headers, body: { brief: BRIEF } })).body['data'].x402.surplus;
        },
      ],
      [
        'a registration',
        async (buyer) => {
          const headers = await over(buyer, 1_000_000n);
          return (await call(url, 'POST /api/agents/register', { headers, body: agentBody() })).body['x402'].surplus;
        },
      ],
      [
        'an order, paid twice',
        async (buyer) => {
          const orderId = await placeOrder(url, service, buyer);
          const fields = { escrow_tx_hash: await pays(buyer, 5_250_000n), payment_chain: networkFacts[network].chain };
          const [first, again] = [await act(url, orderId, buyer, 'pay', fields), await act(url, orderId, buyer, 'pay', fields)];
          assert.deepEqual(first.body['surplus'], again.body['surplus']);
          return first.body['surplus'];
        },
      ],
    ];
    for (const [door, present] of doors) {
      const buyer = await openBuyer(market, network);
      const surplus = (await present(buyer)) as Record<string, unknown>;
      assert.deepEqual([surplus?.['amount_usd'], surplus?.['chain'], surplus?.['owed_to']], ['0.25', 'solana', buyer.address], door);
      assert.match(String(surplus['note']), /booked as owed to .*; the operator sends it back/, door);
    }
    const exact = await openBuyer(market, network);
    const hired = await hireSigned(url, service, exact, await pays(exact), BRIEF);
    assert.equal(hired.body['data'].x402.surplus, null);
  });

  test('the books are sound after first presentations', async () => {
    await requireSoundBooks(market);
  });
});
