/** The token of an agent in a real browser: what is missing, funding by faucet, the launch, and the token on the public page. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { png } from '../harness/files.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { openLaunchAgent, openPictures, type Pictures } from '../launches/stage.ts';

let market: TestMarket;
let browser: TestBrowser;
let pictures: Pictures;
before(async () => {
  [market, browser, pictures] = await Promise.all([
    openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' }),
    openBrowser(),
    openPictures(),
  ]);
});
after(async () => {
  pictures?.close();
  await browser?.close();
  await market?.close();
});

for (const [size, theme, picture] of [
  ['desktop', 'light', 'the agent’s picture'],
  ['phone', 'dark', 'a picture sent from there'],
] as const)
  test(`on a ${size} in ${theme} an owner funds the wallet, launches a token with ${picture} and sees its mint`, async (t) => {
    const isSent = size === 'phone';
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
    await dialog.getByLabel('Symbol').fill('AGX');
    await shoot('launch');
    await dialog.getByRole('button', { name: 'Launch it' }).click();
    await page.getByText(/\(AGX\)/).waitFor({ timeout: 60_000 });
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
