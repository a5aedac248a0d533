/** The status table of the specification: one real cause for each status that exists so far. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errorCatalogue, statusOfKind } from '@market/contract';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, agreed, signed, solanaWallet, tokenFor } from '../harness/people.ts';

let market: TestMarket;
let production: TestMarket;
before(async () => {
  market = await openMarket();
  production = await openMarket({ MARKET_PROFILE: 'production', BASE_URL: 'https://api.example.com' });
});
after(() => Promise.all([market.close(), production.close()]));

const rows: readonly { status: number; cause: string; code: string; provoke: () => Promise<Reply>; says?: RegExp }[] = [
  {
    status: 400,
    cause: 'F01: a missing description',
    code: 'invalid_input',
    says: /description must be 10-500 characters/,
    provoke: () => call(market.url, 'POST /api/agents/register', { body: { name: 'Nameless' } }),
  },
  {
    status: 400,
    cause: 'F01: a body that is not JSON',
    code: 'invalid_json',
    provoke: () => call(market.url, 'POST /api/agents/register', { raw: '{' }),
  },
  { status: 401, cause: 'F02: missing credentials', code: 'unauthenticated', provoke: () => call(market.url, 'GET /api/agents/me') },
  {
    status: 401,
    cause: 'a malformed key',
    code: 'invalid_api_key',
    provoke: () => call(market.url, 'GET /api/agents/me', { key: 'market_malformed' }),
  },
  {
    status: 401,
    cause: 'F02: an expired signature',
    code: 'signature_expired',
    provoke: async () => call(market.url, 'PUT /api/profile', { body: await signed(solanaWallet(), Date.now() - 3_600_000) }),
  },
  {
    status: 403,
    cause: 'F04: a write on an agent that is not owned',
    code: 'forbidden',
    provoke: async () => {
      const agent = await registerOwnedAgent(market.url, solanaWallet());
      return await call(market.url, `PATCH /api/agents/${agent.id}`, { body: { ai_models: [], ...(await signed(solanaWallet())) } });
    },
  },
  {
    status: 403,
    cause: 'a wallet the operator banned',
    code: 'banned',
    provoke: async () => {
      const wallet = solanaWallet();
      const key = await tokenFor(market.url, { email: 'ops@example.com', admin: true });
      await call(market.url, 'POST /api/admin/bans', { key, body: { kind: 'wallet', value: wallet.address, reason: 'Stolen pictures.' } });
      return await call(market.url, 'POST /api/agents/register', { body: agentBody(await signed(wallet)) });
    },
  },
  {
    status: 404,
    cause: 'F05: an agent that does not exist',
    code: 'agent_not_found',
    provoke: () => call(market.url, 'GET /api/agents/nobody'),
  },
  { status: 404, cause: 'a route that does not exist', code: 'not_found', provoke: () => call(market.url, 'POST /api/nothing') },
  {
    status: 409,
    cause: 'F06: a duplicate agent',
    code: 'duplicate_agent',
    says: /^duplicate_agent$/,
    provoke: async () => {
      const { name, description } = await registerAgent(market.url);
      return await call(market.url, 'POST /api/agents/register', { body: { name, description } });
    },
  },
  {
    status: 413,
    cause: 'a body over 256 KiB',
    code: 'body_too_large',
    provoke: () => call(market.url, 'POST /api/agents/register', { raw: JSON.stringify({ description: 'x'.repeat(257 * 1024) }) }),
  },
  {
    status: 415,
    cause: 'a form instead of JSON',
    code: 'unsupported_media_type',
    provoke: () =>
      call(market.url, 'POST /api/agents/register', { raw: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  },
  {
    status: 422,
    cause: 'F07: an Idempotency-Key used for something else',
    code: 'idempotency_key_reused',
    provoke: async () => {
      const headers = { 'idempotency-key': 'one-key' };
      await call(market.url, 'POST /api/agents/register', { headers, body: agentBody() });
      return await call(market.url, 'POST /api/agents/register', { headers, body: agentBody() });
    },
  },
  {
    status: 503,
    cause: 'sign-in without an identity provider',
    code: 'idp_not_configured',
    provoke: () => call(production.url, 'POST /api/auth/user', { key: 'some.signed.token' }),
  },
];

for (const { status, cause, code, provoke, says = /./ } of rows) {
  test(`${status}: ${cause}`, async () => {
    const reply = await provoke();
    assert.equal(reply.status, status, JSON.stringify(reply.body));
    assert.deepEqual([reply.body['success'], reply.body['code']], [false, code]);
    assert.match(reply.body['error'], says);
    assert.equal(reply.headers.get('x-request-id'), reply.body['request_id']);
    assert.ok(!('data' in reply.body) || typeof reply.body['data'] === 'object');
  });
}

test('every code of the catalogue is snake_case and has a known HTTP status', () => {
  const known = new Set([400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 414, 415, 416, 422, 429, 431, 500, 502, 503, 504, 507]);
  for (const [code, { kind }] of Object.entries(errorCatalogue)) {
    assert.match(code, /^[a-z0-9_]+$/);
    assert.ok(known.has(statusOfKind[kind]), code);
  }
});

test('an error lists every problem of an input with its field', async () => {
  const reply = await call(market.url, 'POST /api/agents/register', { body: { name: 'x', description: 'y', ai_models: 3, colour: 'red' } });
  const fields = new Set(reply.body['data'].issues.map(({ field }: { field: string }) => field));
  assert.deepEqual(fields, new Set(['name', 'description', 'ai_models', '']));
  for (const part of [/name/, /description/, /ai_models/, /colour/]) assert.match(reply.body['error'], part);
});

describe('production', () => {
  test('production has no sandbox operations: 404', async () => {
    const calls = [
      'GET /sandbox/info',
      'GET /sandbox/clock',
      'POST /sandbox/clock',
      'POST /sandbox/idp/token',
      'GET /sandbox/oidc/jwks',
    ] as const;
    for (const route of calls) {
      const reply = await call(production.url, route, route.startsWith('POST') ? { body: {} } : {});
      assert.deepEqual([reply.status, reply.body['code']], [404, 'not_found'], route);
    }
  });

  test('production serves the market without sign-in: wallets and keys work, a stale token cookie does not block public reads', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(production.url, wallet);
    assert.equal((await call(production.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
    const reply = await call(production.url, 'GET /api/agents', { headers: { cookie: 'idp-token=left.over.cookie' } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  });

  test('production marks session cookies Secure and sends Strict-Transport-Security', async () => {
    const reply = await call(production.url, 'POST /api/auth/session', {
      body: await agreed(production.url, solanaWallet(), { action: 'session' }),
    });
    assert.match(reply.headers.get('set-cookie') ?? '', /; Secure/);
    assert.match(reply.headers.get('strict-transport-security') ?? '', /max-age=/);
  });
});
