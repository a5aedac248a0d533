/** Wallets and accounts: linking, undoing a link on either side, and claiming an agent with its key. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { type TestWallet, tokenFor } from '../harness/people.ts';
import { injectWallet } from './injected-wallet.ts';
import { sessionOf } from './order-stage.ts';

suite('links between wallets, accounts and agents', () => {
  let market: TestMarket;
  let browser: TestBrowser;
  before(async () => {
    [market, browser] = await Promise.all([openMarket(), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await market?.close();
  });

  async function signUp(email: string): Promise<string> {
    const key = await tokenFor(market.url, { email });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key, body: {} });
    return key;
  }

  const works = async (key: string): Promise<boolean> => (await call(market.url, 'GET /api/agents/me', { key })).status === 200;

  const newKey = async (page: Page): Promise<string> => (await page.locator('.once dd').first().textContent()) ?? '';

  test('V01: a wallet that an account linked with a signed message undoes the link in its own session', async (t) => {
    const token = await signUp('linker@example.com');
    const secret = generatePrivateKey();
    const account = privateKeyToAccount(secret);
    const person = await browser.newPage(t, { url: market.url, cookies: [`idp-token=${token}`] });
    const wallet = await injectWallet(person.page, market, { key: secret });
    await person.visit('/wallet');
    await person.page.getByText('No wallet is linked yet.').waitFor();
    await person.page.getByRole('button', { name: 'Link a wallet' }).click();
    await person.page.getByRole('radio', { name: /Injected/ }).check();
    await person.page.getByText(/names this site, your account and what you agree to/).waitFor();
    await person.requireAccessible();
    await person.page.getByRole('button', { name: 'Sign and link' }).click();
    await person.page.getByRole('button', { name: /^Unlink 0x/ }).waitFor();
    assert.deepEqual(wallet.asked.filter((method) => method === 'personal_sign').length, 1);
    assert.equal(await person.page.getByRole('button', { name: /^Confirm/ }).count(), 0);

    const signer: TestWallet = { chain: 'base', address: account.address, sign: (message) => account.signMessage({ message }) };
    const session = await sessionOf(market.url, signer);
    const own = await browser.newPage(t, { url: market.url, cookies: [session], size: 'phone', theme: 'dark' });
    await own.visit('/wallet');
    await own.requireAccessible();
    await own.page.getByRole('button', { name: 'Undo the link of this wallet' }).click();
    await own.page.getByText('Undone. No account sees this wallet or acts for it.').first().waitFor();
    await own.page.getByRole('button', { name: 'Undo the link of this wallet' }).click();
    await own.page.getByText('No account was linked to this wallet.').first().waitFor();
    await person.page.reload();
    await person.page.getByText('No wallet is linked yet.').waitFor();
  });

  test('V02: a wallet ends its sessions in every browser with one signature', async (t) => {
    const secret = generatePrivateKey();
    const account = privateKeyToAccount(secret);
    const signer: TestWallet = { chain: 'base', address: account.address, sign: (message) => account.signMessage({ message }) };
    const [lost, here] = [await sessionOf(market.url, signer), await sessionOf(market.url, signer)];
    const own = await browser.newPage(t, { url: market.url, cookies: [here], size: 'phone' });
    await injectWallet(own.page, market, { key: secret });
    await own.visit('/wallet');
    await own.page.getByText('Sign out of every browser').click();
    await own.page.getByRole('radio', { name: /Injected/ }).check();
    await own.requireAccessible();
    await own.shoot('everywhere');
    await own.page.getByRole('button', { name: 'Sign and end all sessions' }).click();
    await own.page.waitForURL(`${market.url}/`);
    for (const cookie of [lost, here]) assert.equal((await call(market.url, 'GET /api/orders', { headers: { cookie } })).status, 401);
  });

  test('an old wallet link is marked, confirmed by signing, and unlinked by the account', async (t) => {
    const token = await signUp('confirmer@example.com');
    const secret = generatePrivateKey();
    const { address } = privateKeyToAccount(secret);
    const person = await browser.newPage(t, { url: market.url, cookies: [`idp-token=${token}`] });
    await injectWallet(person.page, market, { key: secret });
    await person.visit('/wallet');
    const link = async (button: string | RegExp) => {
      await person.page.getByRole('button', { name: button }).click();
      await person.page.getByRole('radio', { name: /Injected/ }).check();
      await person.page.getByRole('button', { name: 'Sign and link' }).click();
      await person.page.getByText('Linked.').first().waitFor();
    };
    await link('Link a wallet');
    await market.database.pool.query('update user_wallets set confirmed_at = null where address = $1', [address]);
    await person.page.reload();
    await person.page.getByText(/pays only after you confirm it/).waitFor();
    await person.requireAccessible();
    await link(/^Confirm 0x/);
    await person.page.getByText(/pays only after you confirm it/).waitFor({ state: 'detached' });
    await person.page.getByRole('button', { name: /^Unlink 0x/ }).click();
    await person.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Unlink 0x/ })
      .click();
    await person.page.getByText('No wallet is linked yet.').waitFor();
  });

  test('V07: claiming an agent by account replaces its key and shows the new one once', async (t) => {
    const token = await signUp('claimer@example.com');
    const agent = await registerAgent(market.url);
    const person = await browser.newPage(t, { url: market.url, cookies: [`idp-token=${token}`] });
    const { page } = person;
    await person.visit('/build');
    await page.getByLabel('API key of the agent').fill(agent.key);
    await person.requireAccessible();
    await page.getByRole('button', { name: 'Claim it' }).click();
    await page.getByRole('heading', { name: `${agent.name} is yours` }).waitFor();
    const key = await newKey(page);
    assert.deepEqual([await works(agent.key), await works(key)], [false, true]);
    await person.requireAccessible();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: agent.name, exact: true }).waitFor();
    assert.equal((await page.content()).includes(key), false);
    await page.reload();
    await page.getByRole('link', { name: agent.name, exact: true }).waitFor();
    assert.equal((await page.content()).includes(key), false);
  });

  test('V03: an account claims an agent of a wallet only with the signed message of that wallet', async (t) => {
    const token = await signUp('second@example.com');
    const secret = generatePrivateKey();
    const account = privateKeyToAccount(secret);
    const owner: TestWallet = { chain: 'base', address: account.address, sign: (message) => account.signMessage({ message }) };
    const agent = await registerOwnedAgent(market.url, owner);
    const person = await browser.newPage(t, {
      url: market.url,
      cookies: [`idp-token=${token}`],
      allow: [/^401 POST .api.agents.link/, /status of 401/],
    });
    const { page } = person;
    await injectWallet(page, market, { key: secret });
    await person.visit('/build');
    await page.getByLabel('API key of the agent').fill(agent.key);
    await page.getByRole('button', { name: 'Claim it' }).click();
    await page.getByText(/owns this agent/).waitFor();
    await person.requireAccessible();
    await page.getByRole('radio', { name: /Test wallet.*Base/ }).check();
    await page.getByRole('button', { name: 'Sign and claim it' }).click();
    await page.getByText(/0x\S+ must sign/).waitFor();
    await page.getByRole('radio', { name: /Injected/ }).check();
    await page.getByRole('button', { name: 'Sign and claim it' }).click();
    await page.getByRole('heading', { name: `${agent.name} is yours` }).waitFor();
    assert.deepEqual([await works(agent.key), await works(await newKey(page))], [false, true]);
  });

  test('V07: a wallet that is signed in claims an agent by signing, and gets the new key once', async (t) => {
    const secret = generatePrivateKey();
    const account = privateKeyToAccount(secret);
    const wallet: TestWallet = { chain: 'base', address: account.address, sign: (message) => account.signMessage({ message }) };
    const agent = await registerAgent(market.url);
    const person = await browser.newPage(t, { url: market.url, cookies: [await sessionOf(market.url, wallet)], size: 'phone' });
    const { page } = person;
    await injectWallet(page, market, { key: secret });
    await person.visit('/build');
    await page.getByLabel('API key of the agent').fill(agent.key);
    await page.getByRole('radio', { name: /Injected/ }).check();
    await page.getByRole('button', { name: 'Sign and claim it' }).click();
    await page.getByRole('heading', { name: `${agent.name} is yours` }).waitFor();
    assert.deepEqual([await works(agent.key), await works(await newKey(page))], [false, true]);
  });
});
