/** Helpers for tests over all pages: a market (with the demo in a thorough run), an address and a visitor for every route, and a browser. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type BrowserPage, openBrowser, type PageOptions } from '../harness/browser.ts';
import { isThorough } from '../harness/thoroughness.ts';
import { openOrderStage } from './order-stage.ts';
import { type RouteSample, sampleRoutes, untilLively } from './route-samples.ts';

export interface EveryPage {
  readonly url: string;
  sampleOf(path: string): RouteSample;
  open(test: TestContext, sample: RouteSample, options?: Partial<PageOptions>): Promise<BrowserPage>;
  close(): Promise<void>;
}

export async function openEveryPage(): Promise<EveryPage> {
  const [stage, browser] = await Promise.all([openOrderStage({ SANDBOX_DEMO: isThorough ? 'on' : 'off' }), openBrowser()]);
  const samples = await sampleRoutes(stage);
  if (isThorough) await untilLively(stage.market);
  const { url } = stage.market;
  return {
    url,
    sampleOf(path) {
      const sample = samples.find(({ route }) => route.path === path);
      assert.ok(sample);
      return sample;
    },
    open: (test, { cookies }, options = {}) => browser.newPage(test, { url, cookies, ...options }),
    async close() {
      await browser.close();
      await stage.market.close();
    },
  };
}

/** Waits until the page has its content and no placeholder. */
export async function untilFilled({ page }: BrowserPage): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
}
