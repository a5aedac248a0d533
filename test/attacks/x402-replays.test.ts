/** One payment presented repeatedly, for other requests and by others, buys once on two servers with one database. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NetworkName, networkFacts, networkNames } from '@market/contract';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  countOrders,
  countSent,
  firstVersionName,
  hireUntilKnown,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineBuyers,
  openMachineStage,
  readOffer,
  requireHired,
  signPayment,
  transferProof,
  versionOne,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { act, deliver, listService, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { chainOf, requireSound } from '../money/money.ts';

const COPIES = times(20, 50);
/** In an everyday run each kind of replay is tried on one network, in turn. */
const leftOut = (network: NetworkName, turn: number) =>
  !isThorough && networkNames[turn % networkNames.length] !== network && THOROUGH_ONLY;

/** Leaves out fields that are returned once, and the state of the provider's payout. */
function withoutToken({ body }: Reply): Record<string, unknown> {
  const { read_token: _read, buyer_token: _acting, token_expires_at: _end, poll_hint: _hint, x402, ...rest } = body['data'];
  const { payout: _payout, ...receipt } = x402;
  return { ...rest, x402: receipt };
}

suite('a replayed payment', () => {
  let stage: MachineStage;
  let buyers: Record<NetworkName, MachineBuyer>;
  before(async () => {
    stage = await openMachineStage({}, { hosted: false });
    buyers = await openMachineBuyers(stage);
  });
  after(() => stage.close());

  for (const network of networkNames) {
    test(`X03: on ${network}: a repeated payment gets the same answer from both servers, with one broadcast`, {
      skip: leftOut(network, 0),
    }, async () => {
      const payment = await signPayment(stage, buyers[network]);
      const first = await hireWith(stage.urls[0], stage.serviceId, payment);
      const { reference } = await requireHired(first);
      const sent = await countSent(stage, network, reference);
      const orders = await countOrders(stage);
      for (const url of [stage.urls[0], stage.urls[1], stage.urls[1]]) {
        const again = await hireWith(url, stage.serviceId, payment);
        assert.deepEqual([again.status, withoutToken(again)], [200, withoutToken(first)]);
      }
      assert.deepEqual([await countSent(stage, network, reference), await countOrders(stage)], [sent, orders]);
    });

    test(`M04: on ${network}: ${COPIES} copies of a payment make one order and one broadcast`, { skip: leftOut(network, 1) }, async () => {
      const buyer = buyers[network];
      const probe = await requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyer)));
      const sent = await countSent(stage, network, probe.reference);
      const orders = await countOrders(stage);
      const had = (await buyer.payer.chain.readBalances(buyer.address)).usdcMicros;
      const payment = await signPayment(stage, buyer);
      const replies = await Promise.all(
        Array.from({ length: COPIES }, (_, index) => hireWith(stage.urls[index % 2 === 0 ? 0 : 1], stage.serviceId, payment)),
      );
      const statuses = new Set(replies.map(({ status }) => status));
      assert.ok(statuses.has(200) && [...statuses].every((status) => status === 200 || status === 503), [...statuses].join());
      const answered = replies.filter(({ status }) => status === 200);
      assert.equal(new Set(answered.map((reply) => JSON.stringify(withoutToken(reply)))).size, 1);
      const last = await requireHired(hireWith(stage.urls[1], stage.serviceId, payment));
      assert.equal(last.orderId, answered[0]?.body['data'].order_id);
      assert.deepEqual([await countSent(stage, network, last.reference), await countOrders(stage)], [sent + 1, orders + 1]);
      assert.equal((await buyer.payer.chain.readBalances(buyer.address)).usdcMicros, had - CHARGED_MICROS);
    });

    test(`X02: on ${network}: a used payment for another service, brief or settlement is a 409 that names the order`, {
      skip: leftOut(network, 2),
    }, async () => {
      const payment = await signPayment(stage, buyers[network]);
      const { orderId } = await requireHired(hireWith(stage.urls[0], stage.serviceId, payment));
      const orders = await countOrders(stage);
      const samePrice = await listService(stage.urls[0], stage.provider, { price_usd: '1.00', title: 'Another at the same price' });
      const others: readonly (readonly [string, Record<string, unknown>])[] = [
        [samePrice, {}],
        [stage.serviceId, { brief: 'Something else.' }],
        [stage.serviceId, { settlement: 'on_approval' }],
      ];
      for (const [service, body] of others) {
        const reply = await hireWith(stage.urls[1], service, payment, body);
        assert.deepEqual([reply.status, reply.body['code']], [409, 'payment_for_other_request'], JSON.stringify(reply.body));
        assert.equal(reply.body['data'].order_id, orderId);
      }
      assert.equal(await countOrders(stage), orders);
    });

    test(`on ${network}: a settled payment is refused as a transfer proof for another hire or order`, {
      skip: leftOut(network, 1),
    }, async () => {
      const buyer = buyers[network];
      const { reference, orderId } = await requireHired(hireWith(stage.urls[0], stage.serviceId, await signPayment(stage, buyer)));
      const orders = await countOrders(stage);
      const proof = await hireWith(stage.urls[1], stage.serviceId, transferProof(network, reference), { brief: 'A second thing.' });
      assert.deepEqual([proof.status, proof.body['code']], [409, 'payment_for_other_request']);
      const same = await requireHired(hireWith(stage.urls[1], stage.serviceId, transferProof(network, reference)));
      assert.deepEqual([same.orderId, same.token], [orderId, null], 'the same order, without what acts for its buyer');
      const placed = await placeOrder(stage.urls[0], stage.serviceId, buyer);
      const { chain } = networkFacts[network];
      const paid = await act(stage.urls[1], placed, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: chain });
      assert.deepEqual([paid.status, paid.body['code']], [409, 'payment_already_used']);
      assert.equal(await countOrders(stage), orders);
    });

    if (firstVersionName(network) === undefined) continue;
    test(`on ${network}: both versions of one authorisation in parallel make one order`, { skip: leftOut(network, 0) }, async () => {
      const orders = await countOrders(stage);
      const offer = await readOffer(stage, stage.urls[0], stage.serviceId, network);
      const payload = await buyers[network].authorise(offer);
      const headers = [versionOne(network, payload), versionTwo(offer, payload)];
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          hireUntilKnown(stage.urls[index % 2 === 0 ? 0 : 1], stage.serviceId, headers[index % 2] ?? {}),
        ),
      );
      const ids = await Promise.all(replies.map(async (reply) => (await requireHired(reply)).orderId));
      assert.equal(new Set(ids).size, 1);
      assert.equal(await countOrders(stage), orders + 1);
      for (const [index, reply] of replies.entries()) {
        const [mine, other] = index % 2 === 0 ? ['x-payment-response', 'payment-response'] : ['payment-response', 'x-payment-response'];
        assert.ok(reply.headers.get(mine) !== null && reply.headers.get(other) === null);
      }
    });
  }

  test('M02: a transfer that paid an order cannot hire, and one that hired cannot pay an order', async () => {
    const buyer = buyers['base-mainnet'];
    const { treasury } = chainOf(stage, 'base-mainnet');
    const pay = (orderId: string, reference: string) =>
      act(stage.urls[0], orderId, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' });
    const [first, second] = [
      await placeOrder(stage.urls[0], stage.serviceId, buyer),
      await placeOrder(stage.urls[0], stage.serviceId, buyer),
    ];
    const onOrder = await buyer.payer.pay(treasury, CHARGED_MICROS);
    assert.equal((await pay(first, onOrder)).status, 200);
    const hired = await hireWith(stage.urls[1], stage.serviceId, transferProof('base-mainnet', onOrder));
    assert.deepEqual([hired.status, hired.body['code']], [409, 'payment_already_used']);

    const onHire = await buyer.payer.pay(treasury, CHARGED_MICROS);
    // The buyer has an unpaid order, so only the buyer's own signature spends the transfer.
    const own = { ...transferProof('base-mainnet', onHire), ...asHeaders(await signed(buyer)) };
    await requireHired(hireWith(stage.urls[1], stage.serviceId, own));
    assert.deepEqual((await pay(second, onHire)).body['code'], 'payment_already_used');
  });

  test('M02: one transfer presented for ten hires in parallel buys one of them', async () => {
    const buyer = await openMachineBuyer(stage, 'base-mainnet');
    const reference = await buyer.payer.pay(chainOf(stage, 'base-mainnet').treasury, CHARGED_MICROS);
    const orders = await countOrders(stage);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        hireWith(stage.urls[index % 2 === 0 ? 0 : 1], stage.serviceId, transferProof('base-mainnet', reference), {
          brief: `Thing ${index}`,
        }),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal(await countOrders(stage), orders + 1);
  });

  test('X01: a thief who presents a transfer first may only read the order; the payer is its buyer', async () => {
    const buyer = await openMachineBuyer(stage, 'base-mainnet');
    const thief = await registerOwnedAgent(stage.urls[0], baseWallet());
    const reference = await buyer.payer.pay(chainOf(stage, 'base-mainnet').treasury, CHARGED_MICROS);
    const stolen = { ...transferProof('base-mainnet', reference), authorization: `Bearer ${thief.key}` };
    const place = () =>
      call(stage.urls[1], 'POST /api/orders', { headers: stolen, body: { service_id: stage.serviceId, brief: 'Made for the thief.' } });
    const placed = await place();
    assert.equal(placed.status, 200, JSON.stringify(placed.body));
    const orderId = placed.body['data'].id;
    assert.equal(placed.body['data'].client_wallet, buyer.address);
    const watching = { authorization: `Bearer ${placed.body['read_token']}` };
    assert.equal(placed.body['data'].client_agent_id, thief.id);

    const url = stage.urls[0];
    assert.equal((await deliver(url, orderId, stage.provider)).status, 200);
    const approved = await call(url, `PATCH /api/orders/${orderId}`, { headers: watching, body: { action: 'approve' } });
    assert.deepEqual([approved.status, approved.body['code']], [403, 'wrong_credential'], JSON.stringify(approved.body));
    assert.equal((await call(url, `GET /api/orders/${orderId}`, { headers: watching })).status, 200);
    const again = await place();
    assert.deepEqual([again.body['data'].deliverable_url, again.body['read_token']], [null, null]);
    const stranger = asHeaders(await signed(baseWallet()));
    assert.equal((await call(url, `GET /api/orders/${orderId}`, { headers: stranger })).status, 403);
    // The thief's key reads the order it asked for, but its acts do not count as the payer's.
    const byThief = { headers: { authorization: `Bearer ${thief.key}` }, body: { action: 'approve' } };
    assert.equal((await call(url, `PATCH /api/orders/${orderId}`, byThief)).body['code'], 'payment_contestable');
    const stillOpen = await call(url, `GET /api/orders/${orderId}`, { headers: asHeaders(await signed(buyer)) });
    assert.notEqual(stillOpen.body['data'].order.contestable_until, null);
    const read = await call(url, `GET /api/orders/${orderId}`, { headers: asHeaders(await signed(buyer)) });
    assert.deepEqual([read.status, read.body['data'].viewer_role], [200, 'buyer']);
    assert.equal(read.body['data'].order.deliverable_url, null, 'a read confirms nothing and shows no withheld result');
    // The same request, signed by the payer, returns the token after all.
    const headers = { ...transferProof('base-mainnet', reference), ...asHeaders(await signed(buyer)) };
    const own = await requireHired(hireWith(url, stage.serviceId, headers, { brief: 'Made for the thief.' }));
    assert.equal(own.orderId, orderId);
    const byToken = await call(url, `GET /api/orders/${orderId}`, { headers: { authorization: `Bearer ${own.token}` } });
    assert.deepEqual([byToken.status, byToken.body['data'].viewer_role], [200, 'buyer']);
  });

  test('a stranger’s signature beside a transfer reference gets no token that can act', async () => {
    const buyer = await openMachineBuyer(stage, 'solana-mainnet');
    const reference = await buyer.payer.pay(chainOf(stage, 'solana-mainnet').treasury, CHARGED_MICROS);
    const headers = { ...transferProof('solana-mainnet', reference), ...asHeaders(await signed(baseWallet())) };
    const { orderId, token } = await requireHired(hireWith(stage.urls[0], stage.serviceId, headers));
    const options = { key: token ?? '', body: { action: 'cancel' } };
    assert.equal((await call(stage.urls[1], `PATCH /api/orders/${orderId}`, options)).status, 403);
    assert.equal((await requireHired(hireWith(stage.urls[1], stage.serviceId, headers))).token, null);
  });

  test('new servers answer a repeated payment alike after both servers were killed', async () => {
    const payments = await Promise.all(networkNames.map((network) => signPayment(stage, buyers[network])));
    const before = await Promise.all(payments.map((payment) => requireHired(hireWith(stage.urls[0], stage.serviceId, payment))));
    await Promise.all(stage.servers.map((server) => server.kill('SIGKILL')));
    const next = await stage.startServer();
    const orders = await countOrders(stage);
    for (const [index, payment] of payments.entries()) {
      const again = await requireHired(hireWith(next.url, stage.serviceId, payment));
      assert.deepEqual([again.orderId, again.reference], [before[index]?.orderId, before[index]?.reference]);
    }
    assert.equal(await countOrders(stage), orders);
    await requireSound(stage.money);
  });
});
