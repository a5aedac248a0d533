/** Attacks on the wallets that the marketplace keeps for agents. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { callSigned, fundWallet, type OwnedAgent, openOwnedAgent, send, setWithdrawAddress } from '../agent-wallets/stage.ts';
import { registerAgent } from '../harness/agents.ts';
import { fingerprintTables } from '../harness/all-rows.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { freshAddress } from '../harness/payers.ts';
import { asHeaders, baseWallet, openSession, signed, signedFor, tokenFor } from '../harness/people.ts';
import { makeViewsWritable } from '../harness/writable-views.ts';
import { until } from '../money/money.ts';

const USDC = 1_000_000n;

suite('the custody of agent wallets', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withChains);
  });
  after(() => market.close());

  const routesOf = (agent: OwnedAgent) => {
    const to = freshAddress('base-mainnet');
    return {
      [`POST /api/agents/${agent.id}/wallet/send`]: { chain: 'base', to, amount: 1 },
      [`PUT /api/agents/${agent.id}/withdraw-address`]: { withdraw_address_base: to },
      [`POST /api/agents/${agent.id}/export-key`]: { chain: 'base' },
    } as Record<`POST /${string}`, Record<string, unknown>>;
  };
  const entriesOf = (agent: OwnedAgent) => Object.entries(routesOf(agent)) as [`POST /${string}`, Record<string, unknown>][];

  test('K06: an agent’s API key, alone or with other people’s proofs, neither sends, sets a withdraw address nor exports', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 2n * USDC });
    const stranger = baseWallet();
    const strangerToken = await tokenFor(market.url, { email: 'custody-stranger@example.com' });
    const before = await fingerprintTables(market);
    for (const [route, body] of entriesOf(agent)) {
      const [method = '', path = ''] = route.split(' ');
      const byKey = await call(market.url, route, { key: agent.key, body });
      assert.deepEqual([byKey.status, byKey.body['code']], [403, 'wrong_credential'], route);
      const withStranger = asHeaders(await signedFor(market.url, stranger, { method, path, body }));
      assert.equal((await call(market.url, route, { key: agent.key, headers: withStranger, body })).status, 403, route);
      assert.equal((await call(market.url, route, { key: strangerToken, body })).status, 403, route);
      assert.equal((await call(market.url, route, { body })).status, 401, route);
    }
    assert.deepEqual(await fingerprintTables(market), before, 'nothing was written');
  });

  test('K06: nobody can send from or export the wallet of an agent without an owner', async () => {
    const agent = await registerAgent(market.url);
    const wallet = baseWallet();
    const body = { chain: 'base' };
    const path = `/api/agents/${agent.id}/export-key`;
    const headers = asHeaders(await signedFor(market.url, wallet, { method: 'POST', path, body }));
    assert.equal((await call(market.url, `POST /api/agents/${agent.id}/export-key`, { headers, body })).status, 403);
    assert.equal((await call(market.url, `POST /api/agents/${agent.id}/export-key`, { key: agent.key, body })).status, 403);
  });

  test('A08: a session or an ordinary signature of the owner’s wallet moves or exports nothing, and the refusal shows what to sign', async () => {
    const agent = await openOwnedAgent(market.url);
    const session = await openSession(market.url, agent.owner);
    for (const [route, body] of entriesOf(agent)) {
      for (const headers of [asHeaders(await signed(agent.owner)), { cookie: session }]) {
        const reply = await call(market.url, route, { headers, body });
        assert.deepEqual([reply.status, reply.body['code']], [401, 'custody_signature_required'], route);
        assert.match(reply.body['data'].text_to_sign, new RegExp(route.replace(/[/]/g, '\\/')));
      }
    }
  });

  test('A08: a custody signature works once, also when the first use was refused', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 2n * USDC });
    const path = `/api/agents/${agent.id}/wallet/send`;
    const body = { chain: 'base', to: freshAddress('base-mainnet'), amount: 1 };
    const headers = asHeaders(await signedFor(market.url, agent.owner, { method: 'POST', path, body }));
    const ask = () => call(market.url, `POST /api/agents/${agent.id}/wallet/send`, { headers, body });
    assert.equal((await ask()).status, 200);
    const again = await ask();
    assert.deepEqual([again.status, again.body['code']], [401, 'signature_already_used']);
    const { rows } = await market.database.pool.query('select 1 from wallet_movements where agent_id = $1', [agent.id]);
    assert.equal(rows.length, 1);
  });

  test('A09: a custody signature for one wallet call is refused for another body, agent or call', async () => {
    const [agent, sister] = [await openOwnedAgent(market.url), await openOwnedAgent(market.url)];
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 2n * USDC });
    const to = freshAddress('base-mainnet');
    const path = `/api/agents/${agent.id}/wallet/send`;
    const body = { chain: 'base', to, amount: 1 };
    const fresh = async () => asHeaders(await signedFor(market.url, agent.owner, { method: 'POST', path, body }));
    const others: readonly [`POST /${string}`, Record<string, unknown>][] = [
      [`POST /api/agents/${agent.id}/wallet/send`, { ...body, amount: 2 }],
      [`POST /api/agents/${agent.id}/wallet/send`, { ...body, to: freshAddress('base-mainnet') }],
      [`POST /api/agents/${agent.id}/wallet/send`, { ...body, asset: 'native' }],
      [`POST /api/agents/${sister.id}/wallet/send`, body],
      [`POST /api/agents/${agent.id}/export-key`, { chain: 'base' }],
    ];
    for (const [route, changed] of others) {
      const reply = await call(market.url, route, { headers: await fresh(), body: changed });
      assert.ok([401, 403].includes(reply.status), `${route} ${JSON.stringify(changed)}: ${reply.status}`);
    }
    const { rows } = await market.database.pool.query('select 1 from wallet_movements where agent_id in ($1, $2)', [agent.id, sister.id]);
    assert.equal(rows.length, 0);
  });

  test('K06: a withdraw address that the owner clears while the chain is being asked is not paid', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 2n * USDC });
    await setWithdrawAddress(market.url, agent, { withdraw_address_base: freshAddress('base-mainnet') });
    const chains = market.chains as Map<'base-mainnet', Chain>;
    const chain = chains.get('base-mainnet');
    assert.ok(chain);
    chains.set('base-mainnet', {
      ...chain,
      async readBalances(address) {
        assert.equal((await setWithdrawAddress(market.url, agent, { withdraw_address_base: null })).status, 200);
        return await chain.readBalances(address);
      },
    });
    const body = { chain: 'base', amount: 1 };
    const reply = await call(market.url, 'POST /api/agents/me/withdraw', { key: agent.key, body }).finally(() =>
      chains.set('base-mainnet', chain),
    );
    assert.deepEqual([reply.status, reply.body['code']], [400, 'withdraw_address_missing'], JSON.stringify(reply.body));
    const { rows } = await market.database.pool.query('select 1 from wallet_movements where agent_id = $1', [agent.id]);
    assert.equal(rows.length, 0);
  });

  test('K02: a key moved to another row or altered moves nothing and answers 503 on every call', async () => {
    const [victim, thief] = [await openOwnedAgent(market.url), await openOwnedAgent(market.url)];
    await fundWallet(market, victim, 'base-mainnet', { usdcMicros: 2n * USDC });
    // A thief with write access to the database copies the victim's key into its own row.
    await market.database.pool.query(
      `update agent_wallets set sealed_key = (select sealed_key from agent_wallets where agent_id = $1 and kind = 'evm')
       where agent_id = $2 and kind = 'evm'`,
      [victim.id, thief.id],
    );
    const exported = await callSigned(market.url, thief.owner, `POST /api/agents/${thief.id}/export-key`, { chain: 'base' });
    assert.deepEqual([exported.status, exported.body['code']], [503, 'wallet_key_unreadable']);
    const sent = await send(market.url, thief, { chain: 'base', to: freshAddress('base-mainnet'), amount: 1 });
    assert.deepEqual([sent.status, sent.body['code']], [503, 'wallet_key_unreadable']);
    const { rows } = await market.database.pool.query('select 1 from wallet_movements where agent_id = $1', [thief.id]);
    assert.equal(rows.length, 0);
  });

  test('K05: a movement from a wallet that is not the agent’s is never signed, and one to the same wallet cannot be stored', async () => {
    await makeViewsWritable(market.database.pool);
    const agent = await openOwnedAgent(market.url);
    await assert.rejects(
      market.database.pool.query(
        `insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount)
         values ('mov_forged', $1, 'send', 'base-mainnet', $2, $2, 'usdc', 1)`,
        [agent.id, agent.evm],
      ),
      /outgoing_intents_elsewhere/,
    );
    // A forged intent over another agent's wallet is never signed.
    const other = await openOwnedAgent(market.url);
    await fundWallet(market, other, 'base-mainnet', { usdcMicros: 2n * USDC });
    await market.database.pool.query(
      `insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount)
       values ('mov_forged', $1, 'send', 'base-mainnet', $2, $3, 'usdc', 1000000)`,
      [agent.id, other.evm, freshAddress('base-mainnet')],
    );
    await until('the refusal', async () => {
      const { rows } = await market.database.pool.query(`select state, reason from wallet_movements where id = 'mov_forged'`);
      return rows[0]?.state === 'failed' ? true : undefined;
    });
    assert.equal((await market.chains.get('base-mainnet')?.readBalances(other.evm))?.usdcMicros, 2n * USDC);
    await market.database.pool.query(`delete from wallet_movements where id = 'mov_forged'`);
  });

  test('the custody log is append-only, also for a database administrator', async () => {
    const agent = await openOwnedAgent(market.url);
    assert.equal((await callSigned(market.url, agent.owner, `POST /api/agents/${agent.id}/export-key`, { chain: 'base' })).status, 200);
    await assert.rejects(market.database.pool.query('delete from wallet_log where agent_id = $1', [agent.id]), /append-only/);
    await assert.rejects(
      market.database.pool.query(`update wallet_log set action = 'send' where agent_id = $1`, [agent.id]),
      /append-only/,
    );
  });
});
