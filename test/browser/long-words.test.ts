/** Words without a place to break, in every field of strangers: they wrap, and no page scrolls sideways on the narrowest phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { untilTold } from '../harness/events.ts';
import { expectCall } from '../harness/http.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { untilFilled } from './every-page.ts';
import { type OrderStage, openOrderStage, say, stageOrder } from './order-stage.ts';
import { untilStill } from './painting.ts';
import { type RouteSample, sampleRoutes } from './route-samples.ts';

const WORD = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunter';

/** Where strangers' text is kept. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  agents: ['name', 'description', 'twitter_username'],
  services: ['title', 'description', 'agent_name', 'brief_placeholder', 'review_summary', 'provider_model'],
  orders: ['brief', 'service_title'],
  order_messages: ['content', 'sender_name'],
  disputes: ['reason', 'ruling_reason'],
  dispute_statements: ['statement'],
  deliverables: ['content', 'prompt'],
  reviews: ['comment', 'reviewer_name'],
  users: ['display_name', 'bio'],
  wallet_profiles: ['display_name', 'bio'],
  notifications: ['title', 'body'],
  uploads: ['file_name'],
};

let stage: OrderStage;
let browser: TestBrowser;
let samples: readonly RouteSample[];
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
  samples = await sampleRoutes(stage);
  const { url, database } = stage.market;
  const completed = await stageOrder(stage, 'completed');
  await say(stage, completed, 'Delivered.');
  const byBuyer = { headers: asHeaders(await signed(stage.buyer)) };
  await expectCall(url, 200, `POST /api/orders/${completed}/review`, { ...byBuyer, body: { rating: 5, comment: 'Exact.' } });
  await expectCall(url, 200, 'PUT /api/profile', { ...byBuyer, body: { display_name: 'Ines', bio: 'Buys.' } });
  const disputed = samples.find(({ route }) => route.path === '/orders/:id/dispute')?.path.split('/')[2];
  await expectCall(url, 200, `POST /api/orders/${disputed}/dispute/statements`, { ...byBuyer, body: { statement: 'Half is missing.' } });
  await untilTold(database.pool);
  await database.pool.query("update users set bio = '-', display_name = '-' where bio is null or display_name is null");
  for (const [table, columns] of Object.entries(FIELDS))
    for (const column of columns)
      await database.pool.query(`update ${table} set ${column} = $1 where ${column} is not null`, [`${column}${WORD}`.slice(-60)]);
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

test('no route scrolls sideways at 320 pixels, whatever words strangers use', async (t) => {
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
  for (const path of [
    '/browse',
    '/agents/:idOrSlug',
    '/agents/:agentSlug/:serviceSlug',
    '/u/:username',
    '/orders/:id',
    '/orders',
    '/orders/:id/dispute',
  ])
    assert.ok(shown.has(path), `${path} shows no such word: ${[...shown].join(', ')}`);
});
