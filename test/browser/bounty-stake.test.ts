/** A bounty with a claim stake in a real browser: posting it, claiming with a payment, and seeing where the stake is. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { acceptClaim, cancelBounty, postBounty, readBounty } from '../harness/bounties.ts';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock, type Buyer, openBuyer } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';
import { openStaker, payStake, type Staker, stakeClaim } from '../harness/stakes.ts';
import { some } from '../harness/thoroughness.ts';
import { sessionOf } from './order-stage.ts';

const STAKED = { claim_stake_usd: '0.50' };
const TASK = 'Compare the bank export with our ledger of October and explain every difference.';
/** The claim form asks for the terms first; the answer is 402. */
const TERMS = /^402 POST .*\/claim/;

let market: TestMarket;
let browser: TestBrowser;
let poster: Buyer;
let stakers: readonly [Staker, Staker];
before(async () => {
  [market, browser] = await Promise.all([openMarket(withOwnChains), openBrowser()]);
  poster = await openBuyer(market, 'base-mainnet', 200_000_000n);
  stakers = [await openStaker(market, market.url), await openStaker(market, market.url)];
});
after(async () => {
  await browser?.close();
  await market?.close();
});

async function open(t: TestContext, options: Partial<PageOptions> = {}): Promise<BrowserPage> {
  return await browser.newPage(t, { url: market.url, ...options });
}

async function asOwner(t: TestContext, staker: Staker, options: Partial<PageOptions> = {}): Promise<BrowserPage> {
  return await open(t, { cookies: [await sessionOf(market.url, staker.owner)], allow: [TERMS], ...options });
}

for (const [size, theme, staker] of some(
  [
    ['phone', 'dark', 1],
    ['desktop', 'light', 0],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} a bounty is posted with a stake, claimed with a pasted transfer, and the stake comes back`, async (t) => {
    const { url } = market;
    const mine = await open(t, { size, theme, cookies: [await sessionOf(url, poster)] });
    await mine.visit('/bounties/new');
    await mine.page.getByLabel('Title').fill(`Reconcile October, ${size}`);
    await mine.page.getByLabel('The task').fill(TASK);
    await mine.page.getByLabel('Category').selectOption('analytics');
    await mine.page.getByLabel('Budget in USDC').fill('10');
    await mine.page.getByLabel('Stake of each claim in USDC').fill('1.50');
    await mine.page.getByRole('button', { name: 'Post the bounty' }).click();
    await mine.page.getByText('Nothing, or 0.10 USDC to 10% of the budget').waitFor();
    await mine.page.getByLabel('Stake of each claim in USDC').fill('0.5');
    await mine.requireAccessible();
    await mine.shoot('1-post');
    await mine.page.getByRole('button', { name: 'Post the bounty' }).click();
    await mine.page.getByRole('heading', { name: 'The stake' }).waitFor();
    const id = /bnty_\w+/.exec(mine.page.url())?.[0] ?? '';
    assert.equal((await readBounty(url, id)).claim_stake_usd, '0.50');

    const agent = stakers[staker];
    const owner = await asOwner(t, agent, { size, theme });
    const { page } = owner;
    await owner.visit('/bounties');
    await page.locator('.bounty-row').first().getByText('stake').waitFor();
    await owner.visit(`/bounties/${id}`);
    await page.getByText('It comes back in full, to the wallet that paid it').waitFor();
    await page.getByLabel(/^Why /).fill('I reconcile ledgers of this size in a day.');
    await owner.requireAccessible();
    await owner.shoot('2-terms');
    await page.getByRole('button', { name: 'Continue to the stake of 0.50 USDC' }).click();
    await page.getByRole('heading', { name: `Claim with ${agent.name}` }).waitFor();
    await page.getByRole('radio', { name: /No wallet here/ }).check();
    await page.getByRole('img', { name: /0\.50 USDC as a code/ }).waitFor();
    await owner.requireAccessible();
    await owner.shoot('3-pay');
    await page.getByLabel('Transaction reference').fill(await payStake(agent));
    await page.getByRole('button', { name: 'I have paid' }).click();
    await page.getByText('Waits for the poster').waitFor();
    await page.getByText('stake of 0.50 USDC held').waitFor();
    await owner.requireAccessible();
    await owner.shoot('4-held');

    await mine.page.getByText('I reconcile ledgers of this size in a day.').waitFor();
    assert.equal((await cancelBounty(url, id, poster)).status, 200);
    await owner.visit(`/bounties/${id}`);
    await page.getByText(/stake of 0\.50 USDC (?:on its way back|came back)/).waitFor();
    await owner.visit('/notifications');
    await page.getByText('Stake returned').first().waitFor();
  });

test('an owner pays a stake with the test wallet; a reload while it confirms continues with the same claim and pays once', async (t) => {
  const { id } = await postBounty(market.url, poster, { ...STAKED, title: 'Paid with the test wallet' });
  const token = await tokenFor(market.url, { email: 'hana@example.com' });
  await registerAgent(market.url, {}, { key: token });
  const visitor = await open(t, { cookies: [`idp-token=${token}`], allow: [TERMS] });
  const { page } = visitor;
  let handedIn = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/payments/hand-in')) handedIn += 1;
  });
  await visitor.visit(`/bounties/${id}`);
  await page.getByRole('button', { name: 'Continue to the stake of 0.50 USDC' }).click();
  await page.getByRole('button', { name: 'Link this wallet' }).click();
  await page.getByRole('button', { name: 'Get test coins' }).click();
  await page.getByText('101.00 USDC').waitFor();
  await page.route('**/api/payments/base-mainnet/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const data = { ...body.data, state: 'landed', received_usd: '0.50', confirmations: 1 };
    await route.fulfill({ response: answer, json: { ...body, data } });
  });
  await page.getByRole('button', { name: 'Pay 0.50 USDC on Base' }).click();
  await page.getByRole('button', { name: 'Sent, 1 of 3 confirmations' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sent, 1 of 3 confirmations' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Pay 0/ }).count(), 0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByText('stake of 0.50 USDC held').waitFor();
  assert.deepEqual([handedIn, (await readBounty(market.url, id)).claims_count], [1, 1]);
  await page.getByRole('button', { name: /^Withdraw the claim/ }).click();
  await page.getByText(/stake of 0\.50 USDC (?:on its way back|came back)/).waitFor();
  await page.getByRole('button', { name: 'Continue to the stake of 0.50 USDC' }).waitFor();
});

// This test is last, because it moves the clock.
test('a winner who delivers nothing reads that its stake went to the poster', async (t) => {
  const { url } = market;
  const [agent] = stakers;
  const { id } = await postBounty(url, poster, { ...STAKED, deadline_hours: 1, title: 'Never delivered' });
  const { claim } = await stakeClaim(url, id, agent);
  await acceptClaim(market, id, claim, poster);
  await advanceClock(url, 25 * 3600);
  const owner = await asOwner(t, agent, { size: 'phone' });
  await owner.visit(`/bounties/${id}`);
  await owner.page.getByText('stake of 0.50 USDC went to the poster').waitFor();
  await owner.requireAccessible();
  await owner.shoot('forfeited');
});
