/** The page of an agent's wallet: fund by faucet, send, set the withdraw address, export; desktop and phone, both themes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { fundWallet, openOwnedAgent, readLog } from '../agent-wallets/stage.ts';
import { openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { freshAddress } from '../harness/payers.ts';
import type { TestWallet } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';
import { injectWallet } from './injected-wallet.ts';
import { sessionOf } from './order-stage.ts';

let market: TestMarket;
let browser: TestBrowser;
before(async () => {
  [market, browser] = await Promise.all([openMarket(withChains), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await market?.close();
});

/** A wallet whose key the browser gets, too. */
function newOwner() {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const owner: TestWallet = { chain: 'base', address: account.address, sign: (text) => account.signMessage({ message: text }) };
  return { key, owner };
}

const looks: readonly Pick<PageOptions, 'size' | 'theme'>[] = [
  { size: 'desktop', theme: 'light' },
  { size: 'phone', theme: 'dark' },
];

for (const { size = 'desktop', theme = 'light' } of some(looks, 1)) {
  test(`an owner funds the agent’s wallet by faucet, sends USDC and sees it arrive (${size}, ${theme})`, async (t) => {
    const { key, owner } = newOwner();
    const agent = await openOwnedAgent(market.url, owner);
    const opened = await browser.newPage(t, { url: market.url, cookies: [`idp-token=${agent.token}`], size, theme });
    const { page, requireAccessible, shoot } = opened;
    await injectWallet(page, market, { key });
    await opened.visit(`/sell/wallet?agent=${agent.slug}`);
    await page.getByText('Nothing left this wallet yet.').waitFor();
    await page.getByRole('button', { name: 'Fund on Base' }).click();
    const fund = page.getByRole('dialog', { name: 'Fund on Base' });
    await fund.getByRole('img', { name: `QR code of ${agent.evm}` }).waitFor();
    await requireAccessible();
    await shoot('fund');
    await fund.getByRole('button', { name: 'Get test coins' }).click();
    await page.getByText('100 test USDC arrived on Base.').first().waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Send on Base' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send from the wallet' });
    await dialog.getByText('The wallet holds 100').waitFor();
    const to = freshAddress('base-mainnet');
    await dialog.getByLabel('To', { exact: true }).fill(to);
    await dialog.getByLabel('Amount in USDC').fill('12.5');
    await dialog.getByRole('button', { name: 'Check the transfer' }).click();
    const check = page.getByRole('dialog', { name: 'Check and send' });
    await check.getByText('12.5 USDC').waitFor();
    await check.getByText('paid by the market').waitFor();
    await check.getByRole('radio', { name: /Injected/ }).check();
    await requireAccessible();
    await check.getByRole('button', { name: 'Sign: Send it' }).click();
    await page
      .getByText(/12\.5 USDC (?:is on its way|arrived)/)
      .first()
      .waitFor();
    const log = page.getByRole('table', { name: 'Custody log, newest first' });
    await log.getByText('arrived', { exact: true }).waitFor();
    assert.equal((await market.chains.get('base-mainnet')?.readBalances(to))?.usdcMicros, 12_500_000n);
    await requireAccessible();
    await shoot('wallet');
  });
}

test('the wallet page shows addresses and limits, asks before it exports, and shows the key once', async (t) => {
  const { key: ownerKey, owner } = newOwner();
  const agent = await openOwnedAgent(market.url, owner);
  await fundWallet(market, agent, 'solana-mainnet', { usdcMicros: 3_000_000n, native: 50_000_000n });
  const opened = await browser.newPage(t, { url: market.url, cookies: [`idp-token=${agent.token}`], theme: 'dark' });
  const { page, requireAccessible, shoot } = opened;
  await injectWallet(page, market, { key: ownerKey });
  await opened.visit(`/sell/wallet?agent=${agent.slug}`);
  const balances = page.getByRole('table', { name: 'Balances by network' });
  await balances.getByText('0.05 SOL').waitFor();
  const withdrawals = page.getByRole('region', { name: 'Withdrawals' });
  await withdrawals.getByText('10,000').waitFor();
  await withdrawals.getByRole('button', { name: 'Set the addresses' }).click();
  const dialog = page.getByRole('dialog', { name: 'Where the agent may withdraw to' });
  const to = freshAddress('base-mainnet');
  await dialog.getByLabel('Address on EVM networks').fill(to);
  await dialog.getByRole('radio', { name: /Injected/ }).check();
  await dialog.getByRole('button', { name: 'Sign: Save the addresses' }).click();
  await page.getByText('Saved.').first().waitFor();
  const funding = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
  assert.equal(funding['withdraw'].withdraw_address_base, to);

  await page.getByRole('button', { name: 'Export a key' }).click();
  const question = page.getByRole('dialog', { name: 'Export a private key' });
  await question.getByText('Whoever sees this key can take everything in the wallet').waitFor();
  assert.equal(await question.getByRole('button', { name: /Show the key/ }).count(), 0, 'not before it was understood');
  await question.getByLabel('Wallet').selectOption('base');
  await question.getByLabel(/I understand/).check();
  await question.getByRole('radio', { name: /Injected/ }).check();
  await requireAccessible();
  await shoot('export');
  await question.getByRole('button', { name: 'Sign: Show the key' }).click();
  const shown = page.getByRole('dialog', { name: 'Private key' });
  const key = (await shown.locator('.agent-wallet-address').textContent()) ?? '';
  assert.equal(privateKeyToAccount(key as `0x${string}`).address, agent.evm);
  await shown.getByRole('button', { name: 'Done, hide it' }).click();
  assert.ok(!(await page.content()).includes(key), 'the key is gone from the page');
  await until('the entry', async () =>
    (await readLog(market.url, agent)).some(({ action }) => action === 'key_exported') ? true : undefined,
  );
});

test('an owner signed in by wallet signs each withdrawal; a refused signature sends nothing', async (t) => {
  const { key, owner } = newOwner();
  const agent = await openOwnedAgent(market.url, owner);
  await fundWallet(market, agent, 'solana-mainnet', { usdcMicros: 3_000_000n });
  const cookies = [await sessionOf(market.url, owner)];
  const opened = await browser.newPage(t, { url: market.url, cookies, size: 'phone', theme: 'light' });
  const { page, requireAccessible, shoot } = opened;
  const wallet = await injectWallet(page, market, { key });
  await opened.visit(`/sell/wallet?agent=${agent.slug}`);
  await page.getByRole('button', { name: 'Send on Solana' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send from the wallet' });
  const to = freshAddress('solana-mainnet');
  await dialog.getByLabel('To', { exact: true }).fill(to);
  await dialog.getByRole('button', { name: 'Check the transfer' }).click();
  const check = page.getByRole('dialog', { name: 'Check and send' });
  await check.getByText('everything in USDC').waitFor();
  await check.getByRole('radio', { name: /Injected/ }).check();
  await requireAccessible();
  await shoot('sign');
  wallet.refuseNext('personal_sign', { code: 4001, message: 'User rejected the request.' });
  await check.getByRole('button', { name: 'Sign: Send it' }).click();
  await check
    .getByText(/refused/i)
    .first()
    .waitFor();
  assert.deepEqual(await readLog(market.url, agent), []);
  await check.getByRole('button', { name: 'Sign: Send it' }).click();
  await page
    .getByText(/3 USDC (?:is on its way|arrived)/)
    .first()
    .waitFor();
  await until('the money', async () =>
    (await market.chains.get('solana-mainnet')?.readBalances(to))?.usdcMicros === 3_000_000n ? true : undefined,
  );
  assert.deepEqual(
    (await readLog(market.url, agent)).map(({ by }) => by),
    ['owner_wallet'],
  );
});
