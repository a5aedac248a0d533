/** The SQL of budget sessions. */
import type { BudgetId } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { SpendBudgetsTable } from '../../platform/db/schema.generated.ts';

export type BudgetRow = Selectable<SpendBudgetsTable> & { readonly usedMicros: bigint; readonly isExpired: boolean };

const used = sql<bigint>`(select coalesce(sum(s.amount_micros), 0)::bigint from spendings s
  where s.budget_id = spend_budgets.id and s.status in ('reserved', 'kept'))`.as('usedMicros');
const isExpired = sql<boolean>`spend_budgets.expires_at <= market_now()`.as('isExpired');

function selectBudgets(db: Db) {
  return db.selectFrom('spendBudgets').selectAll('spendBudgets').select([used, isExpired]);
}

/** Locks the session: its payments wait until the transaction ends. */
export async function lockBudget(tx: Tx, id: string): Promise<BudgetRow | undefined> {
  await tx.executeQuery(deferred('select 1 from spend_budgets where id = $1 for update', [id]));
  return await findBudget(tx, id);
}

export async function findBudget(db: Db, id: string): Promise<BudgetRow | undefined> {
  return await selectBudgets(db)
    .where('spendBudgets.id', '=', id as BudgetId)
    .executeTakeFirst();
}

export async function listBudgets(db: Db, owners: readonly string[]): Promise<BudgetRow[]> {
  if (owners.length === 0) return [];
  return await selectBudgets(db)
    .where('owner', 'in', [...owners])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
}

/** Counts the owner's open sessions. Other openings of this owner wait until the transaction ends, so that the count holds. */
export async function countOpenBudgets(tx: Tx, owner: string): Promise<number> {
  await tx.executeQuery(deferred('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`budgets-of:${owner}`]));
  const { n } = await tx
    .selectFrom('spendBudgets')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('owner', '=', owner)
    .where('closedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`market_now()`)
    .executeTakeFirstOrThrow();
  return n;
}

export async function insertBudget(
  tx: Tx,
  { seconds, ...budget }: Pick<BudgetRow, 'id' | 'owner' | 'label' | 'amountMicros'> & { readonly seconds: number },
): Promise<BudgetRow> {
  await tx
    .insertInto('spendBudgets')
    .values({ ...budget, expiresAt: sql<Date>`market_now() + make_interval(secs => ${seconds})` })
    .execute();
  return await requireBudget(tx, budget.id);
}

/** Shortens only: a later expiry than the stored one changes nothing and returns false. */
export async function shrinkBudget(
  tx: Tx,
  id: BudgetId,
  { amountMicros, seconds }: { readonly amountMicros: bigint | null; readonly seconds: number | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update spend_budgets set amount_micros = coalesce(${amountMicros}::bigint, amount_micros),
      expires_at = coalesce(market_now() + make_interval(secs => ${seconds}::float8), expires_at)
    where id = ${id} and (${seconds}::float8 is null or market_now() + make_interval(secs => ${seconds}::float8) <= expires_at)
      and (${amountMicros}::bigint is null or ${amountMicros}::bigint <= amount_micros)`.execute(tx);
  return numAffectedRows === 1n;
}

export async function closeBudget(tx: Tx, id: BudgetId): Promise<BudgetRow> {
  await sql`update spend_budgets set closed_at = coalesce(closed_at, market_now()) where id = ${id}`.execute(tx);
  return await requireBudget(tx, id);
}

export async function requireBudget(db: Db, id: string): Promise<BudgetRow> {
  const budget = await findBudget(db, id);
  if (budget === undefined) throw new Error(`${id} is gone`);
  return budget;
}
