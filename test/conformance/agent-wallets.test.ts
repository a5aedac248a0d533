/** The table rows of server wallets and the funding record: who may call, what is returned, what is refused, how often. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519';
import { base58 } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import {
  callSigned,
  callVouched,
  fundWallet,
  type OwnedAgent,
  openAccountAgent,
  openOwnedAgent,
  readLog,
  setWithdrawAddress,
} from '../agent-wallets/stage.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { asHeaders, signed, solanaWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';

suite('agent wallets', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(() => market.close());

  const exportKey = (agent: OwnedAgent, chain: string) =>
    callSigned(market.url, agent.owner, `POST /api/agents/${agent.id}/export-key`, { chain });

  test('GET funding: the key, the owner’s account and wallet read it; balances and costs are live', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'solana-mainnet', { native: 50_000_000n, usdcMicros: 2_500_000n });
    const route = `GET /api/agents/${agent.id}/funding` as const;
    const byKey = await expectCall(market.url, 200, route, { key: agent.key });
    const byAccount = await expectCall(market.url, 200, route, { key: agent.token });
    const byWallet = await expectCall(market.url, 200, route, { headers: asHeaders(await signed(agent.owner)) });
    assert.deepEqual(byAccount, byKey);
    assert.deepEqual(byWallet, byKey);
    assert.equal(byKey['deposit_address'], agent.solana);
    assert.equal(base58.decode(agent.solana).length, 32);
    assert.equal(byKey['balance_sol'], 0.05);
    assert.equal(byKey['balance_usdc'], 2.5);
    assert.deepEqual(
      byKey['balances'].map(({ network, address }: { network: string; address: string }) => [network, address]),
      [
        ['solana-mainnet', agent.solana],
        ['base-mainnet', agent.evm],
        ['alt-mainnet', agent.evm],
      ],
    );
    const { launch, said } = byKey['requirements'];
    for (const { cost_sol: cost, required_sol: required } of [launch, said]) {
      // A launch of the prototype cost 0.0057 SOL; the wallet's own minimum is 0.00089088.
      assert.ok(cost > 0.005 && cost < 0.01, String(cost));
      assert.ok(required - cost > 0.000889 && required - cost < 0.000892, String(required - cost));
    }
    assert.equal((await call(market.url, route)).status, 401);
    assert.equal((await call(market.url, 'GET /api/agents/ext_1700000000000_zzzzzzzzz/funding', { key: agent.key })).status, 404);
    const other = await openOwnedAgent(market.url);
    assert.equal((await call(market.url, route, { key: other.key })).status, 403);
    assert.equal((await call(market.url, route, { key: other.token })).status, 403);
  });

  test('E08, P07: GET funding: the costs follow the chain', async () => {
    const agent = await openOwnedAgent(market.url);
    const chain = market.localChains?.networks.find(({ network }) => network === 'solana-mainnet');
    assert.ok(chain);
    const ask = async (method: string, params: unknown[]) => {
      const reply = await fetch(chain.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return ((await reply.json()) as { result: number }).result;
    };
    // The rent depends on the agent’s name, the longest symbol, and the metadata address with a mint of 44 characters.
    const { body: card } = await call(market.url, 'GET /.well-known/agent-card.json');
    const name = `${agent.name} by ${card['name']}`.length;
    const bytes = 166 + 68 + 4 + 64 + 16 + name + 10 + `${market.url}/api/tokens//metadata.json`.length + 44;
    const rent = (await ask('getMinimumBalanceForRentExemption', [bytes])) + (await ask('getMinimumBalanceForRentExemption', [170]));
    const { cost_sol: cost } = (await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key }))[
      'requirements'
    ].launch;
    const fee = Math.round(cost * 1e9) - rent;
    assert.ok(name <= 32);
    assert.ok(fee >= 10_000 && fee < 200_000, `two signatures and a priority fee, not ${fee}`);
  });

  test('GET funding: a chain that cannot be asked makes amounts null, never an error', async () => {
    const agent = await openOwnedAgent(market.url);
    await market.localChains?.setFault({ network: 'solana-mainnet', mode: 'down' });
    try {
      const record = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
      assert.deepEqual([record['deposit_address'], record['balance_sol'], record['balance_usdc']], [agent.solana, null, null]);
      assert.deepEqual(record['requirements'].launch, { cost_sol: null, required_sol: null });
      assert.match(record['note'], /cannot be asked/);
      assert.notEqual(record['balances'][1].usdc, null, 'the other chains still answer');
    } finally {
      await market.localChains?.setFault({ network: 'solana-mainnet', mode: 'none' });
    }
  });

  test('PUT withdraw-address: at once with the owner’s signature; null clears', async () => {
    const agent = await openOwnedAgent(market.url);
    const address = freshAddress('base-mainnet');
    const now = await setWithdrawAddress(market.url, agent, { withdraw_address_base: address.toLowerCase() });
    assert.deepEqual(now.body['data'], {
      withdraw_address_solana: null,
      withdraw_address_base: address,
      pending_withdraw_address_solana: null,
      pending_withdraw_address_base: null,
    });
    const cleared = await setWithdrawAddress(market.url, agent, { withdraw_address_base: null });
    assert.equal(cleared.body['data'].withdraw_address_base, null);
    const refused = await call(market.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base', amount: 1 } });
    assert.deepEqual([refused.status, refused.body['code']], [400, 'withdraw_address_missing']);
  });

  test('PUT withdraw-address: after a day by the account alone, with notice; a newer change takes its place', async () => {
    const agent = await openAccountAgent(market.url);
    const [first, second] = [freshAddress('base-mainnet'), freshAddress('base-mainnet')];
    const route = `PUT /api/agents/${agent.id}/withdraw-address` as const;
    const set = (address: string | null) =>
      expectCall(market.url, 200, route, { key: agent.token, body: { withdraw_address_base: address } });
    const funded = fundWallet(market, agent, 'base-mainnet', { usdcMicros: 3_000_000n });
    await set(freshAddress('base-mainnet'));
    const asked = await set(first);
    assert.deepEqual([asked['status'], asked['withdraw_address_base']], ['waiting', null]);
    const { address, effective_at, move_id } = asked['pending_withdraw_address_base'];
    assert.deepEqual([address, effective_at, move_id], [first, asked['effective_at'], asked['move_id']]);
    await until('the notice', async () => {
      const notes = (await expectCall(market.url, 200, 'GET /api/notifications', { key: agent.token })) as unknown as { title: string }[];
      return notes.some(({ title }) => title === 'Withdraw address will change') ? true : undefined;
    });
    await funded;
    const withdraw = () => call(market.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base', amount: 1 } });
    assert.deepEqual((await withdraw()).body['code'], 'withdraw_address_missing');
    await advanceClock(market.url, 24 * 3600 + 5);
    const paid = await until('the first address', async () => {
      const reply = await withdraw();
      return reply.status === 200 ? reply : undefined;
    });
    assert.equal(paid.body['data'].destination, first);

    // The wallet has been linked for a day now, so its signature beside the account is enough.
    const settled = await callVouched(market.url, agent, route, { withdraw_address_base: second });
    assert.deepEqual([settled.body['data'].withdraw_address_base, settled.body['data'].status], [second, undefined]);
    await set(freshAddress('base-mainnet'));
    const cancelled = await set(second);
    assert.deepEqual([cancelled['withdraw_address_base'], cancelled['pending_withdraw_address_base']], [second, null]);
    assert.equal((await set(null))['withdraw_address_base'], null);
    assert.deepEqual(
      (await readLog(market.url, agent)).map(({ action }) => action),
      [
        'withdraw_address_changed',
        'withdraw_address_changed',
        'withdraw_address_requested',
        'withdraw_address_changed',
        'withdraw',
        'withdraw_address_changed',
        'withdraw_address_requested',
        'withdraw_address_requested',
      ],
    );
  });

  test('PUT withdraw-address: refuses an empty body, addresses of the wrong kind, its own wallet and unpayable addresses', async () => {
    const agent = await openOwnedAgent(market.url);
    const bodies: Record<string, Record<string, unknown>> = {
      nothing: {},
      'a Solana address for EVM': { withdraw_address_base: agent.solana },
      'an EVM address for Solana': { withdraw_address_solana: agent.evm },
      'its own wallet': { withdraw_address_base: agent.evm },
      'the treasury': { withdraw_address_base: market.chains.get('base-mainnet')?.treasury },
      'the USDC contract': { withdraw_address_base: market.chains.get('base-mainnet')?.usdcAddress },
    };
    for (const [what, body] of Object.entries(bodies)) {
      const reply = await setWithdrawAddress(market.url, agent, body);
      assert.equal(reply.status, 400, `${what}: ${JSON.stringify(reply.body)}`);
    }
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  test('E13: POST export-key: the owner gets a key that opens the address, is notified, and 3 per hour and chain are the limit', async () => {
    const strict = await openMarket({ RATE_LIMIT_SCALE: '1' });
    try {
      const agent = await openOwnedAgent(strict.url);
      const ask = (chain: string) => callSigned(strict.url, agent.owner, `POST /api/agents/${agent.id}/export-key`, { chain });
      const evm = await ask('base');
      assert.equal(evm.status, 200, JSON.stringify(evm.body));
      assert.equal(privateKeyToAccount(evm.body['data'].private_key).address, agent.evm);
      assert.equal(evm.headers.get('x-ratelimit-remaining'), '2');
      const solana = await ask('solana');
      const bytes = base58.decode(solana.body['data'].private_key);
      assert.equal(bytes.length, 64);
      assert.equal(base58.encode(ed25519.getPublicKey(bytes.subarray(0, 32))), agent.solana);
      assert.equal((await ask('base')).status, 200);
      assert.equal((await ask('base')).status, 200);
      const fourth = await ask('base');
      assert.equal(fourth.status, 429);
      assert.ok(Number(fourth.headers.get('retry-after')) > 3000);
      assert.equal(fourth.headers.get('x-ratelimit-limit'), '3');
      assert.equal(fourth.headers.get('x-ratelimit-remaining'), '0');
      assert.equal((await ask('solana')).status, 200, 'each chain has a budget of its own');
      const log = await readLog(strict.url, agent);
      assert.equal(log.filter(({ action }) => action === 'key_exported').length, 5);
      await until('the notice', async () => {
        const notes = (await expectCall(strict.url, 200, 'GET /api/notifications', { key: agent.token })) as unknown as { title: string }[];
        return notes.some(({ title }) => title === 'Private key exported') ? true : undefined;
      });
    } finally {
      await strict.close();
    }
  });

  test('E13: an agent has 20 sends and 10 withdrawals per 10 minutes, from all callers and addresses together', async () => {
    const strict = await openMarket({ RATE_LIMIT_SCALE: '1' });
    try {
      const agent = await openAccountAgent(strict.url);
      const to = freshAddress('base-mainnet');
      const body = { chain: 'base', to, amount: 1 };
      // A sign-in token needs no fresh signature for each of them.
      const statuses: number[] = [];
      for (let index = 0; index < 21; index++)
        statuses.push((await call(strict.url, `POST /api/agents/${agent.id}/wallet/send`, { key: agent.token, body })).status);
      assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 503), 429]);
      const withdrawals: number[] = [];
      for (let index = 0; index < 11; index++)
        withdrawals.push((await call(strict.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base' } })).status);
      assert.deepEqual(withdrawals, [...Array.from({ length: 10 }, () => 503), 429]);
    } finally {
      await strict.close();
    }
  });

  test('an agent registered before wallets existed gets its wallets at the first need, once', async () => {
    const agent = await openOwnedAgent(market.url);
    await market.database.pool.query('delete from agent_wallets where agent_id = $1', [agent.id]);
    const bare = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
    assert.deepEqual([bare['deposit_address'], bare['evm_address']], [null, null], 'a read writes nothing');
    const both = await Promise.all([exportKey(agent, 'base'), exportKey(agent, 'solana')]);
    for (const { status, body } of both) assert.equal(status, 200, JSON.stringify(body));
    const made = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
    assert.deepEqual(
      [made['evm_address'], made['deposit_address']],
      both.map(({ body }) => body['data'].address),
    );
    const { rows } = await market.database.pool.query('select kind from agent_wallets where agent_id = $1 order by kind', [agent.id]);
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['evm', 'solana'],
    );
  });

  test('GET wallet/log is paged, newest first, and only for the owner', async () => {
    const agent = await openOwnedAgent(market.url);
    for (const chain of ['base', 'solana', 'base']) assert.equal((await exportKey(agent, chain)).status, 200);
    const route = `/api/agents/${agent.id}/wallet/log`;
    const first = await call(market.url, `GET ${route as '/'}?limit=2`, { key: agent.token });
    assert.deepEqual([first.body['data'].length, first.body['total']], [2, 3]);
    const second = await call(market.url, `GET ${route as '/'}?limit=2&cursor=${encodeURIComponent(first.body['next_cursor'])}`, {
      key: agent.token,
    });
    assert.equal(second.body['data'].length, 1);
    assert.equal(second.body['next_cursor'], null);
    const ids = [...first.body['data'], ...second.body['data']].map(({ id }: { id: string }) => Number(id));
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    assert.equal((await call(market.url, `GET ${route as '/'}`)).status, 401);
    assert.equal((await call(market.url, `GET ${route as '/'}`, { headers: asHeaders(await signed(solanaWallet())) })).status, 403);
  });
});
