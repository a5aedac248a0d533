/** The SQL of approvals: payments that wait for a person. */
import { type SpendApprovalId, type SpendingId, spendingLimits } from '@market/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import type { SpendApprovalsTable } from '../../platform/db/schema.generated.ts';

type Stored = Selectable<SpendApprovalsTable>;
export type ApprovalRow = Stored & { readonly isExpired: boolean };

const isExpired = sql<boolean>`expires_at <= market_now()`.as('isExpired');

/** The newest approval of this call that has not expired. */
export async function findApprovalOf(tx: Tx, principal: string, callHash: Buffer): Promise<ApprovalRow | undefined> {
  return await tx
    .selectFrom('spendApprovals')
    .selectAll()
    .select(isExpired)
    .where('principal', '=', principal)
    .where('callHash', '=', callHash)
    .where('status', '<>', 'used')
    .where('expiresAt', '>', sql<Date>`market_now()`)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

export async function countWaiting(tx: Tx, principal: string): Promise<number> {
  const { n } = await tx
    .selectFrom('spendApprovals')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('principal', '=', principal)
    .where('status', '=', 'waiting')
    .where('expiresAt', '>', sql<Date>`market_now()`)
    .executeTakeFirstOrThrow();
  return n;
}

export async function insertApproval(
  tx: Tx,
  approval: Omit<Insertable<SpendApprovalsTable>, 'expiresAt' | 'status' | 'createdAt'>,
): Promise<ApprovalRow> {
  return await tx
    .insertInto('spendApprovals')
    .values({ ...approval, expiresAt: sql<Date>`market_now() + make_interval(hours => ${spendingLimits.approvalHours})` })
    .returningAll()
    .returning(isExpired)
    .executeTakeFirstOrThrow();
}

export async function useApproval(tx: Tx, id: SpendApprovalId, spendingId: SpendingId): Promise<void> {
  await tx
    .updateTable('spendApprovals')
    .set({ status: 'used', spendingId })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .execute();
}

/** Locked until the transaction ends. */
export async function lockApproval(tx: Tx, id: string): Promise<ApprovalRow | undefined> {
  return await tx
    .selectFrom('spendApprovals')
    .selectAll()
    .select(isExpired)
    .where('id', '=', id as SpendApprovalId)
    .forUpdate()
    .executeTakeFirst();
}

export async function decideApproval(tx: Tx, id: SpendApprovalId, status: 'approved' | 'declined', by: string): Promise<ApprovalRow> {
  return await tx
    .updateTable('spendApprovals')
    .set({ status, decidedAt: sql<Date>`market_now()`, decidedBy: by })
    .where('id', '=', id)
    .returningAll()
    .returning(isExpired)
    .executeTakeFirstOrThrow();
}

const newestFirst: readonly SortKey<ApprovalRow>[] = [
  { column: sql`created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`id`, type: 'text', of: (row) => row.id },
];

export interface ApprovalFilter {
  readonly people: readonly string[];
  readonly principal: string | null;
  readonly status?: string | undefined;
  readonly id?: string | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

/** The names of one approval as `nameApprovals` gives them. */
const namesOfApproval = sql`
  (select a.name from agents a where spend_approvals.principal like 'agent:%' and a.id = substr(spend_approvals.principal, 7)),
  (select c.client_name from connections c where spend_approvals.principal like 'connection:%' and c.id = substr(spend_approvals.principal, 12)),
  (select a.name from agents a where a.id = spend_approvals.provider_agent_id),
  coalesce(
    (select o.service_title from orders o where o.id = spend_approvals.about), (select b.title from bounties b where b.order_id = spend_approvals.about),
    (select s.title from services s where s.id = spend_approvals.about), (select a.name from agents a where a.id = spend_approvals.about))`;

const shownTexts = sql`id, principal, operation, provider_agent_id, category, about, sentence, ${namesOfApproval}`;

export async function listApprovals(db: Db, { people, principal, status, id, q, limit, offset, cursor }: ApprovalFilter) {
  const mine = sql<boolean>`(principal = ${principal}::text or asked_of && ${[...people]}::text[])`;
  const shown = sql<string>`case when status in ('waiting', 'approved') and expires_at <= market_now() then 'expired' else status end`;
  let base = db.selectFrom('spendApprovals').where(mine).where(holdsText(q, shownTexts));
  if (status !== undefined) base = base.where(shown, '=', status);
  if (id !== undefined) base = base.where('id', '=', id as SpendApprovalId);
  let page = base
    .selectAll()
    .select(isExpired)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  page = cursor === undefined ? page.offset(offset) : page.where(beyondCursor('approvals', newestFirst, cursor));
  const [rows, counted] = await Promise.all([
    page.execute(),
    base.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { ...cutPage(rows as ApprovalRow[], limit, 'approvals', newestFirst), total: counted.total };
}
