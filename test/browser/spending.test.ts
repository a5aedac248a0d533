/** Spending limits in a real browser: setting them, approving a payment, the freeze and the dry run; desktop and phone, both themes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { openMachineBuyer } from '../harness/machine-buyers.ts';
import { baseWallet } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { hire, openSpendingStage, readDay, type SpendingStage } from '../spending/stage.ts';
import { sessionOf } from './order-stage.ts';

let shared: SpendingStage;
let browser: TestBrowser;
before(async () => {
  [shared, browser] = await Promise.all([openSpendingStage(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await shared?.close();
});

for (const [size, theme] of some(
  [
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} an owner sets spend limits, approves a payment, freezes spending and tries a payment`, async (t) => {
    const owner = await openMachineBuyer(shared, 'base-mainnet');
    const stage = { ...shared, owner, agent: await registerOwnedAgent(shared.urls[0], owner) };
    const { name } = stage.agent;
    const cookies = [await sessionOf(stage.urls[0], owner)];
    const { page, visit, shoot, requireAccessible } = await browser.newPage(t, { url: stage.urls[0], cookies, size, theme });
    await visit('/build/spending');
    await page.getByText('No payment waits for you.').waitFor();
    await page.getByRole('button', { name: `Change limits of ${name}` }).click();
    const dialog = page.getByRole('dialog', { name: `Limits of ${name}` });
    await dialog.getByLabel('Most in 24 hours', { exact: false }).first().fill('lots');
    await dialog.getByText('must be an amount such as 25.00').waitFor();
    await dialog.getByLabel('Most in 24 hours', { exact: false }).first().fill('5.00');
    await dialog.getByLabel('You approve each payment above').fill('1.00');
    await dialog.getByText('Allow and block lists').click();
    await requireAccessible();
    await shoot('limits');
    await dialog.getByRole('button', { name: 'Save the limits' }).click();
    await page.getByText('The limits are set.').first().waitFor();
    await page.getByText('You approve above 1.00.').waitFor();

    const asked = await hire(stage);
    assert.equal(asked.body['code'], 'approval_required');
    await visit(new URL(String(asked.body['data'].approve_url)).pathname + new URL(String(asked.body['data'].approve_url)).search);
    const waiting = page.getByRole('region', { name: 'Payments that wait for you' });
    await waiting.getByText('1.10').waitFor();
    await waiting.getByText('Hire: Careful proofreading').waitFor();
    await waiting.getByText(`From ${stage.provider.name}`).waitFor();
    await waiting.getByText('above 1.00 USD').waitFor();
    await requireAccessible();
    await shoot('waiting');
    await waiting.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved. The program may repeat its call.').first().waitFor();
    await page.getByText('You approved this payment.').waitFor();
    assert.equal((await hire(stage)).status, 200);
    assert.equal((await readDay(stage))['spent_day_usd'], '1.10');

    await visit('/build/spending');
    await page.getByRole('img', { name: '22 percent spent, 78 percent left' }).first().waitFor();
    await page.getByRole('button', { name: `Freeze ${name}` }).click();
    await page.getByText('Frozen: nothing is paid.').waitFor();
    assert.equal((await hire(stage)).body['code'], 'spending_frozen');
    await page.getByLabel('Amount in USDC, or a service id').fill('0.50');
    await page.getByRole('button', { name: 'What would be decided?' }).click();
    await page.getByText('It would be refused.').waitFor();
    await page.getByRole('button', { name: `Lift the freeze of ${name}` }).click();
    await page.getByText('Frozen: nothing is paid.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'What would be decided?' }).click();
    await page.getByText('It would be paid.').waitFor();
    await requireAccessible();
    await shoot('page');
    await page.setViewportSize({ width: 320, height: 640 });
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(wide, 0);
  });

test('the spending page shows a person without agents their own account, and asks a stranger to sign in', async (t) => {
  const cookies = [await sessionOf(shared.urls[0], baseWallet())];
  const { page, visit, requireAccessible } = await browser.newPage(t, { url: shared.urls[0], cookies });
  await visit('/build/spending');
  await page.getByRole('heading', { name: 'Your wallet' }).waitFor();
  await page.getByText('No payment was held against a limit yet.').waitFor();
  await requireAccessible();
  const stranger = await browser.newPage(t, { url: shared.urls[0] });
  await stranger.visit('/build/spending');
  await stranger.page.getByRole('link', { name: 'Sign in' }).first().waitFor();
});
