/** An agent that sends its key with a payment is the buyer, whichever wallet pays. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callSigned } from '../agent-wallets/stage.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import {
  type Headers,
  MACHINE_BRIEF,
  openMachineBuyer,
  readOffer,
  requireHired,
  transferProof,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, deliver, listService, openProvider, type Provider, placeOrder, readOrder, requireSoundBooks } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed } from '../harness/people.ts';
import { chainOf } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const CHARGED = 5_500_000n;

describe('a paid hire with an agent’s API key', () => {
  let market: TestMarket;
  let provider: Provider;
  let service: string;
  before(async () => {
    market = await openMarket(withChains);
    provider = await openProvider(market.url);
    service = await listService(market.url, provider, { price_usd: '5.00' });
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  const bearer = (agent: TestAgent): Headers => ({ authorization: `Bearer ${agent.key}` });
  const transfer = async (from: Awaited<ReturnType<typeof openMachineBuyer>>) =>
    transferProof(NETWORK, await from.payer.pay(chainOf(market, NETWORK).treasury, CHARGED));

  /** Requires that the key alone acts for the buyer through the order's whole life. */
  const requireBuyer = async (agent: TestAgent, orderId: string): Promise<void> => {
    const { url } = market;
    const headers = bearer(agent);
    const read = await call(url, `GET /api/orders/${orderId}`, { headers });
    assert.deepEqual([read.status, read.body['data'].viewer_role, read.body['data'].order.client_agent_id], [200, 'buyer', agent.id]);
    const listed = await call(url, 'GET /api/orders?role=client', { headers });
    assert.ok(listed.body['data'].some(({ id }: { id: string }) => id === orderId));
    assert.equal((await deliver(url, orderId, provider)).status, 200);
    const approved = await call(url, `PATCH /api/orders/${orderId}`, { headers, body: { action: 'approve' } });
    assert.deepEqual([approved.status, approved.body['data'].status], [200, 'completed'], JSON.stringify(approved.body));
  };

  test('a standard payment with an agent’s key makes the agent the buyer, at every entrance', async () => {
    const { url } = market;
    const agent = await registerOwnedAgent(url, baseWallet());
    const buyer = await openMachineBuyer(market, NETWORK);
    const doors = [
      (headers: Headers) => call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: MACHINE_BRIEF } }),
      (headers: Headers) => call(url, `GET /api/x402/discover/${service}?brief=${encodeURIComponent(MACHINE_BRIEF)}`, { headers }),
      (headers: Headers) => call(url, 'POST /api/orders', { headers, body: { service_id: service, brief: MACHINE_BRIEF } }),
    ];
    for (const door of doors) {
      const offer = await readOffer(market, url, service, NETWORK);
      const paid = await door({ ...versionTwo(offer, await buyer.authorise(offer)), ...bearer(agent) });
      assert.equal(paid.status, 200, JSON.stringify(paid.body));
      await requireBuyer(agent, paid.body['data'].order_id);
    }
  });

  test('V06: a hire with an agent’s key is refused when its owner’s wallet made the transfer; with that wallet’s signature it is proven', async () => {
    const { url } = market;
    const owner = await openMachineBuyer(market, NETWORK);
    const agent = await registerOwnedAgent(url, owner);
    const headers = { ...(await transfer(owner)), ...bearer(agent) };
    const body = { brief: 'From its owner.' };
    const refused = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body });
    assert.deepEqual([refused.status, refused.body['code']], [409, 'payment_reserved']);
    const both = { ...headers, ...asHeaders(await signed(owner)) };
    const hired = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers: both, body });
    const { orderId } = await requireHired(hired);
    assert.equal(hired.body['data'].contestable_until, null);
    await requireBuyer(agent, orderId);
  });

  test('X01: a transfer of an unknown wallet with an agent’s key makes the agent the buyer, and the payer stays unproven', async () => {
    const { url } = market;
    const stranger = await openMachineBuyer(market, NETWORK);
    const agent = await registerOwnedAgent(url, baseWallet());
    const proof = await transfer(stranger);
    const brief = 'From a wallet of an exchange.';
    const hired = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers: { ...proof, ...bearer(agent) }, body: { brief } });
    const { orderId } = await requireHired(hired);
    assert.notEqual(hired.body['data'].contestable_until, null);
    assert.equal((await deliver(url, orderId, provider)).status, 200);
    const revised = await call(url, `PATCH /api/orders/${orderId}`, {
      headers: bearer(agent),
      body: { action: 'revision', feedback: 'Please use two colours only.' },
    });
    assert.equal(revised.status, 200, JSON.stringify(revised.body));
    assert.notEqual(revised.body['data'].contestable_until, null, 'what the key does proves nothing about the wallet');

    // The paying wallet uses its transfer for a request of its own.
    const own = { headers: { ...proof, ...asHeaders(await signed(stranger)) }, body: { brief: 'What the payer wanted.' } };
    const { orderId: ownOrder } = await requireHired(await call(url, `POST /api/x402/pay?service_id=${service}`, own));
    assert.notEqual(ownOrder, orderId);
    assert.equal((await readOrder(url, orderId, stranger)).order.status, 'cancelled');
    // The payer's proof took the first order from the agent, and gave it no part in the other.
    for (const id of [orderId, ownOrder]) assert.equal((await call(url, `GET /api/orders/${id}`, { headers: bearer(agent) })).status, 403);
  });

  test('a hire counts as related when the agent is the provider or has the same owner, from any wallet', async () => {
    const { url, database } = market;
    const sibling = await registerOwnedAgent(url, provider.owner);
    const unrelated = await registerOwnedAgent(url, baseWallet());
    const isRelated = async (agent: TestAgent): Promise<boolean> => {
      const proof = await transfer(await openMachineBuyer(market, NETWORK));
      const body = { brief: `Paid from a new wallet, asked for by ${agent.id}.` };
      const { orderId } = await requireHired(
        await call(url, `POST /api/x402/pay?service_id=${service}`, { headers: { ...proof, ...bearer(agent) }, body }),
      );
      const { rows } = await database.pool.query('select related_party from orders where id = $1', [orderId]);
      return rows[0].related_party;
    };
    assert.deepEqual([await isRelated(provider), await isRelated(sibling), await isRelated(unrelated)], [true, true, false]);
  });

  test('a hire counts as related when the wallet of an agent of the same owner pays, without any key', async () => {
    const { url } = market;
    const sibling = await openProvider(url, NETWORK, provider.owner);
    const stranger = await openProvider(url, NETWORK);
    const hireFromWalletOf = async (agent: Provider): Promise<[number, number, string]> => {
      const exported = await callSigned(url, agent.owner, `POST /api/agents/${agent.id}/export-key`, { chain: 'base' });
      const secret = Buffer.from(String(exported.body['data'].private_key).slice(2), 'hex');
      const wallet = await openMachineBuyer(market, NETWORK, 2n * CHARGED, secret);
      const offer = await readOffer(market, url, service, NETWORK);
      const headers = versionTwo(offer, await wallet.authorise(offer));
      const { orderId } = await requireHired(
        await call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: MACHINE_BRIEF } }),
      );
      assert.equal((await deliver(url, orderId, provider)).status, 200);
      assert.equal((await act(url, orderId, wallet, 'approve')).status, 200);
      const reviewed = await call(url, `POST /api/orders/${orderId}/review`, {
        headers: asHeaders(await signed(wallet)),
        body: { rating: 5 },
      });
      const placed = await placeOrder(url, service, wallet);
      const orders = await Promise.all([orderId, placed].map(async (id) => (await readOrder(url, id, wallet)).order.related_party));
      assert.equal(orders[1], orders[0], 'an order that the wallet signs for is judged alike');
      return [orders[0], reviewed.status, reviewed.body['code']];
    };
    assert.deepEqual(await hireFromWalletOf(provider), [1, 403, 'related_party']);
    assert.deepEqual(await hireFromWalletOf(sibling), [1, 403, 'related_party']);
    assert.deepEqual(await hireFromWalletOf(stranger), [0, 200, undefined]);
  });

  test('a paid hire with a wrong key is 401 before any charge', async () => {
    const { url } = market;
    const buyer = await openMachineBuyer(market, NETWORK);
    const offer = await readOffer(market, url, service, NETWORK);
    const headers = { ...versionTwo(offer, await buyer.authorise(offer)), authorization: 'Bearer market_wrong' };
    const refused = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: MACHINE_BRIEF } });
    assert.equal(refused.status, 401, 'a wrong key is told before anything is taken');
  });
});
