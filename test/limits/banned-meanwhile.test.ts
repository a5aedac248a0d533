/** A ban during a request of the banned person, or to the banned person. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';

import { type Buyer, openBuyer, openProvider, type Provider, readOrder } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';
import { type Answering, openReceiver, type Receiver, withJson } from '../harness/receiver.ts';
import { generate, listRequests, openWorkspace, setEndpoint, WORKSPACE_CALL } from '../harness/workspaces.ts';

suite('a ban while a request is under way', () => {
  let market: TestMarket;
  let receiver: Receiver;
  let admin: string;
  let provider: Provider;
  let buyer: Buyer;
  let order: string;

  before(async () => {
    market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
    receiver = await openReceiver(withJson(200, { content: 'Done.' }), { only: WORKSPACE_CALL });
    admin = await tokenFor(market.url, { email: 'ops@example.com', admin: true });
  });
  after(async () => {
    await market.close();
    await receiver.close();
  });

  async function open(): Promise<void> {
    provider = await openProvider(market.url);
    buyer = await openBuyer(market, 'base-mainnet', 50_000_000n);
    await setEndpoint(market.url, provider, receiver.url);
    order = await openWorkspace(market.url, provider, buyer, { quota_limit: 5 });
  }

  const ban = (value: string) =>
    expectCall(market.url, 200, 'POST /api/admin/bans', { key: admin, body: { kind: 'wallet', value, reason: 'Stolen pictures.' } });

  /** Makes the endpoint answer only after this ban. */
  function answerAfterBan(value: string): void {
    const late: Answering = async (response, received) => {
      await ban(value);
      withJson(200, { content: 'The work of the banned.' })(response, received);
    };
    receiver.answer(late);
  }

  test('Y18: when a provider is banned during its endpoint’s work, the request fails and its quota is returned', async () => {
    await open();
    answerAfterBan(provider.owner.address);
    const reply = await generate(market.url, order, buyer);
    assert.deepEqual([reply.status, reply.body['code']], [503, 'generation_failed'], JSON.stringify(reply.body));
    assert.ok(!JSON.stringify(await listRequests(market.url, order, buyer)).includes('The work of the banned'));
    assert.equal((await readOrder(market.url, order, buyer)).order.quota_used, 0);
  });

  test('Y18: the endpoint of a banned provider is not called', async () => {
    const asked = receiver.received.length;
    receiver.answer(withJson(200, { content: 'The work of the banned.' }));
    await generate(market.url, order, buyer);
    assert.equal(receiver.received.length, asked);
    assert.ok(!JSON.stringify(await listRequests(market.url, order, buyer)).includes('The work of the banned'));
  });

  test('Y18: a buyer banned during a request gets a refusal instead of the answer, which stays with the order', async () => {
    await open();
    answerAfterBan(buyer.address);
    const reply = await generate(market.url, order, buyer);
    assert.deepEqual([reply.status, reply.body['code']], [403, 'banned'], JSON.stringify(reply.body));
    const seen = await expectCall(market.url, 200, `GET /api/orders/${order}/requests`, { headers: provider.headers });
    assert.equal(seen[0]?.status, 'completed');
  });
});
