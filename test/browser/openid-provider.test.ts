/** Sign-in at a provider from npm with its default settings, which allows no CORS calls from our pages. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type RunningProvider, startProvider } from '../foreign/oidc-provider/start-provider.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { freePort, openMarket, type TestMarket } from '../harness/market.ts';

const CLIENT = 'market-site';

suite('signing in at an OpenID provider from npm', () => {
  let market: TestMarket;
  let provider: RunningProvider;
  let browser: TestBrowser;
  before(async () => {
    const port = await freePort();
    market = await openMarket({ IDP_ISSUER: `http://127.0.0.1:${port}`, IDP_AUDIENCE: CLIENT, IDP_CLIENT_ID: CLIENT });
    const clients = [{ client_id: CLIENT, redirect_uris: [`${market.url}/sign-in`], token_endpoint_auth_method: 'none' }];
    [provider, browser] = await Promise.all([startProvider(port, { clients }), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await provider?.stop();
    await market?.close();
  });

  test('signing in redirects to the provider and back to the requested page', async (t) => {
    const { page, visit } = await browser.newPage(t, {
      url: market.url,
      // Faults of the provider's own pages: a font from the internet, no icon.
      allow: [/ERR_NAME_NOT_RESOLVED/, /ERR_INTERNET_DISCONNECTED/, /404 \(Not Found\)/, /^404 GET/],
    });
    await visit('/sign-in?next=/notifications');
    await page.getByRole('button', { name: 'Sign in with an account' }).click();
    await page.locator('input[name="login"]').fill('ines');
    await page.locator('input[name="password"]').fill('any');
    await page.locator('button[type="submit"]').click();
    // The provider asks for consent to share the identity with this site.
    await page.locator('button[type="submit"]', { hasText: 'Continue' }).click();
    await page.waitForURL(`${market.url}/notifications`);
    await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    const who = await page.evaluate<{ data: { user: unknown } }>(`fetch('/api/auth/whoami').then((answer) => answer.json())`);
    assert.notEqual(who.data.user, null);
  });
});
