/** Dependencies of this feature. */
import type { Db } from '../../platform/db/database.ts';
import type { EarnContext } from '../earn/index.ts';
import type { X402Context } from '../x402/index.ts';

export interface ConnectionPlace {
  readonly id: string;
  readonly name: string;
  /** This person and this program, over all their connections: the policy is theirs. */
  readonly programId: string;
  readonly person: string;
}

/** Given by `app/`: connections belong to a feature of their own. */
export interface SpendConnections {
  /** Of these people (`user:<id>`, `wallet:<address>`), those in use first. */
  listOf(db: Db, people: readonly string[]): Promise<readonly ConnectionPlace[]>;
}

export interface SpendingContext extends X402Context {
  readonly appUrl: string;
  readonly earn: EarnContext;
  readonly connections: SpendConnections;
}
