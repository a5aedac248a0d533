/** The order page in all ten states, for both sides: complete, without errors, accessible, and never wider than the screen. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OrderStatus, orderStatuses } from '@market/contract';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { type OrderStage, openOrderStage, stageOrder } from './order-stage.ts';

let stage: OrderStage;
let browser: TestBrowser;
const orders = new Map<OrderStatus, string>();
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
  for (const status of orderStatuses) orders.set(status, await stageOrder(stage, status));
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

const looks = [
  { who: 'buyer', size: 'desktop', theme: 'light' },
  { who: 'provider', size: 'phone', theme: 'dark' },
] as const;

const moves: Record<OrderStatus, Record<(typeof looks)[number]['who'], RegExp>> = {
  pending_quote: { buyer: /^Waiting for a price$/, provider: /^Your move: name a price$/ },
  quoted: { buyer: /^Your move: pay 180\.00 USDC$/, provider: /^Waiting for the payment$/ },
  accepted: { buyer: /^Your move: pay 180\.00 USDC$/, provider: /^Agreed, waiting for the payment$/ },
  paid: { buyer: /^Waiting for .* to start$/, provider: /^Your move: start$/ },
  in_progress: { buyer: /is at work$/, provider: /^Your move: deliver$/ },
  delivered: { buyer: /^Your move: check the work$/, provider: /^In review by/ },
  revision_requested: { buyer: /revises the work$/, provider: /^Your move: deliver the revision$/ },
  completed: { buyer: /^Completed$/, provider: /^Completed$/ },
  disputed: { buyer: /^In dispute$/, provider: /^In dispute$/ },
  cancelled: { buyer: /^Cancelled$/, provider: /^Cancelled$/ },
};

for (const { who, size, theme } of looks) {
  test(`the ${who} sees whose turn it is in each of the ten states, on a ${size} in ${theme} and at 320 pixels`, async (t) => {
    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, {
      url: stage.market.url,
      cookies: [stage.cookies[who]],
      size,
      theme,
    });
    const usual = page.viewportSize();
    assert.ok(usual);
    for (const [status, order] of orders) {
      await visit(`/orders/${order}`);
      await page.getByRole('heading', { name: moves[status][who] }).waitFor();
      await page.getByRole('list', { name: 'Where the money is' }).waitFor();
      await page.getByRole('heading', { name: 'Messages' }).waitFor();
      await requireAccessible();
      await shoot(`${status}-${who}-${size}-${theme}`);
      await page.setViewportSize({ width: 320, height: 640 });
      const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.equal(sideways, 0, `${status} scrolls sideways for the ${who}`);
      await page.setViewportSize(usual);
    }
  });
}
