/** Dependencies of this feature. */
import type { ConnectionId } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Db, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';

/** The limit per day that a person gives a program. Spend policies own it. */
export interface SpendLimits {
  /** Null removes the limit. */
  setDailyLimit(tx: Tx, subject: { readonly kind: 'connection'; readonly id: ConnectionId }, micros: bigint | null): Promise<void>;
  /** Limits by connection; those without one are absent. */
  dailyLimitsOf(db: Db, ids: readonly ConnectionId[]): Promise<ReadonlyMap<string, bigint>>;
  /** Gives all rules of one connection to another. */
  movePolicy(tx: Tx, from: ConnectionId, to: ConnectionId): Promise<void>;
  forgetPolicies(tx: Tx, ids: readonly ConnectionId[]): Promise<void>;
}

export interface ConnectionsContext {
  readonly database: Database;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly serviceName: string;
  /** Absent where there are no spend policies: a limit is refused then. */
  readonly spendLimits?: SpendLimits | undefined;
}
