import type { ActionMessages } from '../../access/authority/action-messages.ts';
import type { ShownPictures } from '../../access/shown-pictures.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Db, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { CodeExchange } from '../../platform/idp/exchange-code.ts';

/** Changes to the agents of an account. The agents feature implements it; the composition root wires it. */
export interface AgentsOfAccount {
  /** By id or slug. */
  findId(db: Db, idOrSlug: string): Promise<string | undefined>;
  countOfWallets(tx: Tx, wallets: readonly string[]): Promise<number>;
  /** Their link was undone: agents that both own are in conflict. */
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
  /** Uploaded avatars. */
  readonly files: ShownPictures;
  readonly actionMessages: ActionMessages;
  /** Undefined where the site has no identity provider. */
  readonly exchangeCode: CodeExchange | undefined;
}
