/** The SQL of reviews. */
import type { AgentId, ServiceId } from '@market/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';
import type { ReviewsTable } from '../../../platform/db/schema.generated.ts';

export type ReviewRow = Selectable<ReviewsTable>;
export type Reviewed = { readonly agentId: AgentId } | { readonly serviceId: ServiceId };

export interface ReviewPage {
  readonly rows: readonly ReviewRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

export async function insertReview(tx: Tx, review: Insertable<ReviewsTable>): Promise<ReviewRow> {
  return await tx.insertInto('reviews').values(review).returningAll().executeTakeFirstOrThrow();
}

const newestFirst: readonly SortKey<ReviewRow>[] = [
  { column: sql`created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`id`, type: 'text', of: (row) => row.id },
];

export async function listReviews(
  db: Db,
  reviewed: Reviewed,
  {
    q,
    limit,
    offset,
    cursor,
  }: { readonly q?: string | undefined; readonly limit: number; readonly offset: number; readonly cursor?: string | undefined },
): Promise<ReviewPage> {
  const all = db
    .selectFrom('reviews')
    .where(holdsText(q, sql`id, order_id, service_id, reviewer_id, reviewer_name, comment, payment_reference, onchain_tx_hash`));
  const matching = 'agentId' in reviewed ? all.where('agentId', '=', reviewed.agentId) : all.where('serviceId', '=', reviewed.serviceId);
  let query = cursor === undefined ? matching.offset(offset) : matching.where(beyondCursor('reviews', newestFirst, cursor));
  for (const key of newestFirst) query = query.orderBy(key.column, 'desc');
  const [rows, count] = await Promise.all([
    query
      .selectAll()
      .limit(limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, limit, 'reviews', newestFirst),
    total: count.count,
  };
}
