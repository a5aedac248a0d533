/** How rate limits identify clients: per endpoint, across processes, and by forwarded address only behind a trusted proxy. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type SharedMarket, startServers, type TestMarket } from '../harness/market.ts';
import { agentBody, signed, solanaWallet } from '../harness/people.ts';

const register = (url: string, headers: Record<string, string> = {}, body: object = agentBody()): Promise<Reply> =>
  call(url, 'POST /api/agents/register', { body, headers });

describe('one counter per endpoint', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ RATE_LIMIT_SCALE: '1' });
  });
  after(() => market.close());

  test('other calls do not use the budget of registration, and registration does not use theirs', async () => {
    const agent = await registerAgent(market.url);
    for (let i = 0; i < 12; i++) {
      await call(market.url, 'GET /api/agents');
      await call(market.url, 'GET /api/agents/me', { key: agent.key });
      await call(market.url, 'PUT /api/profile', { body: await signed(solanaWallet()) });
    }
    for (let i = 0; i < 4; i++) assert.equal((await register(market.url)).status, 201);
    assert.equal((await register(market.url)).status, 429);
    const profile = await call(market.url, 'PUT /api/profile', { body: await signed(solanaWallet()) });
    assert.deepEqual([profile.status, profile.headers.get('x-ratelimit-remaining')], [200, '47']);
    assert.equal((await call(market.url, 'POST /api/agents/recover', { body: {} })).status, 401);
  });

  test('a call without a limit has no rate limit headers', async () => {
    const reply = await call(market.url, 'GET /api/agents');
    assert.equal(reply.headers.get('x-ratelimit-limit'), null);
  });

  test('refused requests count against a rate limit too: 10 recoveries an hour', async () => {
    const outcomes = [];
    for (let i = 0; i < 12; i++) outcomes.push((await call(market.url, 'POST /api/agents/recover', { body: {} })).status);
    // An earlier test made the first of the ten.
    assert.deepEqual(outcomes, [...Array<number>(9).fill(401), 429, 429, 429]);
  });
});

describe('behind a trusted proxy', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ RATE_LIMIT_SCALE: '1', TRUSTED_PROXIES: '127.0.0.1' });
  });
  after(() => market.close());

  test('behind a trusted proxy every client address has its own budget', async () => {
    for (const address of ['203.0.113.1', '203.0.113.2']) {
      const headers = { 'x-forwarded-for': address };
      for (let i = 0; i < 5; i++) assert.equal((await register(market.url, headers)).status, 201);
      assert.equal((await register(market.url, headers)).status, 429);
    }
  });

  test('behind a trusted proxy the address the proxy saw counts; addresses the client put in front of it do not', async () => {
    const spoofed = (i: number) => ({ 'x-forwarded-for': `198.51.100.${i}, 203.0.113.3` });
    for (let i = 0; i < 5; i++) assert.equal((await register(market.url, spoofed(i))).status, 201);
    assert.equal((await register(market.url, spoofed(99))).status, 429);
  });

  test('IPv6 clients of one /64 share a rate limit budget, another /64 has its own', async () => {
    for (let i = 0; i < 5; i++) assert.equal((await register(market.url, { 'x-forwarded-for': `2001:db8:1:2::${i + 1}` })).status, 201);
    assert.equal((await register(market.url, { 'x-forwarded-for': '2001:db8:1:2:ffff::1' })).status, 429);
    assert.equal((await register(market.url, { 'x-forwarded-for': '2001:db8:1:3::1' })).status, 201);
  });
});

describe('several processes', () => {
  let shared: SharedMarket;
  before(async () => {
    shared = await startServers(2, { RATE_LIMIT_SCALE: '1' });
  });
  after(() => shared.close());

  test('rate limits count across processes: of sixteen registrations at once on two servers exactly five pass', async () => {
    const urls = shared.servers.map(({ url }) => url);
    const replies = await Promise.all(Array.from({ length: 16 }, (_, i) => register(urls[i % 2] ?? '')));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array<number>(5).fill(201), ...Array<number>(11).fill(429)]);
  });
});
