/** A bare transfer of an unknown wallet buys at once; the payout waits, and the payer can reclaim the transfer. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { networkFacts } from '@market/contract';
import { hireBare, hireSigned, holdersOf, idOf, payoutsFor, readTime, untilPaidOut } from '../harness/bare-transfers.ts';
import { call } from '../harness/http.ts';
import { transferProof } from '../harness/machine-buyers.ts';
import { registerWith, requireRegistered } from '../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  placeOrder,
  readOrder,
  requireSoundBooks,
} from '../harness/orders.ts';
import { agentBody, asHeaders, signed } from '../harness/people.ts';
import { isThorough } from '../harness/thoroughness.ts';
import { NETWORKS, USDC, until } from '../money/money.ts';

const WINDOW_SECONDS = 15 * 60;

suite('a bare transfer', () => {
  let market: TestMarket;
  let url: string;
  let provider: Provider;
  let thief: Provider;
  /** A service that costs a machine 5.50. */
  let service: string;
  /** A service that costs a machine 5.00. */
  let bait: string;
  before(async () => {
    market = await openMarket(withOwnChains);
    ({ url } = market);
    provider = await openProvider(url);
    thief = await openProvider(url);
    service = await listService(url, provider, { price_usd: '5.00' });
    bait = await listService(url, thief, { price_usd: '4.545454', title: 'Nothing at all' });
  });
  after(() => market.close());

  const pays = (buyer: Buyer, micros: bigint, note?: string) => buyer.payer.pay(buyer.payer.chain.treasury, micros, 'final', note);
  const contestableUntil = async (orderId: string, buyer: Buyer) => (await readOrder(url, orderId, buyer)).order.contestable_until;

  for (const network of isThorough ? NETWORKS : (['solana-mainnet'] as const)) {
    test(`bare transfer on ${network}: a buyer discovers, pays and hires in three calls, and the provider is paid once after the contest window`, async () => {
      const buyer = await openBuyer(market, network);
      const asked = await call(url, `GET /api/x402/discover/${service}?chain=${networkFacts[network].chain}`);
      const [offer] = asked.body['accepts'];
      const reference = await buyer.payer.pay(offer.payTo, BigInt(offer.maxAmountRequired));
      const hired = await hireBare(url, service, network, reference, 'A logo for a bakery.');
      const orderId = idOf(hired);
      assert.equal(hired.body['data'].status, 'paid');
      const { order } = await readOrder(url, orderId, buyer);
      const leftMs = readTime(order.contestable_until) - readTime(order.paid_at);
      assert.ok(Math.abs(leftMs - WINDOW_SECONDS * 1000) <= 1000, `${leftMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.equal(await payoutsFor(market, orderId), 0, 'nothing leaves inside the window');
      await advanceClock(url, WINDOW_SECONDS + 1);
      await untilPaidOut(url, orderId, buyer);
      assert.equal(await payoutsFor(market, orderId), 1);
      // After the window the payer is too late: the answer names the order that the payment bought.
      const late = await hireSigned(url, service, buyer, reference, 'Something else entirely.');
      assert.deepEqual([late.status, late.body['code'], late.body['data'].order_id], [409, 'payment_contest_over', orderId]);
    });

    test(`M06, X01: on ${network} a contest cancels a thief’s hire, and the transfer pays for the payer’s own order`, async () => {
      const buyer = await openBuyer(market, network);
      const reference = await pays(buyer, 5n * USDC);
      const stolen = idOf(await hireBare(url, bait, network, reference, 'All of it for me.'));
      const wanted = await placeOrder(url, service, buyer);
      const paid = await act(url, wanted, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: networkFacts[network].chain });
      assert.deepEqual([paid.status, paid.body['data'].status], [200, 'paid'], JSON.stringify(paid.body));
      assert.equal(paid.body['data'].contestable_until, null);
      const lost = await readOrder(url, stolen, buyer);
      assert.deepEqual([lost.order.status, lost.order.contestable_until, lost.money.held_usd], ['cancelled', null, '0.00']);
      assert.equal(lost.timeline.at(-1).action, 'contest');
      assert.deepEqual(await holdersOf(market, reference), [stolen, wanted]);
      const { rows } = await market.database.pool.query(
        `select data->>'reason' as reason from events where subject_id = $1 and type = 'order.cancelled'`,
        [stolen],
      );
      assert.deepEqual(rows, [{ reason: 'payment_contested' }]);
      await advanceClock(url, WINDOW_SECONDS + 1);
      const again = await hireBare(url, bait, network, reference, 'All of it for me.');
      assert.deepEqual([again.status, again.body['code']], [409, 'payment_already_used']);
      assert.equal(await payoutsFor(market, stolen), 0);
    });
  }

  test('M06: a contest by x402 request moves the transfer to that request, and recomputes the surplus', async () => {
    const buyer = await openBuyer(market, 'base-mainnet');
    const reference = await pays(buyer, 6n * USDC);
    const stolen = idOf(await hireBare(url, bait, 'base-mainnet', reference, 'All of it for me.'));
    const own = await hireSigned(url, service, buyer, reference, 'A logo for a bakery.');
    const wanted = idOf(own);
    assert.ok(own.body['data'].buyer_token, 'the payer gets what acts for it');
    const { order, money } = await readOrder(url, wanted, buyer);
    assert.deepEqual([order.status, order.contestable_until, money.paid_usd, money.surplus_usd], ['paid', null, '6.00', '0.50']);
    const lost = await readOrder(url, stolen, buyer);
    assert.deepEqual([lost.order.status, lost.money.paid_usd, lost.money.surplus_usd], ['cancelled', '0.00', '0.00']);
    await untilPaidOut(url, wanted, buyer);
    const twice = await hireSigned(url, service, buyer, reference, 'One more thing, please.');
    assert.deepEqual([twice.status, twice.body['code']], [409, 'payment_for_other_request'], 'a proven payment is never contestable');
  });

  test('A19: a contest deactivates an agent that a stranger registered with the transfer, and its fee is not earned', async () => {
    const buyer = await openBuyer(market, 'solana-mainnet');
    const reference = await pays(buyer, 5n * USDC + USDC / 2n);
    const name = agentBody();
    const made = await requireRegistered(registerWith(url, transferProof('solana-mainnet', reference), name));
    const orderId = idOf(await hireSigned(url, service, buyer, reference, 'A logo for a bakery.'));
    assert.deepEqual(await holdersOf(market, reference), [made['agent_id'], orderId]);
    assert.equal((await call(url, `GET /api/agents/${made['agent_id']}`)).body['data']?.active ?? 0, 0);
    // The stranger has the agent's key, but it works no more, and does not reactivate the agent.
    assert.match(made['api_key'], /^market_/);
    const revived = await call(url, `PATCH /api/agents/${made['agent_id']}/active`, { key: made['api_key'], body: { active: true } });
    assert.notEqual(revived.status, 200, JSON.stringify(revived.body));
    assert.equal((await call(url, 'GET /api/agents/me', { key: made['api_key'] })).status, 401);
    const { rows } = await market.database.pool.query(
      `select 1 from ledger_transfers where subject_id = $1 and kind = 'registration_earned'`,
      [made['agent_id']],
    );
    assert.deepEqual(rows, []);
  });

  test('a registration fee paid by bare transfer is earned after the window, or when the payer signs the same request', async () => {
    const earned = async (agentId: string) =>
      await until('the fee', async () => {
        const { rows } = await market.database.pool.query(
          `select e.amount_micros::text as micros from ledger_transfers t join ledger_entries e on e.transfer_id = t.id
           join ledger_accounts a on a.id = e.account_id and a.kind = 'platform_fee' where t.subject_id = $1`,
          [agentId],
        );
        return rows[0]?.micros as string | undefined;
      });
    const [first, second] = [await openBuyer(market, 'base-mainnet'), await openBuyer(market, 'alt-mainnet')];
    const bodies = [agentBody(), agentBody()] as const;
    const headers = [
      transferProof('base-mainnet', await pays(first, 2n * USDC)),
      transferProof('alt-mainnet', await pays(second, 2n * USDC)),
    ] as const;
    const one = await requireRegistered(registerWith(url, headers[0], bodies[0]));
    const two = await requireRegistered(registerWith(url, headers[1], bodies[1]));
    await requireRegistered(registerWith(url, { ...headers[1], ...asHeaders(await signed(second)) }, bodies[1]));
    assert.equal(await earned(two['agent_id']), '1000000');
    await advanceClock(url, WINDOW_SECONDS + 1);
    assert.equal(await earned(one['agent_id']), '1000000');
  });

  test('a bare transfer of up to 1 USDC pays the provider at once, without a contest window', async () => {
    const cheap = await listService(url, provider, { price_usd: '0.90', title: 'A small thing' });
    const buyer = await openBuyer(market, 'base-mainnet');
    const orderId = idOf(await hireBare(url, cheap, 'base-mainnet', await pays(buyer, 990_000n), 'A small logo, please.'));
    assert.equal(await contestableUntil(orderId, buyer), null);
    await untilPaidOut(url, orderId, buyer);
  });

  test('a bare transfer over 1 USDC stays contestable, even when presented for a cheaper service', async () => {
    const cheap = await listService(url, thief, { price_usd: '0.90', title: 'A small bite' });
    const buyer = await openBuyer(market, 'base-mainnet');
    const reference = await pays(buyer, 500n * USDC);
    const bitten = idOf(await hireBare(url, cheap, 'base-mainnet', reference, 'Only a small bite.'));
    assert.notEqual(await contestableUntil(bitten, buyer), null);
    idOf(await hireSigned(url, service, buyer, reference, 'A logo for a bakery.'));
  });

  test('the payer’s signature on the same request ends the contest window and pays the provider', async () => {
    const buyer = await openBuyer(market, 'alt-mainnet');
    const reference = await pays(buyer, 5_500_000n);
    const orderId = idOf(await hireBare(url, service, 'alt-mainnet', reference, 'A logo for a bakery.'));
    assert.equal(idOf(await hireSigned(url, service, buyer, reference, 'A logo for a bakery.')), orderId);
    assert.equal(await contestableUntil(orderId, buyer), null);
    await untilPaidOut(url, orderId, buyer);
  });

  test('an approval by the payer proves a bare transfer', async () => {
    const buyer = await openBuyer(market, 'solana-mainnet');
    const orderId = idOf(await hireBare(url, service, 'solana-mainnet', await pays(buyer, 5_500_000n), 'A logo for a bakery.'));
    const body = { deliverable_url: 'https://example.com/result', deliverable_media_type: 'link' };
    assert.equal((await call(url, `POST /api/orders/${orderId}/deliver`, { body, headers: provider.headers })).status, 200);
    assert.equal((await act(url, orderId, buyer, 'approve')).status, 200);
    assert.equal(await contestableUntil(orderId, buyer), null);
    await untilPaidOut(url, orderId, buyer);
  });

  test('M06: a bare hire held until approval can be contested after its delivery', async () => {
    const buyer = await openBuyer(market, 'base-mainnet');
    const reference = await pays(buyer, 5n * USDC);
    const headers = transferProof('base-mainnet', reference);
    const taken = await call(url, `POST /api/x402/pay?service_id=${bait}`, {
      headers,
      body: { brief: 'All for me.', settlement: 'on_approval' },
    });
    const stolen = idOf(taken);
    const body = { deliverable_url: 'https://example.com/nothing', deliverable_media_type: 'link' };
    assert.equal((await call(url, `POST /api/orders/${stolen}/deliver`, { body, headers: thief.headers })).status, 200);
    const wanted = await placeOrder(url, service, buyer);
    assert.equal((await act(url, wanted, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' })).status, 200);
    assert.equal((await readOrder(url, stolen, buyer)).order.status, 'cancelled');
  });

  test('M06: buying a service or price newer than the bare transfer needs the payer’s signature', async () => {
    const [early, late] = [await openBuyer(market, 'base-mainnet'), await openBuyer(market, 'solana-mainnet')];
    const references = [await pays(early, 11n * USDC), await pays(late, 11n * USDC)] as const;
    await advanceClock(url, 30);
    const fresh = await listService(url, thief, { price_usd: '10.00', title: 'Made for this transfer' });
    const refused = await hireBare(url, fresh, 'base-mainnet', references[0], 'All of it for me.');
    assert.deepEqual([refused.status, refused.body['code']], [409, 'offer_newer_than_payment'], JSON.stringify(refused.body));
    const lowered = await listService(url, thief, { price_usd: '99.00', title: 'Lowered for this transfer' });
    await advanceClock(url, 30);
    const change = await call(url, `PATCH /api/services/${lowered}`, { body: { price_usd: '10.00' }, headers: thief.headers });
    assert.equal(change.status, 200, JSON.stringify(change.body));
    const cheaper = await hireBare(url, lowered, 'solana-mainnet', references[1], 'All of it for me.');
    assert.deepEqual([cheaper.status, cheaper.body['code']], [409, 'offer_newer_than_payment'], JSON.stringify(cheaper.body));
    // The refusal used nothing up, and the payer may buy what is new.
    assert.deepEqual(await holdersOf(market, references[0]), []);
    idOf(await hireSigned(url, fresh, early, references[0], 'I want exactly this.'));
  });

  test('a hire whose price was lowered after the transfer keeps the price that was shown', async () => {
    const dropped = await listService(url, provider, { price_usd: '8.00', title: 'Getting cheaper' });
    const buyer = await openBuyer(market, 'base-mainnet');
    const reference = await pays(buyer, 8_800_000n);
    await advanceClock(url, 30);
    assert.equal(
      (await call(url, `PATCH /api/services/${dropped}`, { body: { price_usd: '3.00' }, headers: provider.headers })).status,
      200,
    );
    const orderId = idOf(await hireBare(url, dropped, 'base-mainnet', reference, 'A logo for a bakery.'));
    assert.equal((await readOrder(url, orderId, buyer)).order.quoted_price_usd, '8.00');
  });

  for (const network of isThorough ? NETWORKS : (['alt-mainnet'] as const)) {
    test(`X01: on ${network} a transfer with the reference of its challenge is proven for that request only`, async () => {
      const buyer = await openBuyer(market, network);
      const brief = 'A logo for a bakery, in green.';
      const { chain } = networkFacts[network];
      const asked = await call(url, `POST /api/x402/pay?service_id=${service}&chain=${chain}`, { body: { brief } });
      assert.equal(asked.status, 402, JSON.stringify(asked.body));
      const { text, carriedAs } = asked.body['extra'].paymentReference;
      assert.equal(carriedAs, network === 'solana-mainnet' ? 'memo' : 'calldata_suffix');
      const reference = await pays(buyer, 5_500_000n, text);
      // For another request it is an ordinary bare transfer, so the window is open …
      const stolen = idOf(await hireBare(url, bait, network, reference, 'All of it for me.'));
      assert.notEqual(await contestableUntil(stolen, buyer), null);
      // … and the request that the reference names reclaims it without a signature.
      const wanted = idOf(await hireBare(url, service, network, reference, brief));
      assert.equal(await contestableUntil(wanted, buyer), null);
      assert.equal((await readOrder(url, stolen, buyer)).order.status, 'cancelled');
      await untilPaidOut(url, wanted, buyer);
    });
  }

  test('a challenge without a brief contains no payment reference', async () => {
    const asked = await call(url, `GET /api/x402/discover/${service}`);
    assert.equal(asked.body['accepts'][0].extra.paymentReference, undefined);
  });

  test('the books are sound after contested transfers', async () => {
    await requireSoundBooks(market);
  });
});
