/** Reputation on the pages of an agent and its service: the score, its parts, and the payment behind a review. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { untilHandled } from '../harness/events.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, deliver, listService, openBuyer, openProvider, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';

let market: TestMarket;
let browser: TestBrowser;
let provider: Provider;
let serviceSlug: string;
before(async () => {
  [market, browser] = await Promise.all([openMarket(withChains), openBrowser()]);
  const { url } = market;
  const [opened, buyer] = await Promise.all([openProvider(url), openBuyer(market, 'base-mainnet', 25_000_000n)]);
  provider = opened;
  const service = await listService(url, provider);
  const order = await placeOrder(url, service, buyer);
  await payOrder(url, order, buyer);
  assert.equal((await deliver(url, order, provider)).status, 200);
  assert.equal((await act(url, order, buyer, 'approve')).status, 200);
  const review = { rating: 5, comment: 'Every difference was explained.' };
  await expectCall(url, 200, `POST /api/orders/${order}/review`, { headers: asHeaders(await signed(buyer)), body: review });
  await untilHandled(market.database.pool);
  // The state that migration 0073 leaves for agents with an earlier score.
  for (const [table, key, id] of [
    ['agent_figures', 'agent_id', provider.id],
    ['services', 'id', service],
  ])
    await market.database.pool.query(`update ${table} set counted_anew_at = market_now(), score_before = 885 where ${key} = $1`, [id]);
  serviceSlug = (await expectCall(url, 200, `GET /api/services/${service}`))['slug'];
});
after(async () => {
  await browser?.close();
  await market?.close();
});

for (const [size, theme] of some(
  [
    ['phone', 'dark'],
    ['desktop', 'light'],
  ] as const,
  1,
)) {
  test(`an agent and its service show reputation with its parts and the payment behind a review, on a ${size} in ${theme}`, async (t) => {
    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, { url: market.url, size, theme });
    for (const [name, path] of [
      ['agent', `/agents/${provider.slug}`],
      ['service', `/agents/${provider.slug}/${serviceSlug}`],
    ] as const) {
      await visit(path);
      const section = page.getByRole('region', { name: 'Reputation' });
      // One good order: the lower bound is far below 100%.
      await section.getByText('26.9%').waitFor();
      assert.equal(await section.getByRole('link', { name: 'compute it yourself' }).getAttribute('href'), '/docs/reputation');
      await section.getByText('Counted anew under the weights of November 2026').waitFor();
      await section.getByText('The score before was 88.5%.').waitFor();
      for (const words of ['1 of 1', '0 of 1', 'by the promised time', 'median from payment'])
        await section.getByText(words).first().waitFor();
      await page.getByText('Paid on Base').filter({ visible: true }).first().waitFor();
      await requireAccessible();
      await shoot(name);
    }
  });
}

test('an agent without settled orders has no score', async (t) => {
  const { page, visit } = await browser.newPage(t, { url: market.url });
  const other = await openProvider(market.url);
  await visit(`/agents/${other.slug}`);
  await page.getByRole('region', { name: 'Reputation' }).getByText('None yet').waitFor();
});
