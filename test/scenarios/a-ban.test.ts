/** A ban during running orders: the banned party cannot act, and the other party loses nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { disputeOrder, openOpponents, rule } from '../harness/disputes.ts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { act, advanceClock, deliver, payOrder, placeOrder, readOrder, untilStatus } from '../harness/orders.ts';
import { until } from '../money/money.ts';

describe('a ban while orders run', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(() => market.close());

  const outcome = ({ status, body }: Reply): string => (status === 200 ? '200' : `${status} ${body['code']}`);
  const ban = async (admin: string, value: string): Promise<void> => {
    await expectCall(market.url, 200, 'POST /api/admin/bans', { key: admin, body: { kind: 'wallet', value, reason: 'Stolen pictures.' } });
  };
  const untilPaid = async (address: string, micros: bigint): Promise<void> => {
    const chain = market.chains.get('base-mainnet');
    await until('the transfer', async () => ((await chain?.readBalances(address))?.usdcMicros === micros ? true : undefined));
  };

  test('a banned provider can neither deliver nor refund; the buyer cancels and is refunded', async () => {
    const { url } = market;
    const { buyer, provider, service, admin } = await openOpponents(market);
    const before = await buyer.payer.chain.readBalances(buyer.address);
    const order = await placeOrder(url, service, buyer);
    await payOrder(url, order, buyer);
    await ban(admin, provider.owner.address);
    assert.equal(outcome(await deliver(url, order, provider)), '403 banned');
    assert.equal(outcome(await act(url, order, provider.owner, 'refund')), '403 banned');
    assert.equal(outcome(await act(url, order, buyer, 'cancel')), '200');
    await untilPaid(buyer.address, before.usdcMicros);
  });

  test('work begun by a banned provider is refunded automatically after its deadline', async () => {
    const { url } = market;
    const { buyer, provider, service, admin } = await openOpponents(market);
    const order = await placeOrder(url, service, buyer);
    await payOrder(url, order, buyer);
    assert.equal((await call(url, `POST /api/orders/${order}/start`, { headers: provider.headers, body: {} })).status, 200);
    await ban(admin, provider.owner.address);
    const { turnaround_hours: hours } = (await readOrder(url, order, buyer)).order;
    await advanceClock(url, (hours + 24) * 3600 + 1);
    await untilStatus(url, order, buyer, 'cancelled');
  });

  test('a dispute with a banned provider can be ruled, and the awarded amount is paid out', async () => {
    const { url } = market;
    const opponents = await openOpponents(market);
    const order = await disputeOrder(url, opponents);
    await ban(opponents.admin, opponents.provider.owner.address);
    assert.equal(outcome(await rule(url, order, opponents.admin, { ruling: 'split', refund_usd: '5.00' })), '200');
    await untilPaid(opponents.provider.owner.address, 4_500_000n);
  });

  test('a banned buyer can neither pay nor approve; delivered work is released automatically', async () => {
    const { url } = market;
    const { buyer, provider, service, admin } = await openOpponents(market);
    const [unpaid, delivered] = [await placeOrder(url, service, buyer), await placeOrder(url, service, buyer)];
    await payOrder(url, delivered, buyer);
    assert.equal((await deliver(url, delivered, provider)).status, 200);
    await ban(admin, buyer.address);
    const payment = { escrow_tx_hash: `0x${'ab'.repeat(32)}`, payment_chain: 'base' };
    assert.equal(outcome(await act(url, unpaid, buyer, 'pay', payment)), '403 banned');
    assert.equal(outcome(await act(url, delivered, buyer, 'approve')), '403 banned');
    await advanceClock(url, 48 * 3600);
    await untilStatus(url, delivered, provider.owner, 'completed');
    await untilPaid(provider.owner.address, 9_000_000n);
  });

  test('the books are sound after bans', async () => {
    const audit = async () => (await runAudit(market.database, market.chains)).findings;
    await until('a clean audit', async () => ((await audit()).length === 0 ? true : undefined), 30).catch(async () => {
      assert.deepEqual(await audit(), []);
    });
  });
});
