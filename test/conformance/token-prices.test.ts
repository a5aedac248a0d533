/** Earlier prices of a token: recorded when the price source is read, shown in a chart, thinned out by age. Beyond the specification. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type PricePeriod, pricePeriodNames, pricePeriods } from '@market/contract';
import { thinPrices } from '../../packages/server/src/features/tokens/prices-repository.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { solanaWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
let source: Server;
before(async () => {
  source = createServer(({ url = '' }, response) => {
    const mints = decodeURIComponent(url.slice(1)).split(',');
    response.end(JSON.stringify(mints.map((address) => ({ baseToken: { address }, priceUsd: '0.0000321', fdv: 32_100 }))));
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
  market = await openMarket({ PRICE_SOURCE_URL: `http://127.0.0.1:${(source.address() as AddressInfo).port}` });
});
after(async () => {
  await market?.close();
  source?.close();
});

interface TokenAgent extends TestAgent {
  readonly mint: string;
}

async function openTokenAgent(): Promise<TokenAgent> {
  const agent = await registerOwnedAgent(market.url, solanaWallet());
  const mint = solanaWallet().address;
  await market.database.pool.query(
    `update agents set token_mint = $2, token_name = 'Tallyrook', token_symbol = 'TALLY', token_mode = 'byot', token_creator_wallet = 'W',
            token_created_at = market_now() where id = $1`,
    [agent.id, mint],
  );
  return { ...agent, mint };
}

const history = async ({ id }: { readonly id: string }, period?: PricePeriod): Promise<Envelope> =>
  await expectCall(market.url, 200, `GET /api/agents/${id}/token/prices${period === undefined ? '' : `?period=${period}`}`);
const advance = async (seconds: number): Promise<Envelope> =>
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
const countOf = async ({ mint }: TokenAgent): Promise<number> =>
  (await market.database.pool.query('select from token_prices where mint = $1', [mint])).rowCount ?? 0;

/** Moves the clock to a minute after a recording, so that no point leaves a chart during a test. */
async function awaitMinute(): Promise<void> {
  const { now } = await expectCall(market.url, 200, 'GET /sandbox/clock');
  await advance(360 - (Math.floor(Date.parse(now) / 1000) % 300));
}

/** Stores a point every five minutes, each a little higher. */
async function fillDays({ mint }: TokenAgent, days: number): Promise<void> {
  await market.database.pool.query(
    `insert into token_prices (mint, at, price_pico_usd)
     select $1, date_bin('5 minutes', market_now(), 'epoch') - n * interval '5 minutes', 1000000::bigint * (100000 - n)
     from generate_series(0, $2 * 288) n on conflict (mint, at) do update set price_pico_usd = excluded.price_pico_usd`,
    [mint, days],
  );
}

test('reading a token records its price once in five minutes, as an exact decimal string', async () => {
  const agent = await openTokenAgent();
  assert.deepEqual(await history(agent), { agent_id: agent.id, token_mint: agent.mint, period: '24h', points: [] });
  for (let n = 0; n < 3; n++) await expectCall(market.url, 200, `GET /api/agents/${agent.slug}/token`);
  assert.equal(await countOf(agent), 1);
  await advance(15 * 60);
  await expectCall(market.url, 200, `GET /api/agents/${agent.id}/token`);
  const { points } = await history({ id: agent.slug });
  assert.deepEqual(
    points.map(({ price_usd }: Envelope) => price_usd),
    ['0.0000321', '0.0000321'],
  );
  assert.ok(points[0].at < points[1].at);
});

test('prices of tokens are also recorded when nobody reads them', async () => {
  const agent = await openTokenAgent();
  await advance(15 * 60);
  await until('the point', async () => ((await countOf(agent)) === 1 ? true : undefined));
});

test('prices of tokens that nobody has on record are not kept', async () => {
  const { mint } = await openTokenAgent();
  const stranger = solanaWallet().address;
  const { body } = await call(market.url, 'POST /api/market', { body: { mints: [mint, stranger] } });
  assert.equal(body['data'][stranger].price_usd, 0.0000321);
  const { rows } = await market.database.pool.query('select mint from token_prices where mint = any($1)', [[mint, stranger]]);
  assert.deepEqual(rows, [{ mint }]);
});

test('each period of a price chart is bounded and shows the last price of each step, oldest first', async () => {
  await awaitMinute();
  const agent = await openTokenAgent();
  await fillDays(agent, 31);
  for (const period of pricePeriodNames) {
    const { hours, stepMinutes } = pricePeriods[period];
    const { points } = await history(agent, period);
    const most = (hours * 60) / stepMinutes + 1;
    assert.ok(points.length >= most - 1 && points.length <= most, `${period}: ${points.length} points`);
    const times = points.map(({ at }: Envelope) => Date.parse(`${String(at).replace(' ', 'T')}Z`)) as number[];
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) <= hours * 3_600_000);
    assert.equal(points.at(-1).price_usd, '0.1');
    assert.ok(new Set(times.map((time) => Math.floor(time / stepMinutes / 60_000))).size === points.length, 'one per step');
  }
});

test('thinning out and deleting prices changes no chart', async () => {
  await awaitMinute();
  const agent = await openTokenAgent();
  await fillDays(agent, 3);
  const days = 31;
  await market.database.pool.query(
    `insert into token_prices select $1, date_bin('2 hours', market_now(), 'epoch') - n * interval '2 hours' - interval '5 minutes', 5
     from generate_series(37, $2 * 12) n on conflict do nothing`,
    [agent.mint, days],
  );
  const charts = () => Promise.all(pricePeriodNames.map(async (period) => (await history(agent, period))['points']));
  const before = await charts();
  const many = await countOf(agent);
  await thinPrices(market.database.db);
  // Advancing the clock drops cached answers.
  await advance(1);
  assert.deepEqual(await charts(), before);
  const left = await countOf(agent);
  assert.ok(left <= 288 + 30 * 12 + 14 && left < many - 500, `${many} became ${left}`);
});

test('price history is empty without a token, 404 for an unknown agent, 400 for an unknown period', async () => {
  const agent = await registerOwnedAgent(market.url, solanaWallet());
  assert.deepEqual(await history(agent, '7d'), { agent_id: agent.id, token_mint: null, period: '7d', points: [] });
  assert.equal((await call(market.url, 'GET /api/agents/nobody-here/token/prices')).status, 404);
  assert.equal((await call(market.url, `GET /api/agents/${agent.id}/token/prices?period=1y`)).body['code'], 'invalid_input');
});
