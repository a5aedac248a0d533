/**
 * A transfer with our reference names its purchase, not its buyer. The address of a hire by GET holds the whole request, so a stranger
 * who read it can present the transfer first. As for a bare transfer, the payer's proof must end what this presenter got.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { networkFacts } from '@market/contract';
import { registerAgent } from '../../harness/agents.ts';
import { requireOutcomes } from '../../harness/authority.ts';
import { type CallOptions, call, expectCall } from '../../harness/http.ts';
import { transferProof } from '../../harness/machine-buyers.ts';
import { readOwnAgent, registerWith, requireRegistered } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { type Buyer, deliver, listService, openBuyer, openProvider, type Provider, walletOf } from '../../harness/orders.ts';
import { createPayer } from '../../harness/payers.ts';
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

async function openKnown(): Promise<Buyer> {
  const payer = await openBuyer(market, NETWORK);
  await expectCall(url, 200, 'GET /api/orders', { headers: asHeaders(await signed(payer)) });
  return payer;
}

/** The payer asks the price, and writes the challenge's reference on its transfer. Logs keep the address of the call. */
async function payByReference(payer: Buyer, brief: string, key?: string) {
  const query = new URLSearchParams({ brief, settlement: 'on_approval', chain: CHAIN });
  const address = `/api/x402/discover/${service}?${query}` as const;
  const asked = await send(`GET ${address}`, key === undefined ? {} : { key });
  assert.equal(asked.status, 402, JSON.stringify(asked.body));
  const [offer] = asked.body['accepts'];
  const { text } = offer.extra.paymentReference;
  const reference = await payer.payer.pay(offer.payTo, BigInt(offer.maxAmountRequired), 'final', text);
  return { address, proof: transferProof(NETWORK, reference) };
}

test('V14: a key of a stranger who knew the request spends no named transfer; a token of the stranger ends with the payer’s proof', async () => {
  const [payer, thief] = [await openKnown(), await registerAgent(url)];
  const { address, proof } = await payByReference(payer, 'A logo for a bakery, in green.');
  // The price was asked without a key, so the reference does not name this one.
  const byKey = await send(`GET ${address}`, { headers: proof, key: thief.key });
  const stolen = await send(`GET ${address}`, { headers: proof });
  assert.equal(stolen.status, 200, JSON.stringify(stolen.body));
  const { order_id: id, read_token: token } = stolen.body['data'];
  const own = await send(`GET ${address}`, { headers: { ...proof, ...asHeaders(await signed(payer)) } });
  await deliver(url, id, provider);
  requireOutcomes({
    'the thief’s key presents it': [byKey, '409 payment_reserved'],
    'the payer’s own order': [own.body['data']?.order_id === id && own.body['data'].buyer_token !== null, true],
    'the thief’s key reads the order': [await send(`GET /api/orders/${id}`, { key: thief.key }), '403 not_your_order'],
    'the thief’s token reads the order': [await send(`GET /api/orders/${id}`, { key: String(token) }), '401 invalid_order_token'],
    'the payer reads its order': [await send(`GET /api/orders/${id}`, { key: String(own.body['data']?.buyer_token) }), '200'],
  });
});

test('V14: the payer acts on its order by signature, which ends the token of a stranger who presented its named transfer', async () => {
  const payer = await openBuyer(market, NETWORK);
  const { address, proof } = await payByReference(payer, 'A logo for a bakery, in blue.');
  const stolen = await send(`GET ${address}`, { headers: proof });
  const { order_id: id, read_token: token } = stolen.body['data'];
  await deliver(url, id, provider);
  const approved = await send(`PATCH /api/orders/${id}`, { body: { action: 'approve', ...(await signed(payer)) } });
  requireOutcomes({
    'the payer approves': [approved, '200'],
    'the stranger’s token': [await send(`GET /api/orders/${id}`, { key: String(token) }), '401 invalid_order_token'],
  });
});

test('V12, M06: a seller whose other agent presents the buyer’s named transfer first releases nothing to itself', async () => {
  const [payer, accomplice] = [await openKnown(), await registerAgent(url)];
  const { address, proof } = await payByReference(payer, 'A logo for a bakery, in red.');
  const byKey = await send(`GET ${address}`, { headers: proof, key: accomplice.key });
  const id = (await send(`GET ${address}`, { headers: proof })).body['data'].order_id;
  await deliver(url, id, provider);
  const approved = await send(`PATCH /api/orders/${id}`, { key: accomplice.key, body: { action: 'approve' } });
  // The payer presents it a moment later, with its signature.
  const own = await send(`GET ${address}`, { headers: { ...proof, ...asHeaders(await signed(payer)) } });
  const body = { action: 'dispute', reason: 'I never approved this, and nothing useful came.' };
  const disputed = await send(`PATCH /api/orders/${id}`, { key: String(own.body['data']?.buyer_token), body });
  requireOutcomes({
    'the accomplice presents it': [byKey, '409 payment_reserved'],
    'the accomplice approves': [approved, '403 not_your_order'],
    'the payer disputes': [disputed, '200'],
  });
});

test('V14: a stranger’s bare presentation for another request, then the named one, gains nothing beyond the payer’s proof', async () => {
  const fresh = await createPayer(market, NETWORK);
  const payer = { ...walletOf(fresh), payer: fresh } as Buyer;
  const { address, proof } = await payByReference(payer, 'A logo for a bakery, in grey.');
  const other = await send(`GET /${address.slice(1).replace('grey', 'pink')}`, { headers: proof });
  const stolen = await send(`GET ${address}`, { headers: proof });
  const { order_id: id, read_token: token } = stolen.body['data'];
  await send(`GET ${address}`, { headers: { ...proof, ...asHeaders(await signed(payer)) } });
  requireOutcomes({
    'bare for another request': [other, '200'],
    'moved to the named one': [stolen, '200'],
    'the stranger’s token afterwards': [await send(`GET /api/orders/${id}`, { key: String(token) }), '401 invalid_order_token'],
  });
});

test('an agent whose key asked the price stays the buyer when its person pays by the reference and acts on the order', async () => {
  const [payer, agent] = [await openBuyer(market, NETWORK), await registerAgent(url)];
  const { address, proof } = await payByReference(payer, 'A logo for a bakery, in gold.', agent.key);
  const bought = await send(`GET ${address}`, { headers: proof, key: agent.key });
  const id = bought.body['data']?.order_id;
  await deliver(url, id, provider);
  await send(`GET ${address}`, { headers: { ...proof, ...asHeaders(await signed(payer)) } });
  requireOutcomes({
    'the agent buys': [bought, '200'],
    'a stranger presents it': [await send(`GET ${address}`, { headers: proof }), '200'],
    'the agent approves': [await send(`PATCH /api/orders/${id}`, { key: agent.key, body: { action: 'approve' } }), '200'],
  });
});

test('V14: the key of an agent that a stranger registered with a named transfer ends when the payer signs or recovers', async () => {
  const payer = await openBuyer(market, NETWORK);
  const body = agentBody();
  const asked = await send(`POST /api/agents/register?pay=x402&chain=${CHAIN}`, { body });
  assert.equal(asked.status, 402, JSON.stringify(asked.body));
  const { payTo, maxAmountRequired, extra } = asked.body;
  const reference = await payer.payer.pay(payTo, BigInt(maxAmountRequired), 'final', extra.paymentReference.text);
  const proof = transferProof(NETWORK, reference);
  const stolen = await requireRegistered(registerWith(url, proof, body));
  const key = String(stolen['api_key']);
  assert.notEqual(await readOwnAgent(url, key), undefined);
  await registerWith(url, { ...proof, ...asHeaders(await signed(payer)) }, body);
  const { agents } = await expectCall(url, 200, 'POST /api/agents/recover', { body: await signed(payer) });
  requireOutcomes({
    'the payer recovers the agent': [agents.length, 1],
    'with a key of its own': [agents[0]?.api_key !== key, true],
    'the stranger’s key works': [(await readOwnAgent(url, key)) !== undefined, false],
  });
});
