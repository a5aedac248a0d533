/** The token of an agent in a real browser: funding and launch, or registering one that exists; its price, its fees, and the public page. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fundAddress } from '../agent-wallets/stage.ts';
import { registerOwnedAgent } from '../harness/agents.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { payFee, untilFinal } from '../harness/fees.ts';
import { png } from '../harness/files.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import { openPayer, type SolanaPayer } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { fillPool, makeToken } from '../harness/tokens.ts';
import { until } from '../money/money.ts';
import { openLaunchAgent, openPictures, type Pictures } from '../tokens/launches/stage.ts';
import { sessionOf } from './order-stage.ts';

let market: TestMarket;
let browser: TestBrowser;
let pictures: Pictures;
before(async () => {
  [market, browser, pictures] = await Promise.all([
    openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1', ADMIN_EMAILS: 'boss@example.com' }),
    openBrowser(),
    openPictures(),
  ]);
});
after(async () => {
  pictures?.close();
  await browser?.close();
  await market?.close();
});

const looks = [
  ['desktop', 'light'],
  ['phone', 'dark'],
] as const;

for (const [size, theme, picture] of some(
  [
    ['phone', 'dark', 'a picture sent from there'],
    ['desktop', 'light', 'the agent’s picture'],
  ] as const,
  1,
))
  test(`on a ${size} in ${theme} an owner funds the wallet, launches a token with ${picture} and sees its mint`, async (t) => {
    const isSent = size === 'phone';
    const symbol = isSent ? 'AGX' : 'AGY';
    const agent = await openLaunchAgent(market.url, isSent ? {} : { avatar_url: `${pictures.url}/good.png` });
    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, {
      url: market.url,
      cookies: [`idp-token=${agent.token}`],
      size,
      theme,
    });
    await visit(`/sell/token?agent=${agent.slug}`);
    await page.getByText(isSent ? '2 of 4' : '3 of 4').waitFor();
    await page.getByText(/^0 of 0\.0\d+ SOL/).waitFor();
    await requireAccessible();
    await shoot('missing');
    await page.getByRole('link', { name: 'Fund the wallet' }).click();
    await page.getByRole('button', { name: 'Fund on Solana' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Get test coins' }).click();
    await page.getByText('100 test USDC arrived on Solana.').first().waitFor();
    await visit(`/sell/token?agent=${agent.slug}`);
    if (isSent) {
      const face = { name: 'face.png', mimeType: 'image/png', buffer: png(40, 40) };
      await page.getByLabel('Picture of the token').setInputFiles(face);
    }
    await page.getByText('4 of 4').waitFor();
    await page.getByRole('button', { name: 'Launch a token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Launch a token' });
    await dialog.getByRole('button', { name: 'Launch it' }).click();
    await dialog.getByText('Use 1 to 10 letters or digits.').waitFor();
    await requireAccessible();
    await dialog.getByLabel('Symbol').fill(symbol);
    await shoot('launch');
    await dialog.getByRole('button', { name: 'Launch it' }).click();
    await page.getByText(`(${symbol})`).waitFor({ timeout: 60_000 });
    await page.getByText('1,000,000,000').waitFor();
    await requireAccessible();
    await shoot('launched');
    const { token_mint: mint } = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/token`);
    assert.equal((await market.chains.get('solana-mainnet')?.tokens?.readMint(mint))?.supply, 1_000_000_000_000_000n);
    const { image } = (await (await fetch(`${market.url}/api/tokens/${mint}/metadata.json`)).json()) as { image: string };
    assert.equal((await fetch(image)).status, 200, 'everybody can load the picture');
    await visit(`/agents/${agent.slug}`);
    const section = page.getByRole('region', { name: 'Token' });
    await section.getByText('launched here').waitFor();
    await requireAccessible();
    await shoot('public');
    await visit(`/sell/wallet?agent=${agent.slug}`);
    await page.getByText('Token launched').first().waitFor();
  });

/** A maker with the sandbox's test wallet on the page, coins and a token of its own. */
async function openMaker() {
  const secret = randomBytes(32).toString('hex');
  const maker = openPayer(market, 'solana-mainnet', secret) as SolanaPayer;
  await fundAddress(market, 'solana-mainnet', maker.address, { native: 2_000_000_000n });
  const { mint } = await makeToken(maker);
  return { secret, maker, mint, owner: walletOf(maker) };
}

/** Gives the token a present price by a pool on the chain, and earlier prices by SQL. */
async function givePrices(maker: SolanaPayer, mint: string): Promise<void> {
  await fillPool(market, maker, mint, { units: 200_000_000n, usdcMicros: 5_000_000n });
  await market.database.pool.query(
    `insert into token_prices select $1, date_bin('5 minutes', market_now(), 'epoch') - n * interval '20 minutes', 1e10 + 6e9 * sin(n / 9.0)
     from generate_series(1, 2000) n`,
    [mint],
  );
}

/** A trade pays its fee into the vault, and an operator books it at once instead of within minutes. */
async function earnFee(maker: SolanaPayer, mint: string): Promise<void> {
  const admin = { key: await tokenFor(market.url, { email: 'boss@example.com' }) };
  const reference = await payFee(maker, String(market.feeVault?.treasury), 100_000_000n, mint);
  await untilFinal(maker.chain, reference);
  await until('the fee and the float', async () => {
    await call(market.url, 'POST /api/fees/collect', admin);
    const { float_lamports: float, per_token_fees: fees } = await expectCall(market.url, 200, 'GET /api/fees/balance', admin);
    return float > 0 && fees.some((token: { readonly mint: string }) => token.mint === mint) ? true : undefined;
  });
}

for (const [size, theme] of some(looks, 1))
  test(`on a ${size} in ${theme} an owner registers a token that exists, sees its price and claims its fees`, async (t) => {
    const { secret, maker, mint, owner } = await openMaker();
    const symbol = size === 'phone' ? 'RALLY' : 'TALLY';
    const agent = await registerOwnedAgent(market.url, owner);
    await givePrices(maker, mint);
    const { page, visit, requireAccessible, shoot } = await browser.newPage(t, {
      url: market.url,
      cookies: [await sessionOf(market.url, owner)],
      size,
      theme,
      allow: [/^400 POST \/api\/agents\/[\w-]+\/token/],
    });
    await page.addInitScript(`localStorage.setItem('market.test-wallet.solana', '${secret}')`);
    await visit(`/sell/token?agent=${agent.slug}`);
    await page.getByText(/gets 65% of its trading fees.+the agent gets 90%/).waitFor();
    await requireAccessible();
    await shoot('two-ways');
    await page.getByRole('button', { name: 'Register a token' }).click();
    const form = page.getByRole('dialog', { name: 'Register a token' });
    await form.getByRole('button', { name: 'Check the token' }).click();
    await form.getByText('Paste the address of the mint').waitFor();
    await requireAccessible();
    // Another's mint first: the page says what to do, and the form keeps the input.
    await form.getByLabel('Mint address').fill(String(market.chains.get('solana-mainnet')?.usdcAddress));
    await form.getByLabel('Symbol').fill(symbol);
    await form.getByLabel('Elsewhere').check();
    await form.getByRole('button', { name: 'Check the token' }).click();
    const check = page.getByRole('dialog', { name: 'Check and sign' });
    await check.getByRole('radio', { name: /Test wallet/ }).check();
    await check.getByRole('button', { name: 'Sign and register' }).click();
    await check.getByText('The chain does not show that this wallet made the token.').waitFor();
    await requireAccessible();
    await shoot('refused');
    await check.getByRole('button', { name: 'Change it' }).click();
    await form.getByLabel('Mint address').fill(mint);
    await form.getByRole('button', { name: 'Check the token' }).click();
    await check.getByRole('radio', { name: /Test wallet/ }).check();
    await check.getByRole('button', { name: 'Sign and register' }).click();
    await page.getByText(`(${symbol})`).waitFor();
    await page.getByText('named by its owner').first().waitFor();
    await page.getByText('0.0250 USD', { exact: true }).waitFor();
    await page.getByRole('img', { name: new RegExp(`^Price of ${symbol}, last 24 hours: from `) }).waitFor();
    await page.getByText('Nothing earned yet.').waitFor();
    await requireAccessible();
    await shoot('registered');
    await page.getByLabel('Span of the price chart').selectOption('30d');
    await page.getByRole('img', { name: new RegExp(`^Price of ${symbol}, last 30 days: from `) }).waitFor();

    await earnFee(maker, mint);
    const fees = page.getByRole('region', { name: 'Fees earned' });
    await fees.getByRole('img', { name: '90 percent to the agent, 10 percent to the buyback' }).waitFor();
    await fees.getByRole('button', { name: 'Claim 0.09 SOL' }).waitFor();
    await requireAccessible();
    await shoot('fees');
    await fees.getByRole('button', { name: 'Claim 0.09 SOL' }).click();
    await fees.getByText('0.09 SOL was paid.').waitFor({ timeout: 60_000 });
    await requireAccessible();
    await shoot('paid');
    const { data: paid } = (await call(market.url, `GET /api/agents/${agent.id}/token/claim`, { key: agent.key })).body;
    assert.deepEqual([paid.paidSol, paid.claimableSol, paid.payoutWallet], [0.09, 0, owner.address]);

    const written = await (await fetch(`${market.url}/agents/${agent.slug}`)).text();
    assert.match(written, new RegExp(`<title[^>]*>Price of ${symbol}, last 24 hours: from `), 'the server draws the chart');
    await visit(`/agents/${agent.slug}`);
    await page.getByRole('region', { name: 'Token' }).getByText('made elsewhere by its owner').waitFor();
    await page.getByText('Show as table').click();
    await page.getByRole('table', { name: new RegExp(`^Price of ${symbol}`) }).waitFor();
    await requireAccessible();
    await shoot('public-price');
  });
