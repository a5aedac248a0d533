/** Layout shift while answers arrive, measured by the browser on both sizes with a slow API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type Size, type TestBrowser } from '../harness/browser.ts';
import { untilHandled } from '../harness/events.ts';
import { some } from '../harness/thoroughness.ts';
import { untilFilled } from './every-page.ts';
import { type OrderStage, openOrderStage } from './order-stage.ts';
import { watchPainting } from './painting.ts';
import { chooseRoutes, countRoutes, type RouteSample, sampleRoutes } from './route-samples.ts';

const LIMIT = 0.1;
/** Long enough for the placeholder of an answer to be painted. */
const ANSWER_MS = 250;
/** The wait after the last answer, for fonts, the count in the masthead and the live stream. */
const SETTLE_MS = 400;

const chosen = chooseRoutes();

let stage: OrderStage;
let browser: TestBrowser;
let samples: readonly RouteSample[];
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
  samples = (await sampleRoutes(stage)).filter(({ route }) => chosen.includes(route));
  await untilHandled(stage.market.database.pool);
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

/** Each visit loads a new document; the visitor and the browser's cache stay. */
async function measureAll(t: Parameters<TestBrowser['newPage']>[0], size: Size): Promise<string[]> {
  const moved: string[] = [];
  for (const visitor of new Set(samples.map((sample) => sample.visitor))) {
    const own = samples.filter((sample) => sample.visitor === visitor);
    const opened = await browser.newPage(t, { url: stage.market.url, cookies: own[0]?.cookies ?? [], size });
    const { page } = opened;
    const painting = await watchPainting(page, 1);
    await page.route(/\/api\/(?!events\/stream)/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
      await route.continue().catch(() => undefined);
    });
    for (const { path, route } of own) {
      await opened.visit(path);
      await untilFilled(opened);
      await page.waitForTimeout(SETTLE_MS);
      const { cls } = await painting.read();
      t.diagnostic(`${route.path} ${cls.toFixed(3)}`);
      if (cls < LIMIT) continue;
      moved.push(`${route.path} ${cls.toFixed(3)}`);
      await opened.shoot(route.path.replace(/\W+/g, '-'));
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  return moved;
}

for (const size of some(['phone', 'desktop'] as const, 1))
  test(`${countRoutes(chosen)} has a layout shift below ${LIMIT} while it loads on a ${size}`, async (t) => {
    assert.deepEqual(await measureAll(t, size), []);
  });
