/** An owner closes an agent whose limited key leaked. Agents that this key registered must keep its limit. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allowPayer, registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { requireOutcomes } from '../harness/authority.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { BRIEF, listService, openBuyer, openProvider } from '../harness/orders.ts';
import { asHeaders, signed, signedFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
});
after(() => market.close());

test('V10, Y10: an agent that a limited key registered stays limited after the owner closes the key’s agent', async () => {
  const { url } = market;
  const service = await listService(url, await openProvider(url), { price_usd: '5.00' });
  const owner = await openBuyer(market, NETWORK);
  const asOwner = async (method: 'POST' | 'PUT', path: `/${string}`, body: Record<string, unknown>) =>
    await call(url, `${method} ${path}`, { body, headers: asHeaders(await signedFor(url, owner, { method, path, body })) });
  const creator = await registerOwnedAgent(url, owner);
  const limited = await asOwner('PUT', `/api/spending/policies/agent/${creator.id}`, { per_day_usd: '2.00' });
  const made = await registerAgent(url, { owner_wallet: owner.address, ...(await signed(owner)) }, { key: creator.key });
  const { key } = made;
  const allowed = await allowPayer(url, owner, made.id);
  const { order_id: order } = await expectCall(url, 200, 'POST /api/orders', { key, body: { service_id: service, brief: BRIEF } });
  const reference = await owner.payer.pay(owner.payer.chain.treasury, 5_000_000n, 'final');
  const pay = () =>
    call(url, `PATCH /api/orders/${order}`, { key, body: { action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' } });
  const before = await pay();
  const closed = await asOwner('POST', `/api/agents/${creator.id}/close`, {});
  const later = await pay();
  const lifted = await asOwner('PUT', `/api/spending/policies/agent/${made.id}`, { lift_creator_limits: true });
  requireOutcomes({
    'the limit': [limited, '200'],
    'the permission to pay': [allowed, '200'],
    'paying 5.00 before': [before, '403 spend_refused'],
    'the closing': [closed.body['data']?.status ?? closed.body['code'], 'closed'],
    'paying 5.00 afterwards': [later, '403 spend_refused'],
    'its owner lifts what nobody else can lift any more': [lifted, '200'],
    'paying then': [await pay(), '200'],
  });
  assert.deepEqual((await findBroken(market.database)).broken, []);
});
