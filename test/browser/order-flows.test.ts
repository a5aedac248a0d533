/** Order flows through the pages: both sides and the operator, desktop and phone, both themes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { png } from '../harness/files.ts';
import { call, expectCall } from '../harness/http.ts';
import { hireWith, openMachineBuyer, readOffer, versionTwo } from '../harness/machine-buyers.ts';
import { deliver, readOrder, untilStatus, untilTransferred } from '../harness/orders.ts';
import { until } from '../money/money.ts';
import { type OrderStage, openOrderStage, say, stageOrder } from './order-stage.ts';

let stage: OrderStage;
let browser: TestBrowser;
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

type Who = keyof OrderStage['cookies'];

async function open(
  t: Parameters<TestBrowser['newPage']>[0],
  who: Who,
  path: string,
  options: Partial<PageOptions> = {},
): Promise<BrowserPage> {
  const opened = await browser.newPage(t, { url: stage.market.url, cookies: [stage.cookies[who]], ...options });
  await opened.visit(path);
  return opened;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

test('a price is quoted by the provider and accepted by the buyer, who sees it without reloading', async (t) => {
  const order = await stageOrder(stage, 'pending_quote');
  const buyer = await open(t, 'buyer', `/orders/${order}`);
  await heading(buyer.page, 'Waiting for a price').waitFor();
  const provider = await open(t, 'provider', `/orders/${order}`, { size: 'phone', theme: 'dark' });
  await provider.page.getByLabel('Price in USDC').fill('180');
  await provider.page.getByText('You get 162.00 USDC, 18.00 USDC is the fee.').waitFor();
  await provider.page.getByLabel('What the price covers').fill('Five pages, <b>two</b> rounds.');
  await button(provider.page, 'Send the price of 180.00 USDC').click();
  await heading(provider.page, 'Waiting for the payment').waitFor();
  await heading(buyer.page, 'Your move: pay 180.00 USDC').waitFor();
  await buyer.page.getByText('Five pages, <b>two</b> rounds.').first().waitFor();
  await buyer.page.getByRole('link', { name: 'Agree and pay 180.00 USDC' }).waitFor();
  await buyer.shoot('offer');
  await button(buyer.page, 'Agree, pay later').click();
  await buyer.page.getByText('Agreed, not paid').first().waitFor();
});

test('a longer delivery time in a new quote is agreed to first, then paid', async (t) => {
  const { market, provider } = stage;
  const order = await stageOrder(stage, 'pending_quote');
  for (const turnaround_hours of [24, 720]) {
    const body = { price_usd: '180.00', turnaround_hours };
    await expectCall(market.url, 200, `POST /api/orders/${order}/quote`, { headers: provider.headers, body });
  }
  const buyer = await open(t, 'buyer', `/orders/${order}`, { size: 'phone' });
  await heading(buyer.page, 'Your move: agree to the longer time').waitFor();
  await buyer.page.getByText('Delivered within 30 days of payment').waitFor();
  assert.equal(await buyer.page.getByRole('link', { name: /Agree and pay/ }).count(), 0);
  await buyer.shoot('longer-quote');
  await button(buyer.page, 'Agree').first().click();
  await heading(buyer.page, 'Your move: pay 180.00 USDC').waitFor();
});

test('a provider starts and delivers files; the buyer requests a revision, gets it, accepts and reviews', async (t) => {
  const { market, buyer: buyerWallet } = stage;
  const order = await stageOrder(stage, 'paid');
  const provider = await open(t, 'provider', `/orders/${order}`);
  await button(provider.page, 'Start work').click();
  await heading(provider.page, 'Your move: deliver').waitFor();
  await provider.page.getByLabel('Files').setInputFiles([
    { name: 'cohorts.png', mimeType: 'image/png', buffer: png(200, 100) },
    { name: 'table.csv', mimeType: 'text/csv', buffer: Buffer.from('cohort,users\n22 Sep,1204\n') },
  ]);
  await button(provider.page, 'Deliver 2 things').click();
  await heading(provider.page, /^In review by/).waitFor();

  const buyer = await open(t, 'buyer', `/orders/${order}`, { size: 'phone' });
  await buyer.page.getByText('Preview, reduced and marked. The original opens when you accept.').waitFor();
  await button(buyer.page, 'Read').click();
  await buyer.page.getByText('22 Sep,1204').waitFor();
  await button(buyer.page, 'Ask for a revision').click();
  await buyer.page.getByLabel('What should be different').fill('Two of five accounts are missing.');
  await buyer.page.getByRole('dialog').getByRole('button', { name: 'Ask for a revision' }).click();
  await heading(buyer.page, /revises the work$/).waitFor();

  await provider.page.getByRole('blockquote').getByText('Two of five accounts are missing.').waitFor();
  await provider.page.getByLabel('A link').fill('https://example.com/second');
  await button(provider.page, 'Deliver').click();
  await heading(provider.page, /^In review by/).waitFor();

  await buyer.page.getByText('Earlier rounds, 2 things').waitFor();
  await button(buyer.page, 'Accept and release 162.00 USDC').click();
  const question = buyer.page.getByRole('dialog', { name: /^Release 162\.00 USDC to/ });
  await question.getByText('Released money cannot be called back.').waitFor();
  await question.getByRole('button', { name: 'Accept and release 162.00 USDC' }).click();
  await heading(buyer.page, 'Completed').waitFor();
  await buyer.page.getByLabel('5, as agreed or better').check();
  await buyer.page.getByLabel('In your words').fill('Early and exact.');
  await button(buyer.page, 'Publish the review').click();
  await buyer.page.getByText('Early and exact.').waitFor();
  await buyer.requireAccessible();

  const view = await readOrder(market.url, order, buyerWallet);
  assert.deepEqual([view.order.status, view.money.state, view.review.rating], ['completed', 'released', 5]);
  await untilTransferred(market.url, order, buyerWallet, 'payout');
  await provider.page.getByRole('link', { name: 'Receipt' }).click();
  await heading(provider.page, 'Receipt').waitFor();
  const transfers = provider.page.getByRole('region', { name: 'Transfers' }).getByRole('listitem');
  await transfers.filter({ hasText: 'Payout' }).getByText('arrived').waitFor();
  assert.match((await transfers.filter({ hasText: 'Payment' }).textContent()) ?? '', /180\.00/);
  await button(provider.page, 'Show the books').click();
  await provider.page.getByText('Transfer arrived').first().waitFor();
  await provider.requireAccessible();
  await provider.shoot('receipt');
});

test('a dispute accepts statements of both sides, and the operator splits by amounts that sum to the price', async (t) => {
  const { market, buyer: buyerWallet } = stage;
  const order = await stageOrder(stage, 'delivered');
  const buyer = await open(t, 'buyer', `/orders/${order}`);
  await button(buyer.page, 'Open a dispute').click();
  await buyer.page.getByLabel('What is wrong').fill('Half of the report is missing.');
  await buyer.page.getByRole('dialog').getByRole('button', { name: 'Open a dispute' }).click();
  await buyer.page.getByRole('link', { name: 'State your case' }).click();
  await buyer.page.getByLabel('Your side of it').fill('Pages 5 to 9 are empty.');
  await buyer.page.getByLabel('Evidence, files').setInputFiles({ name: 'page-5.png', mimeType: 'image/png', buffer: png(40, 40) });
  await buyer.page.getByLabel('Evidence, links').fill('https://example.com/page-6');
  await button(buyer.page, 'Put it on record').click();
  await buyer.page.getByText('Pages 5 to 9 are empty.').waitFor();
  await buyer.page.getByRole('link', { name: /Evidence 1, page-5\.png/ }).waitFor();
  await button(buyer.page, /Evidence 2, example\.com/).click();
  await buyer.page.getByRole('dialog', { name: 'This leads to example.com' }).waitFor();

  const provider = await open(t, 'provider', `/orders/${order}/dispute`, { size: 'phone', theme: 'dark' });
  await provider.page.getByLabel('Your side of it').fill('They were empty in the export.');
  await button(provider.page, 'Put it on record').click();
  await provider.page.getByText('They were empty in the export.').waitFor();

  const admin = await open(t, 'admin', '/admin/disputes');
  await admin.page.locator(`a[href="/admin/disputes/${order}"]`).click();
  await admin.page.getByLabel('Split between both').check();
  await admin.page.getByLabel('Back to the buyer, USDC').fill('200');
  await admin.page.getByText('More than 0 and less than 180.00 USDC.').waitFor();
  await admin.page.getByLabel('Back to the buyer, USDC').fill('60');
  await admin.page.getByText('108.00 USDC').waitFor();
  await admin.page.getByText('Give a reason of at least 10 characters.').waitFor();
  await admin.page.getByLabel('Reason').fill('One of the two missing parts was not in the export.');
  await admin.requireAccessible();
  await button(admin.page, 'Rule: 60.00 USDC back to the buyer').click();
  await button(admin.page, 'Rule now').click();
  await heading(admin.page, 'Split between both').waitFor();

  await heading(provider.page, 'Split between both').waitFor();
  await provider.page.getByText('One of the two missing parts was not in the export.').waitFor();
  const { order: ended, money } = await readOrder(market.url, order, buyerWallet);
  assert.deepEqual([ended.status, money.state, money.released_usd, money.refunded_usd], ['completed', 'split', '108.00', '60.00']);
});

test('a buyer withdraws a dispute, and a provider refunds during one', async (t) => {
  const [withdrawn, refunded] = [await stageOrder(stage, 'disputed'), await stageOrder(stage, 'disputed')];
  const buyer = await open(t, 'buyer', `/orders/${withdrawn}/dispute`);
  await button(buyer.page, 'Withdraw the dispute').click();
  await buyer.page.getByRole('dialog').getByRole('button', { name: 'Withdraw the dispute' }).click();
  await heading(buyer.page, 'Withdrawn').waitFor();
  const provider = await open(t, 'provider', `/orders/${refunded}/dispute`);
  await button(provider.page, 'Refund 180.00 USDC and end the order').click();
  await provider.page
    .getByRole('dialog')
    .getByText(/180\.00 USDC goes back to the wallet that paid, 0x/)
    .waitFor();
  await provider.page.getByRole('dialog').getByRole('button', { name: 'Refund 180.00 USDC and end the order' }).click();
  await heading(provider.page, 'Refunded by the provider').waitFor();
});

test('a buyer cancels a paid order on a phone and sees the refund arrive', async (t) => {
  const { market, buyer: buyerWallet } = stage;
  const order = await stageOrder(stage, 'paid');
  const { page } = await open(t, 'buyer', `/orders/${order}`, { size: 'phone', theme: 'dark' });
  await button(page, 'Cancel the order, refund 180.00 USDC').click();
  await page
    .getByRole('dialog')
    .getByText(/180\.00 USDC goes back to the wallet that paid/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order, refund 180.00 USDC' }).click();
  await heading(page, 'Cancelled').waitFor();
  await untilTransferred(market.url, order, buyerWallet, 'refund');
  await page.reload();
  await page.getByText('Refund arrived').waitFor();
});

test('in a workspace the buyer sends a request, the provider answers with text, and the quota is updated', async (t) => {
  const order = await stageOrder(stage, 'workspace');
  const buyer = await open(t, 'buyer', `/orders/${order}/workspace`);
  await buyer.page.getByRole('img', { name: '0 of 12 outputs used' }).waitFor();
  await buyer.page.getByLabel(/^What .* should make$/).fill('A quiet harbour at dawn.');
  await button(buyer.page, 'Ask, use 1 of the quota').click();
  await buyer.page.getByText(/waits for the agent until/).waitFor();
  await buyer.page.getByRole('img', { name: '1 of 12 outputs used' }).waitFor();

  const provider = await open(t, 'provider', `/orders/${order}`, { size: 'phone' });
  await heading(provider.page, 'Your move: answer').waitFor();
  await provider.page.getByRole('link', { name: 'Answer in the workspace' }).click();
  await button(provider.page, 'Answer').click();
  await provider.page.getByLabel('Text or code').fill('Boats at rest, <i>grey</i> water.');
  await button(provider.page, 'Answer').click();
  await provider.page.getByText(/, answered$/).waitFor();

  await buyer.page.getByText('Boats at rest, <i>grey</i> water.').waitFor();
  await button(buyer.page, 'Ask this again').click();
  assert.equal(await buyer.page.getByLabel(/^What .* should make$/).inputValue(), 'A quiet harbour at dawn.');
  await buyer.requireAccessible();
});

test('an outdated button of an order page explains the refusal, and the page shows the order as it is now', async (t) => {
  const order = await stageOrder(stage, 'paid');
  const { page } = await open(t, 'buyer', `/orders/${order}`, { allow: [/^400 PATCH/] });
  await button(page, 'Cancel the order, refund 180.00 USDC').click();
  const question = page.getByRole('dialog', { name: 'Cancel the order' });
  await question.waitFor();
  // The provider starts the order between two clicks of the buyer.
  await page.route('**/api/orders/**', async (route) => {
    if (route.request().method() === 'PATCH')
      await expectCall(stage.market.url, 200, `POST /api/orders/${order}/start`, { headers: stage.provider.headers });
    await route.continue();
  });
  await question.getByRole('button', { name: /^Cancel the order/ }).click();
  await question.getByText(/An order that is in progress cannot be changed this way\. The page now shows the order as it is\./).waitFor();
  await page.keyboard.press('Escape');
  await heading(page, /is at work$/).waitFor();
  await page.getByText('Closed when work started. The provider can still refund.').waitFor();
});

test('messages of an order arrive live, are then marked read, and show markup as text', async (t) => {
  const { market, buyer: buyerWallet } = stage;
  const order = await stageOrder(stage, 'in_progress');
  await say(stage, order, 'First <img src=x onerror=alert(1)>');
  const list = await open(t, 'buyer', '/orders');
  await list.page.getByRole('row', { name: /1 new message/ }).waitFor();
  const { page } = await open(t, 'buyer', `/orders/${order}`);
  await page.getByText('First <img src=x onerror=alert(1)>').waitFor();
  await page.getByLabel(/^Message to/).fill('Thank you.');
  await button(page, 'Send').click();
  await page.getByText('Thank you.', { exact: true }).waitFor();
  await say(stage, order, 'Second');
  await page.getByText('Second').waitFor();
  // The page marks messages as read a moment after showing them.
  await until(
    'messages being marked read',
    async () => (await readOrder(market.url, order, buyerWallet)).unread_messages === 0 || undefined,
  );
  await list.visit('/orders');
  await heading(list.page, 'Done').waitFor();
  assert.equal(await list.page.getByRole('row', { name: /new message/ }).count(), 0);
});

test('my orders are grouped in four groups, and can be filtered by side and state', async (t) => {
  const { page, requireAccessible } = await open(t, 'provider', '/orders');
  for (const name of ['Needs you', 'In work', 'Waiting on others', 'Done']) await heading(page, name).waitFor();
  await page.getByLabel('State').selectOption('completed');
  await page.waitForURL('**/orders?state=completed');
  // The address changes a moment before the page.
  await heading(page, 'Waiting on others').waitFor({ state: 'detached' });
  assert.deepEqual(await page.getByRole('heading', { level: 2 }).allTextContents(), ['Needs you', 'Done']);
  await page.getByLabel('Side').selectOption('buyer');
  await page.getByText('Nothing is done yet.').waitFor();
  await requireAccessible();
});

test('Y13: a link with the read token shows a machine’s order without an account and cannot act; the URL loses the token', async (t) => {
  const { market, services } = stage;
  const machine = await openMachineBuyer(market, 'base-mainnet', 1_000_000_000n);
  const offer = await readOffer(market, market.url, services.fixed, 'base-mainnet');
  const hired = await hireWith(market.url, services.fixed, versionTwo(offer, await machine.authorise(offer)));
  assert.equal(hired.status, 200, JSON.stringify(hired.body));
  const { order_id: order, read_token: token, buyer_token: acting } = hired.body['data'];
  const { page, visit } = await browser.newPage(t, { url: market.url, allow: [/^401 GET .api.orders/] });
  await visit(`/orders/${order}`);
  await page.getByText('Sign in to see this.').waitFor();
  await page.goto('about:blank');
  await visit(`/orders/${order}#token=${acting}`);
  await page.getByText('Sign in to see this.').waitFor();
  await page.goto('about:blank');
  await visit(`/orders/${order}#token=${token}`);
  await page.getByText('A logo for a bakery.').waitFor();
  assert.equal(new URL(page.url()).hash, '');
  await untilStatus(market.url, order, machine, 'paid');
  assert.equal((await deliver(market.url, order, stage.provider)).status, 200);
  await page.reload();
  await heading(page, 'Your move: check the work').waitFor();
  assert.equal(await button(page, 'Accept').count(), 0);
  assert.equal((await call(market.url, `PATCH /api/orders/${order}`, { key: acting, body: { action: 'approve' } })).status, 200);
  await page.reload();
  await heading(page, 'Completed').waitFor();
});

test('strangers cannot see an order, and operator pages are for operators only', async (t) => {
  const order = await stageOrder(stage, 'quoted');
  const stranger = await browser.newPage(t, { url: stage.market.url, cookies: [stage.cookies.provider], allow: [/^40[13] /] });
  await stranger.visit(`/admin/disputes/${order}`);
  await stranger.page.getByText('This is not yours to see.').waitFor();
  await stranger.visit('/admin/disputes');
  await stranger.page.getByText('Disputes are ruled by operators.').waitFor();
});
