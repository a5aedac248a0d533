/** Closing an account or an agent: who may, with which proof, and when it happens. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { kindsIn, rowsWith } from '../accounts/closings.ts';
import { privacyCorruptions } from '../accounts/corruptions.ts';
import { registerAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { act, advanceClock, listService, placeOrder, requireSoundBooks } from '../harness/orders.ts';
import { baseWallet, signed, signedFor, type TestWallet, tokenFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';

suite('who closes, and when', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket();
  });
  after(() => market.close());

  async function openAccount(email: string): Promise<{ key: string; wallet: TestWallet }> {
    const wallet = baseWallet();
    const key = await tokenFor(market.url, { email, wallets: [{ chain: 'base', address: wallet.address }] });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key });
    return { key, wallet };
  }
  const path = '/api/account/close';
  const custody = async (wallet: TestWallet, body: Record<string, unknown>, at = path) => ({
    ...body,
    ...(await signedFor(market.url, wallet, { method: 'POST', path: at, body })),
  });

  test('Y10: a closing by the account alone waits for a day, once, can be cancelled, and then happens by itself', async () => {
    const { key } = await openAccount('waits@example.com');
    const asked = await expectCall(market.url, 200, `POST ${path}`, { key, body: {} });
    assert.deepEqual([asked['status'], asked['closed_at']], ['waiting', null]);
    const again = await expectCall(market.url, 200, `POST ${path}`, { key, body: {} });
    assert.equal(again['move_id'], asked['move_id'], 'asking twice gives the one that waits');
    await expectCall(market.url, 200, `DELETE /api/moves/${asked['move_id']}`, { key });
    assert.equal((await call(market.url, 'GET /api/auth/user', { key })).status, 200);
    await expectCall(market.url, 200, `POST ${path}`, { key, body: {} });
    await advanceClock(market.url, 24 * 3600 + 5);
    const later = await tokenFor(market.url, { email: 'waits@example.com' });
    await until('the account is closed', async () =>
      (await call(market.url, 'GET /api/auth/user', { key: later })).status === 404 ? true : undefined,
    );
    assert.deepEqual(await rowsWith(market, 'waits@example.com'), []);
    await requireSoundBooks(market);
  });

  test('Y10: a wallet linked for a day closes the account at once; a session, an ordinary signature and a fresh link do not', async () => {
    const { key, wallet } = await openAccount('settled@example.com');
    const fresh = await expectCall(market.url, 200, `POST ${path}`, { key, body: await custody(wallet, {}) });
    assert.equal(fresh['status'], 'waiting');
    await expectCall(market.url, 200, `DELETE /api/moves/${fresh['move_id']}`, { key });
    const ordinary = await call(market.url, `POST ${path}`, { body: await signed(wallet) });
    assert.deepEqual([ordinary.status, ordinary.body['code']], [401, 'custody_signature_required']);
    await advanceClock(market.url, 24 * 3600 + 5);
    const later = await tokenFor(market.url, { email: 'settled@example.com', wallets: [{ chain: 'base', address: wallet.address }] });
    assert.equal((await expectCall(market.url, 200, `POST ${path}`, { key: later, body: await custody(wallet, {}) }))['status'], 'closed');
  });

  test('Y10: a wallet without an account closes its profile and agents by its own custody signature', async () => {
    const wallet = baseWallet();
    await expectCall(market.url, 200, 'PUT /api/profile', { body: { display_name: 'Quistgaard alone', ...(await signed(wallet)) } });
    assert.equal((await expectCall(market.url, 200, `POST ${path}`, { body: await custody(wallet, {}) }))['status'], 'closed');
    assert.deepEqual(await rowsWith(market, 'Quistgaard alone'), []);
  });

  test('Y10: only its owner closes an agent; the account stays open, and the closed agent gets no orders', async () => {
    const { key } = await openAccount('keeps@example.com');
    const agent = await registerAgent(market.url, {}, { key });
    const service = await listService(market.url, { ...agent, headers: { authorization: `Bearer ${agent.key}` } });
    const buyer = baseWallet();
    const order = await placeOrder(market.url, service, buyer);
    const route = `POST /api/agents/${agent.id}/close` as const;
    const stranger = await openAccount('stranger@example.com');
    assert.equal((await call(market.url, route, { key: stranger.key, body: {} })).status, 403);
    const looked = await call(market.url, `GET /api/account/closing?agent_id=${agent.id}`, { key: stranger.key });
    assert.deepEqual([looked.status, looked.body['data']], [403, undefined], 'a stranger learns nothing of what is open');
    const open = await call(market.url, route, { key, body: {} });
    assert.deepEqual([open.status, kindsIn(open)], [409, ['order_sold']]);
    assert.equal(open.body['data'].open[0].next, 'Decline the order. Nothing was paid.', 'an unpaid order cannot be delivered');
    assert.equal((await act(market.url, order, buyer, 'cancel')).status, 200);
    const asked = await expectCall(market.url, 200, route, { key, body: {} });
    assert.equal(asked['status'], 'waiting');
    await advanceClock(market.url, 60);
    const again = await expectCall(market.url, 200, route, { key, body: {} });
    assert.deepEqual([again['move_id'], again['effective_at']], [asked['move_id'], asked['effective_at']], 'asking twice delays nothing');
    await advanceClock(market.url, 24 * 3600 + 5);
    await until('the agent is closed', async () =>
      (await call(market.url, `GET /api/agents/${agent.id}`)).status === 404 ? true : undefined,
    );
    const refused = await call(market.url, 'POST /api/orders', {
      body: { service_id: service, brief: 'Proofread the attached page.', ...(await signed(buyer)) },
    });
    assert.equal(refused.status, 404, JSON.stringify(refused.body));
    await assert.rejects(
      market.database.pool.query(
        `insert into services (id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours)
         values ('svc_1', $1, 's', 'custom', 't', 'd', 1, 'fixed', 1)`,
        [agent.id],
      ),
      { constraint: 'closed_agent' },
    );
    const later = await tokenFor(market.url, { email: 'keeps@example.com' });
    assert.equal((await call(market.url, 'GET /api/auth/user', { key: later })).status, 200, 'its owner stays');
    await requireSoundBooks(market);
  });

  for (const { what, breaks, sql } of privacyCorruptions) {
    test(`Y10: the audit of closings reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
