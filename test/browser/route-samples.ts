/** A real address and a visitor for every route of the site; rules for all pages are tested over this list. */
import assert from 'node:assert/strict';
import { type Route, routes } from '../../packages/web/src/routes.ts';
import { LEND } from '../earn/stage.ts';
import { BOUNTY, claimBounty, postBounty } from '../harness/bounties.ts';
import { expectCall } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import { allow, Browser, beginConsent, newPkce, registerProgram } from '../harness/oauth.ts';
import { asHeaders, signed, solanaWallet } from '../harness/people.ts';
import { isThorough } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';
import { type OrderStage, say, stageOrder } from './order-stage.ts';

export interface RouteSample {
  readonly route: Route;
  readonly path: string;
  readonly visitor: 'anybody' | 'buyer' | 'provider' | 'admin';
  readonly cookies: readonly string[];
  /** Selects the repeated parts of a long page, of which axe checks only the first few; all would take minutes. */
  readonly repeated?: string;
}

/** One page of each kind for an everyday run: a landing page, a list, a profile, an order, hiring, a form, a console. */
const EVERYDAY = ['/', '/browse', '/agents/:idOrSlug', '/orders/:id', '/hire/:serviceId', '/bounties/new', '/sell'];

/** All routes in a thorough run; otherwise one of each kind, and those that the test names. */
export function chooseRoutes(also: readonly string[] = []): readonly Route[] {
  const chosen = routes.filter(({ path }) => isThorough || EVERYDAY.includes(path) || also.includes(path));
  for (const path of [...EVERYDAY, ...also])
    assert.ok(
      chosen.some((route) => route.path === path),
      `${path} is no route`,
    );
  return chosen;
}

/** For titles: the number of tried routes. */
export const countRoutes = (chosen: readonly Route[]): string =>
  chosen.length === routes.length ? 'every route' : `each of ${chosen.length} routes`;

const REPEATED: Record<string, string> = { '/reference/:noun': '.op ~ .op ~ .op' };
const DEMO_SECONDS = 150;

/** Waits for the demo, so that pages are as full as for a newcomer. */
export async function untilLively({ database }: TestMarket): Promise<void> {
  const { pool } = database;
  await until(
    'the demo being complete',
    async () => ((await pool.query('select 1 from demo_content where completed_at is not null')).rowCount === 1 ? true : undefined),
    DEMO_SECONDS,
  );
}

/** Records a token with earlier prices, so that pages show its panel. */
async function giveToken({ market: { database }, provider }: OrderStage): Promise<void> {
  const mint = solanaWallet().address;
  await database.pool.query(
    `update agents set token_mint = $2, token_name = 'Tallyrook', token_symbol = 'TALLY', token_mode = 'byot', token_creator_wallet = $2,
            token_created_at = market_now() where id = $1`,
    [provider.id, mint],
  );
  await database.pool.query(
    `insert into token_prices select $1, date_bin('5 minutes', market_now(), 'epoch') - n * interval '20 minutes', 1e7 * n from generate_series(1, 60) n`,
    [mint],
  );
}

/** Gives the buyer a share of the pool, and the pool earlier prices, so that pages show tables and the chart. */
async function giveDeposit({ market: { url, database }, buyer }: OrderStage): Promise<void> {
  const { payer } = buyer;
  const reference = await payer.pay(payer.chain.treasury, 120_000_000n, 'confirmed');
  const headers = asHeaders(await signed(buyer));
  await expectCall(url, 200, 'POST /api/earn/pool/deposit', {
    headers,
    body: { key: LEND, amount_usd: '120', incoming_tx_hash: reference },
  });
  await database.pool.query(
    `insert into earn_samples (vault_key, at, price_per_unit, unit_decimals, share_price, total_assets, total_units, free_assets, apr_pct)
     select $1, market_now() - n * interval '8 hours', 1e18, 12, 1e9 - n * 1e5, 1e12, 1e18, 4e11, 3.3 from generate_series(1, 60) n`,
    [LEND],
  );
}

/** One sample per route. A route with a parameter needs a line here; every other route is its own sample. */
export async function sampleRoutes(stage: OrderStage): Promise<readonly RouteSample[]> {
  const { url } = stage.market;
  const [delivered, disputed, workspace] = [
    await stageOrder(stage, 'delivered'),
    await stageOrder(stage, 'disputed'),
    await stageOrder(stage, 'workspace'),
  ];
  await say(stage, delivered, 'Delivered. Page 4 has the exception you asked about.');
  const bounty = await openBounty(stage);
  await giveToken(stage);
  await giveDeposit(stage);
  const consent = await askForConsent(stage);
  const service = await expectCall(url, 200, `GET /api/services/${stage.services.fixed}`);
  const addresses: Record<string, string> = {
    '/agents/:idOrSlug': `/agents/${service['agent_slug']}`,
    '/agents/:agentSlug/:serviceSlug': `/agents/${service['agent_slug']}/${service['slug']}`,
    '/services/:id': `/services/${service['id']}`,
    '/bounties/:id': `/bounties/${bounty}`,
    '/oauth/consent/:uid': consent.path,
    '/earn/:key': `/earn/${encodeURIComponent(LEND)}`,
    '/u/:username': `/u/${await openProfile(stage)}`,
    '/orders/:id': `/orders/${delivered}`,
    '/orders/:id/workspace': `/orders/${workspace}/workspace`,
    '/orders/:id/dispute': `/orders/${disputed}/dispute`,
    '/orders/:id/receipt': `/orders/${delivered}/receipt`,
    '/admin/disputes/:id': `/admin/disputes/${disputed}`,
    '/build/agents/:id': `/build/agents/${stage.provider.slug}`,
    '/build/agents/:id/deliveries': `/build/agents/${stage.provider.slug}/deliveries`,
    '/build/agents/:id/events': `/build/agents/${stage.provider.slug}/events`,
    '/sell/services/:id': `/sell/services/${service['id']}`,
    '/docs/:guide': '/docs/paying-by-x402',
    '/reference/:noun': '/reference/orders',
    '/hire/:serviceId': `/hire/${service['id']}`,
  };
  return routes.map((route) => {
    const path = route.path.includes(':') ? addresses[route.path] : route.path;
    assert.ok(path, `${route.path} has a variable part: give it an address in test/browser/route-samples.ts`);
    const visitor = visitorOf(route);
    const repeated = REPEATED[route.path];
    return {
      route,
      path,
      visitor,
      cookies: [...(visitor === 'anybody' ? [] : [stage.cookies[visitor]]), ...(visitor === 'buyer' ? consent.cookies : [])],
      ...(repeated !== undefined && { repeated }),
    };
  });
}

/** Public pages are visited as a stranger, except an order, which is hidden from strangers, and a bounty, which shows its poster more. */
function visitorOf({ path, access }: Route): RouteSample['visitor'] {
  if (path.startsWith('/admin')) return 'admin';
  if (path.startsWith('/sell') || path.startsWith('/build')) return 'provider';
  return access === 'signed-in' || path.startsWith('/orders/') || path === '/bounties/:id' ? 'buyer' : 'anybody';
}

/** A program that the buyer connected, and another that asks for consent; the cookies show that it began in this browser. */
async function askForConsent({ market: { url }, cookies }: OrderStage): Promise<{ readonly path: string; readonly cookies: string[] }> {
  const [name = '', value = ''] = cookies.buyer.split(/=(.*)/s);
  const browser = new Browser(url, { [name]: value });
  const clientId = await registerProgram(url);
  const wish = () => ({ clientId, challenge: newPkce().challenge });
  await allow(browser, await beginConsent(browser, wish()));
  const path = await beginConsent(browser, wish());
  return { path, cookies: browser.cookiesOf(path).filter((cookie) => !cookie.startsWith(`${name}=`)) };
}

/** An open bounty of the buyer with a claim, criteria and a link. */
async function openBounty({ market, buyer, provider }: OrderStage): Promise<string> {
  const { id } = await postBounty(market.url, buyer, {
    brief: `${BOUNTY.brief}\n\nDone when:\n- Every difference has a cause\n- It fits on one page`,
    reference_urls: ['https://example.com/ledger.csv'],
  });
  await claimBounty(market.url, id, provider);
  return id;
}

/** The administrator's own public profile. */
async function openProfile({ market, cookies }: OrderStage): Promise<string> {
  const key = cookies.admin.slice(cookies.admin.indexOf('=') + 1);
  const { user } = await expectCall(market.url, 200, 'POST /api/auth/user', { key, body: {} });
  // A profile is public once it is saved.
  await expectCall(market.url, 200, 'PUT /api/profile', { key, body: { bio: 'Runs this market.' } });
  return String(user.username);
}
