/** No page shows an account id; people are shown by name. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { expectCall } from '../harness/http.ts';
import { tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { untilFilled } from './every-page.ts';
import { type OrderStage, openOrderStage, stageOrder } from './order-stage.ts';
import { chooseRoutes, countRoutes, type RouteSample, sampleRoutes } from './route-samples.ts';

/** Pages that name the buyer. */
const NAMING = ['/orders/:id', '/orders/:id/dispute', '/orders/:id/receipt', '/admin/disputes', '/admin/disputes/:id', '/sell', '/account'];
const chosen = chooseRoutes(some(NAMING, 4));

let stage: OrderStage;
let browser: TestBrowser;
let samples: readonly RouteSample[];
let buyerName: string;
const cookies: Partial<Record<RouteSample['visitor'], string>> = {};

/** Accounts without a chosen name on both sides of every order, so that only ids could be shown. Their profiles are public. */
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
  const { url, database } = stage.market;
  samples = await sampleRoutes(stage);
  const completed = await stageOrder(stage, 'completed');
  const accounts: Record<string, string> = {};
  for (const who of ['buyer', 'provider'] as const) {
    const key = await tokenFor(url, { email: `${who}-of-record@example.com` });
    const { user } = await expectCall(url, 200, 'POST /api/auth/user', { key, body: {} });
    assert.match(user.idp_user_id, /^usr_/);
    accounts[who] = user.idp_user_id;
    cookies[who] = `idp-token=${key}`;
    if (who === 'buyer') buyerName = user.username;
  }
  await database.pool.query('update users set display_name = null, profile_saved_at = now()');
  await database.pool.query(
    `insert into user_wallets (id, user_id, chain, address, proof, shown)
     select 'uw_1700000000000_' || lpad((row_number() over ())::text, 9, '0'), $1, 'base', p.payer, 'idp', true from (select distinct payer from orders where payer is not null) p`,
    [accounts['buyer']],
  );
  await database.pool.query('update orders set user_id = $1, client_wallet = null', [accounts['buyer']]);
  await database.pool.query('update agents set owner_user_id = $1, owner_wallet = null', [accounts['provider']]);
  const byBuyer = { headers: { cookie: cookies.buyer ?? '' } };
  await expectCall(url, 200, `POST /api/orders/${completed}/review`, { ...byBuyer, body: { rating: 4, comment: 'Early and exact.' } });
  for (const { path } of samples.filter(({ route }) => /^\/orders\/:id/.test(route.path)))
    await expectCall(url, 200, `POST /api/orders/${path.split('/')[2]}/messages`, { ...byBuyer, body: { content: 'Where is page 5?' } });
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

/** All text that can be read or heard, visible or not yet unfolded. */
const READABLE = `[
  document.title,
  document.body.textContent.replace(document.getElementById('state')?.textContent ?? '', ''),
  ...[...document.querySelectorAll('[title],[aria-label],[alt],[placeholder]')].flatMap((element) =>
    ['title', 'aria-label', 'alt', 'placeholder'].map((name) => element.getAttribute(name) ?? '')),
  ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
].join('\\n')`;

test(`${countRoutes(chosen)} hides the ids of accounts, and orders show the buyer’s name`, async (t) => {
  const named = new Set<string>();
  const tried = samples.filter(({ route }) => chosen.includes(route));
  for (const visitor of new Set(tried.map((sample) => sample.visitor))) {
    const own = tried.filter((sample) => sample.visitor === visitor);
    const cookie = cookies[visitor] ?? own[0]?.cookies[0];
    const opened = await browser.newPage(t, { url: stage.market.url, cookies: cookie === undefined ? [] : [cookie], allow: [/^404 GET/] });
    for (const { path, route } of own) {
      await opened.visit(path);
      await untilFilled(opened);
      const text = await opened.page.evaluate<string>(READABLE);
      // The reference explains the field with an example id.
      if (!route.path.startsWith('/reference')) assert.doesNotMatch(text, /usr_\w*/, `${path} as ${visitor}`);
      if (text.includes(buyerName)) named.add(route.path);
    }
  }
  for (const path of NAMING.filter((one) => chosen.some((route) => route.path === one)))
    assert.ok(named.has(path), `${path} does not name the buyer: ${[...named].join(', ')}`);
});
