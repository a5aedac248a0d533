/** Inputs of the application: the settings and all opened resources. */
import type { NetworkName } from '@market/contract';
import type { SandboxChains } from '@market/sandbox/chains';
import type { Config } from '../config.ts';
import type { Chain } from '../platform/chains/chain.ts';
import type { NetworkEndpoint } from '../platform/chains/network-endpoints.ts';
import type { Database } from '../platform/db/database.ts';
import type { Notifications } from '../platform/db/notifications.ts';
import type { SponsorSigners } from '../platform/facilitator/open-facilitator.ts';
import type { LocalVenue } from '../platform/swaps/local-venue.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

export interface AppOptions {
  readonly config: Config;
  /** Public addresses of this process, and its address over loopback. */
  readonly addresses: { readonly baseUrl: string; readonly appUrl: string; readonly selfUrl: string };
  readonly masterKey: Buffer;
  /** Former master keys; default: those of the settings. */
  readonly formerKeys?: readonly Buffer[];
  readonly database: Database;
  readonly notifications: Notifications;
  /** The networks this deployment serves; empty if none is configured. */
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** The sandbox's own chains, to be funded, delayed and broken. */
  readonly localChains: SandboxChains | undefined;
  /** The nodes of those networks, and the keys that pay the fees of standard x402 payments. */
  readonly endpoints: readonly NetworkEndpoint[];
  readonly sponsors: SponsorSigners;
  /** Solana with the vault of creator fees as its treasury; absent where no fees are collected. */
  readonly feeVault?: Chain | undefined;
  /** The venue of the sandbox, which has a pool on its chain. */
  readonly localVenue?: LocalVenue | undefined;
  /** Parts that this process runs itself. Each returns why it is not running; undefined while it runs. */
  readonly missingParts: Readonly<Record<string, () => string | undefined>>;
  /** Networks that cannot be used now, with the reason; the others work. */
  readonly missingNetworks: () => Readonly<Record<string, string>>;
  /** Called when the process cannot continue; ends it. */
  readonly onGivenUp?: ((error: Error) => void) | undefined;
  readonly log: Logger;
}
