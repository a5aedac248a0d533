/** The explorer: held and owed amounts, and every payment with its transaction, with and without scripts. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { readTreasuries } from '../../packages/server/src/features/discovery/stats/read-treasuries.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { untilHandled } from '../harness/events.ts';
import { expectCall } from '../harness/http.ts';
import { hireWith, openMachineBuyer, readOffer, versionTwo } from '../harness/machine-buyers.ts';
import { untilTransferred } from '../harness/orders.ts';
import { until } from '../money/money.ts';
import { type OrderStage, openOrderStage, stageOrder } from './order-stage.ts';

suite('the explorer', () => {
  let stage: OrderStage;
  let browser: TestBrowser;

  before(async () => {
    [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
    const { market, buyer, services } = stage;
    const completed = await stageOrder(stage, 'completed');
    await stageOrder(stage, 'in_progress');
    const machine = await openMachineBuyer(market, 'base-mainnet', 1_000_000_000n);
    const offer = await readOffer(market, market.url, services.fixed, 'base-mainnet');
    assert.equal((await hireWith(market.url, services.fixed, versionTwo(offer, await machine.authorise(offer)))).status, 200);
    await untilTransferred(market.url, completed, buyer, 'payout');
    await untilHandled(market.database.pool);
    await untilHeldIsRead(stage);
  });
  after(async () => {
    await browser?.close();
    await stage?.market.close();
  });

  test('the explorer shows held and owed amounts and a real hire on a desktop in the light theme, and filters its lists by links', async (t) => {
    const { page, visit, shoot, requireAccessible } = await browser.newPage(t, { url: stage.market.url });
    await visit('/explorer');
    // Owed: 180 of the order in work. The fees of the completed order and of the machine's are the marketplace's own.
    const sum = page.getByRole('region', { name: 'Held against owed' });
    await sum.getByText('Owed to buyers and sellers').waitFor();
    await sum.getByText('Fees earned by Mercato').waitFor();
    await sum.getByText('All of it is there').first().waitFor();
    // A payout may be on its way while the page is rendered.
    await until('the figures of the API on the page', async () => {
      await visit('/explorer');
      const shown = (await sum.textContent()) ?? '';
      const held = await readHeld(stage);
      return ['held_usd', 'owed_usd', 'own_usd'].every((name) => shown.includes(held[name])) ? true : undefined;
    });
    await page.getByRole('img', { name: /^Orders paid by day in the last 30 days: 3 in all/ }).waitFor();

    const leading = page.getByRole('region', { name: 'Leaderboard' }).getByRole('row');
    assert.equal(await leading.count(), 1 + 1);
    const first = (await expectCall(stage.market.url, 200, 'GET /api/leaderboard/agents?limit=1'))[0];
    assert.ok(Number(first.weekly_revenue) > 0);
    const row = (await leading.nth(1).textContent()) ?? '';
    for (const words of ['1 this week, 1 in all', first.weekly_revenue, first.total_revenue])
      assert.ok(row.includes(words), `${words} in: ${row}`);

    const table = page.getByRole('table', { name: 'Payments' });
    assert.equal(await table.getByRole('row').count(), 1 + 3);
    await table.getByRole('button', { name: 'Copy transaction' }).first().waitFor();
    await requireAccessible();
    await shoot('day');

    await page.getByRole('link', { name: 'Machine hires', exact: true }).click();
    await page.getByRole('table', { name: 'Machine hires' }).getByText('at hire').waitFor();
    await page.getByRole('link', { name: 'Payouts and refunds' }).click();
    await page.getByRole('table', { name: 'Payouts and refunds' }).getByText('162.00').waitFor();
    await page.getByRole('link', { name: 'Refund', exact: true }).click();
    await page.getByText('Nothing was sent yet that fits.').waitFor();
    assert.match(page.url(), /\?list=payouts&kind=refund#lists$/);
    await page.getByRole('link', { name: 'Show all payouts and refunds' }).click();
    await page.getByRole('table', { name: 'Payouts and refunds' }).waitFor();
  });

  test('the explorer is readable without scripts on a phone in the dark theme: figures, bars and rows are server-rendered', async (t) => {
    const { page, visit, shoot } = await browser.newPage(t, { url: stage.market.url, scripts: false, size: 'phone', theme: 'dark' });
    await visit('/explorer');
    await page.getByText('Owed to buyers and sellers', { exact: true }).waitFor();
    assert.ok((await page.locator('.chart rect').count()) > 0, 'bars');
    assert.equal(await page.locator('main .skeleton').count(), 0);
    await page.getByRole('link', { name: 'Machine hires', exact: true }).click();
    const row = page.getByRole('table', { name: 'Machine hires' }).getByRole('row').nth(1);
    assert.match((await row.textContent()) ?? '', /Retention report from your event export/);
    assert.match((await row.textContent()) ?? '', /198\.00/);
    await shoot('night-without-scripts');
  });

  test('the explorer names a source that is unavailable, keeps the rest, and recovers on retry', async (t) => {
    const { page, visit } = await browser.newPage(t, { url: stage.market.url, allow: [/stats\/board/, /503/] });
    let away = true;
    await page.route('**/api/stats/board', (route) =>
      away ? route.fulfill({ status: 503, json: { success: false, error: 'Away.', code: 'unavailable' } }) : route.continue(),
    );
    // Opens the page by a link, so that the browser loads all data itself.
    await visit('/docs');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Explorer' }).click();
    await page.getByText('The board could not be read just now. The rest is complete.').waitFor();
    await page.getByText('Owed to buyers and sellers', { exact: true }).waitFor();
    away = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'The board' }).waitFor();
  });
});

const readHeld = ({ market }: OrderStage) => expectCall(market.url, 200, 'GET /api/stats/held');

/** Waits until all but the order in work is paid out, and the treasuries were read after that, which takes up to half a minute. */
async function untilHeldIsRead(stage: OrderStage): Promise<void> {
  const { database, chains } = stage.market;
  await until('the books being still', async () => {
    await readTreasuries({ database, chains, log: createLogger({ level: 'silent', pretty: false }) });
    const held = await readHeld(stage);
    return held['owed_usd'] === '180.00' && held['own_usd'] === '36.00' ? true : undefined;
  });
}
