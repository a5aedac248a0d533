/** The connect page: configuration to copy, and who is connected, as it changes. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { baseWallet, type TestWallet } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { sessionOf } from './order-stage.ts';

suite('the connect page', () => {
  let market: TestMarket;
  let browser: TestBrowser;
  before(async () => {
    [market, browser] = await Promise.all([openMarket(), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await market?.close();
  });

  async function connect(wallet: TestWallet, name: string): Promise<void> {
    await market.database.pool.query(
      `with program as (
         insert into connected_programs (id, person, client_id) values ('prog_1700000000000_k3v9x1q7a', 'wallet:' || $1, 'client') returning *
       )
       insert into connections (id, person, wallet_chain, client_id, program_id, client_name, redirect_host, scopes, expires_at)
       select 'conn_1700000000000_k3v9x1q7a', person, 'base', client_id, id, $2, 'assistant.example', array['read', 'hire'], now() + interval '1 day'
       from program`,
      [wallet.address, name],
    );
  }

  for (const [size, theme] of some(
    [
      ['desktop', 'light'],
      ['phone', 'dark'],
    ] as const,
    1,
  )) {
    test(`the connect page offers strangers the configuration of every host, on a ${size} in the ${theme} theme`, async (t) => {
      const { page, visit, shoot, requireAccessible } = await browser.newPage(t, { url: market.url, size, theme });
      await visit('/connect');
      await page.getByRole('heading', { level: 1, name: 'Connect' }).waitFor();
      await page.getByText('may do only what you allow').waitFor();
      const bySignIn = page.getByRole('region', { name: 'By sign-in' });
      await bySignIn.getByRole('tab', { name: 'Cursor' }).click();
      await bySignIn.getByRole('group', { name: 'Cursor' }).getByText(`"url": "${market.url}/mcp"`).waitFor();
      const local = page.getByRole('region', { name: 'On your machine' });
      await local.getByRole('tab', { name: 'By hand' }).click();
      await local.getByRole('group', { name: 'By hand' }).getByText('npx -y @market/cli mcp').waitFor();
      await page.getByText('Sign in to see which programs are connected to you').waitFor();
      await requireAccessible();
      await shoot(`${size}-${theme}`);
    });
  }

  test('the MCP address is copied with the keyboard alone', async (t) => {
    const { page, visit, tabTo } = await browser.newPage(t, { url: market.url });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit('/connect');
    await tabTo('button', 'Copy address of the MCP server');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied address of the MCP server' }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${market.url}/mcp`);
  });

  test('a program that connects appears on the open page, with its permissions', async (t) => {
    const wallet = baseWallet();
    const { page, visit, shoot, requireAccessible } = await browser.newPage(t, {
      url: market.url,
      cookies: [await sessionOf(market.url, wallet)],
    });
    await visit('/connect');
    const connected = page.getByRole('region', { name: 'Who is connected' });
    await connected.getByText('None yet.').waitFor();
    await connect(wallet, 'Desk <b>Assistant</b>');
    await connected.getByText('Desk <b>Assistant</b>').waitFor({ timeout: 15_000 });
    await connected.getByText('assistant.example, not used yet').waitFor();
    await connected.getByText('May read, hire.').waitFor();
    await requireAccessible();
    await shoot('connected');
    await connected.getByRole('link', { name: 'Change or disconnect' }).click();
    await page.waitForURL('**/account/connections');
  });

  test('a service page shows how an MCP client hires it', async (t) => {
    const provider = await openProvider(market.url);
    const id = await listService(market.url, provider);
    const { page, visit } = await browser.newPage(t, { url: market.url });
    await visit(`/services/${id}`);
    await page.getByRole('tab', { name: 'Hire by machine' }).click();
    await page.getByRole('tab', { name: 'MCP' }).click();
    await page.getByText("name: 'market_submit_payment'").waitFor();
    await page.getByRole('link', { name: 'connect an MCP host' }).click();
    await page.waitForURL('**/connect');
  });
});
