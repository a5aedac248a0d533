/**
 * Text of strangers on every route: markup in it stays text and runs no script, the CSP holds, and its unbreakable words wrap, so that no
 * page scrolls sideways on the narrowest phone. One visit of a route serves both.
 */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type BrowserPage, openBrowser, type TestBrowser } from '../harness/browser.ts';
import { some } from '../harness/thoroughness.ts';
import { untilFilled } from './every-page.ts';
import { untilStill } from './painting.ts';
import { chooseRoutes, countRoutes, type RouteSample } from './route-samples.ts';
import { openStageOfStrangers, STRANGERS_FIELDS, type StageOfStrangers } from './strangers-words.ts';

/** Whatever of it becomes an element carries the mark `data-hostile`, and whatever runs sets `window.hit`. */
const HOSTILE =
  `</textarea></title></script>"'><script data-hostile>window.hit=1</script><img data-hostile src=x onerror="window.hit=1">` +
  '<svg data-hostile onload="window.hit=1"><a data-hostile href="javascript:window.hit=1">a</a>[b](javascript:window.hit=1)<!--';

const WORD = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunter';

/** Pages that show words of users. */
const SHOWING = [
  '/browse',
  '/agents/:idOrSlug',
  '/agents/:agentSlug/:serviceSlug',
  '/bounties',
  '/bounties/:id',
  '/u/:username',
  '/orders/:id',
  '/orders',
  '/orders/:id/dispute',
];

/** The first three show every kind of text among them. */
const chosen = chooseRoutes([...new Set(['/bounties/:id', '/u/:username', '/orders/:id/dispute', ...some(SHOWING, 3)])]);

let stage: StageOfStrangers;
let browser: TestBrowser;
before(async () => {
  [stage, browser] = await Promise.all([openStageOfStrangers((column) => `${WORD} ${column} ${HOSTILE}`), openBrowser()]);
  await stage.market.database.pool.query(`update services set deliverables = array[$1]::text[], requirement_fields = $2 where true`, [
    WORD,
    JSON.stringify([
      { label: WORD, type: 'text', required: false },
      { label: `${WORD}2`, type: 'select', required: false, options: [WORD, `${WORD}2`] },
    ]),
  ]);
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

test('I10: the server-rendered page escapes hostile text on every route', async () => {
  let shown = 0;
  for (const { path, cookies } of stage.samples) {
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

interface Seen {
  readonly route: string;
  readonly overhang: number;
  readonly leaving: readonly string[];
  readonly elements: number;
  readonly links: number;
  readonly hit: unknown;
  readonly text: string;
}

/** How far the page scrolls sideways, the widest parts that leave it without a scroller of their own, and what came of the markup. */
const MEASURE = `(() => {
  const wide = document.documentElement.clientWidth;
  const scrolls = (element) => {
    for (let up = element; up !== null && up !== document.body; up = up.parentElement)
      if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(up).overflowX)) return true;
    return false;
  };
  const leaving = [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > wide + 0.5 && element.getBoundingClientRect().width > 0 && !scrolls(element))
    .map((element) => element.tagName.toLowerCase() + '.' + String(element.className?.baseVal ?? element.className).replaceAll(' ', '.'));
  return {
    overhang: document.documentElement.scrollWidth - wide,
    leaving: leaving.slice(-4),
    elements: document.querySelectorAll('[data-hostile]').length,
    links: document.querySelectorAll('a[href^="javascript:" i], [src^="javascript:" i]').length,
    hit: window.hit ?? null,
    text: document.body.textContent,
  };
})()`;

/** Pages whose parts differ on a desktop. */
const WIDER_DIFFERS = ['/hire/:serviceId'];

let visits: Promise<readonly Seen[]> | undefined;

/** The first test that asks goes there, as each route's visitor at 320 pixels. */
function seeAll(t: TestContext): Promise<readonly Seen[]> {
  visits ??= visitAll(t);
  return visits;
}

async function visitAll(t: TestContext): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const samples = stage.samples.filter(({ route }) => chosen.includes(route));
  for (const visitor of new Set(samples.map((sample) => sample.visitor))) {
    const own = samples.filter((sample) => sample.visitor === visitor);
    const options = { url: stage.market.url, cookies: own[0]?.cookies ?? [], allow: [/^404 GET/] };
    const narrow = await browser.newPage(t, { ...options, size: 'narrow' });
    for (const sample of own) seen.push(await look(narrow, sample));
    const differing = own.filter(({ route }) => WIDER_DIFFERS.includes(route.path));
    for (const sample of differing) seen.push(await look(await browser.newPage(t, options), sample));
  }
  return seen;
}

async function look(opened: BrowserPage, { path, route }: RouteSample): Promise<Seen> {
  await opened.visit(path);
  await untilFilled(opened);
  await untilStill(opened.page);
  const seen = await opened.page.evaluate<Omit<Seen, 'route'>>(MEASURE);
  if (seen.overhang !== 0 || seen.leaving.length > 0) await opened.shoot(route.path.replace(/\W+/g, '-'));
  return { route: route.path, ...seen };
}

test(`I10: hostile text creates no element and runs no script in the browser, on ${countRoutes(chosen)}`, async (t) => {
  const seen = await seeAll(t);
  for (const { route, elements, links, hit } of seen) assert.deepEqual([elements, links, hit], [0, 0, null], route);
  const isShown = (column: string) => seen.some(({ text }) => text.includes(`${column} </textarea>`));
  const shown = Object.values(STRANGERS_FIELDS).flat().filter(isShown);
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
    assert.ok(shown.includes(column), `${column} is shown nowhere: the test proves nothing about it (${shown.join(', ')})`);
});

test(`${countRoutes(chosen)} fits 320 pixels without scrolling sideways, with any words from users`, async (t) => {
  const seen = await seeAll(t);
  const wide = seen.filter(({ overhang, leaving }) => overhang !== 0 || leaving.length > 0);
  assert.deepEqual(
    wide.map(({ route, overhang, leaving }) => `${route}: ${overhang} px, ${leaving.join(' ')}`),
    [],
  );
  const showing = seen.filter(({ text }) => text.includes(WORD)).map(({ route }) => route);
  for (const path of SHOWING.filter((one) => chosen.some((route) => route.path === one)))
    assert.ok(showing.includes(path), `${path} shows no such word: ${showing.join(', ')}`);
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
