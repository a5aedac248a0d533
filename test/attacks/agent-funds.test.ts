/** Spending from an agent's own wallet on a fixed purpose: its key, its owner account and its owner wallet may, nobody else. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { callSigned, fundWallet, type OwnedAgent, openAccountAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { fingerprintTables } from '../harness/all-rows.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { agreed, asHeaders, baseWallet, signed, signedFor } from '../harness/people.ts';

const LEND = 'lend_a:usdc';

suite('the money of an agent’s own wallet', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withChains);
  });
  after(() => market.close());

  const codeOf = ({ status, body }: Reply) => `${status} ${String(body['code'] ?? '')}`.trim();

  /** Calls that spend from the agent's wallet. For an authorised caller all but the sweep fail for lack of funds. */
  const callsOf = ({ id }: OwnedAgent) =>
    [
      [`POST /api/agents/${id}/token/launch`, { symbol: 'AGX', image_url: 'https://pictures.example/a.png' }],
      [`POST /api/agents/${id}/said`, {}],
      [`POST /api/agents/${id}/onchain-identity`, {}],
      [`POST /api/agents/${id}/earn/deposit`, { amount_usd: '1', key: LEND }],
      [`PUT /api/agents/${id}/earn/sweep`, { enabled: true, key: LEND, above_usd: '500', daily_limit_usd: '1000' }],
    ] as const;

  test('V04: a linked account and an ordinary signature of the owner wallet spend nothing from the agent’s wallet', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 2_000_000n });
    const ordinary = asHeaders(await signed(agent.owner));
    assert.equal((await call(market.url, `GET /api/agents/${agent.id}/funding`, { headers: ordinary })).status, 200);
    const before = await fingerprintTables(market);
    for (const [route, body] of callsOf(agent)) {
      const linked = await call(market.url, route, { key: agent.token, body });
      assert.equal(codeOf(linked), '403 owner_proof_required', route);
      assert.equal(linked.body['data'].wallet, agent.owner.address, route);
      const weak = codeOf(await call(market.url, route, { headers: ordinary, body }));
      assert.ok(['401 custody_signature_required', '403 owner_proof_required'].includes(weak), `${route}: ${weak}`);
      const stranger = { ...agent, owner: baseWallet() };
      assert.equal((await callSigned(market.url, stranger.owner, route, body)).status, 403, route);
    }
    assert.deepEqual(await fingerprintTables(market), before, 'nothing was written');
  });

  test('V04: the owner wallet by session or custody signature, the owning account and the key may spend the agent’s money on a fixed purpose', async () => {
    const [owned, accounts] = [await openOwnedAgent(market.url), await openAccountAgent(market.url)];
    const reply = await call(market.url, 'POST /api/auth/session', { body: await agreed(market.url, owned.owner, { action: 'session' }) });
    const session = { cookie: String(reply.headers.get('set-cookie')).split(';')[0] ?? '', origin: market.url };
    const mayNot = ['401', '403 forbidden', '403 owner_proof_required', '403 wrong_credential'];
    const requireMay = (answer: Reply, what: string) =>
      assert.ok(!mayNot.some((refusal) => codeOf(answer).startsWith(refusal)), `${what}: ${codeOf(answer)}`);
    for (const [route, body] of callsOf(owned)) {
      requireMay(await call(market.url, route, { headers: session, body }), `session ${route}`);
      requireMay(await callSigned(market.url, owned.owner, route, body), `custody ${route}`);
      const isForKeys = !route.endsWith('sweep') && !route.endsWith('onchain-identity');
      if (isForKeys) requireMay(await call(market.url, route, { key: owned.key, body }), `key ${route}`);
    }
    for (const [route, body] of callsOf(accounts))
      requireMay(await call(market.url, route, { key: accounts.token, body }), `account ${route}`);
    const [route, body] = callsOf(owned)[3];
    const path = `/api/agents/${owned.id}/earn/deposit`;
    const headers = asHeaders(await signedFor(market.url, owned.owner, { method: 'POST', path, body }));
    requireMay(await call(market.url, route, { headers, body }), 'the first use');
    assert.equal(codeOf(await call(market.url, route, { headers, body })), '401 signature_already_used');
    const { rows } = await market.database.pool.query('select agent_id, set_by from earn_sweeps where agent_id = any($1) order by set_by', [
      [owned.id, accounts.id],
    ]);
    assert.deepEqual(
      rows.map(({ set_by }) => set_by),
      ['owner_account', 'owner_wallet'],
    );
  });
});
