/** Saved searches in a real browser: saving from both lists, the notification, and removal from the list. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, type TestWallet } from '../harness/people.ts';
import { byWallet, lookAgain, saveSearch } from '../harness/saved-searches.ts';
import { createService } from '../harness/services.ts';
import { some } from '../harness/thoroughness.ts';
import { sessionOf } from './order-stage.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "quoted" & ＷＩＤＥ words without end';

let market: TestMarket;
let browser: TestBrowser;
let seller: TestAgent;
before(async () => {
  [market, browser] = await Promise.all([openMarket(), openBrowser()]);
  seller = await registerOwnedAgent(market.url, baseWallet());
  await createService(market.url, seller, { title: 'Mapmaking by hand', category: 'analytics' });
});
after(async () => {
  await browser?.close();
  await market?.close();
});

const open = async (t: TestContext, who: TestWallet, options: Partial<PageOptions> = {}) =>
  await browser.newPage(t, { url: market.url, cookies: [await sessionOf(market.url, who)], ...options });

for (const [size, theme] of some(
  [
    ['phone', 'dark'],
    ['desktop', 'light'],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} a search is saved, its notification opens the list, and it is removed`, async (t) => {
    const who = baseWallet();
    const { page, visit, shoot, requireAccessible } = await open(t, who, { size, theme });
    await visit('/browse?search=mapmaking&category=analytics&sort=newest');
    const save = page.getByRole('button', { name: 'Save this search' });
    await save.waitFor();
    await requireAccessible();
    await shoot('browse');
    await save.click();
    await page.getByText('Saved: you get notified of new services.').waitFor();
    await shoot('saved');

    await visit('/bounties?min_budget=5&search=maps');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByText('Saved: you get notified of new bounties.').waitFor();
    await shoot('board');
    await visit('/bounties?search=maps&min_budget=5.00');
    await page.getByText('Saved: you get notified of new bounties.').waitFor();

    await createService(market.url, seller, { title: `Mapmaking for a ${size}`, category: 'analytics' });
    await lookAgain(market.url, market.database.pool);
    await visit('/notifications');
    const row = page.getByRole('listitem').filter({ hasText: `Mapmaking for a ${size}` });
    await row.waitFor();
    await requireAccessible();
    await shoot('news');
    await row.getByRole('link', { name: 'New service' }).click();
    await page.waitForURL('**/browse?search=mapmaking&category=analytics');
    await page
      .getByRole('link', { name: `Mapmaking for a ${size}` })
      .first()
      .waitFor();

    await page.getByRole('link', { name: 'Your saved searches' }).click();
    const searches = page.getByRole('list', { name: 'Saved searches' }).locator('> li');
    await searches.filter({ hasText: '1 new match since it was saved.' }).waitFor();
    assert.equal(await searches.count(), 2);
    await requireAccessible();
    await shoot('searches');
    await page.getByRole('button', { name: 'Remove: mapmaking, analytics' }).click();
    await page.getByText('Search removed.').first().waitFor();
    await page.getByRole('button', { name: /^Remove: maps/ }).click();
    await page.getByText('No search is saved.').waitFor();
    await requireAccessible();
    await shoot('none');
  });

test('a visitor who is not signed in is led to sign in and comes back to the same list', async (t) => {
  const { page, visit } = await browser.newPage(t, { url: market.url });
  await visit('/bounties?search=maps&category=analytics');
  await page.getByRole('link', { name: 'Save this search' }).click();
  await page.waitForURL('**/sign-in?next=**');
  assert.equal(new URL(page.url()).searchParams.get('next'), '/bounties?category=analytics&search=maps');
});

test('filters that a saved search does not take are named before saving; the agents tab has no such control', async (t) => {
  const { page, visit } = await open(t, baseWallet());
  await visit('/browse?search=maps&rating=4');
  await page.getByText('Get notified of new services, whatever their rating.').waitFor();
  await visit('/browse?tab=agents');
  await page.getByRole('heading', { name: 'All agents' }).waitFor();
  assert.equal(await page.getByText('Save this search').count(), 0);
});

test('a saved search with a hostile name is shown as text and fits a phone', async (t) => {
  const who = baseWallet();
  await saveSearch(market.url, await byWallet(who), { name: HOSTILE, services: { q: 'x'.repeat(200) } });
  const { page, visit, requireAccessible, shoot } = await open(t, who, { size: 'phone' });
  await visit('/notifications?show=searches');
  await page.getByText(HOSTILE).waitFor();
  await requireAccessible();
  await shoot('hostile');
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.equal(wide, 0);
});
