/** The SQL of funds in Earn's venues: the parts of depositors and waiting withdrawals, at the price read last. */
import type { NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface VenueHolding {
  readonly key: string;
  readonly network: NetworkName;
  /** Value that belongs to depositors. */
  readonly owedMicros: bigint;
  /** Part of `owedMicros` that waiting withdrawals will get. */
  readonly waitingMicros: bigint;
  /** Value that the venue shows as ours. It is below `owedMicros` only if units are missing. */
  readonly heldMicros: bigint;
  readonly readAt: Date;
}

/** Vaults with units, and at least one reading of their venue. */
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
