/** A buyer publishes a review on Base in a real browser: the cost first, one click with a wallet, and continuation after a reload. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { fundAddress } from '../agent-wallets/stage.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { type Buyer, openBuyer, readOrder, walletOf } from '../harness/orders.ts';
import { openPayer } from '../harness/payers.ts';
import { some } from '../harness/thoroughness.ts';
import {
  evmPayerOf,
  openRegisteredAgent,
  openReputation,
  prepare,
  type ReviewedAgent,
  reviewedOrder,
  sendCall,
} from '../onchain/feedback-stage.ts';
import { injectWallet } from './injected-wallet.ts';
import { sessionOf } from './order-stage.ts';

let market: TestMarket;
let browser: TestBrowser;
let agent: ReviewedAgent;
before(async () => {
  [market, browser] = await Promise.all([openMarket(withChains), openBrowser()]);
  agent = await openRegisteredAgent(market);
});
after(async () => {
  await browser?.close();
  await market?.close();
});

const FINAL_MS = 60_000;

/** A buyer with a reviewed order, whose key a browser wallet can hold. */
async function openAuthor(): Promise<{ buyer: Buyer; key: Hex; order: string; cookies: string[] }> {
  const key = generatePrivateKey();
  const payer = openPayer(market, 'base-mainnet', key);
  await fundAddress(market, 'base-mainnet', payer.address, { usdcMicros: 100_000_000n, native: 10n ** 17n });
  const buyer = { ...walletOf(payer), payer };
  const order = await reviewedOrder(market, agent, buyer, { rating: 5, comment: 'Every difference was explained.' });
  return { buyer, key, order, cookies: [await sessionOf(market.url, buyer)] };
}

for (const [size, theme, wallet] of some(
  [
    ['phone', 'dark', 'test'],
    ['desktop', 'light', 'installed'],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} the author of a review sees the cost and publishes it with the ${wallet} wallet`, async (t) => {
    const { buyer, key, order, cookies } = await openAuthor();
    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, { url: market.url, cookies, size, theme });
    if (wallet === 'installed') await injectWallet(page, market, { key });
    else await page.addInitScript(`localStorage.setItem('market.test-wallet.evm', '${key.slice(2)}')`);
    await visit(`/orders/${order}`);
    const section = page.getByRole('region', { name: 'Publish this review on Base' });
    if (wallet === 'installed') await section.getByRole('radio', { name: /Injected/ }).check();
    await section.getByText(/^0\.0+\d+ ETH$/).waitFor();
    await requireAccessible();
    await shoot('offer');
    assert.equal(await openReputation(market).lastIndex(agent.onchainId, buyer.address), 0n, 'nothing is sent before the click');
    await section.getByRole('button', { name: 'Publish on Base' }).click();
    await page.getByText('Published on Base').waitFor({ timeout: FINAL_MS });
    await requireAccessible();
    await shoot('published');
    const { review } = await readOrder(market.url, order, buyer);
    assert.match(review.onchain.tx_hash, /^0x/);
    assert.equal(await openReputation(market).lastIndex(agent.onchainId, buyer.address), 1n);
    await visit(`/agents/${agent.slug}`);
    await page.getByText('Published on Base').filter({ visible: true }).first().waitFor();
  });

test('publishing a review continues with the stored transaction after the page was closed, and sends nothing again', async (t) => {
  const { buyer, order, cookies } = await openAuthor();
  const reply = await prepare(market.url, order, buyer);
  const reference = await sendCall(evmPayerOf(buyer), reply.body['data'].transaction);
  const { page, visit } = await browser.newPage(t, { url: market.url, cookies });
  const record = JSON.stringify({ reference });
  await page.addInitScript(`localStorage.setItem('market.publish.${order}', '${record}')`);
  await visit(`/orders/${order}`);
  await page.getByText('Published on Base').waitFor({ timeout: FINAL_MS });
  assert.equal(await openReputation(market).lastIndex(agent.onchainId, buyer.address), 1n);
});

test('a buyer who paid on Solana reads which wallet can publish the review', async (t) => {
  const buyer = await openBuyer(market, 'solana-mainnet');
  const order = await reviewedOrder(market, agent, buyer);
  const { page, visit, requireAccessible } = await browser.newPage(t, { url: market.url, cookies: [await sessionOf(market.url, buyer)] });
  await visit(`/orders/${order}`);
  const section = page.getByRole('region', { name: 'Publish this review on Base' });
  await section.getByText('Only a Base wallet of yours can publish it.').waitFor();
  await section.getByText('This wallet must be yours here first.').waitFor();
  await requireAccessible();
});
