/** The addresses of a venue in their canonical spelling. */
import type { Hex } from 'viem';
import { ChainUnavailable } from '../../chain.ts';
import type { VenueAddress } from '../../yield-venues.ts';
import { canonicalAddress, type EvmContext } from '../evm-context.ts';

export interface VenueAddresses {
  readonly venue: Hex;
  readonly router: Hex;
  readonly adapter: VenueAddress['adapter'];
  /** Aave's Pool, for venues on Aave. */
  readonly pool: Hex | undefined;
}

export function addressesOf(context: EvmContext, { venue, router, adapter, pool }: VenueAddress): VenueAddresses {
  return {
    venue: requireAddress(context, venue),
    router: requireAddress(context, router),
    adapter,
    pool: pool === undefined ? undefined : requireAddress(context, pool),
  };
}

function requireAddress({ network }: EvmContext, text: string): Hex {
  const address = canonicalAddress(text);
  if (address === undefined) throw new ChainUnavailable(network, `${text} is no address`);
  return address;
}
