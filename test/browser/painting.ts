/** Measures on a slowed machine when a page shows its largest element and how much it moves afterwards. */
import type { Page } from 'playwright-core';

export interface Painting {
  readonly lcpMs: number;
  /** The sum of layout shifts without a click or key press before. */
  readonly cls: number;
}

// Runs in the page before its scripts; the observers also report earlier entries.
const OBSERVE = `
  globalThis.painting = { lcpMs: Infinity, cls: 0 };
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) painting.lcpMs = entry.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) painting.cls += entry.value; })
    .observe({ type: 'layout-shift', buffered: true });
`;

// An inherited colour starts its transition one level later each time, so only a quiet last check counts.
const STILL = `(async () => {
  for (let look = 0; look < 60; look += 1) {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    if (document.getAnimations().length === 0) return true;
  }
  return false;
})()`;

/** Waits until every change is painted and no transition runs. */
export async function untilStill(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(STILL))) throw new Error('the page does not come to rest');
}

export async function watchPainting(page: Page, cpuSlowdown: number): Promise<{ read(): Promise<Painting> }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.addInitScript(OBSERVE);
  return {
    async read() {
      await untilStill(page);
      // JSON cannot carry Infinity, so a missing value means that the page has not painted.
      const { lcpMs, cls } = await page.evaluate<{ lcpMs: number; cls: number }>('painting');
      return { lcpMs: Number.isFinite(lcpMs) ? lcpMs : Number.POSITIVE_INFINITY, cls };
    },
  };
}
