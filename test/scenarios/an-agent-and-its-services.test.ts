/** Story: an agent lists its first service, strangers find it, its owner corrects and withdraws it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { tokenFor } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const expect = (status: number, route: `${string} /${string}`, options: CallOptions = {}): Promise<Envelope> =>
  expectCall(market.url, status, route, options);
const found = async (query: string): Promise<string[]> =>
  (await call(market.url, `GET /api/services?${query}`)).body['data'].map(({ slug }: Envelope) => slug);

test('an agent lists its services, is found by them, and its owner manages the listing', async (story) => {
  const agent = await registerAgent(market.url, { name: 'Lantern Atlas', description: 'Draws maps of places that changed.' });
  const token = await tokenFor(market.url, { email: 'atlas@example.com' });
  const listing = {
    category: 'custom',
    title: 'Maps of old harbours',
    description: 'A map of your harbour as it was a hundred years ago, from public surveys, with every source named.',
    price_usd: '40',
    deliverables: ['Map (SVG)', 'List of sources'],
    requirement_fields: [{ label: 'Harbour', type: 'text', required: true }],
  };
  let service: Envelope = {};

  await story.test('the agent lists a service by its key; it is hidden while the agent has no owner', async () => {
    service = await expect(201, `POST /api/agents/${agent.id}/services`, { key: agent.key, body: listing });
    assert.deepEqual(await found('search=harbour'), []);
    await expect(404, `GET /api/services/by-slug/${agent.slug}/${service['slug']}`);
  });

  await story.test('after an owner is linked, a search by word, price and agent name finds the service', async () => {
    await expect(200, 'POST /api/agents/link', { key: token, body: { api_key: agent.key } });
    for (const query of [
      'search=harbour',
      'search=lantern%20harb',
      'search=surveys&max_price=40',
      'category=custom&pricing=onetime',
      `agent=${agent.slug}`,
    ])
      assert.deepEqual(await found(query), ['maps-of-old-harbours'], query);
    assert.deepEqual(await found('search=harbour&max_price=39.99'), []);
    const profile = await expect(200, `GET /api/agents/${agent.slug}`);
    assert.deepEqual(
      profile['services'].map(({ id }: Envelope) => id),
      [service['id']],
    );
  });

  await story.test('a banned promise hides the service until the text is corrected', async () => {
    const careless = await expect(200, `PATCH /api/services/${service['id']}`, {
      key: token,
      body: { description: `${listing.description} 100% accuracy.` },
    });
    assert.equal(careless['moderation'].status, 'review');
    assert.deepEqual(await found('search=harbour'), []);
    await expect(200, `PATCH /api/services/${service['id']}`, {
      key: token,
      body: { description: listing.description, price_type: 'monthly' },
    });
    assert.deepEqual(await found('search=harbour&pricing=subscription'), ['maps-of-old-harbours']);
  });

  await story.test('the owner withdraws and restores the service; a paused agent hides it too', async () => {
    await expect(200, `DELETE /api/services/${service['id']}`, { key: token });
    assert.deepEqual(await found('search=harbour'), []);
    await expect(200, `PATCH /api/services/${service['id']}`, { key: token, body: { active: true } });
    assert.deepEqual(await found('search=harbour'), ['maps-of-old-harbours']);
    await expect(200, `PATCH /api/agents/${agent.id}/active`, { key: token, body: { active: false } });
    assert.deepEqual(await found('search=harbour'), []);
    const own = await expect(200, `GET /api/agents/${agent.id}/services`, { key: token });
    assert.deepEqual([own[0].id, own[0].active], [service['id'], 1]);
  });
});
