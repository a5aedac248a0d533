/** The SQL of accounts, linked wallets and wallet profiles. */
import type { WalletChain, WalletLinkId } from '@market/contract';
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { SETTLED_LINK_HOURS } from '../../../access/authority/links-repository.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { UsersTable, UserWalletsTable, WalletProfilesTable } from '../../../platform/db/schema.generated.ts';

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

/** Serialises concurrent first sign-ins of one account. */
export async function lockAccountCreation(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`account:${userId}`}, 0))`.execute(tx);
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

/** Shows these wallets of the account to everybody, and no others. Returns those shown. */
export async function showWallets(tx: Tx, userId: string, addresses: readonly string[]): Promise<WalletRow[]> {
  const rows = await tx
    .updateTable('userWallets')
    .set({ shown: sql<boolean>`address = any(${[...addresses]})` })
    .where('userId', '=', userId)
    .returningAll()
    .execute();
  return rows.filter(({ shown }) => shown);
}

export interface NewWalletLink {
  readonly id: WalletLinkId;
  readonly userId: string;
  readonly chain: WalletChain;
  readonly address: string;
  readonly proof: 'idp' | 'signature';
  /** Time at which the wallet agreed to the link, or the provider vouched for it. */
  readonly confirmedAt: Date;
  /** Networks on which a contract wallet agreed; null for wallets with a key. */
  readonly provenOn: string[] | null;
}

/** Returns the new link, or undefined when the wallet is linked already, to this or another account. The first wallet of a chain is primary. */
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

/** Records that the wallet agreed to a link that the provider had made. */
export async function confirmWalletLink(tx: Tx, id: WalletLinkId, provenOn: string[] | null, now: Date): Promise<void> {
  await tx.updateTable('userWallets').set({ confirmedAt: now, provenOn }).where('id', '=', id).where('confirmedAt', 'is', null).execute();
}

/** Dates all confirmed links to now, so that their wallets vouch for money after a day. Unconfirmed links stay unconfirmed. Returns how many. */
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

/** Deletes the link of the wallet, whichever account it belongs to. */
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

/**
 * A wallet that the account unlinked watches it for another week. It must have been linked for a day: a shorter link gives no veto. The age
 * counts from `linkedAt`, which a restore does not change. An earlier watch stays when the account undoes a newer link.
 */
async function noteUndone(tx: Tx, { userId, chain, address, linkedAt }: WalletRow, byAccount: boolean): Promise<void> {
  await promoteWallet(tx, userId, chain);
  const watches = byAccount && (await hasLasted(tx, linkedAt));
  const isWatchKept = byAccount && !watches;
  await tx
    .insertInto('undoneLinks')
    .values({ userId, chain, address, byAccount: watches })
    .onConflict((conflict) => {
      const known = conflict.columns(['userId', 'chain', 'address']);
      return isWatchKept ? known.doNothing() : known.doUpdateSet({ byAccount: watches, undoneAt: sql<Date>`market_now()` });
    })
    .execute();
}

async function hasLasted(tx: Tx, linkedAt: Date): Promise<boolean> {
  const { rows } = await sql<{ lasted: boolean }>`
    select ${linkedAt}::timestamptz <= market_now() - make_interval(hours => ${SETTLED_LINK_HOURS}) as lasted`.execute(tx);
  return rows[0]?.lasted === true;
}

/** Wallets whose link with this account was undone once: the provider's word alone does not link them again. */
export async function listUndone(tx: Tx, userId: string, asserted: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ address: string }>`
    select address from undone_links where user_id = ${userId}
    union select a from unnest(${[...asserted]}::text[]) a where exists (select from parted_wallets p where p.hash = sha256(convert_to(${userId} || ' ' || a, 'utf8')))`.execute(
    tx,
  );
  return new Set(rows.map(({ address }) => address));
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

/** Empties the profile of an account and hides its wallets. Names stored with reviews and messages become neutral. */
export async function forgetProfile(tx: Tx, userId: string, now: Date): Promise<{ wasPublic: boolean; handle: string | null }> {
  const user = await lockUser(tx, userId);
  if (user === undefined) return { wasPublic: false, handle: null };
  const empty = { displayName: null, bio: null, avatarUrl: null, profileSavedAt: null, showsTwitter: false };
  await updateUser(tx, userId, { ...empty, updatedAt: now });
  await showWallets(tx, userId, []);
  await forgetNames(tx, sql`o.user_id = ${userId}`);
  return { wasPublic: user.profileSavedAt !== null, handle: user.twitterUsername };
}

/** Neutralises stored names beside wallets that the account hides now. */
export async function forgetHiddenNames(tx: Tx, userId: string): Promise<void> {
  await forgetNames(
    tx,
    sql`o.user_id = ${userId} and exists (select from (values (o.client_wallet), (o.payer)) beside(address) where beside.address is not null
      and not exists (select from user_wallets l where l.user_id = o.user_id and l.address = beside.address and l.shown))`,
  );
}

/** Deletes the profile that a wallet saved itself. False when there was none. */
export async function forgetWalletProfile(tx: Tx, wallet: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('walletProfiles').where('wallet', '=', wallet).executeTakeFirst();
  await forgetNames(tx, sql`o.client_wallet = ${wallet} and o.user_id is null`);
  return numDeletedRows > 0n;
}

/** Replaces the stored buyer name of these orders. Agents as buyers keep theirs. */
async function forgetNames(tx: Tx, orders: RawBuilder<unknown>): Promise<void> {
  const named = sql`select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer'
    else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name
    from orders o where o.client_agent_id is null and ${orders}`;
  await sql`update reviews r set reviewer_name = n.name, reviewer_id = n.name from (${named}) n
    where n.id = r.order_id and r.reviewer_name <> n.name`.execute(tx);
  await sql`update order_messages m set sender_name = n.name, sender_id = case when m.sender_id = m.sender_name then n.name else m.sender_id end
    from (${named}) n where n.id = m.order_id and m.sender_type = 'client' and m.sender_name <> n.name`.execute(tx);
}
