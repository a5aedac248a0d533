import type { ActionMessages } from '../../../access/authority/action-messages.ts';
import type { ShownPictures } from '../../../access/shown-pictures.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { CodeExchange } from '../../../platform/idp/exchange-code.ts';

/** Changes to the agents of an account. The agents feature implements it; the composition root wires it. */
export interface AgentsOfAccount {
  /** Finds the id of an agent by id or slug. */
  findId(db: Db, idOrSlug: string): Promise<string | undefined>;
  countOfWallets(tx: Tx, wallets: readonly string[]): Promise<number>;
  /** After a link was undone, marks the agents that account and wallet both own as in conflict. */
  partOwners(tx: Tx, context: Pick<IdentityContext, 'clock' | 'events'>, link: { userId: string; address: string }): Promise<void>;
  spreadTwitterHandle(
    tx: Tx,
    owner: { userId: string; wallets: readonly string[]; handle: string; formerHandle: string | null; shown: boolean },
  ): Promise<void>;
}

export interface IdentityContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly serviceName: string;
  readonly agents: AgentsOfAccount;
  /** Publishes uploaded avatars. */
  readonly files: ShownPictures;
  readonly actionMessages: ActionMessages;
  /** Undefined where the site has no identity provider. */
  readonly exchangeCode: CodeExchange | undefined;
}
