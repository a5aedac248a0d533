/** The account page: edits there appear on the public page. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, tokenFor } from '../harness/people.ts';
import { sessionOf } from './order-stage.ts';

suite('the account page', () => {
  let market: TestMarket;
  let browser: TestBrowser;
  before(async () => {
    [market, browser] = await Promise.all([openMarket(), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await market?.close();
  });

  async function signUp(email: string, username: string): Promise<string> {
    const key = await tokenFor(market.url, { email });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key, body: {} });
    await expectCall(market.url, 200, 'PATCH /api/auth/user', { key, body: { username } });
    return `idp-token=${key}`;
  }

  test('username, name and bio of an account appear on its public page; a taken username is refused with a reason', async (t) => {
    await signUp('taken@example.com', 'heron');
    const cookie = await signUp('ines@example.com', 'ines-of-old');
    const { page, visit, shoot, requireAccessible } = await browser.newPage(t, { url: market.url, cookies: [cookie] });
    await visit('/account');
    const username = page.getByRole('textbox', { name: 'Username' });
    await username.fill('heron');
    await page.getByText('Somebody has this username. Choose another one.').waitFor();
    await page.getByRole('button', { name: 'Save username' }).and(page.locator('[aria-disabled]')).waitFor();
    await username.fill('admin');
    await page.getByText('This username is kept for the marketplace. Choose another one.').waitFor();
    await requireAccessible();
    await username.fill('ines');
    await page.getByText(/^It is free\./).waitFor();
    await page.getByRole('button', { name: 'Save username' }).click();
    await page.getByText('Username saved.').first().waitFor();

    await page.getByRole('textbox', { name: /^Name/ }).fill('Ines <b>M</b>');
    await page.getByLabel('About you').fill('Runs two agents.\nAnswers on weekdays.');
    await page.getByRole('button', { name: 'Save profile' }).click();
    await page.getByText('Profile saved.').first().waitFor();
    await shoot('day');
    await page.getByRole('link', { name: 'See your public page' }).click();
    await page.waitForURL('**/u/ines');
    await page.getByRole('heading', { level: 1, name: 'Ines <b>M</b>' }).waitFor();
    await page.getByText('Answers on weekdays.').waitFor();
  });

  test('a wallet without account has a name and no public page, in the dark theme on a phone, and can sign out', async (t) => {
    const wallet = baseWallet();
    const { page, visit, shoot, requireAccessible } = await browser.newPage(t, {
      url: market.url,
      cookies: [await sessionOf(market.url, wallet)],
      size: 'phone',
      theme: 'dark',
      allow: [/^400 PUT .api.profile/],
    });
    await visit('/account');
    await page.getByText(/^A wallet alone has no public page/).waitFor();
    assert.equal(await page.getByLabel('Username').count(), 0);
    await page.getByLabel('X account').fill('no spaces here');
    await page.getByRole('button', { name: 'Save profile' }).click();
    await page.getByText('twitter_handle may hold letters, numbers and _ only.').waitFor();
    await page.getByLabel('X account').fill('@heron');
    await page.getByRole('textbox', { name: /^Name/ }).fill('Heron');
    await page.getByRole('button', { name: 'Save profile' }).click();
    await page.getByText('Profile saved.').first().waitFor();
    await requireAccessible();
    await shoot('night');
    const profile = await expectCall(market.url, 200, `GET /api/profile?wallet=${wallet.address}`);
    assert.deepEqual([profile['display_name'], profile['twitter_handle']], ['Heron', 'heron']);
    await page.getByRole('button', { name: 'Sign out of this browser' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
  });

  const looks = [
    { size: 'desktop', theme: 'light' },
    { size: 'phone', theme: 'dark' },
  ] as const;
  for (const { size, theme } of looks) {
    test(`Y01, Y10: on a ${size} in the ${theme} theme a person chooses and previews the public profile, hides it again, and asks to close the account`, async (t) => {
      const wallet = baseWallet();
      const email = `privacy-${size}@example.com`;
      const key = await tokenFor(market.url, {
        email,
        name: 'Private Person',
        twitter_username: `priv_${size}`,
        wallets: [{ chain: 'base', address: wallet.address }],
      });
      const { user } = await expectCall(market.url, 200, 'POST /api/auth/user', { key, body: {} });
      const { page, visit, shoot, requireAccessible } = await browser.newPage(t, {
        url: market.url,
        cookies: [`idp-token=${key}`],
        size,
        theme,
      });
      await visit('/account');
      await page.getByText(/^Your profile is private\./).waitFor();
      assert.equal(await page.getByRole('textbox', { name: /^Name/ }).inputValue(), '', 'the provider’s name is no default');
      await page.getByLabel('About you').fill('Reads books.');
      await page.getByRole('checkbox', { name: /^Show my wallet/ }).check();
      await page.getByText('Preview as a stranger').click();
      const preview = page.getByRole('list', { name: 'What strangers see' });
      await preview.getByText('Reads books.').waitFor();
      assert.ok(!((await preview.textContent()) ?? '').includes('Private Person'));
      await requireAccessible();
      await shoot(`privacy-${theme}`);
      await page.getByRole('button', { name: 'Save profile' }).click();
      await page.getByText(/^Your profile is public:/).waitFor();
      const shown = await expectCall(market.url, 200, `GET /api/profile/${user.username}`);
      assert.deepEqual([shown['user'].display_name, shown['user'].twitter_username, shown['wallets'].length], [null, null, 1]);
      await page.getByRole('button', { name: 'Remove the profile' }).click();
      await page.getByText(/^Your profile is private\./).waitFor();
      await page.getByRole('button', { name: 'Close the account' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Nothing is open.').waitFor();
      await dialog.getByRole('list', { name: 'What ends' }).getByText('Linked wallet').waitFor();
      await requireAccessible();
      await dialog.getByRole('checkbox').check();
      await dialog.getByRole('button', { name: 'Close for ever' }).click();
      await page.getByText('It closes in a day. You can cancel it until then.').first().waitFor();
      const [move] = (await expectCall(market.url, 200, 'GET /api/moves?status=open', { key })) as unknown as { kind: string }[];
      assert.equal(move?.kind, 'account_closing');
    });
  }
});
