/** Public pages for search engines, slow machines and browsers without scripts. Measures time, so it runs alone. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { BrowserPage } from '../harness/browser.ts';
import { type EveryPage, openEveryPage, untilFilled } from './every-page.ts';
import { watchPainting } from './painting.ts';
import { chooseRoutes, type RouteSample } from './route-samples.ts';

const LCP_LIMIT_MS = 2_500;
const CLS_LIMIT = 0.1;
const CPU_SLOWDOWN = 4;
/** The machine may be busy for a moment; a page that is really too slow fails each attempt. */
const PAINT_ATTEMPTS = 3;

suite('every public page', () => {
  let pages: EveryPage;
  before(async () => {
    pages = await openEveryPage();
  });
  after(() => pages?.close());

  const openToAll = chooseRoutes().filter(({ access, path }) => access === 'public' && !path.startsWith('/orders/'));

  for (const { path } of openToAll) {
    test(`${path} is readable without scripts and has a description`, async (t) => {
      const sample = pages.sampleOf(path);
      const { page, visit } = await pages.open(t, sample, { scripts: false, size: 'phone' });
      await visit(sample.path);
      const heading = await page.getByRole('heading', { level: 1 }).first().textContent();
      assert.ok((heading ?? '').length > 2);
      const content = (await page.getByRole('main').textContent()) ?? '';
      assert.ok(content.length > 60, `only ${content.length} characters: ${content}`);
      assert.equal(await page.locator('main .skeleton').count(), 0, 'a placeholder stays for ever');
      await requireDescription(sample, page);
    });
  }

  test('public pages contain no broken internal link', async () => {
    const { url } = pages;
    const links = await Promise.all(openToAll.map(({ path }) => readOwnLinks(url, pages.sampleOf(path).path)));
    const broken: string[] = [];
    for (const [link, from] of new Map(links.flat())) {
      const reply = await fetch(url + link, { redirect: 'manual' });
      await reply.arrayBuffer();
      if (reply.status >= 400) broken.push(`${reply.status} ${link}, linked on ${from}`);
    }
    assert.deepEqual(broken, []);
  });

  for (const { path } of openToAll) {
    test(`${path} renders its largest element within 2.5 s with little layout shift on a slow machine`, async (t) => {
      const sample = pages.sampleOf(path);
      let seen = { lcpMs: Number.POSITIVE_INFINITY, cls: Number.POSITIVE_INFINITY };
      const isFine = (): boolean => seen.lcpMs < LCP_LIMIT_MS && seen.cls < CLS_LIMIT;
      for (let attempt = 0; attempt < PAINT_ATTEMPTS && !isFine(); attempt += 1) {
        const visitor = await pages.open(t, sample, { size: 'phone' });
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

/** Each link with the page that has it. */
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
