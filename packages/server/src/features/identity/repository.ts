/** The SQL of accounts, linked wallets and wallet profiles. */
import type { WalletChain, WalletLinkId } from '@market/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { UsersTable, UserWalletsTable, WalletProfilesTable } from '../../platform/db/schema.generated.ts';

export type UserRow = Selectable<UsersTable>;
export type WalletRow = Selectable<UserWalletsTable>;
export type WalletProfileRow = Selectable<WalletProfilesTable>;

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return await tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function findUserByUsername(db: Db, username: string): Promise<UserRow | undefined> {
  return await db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst();
}

/** Two first sign-ins of one account follow each other instead of colliding. */
export async function lockAccountCreation(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`account:${userId}`}, 0))`.execute(tx);
}

export async function listTakenUsernames(db: Db, candidates: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('users')
    .select('username')
    .where('username', 'in', [...candidates])
    .execute();
  return new Set(rows.map((row) => row.username));
}

/** Undefined when the username is taken. */
export async function insertUser(tx: Tx, user: Insertable<UsersTable>): Promise<UserRow | undefined> {
  return await tx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('username').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateUser(tx: Tx, id: string, change: Updateable<UsersTable>): Promise<UserRow> {
  return await tx.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function listWallets(db: Db, userId: string): Promise<WalletRow[]> {
  return await db.selectFrom('userWallets').selectAll().where('userId', '=', userId).orderBy('linkedAt').orderBy('id').execute();
}

export interface NewWalletLink {
  readonly id: WalletLinkId;
  readonly userId: string;
  readonly chain: WalletChain;
  readonly address: string;
  readonly proof: 'idp' | 'signature';
  /** When the wallet agreed, or the provider vouched for it. */
  readonly confirmedAt: Date;
  /** Where a contract wallet agreed; null for keys. */
  readonly provenOn: string[] | null;
}

/** The new link, or undefined when the wallet is linked already (to this account or another). The first of a chain is primary. */
export async function insertWalletLink(tx: Tx, link: NewWalletLink): Promise<WalletRow | undefined> {
  const row = await tx
    .insertInto('userWallets')
    .values({ ...link, isPrimary: false })
    .onConflict((conflict) => conflict.columns(['chain', 'address']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return (await promoteWallet(tx, link.userId, link.chain)) === row.id ? { ...row, isPrimary: true } : row;
}

/** Makes the oldest wallet of a chain primary when the account has no primary one there. */
async function promoteWallet(tx: Tx, userId: string, chain: WalletChain): Promise<WalletLinkId | undefined> {
  const { rows } = await sql<{ id: WalletLinkId }>`
    update user_wallets set is_primary = true
    where id = (select id from user_wallets where user_id = ${userId} and chain = ${chain} order by linked_at, id limit 1)
      and not exists (select 1 from user_wallets where user_id = ${userId} and chain = ${chain} and is_primary)
    returning id`.execute(tx);
  return rows[0]?.id;
}

export async function findWalletLink(db: Db, chain: WalletChain, address: string): Promise<WalletRow | undefined> {
  return await db.selectFrom('userWallets').selectAll().where('chain', '=', chain).where('address', '=', address).executeTakeFirst();
}

/** The wallet agreed to a link that was made without its message. */
export async function confirmWalletLink(tx: Tx, id: WalletLinkId, provenOn: string[] | null, now: Date): Promise<void> {
  await tx.updateTable('userWallets').set({ confirmedAt: now, provenOn }).where('id', '=', id).where('confirmedAt', 'is', null).execute();
}

/** All links count as made now: their wallets vouch for money after a day. Unconfirmed ones stay so. Returns how many. */
export async function renewLinks(tx: Tx): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('userWallets')
    .set({ confirmedAt: sql<Date>`market_now()` })
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function deleteWalletLink(tx: Tx, userId: string, id: WalletLinkId): Promise<WalletRow | undefined> {
  const row = await tx.deleteFrom('userWallets').where('id', '=', id).where('userId', '=', userId).returningAll().executeTakeFirst();
  if (row !== undefined) await noteUndone(tx, row, true);
  return row;
}

/** Whichever account the wallet is linked to. */
export async function deleteWalletLinkOf(tx: Tx, chain: WalletChain, address: string): Promise<WalletRow | undefined> {
  const row = await tx
    .deleteFrom('userWallets')
    .where('chain', '=', chain)
    .where('address', '=', address)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await noteUndone(tx, row, false);
  return row;
}

async function noteUndone(tx: Tx, { userId, chain, address }: WalletRow, byAccount: boolean): Promise<void> {
  await promoteWallet(tx, userId, chain);
  await tx
    .insertInto('undoneLinks')
    .values({ userId, chain, address, byAccount })
    .onConflict((conflict) =>
      conflict.columns(['userId', 'chain', 'address']).doUpdateSet({ byAccount, undoneAt: sql<Date>`market_now()` }),
    )
    .execute();
}

/** Wallets whose link with this account was undone and that have not agreed to one since. */
export async function listUndone(tx: Tx, userId: string): Promise<Set<string>> {
  const rows = await tx.selectFrom('undoneLinks').select('address').where('userId', '=', userId).execute();
  return new Set(rows.map(({ address }) => address));
}

/** The wallet agreed to a new link. */
export async function forgetUndone(tx: Tx, userId: string, address: string): Promise<void> {
  await tx.deleteFrom('undoneLinks').where('userId', '=', userId).where('address', '=', address).execute();
}

export async function findWalletProfile(db: Db, wallet: string): Promise<WalletProfileRow | undefined> {
  return await db.selectFrom('walletProfiles').selectAll().where('wallet', '=', wallet).executeTakeFirst();
}

export async function saveWalletProfile(
  tx: Tx,
  wallet: string,
  change: { displayName?: string | null; bio?: string | null; avatarUrl?: string | null; twitterHandle?: string | null },
  now: Date,
): Promise<WalletProfileRow> {
  return await tx
    .insertInto('walletProfiles')
    .values({ wallet, ...change, createdAt: now, updatedAt: now })
    .onConflict((conflict) => conflict.column('wallet').doUpdateSet({ ...change, updatedAt: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}
