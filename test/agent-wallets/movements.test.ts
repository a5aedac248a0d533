/** Sends and withdrawals on real chains: amounts that arrive, who pays the fee, refusals, and the log. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { advanceMovementJob } from '../../packages/server/src/features/agent-wallets/movement-jobs.ts';
import { enqueueJobs } from '../../packages/server/src/platform/jobs/job-repository.ts';
import { call, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { requireSoundBooks } from '../harness/orders.ts';
import { closeOutflow, openOutflow } from '../harness/outflow.ts';
import { freshAddress } from '../harness/payers.ts';
import { asHeaders, signedFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { makeViewsWritable } from '../harness/writable-views.ts';
import { until } from '../money/money.ts';
import {
  callSigned,
  chainWord,
  fundWallet,
  type OwnedAgent,
  openOwnedAgent,
  readLog,
  send,
  setWithdrawAddress,
  walletOn,
} from './stage.ts';

const NETWORKS: readonly NetworkName[] = ['base-mainnet', 'solana-mainnet', 'alt-mainnet'];
const USDC = 1_000_000n;

suite('movements out of agent wallets', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withChains);
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  const chainOf = (network: NetworkName) => {
    const chain = market.chains.get(network);
    assert.ok(chain);
    return chain;
  };
  const usdcAt = async (network: NetworkName, address: string) => (await chainOf(network).readBalances(address)).usdcMicros;
  const nativeAt = async (network: NetworkName, address: string) => (await chainOf(network).readBalances(address)).native;

  for (const network of some(NETWORKS, 2)) {
    const chain = chainWord[network];
    test(`USDC leaves an agent’s wallet without coins on ${chain}: it arrives once, the sponsor pays, and the log shows the end`, async () => {
      const agent = await openOwnedAgent(market.url);
      await fundWallet(market, agent, network, { usdcMicros: 10n * USDC });
      const to = freshAddress(network);
      const reply = await send(market.url, agent, { chain, to, amount: 4 });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const { data } = reply.body;
      assert.equal(data.amount_usd, '4.00');
      assert.equal(data.chain, chain);
      assert.equal(data.destination, to);
      assert.ok(['sent', 'confirmed'].includes(data.status), data.status);
      assert.ok(data.tx_hash);
      const entry = await until('the confirmation', async () => {
        const [first] = await readLog(market.url, agent);
        return first?.['movement'].status === 'confirmed' ? first : undefined;
      });
      assert.equal(entry['movement'].tx_hash, data.tx_hash);
      assert.equal(entry['by'], 'owner_wallet');
      assert.ok(Number(entry['movement'].fee_paid_by_market) > 0);
      assert.equal(await usdcAt(network, to), 4n * USDC);
      assert.equal(await usdcAt(network, walletOn(agent, network)), 6n * USDC);

      const rest = await send(market.url, agent, { chain, to });
      assert.equal(rest.body['data']?.amount_usd, '6.00', JSON.stringify(rest.body));
      await until('the rest', async () => ((await usdcAt(network, to)) === 10n * USDC ? true : undefined));
      const notes = (await expectCall(market.url, 200, 'GET /api/notifications', { key: agent.token })) as unknown as { title: string }[];
      assert.ok(notes.some(({ title }) => title === 'Money left the wallet'));
    });

    test(`a send of the coin of ${chain} pays its own fee, and can leave all but what the wallet must keep`, async () => {
      const agent = await openOwnedAgent(market.url);
      const coin = network === 'solana-mainnet' ? 10n ** 9n : 10n ** 18n;
      await fundWallet(market, agent, network, { native: coin });
      const to = freshAddress(network);
      const half = await send(market.url, agent, { chain, to, asset: 'native', amount: '0.5' });
      assert.equal(half.status, 200, JSON.stringify(half.body));
      assert.equal(half.body['data'].amount_usd, null);
      assert.equal(half.body['data'].amount, '0.5');
      await until('the coins', async () => ((await nativeAt(network, to)) === coin / 2n ? true : undefined));
      await until('the end', async () => ((await readLog(market.url, agent))[0]?.['movement'].status === 'confirmed' ? true : undefined));
      const all = await send(market.url, agent, { chain, to, asset: 'native' });
      assert.equal(all.status, 200, JSON.stringify(all.body));
      await until('the rest', async () => ((await nativeAt(network, to)) > (coin * 99n) / 100n ? true : undefined));
      assert.equal((await readLog(market.url, agent))[0]?.['movement'].fee_paid_by_market, null);
    });
  }

  test('the agent withdraws with its key to the address its owner set, and nowhere else', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 5n * USDC });
    const missing = await call(market.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base' } });
    assert.equal(missing.status, 400);
    assert.equal(missing.body['code'], 'withdraw_address_missing');
    const to = freshAddress('base-mainnet');
    const set = await setWithdrawAddress(market.url, agent, { withdraw_address_base: to });
    assert.equal(set.body['data']?.withdraw_address_base, to, JSON.stringify(set.body));
    const reply = await call(market.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base', amount: 5 } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(reply.body['data'].destination, to);
    await until('the money', async () => ((await usdcAt('base-mainnet', to)) === 5n * USDC ? true : undefined));
    const [entry] = await readLog(market.url, agent);
    assert.deepEqual([entry?.['action'], entry?.['by']], ['withdraw', 'agent_key']);
  });

  test('R12: a movement is not given up while others can use its authorisation, and ends as paid if they did', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 5n * USDC });
    const { pool, db } = market.database;
    const sent = await send(market.url, agent, { chain: 'base', to: freshAddress('base-mainnet'), amount: 2 });
    const id = String(sent.body['data']?.movement_id);
    const stateOf = async (of: string) => (await pool.query('select state, reason from wallet_movements where id = $1', [of])).rows[0];
    await until('the confirmation', async () => ((await stateOf(id)).state === 'confirmed' ? true : undefined));

    // A second movement with an unused authorisation, whose own transaction can no longer land.
    const other = `${id}_other`;
    await makeViewsWritable(pool);
    await pool.query(
      `insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount, created_at)
       select $2, agent_id, purpose, network, wallet, destination, asset, amount, market_now() - interval '11 minutes'
       from wallet_movements where id = $1`,
      [id, other],
    );
    await pool.query(
      `insert into outgoing_attempts (intent_id, number, reference, signed_bytes, validity, state)
       select $2, 1, $3, signed_bytes, '0', 'expired' from outgoing_attempts where intent_id = $1`,
      [id, other, `0x${randomUUID().replaceAll('-', '').repeat(2)}`],
    );
    await enqueueJobs(db, [advanceMovementJob(other)]);
    const waiting = await until('a look at it', async () => {
      const row = await stateOf(other);
      return row.reason === null ? undefined : row;
    });
    assert.equal(waiting.state, 'queued', waiting.reason);
    assert.match(waiting.reason, /ends when the signature has lapsed/);
    await pool.query('delete from outgoing_attempts where intent_id = $1', [other]);
    await pool.query('delete from wallet_movements where id = $1', [other]);

    // Sets the first movement to the state that a node without its transaction would cause.
    await pool.query(`update outgoing_attempts set state = 'expired' where intent_id = $1`, [id]);
    await pool.query(
      `update wallet_movements set state = 'queued', reference = null, created_at = market_now() - interval '11 minutes' where id = $1`,
      [id],
    );
    await enqueueJobs(db, [advanceMovementJob(id)]);
    const end = await until('its end', async () => {
      const row = await stateOf(id);
      return ['confirmed', 'failed'].includes(row.state) ? row : undefined;
    });
    assert.equal(end.state, 'confirmed', end.reason);
  });

  test('a send that cannot be made is 400, says what to do, and moves nothing', async () => {
    const agent = await openOwnedAgent(market.url);
    const to = freshAddress('base-mainnet');
    const refused = async (body: Record<string, unknown>, code: string, words: RegExp) => {
      const reply = await send(market.url, agent, body);
      assert.equal(reply.status, 400, JSON.stringify(reply.body));
      assert.equal(reply.body['code'], code, JSON.stringify(reply.body));
      assert.match(reply.body['error'], words);
    };
    await refused({ chain: 'base', to }, 'wallet_funds_insufficient', /can send 0 USDC on Base.*fund 0x/);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: USDC });
    await refused({ chain: 'base', to, amount: 1.000001 }, 'wallet_funds_insufficient', /can send 1 USDC/);
    await refused({ chain: 'base', to, amount: 0 }, 'invalid_input', /above 0/);
    await refused({ chain: 'base', to, amount: '1.0000001' }, 'invalid_input', /more than 6 decimals/);
    await refused({ chain: 'base', to: agent.solana, amount: 1 }, 'wallet_destination_invalid', /no address on Base/);
    await refused({ chain: 'solana', to, amount: 1 }, 'wallet_destination_invalid', /no address on Solana/);
    await refused({ chain: 'base', to: agent.evm, amount: 1 }, 'wallet_destination_invalid', /the wallet itself/);
    await refused({ chain: 'base', to: agent.evm.toLowerCase(), amount: 1 }, 'wallet_destination_invalid', /the wallet itself/);
    await refused({ chain: 'base', to: chainOf('base-mainnet').treasury, amount: 1 }, 'wallet_destination_invalid', /marketplace/);
    await refused({ chain: 'base', to: chainOf('base-mainnet').usdcAddress, amount: 1 }, 'wallet_destination_invalid', /cannot be paid/);
    await refused({ chain: 'polygon', to, amount: 1 }, 'invalid_input', /chain must be one of/);
    await refused({ chain: 'base', to, asset: 'native', amount: 1 }, 'wallet_funds_insufficient', /0 ETH/);
    assert.deepEqual(await readLog(market.url, agent), []);
    const { rows } = await market.database.pool.query('select 1 from wallet_movements where agent_id = $1', [agent.id]);
    assert.equal(rows.length, 0);
  });

  test('R12: of parallel sends of the whole balance one is paid; the other errors name what is reserved', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 3n * USDC });
    const to = freshAddress('base-mainnet');
    // Different spellings of the amount, so that each call has its own signature.
    const amounts = ['3', '3.0', '3.00', '3.000', '3.0000', '3.00000'];
    const replies = await Promise.all(amounts.map((amount) => send(market.url, agent, { chain: 'base', to, amount })));
    assert.deepEqual(
      replies.map(({ status }) => status).sort(),
      [200, 400, 400, 400, 400, 400],
      JSON.stringify(replies.map(({ body }) => body)),
    );
    await until('the money', async () => ((await usdcAt('base-mainnet', to)) === 3n * USDC ? true : undefined));
    assert.equal((await readLog(market.url, agent)).length, 1);
  });

  async function sendKeyed(agent: OwnedAgent, body: Record<string, unknown>, key: string): Promise<Reply> {
    const path = `/api/agents/${agent.id}/wallet/send` as const;
    const signature = asHeaders(await signedFor(market.url, agent.owner, { method: 'POST', path, body }));
    return await call(market.url, `POST ${path}`, { headers: { ...signature, 'idempotency-key': key }, body });
  }

  test('the same Idempotency-Key moves an agent’s money once and answers with the same transaction', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'solana-mainnet', { usdcMicros: 4n * USDC });
    const to = freshAddress('solana-mainnet');
    const key = randomUUID();
    const ask = () => sendKeyed(agent, { chain: 'solana', to, amount: 1 }, key);
    const first = await ask();
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const second = await ask();
    assert.deepEqual(second.body['data'], first.body['data']);
    await until('the end', async () => ((await readLog(market.url, agent))[0]?.['movement'].status === 'confirmed' ? true : undefined));
    assert.equal(await usdcAt('solana-mainnet', to), USDC);
    assert.equal((await readLog(market.url, agent)).length, 1);
  });

  test('B05: a transfer requested while outflow is closed waits, and its Idempotency-Key repeats the answer', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'solana-mainnet', { usdcMicros: 5n * USDC });
    const to = freshAddress('solana-mainnet');
    const key = randomUUID();
    await closeOutflow(market);
    const reply = await sendKeyed(agent, { chain: 'solana', to, amount: 5 }, key);
    assert.deepEqual([reply.status, reply.body['data']?.status], [200, 'pending'], JSON.stringify(reply.body));
    assert.equal(await usdcAt('solana-mainnet', to), 0n);
    await openOutflow(market);
    await until('the transfer', async () => ((await usdcAt('solana-mainnet', to)) === 5n * USDC ? true : undefined));
    const repeated = await sendKeyed(agent, { chain: 'solana', to, amount: 5 }, key);
    assert.deepEqual(
      [repeated.status, repeated.body['data']?.movement_id],
      [200, reply.body['data'].movement_id],
      JSON.stringify(repeated.body),
    );
    assert.equal((await readLog(market.url, agent)).length, 1, 'the repeat orders nothing');
  });

  test('the daily limit of an agent’s sends counts all networks, and refused ones do not count', async () => {
    const small = await openMarket({ ...withChains, AGENT_WALLET_DAILY_USD: '5' });
    try {
      const agent = await openOwnedAgent(small.url);
      for (const network of ['base-mainnet', 'alt-mainnet'] as const) await fundWallet(small, agent, network, { usdcMicros: 10n * USDC });
      const to = freshAddress('base-mainnet');
      assert.equal((await send(small.url, agent, { chain: 'base', to, amount: 6 })).body['code'], 'wallet_daily_limit');
      assert.equal((await send(small.url, agent, { chain: 'base', to, amount: 3 })).status, 200);
      const over = await send(small.url, agent, { chain: 'alt', to, amount: 3 });
      assert.equal(over.status, 400);
      assert.match(over.body['error'], /5\.00 USDC may leave, and 3\.00 USDC did. Send at most 2\.00 USDC now/);
      assert.equal((await send(small.url, agent, { chain: 'alt', to, amount: 2 })).status, 200);
      const funding = await expectCall(small.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
      assert.deepEqual(funding['limits'], { daily_usd: '5.00', used_usd: '5.00' });
      await requireSoundBooks(small);
    } finally {
      await small.close();
    }
  });

  test('with agent wallets turned off, sends, withdrawals and exports answer 503', async () => {
    const off = await openMarket({ AGENT_WALLETS: 'off' });
    try {
      const agent = await openOwnedAgent(off.url);
      const to = freshAddress('base-mainnet');
      const sent = await send(off.url, agent, { chain: 'base', to, amount: 1 });
      assert.deepEqual([sent.status, sent.body['code']], [503, 'wallets_disabled']);
      const withdrawn = await call(off.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base' } });
      assert.deepEqual([withdrawn.status, withdrawn.body['code']], [503, 'wallets_disabled']);
      const exported = await callSigned(off.url, agent.owner, `POST /api/agents/${agent.id}/export-key`, { chain: 'base' });
      assert.deepEqual([exported.status, exported.body['code']], [503, 'wallets_disabled']);
    } finally {
      await off.close();
    }
  });
});
