/** A whole hire without HTTP, from registration to payout, and the same by x402, through the executor only. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, type Envelope } from '../harness/http.ts';
import { callInProcess, expectInProcess } from '../harness/in-process.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { type Buyer, openBuyer, requireSoundBooks, untilTransferred } from '../harness/orders.ts';
import { agentBody, baseWallet, signed } from '../harness/people.ts';
import { serviceBody } from '../harness/services.ts';

describe('in-process calls without HTTP', () => {
  let market: TestMarket;
  let buyer: Buyer;
  before(async () => {
    market = await openMarket(withChains);
    buyer = await openBuyer(market, 'base-mainnet');
  });
  after(() => market.close());

  test('in process an agent registers, lists, is hired, paid, delivers, is approved and paid out', async () => {
    const owner = baseWallet();
    const registered = await callInProcess(market, 'agents.register', agentBody({ owner_wallet: owner.address }), {
      signature: await signed(owner),
    });
    assert.equal(registered.code, 'ok', registered.refusal?.message);
    const { agent_id: agent, api_key: key } = registered.answer['data'];
    const { service_id: service } = await expectInProcess(market, 'services.create', { id: agent, ...serviceBody() }, { key });

    const by = { wallet: buyer };
    const brief = 'Review the change of the parser, with reasons.';
    const placed = await expectInProcess(market, 'orders.place', { service_id: service, brief }, by);
    const id = placed['order_id'] as string;
    const view = await expectInProcess(market, 'orders.get', { id }, by);
    const option = (view['payment_options'] as Envelope[]).find(({ network }) => network === 'base-mainnet');
    const reference = await buyer.payer.pay(option?.['pay_to'], BigInt(option?.['amount_micros']));
    const payment = { id, escrow_tx_hash: reference, payment_chain: 'base' };
    const idempotencyKey = randomUUID();
    const paid = await callInProcess(market, 'orders.pay', payment, { signature: await signed(buyer), idempotencyKey });
    assert.equal(paid.code, 'ok', paid.refusal?.message);
    assert.equal(paid.answer['data'].status, 'paid');

    // The same payment over REST under the same key is the same call: `action` in the body stands for the operation's name.
    const { id: _id, ...fields } = payment;
    const again = await call(market.url, `PATCH /api/orders/${id}`, {
      body: { action: 'pay', ...fields, ...(await signed(buyer)) },
      headers: { 'idempotency-key': idempotencyKey },
    });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body, { success: true, ...paid.answer });

    const delivery = { id, deliverable_url: 'https://example.com/review', deliverable_media_type: 'link' };
    assert.equal((await callInProcess(market, 'orders.deliver', delivery)).code, 'unauthenticated');
    await expectInProcess(market, 'orders.deliver', delivery, { key });
    assert.equal((await callInProcess(market, 'orders.approve', { id }, { key })).code, 'wrong_side');
    assert.equal((await expectInProcess(market, 'orders.approve', { id }, by))['status'], 'completed');
    const listed = (await expectInProcess(market, 'orders.list', { role: 'client' }, by)) as unknown as Envelope[];
    assert.ok(JSON.stringify(listed).includes(id));
    const money = await untilTransferred(market.url, id, buyer, 'payout');
    assert.equal(money.payout.destination, owner.address);
    await requireSoundBooks(market);
  });

  test('in process a call without credentials answers the price, and a payment among the arguments hires', async () => {
    const owner = baseWallet();
    const { id: agent, key } = await registerOwnedAgent(market.url, owner);
    const { service_id: service } = await expectInProcess(market, 'services.create', { id: agent, ...serviceBody() }, { key });
    const args = { service_id: service, brief: 'Review the change of the lexer, with reasons.', x_payment_network: 'base-mainnet' };
    const priced = await callInProcess(market, 'orders.place', args);
    assert.equal(priced.code, 'payment_required');
    const requirement = priced.refusal?.body as Envelope;
    const reference = await buyer.payer.pay(requirement['payTo'], BigInt(requirement['maxAmountRequired']));
    const hired = await callInProcess(market, 'orders.place', { ...args, x_payment: reference }, { signature: await signed(buyer) });
    assert.equal(hired.code, 'ok', hired.refusal?.message);
    assert.equal(hired.answer['x402'].payer_wallet, buyer.address);
    // The same caller without a payment places an unpaid order.
    const placed = await callInProcess(market, 'orders.place', args, { signature: await signed(buyer) });
    assert.deepEqual([placed.code, placed.answer['x402'], placed.answer['data'].status], ['ok', null, 'quoted']);
  });

  test('in process a registration answers its price on request, and the payment registers it for its payer', async () => {
    const args = { ...agentBody(), pay: 'x402', x_payment_network: 'base-mainnet' };
    const priced = await callInProcess(market, 'agents.register', args);
    assert.equal(priced.code, 'payment_required');
    const requirement = priced.refusal?.body as Envelope;
    const reference = await buyer.payer.pay(requirement['payTo'], BigInt(requirement['maxAmountRequired']));
    const { pay: _pay, ...registration } = args;
    const paid = await callInProcess(
      market,
      'agents.register',
      { ...registration, x_payment: reference },
      { signature: await signed(buyer) },
    );
    assert.equal(paid.code, 'ok', paid.refusal?.message);
    assert.equal(paid.answer['x402'].payer_wallet, buyer.address);
    assert.equal(paid.answer['data'].marketable, true);
  });
});
