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

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))';
const ALL_MOVED = 'Promise.allSettled(document.getAnimations().map((animation) => animation.finished)).then(() => undefined)';

/** What changed is painted: even a colour that changes without motion takes a frame to get there. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(TWO_FRAMES);
  await page.evaluate(ALL_MOVED);
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
