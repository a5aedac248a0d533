/** Pages for visitors. The site's scripts are compiled and the renderer has started where another visitor was before: half of what a visit costs. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Complaints, watchForComplaints } from './browser-complaints.ts';

export type Size = 'desktop' | 'phone' | 'narrow';
export type Theme = 'light' | 'dark';

export interface PageOptions {
  /** The market's address, without a path. */
  readonly url: string;
  readonly size?: Size;
  readonly theme?: Theme;
  /** Cookies as `name=value`, which sign the visitor in. */
  readonly cookies?: readonly string[];
  /** Complaints that this test expects, such as `/^404 GET .api.orders/`. */
  readonly allow?: readonly RegExp[];
  /** False for a browser without JavaScript. */
  readonly scripts?: boolean;
}

export interface LentPage {
  readonly page: Page;
  /** What the page complained about since it was lent. */
  complaints(): readonly string[];
  /** With `again`, the next visitor may get the page. */
  giveBack(again: boolean): Promise<void>;
}

export interface KeptPages {
  take(options: PageOptions): Promise<LentPage>;
  close(): Promise<void>;
}

const STEP_LIMIT_MS = 20_000;

const sizes: Record<Size, Pick<BrowserContextOptions, 'viewport' | 'hasTouch' | 'isMobile'>> = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  narrow: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
};

interface KeptPage {
  readonly page: Page;
  readonly complaints: Complaints;
  /** Somebody changed what cannot be put back: a script for every document, a listener, a permission, another origin. */
  isChanged(): boolean;
}

/** A page whose visitor has left has the size, theme and address of the next one, and no cookies, storage or routes. */
export function keepPages(browser: Browser): KeptPages {
  const waiting = new Map<string, KeptPage[]>();
  return {
    async take(options) {
      const kind = JSON.stringify([options.url, options.size, options.theme, options.scripts, options.allow?.map(String)]);
      const kept = waiting.get(kind)?.pop() ?? (await openPage(browser, options));
      const { page, complaints } = kept;
      await page.context().addCookies((options.cookies ?? []).map((cookie) => ({ ...splitCookie(cookie), url: options.url })));
      const earlier = complaints.list().length;
      let last: readonly string[] | undefined;
      const heard = () => last ?? complaints.list().slice(earlier);
      return {
        page,
        complaints: heard,
        async giveBack(again) {
          const mayStay = again && !kept.isChanged();
          // An answer of the page comes after all that it had to say before.
          if (mayStay) await page.title();
          else await page.context().close();
          last = heard();
          if (mayStay && (await isEmptied(page, options))) waiting.set(kind, [...(waiting.get(kind) ?? []), kept]);
          else await page.context().close();
        },
      };
    },
    async close() {
      for (const { page } of [...waiting.values()].flat()) await page.context().close();
      waiting.clear();
    },
  };
}

async function openPage(
  browser: Browser,
  { url, size = 'desktop', theme = 'light', scripts = true, allow = [] }: PageOptions,
): Promise<KeptPage> {
  const context = await browser.newContext({
    ...sizes[size],
    baseURL: url,
    colorScheme: theme,
    javaScriptEnabled: scripts,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  const page = await context.newPage();
  const complaints = watchForComplaints(page, { ownOrigin: new URL(url).origin, allow, scripts });
  return { page, complaints, isChanged: watchForChanges(page, url) };
}

/** Of page and context: what stays when the visitor has left. */
const LASTING = [
  ...['addInitScript', 'exposeFunction', 'exposeBinding', 'newCDPSession', 'newPage', 'grantPermissions', 'setGeolocation'],
  ...['setExtraHTTPHeaders', 'setHTTPCredentials', 'setOffline', 'addLocatorHandler', 'routeWebSocket'],
] as const;

type Methods = Record<string, (...given: unknown[]) => unknown>;

function watchForChanges(page: Page, url: string): () => boolean {
  let changed = false;
  page.on('framenavigated', (frame) => {
    changed ||= frame.parentFrame() !== null || !`${frame.url()}/`.startsWith(`${url}/`);
  });
  for (const owner of [page, page.context()] as unknown as Methods[])
    for (const name of LASTING) {
      const own = owner[name];
      if (own === undefined) continue;
      owner[name] = (...given) => {
        changed = true;
        return own.apply(owner, given);
      };
    }
  const atFirst = countListeners(page);
  return () => changed || page.context().pages().length !== 1 || countListeners(page) !== atFirst;
}

function countListeners(page: Page): number {
  const emitters = [page, page.context()] as unknown as { eventNames(): string[]; listenerCount(name: string): number }[];
  return emitters.reduce((sum, emitter) => sum + emitter.eventNames().reduce((one, name) => one + emitter.listenerCount(name), 0), 0);
}

/** Storage is emptied where no script of the site runs any more. False: the page did not let itself be emptied. */
async function isEmptied(page: Page, { url, size = 'desktop', theme = 'light', scripts = true }: PageOptions): Promise<boolean> {
  const { viewport } = sizes[size];
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(`${url}/favicon.svg`);
    if (scripts) await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    await page.context().clearCookies();
    if (viewport) await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    return true;
  } catch {
    return false;
  }
}

function splitCookie(cookie: string): { name: string; value: string } {
  const at = cookie.indexOf('=');
  return { name: cookie.slice(0, at), value: cookie.slice(at + 1) };
}
