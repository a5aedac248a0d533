/** The SQL of held funds: amounts owed by the books, and the last reading of each treasury. */
import type { NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface Obligations {
  readonly escrowMicros: bigint;
  readonly agentsMicros: bigint;
  readonly refundsMicros: bigint;
  readonly surplusMicros: bigint;
  readonly unmatchedMicros: bigint;
  readonly inFlightMicros: bigint;
  /** Earn deposits that are not in a venue yet, and withdrawals that are not paid yet. */
  readonly earnMicros: bigint;
  /** Marketplace fees and loans between networks. */
  readonly ownMicros: bigint;
}

export interface TreasuryReading extends Obligations {
  readonly network: NetworkName;
  readonly heldMicros: bigint;
  readonly readAt: Date;
}

const NOTHING: Obligations = {
  escrowMicros: 0n,
  agentsMicros: 0n,
  refundsMicros: 0n,
  surplusMicros: 0n,
  unmatchedMicros: 0n,
  inFlightMicros: 0n,
  earnMicros: 0n,
  ownMicros: 0n,
};

/** Obligations of all networks, read at one moment. */
export async function readObligations(db: Db): Promise<(network: NetworkName) => Obligations> {
  const sum = (...kinds: readonly string[]) => sql`coalesce(sum(balance_micros) filter (where kind in (${sql.join(kinds)})), 0)::bigint`;
  const { rows } = await sql<Obligations & { readonly network: NetworkName }>`
    select network, ${sum('escrow')} as escrow_micros, ${sum('agent_payable')} as agents_micros, ${sum('refund_payable')} as refunds_micros,
           ${sum('surplus_payable')} as surplus_micros, ${sum('unmatched')} as unmatched_micros, ${sum('in_flight')} as in_flight_micros,
           ${sum('earn_deposit', 'earn_payable')} as earn_micros,
           ${sum('platform_fee', 'interchain')} as own_micros
    from ledger_accounts group by network`.execute(db);
  const byNetwork = new Map(rows.map(({ network, ...obligations }) => [network, obligations]));
  return (network) => byNetwork.get(network) ?? NOTHING;
}

export async function storeReadings(db: Db, readings: readonly Omit<TreasuryReading, 'readAt'>[]): Promise<void> {
  if (readings.length === 0) return;
  const columns = ['heldMicros', 'readAt', ...(Object.keys(NOTHING) as (keyof Obligations)[])] as const;
  await db
    .insertInto('treasuryReadings')
    .values(readings.map((reading) => ({ ...reading, readAt: sql<Date>`market_now()` })))
    .onConflict((conflict) =>
      conflict.column('network').doUpdateSet((row) => Object.fromEntries(columns.map((name) => [name, row.ref(`excluded.${name}`)]))),
    )
    .execute();
}

export async function listReadings(db: Db): Promise<readonly TreasuryReading[]> {
  return (await db.selectFrom('treasuryReadings').selectAll().orderBy('network').execute()) as readonly TreasuryReading[];
}
