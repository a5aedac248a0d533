/** One search box: typos, what is hidden, presence, and the leaderboard. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { postBounty } from '../harness/bounties.ts';
import { untilHandled } from '../harness/events.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, type Buyer, deliver, listService, openBuyer, openProvider, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import { until } from '../money/money.ts';

suite('search', () => {
  let market: TestMarket;
  let url: string;
  let provider: Provider;
  let buyer: Buyer;
  let serviceId: string;
  before(async () => {
    market = await openMarket(withChains);
    ({ url } = market);
    buyer = await openBuyer(market, 'base-mainnet');
    provider = await openProvider(url);
    serviceId = await listService(url, provider, { title: 'Monthly ledger reconciliation' });
    await untilHandled(market.database.pool);
  });
  after(() => market.close());

  const search = async (q: string, more = ''): Promise<Envelope> =>
    await expectCall(url, 200, `GET /api/search?q=${encodeURIComponent(q)}${more}`);
  const idsOf = (data: Envelope): string[] => data['services'].map((hit: Envelope) => hit['service'].id);

  test('search reads a misspelt word as the word that services use, and says so', async () => {
    for (const slip of ['reconcilation', 'recconciliation', 'ledgerr reconciliation', 'montly']) {
      const data = await search(slip);
      assert.deepEqual(idsOf(data), [serviceId], slip);
      assert.equal(data['corrections'].length, 1, slip);
    }
    const exact = await search('ledger recon');
    assert.deepEqual([idsOf(exact), exact['corrections']], [[serviceId], []]);
    assert.deepEqual(idsOf(await search('xylophone')), []);
  });

  test('search finds agents and open bounties in the same box', async () => {
    const bounty = await postBounty(url, buyer, { title: 'Reconciliation of twelve ledgers' });
    const data = await search('reconcilation');
    assert.deepEqual(
      data['bounties'].map((hit: Envelope) => hit['bounty'].id),
      [bounty.id],
    );
    assert.doesNotMatch(JSON.stringify(data['bounties']), new RegExp(buyer.address, 'i'));
    const { agents } = await search(provider.name, '&explain=1');
    assert.equal(agents[0].agent.id, provider.id);
    assert.deepEqual(Object.keys(agents[0].parts).sort(), ['answering', 'orders', 'reputation', 'words']);
    assert.equal('parts' in (await search(provider.name))['agents'][0], false);
  });

  test('search refuses bad input, and punctuation alone finds nothing', async () => {
    for (const query of ['', 'q=', 'q=a&each=0', 'q=a&each=21', 'q=a&explain=yes']) {
      const { status, body } = await call(url, `GET /api/search?${query}`);
      assert.deepEqual([status, body['code']], [400, 'invalid_input'], query);
    }
    for (const query of ['price=0-2', 'delivery=2', 'chain=doge', 'rating=6', 'answering=0', 'sortBy=luck', 'category=none'])
      assert.equal((await call(url, `GET /api/search/services?${query}`)).status, 400, query);
    assert.equal((await call(url, 'GET /api/search/services?sortBy=newest&cursor=zzz')).body['code'], 'invalid_cursor');
    const { body } = await call(url, 'GET /api/search/services?q=%2F%2F');
    assert.deepEqual([body['total'], body['data'].hits], [0, []]);
  });

  test('the search filter “answering” lists agents with a sign of life in the last five minutes', async () => {
    const total = async (): Promise<number> => (await call(url, 'GET /api/search/services?q=reconciliation&answering=1')).body['total'];
    await expectCall(url, 200, 'GET /api/agents/me', { key: provider.key });
    await until('the agent answering', async () => ((await total()) === 1 ? true : undefined));
    await market.database.pool.query(`update agent_presence set seen_at = seen_at - interval '6 minutes' where agent_id = $1`, [
      provider.id,
    ]);
    await until('the agent being quiet', async () => ((await total()) === 0 ? true : undefined));
  });

  test('changing an agent’s payout chain moves its services to that chain in search', async () => {
    const count = async (chain: string): Promise<readonly number[]> => {
      const { body } = await call(url, `GET /api/search/services?q=reconciliation&chain=${chain}`);
      return [body['total'], body['data'].facets.chain.find(({ value }: Envelope) => value === chain).count];
    };
    const moveTo = async (chain: string): Promise<void> => {
      await market.database.pool.query('update agents set payout_chain = $2 where id = $1', [provider.id, chain]);
      const other = chain === 'base' ? 'solana' : 'base';
      await until(`the service being on ${chain}`, async () => ((await count(chain))[0] === 1 ? true : undefined));
      assert.deepEqual(
        [await count(chain), await count(other)],
        [
          [1, 1],
          [0, 0],
        ],
      );
    };
    await moveTo('base');
    await moveTo('solana');
  });

  test('the leaderboard puts the most completed orders of this week first', async () => {
    await openProvider(url);
    const order = await placeOrder(url, serviceId, buyer);
    await payOrder(url, order, buyer);
    await deliver(url, order, provider);
    await act(url, order, buyer, 'approve');
    await untilHandled(market.database.pool);
    const [first, ...others] = await until('the week being counted', async () => {
      const rows: Envelope[] = (await call(url, 'GET /api/leaderboard/agents')).body['data'];
      return rows[0]?.['weekly_completed_orders'] === 1 ? rows : undefined;
    });
    assert.ok(first);
    assert.deepEqual([first['id'], first['weekly_revenue']], [provider.id, '10.00']);
    assert.equal(new Date(`${first['week_start'].replace(' ', 'T')}Z`).getUTCDay(), 1);
    assert.ok(others.length > 0 && others.every((row) => row['weekly_completed_orders'] === 0));
  });

  test('an entry taken off the market is not found by any search', async () => {
    await expectCall(url, 200, `PATCH /api/agents/${provider.id}/active`, { headers: provider.headers, body: { active: false } });
    const data = await search('reconciliation');
    const agents: Envelope[] = (await search(provider.name))['agents'];
    assert.deepEqual([data['services'], agents.filter((hit) => hit['agent'].id === provider.id)], [[], []]);
    const rows: Envelope[] = (await call(url, 'GET /api/leaderboard/agents')).body['data'];
    assert.equal(
      rows.some((row) => row['id'] === provider.id),
      false,
    );
  });
});
