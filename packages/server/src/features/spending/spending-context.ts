/** Dependencies of this feature. */
import type { Db } from '../../platform/db/database.ts';
import type { EarnContext } from '../earn/index.ts';
import type { X402Context } from '../x402/index.ts';

export interface ConnectionSubject {
  readonly id: string;
  readonly name: string;
  /** Names this person and this program over all their connections: the policy belongs to both. */
  readonly programId: string;
  readonly person: string;
}

/** Given by `app/`: connections belong to a feature of their own. */
export interface SpendConnections {
  /** The connections of these people (`user:<id>`, `wallet:<address>`), those in use first. */
  listOf(db: Db, people: readonly string[]): Promise<readonly ConnectionSubject[]>;
}

export interface SpendingContext extends X402Context {
  readonly appUrl: string;
  readonly earn: EarnContext;
  readonly connections: SpendConnections;
}
