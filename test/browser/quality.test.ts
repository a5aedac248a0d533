/** What goes for every page of the site, over all routes as they stand in the table: a new route is covered by being there. */
import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { routes } from '../../packages/web/src/routes.ts';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { type OrderStage, openOrderStage } from './order-stage.ts';
import { untilStill, watchPainting } from './painting.ts';
import { type RouteSample, sampleRoutes, untilLively } from './route-samples.ts';

const LCP_LIMIT_MS = 2_500;
const CLS_LIMIT = 0.1;
const CPU_SLOWDOWN = 4;
/** The machine may be busy with something else for a moment; a page that is too slow is so every time. */
const PAINT_ATTEMPTS = 3;

suite('every page', () => {
  let stage: OrderStage;
  let browser: TestBrowser;
  let samples: readonly RouteSample[];

  before(async () => {
    [stage, browser] = await Promise.all([openOrderStage({ SANDBOX_DEMO: 'on' }), openBrowser()]);
    samples = await sampleRoutes(stage);
    await untilLively(stage.market);
  });
  after(async () => {
    await browser.close();
    await stage.market.close();
  });

  const sampleOf = (path: string): RouteSample => {
    const sample = samples.find(({ route }) => route.path === path);
    assert.ok(sample);
    return sample;
  };
  const open = (t: TestContext, { cookies }: RouteSample, options: Partial<PageOptions> = {}): Promise<BrowserPage> =>
    browser.newPage(t, { url: stage.market.url, cookies, ...options });

  for (const { path } of routes) {
    test(`${path} is accessible by day and by night, fits 320 pixels and complains about nothing`, async (t) => {
      const sample = sampleOf(path);
      const visitor = await open(t, sample);
      const { page } = visitor;
      await visitor.visit(sample.path);
      await untilFilled(visitor);
      await requireFitting(page);
      if (sample.repeated !== undefined) await removeAll(page, sample.repeated);
      await visitor.requireAccessible();
      await page.emulateMedia({ colorScheme: 'dark' });
      await untilStill(page);
      // By night only the colours differ.
      await visitor.requireAccessible(['color-contrast']);
    });
  }

  const openToAll = routes.filter(({ access, path }) => access === 'public' && !path.startsWith('/orders/'));

  for (const { path } of openToAll) {
    test(`${path} reads without scripts and says what it is`, async (t) => {
      const sample = sampleOf(path);
      const { page, visit } = await open(t, sample, { scripts: false, size: 'phone' });
      await visit(sample.path);
      const heading = await page.getByRole('heading', { level: 1 }).first().textContent();
      assert.ok((heading ?? '').length > 2);
      const content = (await page.getByRole('main').textContent()) ?? '';
      assert.ok(content.length > 60, `only ${content.length} characters: ${content}`);
      assert.equal(await page.locator('main .skeleton').count(), 0, 'a placeholder stays for ever');
      await requireDescription(sample, page);
    });
  }

  test('no public page links to something of ours that is not there', async () => {
    const { url } = stage.market;
    const links = await Promise.all(openToAll.map(({ path }) => readOwnLinks(url, sampleOf(path).path)));
    const broken: string[] = [];
    for (const [link, from] of new Map(links.flat())) {
      const reply = await fetch(url + link, { redirect: 'manual' });
      await reply.arrayBuffer();
      if (reply.status >= 400) broken.push(`${reply.status} ${link}, linked on ${from}`);
    }
    assert.deepEqual(broken, []);
  });

  for (const { path } of openToAll) {
    test(`${path} shows its largest part within 2.5 s and holds still on a slow machine`, async (t) => {
      const sample = sampleOf(path);
      let seen = { lcpMs: Number.POSITIVE_INFINITY, cls: Number.POSITIVE_INFINITY };
      const isFine = (): boolean => seen.lcpMs < LCP_LIMIT_MS && seen.cls < CLS_LIMIT;
      for (let attempt = 0; attempt < PAINT_ATTEMPTS && !isFine(); attempt += 1) {
        const visitor = await open(t, sample, { size: 'phone' });
        const painting = await watchPainting(visitor.page, CPU_SLOWDOWN);
        await visitor.visit(sample.path);
        await untilFilled(visitor);
        seen = await painting.read();
      }
      t.diagnostic(`LCP ${Math.round(seen.lcpMs)} ms, CLS ${seen.cls.toFixed(3)}`);
      assert.ok(isFine(), `largest part after ${Math.round(seen.lcpMs)} ms, moved by ${seen.cls.toFixed(3)}`);
    });
  }
});

async function untilFilled({ page }: BrowserPage): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
}

/** At 320 pixels, which is a desktop at 400% too. */
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

/** Each with the page it stands on. */
async function readOwnLinks(url: string, path: string): Promise<[link: string, from: string][]> {
  const html = await (await fetch(url + path)).text();
  const targets = [...html.matchAll(/<a [^>]*href="(\/[^"#]*)/g)].map((match) => (match[1] ?? '').replaceAll('&amp;', '&'));
  return targets.map((link) => [link, path]);
}

async function requireDescription(sample: RouteSample, page: BrowserPage['page']): Promise<void> {
  const meta = (key: string): Promise<string | null> => page.locator(`meta[${key}]`).getAttribute('content');
  assert.ok((await page.title()).length > 5);
  assert.ok(((await meta('name="description"')) ?? '').length > 20);
  assert.equal(await meta('property="og:title"'), await page.title());
  assert.ok(((await meta('property="og:description"')) ?? '').length > 20);
  const picture = await fetch((await meta('property="og:image"')) ?? '');
  assert.equal(picture.status, 200, `the preview picture of ${sample.path}`);
  assert.equal(picture.headers.get('content-type'), 'image/png');
  await picture.arrayBuffer();
}
