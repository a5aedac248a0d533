/** An API key vouches for its agent: not for its owner's wallets, not for the next owner, and not past its limits. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deposited, LEND, openSigner } from '../../earn/stage.ts';
import { registerAgent, type TestAgent } from '../../harness/agents.ts';
import { callAsAsked, countRows, openAccount, outcomeOf, requireOutcomes } from '../../harness/authority.ts';
import { postBounty, tryClaim } from '../../harness/bounties.ts';
import { type CallOptions, call, expectCall } from '../../harness/http.ts';
import {
  type Headers,
  hireWith,
  type MachineBuyer,
  openMachineBuyer,
  readOffer,
  transferProof,
  versionTwo,
} from '../../harness/machine-buyers.ts';
import { registerWith, signRegistration } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { BRIEF, type Buyer, listService, openBuyer, openProvider, requireSoundBooks } from '../../harness/orders.ts';
import { agentBody, asHeaders, signed } from '../../harness/people.ts';
import { STAKE, STAKE_MICROS } from '../../harness/stakes.ts';

const NETWORK = 'base-mainnet';
const RESERVED = '409 payment_reserved';
/** Where no bare transfer is accepted, the transfer just counts as another wallet's. */
const NOT_YOURS = '403 payment_wrong_payer';

let market: TestMarket;
let url: string;
/** A service that costs a person 5.00, a machine 5.50. */
let service: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
  service = await listService(url, await openProvider(url), { price_usd: '5.00' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);
const withKey = (key: string, headers: Headers = {}): Headers => ({ ...headers, authorization: `Bearer ${key}` });
const pays = (buyer: Pick<Buyer, 'payer'>, micros: bigint) => buyer.payer.pay(buyer.payer.chain.treasury, micros);
const spent = (reference: string) => countRows(market, 'payment_claims', 'reference', reference);

const hireByKey = (key: string, reference: string) => hireWith(url, service, withKey(key, transferProof(NETWORK, reference)));

async function placeByKey(key: string): Promise<string> {
  const { order_id: id } = await expectCall(url, 200, 'POST /api/orders', { key, body: { service_id: service, brief: BRIEF } });
  return id;
}

const payBody = (reference: string) => ({ action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' });

test('V06: an API key spends no transfer of its owner’s wallet, through any entrance', async () => {
  await deposited(market, await openSigner(market), 150);
  const owner = await openBuyer(market, NETWORK);
  const { key } = await openProvider(url, NETWORK, owner);
  const { id: bounty } = await postBounty(url, await openBuyer(market, NETWORK), { claim_stake_usd: STAKE });
  const order = await placeByKey(key);
  const [hire, place, pay, deposit, stake] = [
    await pays(owner, 5_500_000n),
    await pays(owner, 5_500_000n),
    await pays(owner, 5_000_000n),
    await pays(owner, 120_000_000n),
    await pays(owner, STAKE_MICROS),
  ];
  requireOutcomes({
    'x402 hire': [await hireByKey(key, hire), RESERVED],
    'order with X-PAYMENT': [
      await send('POST /api/orders', { key, headers: transferProof(NETWORK, place), body: { service_id: service, brief: BRIEF } }),
      RESERVED,
    ],
    'payment of an order': [await send(`PATCH /api/orders/${order}`, { key, body: payBody(pay) }), NOT_YOURS],
    'Earn deposit': [
      await send('POST /api/earn/pool/deposit', { key, body: { amount_usd: '120', incoming_tx_hash: deposit, key: LEND } }),
      NOT_YOURS,
    ],
    stake: [await tryClaim(url, bounty, { key }, { stake_tx_hash: stake, payment_chain: 'base' }), NOT_YOURS],
    'transfers spent': [(await Promise.all([hire, place, pay, deposit, stake].map(spent))).join(), '0,0,0,0,0'],
  });
});

test('V06: an API key spends no transfer of a wallet that is linked to the account of its owner', async () => {
  const wallet = await openBuyer(market, NETWORK);
  const { token } = await openAccount(url, wallet);
  const { key } = await registerAgent(url, {}, { key: token });
  const reference = await pays(wallet, 5_500_000n);
  requireOutcomes({ hire: [await hireByKey(key, reference), RESERVED], 'transfers spent': [await spent(reference), 0] });
});

test('V06: with a signature of the paying wallet beside the key, the agent hires and is the buyer', async () => {
  const owner = await openBuyer(market, NETWORK);
  const { key } = await openProvider(url, NETWORK, owner);
  const headers = { ...transferProof(NETWORK, await pays(owner, 5_500_000n)), ...asHeaders(await signed(owner)) };
  const hired = await hireWith(url, service, withKey(key, headers));
  requireOutcomes({ hire: [hired, '200'] });
  requireOutcomes({ 'the agent reads its order': [await send(`GET /api/orders/${hired.body['data'].order_id}`, { key }), '200'] });
});

test('V06: a buyer’s account pays its order from a fresh wallet that signs beside it', async () => {
  const { token } = await openAccount(url);
  const wallet = await openBuyer(market, NETWORK);
  const order = await placeByKey(token);
  const reference = await pays(wallet, 5_000_000n);
  const paid = await send(`PATCH /api/orders/${order}`, { key: token, body: { ...payBody(reference), ...(await signed(wallet)) } });
  requireOutcomes({ pay: [paid, '200'], 'transfers spent': [await spent(reference), 1] });
});

test('V07: the old key of an agent ends when an account becomes its owner, and spends nothing of that account', async () => {
  const agent = await registerAgent(url);
  const wallet = await openBuyer(market, NETWORK);
  const { token } = await openAccount(url, wallet);
  const link = await send('POST /api/agents/link', { key: token, body: { api_key: agent.key } });
  const reference = await pays(wallet, 5_500_000n);
  const { api_key: newKey } = link.body['data'];
  requireOutcomes({
    link: [link, '200'],
    'the old key': [await send('GET /api/agents/me', { key: agent.key }), '401 invalid_api_key'],
    'hire with the old key': [await hireByKey(agent.key, reference), '401 invalid_api_key'],
    'transfers spent': [await spent(reference), 0],
    'the key of the answer is new': [newKey !== agent.key, true],
    'the new key': [await send('GET /api/agents/me', { key: String(newKey) }), '200'],
  });
});

test('V07: the old key of an agent ends when a wallet becomes its owner, and spends nothing of that wallet', async () => {
  const agent = await registerAgent(url);
  const owner = await openBuyer(market, NETWORK);
  const body = { owner_wallet: owner.address };
  const claim = await callAsAsked(url, owner, 'PATCH /api/agents/me', { key: agent.key, body });
  const reference = await pays(owner, 5_500_000n);
  const { api_key: newKey } = claim.body['data'] ?? {};
  requireOutcomes({
    claim: [claim, '200'],
    'the old key': [await send('GET /api/agents/me', { key: agent.key }), '401 invalid_api_key'],
    'hire with the old key': [await hireByKey(agent.key, reference), '401 invalid_api_key'],
    'transfers spent': [await spent(reference), 0],
    'the key of the answer is new': [newKey !== agent.key, true],
    'the new key': [await send('GET /api/agents/me', { key: String(newKey) }), '200'],
  });
});

/** An agent of an account, whose key may spend 2 USD a day. */
async function openLimited(...wallets: readonly Buyer[]): Promise<TestAgent> {
  const { token } = await openAccount(url, ...wallets);
  const agent = await registerAgent(url, {}, { key: token });
  await expectCall(url, 200, `PUT /api/spending/policies/agent/${agent.id}`, { key: token, body: { per_day_usd: '2.00' } });
  return agent;
}

async function hireSigned(key: string, payer: MachineBuyer) {
  const offer = await readOffer(market, url, service, NETWORK);
  return await hireWith(url, service, withKey(key, versionTwo(offer, await payer.authorise(offer))));
}

test('V10: a limited key registers no unlimited sibling with its owner’s transfer', async () => {
  const wallet = await openBuyer(market, NETWORK);
  const { key } = await openLimited(wallet);
  const [fee, price] = [await pays(wallet, 1_000_000n), await pays(wallet, 5_500_000n)];
  const made = await registerWith(url, withKey(key, transferProof(NETWORK, fee)), agentBody());
  const sibling = made.body['data']?.api_key;
  const hired = typeof sibling === 'string' ? outcomeOf(await hireByKey(sibling, price)) : 'no sibling';
  requireOutcomes({ registration: [made, RESERVED], 'hire for 5.50': [hired, 'no sibling'], 'transfers spent': [await spent(price), 0] });
});

test('V10: an agent that a limited key registers has the same limit', async () => {
  const machine = await openMachineBuyer(market, NETWORK);
  const { key } = await openLimited();
  requireOutcomes({ 'hire for 5.50 by the limited key': [await hireSigned(key, machine), '403 spend_refused'] });
  const made = await registerWith(url, withKey(key, await signRegistration(market, url, machine)), agentBody());
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const sibling = String(made.body['data'].api_key);
  const before = await machine.payer.chain.readBalances(machine.address);
  const hired = await hireSigned(sibling, machine);
  const after = await machine.payer.chain.readBalances(machine.address);
  requireOutcomes({
    'hire for 5.50 by the sibling': [hired, '403 spend_refused'],
    'money taken': [before.usdcMicros - after.usdcMicros, 0n],
  });
});

test('the books are sound after payments by keys', async () => {
  await requireSoundBooks(market);
});
