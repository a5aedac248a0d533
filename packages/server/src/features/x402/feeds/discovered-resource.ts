/** A payable service as an entry of a catalogue of x402 resources, in version 1 or 2. */
import { describeMachinePayout, type OperationAnswer, type Operations } from '@market/contract';
import type { ServiceRow } from '../../services/index.ts';
import { hireOffer } from '../hire/hire.ts';
import { firstVersionSchema, hireInput, hireOutput } from '../offers/discovery-extension.ts';
import { firstVersionAddress, firstVersionOffers, flatOffer } from '../offers/offers.ts';
import type { X402Context } from '../x402-context.ts';
import { addressOf, settledChains, standardOffers } from './payables.ts';

export type DiscoveredResource = OperationAnswer<Operations['x402']['directory']>['data']['resources'][number];

/** Empty where no standard payment can be settled: directories want payable entries only. */
export function firstVersionResource(context: X402Context, service: ServiceRow): DiscoveredResource[] {
  const resource = firstVersionAddress(addressOf(context, service));
  const offer = hireOffer(context, service, resource);
  const offers = settledChains(context).map((chain) => flatOffer(chain, context, offer));
  return entryOf(service, 1, resource, firstVersionOffers(offers, firstVersionSchema('GET')));
}

export function secondVersionResource(context: X402Context, service: ServiceRow): DiscoveredResource[] {
  const offers = standardOffers(context, service).map((offer) => ({ ...offer }));
  return entryOf(service, 2, addressOf(context, service), offers);
}

function entryOf(
  service: ServiceRow,
  x402Version: 1 | 2,
  resource: string,
  accepts: readonly Record<string, unknown>[],
): DiscoveredResource[] {
  if (accepts.length === 0) return [];
  return [
    {
      resource,
      type: 'http',
      x402Version,
      accepts: [...accepts],
      lastUpdated: service.updatedAt.toISOString(),
      metadata: {
        name: service.title,
        description: service.description,
        category: service.category,
        provider: service.agentName,
        payout: describeMachinePayout(service.agentPayoutHeldSince !== null),
        input: hireInput.GET,
        output: hireOutput,
      },
    },
  ];
}
