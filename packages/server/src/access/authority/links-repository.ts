/** The SQL of links between accounts and wallets, as proofs ask for it. */
import type { Db } from '../../platform/db/database.ts';

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
