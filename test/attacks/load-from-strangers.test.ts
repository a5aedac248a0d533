/** Load that costs a stranger nothing: pages under always new addresses, and new clients by ports and networks. Each worked once. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rateLimitTable } from '@market/contract';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, baseWallet, openSession } from '../harness/people.ts';
import { sendRaw } from '../harness/raw-http.ts';

describe('load on pages', () => {
  const PAGES = 12;
  const SITE_TIMES = 3;
  let market: TestMarket;
  before(async () => {
    market = await openMarket({
      RATE_LIMIT_SCALE: '1',
      PAGES_PER_MINUTE: String(PAGES),
      IPV6_SITE_TIMES: String(SITE_TIMES),
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  after(() => market.close());

  const open = async (path: string, client: string, headers: Record<string, string> = {}): Promise<Response> =>
    await fetch(market.url + path, { redirect: 'manual', headers: { accept: 'text/html', 'x-forwarded-for': client, ...headers } });
  const statuses = async (paths: readonly string[], client: string | ((index: number) => string)): Promise<number[]> => {
    const found: number[] = [];
    for (const [index, path] of paths.entries()) {
      const answer = await open(path, typeof client === 'string' ? client : client(index));
      await answer.arrayBuffer();
      found.push(answer.status);
    }
    return found;
  };
  const many = (count: number, path: (index: number) => string) => Array.from({ length: count }, (_, index) => path(index));
  const passed = (found: readonly number[]) => found.filter((status) => status !== 429).length;

  test('Y11: a page is cached once, whatever unknown fields are in its query, and shows none of them', async () => {
    const made = async (): Promise<number> => {
      const text = await (await fetch(`${market.url}/metrics`)).text();
      return Number(/^market_ready_requests_total\{outcome="made"\} (\d+)/m.exec(text)?.[1]);
    };
    const first = await (await open('/explorer', '203.0.113.1')).text();
    const before = await made();
    for (let index = 0; index < 5; index++) {
      const page = await open(`/explorer?x=${index}&utm_source=marker`, `203.0.113.${index + 2}`);
      assert.equal(page.status, 200);
      const html = await page.text();
      assert.doesNotMatch(html, /marker/);
      assert.equal(html.length, first.length);
    }
    // The page may be rendered again once a second, for all readers together.
    assert.ok((await made()) - before <= 60, `made ${(await made()) - before} parts`);
    assert.match(await (await open('/browse?search=zebra&x=1', '203.0.113.9')).text(), /zebra/);
  });

  test('Y11: beyond the limit a client address gets a readable page with Retry-After, and others continue', async () => {
    const client = '198.51.100.1';
    const found = await statuses(
      many(PAGES + 5, (index) => `/explorer?cursor=${index}`),
      client,
    );
    assert.equal(passed(found), PAGES);
    const refused = await open('/', client);
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(refused.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, `Retry-After ${wait}`);
    assert.deepEqual([refused.headers.get('x-ratelimit-limit'), refused.headers.get('x-ratelimit-remaining')], [String(PAGES), '0']);
    assert.match(await refused.text(), new RegExp(`more than ${PAGES} pages within a minute\\. Wait ${wait} seconds`));
    const program = await open('/', client, { accept: 'application/json' });
    assert.equal(program.status, 429);
    assert.equal(((await program.json()) as { code: string }).code, 'too_many_requests');
    assert.equal((await open('/', '198.51.100.2')).status, 200);
    assert.equal(
      (await call(market.url, 'GET /api/agents', { headers: { 'x-forwarded-for': client } })).status,
      200,
      'the API has its own limits',
    );
  });

  test('Y11: pages that do not exist and pages of signed-in people count against the limit, too', async () => {
    assert.equal(
      passed(
        await statuses(
          many(PAGES + 5, (index) => (index % 2 === 0 ? `/nowhere/${index}` : `/agents/nobody-${index}`)),
          '198.51.100.3',
        ),
      ),
      PAGES,
    );
    const cookie = await openSession(market.url, baseWallet());
    const found = await Promise.all(
      many(PAGES + 5, () => '/orders').map(async (path) => (await open(path, '198.51.100.4', { cookie })).status),
    );
    assert.equal(passed(found), PAGES);
  });

  test('Y11: files of the site never count against the limit of pages, and a cached page counts a fiftieth', async () => {
    const client = '198.51.100.5';
    const html = await (await open('/docs', client)).text();
    const [file] = /\/assets\/[^"]+\.js/.exec(html) ?? [];
    assert.equal(
      passed(
        await statuses(
          many(PAGES * 60, () => String(file)),
          client,
        ),
      ),
      PAGES * 60,
    );
    const kept = await statuses(
      many(PAGES * 3, () => '/docs'),
      client,
    );
    assert.equal(passed(kept), PAGES * 3);
  });

  test('Y11: the OpenAPI document is sent compressed, with one tag per encoding, and as 304 to clients that have it', async () => {
    const get = async (accepted: string, tag?: string) =>
      await sendRaw(market.url, {
        method: 'GET',
        path: '/api/openapi.json',
        headers: [['Accept-Encoding', accepted], ...(tag === undefined ? [] : [['If-None-Match', tag] as [string, string]])],
      });
    const plain = Number((await get('identity')).headers.get('content-length'));
    for (const encoding of ['br', 'gzip']) {
      const answer = await get(encoding);
      assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, encoding]);
      assert.ok(Number(answer.headers.get('content-length')) < plain / 8, `${answer.headers.get('content-length')} of ${plain}`);
      assert.equal((await get(encoding, answer.headers.get('etag') ?? '')).status, 304);
    }
  });

  test('Y11, Y17: the networks of one IPv6 /48 share a larger limit of pages', async () => {
    const found = await statuses(
      many(PAGES * SITE_TIMES + 20, (index) => `/explorer?cursor=${index}`),
      (index) => `[2001:db8:1:${index.toString(16)}::1]:${4000 + index}`,
    );
    assert.equal(passed(found), PAGES * SITE_TIMES);
  });
});

describe('limits behind a proxy', () => {
  const LIMIT = rateLimitTable.registerAgent.requests;
  const SITE_TIMES = 2;
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ RATE_LIMIT_SCALE: '1', TRUSTED_PROXIES: '127.0.0.1', IPV6_SITE_TIMES: String(SITE_TIMES) });
  });
  after(() => market.close());

  const registered = async (clients: readonly string[]): Promise<number> => {
    let count = 0;
    for (const client of clients) {
      const reply = await call(market.url, 'POST /api/agents/register', { body: agentBody(), headers: { 'x-forwarded-for': client } });
      if (reply.status === 201) count += 1;
      else assert.equal(reply.status, 429);
    }
    return count;
  };
  const several = (count: number, client: (index: number) => string) => Array.from({ length: count }, (_, index) => client(index));

  test('Y17: behind a proxy a new port is no new client, for IPv4, IPv6 and IPv4 inside IPv6', async () => {
    const spellings = ['203.0.113.5', '203.0.113.5:1', '[::ffff:203.0.113.5]:2', '::ffff:cb00:7105'];
    assert.equal(
      await registered(several(LIMIT + 4, (index) => (index < 4 ? String(spellings[index]) : `203.0.113.5:${5000 + index}`))),
      LIMIT,
    );
    assert.equal(await registered(several(LIMIT + 4, (index) => `[2001:db8:9:9::${index + 1}]:${5000 + index}`)), LIMIT);
  });

  test('Y17: a client that hops between the networks of its /48 is limited; another /48 is not affected', async () => {
    assert.equal(await registered(several(LIMIT * SITE_TIMES + 4, (index) => `2001:db8:8:${index + 1}::1`)), LIMIT * SITE_TIMES);
    assert.equal(await registered(['2001:db8:7::1']), 1);
  });

  test('Y17: garbage in the forwarding header counts as the proxy', async () => {
    assert.equal(await registered(several(LIMIT + 4, (index) => `not-an-address-${index}`)), LIMIT);
  });

  test('Y17: cached answers count against the same client', async () => {
    const left = async (client: string): Promise<number> => {
      const answer = await sendRaw(market.url, { method: 'GET', path: '/api/stats/held', headers: [['X-Forwarded-For', client]] });
      return Number(answer.headers.get('x-ratelimit-remaining'));
    };
    const found = [await left('203.0.113.77:1'), await left('203.0.113.77:2'), await left('[::ffff:203.0.113.77]:3')];
    assert.deepEqual(found, [119, 118, 117]);
  });
});
