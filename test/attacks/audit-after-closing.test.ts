/** `market reconcile` keeps outflow closed while the audit finds anything. So no closing may change what the audit compares. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { disputeOrder, headersOf, openOpponents, RULING_REASON, readDispute, rule } from '../harness/disputes.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  deliver,
  listService,
  openBuyer,
  type Provider,
  payOrder,
  placeOrder,
  requireSoundBooks,
  untilTransferred,
} from '../harness/orders.ts';
import { baseWallet, signedFor } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
let failing: Receiver;
before(async () => {
  failing = await openReceiver((response) => {
    response.statusCode = 500;
    response.end();
  });
  market = await openMarket({ ...withOwnChains, OUTBOUND_ALLOW: '127.0.0.1' });
});
after(async () => {
  await market.close();
  await failing.close();
});

async function close({ id, owner }: Pick<Provider, 'id' | 'owner'>): Promise<void> {
  const path = `/api/agents/${id}/close` as const;
  await until('the agent closes', async () => {
    const reply = await call(market.url, `POST ${path}`, { body: await signedFor(market.url, owner, { method: 'POST', path, body: {} }) });
    assert.ok(reply.status === 200 || reply.body['code'] === 'still_open', JSON.stringify(reply.body));
    return reply.status === 200 ? true : undefined;
  });
}

async function openNamed(name: string, more: Record<string, unknown> = {}): Promise<Provider> {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(market.url, owner, { name, ...more });
  return { ...agent, owner, headers: { authorization: `Bearer ${agent.key}` } };
}

/** An attacker who wants to stop all payouts needs only one order of its own agent. */
async function sellAndClose(name: string): Promise<void> {
  const { url } = market;
  const provider = await openNamed(name);
  const service = await listService(url, provider, { price_usd: '5.00' });
  const buyer = await openBuyer(market, 'base-mainnet');
  const order = await placeOrder(url, service, buyer);
  await payOrder(url, order, buyer, 'final');
  assert.equal((await deliver(url, order, provider)).status, 200);
  assert.equal((await act(url, order, buyer, 'approve')).status, 200);
  await untilTransferred(url, order, buyer, 'payout');
  await close(provider);
}

test('Y10, B07: an agent named after a role or a network closes without changing the events that the audit reads', async () => {
  await Promise.all(['provider', 'base-mainnet'].map(sellAndClose));
  assert.deepEqual((await findBroken(market.database)).broken, []);
});

test('Y10, B07: an agent closes while its endpoint refuses webhooks, and each delivery gets an end', async () => {
  const provider = await openNamed('Nobody Home', { endpoint_url: failing.url });
  const service = await listService(market.url, provider);
  const order = await placeOrder(market.url, service, baseWallet());
  await until('a webhook was refused', async () => (failing.received.length > 0 ? true : undefined));
  assert.equal(
    (await call(market.url, `PATCH /api/orders/${order}`, { headers: provider.headers, body: { action: 'decline' } })).status,
    200,
  );
  await close(provider);
  await requireSoundBooks(market);
  const { rows } = await market.database.pool.query(
    `select count(*)::int as attempts, count(url)::int as addresses, count(ends_as)::int as ends from webhook_attempts where agent_id = $1`,
    [provider.id],
  );
  assert.ok(rows[0].attempts > 0 && rows[0].ends > 0);
  assert.equal(rows[0].addresses, 0, 'the address of the endpoint is gone');
});

test('Y10, B07: after a side of a ruled dispute closes, the ruling keeps the operator’s reason', async () => {
  const { url } = market;
  const opponents = await openOpponents(market);
  const { buyer, provider, admin } = opponents;
  const order = await disputeOrder(url, opponents);
  assert.equal((await rule(url, order, admin, { ruling: 'release' })).status, 200);
  await untilTransferred(url, order, buyer, 'payout');
  await close(provider);
  const { dispute } = (await readDispute(url, order, await headersOf(buyer))).body['data'];
  assert.deepEqual([(await findBroken(market.database)).broken, dispute.ruling_reason], [[], RULING_REASON]);
});
