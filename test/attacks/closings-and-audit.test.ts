/** Findings of the audit, and a database that looks restored, stop outflow. Nobody causes either by closing their own agent or account. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { readBooksMark, wasPutBack } from '../../packages/server/src/platform/db/database-identity.ts';
import { deferred } from '../../packages/server/src/platform/db/pipelined-driver.ts';
import { fundWallet, openAccountAgent } from '../agent-wallets/stage.ts';
import { deposited, openSigner } from '../earn/stage.ts';
import { registerAgent } from '../harness/agents.ts';
import { disputeOrder, openOpponents, rule } from '../harness/disputes.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, deliver, listService, openBuyer, payOrder, placeOrder, untilTransferred } from '../harness/orders.ts';
import { signedFor, type TestWallet, tokenFor } from '../harness/people.ts';
import { openReceiver } from '../harness/receiver.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';

suite('the audit after closings', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ ...withChains, PAYOUT_CHANGE_DELAY_HOURS: '0', OUTBOUND_ALLOW: '127.0.0.1' });
  });
  after(() => market.close());

  const path = '/api/account/close';
  const closeWallet = async (wallet: TestWallet) =>
    await call(market.url, `POST ${path}`, { body: { ...(await signedFor(market.url, wallet, { method: 'POST', path, body: {} })) } });
  const untilSound = async () => {
    let broken: readonly string[] = [];
    for (let look = 0; look < 30; look++) {
      ({ broken } = await findBroken(market.database));
      if (broken.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    assert.deepEqual(broken, []);
  };
  let people = 0;
  async function openSeller(more: Record<string, unknown> = {}) {
    people += 1;
    const key = await tokenFor(market.url, { email: `closing-${people}@example.com`, name: `Closing ${people}` });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key });
    const agent = await registerAgent(market.url, more, { key });
    const headers = { authorization: `Bearer ${agent.key}` };
    return { key, agent, headers, service: await listService(market.url, { ...agent, headers }) };
  }
  const closeAgent = async (key: string, id: string) => await call(market.url, `POST /api/agents/${id}/close`, { key, body: {} });

  test('B07, Y10: a party of a ruling closes its account, and the audit stays clean', async () => {
    const opponents = await openOpponents(market);
    const order = await disputeOrder(market.url, opponents);
    const ruled = await rule(market.url, order, opponents.admin, { ruling: 'refund' });
    assert.equal(ruled.status, 200, JSON.stringify(ruled.body));
    await untilTransferred(market.url, order, opponents.buyer, 'refund');
    await untilSound();
    const closed = await closeWallet(opponents.buyer);
    assert.equal(closed.status, 200, JSON.stringify(closed.body));
    await untilSound();
  });

  test('B07, Y10: the operator of a ruling closes its account, and the audit stays clean', async () => {
    const opponents = await openOpponents(market);
    const { admin } = opponents;
    await expectCall(market.url, 200, 'POST /api/auth/user', { key: admin });
    const order = await disputeOrder(market.url, opponents);
    assert.equal((await rule(market.url, order, admin, { ruling: 'refund' })).status, 200);
    await untilTransferred(market.url, order, opponents.buyer, 'refund');
    await untilSound();
    await expectCall(market.url, 200, `POST ${path}`, { key: admin, body: {} });
    await untilSound();
  });

  test('B07, Y10: an agent closes while its endpoint refuses webhooks, and the audit stays clean', async () => {
    const receiver = await openReceiver((response) => void response.writeHead(500).end());
    try {
      const seller = await openSeller({ endpoint_url: receiver.url });
      const buyer = await openBuyer(market, 'base-mainnet');
      const order = await placeOrder(market.url, seller.service, buyer);
      assert.equal((await act(market.url, order, buyer, 'cancel')).status, 200);
      await until('a delivery is tried', async () => (receiver.received.length > 0 ? true : undefined));
      const closed = await closeAgent(seller.key, seller.agent.id);
      assert.equal(closed.status, 200, JSON.stringify(closed.body));
      await untilSound();
    } finally {
      await receiver.close();
    }
  });

  test('B07, Y10: an agent with the name of a role closes, and the audit stays clean', async () => {
    const seller = await openSeller({ name: 'provider' });
    const buyer = await openBuyer(market, 'base-mainnet');
    const order = await placeOrder(market.url, seller.service, buyer);
    await payOrder(market.url, order, buyer);
    assert.equal((await deliver(market.url, order, { headers: seller.headers })).status, 200);
    assert.equal((await act(market.url, order, buyer, 'approve')).status, 200);
    await untilTransferred(market.url, order, buyer, 'payout');
    await untilSound();
    const balance = await call(market.url, `POST /api/agents/${seller.agent.id}/wallet/send`, {
      key: seller.key,
      body: { chain: 'base', to: buyer.address, asset: 'usdc' },
    });
    assert.equal(balance.status, 200, JSON.stringify(balance.body));
    await until('the agent closes', async () => {
      const tried = await closeAgent(seller.key, seller.agent.id);
      return tried.status === 200 ? true : undefined;
    });
    await untilSound();
  });

  test('Y10: a closing changes the latest event, and no process takes the database for a restored one', async () => {
    const { db } = market.database;
    const seller = await openSeller();
    const before = await readBooksMark(db);
    assert.equal((await closeAgent(seller.key, seller.agent.id)).status, 200);
    const { rows } = await market.database.pool.query('select xmin::text as writer from events where id = $1', [before.event?.id]);
    assert.notEqual(rows[0]?.writer, before.event?.writer, 'the closing changed it');
    assert.equal(await wasPutBack(db, before, await readBooksMark(db)), false);
  });

  test('B03, Y10: restoring rows of a dump after a closing is noticed', async () => {
    const { db } = market.database;
    const seller = await openSeller();
    assert.equal((await closeAgent(seller.key, seller.agent.id)).status, 200);
    const before = await readBooksMark(db);
    const undone = new Error('nothing of this stays');
    const restoring = db.transaction().execute(async (tx) => {
      for (const statement of [
        'set local session_replication_role = replica',
        'create temporary table saved on commit drop as table events',
        'delete from events',
        'insert into events overriding system value select * from saved',
      ])
        await tx.executeQuery(deferred(statement, []));
      assert.equal(await wasPutBack(tx, before, await readBooksMark(tx)), true);
      throw undone;
    });
    await assert.rejects(restoring, undone);
  });

  test('B07, Y10: an agent cannot close between its transfer to Earn and the deposit', async () => {
    await deposited(market, await openSigner(market), 150);
    const agent = await openAccountAgent(market.url);
    await fundWallet(market, agent, 'base-mainnet', { usdcMicros: 5_000_000n });
    const client = await market.database.pool.connect();
    let placing: Promise<unknown>;
    try {
      await client.query('begin');
      await client.query('lock table chain_receipts in exclusive mode');
      placing = call(market.url, `POST /api/agents/${agent.id}/earn/deposit`, {
        key: agent.key,
        body: { amount_usd: '5', key: 'lend_a:usdc' },
      });
      await until('the transfer is final', async () => {
        const { rows } = await client.query(`select 1 from wallet_movements where agent_id = $1 and state = 'confirmed'`, [agent.id]);
        return rows.length > 0 ? true : undefined;
      });
      const closed = await closeAgent(agent.token, agent.id);
      assert.deepEqual([closed.status, closed.body['code']], [409, 'still_open'], JSON.stringify(closed.body));
      assert.deepEqual(
        closed.body['data'].open.map(({ kind }: Envelope) => kind),
        ['earn_deposit'],
      );
    } finally {
      await client.query('rollback');
      client.release();
    }
    await placing;
    await until('the deposit is the agent’s', async () => {
      const { rows } = await market.database.pool.query(`select 1 from earn_deposits where owner_id = $1 and status = 'deployed'`, [
        agent.id,
      ]);
      return rows.length > 0 ? true : undefined;
    });
    await untilSound();
  });
});
