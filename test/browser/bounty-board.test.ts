/** The board, the form, cancelling and one's own bounties, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptClaim, BOUNTY, cancelBounty, claimBounty, postBounty, readBounty } from '../harness/bounties.ts';
import { png } from '../harness/files.ts';
import { withChains } from '../harness/market.ts';
import { some } from '../harness/thoroughness.ts';
import { bountyIdOf, useBountyStage, writeBounty } from './bounty-stage.ts';
import { sessionOf } from './order-stage.ts';

const stage = useBountyStage(withChains);

test('cancelling a bounty asks first, and the bounty can be posted again with its own text', async (t) => {
  const { asPoster, market, poster, veteran } = stage();
  const { id } = await postBounty(market.url, poster, { title: 'Called off and posted again' });
  await claimBounty(market.url, id, veteran);
  const { page, visit, requireAccessible, shoot } = await asPoster(t);
  await visit(`/bounties/${id}`);
  await page.getByRole('button', { name: 'Cancel the bounty' }).click();
  const question = page.getByRole('dialog', { name: 'Cancel this bounty?' });
  await question.getByText('Its 1 claim is rejected, and the owners are notified.').waitFor();
  await requireAccessible();
  await question.getByRole('button', { name: 'Keep it' }).click();
  assert.equal((await readBounty(market.url, id)).status, 'open');
  await page.getByRole('button', { name: 'Cancel the bounty' }).click();
  await question.getByRole('button', { name: 'Cancel the bounty' }).click();
  await page.getByRole('heading', { name: 'Cancelled', exact: true }).waitFor();
  await page.getByText('Not chosen').waitFor();
  await shoot('cancelled');
  await page.getByRole('button', { name: 'Post it again' }).click();
  await page.waitForURL('**/bounties/new');
  await page.locator('input[name="title"][value="Called off and posted again"]').waitFor();
  assert.equal(await page.getByLabel('The task').inputValue(), BOUNTY.brief);
});

test('the bounty form names missing fields, and keeps the draft', async (t) => {
  const { asPoster, market } = stage();
  const { page, visit, requireAccessible, shoot } = await asPoster(t, { size: 'phone' });
  await visit('/bounties/new');
  await page.getByRole('button', { name: 'Post the bounty' }).click();
  for (const words of [
    'A title has 3 to 100 characters.',
    'Task and criteria together have 10',
    'Choose one, so that',
    'At least 1.00 USDC, with',
  ])
    await page.getByText(words).waitFor();
  assert.equal(await page.evaluate('document.activeElement?.getAttribute("name")'), 'title');
  await requireAccessible();
  await shoot('problems');
  await writeBounty(page, 'Kept through a reload');
  await page.getByLabel(/Reference images/).setInputFiles({ name: 'ledger.png', mimeType: 'image/png', buffer: Buffer.from(png(40, 30)) });
  await page.getByText('ledger.png').waitFor();
  await page.getByText(/Draft saved at/).waitFor();
  await page.reload();
  await page.locator('input[name="title"][value="Kept through a reload"]').waitFor();
  await page.getByRole('button', { name: 'Post the bounty' }).click();
  await page.getByRole('heading', { name: 'Waiting for claims' }).waitFor();
  await page.getByRole('img', { name: 'Reference 1' }).waitFor();
  const { budget_usd, deadline_hours, brief } = await readBounty(market.url, bountyIdOf(page));
  assert.deepEqual([budget_usd, deadline_hours], ['10.00', 48]);
  assert.match(brief, /Done when:\n- Every difference has a cause\n- It fits on one page$/);
  await visit('/bounties/new');
  assert.equal(await page.getByLabel('Title').inputValue(), '', 'the draft of a posted bounty is gone');
});

test('my bounties lists those I posted and those my agents claimed, each with its order', async (t) => {
  const { asPoster, market, open, poster, veteran } = stage();
  const { url } = market;
  const { id } = await postBounty(url, poster, { title: 'Waiting for my choice' });
  const { id: won } = await postBounty(url, poster, { title: 'Won by an agent of mine' });
  await claimBounty(url, id, veteran);
  const order = await acceptClaim(market, won, await claimBounty(url, won, veteran), poster);
  const mine = await asPoster(t);
  await mine.visit('/orders');
  await mine.page.getByRole('link', { name: 'Bounties' }).last().click();
  const posted = mine.page.getByRole('region', { name: 'Posted by you' });
  await posted
    .getByRole('row', { name: /Waiting for my choice/ })
    .getByText('Open, 1 claim')
    .waitFor();
  assert.equal(
    await posted
      .getByRole('row', { name: /Won by an agent of mine/ })
      .getByRole('link', { name: 'Open the order' })
      .getAttribute('href'),
    `/orders/${order}`,
  );
  await mine.requireAccessible();
  await mine.shoot('posted');
  const theirs = await open(t, { cookies: [await sessionOf(url, veteran.owner)], size: 'phone', theme: 'dark' });
  await theirs.visit('/orders?list=bounties');
  const claimed = theirs.page.getByRole('region', { name: 'Claimed by your agents' });
  await claimed.getByText('Won, in work').first().waitFor();
  await claimed.getByText('Claimed, open').first().waitFor();
  await theirs.requireAccessible();
  await theirs.shoot('claimed');
  await theirs.visit(`/bounties/${won}`);
  await theirs.page.getByRole('heading', { name: /won this bounty$/ }).waitFor();
  await theirs.page.getByRole('link', { name: 'Open the order' }).waitFor();
  await theirs.requireAccessible();
});

for (const [size, theme] of some(
  [
    ['phone', 'light'],
    ['desktop', 'dark'],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} the bounty board filters, counts and pages, and a stranger reads a bounty`, async (t) => {
    const { market, open, poster } = stage();
    const { url } = market;
    const unique = `zebra${size}`;
    const posted = await Promise.all(
      Array.from({ length: 21 }, (_, index) =>
        postBounty(url, poster, {
          title: `Stripes ${index} ${unique}`,
          category: index < 3 ? 'seo' : 'coding',
          budget_usd: `${index + 1}.00`,
        }),
      ),
    );
    const { page, visit, requireAccessible, shoot } = await open(t, { size, theme });
    await visit('/bounties');
    await page.getByRole('searchbox', { name: 'Search bounties' }).fill(unique);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/search=zebra/);
    await page.getByText('21 bounties').waitFor();
    assert.equal(await page.getByRole('heading', { level: 2, name: /Stripes/ }).count(), 20);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText('21 to 21 of 21 bounties').waitFor();
    assert.equal(await page.getByRole('heading', { level: 2, name: /Stripes/ }).count(), 1);
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.getByText('1 to 20 of 21 bounties').waitFor();
    if (size === 'phone') await page.getByRole('button', { name: 'Filters' }).click();
    const seo = page.getByRole('navigation', { name: 'Category' }).getByRole('link', { name: /^SEO/ });
    await seo.getByText('3', { exact: true }).waitFor();
    await seo.click();
    await page.getByText('3 bounties').waitFor();
    await page.getByLabel('At least').fill('2');
    await page.getByRole('form', { name: 'Budget' }).getByRole('button', { name: 'Show' }).click();
    await page.getByText('2 bounties').waitFor();
    await page.getByRole('link', { name: 'Highest budget' }).click();
    await page.waitForURL(/sort=budget_desc/);
    // The earlier rows stay until the new ones arrive.
    await page
      .locator('.bounty-row')
      .first()
      .getByRole('heading', { name: /^Stripes 2/ })
      .waitFor();
    await requireAccessible();
    await shoot('board');
    await page.reload();
    await page.getByText('2 bounties').waitFor();
    await visit('/bounties?search=nothingofthesort');
    await page.getByText('No bounty fits “nothingofthesort”.').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).waitFor();
    const [first] = posted;
    await visit(`/bounties/${first.id}`);
    await page.getByRole('link', { name: 'Sign in to claim' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Claims', exact: true }).count(), 0, 'claims are for the poster');
    await requireAccessible();
    await shoot('bounty');
    for (const { id } of posted) await cancelBounty(url, id, poster);
  });

test('the home page shows open bounties with their budgets, and the masthead links to the board', async (t) => {
  const { market, open, poster } = stage();
  const { id } = await postBounty(market.url, poster, { title: 'Newest on the home page' });
  const { page, visit, shoot } = await open(t);
  await visit('/');
  const section = page.getByRole('region', { name: 'Open bounties' });
  await section.getByRole('link', { name: 'Newest on the home page' }).waitFor();
  await section.getByText('10.00 USDC').first().waitFor();
  await shoot('home');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Bounties' }).click();
  await page.getByRole('heading', { level: 1, name: 'Open bounties' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Newest on the home page' }).getAttribute('href'), `/bounties/${id}`);
});
