/** A buyer's token lasts for months. A proof that lasts for one request must not turn an earlier hire into such a token. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerPayingAgent } from '../../harness/agents.ts';
import { copiedSignature, MINUTE, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { hireSigned, idOf } from '../../harness/bare-transfers.ts';
import { asQuery, type CallOptions, call, expectCall } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { advanceClock, type Buyer, listService, openBuyer, openProvider, type Provider } from '../../harness/orders.ts';
import { asHeaders, openSession, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const BRIEF = 'A logo for a bakery, in our own words.';

let market: TestMarket;
let url: string;
let provider: Provider;
let service: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  provider = await openProvider(url);
  service = await listService(url, provider, { price_usd: '10.00' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);

/** The victim hires with its signature, so the payment is proven. */
async function hired(buyer: Buyer): Promise<{ orderId: string; reference: string }> {
  const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 11_000_000n);
  return { reference, orderId: idOf(await hireSigned(url, service, buyer, reference, BRIEF)) };
}

const buyerTokenIn = (content: unknown): string | undefined =>
  valuesOf(content, 'buyer_token').find((token): token is string => typeof token === 'string');

async function requireNoToken(orderId: string, repeated: Awaited<ReturnType<typeof send>>): Promise<void> {
  const token = buyerTokenIn(repeated.body);
  // By then every signature and session of the victim has ended.
  await advanceClock(url, 31 * 86_400);
  const path = `/api/orders/${orderId}` as const;
  const acts = async (route: `${string} /${string}`, body?: Record<string, unknown>) =>
    token === undefined ? 401 : (await send(route, { key: token, ...(body && { body }) })).status;
  requireOutcomes({
    'a token of the buyer is given': [token !== undefined, false],
    'a month later it reads the order': [await acts(`GET ${path}`), 401, 403],
    'a month later it writes as the buyer': [await acts(`POST ${path}/messages`, { content: 'Send it to me.' }), 401, 403],
  });
}

test('V01: a signature copied from an address gives no token of a hire that its wallet made before', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const { orderId } = await hired(buyer);
  const copy = await copiedSignature(url, buyer);
  // The list, which the copy can read, has all that repeating the hire needs.
  const [order] = (await send(`GET /api/orders${asQuery(copy)}`)).body['data'];
  assert.equal(order.order_id ?? order.id, orderId, JSON.stringify(order));
  const headers = { ...transferProof(NETWORK, order.escrow_tx_hash), ...asHeaders(copy) };
  const repeated = await send(`POST /api/x402/pay?service_id=${order.service_id}`, { headers, body: { brief: order.brief } });
  await requireNoToken(orderId, repeated);
});

test('V02: a stolen session gives no token that outlives the session', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const { orderId, reference } = await hired(buyer);
  const cookie = await openSession(url, buyer);
  const headers = { ...transferProof(NETWORK, reference), cookie, origin: url };
  const repeated = await send(`POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: BRIEF } });
  await send('DELETE /api/auth/session', { body: await signed(buyer) });
  await requireNoToken(orderId, repeated);
});

test('V06: the key of an agent that may pay from a wallet gets no token of hires that the wallet itself made', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const { orderId, reference } = await hired(buyer);
  const agent = await registerPayingAgent(url, buyer);
  const closed = await send(`GET /api/orders/${orderId}`, { key: agent.key });
  assert.equal(closed.status, 403, JSON.stringify(closed.body));
  const headers = { ...transferProof(NETWORK, reference), authorization: `Bearer ${agent.key}` };
  const repeated = await send(`POST /api/x402/pay?service_id=${service}`, { headers, body: { brief: BRIEF } });
  await requireNoToken(orderId, repeated);
});

test('V19: a copied signature of ten minutes ago and a guessed Idempotency-Key get no order token', async () => {
  const victim = await openBuyer(market, NETWORK);
  const reference = await victim.payer.pay(victim.payer.chain.treasury, 11_000_000n);
  const keyed = { ...transferProof(NETWORK, reference), 'idempotency-key': 'hire-1' };
  idOf(await hireWith(url, service, { ...keyed, ...asHeaders(await signed(victim)) }, { brief: BRIEF }));
  const fields = await signed(victim, Date.now() - 10 * MINUTE);
  await expectCall(url, 200, `GET /api/notifications${asQuery(fields)}`);
  const repeated = await hireWith(url, service, { ...keyed, ...asHeaders(fields) }, { brief: BRIEF });
  requireOutcomes({ 'buyer token': [(repeated.body['data']?.buyer_token ?? null) !== null, false] });
});
