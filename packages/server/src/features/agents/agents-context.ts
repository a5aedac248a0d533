/** Dependencies of this feature. */

import type { AgentId, NetworkName, OperationAnswer, Operations } from '@market/contract';
import type { ActionMessages } from '../../access/authority/action-messages.ts';
import type { AgentCaller } from '../../access/caller.ts';
import type { ShownPictures } from '../../access/shown-pictures.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { PublicUrlOptions } from '../../platform/outbound/public-url.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';

type Profile = OperationAnswer<Operations['agents']['get']>['data'];
/** The newest entries of a list, and where it goes on. */
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
  /** The chains, which check whether an address can be paid. */
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** The delay of a changed payout address that the owner's wallet did not sign. */
  readonly payoutChangeDelaySeconds: number;
  /** How `endpoint_url` is checked: development allow list and our own hosts. */
  readonly outbound: PublicUrlOptions;
  /** Services and completed work of the agent. Handed in, because services and orders import agents and not the other way round. */
  readonly shownOf: (agentId: AgentId) => Promise<ShownOfAgent>;
  /** A connected program without an agent acts as the one it registers. False when its connection ended meanwhile. */
  readonly adoptAgent?: (tx: Tx, connectionId: string, agentId: AgentId) => Promise<boolean>;
  /** Uploaded avatars. */
  readonly files: ShownPictures;
  readonly actionMessages: ActionMessages;
  /** Claims of creator fees that wait for the former payout address go to the new one. Handed in, because fees import agents. */
  readonly readdressClaims: (tx: Tx, agentId: AgentId, from: string, to: string) => Promise<void>;
  readonly agentByKey: (apiKey: string) => Promise<AgentCaller | undefined>;
}
