/** The facilitator inside this process: a settler per network, each with a sponsor that pays the fees. */
import type { NetworkName } from '@market/contract';
import type { Facilitator, StandardPayment } from './facilitator.ts';
import { refusal } from './refusal.ts';
import type { Settler } from './settler.ts';
import { type SponsorWatchOptions, watchSponsors } from './sponsor-watch.ts';

export async function createInProcessFacilitator(options: SponsorWatchOptions): Promise<Facilitator> {
  const settlers = new Map<NetworkName, Settler>(options.settlers.map((settler) => [settler.network, settler]));
  const watch = await watchSponsors(options);
  const identityOf = (payment: StandardPayment) => settlers.get(payment.network)?.nameOf(payment);
  return {
    get networks() {
      return watch.networks;
    },
    supports: (network) => settlers.has(network),
    extraOf: (network) => settlers.get(network)?.extra ?? {},
    identityOf,
    async verify(payment) {
      const settler = settlers.get(payment.network);
      return settler === undefined ? { valid: false, ...refusal('invalid_network') } : await settler.verify(payment);
    },
    async settle(payment) {
      const settler = settlers.get(payment.network);
      if (settler === undefined) return { state: 'failed', ...refusal('invalid_network') };
      const identity = identityOf(payment);
      if (identity !== undefined) return await settler.settle(payment, identity);
      const verdict = await settler.verify(payment);
      return { state: 'failed', ...(verdict.valid ? refusal('invalid_payload') : { reason: verdict.reason, message: verdict.message }) };
    },
    findPreempted: async (payment) => await settlers.get(payment.network)?.findPreempted(payment),
  };
}
