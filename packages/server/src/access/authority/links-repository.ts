/** The SQL of links between accounts and wallets, as proofs ask for it. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** A link must be this old before its wallet vouches for the account's money, and before the wallet keeps watching after an unlink. */
export const SETTLED_LINK_HOURS = 24;
/** How long a wallet that the account unlinked still learns of the account's moves, and may cancel them. */
const WATCH_DAYS = 7;

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
 * The linked wallets, and those that the account unlinked within the last week when the link was at least a day old. A thief of the account
 * must not silence the wallets that could stop a move.
 */
export async function listWatchingWallets(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from user_wallets where user_id = ${userId}
    union
    select address from undone_links
    where user_id = ${userId} and by_account and undone_at > market_now() - make_interval(days => ${WATCH_DAYS})`.execute(db);
  return rows.map(({ address }) => address);
}

/** The callers whose watched accounts are asked for: an account with its linked wallets, or a wallet alone. */
export interface Concerned {
  readonly userId: string | null;
  readonly wallets: readonly string[];
}

/** `user_id` of the accounts whose moves these callers learn of and may cancel, if the account asked for the move before `until`. */
export function watchedAccounts({ userId, wallets }: Concerned): RawBuilder<unknown> {
  const any = sql`any(${sql.val([...wallets])}::text[])`;
  return sql`(select watched.user_id, max(watched.until) as until from (
    select ${userId}::text as user_id, 'infinity'::timestamptz as until
    union all select l.user_id, 'infinity' from user_wallets l where l.address = ${any}
    union all select u.user_id, u.undone_at + make_interval(days => ${WATCH_DAYS}) from undone_links u where u.address = ${any} and u.by_account
  ) watched where watched.user_id is not null group by watched.user_id)`;
}

/** Whether these callers watch the account's request that was made at `askedAt`. */
export async function isWatching(db: Db, concerned: Concerned, userId: string, askedAt: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${watchedAccounts(concerned)} w where w.user_id = ${userId} and w.until > ${askedAt}`.execute(db);
  return rows.length > 0;
}
