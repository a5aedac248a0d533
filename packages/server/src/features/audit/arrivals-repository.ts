/** Reads transfers that reached a treasury and are not booked yet. */
import type { NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface Arrivals {
  /** Position up to which the watcher has read the chain. */
  readonly cursor: string | null;
  /** References that the watcher found and a job will book. */
  readonly booking: readonly string[];
  readonly now: Date;
}

export async function readArrivals(
  db: Db,
  { caip2, network }: { readonly caip2: string; readonly network: NetworkName },
): Promise<Arrivals> {
  const { rows } = await sql<Arrivals>`
    select (select cursor from chain_cursors where caip2 = ${caip2}) as cursor, market_now() as now,
      coalesce((select json_agg(payload ->> 'reference') from jobs
        where kind = 'payments.book_transfer' and state = 'ready' and payload ->> 'network' = ${network}), '[]') as booking`.execute(db);
  const [arrivals] = rows;
  if (arrivals === undefined) throw new Error('a statement without a table has one row');
  return arrivals;
}

export async function findUnbooked(db: Db, caip2: string, references: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ reference: string }>`
    select l.reference from unnest(${[...references]}::text[]) as l (reference)
    where not exists (select 1 from chain_receipts r where r.caip2 = ${caip2} and r.reference = l.reference)`.execute(db);
  return rows.map(({ reference }) => reference);
}
