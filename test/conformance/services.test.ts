/** Creating, changing and withdrawing a service: every field with its bounds, and permissions. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { createService, serviceBody } from '../harness/services.ts';
import { assertRecord } from './check-record.ts';
import { type FieldRow, specCategories } from './spec-tables.ts';

const SERVICE_ID = /^svc_\d{13}_[a-z0-9]{9}$/;

const serviceTable: readonly FieldRow[] = [
  { field: 'id', type: 'string', pattern: SERVICE_ID },
  { field: 'service_id', type: 'string', pattern: SERVICE_ID },
  { field: 'slug', type: 'string' },
  { field: 'agent_id', type: 'string' },
  { field: 'agent_name', type: 'string' },
  { field: 'agent_slug', type: 'string' },
  { field: 'agent_avatar_url', type: 'string or null' },
  { field: 'category', type: 'string' },
  { field: 'title', type: 'string' },
  { field: 'description', type: 'string' },
  { field: 'price_usd', type: 'string', pattern: /^\d+\.\d{2,6}$/ },
  { field: 'price_type', type: 'string', pattern: /^(fixed|quote|weekly|monthly)$/ },
  { field: 'turnaround_hours', type: 'integer' },
  { field: 'deliverables', type: 'string[]' },
  { field: 'portfolio_post_ids', type: 'string[]' },
  { field: 'demo_url', type: 'string or null' },
  { field: 'active', type: '0 or 1' },
  { field: 'total_orders', type: 'integer' },
  { field: 'completed_orders', type: 'integer' },
  { field: 'verified', type: '0 or 1' },
  { field: 'blue_check', type: '0 or 1' },
  { field: 'is_market_official', type: '0 or 1' },
  { field: 'partner_badge', type: 'string or null' },
  { field: 'payout_chain', type: 'string', pattern: /^(solana|base)$/ },
  { field: 'payout_address_base', type: 'string or null' },
  { field: 'machine_settlement', type: 'string', pattern: /^(instant|on_approval)$/ },
  { field: 'provider_model', type: 'string or null' },
  { field: 'quota_limit', type: 'integer' },
  { field: 'max_revisions', type: 'integer' },
  { field: 'requirement_fields', type: 'object[]' },
  { field: 'brief_placeholder', type: 'string or null' },
  { field: 'review_summary', type: 'string or null' },
  { field: 'moderation_status', type: 'string' },
  { field: 'moderation_reason', type: 'string or null' },
  { field: 'created_at', type: 'time' },
];

let market: TestMarket;
let owner: TestWallet;
let agent: TestAgent;
before(async () => {
  market = await openMarket();
  owner = solanaWallet();
  agent = await registerOwnedAgent(market.url, owner, { ai_models: ['flux-1'] });
});
after(() => market.close());

const post = (body: unknown, options: CallOptions = { key: agent.key }): Promise<Reply> =>
  call(market.url, `POST /api/agents/${agent.id}/services`, { ...options, body });
const patch = (id: string, body: unknown, options: CallOptions = { key: agent.key }): Promise<Reply> =>
  call(market.url, `PATCH /api/services/${id}`, { ...options, body });

describe('creating', () => {
  test('E15: creating a service answers 201 with the whole record and the defaults', async () => {
    const reply = await post(serviceBody({ title: 'Plain defaults please' }));
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const { data } = reply.body;
    assertRecord(data, serviceTable);
    assert.deepEqual(
      Object.keys(data).sort(),
      [...serviceTable.map(({ field }) => field), 'avg_rating', 'moderation', 'reputation_score'].sort(),
    );
    const { price_usd, price_type, turnaround_hours, deliverables, quota_limit, max_revisions, active, avg_rating, slug, moderation } =
      data;
    assert.deepEqual(
      { price_usd, price_type, turnaround_hours, deliverables, quota_limit, max_revisions, active, avg_rating, slug, moderation },
      {
        price_usd: '25.00',
        price_type: 'fixed',
        turnaround_hours: 48,
        deliverables: [],
        quota_limit: 0,
        max_revisions: 3,
        active: 1,
        avg_rating: null,
        slug: 'plain-defaults-please',
        moderation: { status: 'ok', reason: null },
      },
    );
    assert.deepEqual([data.agent_id, data.agent_slug, data.agent_name], [agent.id, agent.slug, agent.name]);
  });

  test('a created service stores every given field', async () => {
    const given = {
      category: 'image_gen',
      title: 'Portraits, drawn twice',
      description: 'Two portraits from one photograph, in the style you name. Colour and ink, ready to print.',
      price_usd: '12.345678',
      price_type: 'monthly',
      turnaround_hours: 8760,
      deliverables: ['Portrait (PNG)', 'Portrait (SVG)'],
      demo_url: 'https://example.com/portraits',
      quota_limit: 100_000,
      max_revisions: 10,
      requirement_fields: [
        { label: 'Style', type: 'select', required: true, options: ['Ink', 'Oil'] },
        { label: 'Photo', type: 'url', required: true, placeholder: 'https://' },
        { label: 'Wishes', type: 'textarea', required: false },
      ],
      provider_model: 'sdxl',
    };
    const { body } = await post(given);
    assert.deepEqual(Object.fromEntries(Object.keys(given).map((name) => [name, body['data'][name]])), given);
    const read = await expectCall(market.url, 200, `GET /api/services/${body['data'].id}`);
    const { moderation: _shown, ...strangersView } = body['data'];
    assert.deepEqual(read, strangersView);
  });

  test('the model of a service is the agent’s model that its title names, unless one is given', async () => {
    const named = await createService(market.url, agent, { title: 'Pictures by Flux-1' });
    const unnamed = await createService(market.url, agent, { title: 'Pictures by hand' });
    assert.deepEqual([named['provider_model'], unnamed['provider_model']], ['flux-1', null]);
  });

  for (const category of specCategories) {
    test(`service category ${category} is accepted; without requirement_fields it adds its default questions`, async () => {
      const { requirement_fields: fields } = await createService(market.url, agent, { category });
      const usual = ['coding', 'seo', 'analytics', 'trading', 'automation', 'consulting'].includes(category);
      if (usual) assert.ok(fields.length >= 3 && fields.length <= 4);
      else assert.equal(fields, null);
      assert.ok(
        (fields ?? []).every(({ required }: { required: boolean }) => !required),
        'questions the seller did not set are optional',
      );
    });
  }

  test('a service with requirement_fields null or empty asks nothing', async () => {
    assert.equal((await createService(market.url, agent, { requirement_fields: null }))['requirement_fields'], null);
    assert.deepEqual((await createService(market.url, agent, { requirement_fields: [] }))['requirement_fields'], []);
  });

  test('equal titles get slugs with -2, -3, also in parallel', async () => {
    const fresh = await registerOwnedAgent(market.url, owner);
    const made = await Promise.all(Array.from({ length: 8 }, () => createService(market.url, fresh, { title: 'Same: title!' })));
    assert.deepEqual(made.map(({ slug }) => slug).sort(), ['same-title', ...[2, 3, 4, 5, 6, 7, 8].map((n) => `same-title-${n}`)]);
    const other = await registerOwnedAgent(market.url, owner);
    assert.equal((await createService(market.url, other, { title: 'Same title' }))['slug'], 'same-title');
  });

  test('the same Idempotency-Key creates one service', async () => {
    const fresh = await registerOwnedAgent(market.url, owner);
    const options = { key: fresh.key, headers: { 'idempotency-key': 'once' } };
    const [first, second] = [await createService(market.url, fresh, {}, options), await createService(market.url, fresh, {}, options)];
    assert.equal(first['id'], second['id']);
    assert.equal((await call(market.url, `GET /api/agents/${fresh.id}/services`)).body['total'], 1);
  });
});

const good: readonly (readonly [string, unknown, unknown])[] = [
  ['title', 'Abcde', 'Abcde'],
  ['title', `Ab ${'x'.repeat(77)}`, `Ab ${'x'.repeat(77)}`],
  ['title', '  Two   spaces  ', 'Two spaces'],
  ['title', `AB .,:;()&+'"/#!?_-`, `AB .,:;()&+'"/#!?_-`],
  ['title', 'Contest entries, protested', 'Contest entries, protested'],
  ['description', 'd'.repeat(40), 'd'.repeat(40)],
  ['description', 'd'.repeat(1000), 'd'.repeat(1000)],
  ['turnaround_hours', 0, 48],
  ['turnaround_hours', 1, 1],
  ['max_revisions', 0, 0],
  ['deliverables', Array(20).fill('x'.repeat(200)), Array(20).fill('x'.repeat(200))],
  ['demo_url', null, null],
];

for (const [field, value, kept] of good) {
  test(`a service with ${field} ${JSON.stringify(value).slice(0, 60)} is accepted`, async () => {
    const reply = await post(serviceBody({ [field]: value }));
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    assert.deepEqual(reply.body['data'][field], kept);
  });
}

const select = { label: 'Size', type: 'select', options: ['S', 'M'] };
const bad: readonly (readonly [string, unknown])[] = [
  ['category', 'cooking'],
  ['category', undefined],
  ['title', undefined],
  ['title', 'Abcd'],
  ['title', `Ab ${'x'.repeat(78)}`],
  ['title', '12345'],
  ['title', '-Dash first'],
  ['title', 'Émile draws'],
  ['title', 'Emoji 😀 work'],
  ['title', 'Angle <b> bracket'],
  ['title', 17],
  ['description', undefined],
  ['description', 'd'.repeat(39)],
  ['description', 'd'.repeat(1001)],
  ['description', ` ${' '.repeat(60)} `],
  ['price_usd', undefined],
  ['price_usd', null],
  ['price_type', 'hourly'],
  ['turnaround_hours', -1],
  ['turnaround_hours', 8761],
  ['turnaround_hours', 1.5],
  ['turnaround_hours', '48'],
  ['deliverables', 'one'],
  ['deliverables', Array(21).fill('x')],
  ['deliverables', ['']],
  ['deliverables', ['x'.repeat(201)]],
  ['demo_url', 'javascript:alert(1)'],
  ['demo_url', 'example.com'],
  ['quota_limit', -1],
  ['quota_limit', 100_001],
  ['max_revisions', 11],
  ['max_revisions', -1],
  ['requirement_fields', {}],
  ['requirement_fields', Array.from({ length: 21 }, (_, n) => ({ label: `Q${n}`, type: 'text' }))],
  ['requirement_fields', [{ label: '', type: 'text' }]],
  ['requirement_fields', [{ label: 'x'.repeat(81), type: 'text' }]],
  ['requirement_fields', [{ label: 'Q', type: 'date' }]],
  ['requirement_fields', [{ label: 'Q', type: 'text', required: 'yes' }]],
  ['requirement_fields', [{ label: 'Q', type: 'text', mandatory: true }]],
  ['requirement_fields', [{ label: 'Q', type: 'text', options: ['a'] }]],
  ['requirement_fields', [{ label: 'Q', type: 'select' }]],
  ['requirement_fields', [{ ...select, options: [] }]],
  ['requirement_fields', [{ ...select, options: Array.from({ length: 51 }, (_, n) => `o${n}`) }]],
  ['requirement_fields', [{ ...select, options: ['S', 's'] }]],
  ['requirement_fields', [select, { label: 'size', type: 'text' }]],
  ['system_prompt', 'You are'],
];

describe('a value refused when creating is refused when changing, and changes nothing', () => {
  let service: Envelope;
  before(async () => {
    service = await createService(market.url, agent);
  });
  for (const [field, value] of bad) {
    test(`a service with ${field} ${JSON.stringify(value)?.slice(0, 70)} is 400`, async () => {
      const { [field]: _left, ...rest } = serviceBody();
      const created = await post(value === undefined ? rest : { ...rest, [field]: value });
      assert.deepEqual([created.status, created.body['code']], [400, 'invalid_input'], JSON.stringify(created.body));
      if (value === undefined) return;
      assert.equal((await patch(service['id'], { [field]: value })).status, 400);
      assert.deepEqual((await patch(service['id'], {})).body['data'], service);
    });
  }
});

for (const word of ['Test', 'testing', 'SPAM', 'hacker', 'Official', 'support', 'airdrop', 'drainer']) {
  test(`a service title with the word ${word} is 400 title_not_allowed`, async () => {
    for (const title of [`${word} of things`, `Things, ${word}.`, `My "${word}" thing`, `a_${word}`]) {
      const reply = await post(serviceBody({ title }));
      assert.deepEqual([reply.status, reply.body['code']], [400, 'title_not_allowed'], title);
      assert.match(reply.body['error'], new RegExp(word));
    }
  });
}

describe('permissions to create and change', () => {
  let theirs: TestAgent;
  let token: string;
  let byAccount: TestAgent;
  before(async () => {
    theirs = await registerOwnedAgent(market.url, baseWallet());
    token = await tokenFor(market.url, { email: 'provider@example.com' });
    byAccount = await registerAgent(market.url, {}, { key: token });
  });

  test('the owner by wallet in headers or query, the owner by account, and the agent by its key create and change services', async () => {
    const headers = asHeaders(await signed(owner));
    const made = [
      await createService(market.url, agent, {}, { headers }),
      await createService(market.url, agent, await signed(owner), {}),
      await createService(market.url, byAccount, {}, { key: token }),
      await createService(market.url, byAccount),
    ];
    assert.equal((await patch(made[0]?.['id'], { max_revisions: 1 }, { headers })).status, 200);
    assert.equal((await patch(made[2]?.['id'], { max_revisions: 1 }, { key: token })).status, 200);
    await expectCall(market.url, 200, `DELETE /api/services/${made[0]?.['id']}`, { headers });
    await expectCall(market.url, 200, `DELETE /api/services/${made[2]?.['id']}`, { key: token });
  });

  test('creating or changing a service is 401 without credentials, 403 for any other caller; nothing changes', async () => {
    const service = await createService(market.url, agent);
    const strangers: readonly (readonly [number, CallOptions])[] = [
      [401, {}],
      [401, { key: 'market_000000000000000000000000000000000000000000000000' }],
      [403, { key: theirs.key }],
      [403, { key: token }],
      [403, { headers: asHeaders(await signed(baseWallet())) }],
    ];
    for (const [status, options] of strangers) {
      await expectCall(market.url, status, `POST /api/agents/${agent.id}/services`, { ...options, body: serviceBody() });
      await expectCall(market.url, status, `PATCH /api/services/${service['id']}`, { ...options, body: { max_revisions: 0 } });
      await expectCall(market.url, status, `DELETE /api/services/${service['id']}`, options);
    }
    assert.deepEqual((await patch(service['id'], {})).body['data'], service);
  });

  test('creating or changing a service of an unknown agent, or an unknown service, is 404', async () => {
    for (const id of ['nobody', 'ext_1700000000000_aaaaaaaaa'])
      assert.equal(
        (await expectCall(market.url, 404, `POST /api/agents/${id}/services`, { key: agent.key, body: serviceBody() }))['code'],
        'agent_not_found',
      );
    for (const id of ['svc_1700000000000_aaaaaaaaa', 'x', '%27'])
      for (const route of [`GET /api/services/${id}`, `PATCH /api/services/${id}`, `DELETE /api/services/${id}`] as const) {
        const body = route.startsWith('PATCH') ? { body: {} } : {};
        assert.equal((await expectCall(market.url, 404, route, { key: agent.key, ...body }))['code'], 'service_not_found');
      }
  });
});

describe('changing', () => {
  test('E16: PATCH of a service changes exactly the given fields; the slug stays', async () => {
    const service = await createService(market.url, agent, { title: 'Before the change', demo_url: 'https://example.com' });
    const edit = {
      title: 'After the change',
      category: 'seo',
      demo_url: null,
      requirement_fields: [{ label: 'Why', type: 'text', required: true }],
    };
    const { body } = await patch(service['id'], edit);
    assert.equal(body['data'].slug, 'before-the-change');
    assert.deepEqual(body['data'], { ...service, ...edit });
  });

  test('E16: DELETE of a service answers active 0, also when repeated; PATCH active true restores the service', async () => {
    const service = await createService(market.url, agent);
    for (let time = 0; time < 2; time++)
      assert.deepEqual(await expectCall(market.url, 200, `DELETE /api/services/${service['id']}`, { key: agent.key }), {
        id: service['id'],
        active: 0,
      });
    await expectCall(market.url, 404, `GET /api/services/${service['id']}`);
    const own = await expectCall(market.url, 200, `GET /api/services/${service['id']}`, { key: agent.key });
    assert.equal(own['active'], 0);
    assert.equal((await patch(service['id'], { active: true })).body['data'].active, 1);
    await expectCall(market.url, 200, `GET /api/services/${service['id']}`);
  });

  test('each change of a service makes one event, a repeated DELETE none', async () => {
    const service = await createService(market.url, agent);
    await patch(service['id'], { max_revisions: 1 });
    await patch(service['id'], {});
    for (let time = 0; time < 2; time++) await call(market.url, `DELETE /api/services/${service['id']}`, { key: agent.key });
    await patch(service['id'], { active: true });
    await patch(service['id'], { active: false });
    const { rows } = await market.database.pool.query('select type, data from events where subject_id = $1 order by id', [service['id']]);
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['service.created', 'service.updated', 'service.deactivated', 'service.updated', 'service.updated', 'service.deactivated'],
    );
    assert.ok(rows.every(({ data }) => data.agent_id === agent.id));
  });

  test('a forbidden claim hides the service and gives the owner the reason; corrected text restores it, except from spam', async () => {
    const claim = 'Guaranteed profit for everybody who lets this program trade for them, every single day.';
    const service = await createService(market.url, agent, { description: claim });
    assert.equal(service['moderation'].status, 'review');
    assert.match(service['moderation'].reason, /scam/);
    await expectCall(market.url, 404, `GET /api/services/${service['id']}`);
    const mended = (await patch(service['id'], { description: serviceBody()['description'] })).body['data'];
    assert.deepEqual(mended.moderation, { status: 'ok', reason: null });
    await expectCall(market.url, 200, `GET /api/services/${service['id']}`);
    await market.database.pool.query(`update services set moderation_status = 'spam', moderation_reason = 'gibberish' where id = $1`, [
      service['id'],
    ]);
    const edited = (await patch(service['id'], { description: `${serviceBody()['description']} Again.` })).body['data'];
    assert.equal(edited.moderation.status, 'spam');
  });

  test('two parallel changes of a service are both stored', async () => {
    const service = await createService(market.url, agent);
    await Promise.all([patch(service['id'], { max_revisions: 7 }), patch(service['id'], { quota_limit: 7 })]);
    const { max_revisions, quota_limit } = (await patch(service['id'], {})).body['data'];
    assert.deepEqual([max_revisions, quota_limit], [7, 7]);
  });
});

test('an agent has at most 500 services', async () => {
  const fresh = await registerOwnedAgent(market.url, owner);
  await market.database.pool.query(
    `insert into services (id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours)
     select 'svc_1700000000000_' || lpad(n::text, 9, '0'), $1, 's' || n, 'coding', 'Many of them', 'x', 1000000, 'fixed', 1 from generate_series(1, 499) n`,
    [fresh.id],
  );
  await createService(market.url, fresh);
  const reply = await call(market.url, `POST /api/agents/${fresh.id}/services`, { key: fresh.key, body: serviceBody() });
  assert.deepEqual([reply.status, reply.body['code']], [400, 'too_many_services']);
});
