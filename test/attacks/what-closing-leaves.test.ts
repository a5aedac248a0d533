/** After a closing nothing identifies the person, and the history of everybody else is unchanged. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { auditFigures } from '../../packages/server/src/features/audit/index.ts';
import type { PaymentRequirements } from '../../packages/server/src/platform/facilitator/facilitator.ts';
import { pay } from '../../packages/server/testing/facilitator-test-bench.ts';
import { registerAgent, registerOwnedAgent, registerPayingAgent } from '../harness/agents.ts';
import { bountyBody } from '../harness/bounties.ts';
import { disputeOrder, openOpponents, rule } from '../harness/disputes.ts';
import { untilHandled } from '../harness/events.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, BRIEF, deliver, listService, openBuyer, openProvider, requireSoundBooks, untilTransferred } from '../harness/orders.ts';
import { baseWallet, signed, signedFor, type TestWallet, tokenFor } from '../harness/people.ts';
import { byWallet, lookAgain, saveSearch } from '../harness/saved-searches.ts';
import { until } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const decode = (header: string | null): unknown => JSON.parse(Buffer.from(header ?? '', 'base64').toString());

const custody = async ({ url }: TestMarket, wallet: TestWallet, path: string, body: Record<string, unknown> = {}) => ({
  ...body,
  ...(await signedFor(url, wallet, { method: 'POST', path, body })),
});
async function closeAgent(market: TestMarket, id: string, owner: TestWallet): Promise<void> {
  const path = `/api/agents/${id}/close` as const;
  const closed = await expectCall(market.url, 200, `POST ${path}`, { body: await custody(market, owner, path) });
  assert.equal(closed['status'], 'closed');
}
async function closeWallet(market: TestMarket, wallet: TestWallet): Promise<void> {
  const path = '/api/account/close';
  await until('the wallet closes what it has', async () => {
    const reply = await call(market.url, `POST ${path}`, { body: await custody(market, wallet, path, { close_agents: true }) });
    if (reply.status === 409) return undefined;
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return true;
  });
}
/** All rows that hold the text, as `table: row`. */
async function rowsWith(market: TestMarket, text: string): Promise<string[]> {
  const { pool } = market.database;
  const { rows: tables } = await pool.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query(`select t::text as row from "${name}" t where strpos(lower(t::text), lower($1)) > 0`, [text]);
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

suite('what closing leaves of orders', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ ...withChains, PAYOUT_CHANGE_DELAY_HOURS: '0' });
  });
  after(() => market.close());

  test('Y10: closing an agent whose name is also a role keeps that word in the history', async () => {
    const { url, database } = market;
    const owner = await openBuyer(market, NETWORK);
    const client = await registerPayingAgent(url, owner, { name: 'provider' });
    const seller = await openProvider(url);
    const service = await listService(url, seller);
    const placed = await expectCall(url, 200, 'POST /api/orders', { key: client.key, body: { service_id: service, brief: BRIEF } });
    const reference = await owner.payer.pay(owner.payer.chain.treasury, 10_000_000n);
    const path = `PATCH /api/orders/${placed['id']}` as const;
    await expectCall(url, 200, path, { key: client.key, body: { action: 'pay', escrow_tx_hash: reference } });
    assert.equal((await deliver(url, placed['id'], seller)).status, 200);
    await expectCall(url, 200, path, { key: client.key, body: { action: 'approve' } });
    await untilTransferred(url, placed['id'], owner, 'payout');
    await untilHandled(database.pool);
    const roles = async () =>
      (
        await database.pool.query(`select type, context->>'actor_role' as role from events where subject_id = $1 order by id`, [
          placed['id'],
        ])
      ).rows;
    const [written, reputation] = [await roles(), await expectCall(url, 200, `GET /api/agents/${seller.id}/reputation`)];
    await closeAgent(market, client.id, owner);
    assert.deepEqual(await roles(), written);
    // Counts an order anew, like a migration that recounts all.
    await database.pool.query(
      `insert into event_queue (follower, event_id) select 'figures', max(id) from events where subject_id = $1 and type = 'order.completed'`,
      [placed['id']],
    );
    await advanceFigures();
    assert.deepEqual(await expectCall(url, 200, `GET /api/agents/${seller.id}/reputation`), reputation);
    assert.deepEqual((await auditFigures(database)).findings, []);
  });

  async function advanceFigures(): Promise<void> {
    await market.database.pool.query(`select pg_notify('events', '')`);
    await untilHandled(market.database.pool);
  }

  test('Y10: after a side has closed, a ruling keeps the reason that the audit looks for', async () => {
    const { url } = market;
    const opponents = await openOpponents(market);
    const order = await disputeOrder(url, opponents);
    assert.equal((await rule(url, order, opponents.admin, { ruling: 'split', refund_usd: '4.00' })).status, 200);
    for (const [who, which] of [
      [opponents.buyer, 'refund'],
      [opponents.provider.owner, 'payout'],
    ] as const)
      await untilTransferred(url, order, who, which);
    await closeWallet(market, opponents.buyer);
    await requireSoundBooks(market);
  });

  test('Y10: a closed buyer leaves no trace in machine hires whose payment failed', async () => {
    const { url } = market;
    const seller = await openProvider(url);
    const service = await listService(url, seller, { price_usd: '1.00' });
    const buyer = await openBuyer(market, NETWORK, 1_100_000n);
    const { payer } = buyer;
    assert.ok(payer.kind === 'evm');
    // The buyer's money is enough for one hire.
    const replies = await Promise.all(
      [1, 2, 3].map(async (n) => {
        const asked = await call(url, `GET /api/x402/discover/${service}`);
        const { accepts } = decode(asked.headers.get('payment-required')) as { accepts: PaymentRequirements[] };
        const accepted = accepts.find(({ network }) => network === payer.chain.caip2);
        assert.ok(accepted);
        const { payload } = await pay(NETWORK, payer.wallet.account, accepted);
        const body = { brief: `Quistgaard wants logo ${n}.` };
        const headers = { 'payment-signature': encode({ x402Version: 2, accepted, payload }) };
        return await call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body });
      }),
    );
    const hired = replies.find(({ status }) => status === 200);
    assert.ok(hired, JSON.stringify(replies.map(({ body }) => body)));
    const id = hired.body['data'].order_id;
    const { rows } = await market.database.pool.query<Envelope>(
      `select state, count(*)::int from x402_payments where payer = $1 group by 1`,
      [buyer.address],
    );
    assert.ok(
      rows.some(({ state }) => state === 'failed'),
      JSON.stringify(rows),
    );
    assert.equal((await deliver(url, id, seller)).status, 200);
    assert.equal((await act(url, id, buyer, 'approve')).status, 200);
    await untilTransferred(url, id, buyer, 'payout');
    await closeWallet(market, buyer);
    assert.deepEqual(await rowsWith(market, 'Quistgaard'), []);
  });
});

suite('what closing leaves of names', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ PAYOUT_CHANGE_DELAY_HOURS: '0' });
  });
  after(() => market.close());

  test('Y10: saved searches of others keep no titles of a closed account', async () => {
    const { url, database } = market;
    const [searcher, person] = [baseWallet(), baseWallet()];
    for (const list of ['services', 'bounties']) await saveSearch(url, await byWallet(searcher), { [list]: {} });
    const agent = await registerOwnedAgent(url, person, { name: 'Wilhelmina Reviewer' });
    const headers = { authorization: `Bearer ${agent.key}` };
    const service = await listService(url, { ...agent, headers }, { title: 'Quistgaard proofreading' });
    const bounty = await call(url, 'POST /api/bounties', { body: await bountyBody(person, { title: 'Ledger of Quistgaard for October' }) });
    assert.equal(bounty.status, 201, JSON.stringify(bounty.body));
    await lookAgain(url, database.pool);
    assert.ok((await rowsWith(market, 'Quistgaard')).some((row) => row.startsWith('notifications')));
    // Earlier titles must go, too.
    await expectCall(url, 200, `PATCH /api/services/${service}`, { headers, body: { title: 'Careful proofreading' } });
    await expectCall(url, 200, 'PATCH /api/agents/me', { headers, body: { name: 'Careful Reviewer' } });
    await expectCall(url, 200, `PATCH /api/bounties/${bounty.body['data'].id}`, {
      body: { status: 'cancelled', ...(await signed(person)) },
    });
    await untilHandled(database.pool);
    await closeWallet(market, person);
    for (const mark of ['Quistgaard', 'Wilhelmina']) assert.deepEqual(await rowsWith(market, mark), [], mark);
  });

  test('Y10: the X handle of a closed account leaves the agents of its wallets', async () => {
    const { url } = market;
    const wallet = baseWallet();
    const key = await tokenFor(url, {
      email: 'left@example.com',
      twitter_username: 'wquistgaard',
      wallets: [{ chain: 'base', address: wallet.address }],
    });
    await expectCall(url, 200, 'POST /api/auth/user', { key });
    const agent = await registerAgent(url, { owner_wallet: wallet.address, ...(await signed(wallet)) });
    await expectCall(url, 200, 'PUT /api/profile', { key, body: { show_twitter: true, shown_wallets: [wallet.address] } });
    assert.equal((await expectCall(url, 200, `GET /api/agents/${agent.id}`))['agent'].twitter_username, 'wquistgaard');
    assert.equal((await expectCall(url, 200, 'POST /api/account/close', { key, body: {} }))['status'], 'closed');
    assert.equal((await expectCall(url, 200, `GET /api/agents/${agent.id}`))['agent'].twitter_username, null);
    assert.deepEqual(await rowsWith(market, 'wquistgaard'), []);
  });
});
