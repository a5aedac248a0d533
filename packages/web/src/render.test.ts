/** Server-rendered pages, with an API that answers the contract's own examples. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationList } from '@market/contract';
import { buildSite } from './build/build-site.ts';
import { openSite } from './open-site.ts';
import { routes } from './routes.ts';
import type { RenderedPage, RenderRequest } from './site.ts';

await buildSite(() => undefined);
const renderer = await openSite()?.loadRenderer();
assert.ok(renderer !== undefined);

type Change = (data: unknown, name: string) => unknown;

/** Answers each call with the first example of its operation. */
function exampleApi(change: Change = (data) => data): typeof fetch {
  return async (input, init) => {
    const { pathname } = new URL(String(input));
    const asked = pathname.split('/');
    const operation = operationList.find(({ spec: { rest } }) => {
      const segments = rest.path.split('/');
      const fits = (segment: string, index: number) => segment.startsWith('{') || segment === asked[index];
      return rest.method === (init?.method ?? 'GET') && segments.length === asked.length && segments.every(fits);
    });
    if (operation === undefined) return Response.json({ success: false, error: 'No such thing.', code: 'not_found' }, { status: 404 });
    const example = operation.spec.examples[0];
    const extras = { total: 1, next_cursor: null, total_capped: false, unread_count: 0, ...example?.extras };
    return Response.json({ success: true, data: change(structuredClone(example?.data), operation.name), ...extras });
  };
}

function request(url: string): RenderRequest {
  return {
    url,
    facts: {
      serviceName: 'Mercato',
      appUrl: 'https://m.example',
      apiUrl: 'https://api.example',
      profile: 'sandbox',
      networks: ['base-mainnet'],
      identityProvider: null,
    },
    theme: undefined,
    mayBeSignedIn: false,
    now: Date.UTC(2026, 10, 15, 14, 5),
    fetch: exampleApi(),
    requestId: 'req_test_0001',
  };
}

async function render(url: string, changes: Partial<RenderRequest> = {}): Promise<Extract<RenderedPage, { kind: 'page' }>> {
  const page = await renderer?.render({ ...request(url), ...changes });
  assert.ok(page?.kind === 'page', `${url} is no page`);
  return page;
}

/** The markup without the embedded state, which is data. */
function markupOf({ html }: { readonly html: string }): string {
  return html.replace(/<script type="application\/json"[\s\S]*?<\/script>/, '');
}

const publicPages = [
  '/',
  '/browse',
  '/browse?tab=agents',
  '/agents/tallyrook',
  '/agents/tallyrook/monthly',
  '/bounties',
  '/bounties?state=all&category=analytics&min_budget=5&search=ledger',
  '/bounties/new',
  '/bounties/bnty_1',
  '/u/ines',
  '/docs',
  '/reference',
  '/reference/agents',
  '/explorer',
  '/explorer?list=hires&network=base-mainnet',
  '/nowhere',
];

for (const url of publicPages) {
  test(`${url} is a complete page: one main, one h1, unique ids, and no markup that a strict CSP blocks`, async () => {
    const page = await render(url);
    const markup = markupOf(page);
    assert.equal(page.status, url === '/nowhere' ? 404 : 200);
    assert.equal(markup.match(/<main /g)?.length, 1);
    const levels = [...markup.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
    assert.equal(levels.filter((level) => level === 1).length, 1, 'first headings');
    const ids = [...markup.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, 'ids');
    assert.doesNotMatch(markup, /\sstyle="|<style|\son\w+="|javascript:/);
    assert.deepEqual(
      [...markup.matchAll(/<script[^>]*>/g)].filter(([tag]) => !/ src="\/assets\//.test(tag)),
      [],
    );
    for (const [, address] of markup.matchAll(/\s(?:src|srcset)="([^"]*)"/g))
      assert.match(address ?? '', /^\/(?!\/)|^https:\/\/api\.example\//);
    assert.match(markup, /<title>[^<]+<\/title>[\s\S]*name="description" content="[^"]{20,}/);
    assert.match(markup, /<a class="skip" href="#main">/);
  });
}

test('pages show services, prices, reviews and figures without scripts', async () => {
  const service = markupOf(await render('/agents/tallyrook/monthly'));
  assert.match(service, /Monthly ledger reconciliation/);
  assert.match(service, /Hire Tallyrook/);
  assert.match(service, /x402\/discover\//);
  assert.match(markupOf(await render('/')), /Held[\s\S]*USDC/);
  assert.match(markupOf(await render('/browse')), /Monthly ledger reconciliation/);
});

test('bounties are rendered without scripts: budget, total, criteria, and a form that keeps the other filters', async () => {
  const brief = 'Compare both lists.\n\nDone when:\n- Every difference has a cause\n- One page';
  const withCriteria: Change = (data, name) => (name === 'bounties.get' ? { ...(data as object), brief } : data);
  const bounty = markupOf(await render('/bounties/bnty_1', { fetch: exampleApi(withCriteria) }));
  assert.match(bounty, /Reconcile one month of ledger entries/);
  assert.match(bounty, /<ul class="criteria"><li>Every difference has a cause<\/li><li>One page<\/li><\/ul>/);
  assert.match(bounty, /The poster pays 66\.00 USDC: 60\.00 to the winner, 6\.00 to Mercato\./);
  assert.match(bounty, /class="sum-total"[\s\S]{0,80}The poster pays when a claim is accepted[\s\S]{0,80}66\.00/);
  const board = markupOf(await render('/bounties?state=all&category=analytics&search=ledger'));
  assert.match(board, /1 bounty</);
  assert.match(board, /<input type="hidden" name="category" value="analytics"\/>/);
  assert.match(markupOf(await render('/')), /Open bounties[\s\S]*Reconcile one month of ledger entries/);
});

test('text of users stays text, both in a page and in its state', async () => {
  const hostile = '</script><img src=x onerror=alert(1)>"\'';
  const spoil: Change = (data) =>
    JSON.parse(
      JSON.stringify(data).replaceAll(
        /Tallyrook|Monthly ledger reconciliation|Ines|Reconcile one month of ledger entries/g,
        JSON.stringify(hostile).slice(1, -1),
      ),
    );
  for (const url of [
    '/',
    '/browse',
    '/agents/tallyrook',
    '/agents/tallyrook/monthly',
    '/u/ines',
    '/bounties',
    '/bounties/bnty_1',
    `/bounties?search=${encodeURIComponent(hostile)}`,
    `/browse?search=${encodeURIComponent(hostile)}`,
  ]) {
    const { html } = await render(url, { fetch: exampleApi(spoil) });
    assert.equal(html.includes('<img src=x'), false, url);
    assert.equal(html.includes(hostile), false, url);
  }
});

test('a 404 of the API is a not-found page; an error of the API is an error page with its request id', async () => {
  const refuse =
    (status: number): typeof fetch =>
    async () =>
      Response.json({ success: false, error: 'This agent does not exist.', code: 'x', request_id: 'req_from_api' }, { status });
  const missing = await render('/agents/nobody', { fetch: refuse(404) });
  assert.equal(missing.status, 404);
  assert.match(missing.html, /Nothing at this address/);
  const broken = await render('/agents/nobody', { fetch: refuse(503) });
  assert.equal(broken.status, 503);
  assert.match(markupOf(broken), /req_from_api/);
  assert.ok(broken.failure !== undefined, 'the operator hears of it');
});

test('the home page renders without any figures', async () => {
  const page = await render('/', {
    fetch: async () => Response.json({ success: false, error: 'Away.', code: 'unavailable' }, { status: 503 }),
  });
  assert.equal(page.status, 200);
  assert.match(page.html, /Hire an agent/);
});

test('pages for signed-in people ask others to sign in, and return afterwards', async () => {
  for (const { path } of routes.filter(({ access }) => access === 'signed-in')) {
    const page = await render(path.replace(/:\w+/g, 'x'));
    assert.equal(page.status, 200, path);
    assert.match(markupOf(page), /Sign in first/, path);
    assert.match(markupOf(page), /href="\/sign-in\?next=%2F/, path);
  }
});

test('the first page of a visit recognises a signed-in person, and offers no sign-in', async () => {
  const wallet = { chain: 'base', address: '0x7A3f2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6ec19E', proof: 'session' };
  const who: Change = (data, name) => (name === 'auth.whoami' ? { agent: null, user: null, wallet } : data);
  const markup = markupOf(await render('/docs', { mayBeSignedIn: true, fetch: exampleApi(who) }));
  assert.match(markup, /0x7A3f…c19E/);
  assert.doesNotMatch(markup, />Sign in</);
});

test('a signed-in page that cannot be rendered still ends as a whole document, with the failure', async () => {
  const broken = { agent: null, user: null, wallet: { chain: 'base', address: 7 } };
  const who: Change = (data, name) => (name === 'auth.whoami' ? broken : data);
  const page = await renderer.render({ ...request('/account'), mayBeSignedIn: true, fetch: exampleApi(who) });
  assert.ok(page.kind === 'begun' && page.status === 200);
  assert.doesNotMatch(page.html, /id="root"/);
  const { html, failure } = await page.rest;
  assert.match(html, /This page could not be shown[\s\S]*<\/html>\n$/);
  assert.ok(failure instanceof Error);
});

test('the id of a service redirects to the service’s URL', async () => {
  const page = await renderer.render(request('/services/svc_1'));
  assert.ok(page.kind === 'redirect' && page.location.startsWith('/agents/'), JSON.stringify(page));
});

test('a document has the chosen theme before any style', async () => {
  assert.match((await render('/', { theme: 'dark' })).html, /<html lang="en" data-theme="dark">/);
  assert.match((await render('/')).html, /<html lang="en">/);
});
