/** The SQL of the operators' log. The database refuses to change or delete its rows. */
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import type { AdminActionsTable } from '../../platform/db/schema.generated.ts';

export type AdminActionRow = Selectable<AdminActionsTable>;

export interface AdminAction {
  /** `user:…`, or `key:admin` */
  readonly admin: string;
  readonly action: string;
  readonly subjectId: string;
  readonly reason: string | null;
  readonly details: Record<string, unknown>;
}

export async function insertAdminAction(tx: Tx, action: AdminAction): Promise<void> {
  await tx
    .insertInto('adminActions')
    .values({ ...action, details: JSON.stringify(action.details) })
    .execute();
}

const newestFirst: readonly SortKey<AdminActionRow>[] = [{ column: sql`admin_actions.id`, type: 'int8', of: (row) => row.id }];

export interface AdminActionFilters {
  readonly subject?: string | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

export async function listAdminActions(db: Db, filters: AdminActionFilters) {
  let matching = db.selectFrom('adminActions').where(holdsText(filters.q, sql`id, admin, action, subject_id, reason, details`));
  if (filters.subject !== undefined) matching = matching.where('subjectId', '=', filters.subject);
  const page =
    filters.cursor === undefined ? matching.offset(filters.offset) : matching.where(beyondCursor('actions', newestFirst, filters.cursor));
  const [rows, counted] = await Promise.all([
    page
      .selectAll()
      .orderBy('id', 'desc')
      .limit(filters.limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, filters.limit, 'actions', newestFirst),
    total: counted.count,
  };
}
