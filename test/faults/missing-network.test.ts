/** A market starts while the node of one network is down: the others trade, and the missing one returns by itself. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type NetworkName, networkFacts, networkNames } from '@market/contract';
import { localEndpoints } from '../../packages/server/src/platform/chains/network-endpoints.ts';
import { openNetwork } from '../../packages/server/src/platform/chains/open-chains.ts';
import type { PaymentRequirements } from '../../packages/server/src/platform/facilitator/facilitator.ts';
import { type Fault, type FaultyNode, silence, startFaultyNode, troubles } from '../harness/faulty-nodes.ts';
import { call } from '../harness/http.ts';
import { type Headers, hireWith, openMachineBuyer, versionTwo } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  act,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  requireSoundBooks,
  untilTransferred,
} from '../harness/orders.ts';
import type { PayableMarket } from '../harness/payers.ts';
import { some } from '../harness/thoroughness.ts';
import { timeUntil } from './outage-watch.ts';

const BACK_WITHIN_MS = 30_000;

interface Stage {
  readonly market: TestMarket;
  readonly node: FaultyNode;
  readonly provider: Provider;
  readonly serviceId: string;
  /** The chains reached directly, not through the faulty nodes, for payers. */
  readonly outside: PayableMarket;
}

const closing: (() => Promise<void> | void)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** Starts the market after the node went down. */
async function startWithout(missing: NetworkName, fault: Fault = troubles['is down']): Promise<Stage> {
  let node: FaultyNode | undefined;
  const market = await openMarket(withChains, {
    provenForMs: 0,
    reroute: (places) =>
      Promise.all(
        places.map(async (place) => {
          if (place.network !== missing) return place;
          node = await startFaultyNode(place.urls[0] ?? '');
          node.spoil(fault);
          return { ...place, urls: [node.url] };
        }),
      ),
  });
  assert.ok(node);
  closing.push(node.close, market.close);
  const provider = await openProvider(market.url);
  const serviceId = await listService(market.url, provider, { price_usd: '2.00' });
  return { market, node, provider, serviceId, outside: outsideOf(market) };
}

function outsideOf({ chains, localChains }: TestMarket): PayableMarket {
  const treasuryOf = (network: NetworkName) => ({ address: chains.get(network)?.treasury ?? '' });
  const signers = { solana: treasuryOf('solana-mainnet'), evm: treasuryOf('base-mainnet') };
  const endpoints = localEndpoints(localChains?.networks ?? []);
  return { localChains, chains: new Map(endpoints.map((endpoint) => [endpoint.network, openNetwork(endpoint, signers, 0n)])) };
}

async function missingNetworks({ market: { url } }: Stage): Promise<string[]> {
  const { status, body } = await call(url, 'GET /readyz');
  assert.equal(status, 200, JSON.stringify(body));
  return Object.keys(body['data'].missing_networks);
}

async function untilMissing(stage: Stage, expected: readonly string[]): Promise<void> {
  const seen = await timeUntil(BACK_WITHIN_MS, async () => String(await missingNetworks(stage)) === String(expected));
  assert.ok(seen !== undefined, `readiness does not say that ${expected.join(', ') || 'nothing'} is missing`);
}

/** A whole order, with its payout on the network of the payment. */
async function trade({ market, provider, serviceId, outside }: Stage, network: NetworkName): Promise<void> {
  const { url } = market;
  const buyer = await openBuyer(outside, network);
  const order = await placeOrder(url, serviceId, buyer);
  await payOrder(url, order, buyer);
  assert.equal((await deliver(url, order, provider)).status, 200);
  assert.equal((await act(url, order, buyer, 'approve')).status, 200);
  await untilTransferred(url, order, buyer, 'payout');
}

interface Waiting {
  readonly order: string;
  readonly buyer: Buyer;
  readonly payment: Record<string, string>;
}

async function payAwayFromMarket({ market: { url }, serviceId, outside }: Stage, network: NetworkName): Promise<Waiting> {
  const buyer = await openBuyer(outside, network);
  const order = await placeOrder(url, serviceId, buyer);
  const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 2_000_000n);
  return { order, buyer, payment: { escrow_tx_hash: reference, payment_chain: networkFacts[network].chain } };
}

async function requireUnavailable({ market: { url } }: Stage, { order, buyer, payment }: Waiting): Promise<void> {
  const reply = await act(url, order, buyer, 'pay', payment);
  assert.deepEqual([reply.status, reply.body['code']], [503, 'chain_unavailable'], JSON.stringify(reply.body));
  assert.ok(Number(reply.headers.get('retry-after')) > 0);
}

/** A payment signed for an offer from before the outage. On Solana only the market knows who pays the fee. */
async function signBefore({ outside }: Stage, network: NetworkName): Promise<Headers | undefined> {
  const chain = outside.chains.get(network);
  if (chain?.kind !== 'evm') return undefined;
  const offer: PaymentRequirements = {
    scheme: 'exact',
    network: chain.caip2 as PaymentRequirements['network'],
    amount: '2200000',
    asset: chain.usdcAddress,
    payTo: chain.treasury,
    maxTimeoutSeconds: 120,
    extra: { name: 'USD Coin', version: '2' },
  };
  return versionTwo(offer, await (await openMachineBuyer(outside, network)).authorise(offer));
}

async function requireRetryable({ market: { url }, serviceId }: Stage, signed: Headers): Promise<void> {
  const reply = await hireWith(url, serviceId, signed);
  assert.deepEqual([reply.status, reply.body['code']], [503, 'chain_unavailable'], JSON.stringify(reply.body));
  assert.ok(Number(reply.headers.get('retry-after')) > 0);
}

async function untilHired({ market: { url }, serviceId }: Stage, signed: Headers): Promise<void> {
  let last = '';
  const hired = await timeUntil(BACK_WITHIN_MS, async () => {
    const { status, body } = await hireWith(url, serviceId, signed);
    last = `${status} ${JSON.stringify(body)}`;
    return status === 200;
  });
  assert.ok(hired !== undefined, last);
}

for (const missing of some(networkNames, 2)) {
  test(`S04: without the node of ${missing} a market starts and trades on the others; when it returns, waiting payments are made`, async () => {
    const stage = await startWithout(missing);
    const { market, node } = stage;
    assert.deepEqual(await missingNetworks(stage), [missing]);
    const [waiting] = await Promise.all([
      payAwayFromMarket(stage, missing),
      ...networkNames.filter((network) => network !== missing).map((network) => trade(stage, network)),
    ]);
    await requireUnavailable(stage, waiting);
    const signed = await signBefore(stage, missing);
    if (signed !== undefined) await requireRetryable(stage, signed);
    node.spoil(undefined);
    await untilMissing(stage, []);
    if (signed !== undefined) await untilHired(stage, signed);
    const paid = await act(market.url, waiting.order, waiting.buyer, 'pay', waiting.payment);
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
    await trade(stage, missing);
    await requireSoundBooks(market);
    // The same when the node goes down later.
    node.spoil(troubles['answers 503']);
    await untilMissing(stage, [missing]);
    await requireUnavailable(stage, await payAwayFromMarket(stage, missing));
    node.spoil(undefined);
    await untilMissing(stage, []);
  });
}

test('S04, C10: the market asks nothing of a node that returns as one of another network', async () => {
  const stage = await startWithout('alt-mainnet', silence);
  const { market, node } = stage;
  const urlOf = (network: NetworkName) => market.localChains?.networks.find((one) => one.network === network)?.rpcUrl ?? '';
  const waiting = await payAwayFromMarket(stage, 'alt-mainnet');
  node.swapFor(urlOf('base-mainnet'));
  node.spoil(undefined);
  const seen = await timeUntil(BACK_WITHIN_MS, async () => {
    const { body } = await call(market.url, 'GET /readyz');
    return /not of this network/.test(body['data'].missing_networks['alt-mainnet']);
  });
  assert.ok(seen !== undefined, 'the strange node was not noticed');
  await requireUnavailable(stage, waiting);
  const balance = await call(market.url, `GET /sandbox/balance?network=alt-mainnet&address=${waiting.buyer.address}`);
  assert.deepEqual([balance.status, balance.body['code']], [503, 'chain_unavailable'], 'a balance of another network was shown');
  node.swapFor(urlOf('alt-mainnet'));
  await untilMissing(stage, []);
  assert.equal((await act(market.url, waiting.order, waiting.buyer, 'pay', waiting.payment)).status, 200);
});
