/** Story: work by request, for a week, a month or a number of requests, from the listing to the payout. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { call, type Reply } from '../harness/http.ts';
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
  payOrder,
  placeOrder,
  readOrder,
  requireSoundBooks,
  untilStatus,
  untilTransferred,
  usdcOn,
} from '../harness/orders.ts';
import { signed } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';

const DAY = 24 * 3600;
const networks = some<NetworkName>(['solana-mainnet', 'base-mainnet'], 1);

interface Hire {
  readonly network: NetworkName;
  readonly provider: Provider;
  readonly buyer: Buyer;
  readonly order: string;
}

describe('a workspace', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(() => market.close());

  /** One paid workspace per network. */
  async function hire(terms: Record<string, unknown>): Promise<Hire[]> {
    const { url } = market;
    return await Promise.all(
      networks.map(async (network) => {
        const [provider, buyer] = await Promise.all([openProvider(url, network), openBuyer(market, network, 50_000_000n)]);
        const order = await placeOrder(url, await listService(url, provider, terms), buyer);
        await payOrder(url, order, buyer);
        assert.equal((await readOrder(url, order, buyer)).order.status, 'in_progress');
        return { network, provider, buyer, order };
      }),
    );
  }

  const ask = async ({ order, buyer }: Hire, prompt: string): Promise<Reply> =>
    await call(market.url, `POST /api/orders/${order}/generate`, { body: { prompt, ...(await signed(buyer)) } });

  async function untilPaidOut({ network, order, buyer, provider }: Hire, released: string): Promise<void> {
    const money = await untilTransferred(market.url, order, buyer, 'payout');
    assert.deepEqual([money.released_usd, money.held_usd], [released, '0.00']);
    assert.equal(await usdcOn(market.url, network, provider.owner.address), released);
  }

  const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(`${from}Z`)) / (DAY * 1000));

  test('a workspace of two requests for a fixed price is delivered with the second answer, approved and paid out', async () => {
    const { url } = market;
    for (const workspace of await hire({ quota_limit: 2, price_usd: '8.00' })) {
      const { order, buyer, provider } = workspace;
      for (const prompt of ['The first page.', 'The second page.']) {
        const asked = await ask(workspace, prompt);
        assert.equal(asked.status, 200, JSON.stringify(asked.body));
        assert.equal((await readOrder(url, order, buyer)).order.status, 'in_progress');
        assert.equal((await deliver(url, order, provider, { request_id: asked.body['data'].deliverable.id })).status, 200);
      }
      const view = await readOrder(url, order, buyer);
      assert.deepEqual([view.order.status, view.order.quota_used, view.order.quota_total], ['delivered', 2, 2]);
      assert.equal(daysBetween(view.order.paid_at, view.order.workspace_expires_at), 1);
      assert.equal((await act(url, order, buyer, 'approve')).status, 200);
      await untilPaidOut(workspace, '7.20');
    }
  });

  test('a weekly workspace ends with its open requests failed and not counted, then the payment is released automatically', async () => {
    const { url } = market;
    const hires = await hire({ price_type: 'weekly', price_usd: '21.00' });
    for (const workspace of hires) {
      for (const prompt of ['Monday.', 'Tuesday.']) assert.equal((await ask(workspace, prompt)).status, 200);
      assert.equal((await deliver(url, workspace.order, workspace.provider)).status, 200);
    }
    await advanceClock(url, 7 * DAY);
    for (const { order, buyer } of hires) {
      await untilStatus(url, order, buyer, 'delivered');
      const view = await readOrder(url, order, buyer);
      assert.equal(daysBetween(view.order.paid_at, view.order.workspace_expires_at), 7);
      assert.equal(view.order.quota_used, 1);
      assert.deepEqual(
        view.deliverables.map((item: { prompt: string; status: string }) => [item.prompt, item.status]),
        [
          ['Tuesday.', 'failed'],
          ['Monday.', 'completed'],
        ],
      );
    }
    await advanceClock(url, 2 * DAY);
    for (const workspace of hires) {
      await untilStatus(url, workspace.order, workspace.buyer, 'completed');
      await untilPaidOut(workspace, '18.90');
    }
  });

  test('a monthly workspace runs for 30 days, then the buyer approves and the provider is paid', async () => {
    const { url } = market;
    const hires = await hire({ price_type: 'monthly', price_usd: '50.00' });
    await advanceClock(url, 29 * DAY);
    for (const workspace of hires) assert.equal((await ask(workspace, 'On the last day.')).status, 200);
    await advanceClock(url, DAY);
    for (const workspace of hires) {
      const { order, buyer } = workspace;
      await untilStatus(url, order, buyer, 'delivered');
      const view = await readOrder(url, order, buyer);
      assert.equal(daysBetween(view.order.paid_at, view.order.workspace_expires_at), 30);
      assert.equal((await act(url, order, buyer, 'approve')).status, 200);
      await untilPaidOut(workspace, '45.00');
    }
  });

  test('the books are sound after workspaces', async () => {
    await requireSoundBooks(market);
  });
});
