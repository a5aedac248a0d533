/** The SQL of saved searches. */
import { type SavedSearchId, savedSearchLimits } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { deferred } from '../../../platform/db/pipelined-driver.ts';
import type { SavedSearchesTable } from '../../../platform/db/schema.generated.ts';

export type SavedSearchRow = Selectable<SavedSearchesTable>;

const { lookMinutes, settleSeconds } = savedSearchLimits;
const nextLook = sql<Date>`market_now() + make_interval(mins => ${lookMinutes})`;

/** Serialises new saved searches of one owner until the transaction ends, so that their count is right. */
export async function lockOwner(tx: Tx, owner: string): Promise<void> {
  await tx.executeQuery(deferred('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`saved-searches-of:${owner}`]));
}

export async function listOf(db: Db, owners: readonly string[]): Promise<SavedSearchRow[]> {
  return await db
    .selectFrom('savedSearches')
    .selectAll()
    .where('owner', 'in', [...owners])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function renameSearch(tx: Tx, id: SavedSearchId, name: string): Promise<void> {
  await tx.updateTable('savedSearches').set({ name }).where('id', '=', id).execute();
}

/** The first look comes one interval after saving, which spreads the looks. `lookedUntil` uses the clock that dates list entries. */
export async function insertSearch(
  tx: Tx,
  search: Pick<SavedSearchRow, 'id' | 'owner' | 'list' | 'name' | 'filters' | 'lookedUntil'>,
): Promise<SavedSearchRow> {
  return await tx
    .insertInto('savedSearches')
    .values({ ...search, nextLookAt: nextLook })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteSearch(tx: Tx, id: string, owners: readonly string[]): Promise<SavedSearchId | undefined> {
  const row = await tx
    .deleteFrom('savedSearches')
    .where('id', '=', id as SavedSearchId)
    .where('owner', 'in', [...owners])
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function listDue(db: Db, limit: number): Promise<SavedSearchId[]> {
  const rows = await db
    .selectFrom('savedSearches')
    .select('id')
    .where('nextLookAt', '<=', sql<Date>`market_now()`)
    .orderBy('nextLookAt')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export interface DueSearch extends SavedSearchRow {
  /** End of the period to look at. */
  readonly until: Date;
  /** True if the owner is banned, or is an agent off the market. Then nobody is notified. */
  readonly isSilent: boolean;
}

/** Locks a due search until the transaction ends. Undefined when it was removed, or another process looks or has just looked. */
export async function lockDue(tx: Tx, id: SavedSearchId): Promise<DueSearch | undefined> {
  const { rows } = await sql<DueSearch>`
    select s.*, date_trunc('milliseconds', market_now() - make_interval(secs => ${settleSeconds})) as until,
           case split_part(s.owner, ':', 1)
             when 'user' then is_person_banned(substr(s.owner, 6), null)
             when 'wallet' then is_person_banned(null, substr(s.owner, 8))
             else not exists (select 1 from agents a where a.id = substr(s.owner, 7) and a.active and not a.owner_banned)
           end as is_silent
    from saved_searches s where s.id = ${id} and s.next_look_at <= market_now() for update of s skip locked`.execute(tx);
  return rows[0];
}

export async function recordLook(tx: Tx, { id, until }: Pick<DueSearch, 'id' | 'until'>, found: number): Promise<void> {
  await tx.executeQuery(
    deferred(
      `update saved_searches set looked_until = greatest(looked_until, $2::timestamptz), matches = matches + $3::int,
         last_match_at = case when $3::int > 0 then market_now() else last_match_at end,
         next_look_at = market_now() + make_interval(mins => $4::int)
       where id = $1`,
      [id, until, found, lookMinutes],
    ),
  );
}

/** Postpones a search after a failed look. No match is missed: the next look begins where the last good one ended. */
export async function postponeLook(db: Db, id: SavedSearchId): Promise<void> {
  await db.updateTable('savedSearches').set({ nextLookAt: nextLook }).where('id', '=', id).execute();
}
