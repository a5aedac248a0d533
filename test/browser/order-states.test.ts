/** The order page in all ten states, for both sides: complete, without errors, accessible, and never wider than the screen. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OrderStatus, orderStatuses } from '@market/contract';
import { openBrowser, type Size, type TestBrowser, type Theme } from '../harness/browser.ts';
import { isThorough } from '../harness/thoroughness.ts';
import { type OrderStage, openOrderStage, stageOrder } from './order-stage.ts';

let stage: OrderStage;
let browser: TestBrowser;
const orders = new Map<OrderStatus, string>();
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
  for (const status of new Set(looks.flatMap(statesOf))) orders.set(status, await stageOrder(stage, status));
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

interface Look {
  readonly who: 'buyer' | 'provider';
  readonly size: Size;
  readonly theme: Theme;
  /** States tried in an everyday run. */
  readonly everyday: readonly OrderStatus[];
}

const looks: readonly Look[] = [
  { who: 'buyer', size: 'desktop', theme: 'light', everyday: ['quoted', 'delivered', 'cancelled'] },
  { who: 'provider', size: 'phone', theme: 'dark', everyday: ['pending_quote', 'in_progress', 'disputed'] },
];
const statesOf = ({ everyday }: Look): readonly OrderStatus[] => (isThorough ? orderStatuses : everyday);

const moves: Record<OrderStatus, Record<Look['who'], RegExp>> = {
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

for (const look of looks) {
  const { who, size, theme } = look;
  const states = statesOf(look);
  test(`the ${who} sees whose turn it is in each of ${states.length} order states, on a ${size} in ${theme} and at 320 pixels`, async (t) => {
    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, {
      url: stage.market.url,
      cookies: [stage.cookies[who]],
      size,
      theme,
    });
    const usual = page.viewportSize();
    assert.ok(usual);
    for (const status of states) {
      await visit(`/orders/${orders.get(status)}`);
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
