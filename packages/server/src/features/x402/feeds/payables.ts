/** Pages of the services that a machine can hire: listed, at a fixed price, with a network to pay on. */
import { MarketError, type NetworkName, networkFacts } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import { listPayable, type PayablePaging, type ServicePage, type ServiceRow } from '../../services/index.ts';
import { hireOffer } from '../hire/hire.ts';
import { type FlatOffer, flatOffer, type StandardOffer, standardOffer } from '../offers/offers.ts';
import type { X402Context } from '../x402-context.ts';

const nothing: ServicePage = { rows: [], total: 0, totalCapped: false, nextCursor: null };

export async function pageOfPayables({ chains, database }: X402Context, paging: PayablePaging): Promise<ServicePage> {
  return chains.size === 0 ? nothing : await listPayable(database.db, paging);
}

/** The absolute address of a hire; the same in every document. */
export function addressOf({ baseUrl }: X402Context, { id }: Pick<ServiceRow, 'id'>): string {
  return `${baseUrl}${pathOf(id)}`;
}

export function pathOf(serviceId: string): string {
  return `/api/x402/discover/${encodeURIComponent(serviceId)}`;
}

/** The price on each network, by its short name; on one network if the caller named it. */
export function paymentsFor(context: X402Context, service: ServiceRow, network: NetworkName | undefined): Record<string, FlatOffer> {
  if (network !== undefined && !context.chains.has(network)) throw new MarketError('network_not_available');
  const offer = hireOffer(context, service);
  return Object.fromEntries(
    [...context.chains.values()]
      .filter((chain) => network === undefined || chain.network === network)
      .map((chain) => [networkFacts[chain.network].chain, flatOffer(chain, context, offer)]),
  );
}

/** Networks on which a standard payment can be settled. */
export function settledChains({ chains, facilitator }: X402Context): readonly Chain[] {
  return [...chains.values()].filter(({ network }) => facilitator.networks.includes(network));
}

export function standardOffers(context: X402Context, service: ServiceRow): readonly StandardOffer[] {
  const { amountMicros } = hireOffer(context, service);
  return settledChains(context).map((chain) => standardOffer(chain, context, amountMicros));
}
