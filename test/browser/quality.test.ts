/** Rules for every page, over all routes of the table; a new route is covered automatically in a thorough run. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { BrowserPage } from '../harness/browser.ts';
import { type EveryPage, openEveryPage, untilFilled } from './every-page.ts';
import { untilStill } from './painting.ts';
import { chooseRoutes } from './route-samples.ts';

suite('every page', () => {
  let pages: EveryPage;
  before(async () => {
    pages = await openEveryPage();
  });
  after(() => pages?.close());

  for (const { path } of chooseRoutes()) {
    test(`${path} is accessible in both themes, fits 320 pixels and has no complaints`, async (t) => {
      const sample = pages.sampleOf(path);
      const visitor = await pages.open(t, sample);
      const { page } = visitor;
      await visitor.visit(sample.path);
      await untilFilled(visitor);
      await requireFitting(page);
      if (sample.repeated !== undefined) await removeAll(page, sample.repeated);
      await visitor.requireAccessible();
      await page.emulateMedia({ colorScheme: 'dark' });
      await untilStill(page);
      // In the dark theme only the colours differ.
      await visitor.requireAccessible(['color-contrast']);
    });
  }
});

/** At 320 pixels, which equals a desktop at 400%. */
async function requireFitting(page: BrowserPage['page']): Promise<void> {
  const usual = page.viewportSize();
  assert.ok(usual);
  await page.setViewportSize({ width: 320, height: 640 });
  await untilStill(page);
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.equal(overhang, 0, 'the page scrolls sideways at 320 pixels');
  await page.setViewportSize(usual);
  await untilStill(page);
}

async function removeAll(page: BrowserPage['page'], selector: string): Promise<void> {
  await page.evaluate(`for (const part of document.querySelectorAll(${JSON.stringify(selector)})) part.remove()`);
}
