/** What an application is made of before it is one: the settings and everything that was opened for it. */
import type { NetworkName } from '@market/contract';
import type { SandboxChains } from '@market/sandbox/chains';
import type { Config } from '../config.ts';
import type { Chain } from '../platform/chains/chain.ts';
import type { NetworkEndpoint } from '../platform/chains/network-endpoints.ts';
import type { Database } from '../platform/db/database.ts';
import type { Notifications } from '../platform/db/notifications.ts';
import type { SponsorSigners } from '../platform/facilitator/open-facilitator.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

export interface AppOptions {
  readonly config: Config;
  /** Where this process can be reached: public addresses, and itself over loopback. */
  readonly addresses: { readonly baseUrl: string; readonly appUrl: string; readonly selfUrl: string };
  readonly masterKey: Buffer;
  readonly database: Database;
  readonly notifications: Notifications;
  /** The networks this deployment serves; empty where none is configured. */
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** The sandbox's own chains, to be funded, delayed and broken. */
  readonly localChains: SandboxChains | undefined;
  /** Where those networks are reached, and who pays the fees of standard x402 payments there. */
  readonly endpoints: readonly NetworkEndpoint[];
  readonly sponsors: SponsorSigners;
  /** Parts this process runs itself: each says why it is not there, or nothing while it is. */
  readonly missingParts: Readonly<Record<string, () => string | undefined>>;
  readonly log: Logger;
}
