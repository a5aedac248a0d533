/** Hiring in a real browser, from an empty brief to a paid order, by every payment method. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import type { Page } from 'playwright-core';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openBuyer, openProvider, readOrder } from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';
import { fundOnBase, injectWallet } from './injected-wallet.ts';
import { sessionOf } from './order-stage.ts';

const BRIEF = 'Proofread one page of two hundred words and explain every change in a sentence.';

let market: TestMarket;
let browser: TestBrowser;
let service: string;
let quoted: string;
before(async () => {
  market = await openMarket(withChains);
  browser = await openBrowser();
  const provider = await openProvider(market.url);
  service = await listService(market.url, provider, {
    requirement_fields: [
      { label: 'Who reads it', type: 'text', required: true },
      { label: 'Tone', type: 'select', required: false, options: ['Plain', 'Formal'] },
    ],
  });
  quoted = await listService(market.url, provider, {
    title: 'A longer text, priced by length',
    price_type: 'quote',
    price_usd: '0',
    requirement_fields: null,
  });
});
after(async () => {
  await browser.close();
  await market.close();
});

async function open(t: TestContext, options: Partial<PageOptions> = {}): Promise<BrowserPage> {
  return await browser.newPage(t, { url: market.url, ...options });
}

async function writeBrief({ page, visit }: BrowserPage): Promise<void> {
  await visit(`/hire/${service}`);
  await page.getByLabel('What shall be done').fill(BRIEF);
  await page.getByLabel('Who reads it').fill('Customers');
  await page.getByRole('button', { name: 'Check the order' }).click();
}

async function signInAndPlace({ page }: BrowserPage, wallet: RegExp): Promise<void> {
  await page.getByRole('radio', { name: wallet }).check();
  await page.getByRole('button', { name: 'Sign in with this wallet' }).click();
  await page.getByRole('button', { name: 'Place the order and pay' }).click();
}

async function fillWallet(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Get test coins' }).click();
  await page.getByText('110.00 USDC').waitFor();
}

async function requirePaid(page: Page): Promise<string> {
  await page.waitForURL(/\/orders\/ord_/);
  await page.getByText('Paid, held').first().waitFor();
  return /ord_\w+/.exec(page.url())?.[0] ?? '';
}

test('a visitor hires with the test wallet on Base: short of funds, faucet, ready, paid', async (t) => {
  const visitor = await open(t);
  const { page, requireAccessible, shoot } = visitor;
  await visitor.visit(`/hire/${service}`);
  await page.getByRole('button', { name: 'Check the order' }).click();
  await page.getByText('Say what you need in 10 to 3000 characters').waitFor();
  await page.getByText('Please answer "Who reads it".').waitFor();
  await requireAccessible();
  await writeBrief(visitor);
  await requireAccessible();
  await signInAndPlace(visitor, /Test wallet.*Base/);
  await page.getByText(/10\.00 USDC and .* missing/).waitFor();
  await page.getByText('There is not enough in this wallet.').waitFor();
  await requireAccessible();
  await fillWallet(page);
  await shoot('ready');
  await page.getByRole('button', { name: 'Pay 10.00 USDC on Base' }).click();
  await requirePaid(page);
});

test('a person with an account signs in through the provider, links a wallet and pays on Solana from a phone', async (t) => {
  const visitor = await open(t, { size: 'phone', theme: 'dark' });
  const { page } = visitor;
  await visitor.visit(`/sign-in?next=/hire/${service}`);
  await visitor.requireAccessible();
  await page.getByRole('button', { name: 'Sign in with an account' }).click();
  await page.getByLabel('E-mail').fill('hana@example.com');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`**/hire/${service}`);
  await writeBrief(visitor);
  await page.getByRole('button', { name: 'Place the order and pay' }).click();
  await page.getByRole('dialog').getByRole('radio', { name: 'Solana' }).check();
  await page.getByRole('button', { name: 'Link this wallet' }).click();
  await fillWallet(page);
  await visitor.requireAccessible();
  await visitor.shoot('sheet');
  await page.getByRole('button', { name: 'Pay 10.00 USDC on Solana' }).click();
  await requirePaid(page);
  await visitor.visit('/wallet');
  await page.getByText(/Solana, .*proven/).waitFor();
  await visitor.requireAccessible();
});

test('a hire reloaded while its payment confirms continues from the reference and pays once', async (t) => {
  const visitor = await open(t);
  const { page } = visitor;
  let handedIn = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/payments/hand-in')) handedIn += 1;
  });
  await writeBrief(visitor);
  await signInAndPlace(visitor, /Test wallet.*Base/);
  await fillWallet(page);
  // Delays the answer, as a real chain does.
  await page.route('**/api/payments/base-mainnet/*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({
      response: answer,
      json: { ...body, data: { ...body.data, state: 'landed', received_usd: '10.00', confirmations: 1 } },
    });
  });
  await page.getByRole('button', { name: 'Pay 10.00 USDC on Base' }).click();
  await page.getByRole('button', { name: 'Sent, 1 of 3 confirmations' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sent, 1 of 3 confirmations' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Pay 10/ }).count(), 0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await requirePaid(page);
  assert.equal(handedIn, 1);
});

test('a payment refused by an installed wallet can be retried; the hash of the transfer becomes the order’s', async (t) => {
  const visitor = await open(t);
  const { page } = visitor;
  const wallet = await injectWallet(page, market);
  await fundOnBase(market, wallet.address);
  await writeBrief(visitor);
  await signInAndPlace(visitor, /Injected/);
  await page.getByText('50.00 USDC').waitFor();
  wallet.refuseNext('eth_sendTransaction', { code: 4001, message: 'User rejected the request.' });
  await page.getByRole('button', { name: 'Pay 10.00 USDC on Base' }).click();
  await page.getByText('You refused it in the wallet.').waitFor();
  await visitor.requireAccessible();
  wallet.refuseNext('eth_sendTransaction', { code: -32002, message: 'Already open.' });
  await page.getByRole('button', { name: 'Pay 10.00 USDC on Base' }).click();
  await page.getByText('The wallet still has a request of this site open.').waitFor();
  await page.getByRole('button', { name: 'Pay 10.00 USDC on Base' }).click();
  await requirePaid(page);
  assert.equal(wallet.asked.filter((method) => method === 'eth_sendTransaction').length, 3);
});

test('in the sandbox a wallet on a real network gets no payment request', async (t) => {
  const visitor = await open(t);
  const { page } = visitor;
  const wallet = await injectWallet(page, market, { realNode: true });
  await fundOnBase(market, wallet.address);
  await writeBrief(visitor);
  await signInAndPlace(visitor, /Injected/);
  await page.getByText('50.00 USDC').waitFor();
  await page.getByRole('button', { name: 'Pay 10.00 USDC on Base' }).click();
  await page.getByText('This wallet stands on a real network').waitFor();
  assert.ok(!wallet.asked.includes('eth_sendTransaction'));
});

for (const network of some(['solana-mainnet', 'base-mainnet'] as const satisfies readonly NetworkName[], 1)) {
  test(`without a browser wallet a visitor pays on ${network} by address and pastes the reference`, async (t) => {
    const buyer = await openBuyer(market, network);
    const visitor = await open(t, { cookies: [await sessionOf(market.url, buyer)], allow: [/^400 GET .api.payments/] });
    const { page } = visitor;
    await writeBrief(visitor);
    await page.getByRole('button', { name: 'Place the order and pay' }).click();
    await page.getByRole('radio', { name: /No wallet here/ }).check();
    await page.getByRole('img', { name: /10\.00 USDC as a code/ }).waitFor();
    await visitor.requireAccessible();
    await page.getByLabel('Transaction reference').fill('hello');
    await page.getByRole('button', { name: 'I have paid' }).click();
    await page.getByText('This is not a transaction reference of that network').waitFor();
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 10_000_000n, 'confirmed');
    await page.getByLabel('Transaction reference').fill(reference);
    await page.getByRole('button', { name: 'I have paid' }).click();
    const order = await requirePaid(page);
    assert.equal((await readOrder(market.url, order, buyer)).order.escrow_tx_hash, reference);
  });
}

test('a hire can be completed with the keyboard alone', async (t) => {
  const { page, visit, tabTo } = await open(t);
  await visit(`/hire/${service}`);
  await tabTo('textbox', 'What shall be done');
  await page.keyboard.type(BRIEF);
  await tabTo('textbox', 'Who reads it');
  await page.keyboard.type('Customers');
  await tabTo('button', 'Check the order');
  await page.keyboard.press('Enter');
  await tabTo('radio', /Test wallet.*Base/);
  await page.keyboard.press('Space');
  await tabTo('button', 'Sign in with this wallet');
  await page.keyboard.press('Enter');
  await tabTo('button', 'Place the order and pay');
  await page.keyboard.press('Enter');
  await tabTo('button', 'Get test coins');
  await page.keyboard.press('Enter');
  await page.getByText('110.00 USDC').waitFor();
  await tabTo('button', 'Pay 10.00 USDC on Base');
  await page.keyboard.press('Enter');
  await requirePaid(page);
});

test('the draft of a hire survives a reload, and a quote request ends waiting for a price', async (t) => {
  const visitor = await open(t, { cookies: [await sessionOf(market.url, await openBuyer(market, 'base-mainnet'))] });
  const { page } = visitor;
  await visitor.visit(`/hire/${quoted}`);
  await page.getByLabel('What shall be done').fill(BRIEF);
  await page.getByText(/Draft saved at/).waitFor();
  await page.reload();
  await page.getByText(BRIEF).first().waitFor();
  await page.getByRole('button', { name: 'Check the order' }).click();
  await page.getByRole('button', { name: 'Ask for a price' }).click();
  await page.getByRole('heading', { name: 'Waiting for price' }).waitFor();
  await visitor.requireAccessible();
});

test('signing in by wallet returns to a path of this site only; signing out clears it', async (t) => {
  const visitor = await open(t);
  const { page } = visitor;
  for (const [next, end] of [
    ['//evil.example/x', `${market.url}/`],
    ['/wallet', `${market.url}/wallet`],
  ]) {
    await visitor.visit(`/sign-in?next=${encodeURIComponent(next ?? '')}`);
    await page.getByRole('radio', { name: /Test wallet.*Solana/ }).check();
    await page.getByRole('button', { name: 'Sign in with this wallet' }).click();
    await page.waitForURL(end ?? '');
  }
  await page.getByText('Signed in by wallet').waitFor();
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.waitForURL(`${market.url}/`);
  await visitor.visit('/wallet');
  await page.getByRole('heading', { name: 'Sign in first' }).waitFor();
});
