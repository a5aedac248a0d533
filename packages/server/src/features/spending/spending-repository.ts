/** The SQL of decided payments: what counts, what is reserved, and how it ends. */
import type { AgentId, BudgetId, SpendApprovalId, SpendingId, SpendRule, SpendSubject, SpentToday } from '@market/contract';
import { spendingLimits } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { SpendingsTable } from '../../platform/db/schema.generated.ts';

export type SpendingRow = Selectable<SpendingsTable>;

type SpentRow = SpendSubject & SpentToday;

/** Sums the last 24 hours, payments under way included. Under the lock of the policies nothing can be added meanwhile. */
export async function readSpent(
  db: Db,
  subjects: readonly SpendSubject[],
  {
    providerAgentId = null,
    category = null,
  }: { readonly providerAgentId?: string | null | undefined; readonly category?: string | null | undefined },
): Promise<SpentRow[]> {
  if (subjects.length === 0) return [];
  const { rows } = await sql<SpentRow>`
    select s.kind, s.id, coalesce(sum(p.amount_micros), 0)::bigint as "dayMicros",
           coalesce(sum(p.amount_micros) filter (where p.provider_agent_id = ${providerAgentId}::text), 0)::bigint as "providerDayMicros",
           coalesce(sum(p.amount_micros) filter (where p.category = ${category}::text), 0)::bigint as "categoryDayMicros"
    from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[]) as s (kind, id)
    left join spending_subjects x on x.subject_kind = s.kind and x.subject_id = s.id
      and x.created_at > market_now() - make_interval(hours => ${spendingLimits.dayHours})
    left join spendings p on p.id = x.spending_id and p.status in ('reserved', 'kept')
    group by s.kind, s.id`.execute(db);
  return rows;
}

/** Locked until the transaction ends. */
export async function lockCounted(tx: Tx, principal: string, reference: string): Promise<SpendingRow | undefined> {
  return await tx
    .selectFrom('spendings')
    .selectAll()
    .where('principal', '=', principal)
    .where('reference', '=', reference)
    .where('status', 'in', ['reserved', 'kept'])
    // Reserved goes first.
    .orderBy('status', 'desc')
    .forUpdate()
    .executeTakeFirst();
}

/** One more call works with this reservation, which must be locked. */
export async function joinReserved(tx: Tx, id: SpendingId): Promise<void> {
  await tx.executeQuery(deferred('update spendings set holders = holders + 1 where id = $1', [id]));
}

export interface NewSpending {
  readonly id: SpendingId;
  readonly principal: string;
  readonly operation: string;
  readonly reference: string;
  readonly callHash: Buffer;
  readonly about: string | null;
  readonly amountMicros: bigint;
  readonly providerAgentId: AgentId | null;
  readonly category: string | null;
  readonly status: 'reserved' | 'refused' | 'asked';
  readonly rule: SpendRule | null;
  readonly sentence: string;
  readonly budgetId: BudgetId | null;
  readonly approvalId: SpendApprovalId | null;
}

/** Stores a payment with all subjects it counts for, so that limits set later on another subject see it, too. */
export async function insertSpending(tx: Tx, spending: NewSpending, subjects: readonly SpendSubject[]): Promise<SpendingRow> {
  const settledAt = spending.status === 'reserved' ? null : sql<Date>`market_now()`;
  const row = await tx
    .insertInto('spendings')
    .values({ ...spending, settledAt, holders: spending.status === 'reserved' ? 1 : 0 })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.executeQuery(
    deferred(
      `insert into spending_subjects (spending_id, subject_kind, subject_id)
       select $1, kind, id from unnest($2::text[], $3::text[]) as s (kind, id)`,
      [spending.id, subjects.map(({ kind }) => kind), subjects.map(({ id }) => id)],
    ),
  );
  return row;
}

export interface Bought {
  readonly kind: string;
  readonly id: string;
  readonly amountMicros: bigint;
}

interface KeepOptions {
  /** Also counts a released reservation: the money left although its amount was free again. */
  readonly evenReleased?: boolean;
}

/**
 * Counts a payment that was made. If the same machine has counted the same purchase before, this one was a repeat and counts for nothing.
 * An earlier purchase by the same payment was undone when its claim moved here. False if the reservation was released meanwhile.
 */
export async function keepSpending(
  tx: Tx,
  spending: Pick<SpendingRow, 'id' | 'principal' | 'reference' | 'approvalId'>,
  bought: Bought,
  { evenReleased = false }: KeepOptions = {},
): Promise<boolean> {
  const { id, principal, approvalId } = spending;
  await tx.executeQuery(deferred('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`spent:${principal}:${bought.id}`]));
  await releaseMoved(tx, spending, bought.id);
  const { rows } = await sql<{ status: string }>`
    update spendings s set bought_kind = ${bought.kind}, bought_id = ${bought.id}, amount_micros = ${bought.amountMicros}, settled_at = market_now(),
      status = case when exists (
        select 1 from spendings o where o.principal = s.principal and o.bought_id = ${bought.id} and o.status = 'kept' and o.id <> s.id)
        then 'released' else 'kept' end
    where s.id = ${id} and (s.status in ('reserved', 'kept') or (s.status = 'released' and ${evenReleased}::boolean)) returning s.status`.execute(
    tx,
  );
  const [row] = rows;
  if (row?.status === 'released') await returnApproval(tx, id);
  if (row?.status === 'kept' && approvalId !== null && evenReleased) await takeApprovalAgain(tx, id, approvalId);
  return row !== undefined;
}

/** Releases the earlier purchase of a transfer whose claim moved: a transfer pays for one purchase. */
async function releaseMoved(tx: Tx, { id, principal, reference }: Pick<SpendingRow, 'id' | 'principal' | 'reference'>, boughtId: string) {
  if (!reference.startsWith('transfer ')) return;
  await tx.executeQuery(
    deferred(
      `with moved as (
         update spendings set status = 'released', settled_at = market_now()
         where principal = $1 and reference = $2 and status = 'kept' and id <> $3 and bought_id <> $4 returning id)
       update spend_approvals set status = 'approved', spending_id = null
       where status = 'used' and spending_id in (select id from moved)`,
      [principal, reference, id, boughtId],
    ),
  );
}

/** Removes one call from a reservation. The last one frees the amount, and the approval it used. */
export async function releaseSpending(tx: Tx, id: SpendingId, { forGood }: { readonly forGood: boolean }): Promise<void> {
  const { rows } = await sql<{ status: string }>`
    update spendings set holders = greatest(holders - 1, 0),
      status = case when holders <= 1 or ${forGood}::boolean then 'released' else status end,
      settled_at = case when holders <= 1 or ${forGood}::boolean then market_now() end
    where id = ${id} and status = 'reserved' returning status`.execute(tx);
  if (rows[0]?.status === 'released') await returnApproval(tx, id);
}

/** Releases a counted payment whose money came back. */
export async function undoSpending(tx: Tx, id: SpendingId): Promise<void> {
  const { numAffectedRows } = await sql`
    update spendings set holders = 0, status = 'released', settled_at = market_now() where id = ${id} and status = 'kept'`.execute(tx);
  if (numAffectedRows === 1n) await returnApproval(tx, id);
}

async function returnApproval(tx: Tx, id: SpendingId): Promise<void> {
  await tx.executeQuery(
    deferred(`update spend_approvals set status = 'approved', spending_id = null where spending_id = $1 and status = 'used'`, [id]),
  );
}

/** If another payment used the approval meanwhile, this one counts without it. */
async function takeApprovalAgain(tx: Tx, id: SpendingId, approvalId: SpendApprovalId): Promise<void> {
  await sql`update spend_approvals set status = 'used', spending_id = ${id} where id = ${approvalId} and status = 'approved'`.execute(tx);
  await sql`
    update spendings set approval_id = null where id = ${id}
      and not exists (select 1 from spend_approvals a where a.id = ${approvalId} and a.spending_id = ${id})`.execute(tx);
}

/** Locked until the transaction ends. */
export async function lockSpending(tx: Tx, id: SpendingId): Promise<SpendingRow | undefined> {
  return await tx.selectFrom('spendings').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function clearOldSpendings(tx: Tx): Promise<void> {
  await sql`delete from spendings where status <> 'reserved' and created_at < market_now() - make_interval(days => ${spendingLimits.keepDays})`.execute(
    tx,
  );
  await sql`delete from spend_approvals where created_at < market_now() - make_interval(days => ${spendingLimits.keepDays})`.execute(tx);
}

/** Releases what the first presenter's policies counted for this transfer, because another payer proved itself. */
export async function releaseSpent(tx: Tx, reference: string, boughtId: string): Promise<void> {
  await sql`
    with freed as (
      update spendings set holders = 0, status = 'released', settled_at = market_now()
      where bought_id = ${boughtId} and reference = ${reference} and status = 'kept' returning id)
    update spend_approvals set status = 'approved', spending_id = null
    where status = 'used' and spending_id in (select id from freed)`.execute(tx);
}
