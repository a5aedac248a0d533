/** Story: subscriptions from the listing to the payout. The money waits until the period and its review window are over. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  openBuyer,
  openProvider,
  type Provider,
  readOrder,
  untilStatus,
} from '../harness/orders.ts';
import { signed } from '../harness/people.ts';
import { openReceiver, type Receiver, withJson } from '../harness/receiver.ts';
import { generate, generated, listRequests, openWorkspace, setEndpoint, WORKSPACE_CALL } from '../harness/workspaces.ts';
import { type Money, openMoney, requireSound, until } from '../money/money.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

describe('a subscription, from the listing to the payout', () => {
  let market: TestMarket;
  let money: Money;
  let url: string;
  let receiver: Receiver;
  before(async () => {
    market = await openMarket({ ...withOwnChains, OUTBOUND_ALLOW: '127.0.0.1' });
    money = await openMoney(market);
    url = market.url;
    receiver = await openReceiver(withJson(200, { content: 'As you asked.' }), { only: WORKSPACE_CALL });
  });
  after(async () => {
    money.clock.stop();
    await market.close();
    await receiver.close();
  });

  async function meet(network: NetworkName, withEndpoint: boolean): Promise<{ buyer: Buyer; provider: Provider }> {
    const [buyer, provider] = await Promise.all([openBuyer(market, network), openProvider(url, network)]);
    if (withEndpoint) await setEndpoint(url, provider, receiver.url);
    return { buyer, provider };
  }

  /** Without an objection for 48 hours after the end, the money is paid out 90 to 10, on chain. */
  async function requirePaidOut(order: string, network: NetworkName, buyer: Buyer, provider: Provider): Promise<void> {
    const { money: waiting } = await readOrder(url, order, buyer);
    assert.deepEqual([waiting.state, waiting.held_usd, waiting.payout], ['in_review', '10.00', null]);
    await advanceClock(url, 48 * HOUR);
    await untilStatus(url, order, buyer, 'completed');
    const paid = await until('the payout', async () => {
      const { money: now } = await readOrder(url, order, buyer);
      return now.payout?.state === 'confirmed' ? now : undefined;
    });
    assert.deepEqual([paid.state, paid.held_usd, paid.released_usd, paid.payout.amount_usd], ['released', '0.00', '9.00', '9.00']);
    assert.equal((await market.chains.get(network)?.readBalances(provider.owner.address))?.usdcMicros, 9_000_000n);
  }

  const periods = [
    { priceType: 'weekly', days: 7, network: 'base-mainnet', withEndpoint: true },
    { priceType: 'monthly', days: 30, network: 'solana-mainnet', withEndpoint: false },
  ] as const;
  for (const { priceType, days, network, withEndpoint } of periods) {
    test(`a ${priceType} subscription runs for ${days} days, ends automatically with its open requests failed, and is paid out on ${network}`, async () => {
      const { buyer, provider } = await meet(network, withEndpoint);
      const order = await openWorkspace(url, provider, buyer, { price_type: priceType });
      const { order: opened } = await readOrder(url, order, buyer);
      const length = Date.parse(opened.workspace_expires_at) - Date.parse(`${opened.paid_at}Z`);
      assert.ok(Math.abs(length - days * DAY * 1000) < 2000, `${length} ms`);

      const first = await generated(url, order, buyer, 'The first thing.');
      if (!withEndpoint) assert.equal((await deliver(url, order, provider, { request_id: first['deliverable'].id })).status, 200);
      await advanceClock(url, days * DAY - HOUR);
      assert.equal((await readOrder(url, order, buyer)).order.status, 'in_progress');
      // Requested an hour before the end, and never answered.
      receiver.answer((response) => void response.writeHead(202).end());
      const last = await generated(url, order, buyer, 'The last thing.');
      receiver.answer(withJson(200, { content: 'As you asked.' }));
      assert.deepEqual([last['deliverable'].status, last['quota_used']], ['pending', 2]);
      await advanceClock(url, HOUR);
      await untilStatus(url, order, buyer, 'delivered');

      const requests = await listRequests(url, order, buyer);
      assert.deepEqual(
        requests.map(({ prompt, status }) => [prompt, status]),
        [
          ['The last thing.', 'failed'],
          ['The first thing.', 'completed'],
        ],
      );
      assert.equal((await readOrder(url, order, buyer)).order.quota_used, 1);
      const late = await deliver(url, order, provider, { request_id: last['deliverable'].id });
      assert.equal(late.status, 200, 'a delivery after the end is a delivery like any other');
      await requirePaidOut(order, network, buyer, provider);
    });
  }

  test('a fixed price with a quota ends with its last answer, is revised and approved, reviewed and paid out', async () => {
    const network = 'base-mainnet';
    const { buyer, provider } = await meet(network, true);
    const order = await openWorkspace(url, provider, buyer, { price_type: 'fixed', quota_limit: 2 });
    const { order: opened } = await readOrder(url, order, buyer);
    assert.ok(Math.abs(Date.parse(opened.workspace_expires_at) - Date.parse(`${opened.paid_at}Z`) - DAY * 1000) < 2000);

    receiver.answer(withJson(500, {}));
    assert.equal((await generate(url, order, buyer)).status, 503);
    receiver.answer(withJson(200, { content: 'As you asked.' }));
    assert.equal((await generated(url, order, buyer))['quota_used'], 1);
    receiver.answer(withJson(200, { deliverables: [{ content: 'The second one.' }, { content: 'And what belongs to it.' }] }));
    assert.equal((await generated(url, order, buyer))['quota_used'], 2);
    assert.equal((await readOrder(url, order, buyer)).order.status, 'delivered');

    assert.equal((await act(url, order, buyer, 'revision', { feedback: 'The second one again.' })).status, 200);
    assert.equal((await deliver(url, order, provider)).status, 200);
    const after = await readOrder(url, order, buyer);
    assert.deepEqual(
      after.deliverables.map(({ status }: { status: string }) => status),
      ['completed', 'completed', 'completed', 'completed', 'failed'],
      'a revision replaces deliveries, not answers',
    );
    assert.equal((await act(url, order, buyer, 'approve')).status, 200);
    const review = { rating: 5, comment: 'Quick and to the point.', ...(await signed(buyer)) };
    assert.equal((await call(url, `POST /api/orders/${order}/review`, { body: review })).status, 200);
    await until('the payout', async () => ((await readOrder(url, order, buyer)).money.payout?.state === 'confirmed' ? true : undefined));
    assert.equal((await market.chains.get(network)?.readBalances(provider.owner.address))?.usdcMicros, 9_000_000n);
  });

  test('a subscription refunded by the provider is refunded in full, and its open requests fail', async () => {
    const network = 'base-mainnet';
    const { buyer, provider } = await meet(network, false);
    const order = await openWorkspace(url, provider, buyer);
    await generated(url, order, buyer);
    assert.equal((await act(url, order, provider.owner, 'refund', { reason: 'Cannot do it.' })).status, 200);
    const [request] = await listRequests(url, order, buyer);
    assert.equal(request?.['status'], 'failed');
    const { money: given } = await readOrder(url, order, buyer);
    assert.deepEqual([given.refunded_usd, given.held_usd], ['10.00', '0.00']);
  });

  test('the books are sound after subscriptions', async () => {
    await until('every transfer being final', async () => {
      const open = await money.database.db.selectFrom('payouts').select('id').where('state', '!=', 'confirmed').execute();
      return open.length === 0 ? true : undefined;
    });
    await requireSound(money);
  });
});
