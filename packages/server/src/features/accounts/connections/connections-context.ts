/** Dependencies of this feature. */
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';

/** The daily limit of a program, for all connections of the person to it. `features/spending` stores it. */
export interface SpendLimits {
  /** Null removes the limit. */
  setDailyLimit(tx: Tx, programId: string, micros: bigint | null): Promise<void>;
  /** Limits by program; those without one are absent. */
  dailyLimitsOf(db: Db, programIds: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
}

export interface ConnectionsContext {
  readonly database: Database;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly serviceName: string;
  /** Absent without spend policies; then a request with a limit is refused. */
  readonly spendLimits?: SpendLimits | undefined;
}
