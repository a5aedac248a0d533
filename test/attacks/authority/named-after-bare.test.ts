/**
 * Everybody who knows a request can compute a reference that names it: the seller, a reader of logs. So a reference ends nothing that an
 * earlier bare presentation of the request gave, and such a presentation takes nothing from the agent that the reference names.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { networkFacts } from '@market/contract';
import { registerAgent } from '../../harness/agents.ts';
import { requireOutcomes } from '../../harness/authority.ts';
import { type CallOptions, call, expectCall } from '../../harness/http.ts';
import { transferProof } from '../../harness/machine-buyers.ts';
import { readOwnAgent } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { deliver, listService, openProvider, type Provider, walletOf } from '../../harness/orders.ts';
import { createPayer, type Payer } from '../../harness/payers.ts';
import { agentBody, asHeaders, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const { chain: CHAIN } = networkFacts[NETWORK];

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

interface Asked {
  readonly key?: string;
  /** Happens between asking the price and the transfer. */
  readonly meanwhile?: () => Promise<unknown>;
  /** By default a wallet that never signs here, like that of an exchange. */
  readonly payer?: Payer;
  readonly service?: string;
}

async function payByReference(brief: string, { key, meanwhile, payer, service: asks = service }: Asked = {}) {
  const from = payer ?? (await createPayer(market, NETWORK));
  const query = new URLSearchParams({ brief, settlement: 'on_approval', chain: CHAIN });
  const address = `/api/x402/discover/${asks}?${query}` as const;
  const asked = await send(`GET ${address}`, key === undefined ? {} : { key });
  assert.equal(asked.status, 402, JSON.stringify(asked.body));
  const [offer] = asked.body['accepts'];
  const { text } = offer.extra.paymentReference;
  await meanwhile?.();
  const reference = await from.pay(offer.payTo, BigInt(offer.maxAmountRequired), 'final', text);
  return { address, proof: transferProof(NETWORK, reference) };
}

test('V14: a seller who repeats its buyer’s request without credentials does not exclude the buying agent from its order', async () => {
  const agent = await registerAgent(url);
  // The price is asked without the key, as clients do; the hire sends it.
  const { address, proof } = await payByReference('A logo for a bakery, in green.');
  const bought = await send(`GET ${address}`, { headers: proof, key: agent.key });
  assert.equal(bought.status, 200, JSON.stringify(bought.body));
  const id = bought.body['data'].order_id;
  const before = await send(`GET /api/orders/${id}`, { key: agent.key });
  // The seller knows brief and settlement from the order, and the transfer from the chain.
  const repeated = await send(`GET ${address}`, { headers: proof });
  await deliver(url, id, provider);
  const body = { action: 'dispute', reason: 'Nothing useful came, and I cannot use any of it.' };
  requireOutcomes({
    'the agent reads its order before': [before, '200'],
    'the seller gets no token': [repeated.body['data']?.read_token ?? null, null],
    'the agent reads its order afterwards': [await send(`GET /api/orders/${id}`, { key: agent.key }), '200'],
    'the agent disputes': [await send(`PATCH /api/orders/${id}`, { key: agent.key, body }), '200'],
  });
});

test('V14: the agent whose key asked the price is the buyer, even if a stranger presented its named transfer first for the same request', async () => {
  const agent = await registerAgent(url);
  const { address, proof } = await payByReference('A logo for a bakery, in blue.', { key: agent.key });
  const stolen = await send(`GET ${address}`, { headers: proof });
  const bought = await send(`GET ${address}`, { headers: proof, key: agent.key });
  const id = bought.body['data']?.order_id;
  requireOutcomes({
    'a stranger presents it': [stolen, '200'],
    'the agent presents it': [bought, '200'],
    'the agent reads its order': [await send(`GET /api/orders/${id}`, { key: agent.key }), '200'],
  });
});

test('V14: a stranger who rebuilds a registration from public data does not end the key of the registered agent', async () => {
  const [sibling, payer] = [await registerAgent(url), await createPayer(market, NETWORK)];
  const body = agentBody();
  const asked = await send(`POST /api/agents/register?pay=x402&chain=${CHAIN}`, { body });
  assert.equal(asked.status, 402, JSON.stringify(asked.body));
  const { payTo, maxAmountRequired, extra } = asked.body;
  const reference = await payer.pay(payTo, BigInt(maxAmountRequired), 'final', extra.paymentReference.text);
  const proof = transferProof(NETWORK, reference);
  const made = await send('POST /api/agents/register', { headers: proof, body, key: sibling.key });
  const key = String(made.body['data']?.api_key);
  const before = await readOwnAgent(url, key);
  const stranger = await send('POST /api/agents/register', { headers: proof, body });
  requireOutcomes({
    'the agent works before': [before !== undefined, true],
    'the stranger gets no key': [stranger.body['data']?.api_key ?? null, null],
    'the agent works afterwards': [(await readOwnAgent(url, key)) !== undefined, true],
  });
});

const cheaper = (id: string) =>
  expectCall(url, 200, `PATCH /api/services/${id}`, { headers: provider.headers, body: { price_usd: '9.99' } });

test('V14: a seller who lowers its price and repeats the request does not end the token of a buyer without credentials', async () => {
  const own = await listService(url, provider, { price_usd: '10.00' });
  const { address, proof } = await payByReference('A logo for a bakery, in white.', { service: own, meanwhile: () => cheaper(own) });
  const bought = await send(`GET ${address}`, { headers: proof });
  assert.equal(bought.status, 200, JSON.stringify(bought.body));
  const { order_id: id, read_token: token } = bought.body['data'];
  await send(`GET ${address}`, { headers: proof });
  await deliver(url, id, provider);
  requireOutcomes({ 'the buyer reads its order': [await send(`GET /api/orders/${id}`, { key: String(token) }), '200'] });
});

test('a named transfer of a known wallet buys at the price it was made for, although the seller lowered it afterwards', async () => {
  const own = await listService(url, provider, { price_usd: '10.00' });
  const [agent, payer] = [await registerAgent(url), await createPayer(market, NETWORK)];
  await expectCall(url, 200, 'GET /api/orders', { headers: asHeaders(await signed(walletOf(payer))) });
  const { address, proof } = await payByReference('A logo for a bakery, in black.', { service: own, payer, key: agent.key });
  await cheaper(own);
  requireOutcomes({ 'the agent presents it': [await send(`GET ${address}`, { headers: proof, key: agent.key }), '200'] });
});
