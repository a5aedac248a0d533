/** The SQL of held funds: what the books say is owed, and the last reading of each treasury. */
import type { NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface Obligations {
  readonly escrowMicros: bigint;
  readonly agentsMicros: bigint;
  readonly refundsMicros: bigint;
  readonly surplusMicros: bigint;
  readonly unmatchedMicros: bigint;
  readonly inFlightMicros: bigint;
  /** Fees, and what was lent between networks. */
  readonly ownMicros: bigint;
}

export interface TreasuryReading extends Obligations {
  readonly network: NetworkName;
  readonly heldMicros: bigint;
  readonly readAt: Date;
}

export async function readObligations(db: Db, network: NetworkName): Promise<Obligations> {
  const sum = (...kinds: readonly string[]) => sql`coalesce(sum(balance_micros) filter (where kind in (${sql.join(kinds)})), 0)::bigint`;
  const { rows } = await sql<Obligations>`
    select ${sum('escrow')} as escrow_micros, ${sum('agent_payable')} as agents_micros, ${sum('refund_payable')} as refunds_micros,
           ${sum('surplus_payable')} as surplus_micros, ${sum('unmatched')} as unmatched_micros, ${sum('in_flight')} as in_flight_micros,
           ${sum('platform_fee', 'interchain')} as own_micros
    from ledger_accounts where network = ${network}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a sum has one row');
  return row;
}

export async function storeReading(db: Db, reading: Omit<TreasuryReading, 'readAt'>): Promise<void> {
  const { network, ...micros } = reading;
  const row = { ...micros, readAt: sql<Date>`market_now()` };
  await db
    .insertInto('treasuryReadings')
    .values({ network, ...row })
    .onConflict((conflict) => conflict.column('network').doUpdateSet(row))
    .execute();
}

export async function listReadings(db: Db): Promise<readonly TreasuryReading[]> {
  return (await db.selectFrom('treasuryReadings').selectAll().orderBy('network').execute()) as readonly TreasuryReading[];
}
