import type { EarnStrategy, NetworkName } from '@market/contract';
import type { VenueAddress } from '../../platform/chains/yield-venues.ts';

/** A vault of this deployment, from its settings. */
export interface VaultSetting {
  readonly key: string;
  readonly venue: string;
  readonly market: string;
  readonly label: string;
  readonly strategy: EarnStrategy;
  readonly network: NetworkName;
  readonly at: VenueAddress;
}
