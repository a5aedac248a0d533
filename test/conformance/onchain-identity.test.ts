/** Registration of agents in the ERC-8004 registry of the sandbox: permissions, cost, the entry on chain, and refusals. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { parseUnits } from 'viem/utils';
import { fundWallet, type OwnedAgent, openOwnedAgent, readLog } from '../agent-wallets/stage.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock, openBuyer } from '../harness/orders.ts';
import { closeOutflow, openOutflow } from '../harness/outflow.ts';
import { asHeaders, openSession, signed, signedFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { registrationCorruptions } from '../onchain/corruptions.ts';
import {
  evmPayerOf,
  openRegisteredAgent,
  prepare,
  readFeedback,
  record,
  reviewedOrder,
  sendCall,
  untilPublished,
} from '../onchain/feedback-stage.ts';
import { ENOUGH_WEI, openRegistry, readIdentity, register, untilRegistered } from '../onchain/stage.ts';

suite('on-chain identity', () => {
  let market: TestMarket;
  let registry: ReturnType<typeof openRegistry>;
  before(async () => {
    market = await openMarket(withOwnChains);
    registry = openRegistry(market);
  });
  after(() => market.close());

  const routeOf = ({ id }: { readonly id: string }) => `/api/agents/${id}/onchain-identity` as const;
  const weiOf = async (agent: OwnedAgent) => (await market.chains.get('base-mainnet')?.readBalances(agent.evm))?.native ?? 0n;
  const fund = (agent: OwnedAgent) => fundWallet(market, agent, 'base-mainnet', { native: ENOUGH_WEI });
  const fileOf = (agent: OwnedAgent) => call(market.url, `GET /api/agents/${agent.slug}/registration.json`);

  /** A browser that is signed in with the owner wallet. */
  const sessionOf = async (url: string, { owner }: OwnedAgent) => ({ cookie: await openSession(url, owner), origin: url });

  async function openFundedAgent(): Promise<OwnedAgent> {
    const agent = await openOwnedAgent(market.url);
    await fund(agent);
    return agent;
  }

  test('GET onchain-identity shows the cost first, to the agent and its owner, and registers nothing', async () => {
    const agent = await openFundedAgent();
    const byKey = await readIdentity(market.url, agent);
    const byAccount = await expectCall(market.url, 200, `GET ${routeOf(agent)}`, { key: agent.token });
    assert.deepEqual([byAccount['status'], byAccount['registry']], [byKey['status'], byKey['registry']]);
    const { cost, ...identity } = byKey;
    assert.deepEqual(identity, {
      status: 'none',
      registry: registry.caip10,
      agent_id: null,
      uri: `${market.url}/api/agents/${agent.id}/registration.json`,
      wallet: agent.evm,
      tx_hash: null,
      explorer_url: null,
      registered_at: null,
      last_failure: null,
    });
    assert.equal(cost.balance_eth, '0.01');
    const [expected, required] = [parseUnits(cost.cost_eth, 18), parseUnits(cost.required_eth, 18)];
    assert.ok(expected > 0n && expected < required && required < ENOUGH_WEI, JSON.stringify(cost));
    assert.equal(await registry.countOf(agent.evm), 0n);
    assert.deepEqual((await fileOf(agent)).body['registrations'], []);
    const other = await openOwnedAgent(market.url);
    assert.equal((await call(market.url, `GET ${routeOf(agent)}`)).status, 401);
    assert.equal((await call(market.url, `GET ${routeOf(agent)}`, { key: other.key })).status, 403);
    assert.equal((await call(market.url, 'GET /api/agents/ext_1700000000000_zzzzzzzzz/onchain-identity', { key: agent.key })).status, 404);
  });

  test('B05: an on-chain registration waits while outflow is closed', async () => {
    const agent = await openFundedAgent();
    await closeOutflow(market);
    const reply = await register(market.url, agent);
    assert.deepEqual([reply.status, reply.body['data']?.status], [200, 'pending'], JSON.stringify(reply.body));
    assert.equal((await register(market.url, agent)).body['code'], 'onchain_identity_in_progress');
    assert.equal(await registry.countOf(agent.evm), 0n);
    await openOutflow(market);
    await untilRegistered(market.url, agent);
    assert.equal(await registry.countOf(agent.evm), 1n);
  });

  test('an Idempotency-Key repeats the refusal of a registration that could not be sent, and requests no second one', async () => {
    const agent = await openFundedAgent();
    const { pool } = market.database;
    const headers = { ...(await sessionOf(market.url, agent)), 'idempotency-key': randomUUID() };
    const ask = () => call(market.url, `POST ${routeOf(agent)}`, { headers, body: {} });
    // A movement is given up after ten minutes; this one is older from the start.
    await pool.query(`alter table outgoing_intents alter column created_at set default market_now() - interval '1 hour'`);
    const first = await ask();
    await pool.query('alter table outgoing_intents alter column created_at set default market_now()');
    assert.deepEqual([first.status, first.body['code']], [502, 'onchain_identity_refused'], JSON.stringify(first.body));
    const repeated = await ask();
    assert.deepEqual([repeated.status, repeated.body['error']], [502, first.body['error']]);
    assert.equal(await registry.countOf(agent.evm), 0n);
    assert.equal((await register(market.url, agent)).status, 200, 'without the key it may be tried again');
    await untilRegistered(market.url, agent);
  });

  test('POST onchain-identity registers once: wallet and file on chain, gas in the log, and the registration in the file', async () => {
    const agent = await openFundedAgent();
    const { cost } = await readIdentity(market.url, agent);
    const reply = await register(market.url, agent);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.match(reply.body['data'].tx_hash, /^0x[0-9a-f]{64}$/);
    const { agent_id: id, uri, tx_hash, registered_at } = await untilRegistered(market.url, agent);
    assert.equal(tx_hash, reply.body['data'].tx_hash);
    assert.notEqual(registered_at, null);
    assert.deepEqual(await Promise.all([registry.ownerOf(id), registry.walletOf(id), registry.uriOf(id)]), [agent.evm, agent.evm, uri]);
    assert.equal(await registry.countOf(agent.evm), 1n);
    const file = (await (await fetch(uri)).json()) as { name: string; registrations: unknown };
    assert.deepEqual(file.registrations, [{ agentId: Number(id), agentRegistry: registry.caip10 }]);
    assert.equal(file.name, agent.name);

    const [entry, ...rest] = await readLog(market.url, agent);
    assert.deepEqual([entry?.['action'], entry?.['by'], rest.length], ['agent_registration', 'owner_wallet', 0]);
    const paid = parseUnits(entry?.['movement'].amount, 18);
    assert.equal(await weiOf(agent), ENOUGH_WEI - paid, 'the log shows what the wallet paid');
    assert.ok(paid > 0n && paid <= parseUnits(cost.required_eth, 18));
    await until('the notice', async () => {
      const notes = (await expectCall(market.url, 200, 'GET /api/notifications', { key: agent.token })) as unknown as { title: string }[];
      return notes.some(({ title }) => title === 'Agent registered on chain') ? true : undefined;
    });

    const again = await register(market.url, agent);
    assert.deepEqual([again.status, again.body['code'], again.body['data'].agent_id], [409, 'onchain_identity_exists', id]);
    assert.equal(await registry.countOf(agent.evm), 1n);
  });

  test('POST onchain-identity with too little ETH is 402 and moves nothing', async () => {
    const agent = await openOwnedAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { native: 1_000n });
    const { status, body } = await register(market.url, agent);
    assert.deepEqual([status, body['code']], [402, 'agent_wallet_underfunded'], JSON.stringify(body));
    assert.equal(body['data'].deposit_address, agent.evm);
    assert.equal(body['data'].action, 'agent_registration');
    assert.ok(Number(body['data'].required_eth) > Number(body['data'].balance_eth));
    assert.deepEqual(await readLog(market.url, agent), []);
    assert.equal(await weiOf(agent), 1_000n);
  });

  test('only the owner may POST onchain-identity: no agent key, no stranger, no signature for another request', async () => {
    const [agent, other] = [await openFundedAgent(), await openOwnedAgent(market.url)];
    const byKey = await call(market.url, `POST ${routeOf(agent)}`, { key: agent.key });
    assert.ok([401, 403].includes(byKey.status), JSON.stringify(byKey.body));
    assert.equal((await call(market.url, `POST ${routeOf(agent)}`, { key: other.token })).status, 403);
    assert.equal((await register(market.url, { ...agent, owner: other.owner })).status, 403);
    const ordinary = await call(market.url, `POST ${routeOf(agent)}`, { headers: asHeaders(await signed(agent.owner)) });
    assert.deepEqual([ordinary.status, ordinary.body['code']], [401, 'custody_signature_required'], JSON.stringify(ordinary.body));
    assert.equal((await call(market.url, `POST ${routeOf(agent)}`)).status, 401);
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  test('POST onchain-identity of a hidden agent is 403, because nobody could read its file', async () => {
    const agent = await openFundedAgent();
    await market.database.pool.query(`update agents set moderation_status = 'spam' where id = $1`, [agent.id]);
    const { status, body } = await register(market.url, agent);
    assert.deepEqual([status, body['code']], [403, 'onchain_identity_hidden']);
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  test('POST onchain-identity many times at once, and again with one Idempotency-Key, registers once', async () => {
    const agent = await openFundedAgent();
    // The owner is the wallet; the account that it is linked to may not register.
    assert.equal((await call(market.url, `POST ${routeOf(agent)}`, { key: agent.token })).body['code'], 'owner_proof_required');
    // A session, because each call would need a fresh signature.
    const headers = await sessionOf(market.url, agent);
    const replies = await Promise.all([1, 2, 3, 4].map(() => call(market.url, `POST ${routeOf(agent)}`, { headers })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409], JSON.stringify(replies.map(({ body }) => body)));
    await untilRegistered(market.url, agent);
    assert.equal(await registry.countOf(agent.evm), 1n);

    const second = await openFundedAgent();
    const key = { 'idempotency-key': randomUUID() };
    const ask = async () =>
      await call(market.url, `POST ${routeOf(second)}`, {
        headers: { ...asHeaders(await signedFor(market.url, second.owner, { method: 'POST', path: routeOf(second), body: {} })), ...key },
        body: {},
      });
    const [first, repeated] = [await ask(), await ask()];
    assert.deepEqual([first.status, repeated.status], [200, 200], JSON.stringify(repeated.body));
    await untilRegistered(market.url, second);
    assert.equal(await registry.countOf(second.evm), 1n);
  });

  test('a published review that a reorganisation reverts can be published again', async () => {
    const { url } = market;
    const [agent, buyer] = [await openRegisteredAgent(market), await openBuyer(market, 'base-mainnet')];
    const order = await reviewedOrder(market, agent, buyer);
    const payer = evmPayerOf(buyer);
    const { transaction } = (await prepare(url, order, buyer)).body['data'];
    await until('a publication that is taken back', async () => {
      const reference = await sendCall(payer, transaction);
      const { status } = await record(url, order, buyer, reference);
      await market.localChains?.setFault({ network: 'base-mainnet', mode: 'reorg' });
      const isGone = (await payer.chain.readReceipt(reference)).state === 'missing';
      assert.ok(isGone || status !== 200, 'it became final before the chain could take it back');
      return isGone && status === 200 ? true : undefined;
    });
    assert.equal((await readFeedback(url, order, buyer))['status'], 'sent');
    // The market keeps waiting at first, because the transaction may come back.
    await advanceClock(url, 2 * 3600);
    await until('the return to unpublished', async () => ((await readFeedback(url, order, buyer))['status'] === 'none' ? true : undefined));
    const reply = await record(url, order, buyer, await sendCall(payer, transaction));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    await untilPublished(url, order, buyer);
  });

  test('while a chain cannot be asked, amounts of onchain-identity are null and a registration is 503', async () => {
    const agent = await openFundedAgent();
    await market.localChains?.setFault({ network: 'base-mainnet', mode: 'down' });
    try {
      assert.deepEqual((await readIdentity(market.url, agent))['cost'], { cost_eth: null, required_eth: null, balance_eth: null });
      const { status, body } = await register(market.url, agent);
      assert.deepEqual([status, body['code']], [503, 'chain_unavailable'], JSON.stringify(body));
    } finally {
      await market.localChains?.setFault({ network: 'base-mainnet', mode: 'none' });
    }
    assert.deepEqual(await readLog(market.url, agent), []);
  });

  test('without a registry GET and POST onchain-identity answer 503 with an explanation; an agent may POST 5 times per 10 minutes', async () => {
    const bare = await openMarket({ RATE_LIMIT_SCALE: '1' });
    try {
      const agent = await openOwnedAgent(bare.url);
      const read = await call(bare.url, `GET ${routeOf(agent)}`, { key: agent.key });
      assert.deepEqual([read.status, read.body['code']], [503, 'onchain_identity_unavailable']);
      assert.match(read.body['error'], /registry/);
      const tries: unknown[] = [];
      const headers = await sessionOf(bare.url, agent);
      for (let index = 0; index < 6; index++) tries.push((await call(bare.url, `POST ${routeOf(agent)}`, { headers })).status);
      assert.deepEqual(tries, [503, 503, 503, 503, 503, 429]);
    } finally {
      await bare.close();
    }
  });

  test('the audit finds nothing wrong with on-chain registrations', async () => {
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  for (const { what, breaks, sql } of registrationCorruptions) {
    test(`the audit of on-chain registrations reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
