/** Story: every mistake that a buyer can make with a payment, without any loss. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import type { Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, type Buyer, listService, openBuyer, openProvider, placeOrder, readOrder, requireSoundBooks } from '../harness/orders.ts';

const PRICE = 10_000_000n;

describe('paying for an order', { concurrency: 4 }, () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withChains);
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  async function meet(network: NetworkName): Promise<{ buyer: Buyer; order: string; again: () => Promise<string> }> {
    const { url } = market;
    const [provider, buyer] = await Promise.all([openProvider(url, network), openBuyer(market, network)]);
    const service = await listService(url, provider);
    const again = async () => await placeOrder(url, service, buyer);
    return { buyer, order: await again(), again };
  }

  const send = async (from: Buyer, micros: bigint): Promise<string> => await from.payer.pay(from.payer.chain.treasury, micros, 'confirmed');
  const tell = async (
    order: string,
    who: Buyer,
    reference: string,
    chain: string = networkFacts[who.payer.chain.network].chain,
  ): Promise<Reply> => await act(market.url, order, who, 'pay', { escrow_tx_hash: reference, payment_chain: chain });

  function requireRefusal({ status, body }: Reply, expected: number, code: string): void {
    assert.deepEqual([status, body['code']], [expected, code], JSON.stringify(body));
  }

  for (const network of ['base-mainnet', 'solana-mainnet'] as const) {
    test(`M10: of an overpayment on ${network} the price is held, and the surplus is credited to the payer`, async () => {
      const { buyer, order } = await meet(network);
      const paid = await tell(order, buyer, await send(buyer, PRICE + 2_500_000n));
      assert.equal(paid.status, 200, JSON.stringify(paid.body));
      const { money } = await readOrder(market.url, order, buyer);
      assert.deepEqual([money.price_usd, money.held_usd, money.surplus_usd], ['10.00', '10.00', '2.50']);
    });

    test(`M09: a payment one micro-USDC short on ${network} is refused with the reason and stays unused; the right amount is accepted`, async () => {
      const { buyer, order } = await meet(network);
      const short = await send(buyer, PRICE - 1n);
      const refused = await tell(order, buyer, short);
      requireRefusal(refused, 400, 'payment_underpaid');
      assert.deepEqual(refused.body['data'], { expected_usd: '10.00', received_usd: '9.999999' });
      assert.equal((await readOrder(market.url, order, buyer)).order.status, 'quoted');
      assert.equal((await tell(order, buyer, await send(buyer, PRICE))).status, 200);
      requireRefusal(await tell(order, buyer, short), 400, 'illegal_transition');
    });

    test(`another payer’s payment on ${network} is 403 and stays theirs`, async () => {
      const { buyer, order } = await meet(network);
      const other = await meet(network);
      const reference = await send(other.buyer, PRICE);
      requireRefusal(await tell(order, buyer, reference), 403, 'payment_wrong_payer');
      assert.equal((await tell(other.order, other.buyer, reference)).status, 200);
      requireRefusal(await tell(order, buyer, reference), 409, 'payment_already_used');
    });

    test(`M01: one payment on ${network} pays one order, however often and for whatever it is presented`, async () => {
      const { buyer, order, again } = await meet(network);
      const second = await again();
      const reference = await send(buyer, PRICE);
      const first = await tell(order, buyer, reference);
      const repeated = await tell(order, buyer, reference);
      assert.deepEqual([first.status, repeated.status], [200, 200]);
      assert.deepEqual(repeated.body['data'], first.body['data']);
      requireRefusal(await tell(second, buyer, reference), 409, 'payment_already_used');
      assert.equal((await readOrder(market.url, order, buyer)).money.paid_usd, '10.00');
      // It still pays no other order after the first one ended.
      assert.equal((await act(market.url, order, buyer, 'cancel')).status, 200);
      requireRefusal(await tell(second, buyer, reference), 409, 'payment_already_used');
    });
  }

  test('M03: another spelling of an EVM payment is the same payment', async () => {
    const { buyer, order, again } = await meet('base-mainnet');
    const second = await again();
    const reference = await send(buyer, PRICE);
    assert.equal((await tell(order, buyer, `  0x${reference.slice(2).toUpperCase()} `)).status, 200);
    requireRefusal(await tell(second, buyer, reference), 409, 'payment_already_used');
  });

  test('M05: a payment presented for the wrong network is not found, and can still be used on the right one', async () => {
    const { buyer, order } = await meet('base-mainnet');
    const reference = await send(buyer, PRICE);
    requireRefusal(await tell(order, buyer, reference, 'alt'), 400, 'payment_not_found');
    requireRefusal(await tell(order, buyer, reference, 'solana'), 400, 'invalid_payment_reference');
    assert.equal((await act(market.url, order, buyer, 'pay', { escrow_tx_hash: reference, payment_chain: 'dogecoin' })).status, 400);
    const paid = await act(market.url, order, buyer, 'pay', { escrow_tx_hash: reference });
    assert.deepEqual([paid.status, paid.body['data'].payment_network], [200, 'base-mainnet']);
  });

  test('M15: no field of the request weakens the verification of a payment that is one micro-USDC short', async () => {
    const { buyer, order } = await meet('base-mainnet');
    const short = await send(buyer, PRICE - 1n);
    const values = {
      payment_method: ['free', 'fiat', 'x402', 'credit', true],
      payment_chain: ['none', 'test', 'BASE', 'base-sepolia', 'dogecoin', 7, {}, []],
      payment_network: ['sandbox', 'base-mainnet'],
      amount_usd: ['9.999999', 0],
      price_usd: ['9.999999', '0'],
      expected_usd: ['9.999999'],
      verified: [true, 1],
      skip_verification: [true],
      paid: [true],
      status: ['paid'],
      payer: [buyer.address],
      treasury: [buyer.address],
      asset: ['0x0000000000000000000000000000000000000000'],
      test_mode: [true],
    };
    for (const [field, tries] of Object.entries(values))
      for (const value of tries) {
        const reply = await act(market.url, order, buyer, 'pay', { escrow_tx_hash: short, payment_chain: 'base', [field]: value });
        assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input'], `${field} ${JSON.stringify(value)}`);
      }
    requireRefusal(await tell(order, buyer, short), 400, 'payment_underpaid');
    assert.equal((await readOrder(market.url, order, buyer)).order.status, 'quoted');
    assert.equal((await tell(order, buyer, await send(buyer, PRICE))).status, 200);
  });

  test('M05: a payment on the other EVM network counts there when the request names that network', async () => {
    const { buyer, order } = await meet('alt-mainnet');
    const reference = await send(buyer, PRICE);
    requireRefusal(await act(market.url, order, buyer, 'pay', { escrow_tx_hash: reference }), 400, 'payment_not_found');
    const paid = await tell(order, buyer, reference);
    assert.deepEqual([paid.status, paid.body['data'].payment_network, paid.body['data'].payment_method], [200, 'alt-mainnet', 'usdc-alt']);
  });

  test('M16: an order without a price, or one that has ended, cannot be paid, and the payment stays unused', async () => {
    const { url } = market;
    const { buyer, order, again } = await meet('base-mainnet');
    const provider = await openProvider(url);
    const unpriced = await placeOrder(url, await listService(url, provider, { price_type: 'quote', price_usd: '0' }), buyer);
    const reference = await send(buyer, PRICE);
    requireRefusal(await tell(unpriced, buyer, reference), 400, 'illegal_transition');
    assert.equal((await act(url, order, buyer, 'cancel')).status, 200);
    requireRefusal(await tell(order, buyer, reference), 400, 'illegal_transition');
    assert.equal((await tell(await again(), buyer, reference)).status, 200);
  });
});
