/** The documents that machines read before the API are valid for their standards, made from live data, and show public agents only. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { operationsOf } from '@market/contract';
import { z } from 'zod';
import { registerAgent } from '../harness/agents.ts';
import { type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';

const text = z.string().min(1);
const address = z.url({ protocol: /^https?$/ });

/** A2A 1.0 (`specification/a2a.proto`, as JSON): its required fields, and no unknown field. */
const a2aCard = z.strictObject({
  name: text,
  description: text,
  version: text,
  supportedInterfaces: z
    .array(
      z.strictObject({ url: address, protocolBinding: text, protocolVersion: z.string().regex(/^\d+\.\d+$/), tenant: text.optional() }),
    )
    .min(1),
  provider: z.strictObject({ url: address, organization: text }).optional(),
  documentationUrl: address.optional(),
  iconUrl: address.optional(),
  capabilities: z.strictObject({
    streaming: z.boolean().optional(),
    pushNotifications: z.boolean().optional(),
    extensions: z.array(z.looseObject({ uri: text })).optional(),
    extendedAgentCard: z.boolean().optional(),
  }),
  defaultInputModes: z.array(z.string().regex(/^[a-z]+\/[\w.+-]+$/)).min(1),
  defaultOutputModes: z.array(z.string().regex(/^[a-z]+\/[\w.+-]+$/)).min(1),
  skills: z
    .array(
      z.strictObject({
        id: text,
        name: text,
        description: text,
        tags: z.array(text).min(1),
        examples: z.array(text).optional(),
        inputModes: z.array(text).optional(),
        outputModes: z.array(text).optional(),
      }),
    )
    .min(1),
});

/** ERC-8004: the required structure of a registration file. Fields beside `name` and `endpoint` are optional. */
const entries = z.array(z.looseObject({ name: text, endpoint: text, version: text.optional() })).min(1);
const erc8004 = z.looseObject({
  type: z.literal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
  name: text,
  description: text,
  image: address,
  services: entries,
  endpoints: entries,
  registrations: z.array(z.strictObject({ agentId: z.int(), agentRegistry: z.string().regex(/^[a-z0-9]+:\w+:\w+$/) })),
  supportedTrust: z.array(z.enum(['reputation', 'crypto-economic', 'tee-attestation'])).optional(),
  x402Support: z.boolean().optional(),
  active: z.boolean().optional(),
});

suite('front doors for machines', () => {
  let market: TestMarket;
  let provider: Provider;
  let serviceId: string;
  let hidden: readonly string[];
  before(async () => {
    market = await openMarket({ SECURITY_CONTACT: 'https://example.com/report' });
    const { url } = market;
    provider = await openProvider(url);
    serviceId = await listService(url, provider, { title: 'Proofreading <with> care'.replaceAll(/[<>]/g, '') });
    const [idle, flagged, banned] = await Promise.all([openProvider(url), openProvider(url), openProvider(url)]);
    for (const agent of [idle, flagged, banned]) await listService(url, agent);
    await expectCall(url, 200, `PATCH /api/agents/${idle.id}/active`, { headers: idle.headers, body: { active: false } });
    await market.database.pool.query(`update agents set moderation_status = 'spam' where id = $1`, [flagged.id]);
    await market.database.pool.query(`update agents set owner_banned = true where id = $1`, [banned.id]);
    const unowned = await registerAgent(url);
    hidden = [unowned.slug, idle.slug, flagged.slug, banned.slug];
  });
  after(() => market.close());

  const open = async (path: string, headers: Record<string, string> = {}) => await fetch(`${market.url}${path}`, { headers });
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
  const read = async (path: string): Promise<any> => await (await open(path)).json();

  test('the card of the marketplace is valid and names what the operation list offers', async () => {
    const card = a2aCard.parse(await read('/.well-known/agent-card.json'));
    const offered = operationsOf('sandbox').filter(({ spec }) => spec.mcp !== undefined);
    assert.deepEqual(
      card.skills.map(({ id }) => id),
      offered.map(({ name }) => name),
    );
  });

  test('the card of an agent is valid and lists its services', async () => {
    const card = a2aCard.parse(await read(`/api/agents/${provider.slug}/agent-card.json`));
    assert.deepEqual([card.name, card.skills.map(({ id }) => id)], [provider.name, [serviceId]]);
    assert.equal((await open(new URL(card.supportedInterfaces[0]?.url ?? '').pathname)).status, 200);
    const idle = await openProvider(market.url);
    const general = a2aCard.parse(await read(`/api/agents/${idle.slug}/agent-card.json`));
    assert.deepEqual(
      general.skills.map(({ name }) => name),
      [idle.name],
    );
  });

  test('the registration file of an agent is valid, and its addresses answer', async () => {
    const file = erc8004.parse(await read(`/api/agents/${provider.slug}/registration.json`));
    assert.deepEqual([file.name, file.x402Support, file.active, file.registrations], [provider.name, true, true, []]);
    assert.deepEqual(file.services, file.endpoints);
    for (const { endpoint } of file.services) assert.equal((await fetch(endpoint)).status, 200, endpoint);
  });

  test('the sitemap is well-formed, and its pages are open', async () => {
    const answer = await open('/sitemap.xml');
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/xml; charset=utf-8']);
    const xml = await answer.text();
    assert.match(
      xml,
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www.sitemaps.org\/schemas\/sitemap\/0.9">\n(<url><loc>[^<>\s]+<\/loc>(<lastmod>[\d-]{10}T[\d:.]{12}Z<\/lastmod>)?<\/url>\n)+<\/urlset>\n$/,
    );
    const pages = [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, page = '']) => page);
    assert.ok(pages.includes(`${market.url}/agents/${provider.slug}`));
    assert.ok(pages.some((page) => page.startsWith(`${market.url}/agents/${provider.slug}/`)));
    for (const page of pages) assert.equal((await fetch(page)).status, 200, page);
    assert.match(await (await open('/robots.txt')).text(), new RegExp(`^Sitemap: ${market.url}/sitemap.xml$`, 'm'));
  });

  test('skill.md has front matter, and every call it names is served', async () => {
    const answer = await open('/skill.md');
    assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8');
    const skill = await answer.text();
    assert.match(skill, /^---\nname: .+\ndescription: .+\nversion: \d+\.\d+\.\d+\nmetadata: \{.+\}\n---\n/);
    const served = new Set(operationsOf('sandbox').map(({ spec }) => `${spec.rest.method} ${spec.rest.path}`));
    const named = [...skill.matchAll(/`(GET|POST|PATCH|PUT|DELETE) ([^`\s]+)`/g)].map(
      ([, method, path = '']) => `${method} ${path.replace(market.url, '')}`,
    );
    assert.ok(named.length > 60, `${named.length} calls`);
    assert.deepEqual(
      named.filter((call) => !served.has(call)),
      [],
    );
  });

  test('llms.txt counts the services that can be hired', async () => {
    const listed: Envelope[] = (await read('/api/agents?limit=100')).data;
    assert.match(await (await open('/llms.txt')).text(), new RegExp(`Open for hire now: ${listed.length} agents with 1 services`));
  });

  test('agents without an owner, inactive, moderated or banned appear in no document for machines', async () => {
    const everywhere = await Promise.all(
      ['/sitemap.xml', '/llms.txt', '/skill.md', '/.well-known/agent-card.json'].map(async (path) => await (await open(path)).text()),
    );
    for (const slug of hidden) {
      for (const document of everywhere) assert.equal(document.includes(`/agents/${slug}`), false, slug);
      for (const file of ['agent-card.json', 'registration.json']) {
        const answer = await open(`/api/agents/${slug}/${file}`);
        assert.deepEqual([answer.status, ((await answer.json()) as Envelope)['code']], [404, 'agent_not_found'], `${slug} ${file}`);
      }
    }
  });

  test('a document has one address: a query is redirected, so that copies cannot fill the cache', async () => {
    for (const path of ['/sitemap.xml', '/llms.txt', '/skill.md']) {
      const answer = await fetch(`${market.url}${path}?n=1`, { redirect: 'manual' });
      assert.deepEqual([answer.status, answer.headers.get('location')], [301, path]);
      assert.equal((await open(`${path}?n=1`)).status, 200);
    }
  });

  test('documents for machines are cached until what they show changes', async () => {
    for (const path of ['/sitemap.xml', '/llms.txt', '/skill.md', `/api/agents/${provider.slug}/agent-card.json`]) {
      await (await open(path)).text();
      const tag = (await open(path)).headers.get('etag') ?? '';
      assert.match(tag, /^".+"$/, path);
      assert.equal((await open(path, { 'if-none-match': tag })).status, 304, path);
    }
    const before = await (await open('/sitemap.xml')).text();
    const added = await openProvider(market.url);
    const later = await (await open('/sitemap.xml')).text();
    assert.deepEqual([before.includes(added.slug), later.includes(added.slug)], [false, true]);
  });

  test('security.txt has the fields of RFC 9116, with the contact from the settings', async () => {
    const lines = (await (await open('/.well-known/security.txt')).text()).trim().split('\n');
    const fields = new Map(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    assert.equal(fields.get('Contact'), 'https://example.com/report');
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 1 && days < 365, `${days} days`);
  });
});
