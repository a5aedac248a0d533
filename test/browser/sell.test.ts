/** The provider console, from the first service to the payout; desktop and phone, both themes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { registerAgent } from '../harness/agents.ts';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { png } from '../harness/files.ts';
import { call } from '../harness/http.ts';
import { act, openProvider, readOrder, untilTransferred } from '../harness/orders.ts';
import { baseWallet, solanaWallet, tokenFor } from '../harness/people.ts';
import { type OrderStage, openOrderStage, sessionOf, stageOrder } from './order-stage.ts';

let stage: OrderStage;
let browser: TestBrowser;
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

type Test = Parameters<TestBrowser['newPage']>[0];

async function open(t: Test, cookie: string, path: string, options: Partial<PageOptions> = {}): Promise<BrowserPage> {
  const opened = await browser.newPage(t, { url: stage.market.url, cookies: [cookie], ...options });
  await opened.visit(path);
  return opened;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

/** A wallet with its own agents, so that tests do not see each other's. */
async function openSeller(agents = 1) {
  const owner = baseWallet();
  const { url } = stage.market;
  const sellers = [];
  for (let count = 0; count < agents; count += 1) sellers.push(await openProvider(url, 'base-mainnet', owner));
  return { owner, sellers, cookie: await sessionOf(url, owner) };
}

test('a service listed from the console appears on its public page', async (t) => {
  const { cookie, sellers } = await openSeller();
  const { page, requireAccessible, shoot } = await open(t, cookie, '/sell/services');
  await page.getByText('offers nothing yet, so nobody can hire it.').waitFor();
  await page.getByRole('link', { name: 'Offer a service' }).click();
  await button(page, 'List this service').click();
  await page.getByText('The title must be 5-80 characters.').waitFor();
  assert.equal(await page.evaluate('document.activeElement.labels[0].textContent'), 'Title');

  await page.getByLabel('Title').fill('Ledger <b>reconciliation</b>');
  await page.getByText(/^The title may hold letters/).waitFor();
  await page.getByLabel('Title').fill('Ledger reconciliation');
  await page.getByLabel('Category', { exact: true }).selectOption('analytics');
  await page.getByLabel('Description').fill('Two ledgers compared line by line, with every <i>difference</i> explained.');
  await page.getByLabel('What is handed over').fill('A report\nA table');
  await page.getByLabel('Price in USDC').fill('180');
  const parts = page.getByRole('region', { name: 'What it brings' });
  await parts.getByText('162.00').waitFor();
  await parts.getByText('198.00').waitFor();
  await page.getByLabel('My own').check();
  await page.getByRole('textbox', { name: 'Question 1' }).fill('Which accounts');
  await button(page, 'Add a question').click();
  await page.getByRole('textbox', { name: 'Question 2' }).fill('Time zone');
  await page.getByRole('group', { name: 'Question 2' }).getByLabel('Answered by').selectOption('select');
  await page.getByLabel('Choices').fill('UTC\nLocal');
  await button(page, 'Move question 2 up').click();
  assert.equal(await page.getByRole('textbox', { name: 'Question 1' }).inputValue(), 'Time zone');
  await requireAccessible();
  await shoot('editor');
  await button(page, 'List this service').click();

  await page.getByRole('link', { name: 'See its page' }).click();
  await page.getByRole('heading', { name: 'Ledger reconciliation', level: 1 }).waitFor();
  await page.getByText('every <i>difference</i> explained.').waitFor();
  await page.getByText('First you fill in 2 fields.').waitFor();
  const listed = await call(stage.market.url, `GET /api/agents/${sellers[0]?.slug}/services`);
  assert.deepEqual(
    listed.body['data'].map((service: { price_usd: string; requirement_fields: { label: string }[] }) => [
      service.price_usd,
      service.requirement_fields.map(({ label }) => label),
    ]),
    [['180.00', ['Time zone', 'Which accounts']]],
  );
});

test('a service can be changed, withdrawn and restored, and leaving unsaved changes asks first', async (t) => {
  const { page } = await open(t, stage.cookies.provider, `/sell/services/${stage.services.quote}`, { size: 'phone', theme: 'dark' });
  await page.getByText('Nothing was changed.').waitFor();
  await page.getByLabel('Hours to deliver').fill('72');
  await page.getByRole('link', { name: 'Back to the services' }).click();
  const question = page.getByRole('dialog', { name: 'Leave without saving' });
  await question.getByRole('button', { name: 'Stay here' }).click();
  assert.equal(await page.getByLabel('Hours to deliver').inputValue(), '72');
  await button(page, 'Save').click();
  await page.getByText('Nothing was changed.').waitFor();
  await button(page, /^Stop offering/).click();
  await page.getByText('Not offered').waitFor();
  await button(page, /^Offer again/).click();
  await page.getByText('Listed', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Back to the services' }).click();
  await page.getByRole('link', { name: 'A page that sells', exact: true }).waitFor();
  const { body } = await call(stage.market.url, `GET /api/services/${stage.services.quote}`);
  assert.deepEqual([body['data'].turnaround_hours, body['data'].active], [72, 1]);
});

test('a seller quotes a requested price from the queue', async (t) => {
  const order = await stageOrder(stage, 'pending_quote');
  const { page, requireAccessible, shoot } = await open(t, stage.cookies.provider, '/sell', { size: 'phone', theme: 'dark' });
  await page.getByText(/waits for your price and pays nothing before/).waitFor();
  await shoot('queue');
  await button(page, 'Give a price: A page that sells').click();
  const dialog = page.getByRole('dialog', { name: 'Give a price: A page that sells' });
  await dialog.getByLabel('Price in USDC').fill('120');
  await dialog.getByText('You get 108.00 USDC, 12.00 USDC is the fee.').waitFor();
  await requireAccessible();
  await shoot('price');
  await dialog.getByRole('button', { name: 'Send the price of 120.00 USDC' }).click();
  await page.getByText('Price given, not paid').waitFor();
  assert.equal(await dialog.count(), 0);
  const view = await readOrder(stage.market.url, order, stage.buyer);
  assert.deepEqual([view.order.status, view.order.quoted_price_usd], ['quoted', '120.00']);
});

test('an order is started and delivered with a file from the queue, and the buyer sees it live', async (t) => {
  const { cookies } = stage;
  const order = await stageOrder(stage, 'paid');
  const buyer = await open(t, cookies.buyer, `/orders/${order}`);
  const { page, shoot } = await open(t, cookies.provider, '/sell', { theme: 'dark' });
  const row = page.getByRole('row').filter({ has: page.locator(`a[href="/orders/${order}"]`) });
  await row.getByText(/cancelled, and you lose 162\.00 USDC\.$/).waitFor();
  await shoot('queue');
  await row.getByRole('button', { name: /^Start/ }).click();
  await row.getByRole('button', { name: /^Deliver/ }).click();
  const dialog = page.getByRole('dialog', { name: /^Deliver: Retention report/ });
  await dialog.getByLabel('Files').setInputFiles({ name: 'cohorts.png', mimeType: 'image/png', buffer: png(200, 100) });
  await shoot('deliver');
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click();
  await row.getByText('In review, buyer’s clock').waitFor();
  await heading(buyer.page, 'Your move: check the work').waitFor();
  await buyer.page.getByText('Preview, reduced and marked. The original opens when you accept.').waitFor();
});

test('the queue shows a new order without reloading', async (t) => {
  const { page } = await open(t, stage.cookies.provider, '/sell');
  await heading(page, 'Queue by deadline').waitFor();
  const order = await stageOrder(stage, 'paid');
  await page.locator(`a[href="/orders/${order}"]`).first().waitFor();
});

test('earnings follow an order from review to the payout', async (t) => {
  const { market, cookies, buyer, provider } = stage;
  const order = await stageOrder(stage, 'delivered');
  const { page, requireAccessible, shoot } = await open(t, cookies.provider, '/sell/earnings', { size: 'phone' });
  await heading(page, provider.name).waitFor();
  await page
    .getByText(/in review/i)
    .first()
    .waitFor();
  assert.equal((await act(market.url, order, buyer, 'approve')).status, 200);
  const payouts = page.getByRole('table', { name: 'Payouts and refunds, newest first' });
  const payout = payouts.getByRole('row').filter({ has: page.locator(`a[href="/orders/${order}"]`) });
  await payout.getByText(/^Payout|^Released/).waitFor();
  await untilTransferred(market.url, order, buyer, 'payout');
  await payout.getByText('Released', { exact: true }).waitFor();
  await payout.getByText('162.00').waitFor();
  await page.getByRole('img', { name: /^Earnings by day, 14 days: 162\.00 USDC released/ }).waitFor();
  await page.getByRole('table', { name: 'Movements, newest first' }).getByText('Transfer prepared').first().waitFor();
  await requireAccessible();
  await shoot('earnings');
  const saved = page.waitForEvent('download');
  await button(page, 'Save as CSV').click();
  assert.equal((await saved).suggestedFilename(), `${provider.slug}-statement.csv`);
});

test('a payout address set by account waits and can be cancelled; an invalid address is refused beside its field', async (t) => {
  const { url } = stage.market;
  const token = await tokenFor(url, { email: 'seller@example.com' });
  const agent = await registerAgent(url, {}, { key: token });
  const { page } = await open(t, `idp-token=${token}`, `/sell/profile?agent=${agent.slug}`);
  await page.getByRole('link', { name: 'Set an address' }).click();
  await button(page, 'Change where it goes').click();
  const dialog = page.getByRole('dialog', { name: 'Where payouts go' });
  await dialog.getByLabel('Address on Solana').fill('nowhere');
  await dialog.getByText('Must be a base58 Solana address.').waitFor();
  const { address } = solanaWallet();
  await dialog.getByLabel('Address on Solana').fill(address);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/on payouts go to/).waitFor();
  const mine = async () => (await call(url, 'GET /api/agents/my', { key: token })).body['data'][0];
  const waiting = await mine();
  assert.equal(waiting.pending_payout.payout_wallet, address);
  assert.notEqual(waiting.payout_destinations.solana, address);
  await button(page, 'Cancel the change').click();
  await page.getByText(/on payouts go to/).waitFor({ state: 'detached' });
  assert.equal((await mine()).pending_payout, null);
});

test('after sign-in by wallet, a payout address change is signed by the owner’s wallet', async (t) => {
  const { url } = stage.market;
  const { page, visit } = await browser.newPage(t, { url });
  await visit('/sign-in?next=/sell');
  await page.getByLabel(/Test wallet.*Base/).check();
  await button(page, 'Sign in with this wallet').click();
  await page.getByText('You have no agent yet.').waitFor();
  const owner = await page.evaluate<string>(
    `fetch('/api/auth/whoami').then((reply) => reply.json()).then(({ data }) => data.wallet.address)`,
  );
  const body = JSON.stringify({ name: 'Signed Payouts', description: 'Registers from the page of a test.', owner_wallet: owner });
  await page.evaluate(
    `fetch('/api/agents/register', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} })`,
  );
  await visit('/sell/earnings');
  await button(page, 'Change where it goes').click();
  const { address } = solanaWallet();
  await page.getByLabel('Address on Solana').fill(address);
  await button(page, 'Go on to sign').click();
  const dialog = page.getByRole('dialog', { name: 'Sign the change' });
  await dialog.getByLabel(/Test wallet.*Base/).check();
  await dialog.getByRole('button', { name: 'Sign and save' }).click();
  await page.getByText('the address you set').waitFor();
});

test('an agent’s profile can be edited, lists missing fields, and refuses a taken name beside its field', async (t) => {
  const { cookie, sellers } = await openSeller();
  const [seller] = sellers;
  assert.ok(seller);
  const { page, requireAccessible, shoot } = await open(t, cookie, '/sell/profile', { theme: 'dark', allow: [/^409 PATCH/] });
  await page.getByText('nobody can hire it yet').waitFor();
  await page.getByLabel('Name').fill(stage.provider.name);
  await button(page, 'Save the profile').click();
  await page.locator('.error').first().waitFor();
  await page.getByLabel('Name').fill(seller.name);
  await page.getByLabel('What it does').fill('Compares ledgers and <b>explains</b> every difference.');
  await page.getByLabel('Analytics').check();
  await shoot('profile');
  await requireAccessible();
  await button(page, 'Save the profile').click();
  await page.getByText('Nothing was changed.').waitFor();
  await page.getByText('found under its categories').waitFor();
  await page.getByRole('link', { name: 'Public page' }).click();
  await page.getByText('Compares ledgers and <b>explains</b> every difference.').waitFor();
});

test('a portfolio entry with the buyer’s consent can be hidden and shown again', async (t) => {
  const { market, cookies, buyer, provider } = stage;
  const order = await stageOrder(stage, 'delivered');
  assert.equal((await act(market.url, order, buyer, 'approve', { allow_portfolio: true })).status, 200);
  const { page } = await open(t, cookies.provider, '/sell/profile', { size: 'phone' });
  await button(page, /^Hide: Retention report/).click();
  await page.getByText('Hidden by you').waitFor();
  const shown = await call(market.url, `GET /api/agents/${provider.slug}/portfolio`);
  assert.deepEqual(shown.body['data'], []);
  await button(page, /^Show: Retention report/).click();
  await page.getByText('Shown', { exact: true }).waitFor();
});

test('with several agents the URL selects the agent of the console', async (t) => {
  const { cookie, sellers } = await openSeller(2);
  const [first, second] = sellers;
  const { page } = await open(t, cookie, '/sell');
  await heading(page, 'All your agents').waitFor();
  await page.getByLabel('Agent').selectOption(first?.id ?? '');
  await heading(page, first?.name ?? '').waitFor();
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Services' }).click();
  await heading(page, first?.name ?? '').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('agent'), first?.slug);
  await page.goto(`/sell/earnings?agent=${second?.slug}`);
  await heading(page, second?.name ?? '').waitFor();
});

test('a paused agent is off the market until it is resumed', async (t) => {
  const { cookie, sellers } = await openSeller();
  const { page } = await open(t, cookie, '/sell', { size: 'phone', theme: 'dark' });
  await button(page, 'Pause new orders').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause new orders' }).click();
  await page.getByText('Off the market: you took it down').waitFor();
  assert.equal((await call(stage.market.url, `GET /api/agents/${sellers[0]?.slug}`)).status, 404);
  await button(page, 'Bring back').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click();
  await page.getByText('On the market', { exact: true }).waitFor();
});

test('a person without an agent sees how to get one', async (t) => {
  const { page } = await open(t, stage.cookies.buyer, '/sell');
  await page.getByText('You have no agent yet.').waitFor();
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Earnings' }).click();
  await page.getByText('You have no agent yet.').waitFor();
  await page.getByRole('main').locator('.console-main').getByRole('link', { name: 'Register an agent' }).waitFor();
});

test('another owner’s service cannot be edited', async (t) => {
  const { cookie } = await openSeller();
  const { page } = await open(t, cookie, `/sell/services/${stage.services.fixed}`);
  await page.getByText('This service belongs to somebody else’s agent.').waitFor();
  assert.equal(await button(page, 'Save').count(), 0);
});
