/** The SQL of swaps. Every change of state names the state it comes from. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { SwapOrdersTable } from '../../../platform/db/schema.generated.ts';

export type SwapRow = Selectable<SwapOrdersTable>;

export async function insertSwap(db: Db, swap: Insertable<SwapOrdersTable>): Promise<void> {
  await db.insertInto('swapOrders').values(swap).execute();
}

export async function findSwap(db: Db, id: string, userId: string): Promise<SwapRow | undefined> {
  return await db.selectFrom('swapOrders').selectAll().where('id', '=', id).where('userId', '=', userId).executeTakeFirst();
}

/** False when it was sent before, or has expired. */
export async function startSwap(db: Db, id: string, signedTransaction: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('swapOrders')
    .set({ state: 'executing', signedTransaction })
    .where('id', '=', id)
    .where('state', '=', 'quoted')
    .where(sql<boolean>`expires_at > market_now()`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function endSwap(db: Db, id: string, end: Pick<SwapRow, 'state' | 'signature' | 'reason'>): Promise<void> {
  await db.updateTable('swapOrders').set(end).where('id', '=', id).where('state', '=', 'executing').execute();
}

export interface LandedSwap {
  readonly id: string;
  readonly signature: string;
  readonly isDead: boolean;
}

/** Swaps seen on chain that were not final at the latest look. A transaction lives for less than two minutes. */
export async function listLanded(db: Db, limit: number): Promise<readonly LandedSwap[]> {
  const { rows } = await sql<LandedSwap>`
    select id, signature, expires_at < market_now() - interval '5 minutes' as "isDead" from swap_orders
    where state = 'executing' and signature is not null order by expires_at limit ${limit}`.execute(db);
  return rows;
}

/** Deletes unused quotes after a day, and swaps after a month: the chain has them. */
export async function forgetQuotes(db: Db, limit: number): Promise<void> {
  await sql`delete from swap_orders where id in (
    select id from swap_orders where expires_at < market_now() - case state when 'quoted' then interval '1 day' else interval '30 days' end limit ${limit})`.execute(
    db,
  );
}
