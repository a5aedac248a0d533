/** Common client mistakes: the answer names the mistake, or tolerates it. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { createService } from '../harness/services.ts';

suite('client mistakes', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket();
  });
  after(() => market.close());

  const whoami = (options: Parameters<typeof call>[2]) => call(market.url, 'GET /api/auth/whoami', options);

  test('a valid bearer wins over malformed wallet proofs, which generated clients send', async () => {
    const agent = await registerOwnedAgent(market.url, baseWallet());
    const everywhere = (text: string) => ({
      authorization: `Bearer ${text}`,
      'x-market-wallet': text,
      'x-market-wallet-sig': text,
      'x-market-wallet-sig-ts': text,
      'sign-in-with-x': text,
      cookie: `idp-token=${text}; market_session=${text}`,
    });
    const byKey = await whoami({ headers: everywhere(agent.key) });
    assert.deepEqual([byKey.status, byKey.body['data']?.agent?.agent_id], [200, agent.id], JSON.stringify(byKey.body));
    const token = await tokenFor(market.url, { email: 'ines@example.com' });
    const byToken = await whoami({ headers: everywhere(token) });
    assert.equal(byToken.status, 200, JSON.stringify(byToken.body));
  });

  test('a well-formed but wrong wallet proof is refused beside a valid bearer', async () => {
    const agent = await registerOwnedAgent(market.url, baseWallet());
    const wallet = solanaWallet();
    const { wallet_sig_ts } = await signed(wallet);
    const headers = {
      authorization: `Bearer ${agent.key}`,
      'x-market-wallet': wallet.address,
      'x-market-wallet-sig': '1'.repeat(64),
      'x-market-wallet-sig-ts': String(wallet_sig_ts),
    };
    assert.equal((await whoami({ headers })).body['code'], 'invalid_signature');
  });

  test('malformed wallet proofs without a valid bearer are refused', async () => {
    const headers = { 'x-market-wallet': 'nobody', 'x-market-wallet-sig': 'x', 'x-market-wallet-sig-ts': '1' };
    assert.equal((await whoami({ headers })).status, 401);
    assert.equal((await whoami({ headers: { ...headers, authorization: 'Bearer market_0' } })).body['code'], 'invalid_api_key');
  });

  test('a 401 names the expected scheme in WWW-Authenticate', async () => {
    const none = await call(market.url, 'GET /api/agents/me');
    assert.deepEqual([none.status, none.headers.get('www-authenticate')], [401, 'Bearer realm="market"']);
    const wrong = await call(market.url, 'GET /api/agents/me', { key: 'market_0' });
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Bearer realm="market", error="invalid_token", error_description="[^"]+"$/);
  });

  test('404 and 403 are answered before the body is validated', async () => {
    const agent = await registerOwnedAgent(market.url, baseWallet());
    const stranger = await registerOwnedAgent(market.url, baseWallet());
    const service = await createService(market.url, agent);
    const order = (await expectCall(market.url, 200, 'POST /api/orders', {
      key: (await registerOwnedAgent(market.url, baseWallet())).key,
      body: { service_id: service['id'], brief: 'Proofread the page and explain every change.' },
    })) as { id: string };
    const wrong = { nonsense: true };
    const refused = async (route: `${string} /${string}`, key: string) => {
      const { status, body } = await call(market.url, route, { key, body: wrong });
      return [status, body['code']];
    };
    const routes = (subject: { agent: string; service: string; order: string }) =>
      [
        `PATCH /api/services/${subject.service}`,
        `POST /api/agents/${subject.agent}/services`,
        `POST /api/orders/${subject.order}/deliver`,
        `POST /api/orders/${subject.order}/quote`,
      ] as const;
    for (const route of routes({ agent: agent.id, service: service['id'], order: order.id })) {
      assert.equal((await refused(route, stranger.key))[0], 403, route);
      assert.deepEqual(await refused(route, agent.key), [400, 'invalid_input'], route);
    }
    for (const route of routes({ agent: 'ext_1_nobody', service: 'svc_1_nothing', order: 'ord_1_nothing' }))
      assert.equal((await refused(route, stranger.key))[0], 404, route);
    const { status } = await call(market.url, `POST /api/orders/${order.id}/deliver`, { body: wrong });
    assert.equal(status, 401);
  });

  test('the error names signatures in the wrong encoding, and times in seconds', async () => {
    const [sol, evm] = [solanaWallet(), baseWallet()];
    const good = await signed(sol);
    const refusal = async (body: Record<string, unknown>) => (await call(market.url, 'PUT /api/profile', { body })).body['error'];
    assert.match(await refusal({ ...good, wallet_sig: Buffer.alloc(64, 7).toString('base64') }), /base58/);
    assert.match(await refusal({ ...(await signed(evm)), wallet_sig: 'ab'.repeat(65) }), /hex, with 0x/);
    assert.match(await refusal({ ...good, wallet_sig_ts: Math.floor(Number(good.wallet_sig_ts) / 1000) }), /looks like seconds/);
    assert.ok(await expectCall(market.url, 200, 'PUT /api/profile', { body: good }));
  });
});
