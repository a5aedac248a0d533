/** The requests whose walk is counted. Loaded after the sources are instrumented. */
import assert from 'node:assert/strict';
import { openDepositor, registerDeposit, sendDeposit } from '../../test/earn/depositors.ts';
import { hireWith, openMachineBuyer, readOffer, versionTwo } from '../../test/harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../test/harness/market.ts';
import { listService, openProvider } from '../../test/harness/orders.ts';

/** Prepares everything; the returned function sends the one request that counts. */
type Prepare = (market: TestMarket) => Promise<() => Promise<unknown>>;

export const prepareRequest = {
  /** A person registers a transfer, and the request ends when its USDC is in the vault. */
  async earn(market) {
    const { url } = market;
    const depositor = await openDepositor(market as never, url, 'user');
    const amount = 100_000_000n;
    const reference = await sendDeposit(depositor, amount);
    return async () => {
      const { status, body } = await registerDeposit(url, depositor, 'lend_a:usdc', amount, reference);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body['data'].status, 'deployed', JSON.stringify(body));
    };
  },
  /** A program pays for a service with an x402 payment of version 2. */
  async x402(market) {
    const { url } = market;
    const serviceId = await listService(url, await openProvider(url), { price_usd: '1.00' });
    const buyer = await openMachineBuyer(market as never, 'base-mainnet');
    const offer = await readOffer(market as never, url, serviceId, 'base-mainnet');
    const headers = versionTwo(offer, await buyer.authorise(offer));
    return async () => {
      const { status, body } = await hireWith(url, serviceId, headers);
      assert.equal(status, 200, JSON.stringify(body));
    };
  },
} satisfies Record<string, Prepare>;

export async function openWalkedMarket(): Promise<TestMarket> {
  return await openMarket(withOwnChains);
}
