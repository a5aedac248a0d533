/** After the payer of a bare transfer takes it back, the delivery that is now unpaid stays hidden from the buyer's side. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Depositor, deposited, LEND, openSigner, register, untilStatus, withdraw } from '../../earn/stage.ts';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { hireSigned, idOf } from '../../harness/bare-transfers.ts';
import { type CallOptions, call } from '../../harness/http.ts';
import { hireWith, transferProof } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { deliver, listService, openBuyer, openProvider, type Provider, requireSoundBooks } from '../../harness/orders.ts';
import { asHeaders, signed } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const SECRET = 'the-result-itself';

let market: TestMarket;
let url: string;
let provider: Provider;
/** A service that costs a machine 110.00. */
let service: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
  provider = await openProvider(url);
  service = await listService(url, provider, { price_usd: '100.00' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);
const shows = (content: unknown): boolean => JSON.stringify(content).includes(SECRET);

test('V12: a payer that takes its bare transfer back to another request does not read what the first provider delivered', async () => {
  const buyer = await openBuyer(market, NETWORK);
  const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 110_000_000n);
  const orderId = idOf(await hireWith(url, service, transferProof(NETWORK, reference), { brief: 'A logo for a bakery.' }));
  const sent = await deliver(url, orderId, provider, { deliverable_url: `https://example.com/${SECRET}` });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const message = await send(`POST /api/orders/${orderId}/messages`, { key: provider.key, body: { content: `It is at ${SECRET}.` } });
  assert.equal(message.status, 200, JSON.stringify(message.body));
  const before = await send(`GET /api/orders/${orderId}`, { headers: asHeaders(await signed(buyer)) });

  const other = idOf(await hireSigned(url, service, buyer, reference, 'A logo for a mill.'));
  assert.notEqual(other, orderId);
  const headers = asHeaders(await signed(buyer));
  const taken = await send(`GET /api/orders/${orderId}`, { headers });
  requireOutcomes({
    'before the contest': [shows(before.body), false],
    'the order is cancelled': [valuesOf(taken.body, 'status').includes('cancelled') || taken.status >= 400, true],
    'the order shows the delivery': [shows(taken.body), false],
    'the list shows the delivery': [shows((await send('GET /api/orders', { headers })).body), false],
    'the messages show the delivery': [shows((await send(`GET /api/orders/${orderId}/messages`, { headers })).body), false],
  });
});

test('V12: a payer does not get both its money back through Earn and the delivery', async () => {
  await deposited(market, await openSigner(market), 150);
  const thief: Depositor = await openSigner(market);
  const reference = await thief.payer.pay(thief.payer.chain.treasury, 110_000_000n);
  const orderId = idOf(await hireWith(url, service, transferProof(NETWORK, reference), { brief: 'A logo for a bakery.' }));
  const sent = await deliver(url, orderId, provider, { deliverable_url: `https://example.com/${SECRET}` });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const deposit = await register(market, thief, { amount_usd: '110', incoming_tx_hash: reference, key: LEND });
  let isBack = false;
  if (deposit.status === 200) {
    await untilStatus(market, thief, deposit.body['data'].deposit_id, 'deployed');
    isBack = (await withdraw(market, thief, { all: true, key: LEND })).status === 200;
  }
  const { headers } = await thief.credentials();
  const read = await send(`GET /api/orders/${orderId}`, { headers: headers ?? {} });
  requireOutcomes({ 'result read and payment back': [isBack && shows(read.body), false] });
});

test('the books are sound after transfers are taken back', async () => {
  await requireSoundBooks(market);
});
