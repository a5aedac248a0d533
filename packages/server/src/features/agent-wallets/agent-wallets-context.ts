/** Dependencies of this feature. */
import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import type { OutflowLimits } from '../../platform/signer/outflow-limits.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { WalletChains } from '../../platform/wallets/wallet-chains.ts';
import type { OutflowGate } from '../outgoing/gate/index.ts';
import type { MintMovements } from './mint-movements.ts';

export interface AgentWalletsSettings {
  /** False: the operator turned agent wallets off. */
  readonly enabled: boolean;
  /** Most USDC that may leave the wallets of one agent within a day. */
  readonly dailyMicros: bigint;
  /** Most of a chain's native coin within a day, in whole coins. */
  readonly dailyCoins: number;
}

export interface AgentWalletsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly secrets: SecretBox;
  readonly log: Logger;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly walletChains: WalletChains;
  readonly limiter: RateLimiter;
  readonly settings: AgentWalletsSettings;
  /** Limits for token accounts that the sponsor opens for destinations, as for payouts. */
  readonly accountLimits: OutflowLimits;
  /** How long a move waits when only an account vouches for it. */
  readonly payoutChangeDelaySeconds: number;
  /** How long a request waits for the chain before it answers with what is known. */
  readonly waitSeconds: number;
  readonly serviceName: string;
  /** Address under which metadata of mints is served. */
  readonly baseUrl: string;
  readonly mints: MintMovements;
  readonly gate: Pick<OutflowGate, 'findClosed'>;
  readonly explorerUrl: (network: NetworkName, reference: string) => string | null;
}
