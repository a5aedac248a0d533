/** The browser harness itself: page errors are found, and only those a test allows are ignored. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { findAccessibilityProblems } from '../harness/browser-accessibility.ts';

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";
const pages: Record<string, string> = {
  '/quiet': '<main><h1>Quiet</h1><button>First</button><a href="/quiet">Second</a></main>',
  '/inline': '<main><h1>Inline</h1></main><script>document.title = "ran"</script>',
  '/throws': '<main><h1>Throws</h1></main><script src="/throw.js"></script>',
  '/rejects': '<main><h1>Rejects</h1></main><script src="/reject.js"></script>',
  '/asks': '<main><h1>Asks</h1></main><script src="/ask.js"></script>',
  '/pale': '<link rel="stylesheet" href="/pale.css"><main><h1>Pale</h1><p>Hard to read.</p><img src="data:,"></main>',
};
const files: Record<string, readonly [type: string, content: string]> = {
  '/throw.js': ['text/javascript', 'throw new Error("broken page");'],
  '/reject.js': ['text/javascript', 'Promise.reject(new Error("nobody catches"));'],
  '/ask.js': ['text/javascript', 'fetch("/missing?x=1");'],
  '/pale.css': ['text/css', 'p { color: #ddd; background: #fff }'],
};

let server: Server;
let url: string;
let browser: TestBrowser;

before(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    const [type, content] = files[path] ?? ['text/html', pages[path] && asDocument(pages[path])];
    response.writeHead(content === undefined && !path.startsWith('/favicon.') ? 404 : 200, {
      'content-type': type,
      'content-security-policy': POLICY,
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function asDocument(body: string): string {
  return `<!doctype html><html lang="en" data-ready><head><meta charset="utf-8"><title>Test</title></head><body>${body}</body></html>`;
}

/** Stands in for a test, so that the hooks at its end can be run and checked. */
function endOf(test: TestContext): { context: TestContext; end: () => Promise<void> } {
  const duties: (() => Promise<void>)[] = [];
  const context = { name: test.name, passed: true, after: (duty: () => Promise<void>) => duties.push(duty) } as unknown as TestContext;
  return {
    context,
    end: async () => {
      for (const duty of duties) await duty();
    },
  };
}

async function complaintsOf(test: TestContext, path: string, options: Partial<PageOptions> = {}): Promise<readonly string[]> {
  const { context, end } = endOf(test);
  const { page, visit, complaints } = await browser.newPage(context, { url, ...options });
  await visit(path);
  await page.waitForLoadState('networkidle');
  const seen = complaints();
  if (seen.length === 0) await end();
  else await assert.rejects(end, /the page complained/);
  return seen;
}

test('the browser harness has no complaints about a faultless page', async (t) => {
  assert.deepEqual(await complaintsOf(t, '/quiet'), []);
});

test('the browser harness fails a test for refused inline scripts, errors, unhandled rejections and broken requests', async (t) => {
  assert.match(String(await complaintsOf(t, '/inline')), /^console: .*Content Security Policy/);
  assert.deepEqual(await complaintsOf(t, '/throws'), ['uncaught: broken page']);
  assert.deepEqual(await complaintsOf(t, '/rejects'), ['uncaught: nobody catches']);
  assert.deepEqual(await complaintsOf(t, '/asks'), ['404 GET /missing?x=1']);
});

test('the browser harness ignores a complaint that the test expects, and no others', async (t) => {
  assert.deepEqual(await complaintsOf(t, '/asks', { allow: [/^404 GET .missing/] }), []);
  assert.deepEqual(await complaintsOf(t, '/asks', { allow: [/^404 GET .other/] }), ['404 GET /missing?x=1']);
});

test('axe reports low contrast and images without alternative text', async (t) => {
  const { page, visit } = await browser.newPage(t, { url, allow: [/Content Security Policy/] });
  await visit('/pale');
  const problems = await findAccessibilityProblems(page);
  assert.deepEqual(problems.map((line) => line.split(':')[0]).sort(), ['color-contrast', 'image-alt']);
});

test('tabTo of the browser harness reaches focusable elements, and fails for others', async (t) => {
  const { page, visit, tabTo } = await browser.newPage(t, { url, size: 'phone', theme: 'dark' });
  await visit('/quiet');
  await tabTo('link', 'Second');
  assert.equal(await page.locator(':focus').textContent(), 'Second');
  await assert.rejects(() => tabTo('heading', 'Quiet'), /Tab does not reach the heading "Quiet"/);
});

test('the browser harness shows a page without scripts as the HTML that the server sent', async (t) => {
  const { page, visit } = await browser.newPage(t, { url, scripts: false });
  await visit('/throws');
  assert.equal(await page.getByRole('heading').textContent(), 'Throws');
});

/** Cookies, storage, size, theme and place in the history, as a page finds them. */
const STATE = `[document.cookie, localStorage.length, sessionStorage.length, innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]`;

test('a page that another visitor had carries nothing of them', async (t) => {
  const first = endOf(t);
  const { page, visit } = await browser.newPage(first.context, { url, cookies: ['who=first'] });
  await page.route('**/quiet', (route) => route.fulfill({ body: asDocument('routed'), contentType: 'text/html' }));
  await visit('/quiet');
  await page.evaluate(`localStorage.setItem('draft', '1'), sessionStorage.setItem('token', '1')`);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await page.evaluate(STATE), ['who=first', 1, 1, 320, true]);
  await first.end();
  const second = await browser.newPage(t, { url });
  assert.equal(second.page, page, 'the page is not kept: the test proves nothing');
  await second.visit('/quiet');
  assert.deepEqual(await page.evaluate(STATE), ['', 0, 0, 1440, false]);
  assert.equal(await page.getByRole('heading').textContent(), 'Quiet');
});

test('a page with a listener, a script or a permission of a test, or of a failed test, goes to nobody else', async (t) => {
  const changes: ((page: Page) => unknown)[] = [
    (page) => page.on('request', () => undefined),
    (page) => page.addInitScript('globalThis.seen = true'),
    (page) => page.exposeFunction('ask', () => undefined),
    (page) => page.context().grantPermissions(['clipboard-read']),
    (page) => page.context().newPage(),
    (page) => page.goto('about:blank'),
    () => undefined,
  ];
  for (const [n, change] of changes.entries()) {
    const { context, end } = endOf(t);
    if (n === changes.length - 1) Object.assign(context, { passed: false });
    const { page, visit } = await browser.newPage(context, { url, size: 'narrow' });
    await visit('/quiet');
    await change(page);
    await end();
    assert.ok(page.isClosed(), `kept after change ${n}`);
  }
});
