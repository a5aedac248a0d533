/** One click connects a host: the official client, a real browser, our consent page, and the list where a person ends it. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { callTool, useTool } from '../harness/mcp.ts';
import { connectProgram, registerProgram } from '../harness/oauth.ts';
import { tokenFor } from '../harness/people.ts';
import { openHost } from '../oauth/host-program.ts';

suite('connecting a program', () => {
  let market: TestMarket;
  let browser: TestBrowser;
  before(async () => {
    [market, browser] = await Promise.all([openMarket(), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await market?.close();
  });

  test('O04: the official client goes from 401 to tools: sign-in, consent with less, an agent and a limit, and back', async (t) => {
    const email = 'one-click@example.com';
    const agent = await registerAgent(market.url, {}, { key: await tokenFor(market.url, { email }) });
    const host = await openHost(market.url, 'read hire work');
    t.after(() => host.close());
    const address = await host.begin();
    assert.equal(address.searchParams.get('resource'), `${market.url}/mcp`);
    const { page, shoot, requireAccessible } = await browser.newPage(t, { url: market.url, allow: [/favicon/] });
    await page.goto(String(address));
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByRole('button', { name: 'Sign in with an account' }).click();
    await page.locator('input[type="email"]').fill(email);
    await page.locator('input[type="email"]').press('Enter');
    await page.waitForURL('**/oauth/consent/**');
    await page.getByRole('heading', { name: 'What “Desk Assistant” may do' }).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: /^Custody/ }).isChecked(), false);
    for (const wanted of [/^Read/, /^Work/]) await page.getByRole('checkbox', { name: wanted }).setChecked(true);
    await page.getByRole('checkbox', { name: /^Hire/ }).setChecked(false);
    await page.getByLabel('Acts as').selectOption(agent.id);
    await page.getByLabel(/^Most it may spend per day/).fill('2.50');
    await requireAccessible();
    await shoot('consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('You may close this window.').waitFor();

    const params = await host.returned();
    assert.deepEqual([params.get('state'), params.get('iss')], ['from-the-host', market.url]);
    await host.finish(params);
    const client = await host.connect();
    assert.equal((await useTool(client, 'get_profile'))['id'], agent.id);
    assert.equal((await callTool(client, 'approve_order')).structuredContent['code'], 'insufficient_scope');

    // A repeated request shows the present permissions, and fills in agent and limit.
    await page.goto(String(address));
    await page.getByText(/You connected this program .* It may: Read, Work\. Allow replaces that connection/).waitFor();
    await page.getByText('It uses this agent, and no other.').waitFor();
    assert.equal(await page.getByLabel('Acts as').inputValue(), agent.id);
    assert.equal(await page.getByLabel(/^Most it may spend per day/).inputValue(), '2.50');

    await page.goto(`${market.url}/account/connections`);
    await page.getByRole('heading', { name: 'Desk Assistant' }).waitFor();
    await page.getByText(/May: Read, Work\. Acts as .*, at most 2\.50 USD a day\./).waitFor();
    await page.getByText(/last used/).waitFor();
    await shoot('connected');
    await page.getByRole('button', { name: 'Disconnect: Desk Assistant' }).click();
    await page.getByText('No program is connected.').waitFor();
    await assert.rejects(useTool(client, 'get_profile'));
    await client.close();
  });

  test('a refused consent reaches the host as a refusal, on a phone in the dark theme', async (t) => {
    const host = await openHost(market.url);
    t.after(() => host.close());
    const address = await host.begin();
    const cookies = [`idp-token=${await tokenFor(market.url, { email: 'refuses@example.com' })}`];
    const { page, shoot, requireAccessible } = await browser.newPage(t, {
      url: market.url,
      cookies,
      size: 'phone',
      theme: 'dark',
      allow: [/favicon/],
    });
    await page.goto(String(address));
    await page.getByText('The program runs on this computer.').waitFor();
    await requireAccessible();
    await shoot('consent-phone');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('You may close this window.').waitFor();
    const params = await host.returned();
    assert.equal(params.get('error'), 'access_denied');
    await assert.rejects(host.finish(params), /access_denied|refused/i);
  });

  test('O08: the official client refuses a code that comes from another issuer', async (t) => {
    const host = await openHost(market.url);
    t.after(() => host.close());
    await host.begin();
    await assert.rejects(host.finish(new URLSearchParams({ code: 'abc', iss: 'https://evil.example', state: 'from-the-host' })), /issuer/i);
  });

  test('O01: a consent link with a changed redirect address shows our error page, and redirects nowhere', async (t) => {
    const clientId = await registerProgram(market.url);
    const { page, shoot, requireAccessible } = await browser.newPage(t, { url: market.url, allow: [/^400 GET/, /400 \(Bad Request\)/] });
    await page.goto(`/oauth/authorize?client_id=${clientId}&response_type=code&redirect_uri=https%3A%2F%2Fevil.example%2Fcallback`);
    await page.getByRole('heading', { name: 'This program cannot be connected' }).waitFor();
    await page.getByText(/is not one it registered/).waitFor();
    await requireAccessible();
    await shoot('problem');
  });

  test('a person removes permissions of a program and chooses another agent, also after an agent changed hands, on a phone', async (t) => {
    const key = await tokenFor(market.url, { email: 'changes@example.com' });
    const agent = await registerAgent(market.url, {}, { key });
    await connectProgram(market.url, key, { scope: 'read hire work' });
    const cookies = [`idp-token=${key}`];
    const { page, visit, shoot, requireAccessible } = await browser.newPage(t, { url: market.url, cookies, size: 'phone', theme: 'dark' });
    await visit('/account/connections');
    await page.getByText('May: Read, Hire, Work. Acts as no agent').waitFor();
    await page.getByText(/not used yet/).waitFor();
    await page.getByRole('button', { name: 'Change: Desk Assistant' }).click();
    await page.getByRole('checkbox', { name: /^Hire/ }).setChecked(false);
    await page.getByLabel('Acts as').selectOption(agent.id);
    await requireAccessible();
    await shoot('change');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(new RegExp(`May: Read, Work\\. Acts as ${agent.name}`)).waitFor();

    await market.database.pool.query('update agents set owner_user_id = null where id = $1', [agent.id]);
    await page.reload();
    await page.getByRole('button', { name: 'Change: Desk Assistant' }).click();
    await page.getByLabel('Acts as').getByText('An agent that is no longer yours').waitFor({ state: 'attached' });
    await page.getByRole('checkbox', { name: /^Work/ }).setChecked(false);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/May: Read\. Acts as/).waitFor();
  });
});
