/** The SQL of bans. Triggers on the same table hide the agents of a banned person. */
import { type Selectable, sql } from 'kysely';
import type { BanKind } from '../../access/credentials-repository.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import type { BannedIdentitiesTable } from '../../platform/db/schema.generated.ts';

export type BanRow = Selectable<BannedIdentitiesTable>;

/** Stores a ban. A second ban of the same identity replaces the reason. */
export async function saveBan(tx: Tx, ban: { readonly kind: BanKind; readonly value: string; readonly reason: string }): Promise<BanRow> {
  return await tx
    .insertInto('bannedIdentities')
    .values(ban)
    .onConflict((conflict) => conflict.columns(['kind', 'value']).doUpdateSet({ reason: ban.reason }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteBan(tx: Tx, kind: BanKind, value: string): Promise<BanRow | undefined> {
  return await tx.deleteFrom('bannedIdentities').where('kind', '=', kind).where('value', '=', value).returningAll().executeTakeFirst();
}

/** Cut to milliseconds, because a cursor holds no more. */
const bannedAt = sql<Date>`date_trunc('milliseconds', banned_identities.created_at)`;

const newestFirst: readonly SortKey<BanRow>[] = [
  { column: bannedAt, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`banned_identities.kind`, type: 'text', of: (row) => row.kind },
  { column: sql`banned_identities.value`, type: 'text', of: (row) => row.value },
];

export interface BanFilters {
  readonly kind?: BanKind | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

export async function listBans(db: Db, filters: BanFilters) {
  let matching = db.selectFrom('bannedIdentities').where(holdsText(filters.q, sql`value, reason`));
  if (filters.kind !== undefined) matching = matching.where('kind', '=', filters.kind);
  const page =
    filters.cursor === undefined ? matching.offset(filters.offset) : matching.where(beyondCursor('bans', newestFirst, filters.cursor));
  const [rows, counted] = await Promise.all([
    page
      .select(['kind', 'value', 'reason', bannedAt.as('createdAt')])
      .orderBy(bannedAt, 'desc')
      .orderBy('kind', 'desc')
      .orderBy('value', 'desc')
      .limit(filters.limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, filters.limit, 'bans', newestFirst),
    total: counted.count,
  };
}
