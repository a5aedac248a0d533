/** Visibility of services: each reason to hide a service hides it everywhere, until the reason ends. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { createService } from '../harness/services.ts';

let market: TestMarket;
let owner: TestWallet;
before(async () => {
  market = await openMarket();
  owner = solanaWallet();
});
after(() => market.close());

const idsOf = (list: unknown): string[] => (list as Envelope[]).map(({ id }) => id);

/** Each list and page in which strangers could find the service, and whether it is there. */
async function sightings(service: Envelope): Promise<Record<string, boolean>> {
  const { url } = market;
  const get = async (route: string): Promise<Envelope> => (await call(url, `GET ${route}` as 'GET /')).body;
  const inList = async (query: string): Promise<boolean> =>
    idsOf((await get(`/api/services?limit=100&${query}`))['data']).includes(service['id']);
  const profile = await get(`/api/agents/${service['agent_id']}`);
  const ofAgent = await get(`/api/agents/${service['agent_id']}/services`);
  const sibling = await registerOwnedAgent(url, owner);
  const neighbour = await createService(url, sibling, { category: service['category'] });
  return {
    get: (await get(`/api/services/${service['id']}`))['success'],
    bySlug: (await get(`/api/services/by-slug/${service['agent_slug']}/${service['slug']}`))['success'],
    byIds: (await get(`/api/services/by-slug/${service['agent_id']}/${service['id']}`))['success'],
    list: await inList(''),
    newest: await inList('sortBy=newest'),
    category: await inList(`category=${service['category']}`),
    search: await inList(`search=${encodeURIComponent(service['title'])}`),
    searchAgent: await inList(`search=${encodeURIComponent(service['agent_name'])}`),
    agentFilter: await inList(`agent=${service['agent_slug']}`),
    profile: idsOf(profile['data']?.services ?? []).includes(service['id']),
    ofAgent: idsOf(ofAgent['data'] ?? []).includes(service['id']),
    related: idsOf((await get(`/api/services/by-slug/${sibling.slug}/${neighbour['slug']}`))['data'].related).includes(service['id']),
  };
}

async function assertSeen(service: Envelope, seen: boolean): Promise<void> {
  const found = await sightings(service);
  assert.deepEqual(found, Object.fromEntries(Object.keys(found).map((place) => [place, seen])));
}

/** Each service is alone in its category, so that the page of a related service must show it. */
const hidings: readonly {
  readonly title: string;
  readonly category: string;
  readonly hide: (service: Envelope, agent: TestAgent) => Promise<unknown>;
  readonly show: (service: Envelope, agent: TestAgent) => Promise<unknown>;
}[] = [
  {
    title: 'deactivated service',
    category: 'ugc',
    hide: (service, { key }) => expectCall(market.url, 200, `DELETE /api/services/${service['id']}`, { key }),
    show: (service, { key }) => expectCall(market.url, 200, `PATCH /api/services/${service['id']}`, { key, body: { active: true } }),
  },
  {
    title: 'flagged service',
    category: 'seo',
    hide: (service, { key }) =>
      expectCall(market.url, 200, `PATCH /api/services/${service['id']}`, {
        key,
        body: { description: `${service['description']} Guaranteed profits.` },
      }),
    show: (service, { key }) =>
      expectCall(market.url, 200, `PATCH /api/services/${service['id']}`, { key, body: { description: service['description'] } }),
  },
  {
    title: 'service of an inactive agent',
    category: 'trading',
    hide: (_service, { id, key }) => expectCall(market.url, 200, `PATCH /api/agents/${id}/active`, { key, body: { active: false } }),
    show: (_service, { id, key }) => expectCall(market.url, 200, `PATCH /api/agents/${id}/active`, { key, body: { active: true } }),
  },
  {
    title: 'service of a flagged agent',
    category: 'consulting',
    hide: (_service, { key }) =>
      expectCall(market.url, 200, 'PATCH /api/agents/me', { key, body: { description: 'Guaranteed returns for all of you.' } }),
    show: (_service, { key }) =>
      expectCall(market.url, 200, 'PATCH /api/agents/me', { key, body: { description: 'Advice without promises.' } }),
  },
];

for (const { title, category, hide, show } of hidings) {
  test(`a ${title} is hidden from strangers, visible to its owner, and listed again afterwards`, async () => {
    const agent = await registerOwnedAgent(market.url, owner);
    const service = await createService(market.url, agent, { category, title: `Hidden and seek ${category.replace('_', ' ')}` });
    await assertSeen(service, true);
    await hide(service, agent);
    await assertSeen(service, false);
    const headers = asHeaders(await signed(owner));
    const own = await expectCall(market.url, 200, `GET /api/services/${service['id']}`, { headers });
    assert.equal(own['id'], service['id']);
    const list = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/services`, { headers });
    assert.deepEqual(idsOf(list), [service['id']]);
    assert.ok(list[0].moderation);
    await show(service, agent);
    await assertSeen(service, true);
  });
}

test('the services of an agent without owner appear the moment an owner is attached', async () => {
  const bare = await registerAgent(market.url);
  const service = await createService(market.url, bare, { category: 'influencer', title: 'Waiting for an owner' });
  await assertSeen(service, false);
  const token = await tokenFor(market.url, { email: 'adopts@example.com' });
  await expectCall(market.url, 200, 'POST /api/agents/link', { key: token, body: { api_key: bare.key } });
  await assertSeen(service, true);
});

test('a service created while its agent is being deactivated is hidden', async () => {
  for (let round = 0; round < 5; round++) {
    const agent = await registerOwnedAgent(market.url, owner);
    const headers = asHeaders(await signed(owner));
    const [service] = await Promise.all([
      createService(market.url, agent, {}, { headers }),
      call(market.url, `PATCH /api/agents/${agent.id}/active`, { key: agent.key, body: { active: false } }),
    ]);
    await expectCall(market.url, 404, `GET /api/services/${service['id']}`);
  }
});

describe('the page of a service', () => {
  test('the page of a service has the service, its agent, no reviews yet and up to four others of the category', async () => {
    const agent = await registerOwnedAgent(market.url, owner);
    const made: Envelope[] = [];
    for (let number = 0; number < 6; number++)
      made.push(await createService(market.url, agent, { category: 'video_gen', title: `Clip number ${number}` }));
    const page = await expectCall(market.url, 200, `GET /api/services/by-slug/${agent.slug}/clip-number-0`);
    assert.equal(page['service'].id, made[0]?.['id']);
    assert.deepEqual([page['agent'].id, page['agent'].slug, page['agent'].name], [agent.id, agent.slug, agent.name]);
    assert.deepEqual(page['reviews'], []);
    assert.equal(page['related'].length, 4);
    assert.ok(!idsOf(page['related']).includes(made[0]?.['id']));
  });

  test('the page of a service is 404 for an unknown service and for another agent’s service', async () => {
    const [one, two] = [await registerOwnedAgent(market.url, owner), await registerOwnedAgent(market.url, owner)];
    const service = await createService(market.url, one);
    for (const path of [`${two.slug}/${service['slug']}`, `${two.id}/${service['id']}`, `${one.slug}/nothing`, `nobody/${service['slug']}`])
      assert.equal((await expectCall(market.url, 404, `GET /api/services/by-slug/${path}`))['code'], 'service_not_found');
  });
});

test('the agent’s record follows its services: count, categories, models, lowest price', async () => {
  const agent = await registerOwnedAgent(market.url, owner);
  const own = async (): Promise<Envelope> => {
    const { rows } = await market.database.pool.query(
      'select services_count, service_categories, provider_models, min_price_micros from agent_figures where agent_id = $1',
      [agent.id],
    );
    return rows[0];
  };
  const becomes = async (figures: Envelope): Promise<void> => {
    const deadline = Date.now() + 8_000;
    while (Date.now() < deadline && JSON.stringify(await own(), bigints) !== JSON.stringify(figures, bigints))
      await new Promise((wake) => setTimeout(wake, 25));
    assert.deepEqual(await own(), figures);
  };
  const bigints = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

  const first = await createService(market.url, agent, { category: 'seo', price_usd: '8', provider_model: 'qwen-3' });
  await createService(market.url, agent, { category: 'coding', price_usd: '20' });
  await createService(market.url, agent, { category: 'coding', price_usd: '0', price_type: 'quote' });
  await becomes({ services_count: 3, service_categories: ['coding', 'seo'], provider_models: ['qwen-3'], min_price_micros: 8_000_000n });
  await call(market.url, `PATCH /api/services/${first['id']}`, { key: agent.key, body: { price_usd: '30', category: 'ugc' } });
  await becomes({ services_count: 3, service_categories: ['coding', 'ugc'], provider_models: ['qwen-3'], min_price_micros: 20_000_000n });
  await call(market.url, `DELETE /api/services/${first['id']}`, { key: agent.key });
  await becomes({ services_count: 2, service_categories: ['coding'], provider_models: [], min_price_micros: 20_000_000n });
  const summary = (await call(market.url, `GET /api/agents?services=with&category=coding&search=${encodeURIComponent(agent.name)}`)).body[
    'data'
  ];
  assert.deepEqual(
    summary.map((item: Envelope) => [item['id'], item['services_count'], item['min_price_usd'], item['categories']]),
    [[agent.id, 2, '20.00', ['coding']]],
  );
});
