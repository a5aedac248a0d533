/** Administrator operations, taken from the contract: every credential that is not an administrator's is refused. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NamedOperation, operationList } from '@market/contract';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { registerAgent } from '../harness/agents.ts';
import { fingerprintTables } from '../harness/all-rows.ts';
import { call, type Reply } from '../harness/http.ts';
import { MASTER_KEY, openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, openSession, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

const forAdministrators = operationList.filter(({ spec: { access } }) =>
  access.accepts.every((kind) => kind === 'admin' || kind === 'admin_key'),
);
/** Administrator operations outside /api/admin, as the contract has them. */
const elsewhereByContract = [
  'DELETE /api/agents/{id}/token',
  'GET /api/fees/balance',
  'GET /api/fees/history',
  'GET /api/fees/payouts',
  'GET /api/fees/sweeps',
  'GET /api/metrics/earn-activity',
  'POST /api/fees/assign',
  'POST /api/fees/collect',
  'POST /api/fees/payout',
];

type Headers = Record<string, string>;

const ADMIN_KEY = `admin_${'k3v9x1q7'.repeat(4)}`;

describe('administrator operations', () => {
  let market: TestMarket;
  let orderId: string;
  let others: Record<string, Headers>;

  before(async () => {
    market = await openMarket({ JOBS: 'off', ADMIN_EMAILS: 'boss@example.com', ADMIN_API_KEY: ADMIN_KEY });
    others = await gatherOthers();
  });
  after(() => market.close());

  async function gatherOthers(): Promise<Record<string, Headers>> {
    const { url } = market;
    const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
    const [provider, buyer] = [await openProvider(url), solanaWallet()];
    orderId = await placeOrder(url, await listService(url, provider), buyer);
    const session = await openSession(url, buyer);
    const person = await tokenFor(url, { email: 'person@example.com', name: 'boss@example.com' });
    const lookalike = await tokenFor(url, { email: 'boss@example.com.evil.example' });
    return {
      'the key of an agent without owner': bearer((await registerAgent(url)).key),
      'the key of an owned agent, party to the order': provider.headers,
      'the wallet that owns it': asHeaders(await signed(provider.owner)),
      'a Solana wallet, party to the order': asHeaders(await signed(buyer)),
      'a wallet nobody knows': asHeaders(await signed(baseWallet())),
      'a session': { cookie: session },
      'an account': bearer(person),
      'an account in a cookie': { cookie: `idp-token=${person}` },
      'an account whose e-mail only begins like an administrator’s': bearer(lookalike),
      'an account and a wallet': { ...bearer(person), ...asHeaders(await signed(buyer)) },
      'an order token': bearer(await giveOrderToken()),
    };
  }

  /** An order token as a machine gets one by hiring; inserted here, so that this file needs no chains. */
  async function giveOrderToken(): Promise<string> {
    const token = `order_${'5c'.repeat(24)}`;
    const [hash] = createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] }).lookupHashes(token);
    await market.database.pool.query(
      `insert into order_tokens (order_id, token_hash, expires_at) values ($1, $2, market_now() + interval '1 day')`,
      [orderId, hash],
    );
    return token;
  }

  async function ask({ spec }: NamedOperation, headers: Headers): Promise<Reply> {
    const { method, path } = spec.rest;
    const example: Record<string, unknown> = { ...spec.examples[0]?.input, id: orderId };
    const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(example[name])));
    const fields = Object.keys(spec.input?.body?.shape ?? {}).filter((name) => name in example);
    const body = Object.fromEntries(fields.map((name) => [name, example[name]]));
    return await call(market.url, `${method} ${filled as `/${string}`}`, { headers, ...(!['GET', 'DELETE'].includes(method) && { body }) });
  }

  test('A04: every operation for administrators is under /api/admin, and nothing else is', () => {
    assert.ok(forAdministrators.length >= 14, String(forAdministrators.length));
    const elsewhere = operationList.filter(
      (operation) => operation.spec.rest.path.startsWith('/api/admin') && !forAdministrators.includes(operation),
    );
    assert.deepEqual(elsewhere, []);
    const outside = forAdministrators.filter(({ spec }) => !spec.rest.path.startsWith('/api/admin/'));
    assert.deepEqual(outside.map(({ spec }) => `${spec.rest.method} ${spec.rest.path}`).sort(), elsewhereByContract);
  });

  for (const operation of forAdministrators) {
    test(`A04: ${operation.name} answers 401 without credentials, 403 with any credential but an administrator’s, and changes nothing`, async () => {
      const before = await fingerprintTables(market);
      assert.equal((await ask(operation, {})).status, 401);
      for (const [who, headers] of Object.entries(others)) {
        const reply = await ask(operation, headers);
        assert.deepEqual([reply.status, reply.body['code']], [403, 'wrong_credential'], `${who}: ${JSON.stringify(reply.body)}`);
        assert.deepEqual(faultsOfRefusal(reply), [], who);
      }
      assert.deepEqual(await fingerprintTables(market), before);
    });
  }

  test('A04: the operators’ key is accepted only where an operation names it, a wrong one nowhere', async () => {
    for (const operation of forAdministrators) {
      const { status, body } = await ask(operation, { authorization: `Bearer ${ADMIN_KEY}` });
      if (operation.spec.access.accepts.includes('admin_key')) assert.ok(![401, 403].includes(status), `${operation.name}: ${status}`);
      else assert.deepEqual([status, body['code']], [403, 'wrong_credential'], operation.name);
      const wrong = await ask(operation, { authorization: `Bearer ${ADMIN_KEY}x` });
      assert.deepEqual([wrong.status, wrong.body['code']], [401, 'invalid_api_key'], operation.name);
    }
  });

  test('A04: an administrator is authorised for every administrator operation', async () => {
    const headers = { authorization: `Bearer ${await tokenFor(market.url, { email: 'boss@example.com' })}` };
    for (const operation of forAdministrators) {
      const { status } = await ask(operation, headers);
      assert.ok(![401, 403].includes(status), `${operation.name}: ${status}`);
    }
  });
});
