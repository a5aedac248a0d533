/** The SQL of what lies in the venues of Earn: what depositors and waiting withdrawals own there, at the price last read. */
import type { NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface VenueHolding {
  readonly key: string;
  readonly network: NetworkName;
  /** Belongs to depositors. */
  readonly owedMicros: bigint;
  /** The part of it in withdrawals that wait. */
  readonly waitingMicros: bigint;
  /** What the venue shows as ours; less only where units are missing. */
  readonly heldMicros: bigint;
  readonly readAt: Date;
}

/** Vaults that were read at least once and hold something. */
export async function listVenueHoldings(db: Db): Promise<readonly VenueHolding[]> {
  const worth = (units: ReturnType<typeof sql>) =>
    sql`floor(${units} * s.price_per_unit / (1e12 * power(10::numeric, s.unit_decimals)))::bigint`;
  const { rows } = await sql<VenueHolding>`
    select v.key, v.network, ${worth(sql`(v.total_units + v.queued_units + v.unvested_units)`)} as owed_micros, ${worth(sql`v.queued_units`)} as waiting_micros,
           ${worth(sql`(v.total_units + v.queued_units + v.unvested_units - v.units_missing)`)} as held_micros, s.at as read_at
    from earn_vaults v cross join lateral (select * from earn_samples where vault_key = v.key order by at desc limit 1) s
    where v.total_units + v.queued_units > 0 order by v.key`.execute(db);
  return rows;
}
