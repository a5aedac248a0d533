/** Bypassing rate limits with many identities, and using recovery as an oracle. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimitTable } from '@market/contract';
import { registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call } from '../harness/http.ts';
import { openMarket, type Settings, type TestMarket } from '../harness/market.ts';
import { callTool, connectMcp } from '../harness/mcp.ts';
import { agentBody, signed, solanaWallet } from '../harness/people.ts';

const LIMIT = rateLimitTable.registerAgent.requests;

async function withMarket(settings: Settings, work: (market: TestMarket) => Promise<void>): Promise<void> {
  const market = await openMarket({ RATE_LIMIT_SCALE: '1', ...settings });
  try {
    await work(market);
  } finally {
    await market.close();
  }
}

const register = (market: TestMarket, options: CallOptions = {}) =>
  call(market.url, 'POST /api/agents/register', { body: agentBody(), ...options });

test('A17: no header, spelling or malformed request bypasses a client’s rate limit', async () => {
  await withMarket({}, async (market) => {
    const disguises: readonly Record<string, string>[] = [
      { 'x-forwarded-for': '203.0.113.1' },
      { 'x-forwarded-for': '203.0.113.2, 203.0.113.3' },
      { 'x-real-ip': '203.0.113.4' },
      { forwarded: 'for=203.0.113.5' },
      { 'cf-connecting-ip': '203.0.113.6', 'true-client-ip': '203.0.113.7', 'x-client-ip': '203.0.113.8' },
    ];
    for (const [used, headers] of disguises.entries()) {
      const reply = await register(market, { headers });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      assert.equal(reply.headers.get('x-ratelimit-limit'), String(LIMIT));
      assert.equal(reply.headers.get('x-ratelimit-remaining'), String(LIMIT - used - 1));
    }
    for (const headers of [{ 'x-forwarded-for': '203.0.113.9' }, { authorization: `Bearer market_${'0'.repeat(48)}` }]) {
      const reply = await register(market, { headers });
      assert.deepEqual([reply.status, reply.body['code']], [429, 'too_many_requests']);
      assert.equal(reply.headers.get('x-ratelimit-remaining'), '0');
      const wait = Number(reply.headers.get('retry-after'));
      assert.ok(wait > 3590 && wait <= 3600, `Retry-After ${wait}`);
    }
    for (const route of ['POST /api/agents/register/', 'POST /api/agents/%72egister', 'POST /api/agents/register?pay=x402'] as const) {
      assert.equal((await call(market.url, route, { body: agentBody() })).status, 429, route);
    }
  });
});

test('A17: a registration over MCP counts against the client address, so that a new key brings no new registrations', async () => {
  await withMarket({}, async (market) => {
    let { api_key: key } = (await register(market)).body['data'];
    const tool = async () => {
      const client = await connectMcp(market.url, key);
      const { name, description } = agentBody();
      const { structuredContent } = await callTool(client, 'register_agent', { name, description });
      await client.close();
      return structuredContent;
    };
    for (let used = 1; used < LIMIT; used += 1) ({ api_key: key } = (await tool())['data']);
    assert.deepEqual([(await tool())['code'], (await register(market)).status], ['too_many_requests', 429]);
    assert.equal((await register(market, { headers: { authorization: `Bearer ${key}` } })).status, 429, 'over REST with the key');
  });
});

test('A17: refused registrations count toward the rate limit', async () => {
  await withMarket({}, async (market) => {
    for (let n = 0; n < LIMIT; n += 1) assert.equal((await register(market, { body: { name: 'x' } })).status, 400);
    assert.equal((await register(market)).status, 429);
  });
});

test('A17: every endpoint has its own rate limit counter, and its window ends when announced', async () => {
  await withMarket({}, async (market) => {
    for (let n = 0; n < LIMIT; n += 1) await register(market);
    const limited = await register(market);
    assert.equal(limited.status, 429);
    assert.equal((await call(market.url, 'GET /api/auth/check-username?u=ines')).status, 200);
    assert.equal((await call(market.url, 'GET /api/agents')).status, 200);
    await call(market.url, 'POST /sandbox/clock', { body: { advance_seconds: 3599 - 30 } });
    assert.equal((await register(market)).status, 429);
    await call(market.url, 'POST /sandbox/clock', { body: { advance_seconds: 31 } });
    const reopened = await register(market);
    assert.deepEqual([reopened.status, reopened.headers.get('x-ratelimit-remaining')], [201, String(LIMIT - 1)]);
  });
});

test('A17: behind a trusted proxy the address seen by the proxy counts, and an IPv6 /64 is one client', async () => {
  await withMarket({ TRUSTED_PROXIES: 'loopback' }, async (market) => {
    const from = async (forwarded: string) => (await register(market, { headers: { 'x-forwarded-for': forwarded } })).status;
    for (let n = 0; n < LIMIT; n += 1) assert.equal(await from(`2001:470:1:1::${n + 1}`), 201);
    assert.equal(await from('2001:470:1:1:ffff:ffff:ffff:ffff'), 429, 'another address of the same /64');
    assert.equal(await from('2001:0470:0001:0001::1'), 429, 'another spelling of the same network');
    assert.equal(await from('2001:470:1:2::1'), 201, 'another network');
    for (let n = 0; n < LIMIT; n += 1) assert.equal(await from(`198.51.100.${n}, 192.0.2.7`), 201, 'what the client claims is left out');
    assert.equal(await from('203.0.113.77, 192.0.2.7'), 429);
    assert.equal(await from('::ffff:192.0.2.7'), 429, 'the same address in IPv6 dress');
  });
});

test('A21: recovery does not reveal which wallets own agents, and is rate limited', async () => {
  await withMarket({}, async (market) => {
    const owner = solanaWallet();
    const { name } = await registerOwnedAgent(market.url, owner);
    const stranger = solanaWallet();
    const recover = async (body: Record<string, unknown>) => {
      const reply = await call(market.url, 'POST /api/agents/recover', { body });
      const { request_id: _, ...answer } = reply.body;
      return { status: reply.status, answer };
    };
    const unsigned = await recover({ owner_wallet: owner.address });
    assert.equal(unsigned.status, 401);
    assert.deepEqual(await recover({ owner_wallet: stranger.address }), unsigned);
    const forged = { ...(await signed(stranger)), wallet: owner.address };
    const mismatched = { ...(await signed(stranger)), wallet: solanaWallet().address };
    assert.deepEqual(await recover(forged), await recover(mismatched));
    const nothing = await recover({ ...(await signed(stranger)) });
    assert.equal(nothing.status, 404);
    assert.deepEqual(await recover({ ...(await signed(stranger, Date.now() - 10)), agent_name: name }), nothing);
    assert.deepEqual(await recover({ ...(await signed(owner)), agent_name: 'Nobody At All' }), nothing);
    for (let n = 0; n < 3; n += 1) await recover({});
    assert.equal((await recover({ ...(await signed(owner, Date.now() - 20)) })).status, 429);
  });
});
