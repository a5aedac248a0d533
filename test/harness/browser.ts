/** A real Chromium for tests: one per process, a fresh visitor per page; a complaint of the page fails its test. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { requireProgram } from '../../scripts/testing/debian-programs.ts';
import { requireAccessible } from './browser-accessibility.ts';
import { keepPages, type LentPage, type PageOptions } from './browser-pages.ts';

export type { PageOptions, Size, Theme } from './browser-pages.ts';

export type Role = Parameters<Page['getByRole']>[0];

export interface BrowserPage {
  /** Playwright's page: its locators by role and name (`page.getByRole('button', { name: 'Pay' })`) wait by themselves. */
  readonly page: Page;
  /** Goes to a path of the market and waits until the page is interactive. */
  visit(path: string): Promise<void>;
  /** Stores a picture as `.artifacts/screenshots/<test>/<name>.png` if TEST_PICTURES=1 is set, because pictures of whole pages cost much. */
  shoot(name: string): Promise<void>;
  /** Axe over the page in its present state; `rules` restricts it to some rules. */
  requireAccessible(rules?: readonly string[]): Promise<void>;
  /** The first reachable element: inside the open dialog if there is one, because it covers the rest. */
  find(role: Role, name: string | RegExp): Promise<Locator>;
  /** Presses Tab until the element with this role and name has the focus, as a person without a mouse does. */
  tabTo(role: Role, name: string | RegExp): Promise<void>;
  /** The page's complaints so far. The end of the test checks them anyway. */
  complaints(): readonly string[];
}

export interface TestBrowser {
  newPage(test: TestContext, options: PageOptions): Promise<BrowserPage>;
  close(): Promise<void>;
}

const STEP_LIMIT_MS = 20_000;
const MOST_TABS = 150;
const SCREENSHOTS = path.join(import.meta.dirname, '..', '..', '.artifacts', 'screenshots');

/** Test files of one process share the browser; it closes a moment after the last file has released it. */
const shared: { browser?: Promise<Browser> | undefined; users: number } = { users: 0 };
const KEEP_MS = 1_000;

export async function openBrowser(): Promise<TestBrowser> {
  await buildSiteUnlessRunDid();
  shared.users += 1;
  shared.browser ??= launch();
  const browser = await shared.browser;
  const pages = keepPages(browser);
  return {
    newPage: async (test, options) => lendTo(test, await pages.take(options), options),
    async close() {
      await pages.close();
      shared.users -= 1;
      setTimeout(() => void closeUnused(), KEEP_MS);
    },
  };
}

/** `npm test` has built the site. A single file that is run by hand builds it, if its sources changed. */
async function buildSiteUnlessRunDid(): Promise<void> {
  if (process.env['TEST_PG_TEMPLATE'] !== undefined) return;
  const { buildSite } = await import('../../packages/web/src/build/build-site.ts');
  await buildSite((message) => process.stderr.write(`${message}\n`));
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

function lendTo(test: TestContext, lent: LentPage, { scripts = true }: PageOptions): BrowserPage {
  const { page, complaints } = lent;
  const folder = path.join(SCREENSHOTS, test.name.replace(/[^a-z0-9]+/gi, '-').slice(0, 80));
  const takePicture = async (name: string): Promise<void> => {
    await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
  };
  test.after(async () => {
    const passed = hasPassed(test);
    if (!passed) {
      // Node reports only the first error of a test, so the page's complaints go to the output.
      process.stderr.write(`${test.name}, at ${page.url()}\n${complaints().join('\n')}\n`);
      await takePicture('at-the-end').catch(() => undefined);
    }
    await lent.giveBack(passed);
    assert.deepEqual(complaints(), [], 'the page complained');
  });
  return {
    page,
    complaints,
    shoot: async (name) => (process.env['TEST_PICTURES'] === '1' ? await takePicture(name) : undefined),
    requireAccessible: (rules) => requireAccessible(page, rules),
    find: (role, name) => find(page, role, name),
    tabTo: (role, name) => tabTo(page, role, name),
    async visit(where) {
      await page.goto(where);
      if (scripts) await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    },
  };
}

/** Node sets `passed` before the hooks of a test; its type definitions lack it. */
function hasPassed(test: TestContext & { readonly passed?: boolean }): boolean {
  return test.passed === true;
}

/** Repeats until the element is there, because a dialog may be closing or opening. */
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
