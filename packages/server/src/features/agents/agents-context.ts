/** Dependencies of this feature. */

import type { AgentId, NetworkName, OperationAnswer, Operations } from '@market/contract';
import type { ActionMessages } from '../../access/authority/action-messages.ts';
import type { AgentCaller } from '../../access/caller.ts';
import type { ShownPictures } from '../../access/shown-pictures.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { IdpIdentity } from '../../platform/idp/idp-claims.ts';
import type { PublicUrlOptions } from '../../platform/outbound/public-url.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';

type Profile = OperationAnswer<Operations['agents']['get']>['data'];
/** The newest entries of a list, and the cursor to the rest. */
export interface FirstOf<T> {
  readonly first: T[];
  readonly rest: Profile['paging']['services'];
}

export type ShownOfAgent = Pick<Profile, 'services' | 'portfolio' | 'reviews' | 'recentOrders' | 'paging'>;

export interface AgentsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly events: EventLog;
  readonly serviceName: string;
  /** Check whether a payout address can be paid. */
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** Delay before a changed payout address counts if the owner's wallet did not sign it. */
  readonly payoutChangeDelaySeconds: number;
  /** Options for the check of `endpoint_url`: development allow list and our own hosts. */
  readonly outbound: PublicUrlOptions;
  /** Services and completed work of the agent. Passed in, because services and orders import agents. */
  readonly shownOf: (agentId: AgentId) => Promise<ShownOfAgent>;
  /** Makes a connected program act as the agent that it registers, if it has none. False when its connection ended meanwhile. */
  readonly adoptAgent?: (tx: Tx, connectionId: string, agentId: AgentId) => Promise<boolean>;
  /** Publishes uploaded avatars. */
  readonly files: ShownPictures;
  readonly actionMessages: ActionMessages;
  /** Sends waiting claims of creator fees to the new payout address. Passed in, because creator fees import agents. */
  readonly readdressClaims: (tx: Tx, agentId: AgentId, from: string, to: string) => Promise<void>;
  /** Creates the account row of a person who owns or registers an agent. Passed in, because accounts import agents. */
  readonly ensureUser: (tx: Tx, identity: IdpIdentity, now: Date) => Promise<unknown>;
  readonly agentByKey: (apiKey: string) => Promise<AgentCaller | undefined>;
}
