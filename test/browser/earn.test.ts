/** Earn in a real browser: deposit with the pay panel, a value that grows with the clock, a withdrawal that waits in part and is settled. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { fundAddress } from '../agent-wallets/stage.ts';
import { LEND, steer } from '../earn/stage.ts';
import { registerAgent } from '../harness/agents.ts';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

const VAULT = `/earn/${encodeURIComponent(LEND)}`;
const MONTH_SECONDS = 30 * 86_400;

let market: TestMarket;
let browser: TestBrowser;
before(async () => {
  [market, browser] = await Promise.all([openMarket(withOwnChains), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await market?.close();
});

async function open(t: TestContext, options: Partial<PageOptions> = {}): Promise<BrowserPage> {
  return await browser.newPage(t, { url: market.url, ...options });
}

/** Pays with the sandbox's test wallet, and links and funds it on the way. */
async function payDeposit(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Amount in USDC').fill(amount);
  await page.getByRole('button', { name: 'Continue to pay' }).click();
  await page.getByRole('button', { name: 'Link this wallet' }).click();
  await page.getByRole('button', { name: 'Get test coins' }).click();
  await page.getByRole('button', { name: `Pay ${amount} USDC on Base` }).click();
}

/** Lends out the vault's free cash, except this much; returns what was lent. */
async function lendOut(leaveUsd: string): Promise<string> {
  const { products } = await expectCall(market.url, 200, 'GET /api/earn/pool/markets');
  const vaults: { key: string; available_usdc_micro: string }[] = products.flatMap(({ markets }: Envelope) => markets);
  const free = vaults.find(({ key }) => key === LEND)?.available_usdc_micro ?? '0';
  const taken = (BigInt(free) / 1_000_000n - BigInt(leaveUsd)).toString();
  await steer(market, LEND, 'borrow', taken);
  return taken;
}

/** The value in the vault's row. */
async function worthOf(page: Page): Promise<number> {
  const row = page.getByRole('table', { name: 'Your share of each pool' }).getByRole('row').nth(1);
  return Number(await row.locator('.fold-amount').textContent());
}

for (const [size, theme, amount] of some(
  [
    ['desktop', 'light', '150.00'],
    ['phone', 'dark', '50.00'],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} a deposit grows with the clock and is withdrawn, a part of it after a wait`, async (t) => {
    const token = await tokenFor(market.url, { email: `earns-${size}@example.com` });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
    const visitor = await open(t, { size, theme, cookies: [`idp-token=${token}`] });
    const { page, requireAccessible, shoot } = visitor;
    await visitor.visit('/earn');
    await page.getByText('Your USDC is lent to borrowers').waitFor();
    await requireAccessible();
    await shoot('1-venues');
    await visitor.visit(VAULT);
    await page.getByRole('heading', { name: 'What happens to a deposit' }).waitFor();
    if (size === 'desktop') {
      await page.getByLabel('Amount in USDC').fill('99.99');
      await page.getByRole('button', { name: 'Continue to pay' }).click();
      await page.getByText('The first deposit into a fresh pool is at least 100.00 USDC.').waitFor();
    }
    await payDeposit(page, amount);
    await page.getByText(`${amount} USDC is in`).waitFor();
    await requireAccessible();
    await shoot('2-deposited');

    await visitor.visit('/earn/positions');
    await page.getByRole('button', { name: /^Withdraw from/ }).waitFor();
    const before = await worthOf(page);
    assert.ok(Math.abs(before - Number(amount)) < 0.01, `${before} of ${amount}`);
    await advanceClock(market.url, MONTH_SECONDS);
    // The market reads a venue every few seconds.
    await until('a month of interest', async () => {
      await visitor.visit('/earn/positions');
      return (await worthOf(page)) > before * 1.001 ? true : undefined;
    });
    await shoot('3-grown');

    const taken = await lendOut('20');
    await page.getByRole('button', { name: /^Withdraw from/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Amount in USDC').fill('40');
    await dialog.getByText('By account alone it happens in a day').waitFor();
    await dialog.getByText('Do it at once with a linked wallet').click();
    await dialog.getByRole('radio', { name: /Test wallet.*Base/ }).check();
    await requireAccessible();
    await shoot('4-withdraw');
    await dialog.getByRole('button', { name: 'Sign: withdraw this amount' }).click();
    await dialog.getByRole('img', { name: 'Next of 1 in the queue' }).waitFor();
    await requireAccessible();
    await shoot('5-queued');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Under way' }).waitFor();
    await page
      .getByText(/^Part 1/)
      .first()
      .waitFor();
    await steer(market, LEND, 'repay', taken);
    await advanceClock(market.url, 900);
    await page
      .getByText(/USDC was paid to your wallet/)
      .first()
      .waitFor();
    await requireAccessible();
    await shoot('6-settled');
    await visitor.visit('/notifications');
    const news = page.getByRole('link', { name: 'Deposit is earning' }).first();
    assert.equal(await news.getAttribute('href'), '/earn/positions');
  });

test('a visitor without a deposit sees no positions, and a stranger is asked to sign in before paying', async (t) => {
  const token = await tokenFor(market.url, { email: 'nothing-yet@example.com' });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  const visitor = await open(t, { cookies: [`idp-token=${token}`], size: 'phone' });
  await visitor.visit('/earn/positions');
  await visitor.page.getByText('You have no share of any pool.').waitFor();
  await visitor.page.getByText('Nothing has moved yet.').waitFor();
  await visitor.requireAccessible();
  const stranger = await open(t);
  await stranger.visit(VAULT);
  await stranger.page.getByRole('link', { name: 'Sign in to deposit' }).waitFor();
  await stranger.page.getByLabel('What the chart shows').selectOption('Size');
  await stranger.page.getByLabel('Span of the chart').selectOption('7 days');
});

test('an owner deposits idle earnings of an agent and sets a sweep, which is off until then', async (t) => {
  const token = await tokenFor(market.url, { email: 'idle-earnings@example.com' });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  const agent = await registerAgent(market.url, {}, { key: token });
  const funding = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
  await fundAddress(market, 'base-mainnet', funding['evm_address'], { usdcMicros: 300_000_000n });
  const visitor = await open(t, { cookies: [`idp-token=${token}`], theme: 'dark' });
  const { page, requireAccessible, shoot } = visitor;
  await visitor.visit(`/sell/earn?agent=${agent.slug}`);
  await page.getByText('Off. Turned on,').waitFor();
  await page.getByRole('button', { name: 'Deposit idle earnings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The agent’s wallet holds 300').waitFor();
  await dialog.getByLabel('Amount in USDC').fill('120');
  await requireAccessible();
  await dialog.getByRole('button', { name: 'Check the deposit' }).click();
  await dialog.getByRole('button', { name: 'Deposit it' }).click();
  await page
    .getByText(/120\.00 USDC is in/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Set a sweep' }).click();
  await dialog.getByLabel('Keep in the wallet, USDC').fill('100');
  await dialog.getByLabel('At most in 24 hours, USDC').fill('50');
  await requireAccessible();
  await shoot('sweep');
  await dialog.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('The sweep is on.').first().waitFor();
  await page.getByText('Stays in the wallet').waitFor();
  await page.getByRole('button', { name: 'Turn it off' }).click();
  await dialog.getByRole('button', { name: 'Turn it off now' }).click();
  await page.getByText('The sweep is off.').first().waitFor();
  await shoot('agent');
});

test('the Earn page of a market without venues says so', async (t) => {
  const bare = await openMarket({ EARN_VENUES: 'none' });
  t.after(() => bare.close());
  const visitor = await browser.newPage(t, { url: bare.url, allow: [/^503 GET .*earn/, /503/] });
  await visitor.visit('/earn');
  await visitor.page.getByText('No venue is configured here').waitFor();
  await visitor.requireAccessible();
});
