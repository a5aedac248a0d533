/** One hire by a published client to its end: order, both ways to read it, the provider's money on chain, one transfer. */
import assert from 'node:assert/strict';
import { formatUsd, type NetworkName, networkFacts, withFeeOnTop } from '@market/contract';
import { call } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import { listService, openProvider, readOrder, untilTransferred } from '../harness/orders.ts';
import { FUNDED_MICROS, type OpenClient, openProgramBuyer, type PayingFetch, type ProgramBuyer } from './stock-clients.ts';

export interface Stage {
  readonly market: TestMarket;
  readonly openClient: OpenClient;
}

/** How the service is called: by its path with the brief in query or body, by the single pay call, or at the address in a catalogue. */
export type Entrance = 'GET discover' | 'POST discover' | 'POST pay' | 'its address in the catalogue';

export interface WantedHire {
  readonly network: NetworkName;
  readonly version: 1 | 2;
  readonly entrance: Entrance;
  /** By default below every client's default limit. */
  readonly priceMicros?: bigint;
  readonly mostUsd?: number;
}

const SMALL_PRICE = 50_000n;
const BRIEF = 'A logo for a bakery: a croissant and the word Lune.';

export async function requireWholeHire({ market, openClient }: Stage, wanted: WantedHire): Promise<void> {
  const { network, priceMicros = SMALL_PRICE } = wanted;
  const provider = await openProvider(market.url, network);
  const serviceId = await listService(market.url, provider, { price_usd: formatUsd(priceMicros) });
  const buyer = await openProgramBuyer(market, network);
  const pay = await openClient({ ...buyer.setup, version: wanted.version, mostUsd: wanted.mostUsd });

  const hired = await requireHired(await callWith(pay, market.url, serviceId, wanted), wanted, buyer);
  await requireReadable(market.url, hired, buyer);
  await requirePaidOut(market, hired.orderId, buyer, { network, priceMicros, address: provider.owner.address });
  assert.equal(await buyer.readUsdc(), FUNDED_MICROS - withFeeOnTop(priceMicros), 'the buyer paid 110% of the price');
  // A payout leaves only for a final payment, so funding and payment are final by now.
  assert.equal(await buyer.countTransfers(), 2, 'the funding, and one payment');
}

export async function callWith(pay: PayingFetch, url: string, serviceId: string, { version, entrance }: WantedHire): Promise<Response> {
  const address = new URL(await addressOf(url, serviceId, version, entrance));
  if (entrance.startsWith('POST')) {
    return await pay(address.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ brief: BRIEF }),
    });
  }
  address.searchParams.set('brief', BRIEF);
  return await pay(address.href);
}

async function addressOf(url: string, serviceId: string, version: 1 | 2, entrance: Entrance): Promise<string> {
  if (entrance === 'its address in the catalogue') return await addressInCatalogue(url, serviceId, version);
  if (entrance === 'POST pay') return `${url}/api/x402/pay?service_id=${serviceId}`;
  return `${url}/api/x402/discover/${serviceId}${version === 1 ? '?x402Version=1' : ''}`;
}

/** The directory lists version 1, the manifest version 2. */
async function addressInCatalogue(url: string, serviceId: string, version: 1 | 2): Promise<string> {
  const { body } = await call(url, version === 1 ? 'GET /api/x402/directory?limit=100' : 'GET /.well-known/x402.json');
  const listed: { resource: string; x402Version: number }[] = body['items'];
  const entry = listed.find(({ resource, x402Version }) => resource.includes(serviceId) && x402Version === version);
  assert.ok(entry, `${serviceId} is listed`);
  return entry.resource;
}

interface Hired {
  readonly orderId: string;
  readonly token: string;
}

/** Requires the answer, and the receipt in the header of this version. */
async function requireHired(response: Response, { network, version, entrance }: WantedHire, buyer: ProgramBuyer): Promise<Hired> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { data, ...beside } = JSON.parse(text);
  if (entrance !== 'POST pay') assert.equal(beside.order_id, data.order_id);
  const { payer_wallet: payer, tx_signature: transaction, settled_via: via } = data.x402;
  assert.deepEqual([data.status, payer, via], ['paid', buyer.address, 'facilitator']);

  const header = response.headers.get(version === 2 ? 'payment-response' : 'x-payment-response');
  const name = version === 2 ? buyer.payer.chain.caip2 : networkFacts[network].chain;
  assert.ok(header, `a receipt of version ${version}`);
  const receipt = JSON.parse(Buffer.from(header, 'base64').toString());
  assert.deepEqual([receipt.success, receipt.transaction, receipt.network, receipt.payer], [true, transaction, name, payer]);
  return { orderId: data.order_id, token: data.read_token };
}

/** Requires that the paying wallet and the holder of the token can read the order. */
async function requireReadable(url: string, { orderId, token }: Hired, buyer: ProgramBuyer): Promise<void> {
  const byToken = await call(url, `GET /api/orders/${orderId}`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(byToken.status, 200, JSON.stringify(byToken.body));
  for (const { viewer_role: role, order } of [byToken.body['data'], await readOrder(url, orderId, buyer)]) {
    assert.deepEqual([role, order.client_type, order.brief], ['buyer', 'agent_x402', BRIEF]);
  }
}

interface Due {
  readonly network: NetworkName;
  readonly priceMicros: bigint;
  readonly address: string;
}

/** The provider's address is new, so its balance is this hire's payout. */
async function requirePaidOut(market: TestMarket, orderId: string, buyer: ProgramBuyer, due: Due): Promise<void> {
  const { payout } = await untilTransferred(market.url, orderId, buyer, 'payout');
  assert.deepEqual([payout.network, payout.destination, payout.amount_usd], [due.network, due.address, formatUsd(due.priceMicros)]);
  assert.equal((await buyer.payer.chain.readBalances(due.address)).usdcMicros, due.priceMicros);
}
