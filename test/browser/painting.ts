/** When a page shows its largest part and how much it moves afterwards, on a machine made slow. */
import type { Page } from 'playwright-core';

export interface Painting {
  readonly lcpMs: number;
  /** Sum of the shifts that nobody caused by a click or key. */
  readonly cls: number;
}

// Runs in the page before anything else does; the observers report what happened before they looked, too.
const OBSERVE = `
  globalThis.painting = { lcpMs: Infinity, cls: 0 };
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) painting.lcpMs = entry.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) painting.cls += entry.value; })
    .observe({ type: 'layout-shift', buffered: true });
`;

// A colour handed down from element to element starts to change one level later each time, so one quiet look at the end counts.
const STILL = `(async () => {
  for (let look = 0; look < 60; look += 1) {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    if (document.getAnimations().length === 0) return true;
  }
  return false;
})()`;

/** What changed is painted, and nothing is on its way any more. */
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
      // Infinity does not survive the way out as JSON, and a page without a report has not painted.
      const { lcpMs, cls } = await page.evaluate<{ lcpMs: number; cls: number }>('painting');
      return { lcpMs: Number.isFinite(lcpMs) ? lcpMs : Number.POSITIVE_INFINITY, cls };
    },
  };
}
