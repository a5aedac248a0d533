/** After the sandbox clock was moved, programs that do not know of it pay as before. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { hireWith, inEveryVersion, openMachineBuyer, readOffer } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock, listService, openProvider } from '../harness/orders.ts';

const NETWORKS: readonly NetworkName[] = ['base-mainnet', 'alt-mainnet', 'solana-mainnet'];
const A_MONTH = 30 * 86_400;

let market: TestMarket;
let serviceId: string;
before(async () => {
  market = await openMarket(withOwnChains);
  serviceId = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
});
after(() => market?.close());

async function hireOn(network: NetworkName): Promise<void> {
  const buyer = await openMachineBuyer(market, network);
  const offer = await readOffer(market, market.url, serviceId, network);
  const versions = inEveryVersion(network, offer, {}).length;
  for (let version = 0; version < versions; version++) {
    const headers = inEveryVersion(network, offer, await buyer.authorise(offer))[version] ?? {};
    const { status, body } = await hireWith(market.url, serviceId, headers, { brief: `Logo ${version} for a bakery.` });
    assert.equal(status, 200, `${network}: ${JSON.stringify(body)}`);
  }
}

for (const seconds of [0, A_MONTH]) {
  test(`signed payments of ordinary clients pay ${seconds === 0 ? 'before' : 'after'} /sandbox/clock moved time by a month`, async () => {
    if (seconds > 0) await advanceClock(market.url, seconds);
    await Promise.all(NETWORKS.map(hireOn));
  });
}
