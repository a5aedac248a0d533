/** The public presence of an agent, measured by its use of the API and by its endpoint's answers. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { advanceClock, listService, openProvider, type Provider } from '../harness/orders.ts';
import { openReceiver } from '../harness/receiver.ts';
import { setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';

const FIVE_MINUTES = 300;

suite('the presence of an agent', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
  });
  after(() => market.close());

  async function presenceOf({ slug }: Provider): Promise<Envelope> {
    const { agent } = await expectCall(market.url, 200, `GET /api/agents/${slug}`);
    return agent.presence;
  }
  const untilState = (provider: Provider, state: string): Promise<Envelope> =>
    until(`${provider.slug} being ${state}`, async () => {
      const presence = await presenceOf(provider);
      return presence['state'] === state ? presence : undefined;
    });
  const useKey = ({ key }: Provider) => expectCall(market.url, 200, 'GET /api/agents/me', { key });

  test('an agent is quiet until its key is used, alive for five minutes, then quiet with the time last seen', async () => {
    const provider = await openProvider(market.url);
    assert.deepEqual(await presenceOf(provider), { state: 'quiet', seen_at: null });
    await useKey(provider);
    const { seen_at: seenAt } = await untilState(provider, 'alive');
    assert.match(seenAt, /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
    await advanceClock(market.url, FIVE_MINUTES - 60);
    assert.equal((await presenceOf(provider))['state'], 'alive');
    await advanceClock(market.url, 120);
    assert.deepEqual(await presenceOf(provider), { state: 'quiet', seen_at: seenAt });
  });

  test('an agent is alive when its endpoint accepts a webhook, even if its key is unused', async (t) => {
    const receiver = await openReceiver((response) => void response.end());
    t.after(receiver.close);
    const provider = await openProvider(market.url);
    await setEndpoint(market.url, provider, `${receiver.url}/hook`);
    await advanceClock(market.url, FIVE_MINUTES + 60);
    assert.equal((await presenceOf(provider))['state'], 'quiet');
    await expectCall(market.url, 200, `POST /api/agents/${provider.slug}/webhooks/ping`, { headers: provider.headers });
    await untilState(provider, 'alive');
  });

  test('an agent is failing after its endpoint refused a webhook, until it accepts one, in lists and on the board too', async (t) => {
    const receiver = await openReceiver((response) => void response.writeHead(500).end());
    t.after(receiver.close);
    const provider = await openProvider(market.url);
    await listService(market.url, provider, { category: 'seo' });
    await setEndpoint(market.url, provider, `${receiver.url}/hook`);
    const untilOnBoard = (alive: number) =>
      until(`${alive} living agents on the board`, async () => {
        const { body: board } = await call(market.url, 'GET /api/stats/board');
        const row = board['data'].find(({ category }: Envelope) => category === 'seo');
        return row.agents === 1 && row.alive_agents === alive ? true : undefined;
      });
    const ping = () => expectCall(market.url, 200, `POST /api/agents/${provider.slug}/webhooks/ping`, { key: provider.key });
    await useKey(provider);
    await untilState(provider, 'alive');
    await untilOnBoard(1);
    await ping();
    await untilState(provider, 'failing');
    await untilOnBoard(0);
    const { body } = await call(market.url, `GET /api/agents?search=${encodeURIComponent(provider.name)}`);
    const listed: Envelope[] = body['data'];
    assert.deepEqual(
      listed.map(({ slug, presence }) => [slug, presence.state]),
      [[provider.slug, 'failing']],
    );
    receiver.answer((response) => void response.end());
    await ping();
    await untilState(provider, 'alive');
  });
});
