/** A real Chromium for tests: one per process, a fresh visitor per page, and a test fails when its page complains. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { requireProgram } from '../../scripts/testing/debian-programs.ts';
import { requireAccessible } from './browser-accessibility.ts';
import { watchForComplaints } from './browser-complaints.ts';

export type Size = 'desktop' | 'phone' | 'narrow';
export type Theme = 'light' | 'dark';

export type Role = Parameters<Page['getByRole']>[0];

export interface PageOptions {
  /** Of the market, without a path. */
  readonly url: string;
  readonly size?: Size;
  readonly theme?: Theme;
  /** As `name=value`: who is signed in. */
  readonly cookies?: readonly string[];
  /** Complaints that this test expects, such as `/^404 GET .api.orders/`. */
  readonly allow?: readonly RegExp[];
  /** False: a browser with JavaScript off. */
  readonly scripts?: boolean;
}

export interface BrowserPage {
  /** Playwright's page: find things by role and name (`page.getByRole('button', { name: 'Pay' })`), which waits by itself. */
  readonly page: Page;
  /** Goes to a path of the market and waits until the page has come alive. */
  visit(path: string): Promise<void>;
  /** Keeps a picture under `.artifacts/screenshots/<test>/<name>.png` where TEST_PICTURES=1 asks for them: pictures of whole pages cost much. */
  shoot(name: string): Promise<void>;
  /** Axe over the page as it stands; `rules` narrows it to some of axe's rules. */
  requireAccessible(rules?: readonly string[]): Promise<void>;
  /** The first one that can be reached: within the open dialog where there is one, since it covers the rest. */
  find(role: Role, name: string | RegExp): Promise<Locator>;
  /** Presses Tab until the element with this role and name has the focus, as somebody without a mouse does. */
  tabTo(role: Role, name: string | RegExp): Promise<void>;
  /** What the page complained about so far. Checked at the end of the test without being asked. */
  complaints(): readonly string[];
}

export interface TestBrowser {
  newPage(test: TestContext, options: PageOptions): Promise<BrowserPage>;
  close(): Promise<void>;
}

const STEP_LIMIT_MS = 20_000;
const MOST_TABS = 150;
const SCREENSHOTS = path.join(import.meta.dirname, '..', '..', '.artifacts', 'screenshots');

const sizes: Record<Size, Pick<BrowserContextOptions, 'viewport' | 'hasTouch' | 'isMobile'>> = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  narrow: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
};

/** Files of one process share the browser; it closes a moment after the last of them has closed it. */
const shared: { browser?: Promise<Browser> | undefined; users: number } = { users: 0 };
const KEEP_MS = 1_000;

export async function openBrowser(): Promise<TestBrowser> {
  shared.users += 1;
  shared.browser ??= launch();
  const browser = await shared.browser;
  return {
    async newPage(test, options) {
      const { size = 'desktop', theme = 'light', scripts = true } = options;
      const context = await browser.newContext({
        ...sizes[size],
        baseURL: options.url,
        colorScheme: theme,
        javaScriptEnabled: scripts,
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        reducedMotion: 'reduce',
      });
      return await openPage(test, context, options);
    },
    async close() {
      shared.users -= 1;
      setTimeout(() => void closeUnused(), KEEP_MS);
    },
  };
}

async function closeUnused(): Promise<void> {
  if (shared.users > 0) return;
  const { browser } = shared;
  shared.browser = undefined;
  await (await browser)?.close();
}

async function launch(): Promise<Browser> {
  const executablePath = requireProgram('chromium');
  // Chromium's own sandbox does not work for root, which tests in a container usually are.
  const chromiumSandbox = process.getuid?.() !== 0;
  return await chromium.launch({
    executablePath,
    chromiumSandbox,
    timeout: 60_000,
    args: ['--disable-dev-shm-usage', '--disable-gpu', '--disable-gpu-rasterization', '--disable-software-rasterizer'],
    ignoreDefaultArgs: ['--enable-unsafe-swiftshader'],
  });
}

async function openPage(test: TestContext, context: BrowserContext, options: PageOptions): Promise<BrowserPage> {
  const { url, allow = [], scripts = true } = options;
  const folder = path.join(SCREENSHOTS, test.name.replace(/[^a-z0-9]+/gi, '-').slice(0, 80));
  context.setDefaultTimeout(STEP_LIMIT_MS);
  await context.addCookies((options.cookies ?? []).map((cookie) => ({ ...splitCookie(cookie), url })));
  const page = await context.newPage();
  const complaints = watchForComplaints(page, { ownOrigin: new URL(url).origin, allow, scripts });
  const takePicture = async (name: string): Promise<void> => {
    await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
  };
  test.after(async () => {
    if (!hasPassed(test)) {
      // Only the first error of a test is reported, so what the page said beside it goes to the output.
      process.stderr.write(`${test.name}, at ${page.url()}\n${complaints.list().join('\n')}\n`);
      await takePicture('at-the-end').catch(() => undefined);
    }
    await context.close();
    assert.deepEqual(complaints.list(), [], 'the page complained');
  });
  return {
    page,
    shoot: async (name) => (process.env['TEST_PICTURES'] === '1' ? await takePicture(name) : undefined),
    complaints: () => complaints.list(),
    requireAccessible: (rules) => requireAccessible(page, rules),
    find: (role, name) => find(page, role, name),
    tabTo: (role, name) => tabTo(page, role, name),
    async visit(where) {
      await page.goto(where);
      if (scripts) await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    },
  };
}

/** Node tells this in the hooks of a test; its type definitions do not know it yet. */
function hasPassed(test: TestContext & { readonly passed?: boolean }): boolean {
  return test.passed === true;
}

/** Looks again until it is there: a dialog may be just closing or just opening. */
async function find(page: Page, role: Role, name: string | RegExp): Promise<Locator> {
  const dialog = page.getByRole('dialog').last();
  for (const deadline = performance.now() + STEP_LIMIT_MS; ; ) {
    const place = (await dialog.count()) > 0 ? dialog : page;
    const found = place.getByRole(role, { name }).filter({ visible: true }).first();
    if ((await found.count()) > 0 || performance.now() > deadline) return found;
    await page.waitForTimeout(50);
  }
}

async function tabTo(page: Page, role: Role, name: string | RegExp): Promise<void> {
  const wanted = await find(page, role, name);
  await wanted.waitFor();
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach the ${role} "${name}"`);
}

function splitCookie(cookie: string): { name: string; value: string } {
  const at = cookie.indexOf('=');
  return { name: cookie.slice(0, at), value: cookie.slice(at + 1) };
}
