/** The SQL of disputes and their statements. */
import type { DisputeId, OrderId } from '@market/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../../platform/db/keyset.ts';
import type { DisputeStatementsTable, DisputesTable } from '../../../platform/db/schema.generated.ts';
import { orderWords } from '../index.ts';

export type DisputeRow = Selectable<DisputesTable>;
export type StatementRow = Selectable<DisputeStatementsTable>;
export type Side = StatementRow['side'];

export async function insertDispute(tx: Tx, dispute: Insertable<DisputesTable>): Promise<void> {
  await tx.insertInto('disputes').values(dispute).execute();
}

export async function closeOpenDispute(tx: Tx, orderId: OrderId, change: Updateable<DisputesTable>): Promise<DisputeRow> {
  return await tx
    .updateTable('disputes')
    .set({ ...change, closedAt: sql`market_now()` })
    .where('orderId', '=', orderId)
    .where('state', '=', 'open')
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findLatestDispute(db: Db, orderId: OrderId): Promise<DisputeRow | undefined> {
  return await db
    .selectFrom('disputes')
    .selectAll()
    .where('orderId', '=', orderId)
    .orderBy('openedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertStatement(tx: Tx, statement: Insertable<DisputeStatementsTable>): Promise<StatementRow> {
  return await tx.insertInto('disputeStatements').values(statement).returningAll().executeTakeFirstOrThrow();
}

export async function listStatements(db: Db, disputeId: DisputeId): Promise<StatementRow[]> {
  return await db
    .selectFrom('disputeStatements')
    .selectAll()
    .where('disputeId', '=', disputeId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export interface ListedDisputeRow extends Selectable<DisputesTable> {
  readonly orderId: OrderId;
  readonly buyerStatements: number;
  readonly providerStatements: number;
  readonly overdue: boolean;
}

const dueFirst: readonly SortKey<ListedDisputeRow>[] = [
  { column: sql`disputes.ruling_due`, type: 'timestamptz', of: (row) => row.rulingDue },
  { column: sql`disputes.id`, type: 'text', of: (row) => row.id },
];

export interface DisputeFilters {
  readonly state: ListedDisputeRow['state'] | 'all';
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

const statementsOf = (side: Side) =>
  sql<number>`(select count(*)::int from dispute_statements s where s.dispute_id = disputes.id and s.side = ${side})`;

export async function listDisputes(db: Db, { state, q, limit, offset, cursor }: DisputeFilters) {
  let matching = db
    .selectFrom('disputes')
    .where(
      holdsText(
        q,
        sql`disputes.id, disputes.order_id, disputes.reason, disputes.ruling_reason, (${orderWords(db, sql`disputes.order_id`)})`,
      ),
    );
  if (state !== 'all') matching = matching.where('state', '=', state);
  const page = cursor === undefined ? matching.offset(offset) : matching.where(beyondCursor('disputes', dueFirst, cursor, 'asc'));
  const [rows, counted] = await Promise.all([
    page
      .selectAll()
      .select([
        statementsOf('buyer').as('buyerStatements'),
        statementsOf('provider').as('providerStatements'),
        sql<boolean>`state = 'open' and ruling_due <= market_now()`.as('overdue'),
      ])
      .orderBy('rulingDue')
      .orderBy('id')
      .limit(limit + 1)
      .execute(),
    matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return {
    ...cutPage(rows, limit, 'disputes', dueFirst),
    total: counted.count,
  };
}

/**
 * After a restore: gives both sides time to state again what was lost, and moves the ruling behind it. Returns how many disputes got more
 * time.
 */
export async function extendDisputes(tx: Tx, notBefore: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('disputes')
    .set({ evidenceUntil: sql<Date>`greatest(evidence_until, ${notBefore})`, rulingDue: sql<Date>`greatest(ruling_due, ${notBefore})` })
    .where('state', '=', 'open')
    .where('evidenceUntil', '<', notBefore)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
