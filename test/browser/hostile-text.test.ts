/** Text of strangers made to become a page: on every route it stays text, no script of it runs, and the policy of the page holds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { expectCall } from '../harness/http.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { type OrderStage, openOrderStage, say, stageOrder } from './order-stage.ts';
import { type RouteSample, sampleRoutes } from './route-samples.ts';

/** Whatever of it becomes an element carries the mark `data-hostile`, and whatever runs sets `window.hit`. */
const HOSTILE =
  `</textarea></title></script>"'><script data-hostile>window.hit=1</script><img data-hostile src=x onerror="window.hit=1">` +
  '<svg data-hostile onload="window.hit=1"><a data-hostile href="javascript:window.hit=1">a</a>[b](javascript:window.hit=1)<!--';

/** Where strangers' text is kept. Some fields refuse such text at the door; old rows and future doors may not. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  agents: ['name', 'description'],
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
};

interface Found {
  readonly elements: number;
  readonly links: number;
  readonly hit: unknown;
  readonly text: string;
}

let stage: OrderStage;
let browser: TestBrowser;
let samples: readonly RouteSample[];
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
  samples = await sampleRoutes(stage);
  const { url } = stage.market;
  const completed = await stageOrder(stage, 'completed');
  await say(stage, completed, HOSTILE);
  const byBuyer = { headers: asHeaders(await signed(stage.buyer)) };
  await expectCall(url, 200, `POST /api/orders/${completed}/review`, { ...byBuyer, body: { rating: 5, comment: HOSTILE } });
  await expectCall(url, 200, 'PUT /api/profile', { ...byBuyer, body: { display_name: HOSTILE.slice(0, 50), bio: HOSTILE.slice(0, 280) } });
  const disputed = samples.find(({ route }) => route.path === '/orders/:id/dispute')?.path.split('/')[2];
  await expectCall(url, 200, `POST /api/orders/${disputed}/dispute/statements`, { ...byBuyer, body: { statement: HOSTILE } });
  // The public profile shows a bio only where its person wrote one.
  await stage.market.database.pool.query("update users set bio = '-' where bio is null");
  for (const [table, columns] of Object.entries(FIELDS))
    for (const column of columns)
      await stage.market.database.pool.query(`update ${table} set ${column} = $1 where ${column} is not null`, [`${column} ${HOSTILE}`]);
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

test('I10: in the page as the server sends it, hostile text is escaped on every route', async () => {
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

test('I10: in the browser, hostile text becomes no element and no script runs, on every route', async (t) => {
  const shownAs = new Set<string>();
  for (const visitor of new Set(samples.map((sample) => sample.visitor))) {
    const own = samples.filter((sample) => sample.visitor === visitor);
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
      for (const column of Object.values(FIELDS).flat()) if (found.text.includes(`${column} </textarea>`)) shownAs.add(column);
    }
  }
  for (const column of ['name', 'title', 'description', 'brief', 'content', 'comment', 'reason', 'statement', 'bio', 'display_name'])
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
