/** The browser harness itself: page errors are found, and only those a test allows are ignored. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
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
    response.writeHead(content === undefined && path !== '/favicon.ico' ? 404 : 200, {
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

/** Stands in for a test whose end we can look at. */
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

test('a faultless page yields no complaints of the harness', async (t) => {
  assert.deepEqual(await complaintsOf(t, '/quiet'), []);
});

test('refused inline scripts, errors, unhandled rejections and broken requests fail the test', async (t) => {
  assert.match(String(await complaintsOf(t, '/inline')), /^console: .*Content Security Policy/);
  assert.deepEqual(await complaintsOf(t, '/throws'), ['uncaught: broken page']);
  assert.deepEqual(await complaintsOf(t, '/rejects'), ['uncaught: nobody catches']);
  assert.deepEqual(await complaintsOf(t, '/asks'), ['404 GET /missing?x=1']);
});

test('a complaint that the test expects is ignored, others are not', async (t) => {
  assert.deepEqual(await complaintsOf(t, '/asks', { allow: [/^404 GET .missing/] }), []);
  assert.deepEqual(await complaintsOf(t, '/asks', { allow: [/^404 GET .other/] }), ['404 GET /missing?x=1']);
});

test('axe reports low contrast and images without alternative text', async (t) => {
  const { page, visit } = await browser.newPage(t, { url, allow: [/Content Security Policy/] });
  await visit('/pale');
  const problems = await findAccessibilityProblems(page);
  assert.deepEqual(problems.map((line) => line.split(':')[0]).sort(), ['color-contrast', 'image-alt']);
});

test('tabbing reaches focusable elements, and fails for others', async (t) => {
  const { page, visit, tabTo } = await browser.newPage(t, { url, size: 'phone', theme: 'dark' });
  await visit('/quiet');
  await tabTo('link', 'Second');
  assert.equal(await page.locator(':focus').textContent(), 'Second');
  await assert.rejects(() => tabTo('heading', 'Quiet'), /Tab does not reach the heading "Quiet"/);
});

test('a page without scripts is the HTML that the server sent', async (t) => {
  const { page, visit } = await browser.newPage(t, { url, scripts: false });
  await visit('/throws');
  assert.equal(await page.getByRole('heading').textContent(), 'Throws');
});
