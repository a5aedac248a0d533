/** Unbreakable words in every user field wrap, and no page scrolls sideways on the narrowest phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { some } from '../harness/thoroughness.ts';
import { untilFilled } from './every-page.ts';
import { untilStill } from './painting.ts';
import { chooseRoutes, countRoutes, type RouteSample } from './route-samples.ts';
import { openStageOfStrangers, type StageOfStrangers } from './strangers-words.ts';

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
const chosen = chooseRoutes(some(SHOWING, 3));

const WORD = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunter';

let stage: StageOfStrangers;
let browser: TestBrowser;
let samples: readonly RouteSample[];
before(async () => {
  [stage, browser] = await Promise.all([openStageOfStrangers((column) => `${column}${WORD}`.slice(-60)), openBrowser()]);
  samples = stage.samples.filter(({ route }) => chosen.includes(route));
  const { database } = stage.market;
  await database.pool.query(`update services set deliverables = array[$1]::text[], requirement_fields = $2 where true`, [
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

/** How far the page scrolls sideways, and the widest parts that leave it without a scroller of their own. */
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
  return { overhang: document.documentElement.scrollWidth - wide, leaving: leaving.slice(-4), shown: document.body.textContent.includes(${JSON.stringify(WORD.slice(-20))}) };
})()`;

test(`${countRoutes(chosen)} fits 320 pixels without scrolling sideways, with any words from users`, async (t) => {
  const problems: string[] = [];
  const shown = new Set<string>();
  for (const visitor of new Set(samples.map((sample) => sample.visitor))) {
    const own = samples.filter((sample) => sample.visitor === visitor);
    const options = { cookies: own[0]?.cookies ?? [], size: 'narrow', allow: [/^404 GET/] } as const;
    const opened = await browser.newPage(t, { url: stage.market.url, ...options });
    for (const { path, route } of own) {
      await opened.visit(path);
      await untilFilled(opened);
      await untilStill(opened.page);
      const seen = await opened.page.evaluate<{ overhang: number; leaving: string[]; shown: boolean }>(MEASURE);
      if (seen.shown) shown.add(route.path);
      if (seen.overhang === 0 && seen.leaving.length === 0) continue;
      problems.push(`${route.path}: ${seen.overhang} px, ${seen.leaving.join(' ')}`);
      await opened.shoot(route.path.replace(/\W+/g, '-'));
    }
  }
  assert.deepEqual(problems, []);
  for (const path of SHOWING.filter((one) => chosen.some((route) => route.path === one)))
    assert.ok(shown.has(path), `${path} shows no such word: ${[...shown].join(', ')}`);
});
