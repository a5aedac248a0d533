/** The SQL of the list of decisions. */
import type { SpendSubject } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import type { SpendingRow } from './spending-repository.ts';

const newestFirst: readonly SortKey<SpendingRow>[] = [
  { column: sql`spendings.created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`spendings.id`, type: 'text', of: (row) => row.id },
];

/** The machine that paid: an agent by its key, or a program by any of its connections. */
export interface PaidBy {
  readonly agentId: string | null;
  readonly programId: string | null;
}

export interface RecentFilter {
  /** Payments that count for any of these. */
  readonly subjects?: readonly SpendSubject[];
  readonly by?: PaidBy;
  readonly outcome?: SpendingRow['status'] | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

const shownTexts = sql`spendings.id, principal, operation, provider_agent_id, category, rule, sentence, bought_id, budget_id, approval_id`;

export async function listRecent(db: Db, { subjects = [], by, outcome, q, limit, offset, cursor }: RecentFilter) {
  const mine = by === undefined ? countsFor(subjects) : paidBy(by);
  let base = db.selectFrom('spendings').where(mine).where(holdsText(q, shownTexts));
  if (outcome !== undefined) base = base.where('status', '=', outcome);
  let page = base
    .selectAll()
    .orderBy('spendings.createdAt', 'desc')
    .orderBy('spendings.id', 'desc')
    .limit(limit + 1);
  page = cursor === undefined ? page.offset(offset) : page.where(beyondCursor('recent', newestFirst, cursor));
  const [rows, counted] = await Promise.all([
    page.execute(),
    base.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { ...cutPage(rows, limit, 'recent', newestFirst), total: counted.total };
}

function countsFor(subjects: readonly SpendSubject[]): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from spending_subjects x where x.spending_id = spendings.id and (x.subject_kind, x.subject_id) in (
      select kind, id from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[]) as s (kind, id)))`;
}

function paidBy({ agentId, programId }: PaidBy): RawBuilder<boolean> {
  const byProgram = sql<boolean>`(spendings.principal like 'connection:%' and ${countsFor([{ kind: 'connection', id: programId ?? '' }])})`;
  return sql<boolean>`(spendings.principal = ${`agent:${agentId}`} or ${programId === null ? sql`false` : byProgram})`;
}
