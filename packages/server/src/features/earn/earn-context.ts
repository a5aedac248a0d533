/** Dependencies of this feature. */
import type { EarnStrategy, NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { VenueAddress, YieldVenues } from '../../platform/chains/yield-venues.ts';
import type { Db } from '../../platform/db/database.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { VenueSigner } from '../../platform/signer/venue-signer.ts';
import type { AgentWalletsContext } from '../agent-wallets/index.ts';
import type { AgentRow } from '../agents/index.ts';
import type { OutflowGate } from '../outgoing/gate/index.ts';
import type { PaymentsContext } from '../payments/index.ts';
import type { PayoutsContext } from '../payouts/index.ts';

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

/** A vault with the chain that its venue is on. */
export interface VenuePort extends VaultSetting {
  readonly chain: Chain;
  readonly venues: YieldVenues;
}

export interface EarnContext extends PaymentsContext, PayoutsContext {
  /** By key, in the order of the settings. */
  readonly vaults: ReadonlyMap<string, VaultSetting>;
  readonly venueSigner: VenueSigner;
  readonly gate: Pick<OutflowGate, 'findClosed'>;
  readonly limiter: RateLimiter;
  readonly agentWallets: AgentWalletsContext;
  /** How long a request follows a deposit or withdrawal before it answers. */
  readonly waitSeconds: number;
  /** From `features/spending`, given by `app/`. */
  readonly isAgentFrozen: (db: Db, agent: AgentRow) => Promise<boolean>;
  readonly explorerUrl: (network: NetworkName, reference: string) => string | null;
}
