/** Browse: counts that open what they count, paging back and forth, misspelt words, and agents and bounties in the same box. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { postBounty } from '../harness/bounties.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { png, upload } from '../harness/files.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { deliver, listService, placeOrder } from '../harness/orders.ts';
import { baseWallet } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

const PRICES = ['0.50', '2.00', '10.00', '50.00', '200.00'];
const MANY = 50;
const PICTURED = 'Pictures drawn from tables';

suite('browse', () => {
  let market: TestMarket;
  let browser: TestBrowser;
  before(async () => {
    [market, browser] = await Promise.all([openMarket({ RATE_LIMIT_SCALE: '1000' }), openBrowser()]);
    const { url } = market;
    const owner = baseWallet();
    const agent = await registerOwnedAgent(url, owner, {
      name: 'Ledgerwise Reader',
      description: 'Reads ledgers line by line and explains every difference.',
    });
    const provider = { ...agent, owner, headers: { authorization: `Bearer ${agent.key}` } };
    for (let n = 0; n < MANY; n++)
      await listService(url, provider, {
        title: `Ledger reconciliation ${n}`,
        price_usd: PRICES[n % PRICES.length],
        turnaround_hours: n % 2 === 0 ? 24 : 100,
        provider_model: n < 3 ? 'quill-7' : 'brush-2',
      });
    const pictured = await listService(url, provider, { title: PICTURED, category: 'image_gen', price_usd: '3.00' });
    const order = await placeOrder(url, pictured, baseWallet(), { allow_portfolio: true });
    await setOrderStatus(market, [order], 'in_progress');
    const file = await upload(url, agent.key, { content: png(480, 270), name: 'chart.png', type: 'image/png' });
    const result = { deliverable_url: file.body['data'].url, deliverable_media_type: 'image' };
    assert.equal((await deliver(url, order, provider, result)).status, 200);
    await setOrderStatus(market, [order], 'completed');
    await postBounty(url, baseWallet(), { title: 'Reconciliation of one ledger' });
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
  ))
    test(`on a ${size} in ${theme} the browse page turns pages, narrows by price and words, and finds bounties and agents in the same box`, async (t) => {
      const { page, visit, requireAccessible, shoot } = await browser.newPage(t, { url: market.url, size, theme });
      const go = (name: string) => page.getByRole('link', { name, exact: true }).click();
      await visit('/browse?sort=newest');
      await page.getByText('1 to 24 of 51 services').waitFor();
      const picture = page.getByRole('img', { name: `Result of ${PICTURED}` });
      await picture.scrollIntoViewIfNeeded();
      await until(
        'the picture',
        async () => ((await page.evaluate('document.querySelector("img.sample").naturalWidth')) as number) || undefined,
      );
      assert.ok((await picture.getAttribute('src'))?.startsWith(`${market.url}/files/`));
      await page
        .getByText(/^Answering,/)
        .first()
        .waitFor();
      await requireAccessible();
      await shoot('newest');
      await go('Next page');
      await page.getByText('25 to 48 of 51 services').waitFor();
      await go('Next page');
      await page.getByText('49 to 51 of 51 services').waitFor();
      assert.equal(await page.getByRole('link', { name: 'Next page' }).count(), 0);
      await go('Previous page');
      await page.getByText('25 to 48 of 51 services').waitFor();
      assert.match(page.url(), /\/browse\?sort=newest&page=2$/);
      await go('Previous page');
      await page.getByText('1 to 24 of 51 services').waitFor();
      assert.match(page.url(), /\/browse\?sort=newest$/);

      if (size === 'phone') await page.getByRole('button', { name: 'Filters' }).click();
      await go('From 1 to 5 USDC: 11 services');
      await page.getByText('11 services', { exact: true }).waitFor();
      await page
        .getByRole('navigation', { name: 'Delivery' })
        .getByRole('link', { name: /^Within a day/ })
        .click();
      await page.getByText('5 services', { exact: true }).waitFor();
      await requireAccessible();
      await shoot('narrowed');
      await go('Clear all filters');
      await page.getByText('1 to 24 of 51 services').waitFor();

      await page.getByRole('searchbox', { name: 'Search services, agents and bounties' }).fill('ledger reconcilation');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByText('No service uses “reconcilation”; showing “reconciliation”.').waitFor();
      await page.getByRole('link', { name: 'Best match', exact: true }).click();
      await page.getByText('The score is 60% how well the words fit').waitFor();
      await page.getByText(`1 to 24 of ${MANY} services`).waitFor();
      await requireAccessible();
      await shoot('words');
      await go('Bounties 1');
      await requireAccessible();
      await shoot('bounties');
      await go('Reconciliation of one ledger');
      await page.waitForURL(/\/bounties\/bnty_/);
      await page.getByRole('heading', { level: 1, name: 'Reconciliation of one ledger' }).waitFor();

      await visit('/browse?search=ledgerwise');
      await go('Agents 1');
      await page.getByRole('heading', { level: 2, name: 'Ledgerwise Reader' }).waitFor();
      await page.getByText('1 agent', { exact: true }).waitFor();
      await requireAccessible();
      await shoot('agents');
    });

  test('without scripts, a filter of the browse page opens a list of as many services as it counts', async (t) => {
    const { page, visit } = await browser.newPage(t, { url: market.url, scripts: false });
    for (const view of ['/browse', '/browse?search=ledger&delivery=24']) {
      await visit(view);
      const links = await Promise.all(
        (await page.locator('.facets nav a').all()).map(async (link) => {
          const [count] = await link.locator('.mono').allTextContents();
          return { href: (await link.getAttribute('href')) ?? '', count };
        }),
      );
      const counted = links.filter(({ count }) => count !== undefined);
      assert.equal(counted.length, 12 + 5 + 4 + 4 + 3 + 1 + 2);
      const shown = async (): Promise<number> => {
        const [, total] = /(\d+) services?$/.exec((await page.locator('.more [role=status]').textContent()) ?? '') ?? [];
        return Number(total);
      };
      const isChosen = (href: string) => view.includes('delivery=24') && !href.includes('delivery=');
      const unchosen = counted.filter((link) => !isChosen(link.href));
      for (const { href, count } of some(unchosen, 6)) {
        await visit(href);
        if (count === '0') await page.getByText(/^No service fits/).waitFor();
        else assert.equal(await shown(), Number(count), href);
      }
    }
  });

  test('without scripts, the browse page searches by words, turns pages, opens earlier addresses and lists all kinds', async (t) => {
    const { page, visit } = await browser.newPage(t, { url: market.url, scripts: false, allow: [/404/] });
    await visit('/browse?price=over5');
    await page.getByText('5 USDC and more. Show every price').waitFor();
    await page.getByText('1 to 24 of 30 services').waitFor();
    await visit('/browse?price=under1');
    await page.getByText('10 services', { exact: true }).waitFor();
    await visit('/browse?model=quill-7&sort=popular');
    await page.getByText('3 services', { exact: true }).waitFor();
    await visit('/browse?sort=cheapest&page=2');
    await page.getByRole('searchbox').fill('reconcilation');
    await page.keyboard.press('Enter');
    await page.getByText('showing “reconciliation”').waitFor();
    assert.match(page.url(), /search=reconcilation/);
    assert.match(page.url(), /sort=cheapest/);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText(`25 to 48 of ${MANY} services`).waitFor();
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.getByText(`1 to 24 of ${MANY} services`).waitFor();
    await visit('/browse?page=99');
    await page.getByText('There is no page 99 of these.').waitFor();
    // The tab of all bounties is the board.
    await visit('/browse?tab=bounties');
    assert.match(page.url(), /\/bounties$/);
  });

  test('a price bar of the browse page is chosen and left by keyboard alone', async (t) => {
    const { page, visit, tabTo } = await browser.newPage(t, { url: market.url });
    await visit('/browse');
    await tabTo('link', 'Under 1 USDC: 10 services');
    await page.keyboard.press('Enter');
    await page.waitForURL(/price=0-1$/);
    await page.getByText('10 services', { exact: true }).waitFor();
    await tabTo('link', 'Under 1 USDC: 10 services');
    await page.keyboard.press('Enter');
    await page.getByText('1 to 24 of 51 services').waitFor();
  });
});
