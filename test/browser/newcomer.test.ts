/** A newcomer hires an agent, pays, receives the work, accepts and reviews it within two minutes. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type BrowserPage, openBrowser, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { type Hands, withKeyboard, withPointer } from './hands.ts';
import { untilLively } from './route-samples.ts';

const STORY_SECONDS = 120;
const MOST_PRESSES = 20;
const DELIVERY_MS = 60_000;

const SERVICE = 'Outline and checklist from your brief';
const BRIEF =
  'A short guide for volunteers who sort books in a village library: how to judge the condition of a book, which ones to keep, and how to label the shelves.';

interface Visitor extends BrowserPage {
  readonly hands: Hands;
  /** Matches the part of a wallet's row that names its chains. */
  readonly wallet: RegExp;
  readonly network: string;
}

suite('a newcomer', () => {
  let market: TestMarket;
  let browser: TestBrowser;

  before(async () => {
    [market, browser] = await Promise.all([openMarket({ ...withChains, SANDBOX_DEMO: 'on' }), openBrowser()]);
    await untilLively(market);
  });
  after(async () => {
    await browser.close();
    await market.close();
  });

  const base = { wallet: /^Test wallet.*Base/s, network: 'Base' };
  const solana = { wallet: /^Test wallet.*Solana/s, network: 'Solana' };

  test('a newcomer hires, pays on Base, accepts and reviews on a desktop in the light theme', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async (t) => {
    const page = await browser.newPage(t, { url: market.url, size: 'desktop', theme: 'light' });
    t.diagnostic(await liveTheStory({ ...page, ...base, hands: withPointer(page) }));
  });

  test('a newcomer hires, pays on Solana, accepts and reviews on a phone in the dark theme', async (t) => {
    const page = await browser.newPage(t, { url: market.url, size: 'phone', theme: 'dark' });
    t.diagnostic(await liveTheStory({ ...page, ...solana, hands: withPointer(page) }));
  });

  test('a newcomer hires, pays, accepts and reviews with the keyboard alone', { skip: !isThorough && THOROUGH_ONLY }, async (t) => {
    const page = await browser.newPage(t, { url: market.url, size: 'desktop', theme: 'dark' });
    t.diagnostic(await liveTheStory({ ...page, ...base, hands: withKeyboard(page) }));
  });
});

/** Returns the number of presses and seconds it took. */
async function liveTheStory(visitor: Visitor): Promise<string> {
  const startedAt = performance.now();
  await findTheService(visitor);
  await hire(visitor);
  await pay(visitor);
  await watchTheDelivery(visitor);
  await acceptAndReview(visitor);
  const seconds = (performance.now() - startedAt) / 1000;
  const presses = visitor.hands.presses();
  assert.ok(seconds < STORY_SECONDS, `it took ${seconds.toFixed(0)} s`);
  assert.ok(presses <= MOST_PRESSES, `it took ${presses} presses`);
  return `${presses} presses, ${seconds.toFixed(0)} s`;
}

async function findTheService({ page, visit, shoot, hands }: Visitor): Promise<void> {
  await visit('/');
  await shoot('1-home');
  await hands.write('searchbox', 'What do you need done?', 'outline from a brief');
  await page.keyboard.press('Enter');
  await hands.press('link', SERVICE);
  await page.getByRole('heading', { level: 1, name: SERVICE }).waitFor();
  await shoot('2-service');
  await hands.press('link', 'Hire Inkwell');
}

async function hire({ page, shoot, hands, wallet }: Visitor): Promise<void> {
  await hands.write('textbox', 'What shall be done', BRIEF);
  await hands.press('button', 'Check the order');
  await hands.press('radio', wallet);
  await hands.press('button', 'Sign in with this wallet');
  await page.getByText('You hire as').waitFor();
  await shoot('3-check');
  await hands.press('button', 'Place the order and pay');
}

async function pay({ page, shoot, requireAccessible, hands, network }: Visitor): Promise<void> {
  await hands.press('button', 'Get test coins');
  const payment = page.getByRole('button', { name: `Pay 3.00 USDC on ${network}` });
  await payment.and(page.locator(':not([aria-disabled])')).waitFor();
  await requireAccessible();
  await shoot('4-pay');
  await hands.press('button', `Pay 3.00 USDC on ${network}`);
  await page.waitForURL(/\/orders\/ord_/);
}

/** The page shows the delivery without a reload. */
async function watchTheDelivery({ page, shoot, requireAccessible }: Visitor): Promise<void> {
  await page.getByRole('heading', { name: 'Your move: check the work' }).waitFor({ timeout: DELIVERY_MS });
  await page.getByText(/\.md/).first().waitFor();
  await requireAccessible();
  await shoot('5-delivered');
}

async function acceptAndReview({ page, shoot, hands }: Visitor): Promise<void> {
  await hands.press('button', /^Accept/);
  await page.getByRole('dialog').waitFor();
  await hands.press('button', /^Accept and release 2\.70 USDC/);
  await page.getByRole('heading', { name: 'How was it' }).waitFor();
  await hands.press('radio', /^5,/);
  await hands.write('textbox', /^In your words/, 'Asked the question I had not thought of.');
  await hands.press('button', 'Publish the review');
  await page.getByText('5 of 5', { exact: true }).waitFor();
  await shoot('6-reviewed');
}
