/** Bounties in a real browser: posting, claims, accepting and paying in every way, until the review. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { claimBounty, payBounty, postBounty, readBounty, withdrawClaim } from '../harness/bounties.ts';
import type { PageOptions } from '../harness/browser.ts';
import { withChains } from '../harness/market.ts';
import { deliver, type Provider, readOrder } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { bountyIdOf, useBountyStage, writeBounty } from './bounty-stage.ts';
import { sessionOf } from './order-stage.ts';

const stage = useBountyStage(withChains);

async function requireHeld(page: Page): Promise<string> {
  await page.waitForURL(/\/orders\/ord_/);
  await page.getByText('Paid, held').first().waitFor();
  return /ord_\w+/.exec(page.url())?.[0] ?? '';
}

/** The owner claims on the page, withdraws, and claims again. */
async function claimByHand(t: TestContext, id: string, provider: Provider, options: Partial<PageOptions>): Promise<void> {
  const { market, open } = stage();
  const owner = await open(t, { ...options, cookies: [await sessionOf(market.url, provider.owner)] });
  const { page } = owner;
  await owner.visit(`/bounties/${id}`);
  await page.getByLabel(/^Why /).fill('I reconcile ledgers of this size in a day.');
  await owner.requireAccessible();
  await page.getByRole('button', { name: /^Claim it with/ }).click();
  await page.getByText('Waits for the poster').waitFor();
  await owner.shoot('claimed');
  await page.getByRole('button', { name: /^Withdraw the claim/ }).click();
  await page.getByText('Withdrawn', { exact: true }).waitFor();
  await page.getByLabel(/^Why /).fill('I reconcile ledgers of this size in a day.');
  await page.getByRole('button', { name: /^Claim again with/ }).click();
  await page.getByText('Waits for the poster').waitFor();
}

for (const [size, theme] of some(
  [
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} a bounty goes from posting over three claims and the payment to the review`, async (t) => {
    const { market, newcomers, open, veteran } = stage();
    const visitor = await open(t, { size, theme });
    const { page, requireAccessible, shoot } = visitor;
    const { url } = market;
    await visitor.visit('/bounties');
    await page.getByRole('link', { name: 'Post a bounty' }).click();
    await page.waitForURL('**/bounties/new');
    await writeBounty(page, `Reconcile October, ${size}`);
    await page.getByText('You pay when a claim is accepted').waitFor();
    await page.getByText('11.00').first().waitFor();
    await page.getByRole('radio', { name: /Test wallet.*Base/ }).check();
    await requireAccessible();
    await shoot('1-post');
    await page.getByRole('button', { name: 'Sign in with this wallet' }).click();
    await page.getByRole('button', { name: 'Post the bounty' }).click();
    await page.getByRole('heading', { name: 'Waiting for claims' }).waitFor();
    const id = bountyIdOf(page);
    await page.getByText('It fits on one page').waitFor();
    await requireAccessible();

    await claimBounty(url, id, veteran);
    await claimBounty(url, id, newcomers[0]);
    await claimByHand(t, id, newcomers[1], { size, theme });
    // The page shows new claims without a reload.
    await page.getByRole('heading', { name: 'Your move: choose a claim' }).waitFor();
    await page.getByRole('list', { name: 'Claims of agents with completed orders' }).getByRole('listitem').first().waitFor();
    await page.getByRole('list', { name: 'Claims of new agents' }).getByRole('listitem').nth(1).waitFor();
    await page.getByRole('heading', { name: 'New here' }).waitFor();
    await requireAccessible();
    await shoot('2-compare');

    const claims = page.getByRole('list', { name: 'Claims of agents with completed orders' });
    await claims.getByRole('button', { name: /^Accept and pay 11\.00 USDC/ }).click();
    await page.getByRole('button', { name: 'Get test coins' }).click();
    await page.getByText('111.00 USDC').waitFor();
    await requireAccessible();
    await shoot('3-pay');
    await page.getByRole('button', { name: 'Pay 11.00 USDC on Base' }).click();
    const order = await requireHeld(page);
    await page.getByRole('link', { name: 'your bounty' }).waitFor();
    await requireAccessible();

    await deliver(url, order, veteran);
    await page
      .getByRole('button', { name: /^Accept and release 10\.00 USDC/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Accept and release 10\.00 USDC/ })
      .click();
    await page.getByLabel('5, as agreed or better').check();
    await page.getByRole('button', { name: 'Publish the review' }).click();
    await page.getByText('5 of 5', { exact: true }).waitFor();
    await shoot('4-order');

    await page.getByRole('link', { name: 'your bounty' }).click();
    await page.getByRole('heading', { name: 'Completed' }).waitFor();
    await page.getByRole('link', { name: 'Open the order' }).waitFor();
    await requireAccessible();
    await shoot('5-completed');
  });

test('a bounty reloaded while its payment confirms continues with the same claim and pays once', async (t) => {
  const { market, newcomers, open } = stage();
  const visitor = await open(t);
  const { page } = visitor;
  let handedIn = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/payments/hand-in')) handedIn += 1;
  });
  await visitor.visit('/bounties/new');
  await writeBounty(page, 'Reconcile November');
  await page.getByRole('radio', { name: /Test wallet.*Base/ }).check();
  await page.getByRole('button', { name: 'Sign in with this wallet' }).click();
  await page.getByRole('button', { name: 'Post the bounty' }).click();
  await page.getByRole('heading', { name: 'Waiting for claims' }).waitFor();
  const id = bountyIdOf(page);
  const claim = await claimBounty(market.url, id, newcomers[0]);
  await claimBounty(market.url, id, newcomers[1]);
  await page
    .locator(`li:has(a[href="/agents/${newcomers[0].slug}"])`)
    .getByRole('button', { name: /^Accept/ })
    .click();
  await page.getByRole('button', { name: 'Get test coins' }).click();
  await page.getByText('111.00 USDC').waitFor();
  await page.route('**/api/payments/base-mainnet/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({
      response: answer,
      json: { ...body, data: { ...body.data, state: 'landed', received_usd: '11.00', confirmations: 1 } },
    });
  });
  await page.getByRole('button', { name: 'Pay 11.00 USDC on Base' }).click();
  await page.getByRole('button', { name: 'Sent, 1 of 3 confirmations' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sent, 1 of 3 confirmations' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Pay 11/ }).count(), 0);
  await page.getByText('A payment is under way.').first().waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await requireHeld(page);
  assert.equal(handedIn, 1);
  assert.equal((await readBounty(market.url, id)).winner_agent_id, newcomers[0].id);
  assert.ok(claim.startsWith('bcl_'));
});

test('a payment for a claim that is withdrawn meanwhile pays for the claim chosen next', async (t) => {
  const { asPoster, market, newcomers, poster } = stage();
  const { id } = await postBounty(market.url, poster, { title: 'Two ledgers, one of them gone' });
  await claimBounty(market.url, id, newcomers[0]);
  await claimBounty(market.url, id, newcomers[1]);
  const { page, visit } = await asPoster(t, { allow: [/^400 POST .*\/accept/] });
  await visit(`/bounties/${id}`);
  const claimOf = (provider: Provider) => page.locator(`li:has(a[href="/agents/${provider.slug}"])`);
  await claimOf(newcomers[0])
    .getByRole('button', { name: /^Accept/ })
    .click();
  await page.getByRole('radio', { name: /No wallet here/ }).check();
  assert.equal((await withdrawClaim(market.url, id, newcomers[0])).status, 200);
  const reference = await payBounty(market, poster);
  await page.getByLabel('Transaction reference').fill(reference);
  await page.getByRole('button', { name: 'I have paid' }).click();
  await page.getByText('Your payment is not used up.').waitFor();
  await claimOf(newcomers[1])
    .getByRole('button', { name: /^Accept/ })
    .click();
  const order = await requireHeld(page);
  assert.equal((await readOrder(market.url, order, poster)).order.escrow_tx_hash, reference);
  assert.equal((await readBounty(market.url, id)).winner_agent_id, newcomers[1].id);
});

test('the poster of a bounty pays by address and pastes the reference', async (t) => {
  const { asPoster, market, poster, veteran } = stage();
  const { id } = await postBounty(market.url, poster, { title: 'Paid from elsewhere' });
  await claimBounty(market.url, id, veteran);
  const { page, visit, requireAccessible } = await asPoster(t);
  await visit(`/bounties/${id}`);
  await page.getByRole('button', { name: /^Accept and pay 11\.00 USDC/ }).click();
  await page.getByRole('radio', { name: /No wallet here/ }).check();
  await page.getByRole('img', { name: /11\.00 USDC as a code/ }).waitFor();
  await requireAccessible();
  const reference = await payBounty(market, poster);
  await page.getByLabel('Transaction reference').fill(reference);
  await page.getByRole('button', { name: 'I have paid' }).click();
  const order = await requireHeld(page);
  assert.equal((await readOrder(market.url, order, poster)).order.escrow_tx_hash, reference);
});

test('a person with an account links a wallet, posts with it and pays from it on Solana', async (t) => {
  const { market, open, veteran } = stage();
  const visitor = await open(t, { size: 'phone' });
  const { page } = visitor;
  await visitor.visit('/sign-in?next=/bounties/new');
  await page.getByRole('button', { name: 'Sign in with an account' }).click();
  await page.getByLabel('E-mail').fill('hana@example.com');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/bounties/new');
  await writeBounty(page, 'Posted by an account');
  await page.getByRole('heading', { name: 'Your wallet' }).waitFor();
  await visitor.requireAccessible();
  await page.getByRole('radio', { name: /Test wallet.*Solana/ }).check();
  await page.getByRole('button', { name: 'Sign and link' }).click();
  await page.getByRole('button', { name: 'Post the bounty' }).click();
  await page.getByRole('heading', { name: 'Waiting for claims' }).waitFor();
  await claimBounty(market.url, bountyIdOf(page), veteran);
  await page.getByRole('button', { name: /^Accept and pay 11\.00 USDC/ }).click();
  await page.getByRole('button', { name: 'Get test coins' }).click();
  await page.getByRole('button', { name: 'Pay 11.00 USDC on Solana' }).click();
  await requireHeld(page);
});

test('a poster extends a bounty up to 30 days', async (t) => {
  const { market, asPoster, poster } = stage();
  const { id } = await postBounty(market.url, poster, { title: 'Reconcile December' });
  const visitor = await asPoster(t, { size: 'phone', theme: 'dark' });
  const { page } = visitor;
  await visitor.visit(`/bounties/${id}`);
  await page.getByRole('button', { name: 'Keep it open longer' }).click();
  await page.getByLabel('Days from its posting').selectOption('30 days');
  await visitor.requireAccessible();
  await visitor.shoot('extend');
  await page.getByRole('button', { name: 'Keep it open for 30 days' }).click();
  await page.getByText('The bounty stays open longer.').first().waitFor();
  await page.getByRole('button', { name: 'Keep it open longer' }).waitFor({ state: 'detached' });
  const bounty = await readBounty(market.url, id);
  assert.equal(bounty['open_days'], 30);
});
