/** An authorisation (EIP-3009) is public once a transaction carries it. A copy of it buys nothing for a stranger. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Hex } from 'viem';
import { authorize } from '../../../packages/server/testing/evm-test-chain.ts';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { hireBare, hireSigned, idOf } from '../../harness/bare-transfers.ts';
import { payloadIn } from '../../harness/copied-payments.ts';
import { payWith } from '../../harness/hostile-payers.ts';
import { expectCall } from '../../harness/http.ts';
import { type Headers, hireWith, readOffer, versionTwo } from '../../harness/machine-buyers.ts';
import { REGISTRATION_MICROS, readRegistrationOffer, registerWith } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openProvider, readOrder, requireSoundBooks, walletOf } from '../../harness/orders.ts';
import { createPayer, type EvmPayer, untilLanded } from '../../harness/payers.ts';
import { agentBody, asHeaders, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const RESERVED = '409 payment_reserved';
const PRICE = 5_500_000n;

let market: TestMarket;
let url: string;
/** A service that costs a machine 5.50. */
let service: string;
let bait: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  service = await listService(url, await openProvider(url), { price_usd: '5.00' });
  bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
});
after(() => market.close());

async function openVictim(): Promise<EvmPayer> {
  const victim = await createPayer(market, NETWORK);
  assert.ok(victim.kind === 'evm');
  return victim;
}

type Offer = Awaited<ReturnType<typeof readOffer>>;

const asBuyer = (payer: EvmPayer) => ({ ...walletOf(payer), payer });
const spent = (reference: string) => countRows(market, 'payment_claims', 'reference', reference);

/** The authorisation as the chain shows it to everybody, in the header of a standard payment. */
async function copiedFromChain(payer: EvmPayer, reference: string, serviceId: string): Promise<Headers> {
  return await copiedFor(await readOffer(market, url, serviceId, NETWORK), payer, reference);
}

async function copiedFor(offer: Offer, { reader }: EvmPayer, reference: string): Promise<Headers> {
  const { input } = await reader.getTransaction({ hash: reference as Hex });
  return versionTwo(offer, payloadIn(input));
}

/** The payer sends its own authorisation. */
async function sendsOwn({ wallet, chain }: EvmPayer, micros = PRICE): Promise<string> {
  const data = await authorize(wallet, chain.treasury as Hex, micros);
  const reference = await wallet.sendTransaction({ to: chain.usdcAddress as Hex, data, gas: 200_000n });
  await untilLanded(chain, reference, 'final');
  return reference;
}

test('V15: an authorisation copied from the chain buys nothing, and its payer still buys with a signature', async () => {
  const [victim, relayer] = [await openVictim(), await openVictim()];
  await expectCall(url, 200, 'GET /api/orders', { headers: asHeaders(await signed(asBuyer(victim))) });
  const reference = await payWith(victim, { how: 'sponsored', to: victim.chain.treasury, micros: PRICE, sponsor: relayer });
  const taken = await hireWith(url, bait, await copiedFromChain(victim, reference, bait), { brief: 'All of it for me.' });
  requireOutcomes({ hire: [taken, RESERVED], 'transfers spent': [await spent(reference), 0] });
  const own = await hireSigned(url, service, asBuyer(victim), reference, 'What I wanted.');
  requireOutcomes({ 'hire with the payer’s signature': [own, '200'] });
});

test('V15: a copied authorisation does not contest the bare purchase of its payer', async () => {
  const victim = await openVictim();
  const reference = await sendsOwn(victim);
  const orderId = idOf(await hireBare(url, service, NETWORK, reference, 'What I wanted.'));
  const taken = await hireWith(url, bait, await copiedFromChain(victim, reference, bait), { brief: 'All of it for me.' });
  const { order } = await readOrder(url, orderId, asBuyer(victim));
  requireOutcomes({ hire: [taken, RESERVED], 'the order of the payer': [order.status, 'paid'] });
});

test('V15: a copied authorisation registers no agent', async () => {
  const victim = await openVictim();
  const reference = await sendsOwn(victim, REGISTRATION_MICROS);
  const copy = await copiedFor(await readRegistrationOffer(market, url, NETWORK), victim, reference);
  const reply = await registerWith(url, copy, agentBody());
  requireOutcomes({ registration: [reply, RESERVED], 'transfers spent': [await spent(reference), 0] });
});

test('V15: the payer of an authorisation that others sent buys with it and a signature', async () => {
  const [victim, relayer] = [await openVictim(), await openVictim()];
  const reference = await payWith(victim, { how: 'sponsored', to: victim.chain.treasury, micros: PRICE, sponsor: relayer });
  const headers = { ...(await copiedFromChain(victim, reference, service)), ...asHeaders(await signed(asBuyer(victim))) };
  const own = await hireWith(url, service, headers);
  requireOutcomes({ hire: [own, '200'], 'transfers spent': [await spent(reference), 1] });
  assert.notEqual(own.body['data'].buyer_token, null);
});

test('the books are sound after copied authorisations', async () => {
  await requireSoundBooks(market);
});
