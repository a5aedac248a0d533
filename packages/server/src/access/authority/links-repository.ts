/** The SQL of links between accounts and wallets, as proofs ask for it. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** How long a wallet that the account unlinked still learns of the account's moves, and may cancel them. */
export const WATCH_DAYS = 7;

/** Whether the wallet agreed to its link with the account before this time. */
export async function isLinkedSince(db: Db, userId: string, address: string, before: Date): Promise<boolean> {
  const row = await db
    .selectFrom('userWallets')
    .select('id')
    .where('userId', '=', userId)
    .where('address', '=', address)
    .where('confirmedAt', '<=', before)
    .executeTakeFirst();
  return row !== undefined;
}

/** Every wallet linked to the account, the oldest link first. */
export async function listLinkedWallets(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('userWallets')
    .select('address')
    .where('userId', '=', userId)
    .orderBy('linkedAt')
    .orderBy('id')
    .execute();
  return rows.map(({ address }) => address);
}

/**
 * The linked wallets, and those that the account unlinked within a week: a thief of the account must not silence the wallets that could
 * stop a move.
 */
export async function listWatchingWallets(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from user_wallets where user_id = ${userId}
    union
    select address from undone_links
    where user_id = ${userId} and by_account and undone_at > market_now() - make_interval(days => ${WATCH_DAYS})`.execute(db);
  return rows.map(({ address }) => address);
}
