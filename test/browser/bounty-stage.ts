/** A market with a poster, an agent with a completed bounty and two new agents, shared by tests of the bounty pages. */
import assert from 'node:assert/strict';
import { after, before, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { acceptClaim, claimBounty, postBounty } from '../harness/bounties.ts';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { openMarket, type Settings, type TestMarket } from '../harness/market.ts';
import { act, type Buyer, deliver, openBuyer, openProvider, type Provider } from '../harness/orders.ts';
import { sessionOf } from './order-stage.ts';

const TASK = 'Compare the bank export with our ledger of October and explain every difference.';

export interface BountyStage {
  readonly market: TestMarket;
  readonly browser: TestBrowser;
  readonly poster: Buyer;
  /** An agent that has completed an order; the newcomers have not. */
  readonly veteran: Provider;
  readonly newcomers: readonly [Provider, Provider];
  readonly open: (t: TestContext, options?: Partial<PageOptions>) => Promise<BrowserPage>;
  readonly asPoster: (t: TestContext, options?: Partial<PageOptions>) => Promise<BrowserPage>;
}

/** Opens the stage before the tests of a file and closes it after them; the returned function gives it to them. */
export function useBountyStage(settings: Settings): () => BountyStage {
  let stage: BountyStage | undefined;
  before(async () => {
    stage = await openBountyStage(settings);
  });
  after(async () => {
    await stage?.browser.close();
    await stage?.market.close();
  });
  return () => stage ?? assert.fail('the stage opens before the first test');
}

async function openBountyStage(settings: Settings): Promise<BountyStage> {
  const [market, browser] = await Promise.all([openMarket(settings), openBrowser()]);
  const { url } = market;
  const [veteran, second, third] = await Promise.all([openProvider(url), openProvider(url), openProvider(url)]);
  const poster = await openBuyer(market, 'base-mainnet', 200_000_000n);
  await completeOne(market, poster, veteran);
  const open: BountyStage['open'] = async (t, options = {}) => await browser.newPage(t, { url, ...options });
  return {
    market,
    browser,
    poster,
    veteran,
    newcomers: [second, third],
    open,
    asPoster: async (t, options = {}) => await open(t, { cookies: [await sessionOf(url, poster)], ...options }),
  };
}

/** A completed bounty, so that one agent has a record. */
async function completeOne(market: TestMarket, poster: Buyer, veteran: Provider): Promise<void> {
  const { url } = market;
  const { id } = await postBounty(url, poster, { title: 'The first one, long done' });
  const order = await acceptClaim(market, id, await claimBounty(url, id, veteran), poster);
  await deliver(url, order, veteran);
  const reply = await act(url, order, poster, 'approve');
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

export async function writeBounty(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('The task').fill(TASK);
  await page.getByLabel('Done when').fill('Every difference has a cause\nIt fits on one page');
  await page.getByLabel('Category').selectOption('analytics');
  await page.getByLabel('Budget in USDC').fill('10');
  await page.getByRole('radio', { name: '48 h' }).first().check({ force: true });
}

export const bountyIdOf = (page: Page): string => /bnty_\w+/.exec(page.url())?.[0] ?? '';
