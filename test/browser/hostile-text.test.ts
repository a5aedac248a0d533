/** Markup in user text: on every route it stays text, runs no script, and the CSP holds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { chooseRoutes, countRoutes, type RouteSample } from './route-samples.ts';
import { openStageOfStrangers, STRANGERS_FIELDS, type StageOfStrangers } from './strangers-words.ts';

/** Whatever of it becomes an element carries the mark `data-hostile`, and whatever runs sets `window.hit`. */
const HOSTILE =
  `</textarea></title></script>"'><script data-hostile>window.hit=1</script><img data-hostile src=x onerror="window.hit=1">` +
  '<svg data-hostile onload="window.hit=1"><a data-hostile href="javascript:window.hit=1">a</a>[b](javascript:window.hit=1)<!--';

/** These show every kind of text among them. */
const chosen = chooseRoutes(['/bounties/:id', '/u/:username', '/orders/:id/dispute']);

interface Found {
  readonly elements: number;
  readonly links: number;
  readonly hit: unknown;
  readonly text: string;
}

let stage: StageOfStrangers;
let browser: TestBrowser;
let samples: readonly RouteSample[];
before(async () => {
  [stage, browser] = await Promise.all([openStageOfStrangers((column) => `${column} ${HOSTILE}`), openBrowser()]);
  samples = stage.samples;
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

test('I10: the server-rendered page escapes hostile text on every route', async () => {
  let shown = 0;
  for (const { path, cookies } of samples) {
    const answer = await fetch(stage.market.url + path, { headers: { cookie: cookies.join('; ') } });
    const html = await answer.text();
    assert.ok(answer.status < 500, `${path}: ${answer.status}`);
    assert.doesNotMatch(html, /<(?:script|img|svg|a) data-hostile/, path);
    assert.doesNotMatch(html, /href="javascript:/i, path);
    assert.match(answer.headers.get('content-security-policy') ?? '', /script-src 'self'(?![^;]*unsafe-inline)/, path);
    if (html.includes('data-hostile')) shown += 1;
  }
  assert.ok(shown >= 8, `only ${shown} pages show text of strangers`);
});

test(`I10: hostile text creates no element and runs no script in the browser, on ${countRoutes(chosen)}`, async (t) => {
  const shownAs = new Set<string>();
  const tried = samples.filter(({ route }) => chosen.includes(route));
  for (const visitor of new Set(tried.map((sample) => sample.visitor))) {
    const own = tried.filter((sample) => sample.visitor === visitor);
    const { page, visit } = await browser.newPage(t, { url: stage.market.url, cookies: own[0]?.cookies ?? [], allow: [/^404 GET/] });
    for (const { path } of own) {
      await visit(path);
      const found = await page.evaluate<Found>(`({
        elements: document.querySelectorAll('[data-hostile]').length,
        links: document.querySelectorAll('a[href^="javascript:" i], [src^="javascript:" i]').length,
        hit: window.hit ?? null,
        text: document.body.textContent,
      })`);
      assert.deepEqual([found.elements, found.links, found.hit], [0, 0, null], `${path} as ${visitor}`);
      for (const column of Object.values(STRANGERS_FIELDS).flat()) if (found.text.includes(`${column} </textarea>`)) shownAs.add(column);
    }
  }
  for (const column of [
    'name',
    'title',
    'description',
    'brief',
    'message',
    'content',
    'comment',
    'reason',
    'statement',
    'bio',
    'display_name',
  ])
    assert.ok(shownAs.has(column), `${column} is shown nowhere: the test proves nothing about it (${[...shownAs].join(', ')})`);
});

test('I10: a script added to a page does not run', async (t) => {
  const { page, visit } = await browser.newPage(t, { url: stage.market.url, allow: [/Content Security Policy|content security policy/] });
  await visit('/browse');
  const hit = await page.evaluate(`(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.hit = 1';
    const holder = document.createElement('div');
    holder.innerHTML = '<img src="/favicon.svg" onload="window.hit = 2">';
    document.body.append(script, holder);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return window.hit ?? null;
  })()`);
  assert.equal(hit, null);
});
