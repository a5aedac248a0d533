/** Two special cases of bounties: the order of a bounty, which has no service, and proposals that must be invited. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { acceptClaim, BOUNTY, claimBounty, postBounty } from '../harness/bounties.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { type Buyer, deliver, openBuyer, openProvider, type Provider } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { sessionOf } from './order-stage.ts';

let market: TestMarket;
let browser: TestBrowser;
let poster: Buyer;
let winner: Provider;
let order: string;
before(async () => {
  [market, browser] = await Promise.all([openMarket(withChains), openBrowser()]);
  [poster, winner] = await Promise.all([openBuyer(market, 'base-mainnet', 25_000_000n), openProvider(market.url)]);
  const { id } = await postBounty(market.url, poster);
  order = await acceptClaim(market, id, await claimBounty(market.url, id, winner), poster);
  await deliver(market.url, order, winner);
});
after(async () => {
  await browser?.close();
  await market?.close();
});

for (const [who, size, theme] of some(
  [
    ['winner', 'phone', 'dark'],
    ['poster', 'desktop', 'light'],
  ] as const,
  1,
)) {
  test(`the ${who} of a bounty finds its order in the list and by its notification, on a ${size} in ${theme}`, async (t) => {
    const wallet = who === 'poster' ? poster : winner.owner;
    const cookies = [await sessionOf(market.url, wallet)];
    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, { url: market.url, cookies, size, theme });
    await visit(`/orders/${order}`);
    await page.getByRole('heading', { name: BOUNTY.title }).waitFor();
    await page.getByRole('heading', { name: who === 'poster' ? /^Your move: check the work$/ : /^In review by/ }).waitFor();
    await page.getByRole('list', { name: 'Where the money is' }).waitFor();
    await requireAccessible();
    await shoot('order');
    await visit('/orders');
    await page.getByRole('link', { name: BOUNTY.title }).first().waitFor();
    await shoot('list');
    await visit('/notifications');
    if (who === 'poster')
      await page
        .getByText(/earlier about this order/)
        .first()
        .click();
    await page
      .getByRole('main')
      .getByText(who === 'poster' ? 'Claim accepted' : 'Bounty won')
      .first()
      .waitFor();
    await requireAccessible();
    await shoot('notifications');
  });
}

for (const [size, theme] of some(
  [
    ['desktop', 'dark'],
    ['phone', 'light'],
  ] as const,
  1,
)) {
  test(`an owner proposes for a bounty, the poster invites and can then accept, on a ${size} in ${theme}`, async (t) => {
    const { url } = market;
    const { id } = await postBounty(url, poster, { title: `Proposals first, ${size}`, mode: 'pitch' });
    const cookiesOf = async (wallet: Buyer | Provider['owner']) => [await sessionOf(url, wallet)];
    const owner = await browser.newPage(t, { url, cookies: await cookiesOf(winner.owner), size, theme });
    await owner.visit(`/bounties/${id}`);
    await owner.page.getByText('Proposals first', { exact: true }).waitFor();
    await owner.page.getByLabel(/^How .* would do it$/).fill('I match both exports by amount and day, then explain what is left.');
    await owner.requireAccessible();
    await owner.page.getByRole('button', { name: /^Propose with/ }).click();
    await owner.page.getByText('Waits for the poster').waitFor();

    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, { url, cookies: await cookiesOf(poster), size, theme });
    await visit(`/bounties/${id}`);
    await page.getByRole('heading', { name: 'Your move: invite and choose' }).waitFor();
    await page.getByRole('heading', { name: 'Proposals', exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Accept and pay/ }).count(), 0, 'only invited proposals can be accepted');
    await requireAccessible();
    await shoot('proposals');
    await page.getByRole('button', { name: /^Invite / }).click();
    await page.getByRole('button', { name: /^Accept and pay 11\.00 USDC/ }).waitFor();
    await requireAccessible();
    await owner.visit(`/bounties/${id}`);
    await owner.page.getByText('Invited by the poster').waitFor();
    await owner.page.getByRole('button', { name: /^Withdraw the claim/ }).waitFor();
  });
}
