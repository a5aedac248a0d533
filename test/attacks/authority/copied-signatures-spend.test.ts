/** A signature that stood in an address is in logs and browser histories. A copy of it in a header spends nothing of the wallet. */
import { after, before, test } from 'node:test';
import { LEND } from '../../earn/stage.ts';
import { copiedSignature, countRows, MINUTE, openAccount, requireOutcomes } from '../../harness/authority.ts';
import { hireSigned } from '../../harness/bare-transfers.ts';
import { asQuery, call, expectCall } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { type Buyer, listService, openBuyer, openProvider } from '../../harness/orders.ts';
import { asHeaders, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const SEEN = '401 signature_already_used';

let market: TestMarket;
let url: string;
/** The thief's service; it costs a machine 5.50, a person 5.00. */
let bait: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  bait = await listService(url, await openProvider(url), { price_usd: '5.00', title: 'Nothing at all' });
});
after(() => market.close());

const pays = (buyer: Buyer, micros = 5_500_000n) => buyer.payer.pay(buyer.payer.chain.treasury, micros);
const spent = (reference: string) => countRows(market, 'payment_claims', 'reference', reference);

test('V19: a signature copied from an address hires nothing with a transfer of its wallet; a new signature does', async () => {
  const victim = await openBuyer(market, NETWORK);
  const reference = await pays(victim);
  const copied = asHeaders(await copiedSignature(url, victim, MINUTE));
  const taken = await hireWith(url, bait, { ...transferProof(NETWORK, reference), ...copied }, { brief: 'All of it for me.' });
  requireOutcomes({ hire: [taken, SEEN], 'transfers spent': [await spent(reference), 0] });
  requireOutcomes({ 'the payer signs anew': [await hireSigned(url, bait, victim, reference, 'What I wanted.'), '200'] });
});

test('V19: a copied signature spends nothing, whether it stood in the address first or later', async () => {
  const victim = await openBuyer(market, NETWORK);
  const fields = await signed(victim, Date.now() - MINUTE);
  await expectCall(url, 200, 'GET /api/orders', { headers: asHeaders(fields) });
  await expectCall(url, 200, `GET /api/notifications${asQuery(fields)}`);
  const reference = await pays(victim);
  const taken = await hireWith(url, bait, { ...transferProof(NETWORK, reference), ...asHeaders(fields) });
  requireOutcomes({ hire: [taken, SEEN], 'transfers spent': [await spent(reference), 0] });
});

test('V19: a thief’s account deposits nothing into Earn with a copied signature beside it', async () => {
  const victim = await openBuyer(market, NETWORK);
  const reference = await pays(victim, 150_000_000n);
  const copied = asHeaders(await copiedSignature(url, victim, MINUTE));
  const thief = await openAccount(url);
  const headers = { authorization: `Bearer ${thief.token}`, ...copied };
  const body = { amount_usd: '150', incoming_tx_hash: reference, key: LEND };
  const taken = await call(url, 'POST /api/earn/pool/deposit', { headers, body });
  requireOutcomes({ deposit: [taken, SEEN], 'transfers spent': [await spent(reference), 0] });
});

test('V19: a thief pays no order of his with a copied signature beside his own', async () => {
  const [victim, thief] = [await openBuyer(market, NETWORK), await openAccount(url)];
  const key = thief.token;
  const placed = await expectCall(url, 200, 'POST /api/orders', { key, body: { service_id: bait, brief: 'All of it for me.' } });
  const reference = await pays(victim, 5_000_000n);
  const headers = { authorization: `Bearer ${key}`, ...asHeaders(await copiedSignature(url, victim, MINUTE)) };
  const body = { action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' };
  const taken = await call(url, `PATCH /api/orders/${placed['id']}`, { headers, body });
  requireOutcomes({ pay: [taken, SEEN], 'transfers spent': [await spent(reference), 0] });
});
