/** The SQL of spend policies. */
import type { SpendPolicy, SpendSubject } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { SpendPoliciesTable } from '../../platform/db/schema.generated.ts';
import type { Machine } from './subjects.ts';

export type PolicyRow = Selectable<SpendPoliciesTable>;

export interface SubjectRow extends SpendSubject {
  /** Null: no policy. */
  readonly policy: PolicyRow | null;
}

/**
 * Everything that the call is held to, with the policies there are: one statement for most calls, which have none. All linked wallets and
 * accounts are those of one person.
 */
export async function readSubjects(
  db: Db,
  { subjects, people: { users, wallets } }: Pick<Machine, 'subjects' | 'people'>,
): Promise<SubjectRow[]> {
  const { rows } = await sql<SpendSubject & Omit<PolicyRow, 'subjectId'> & { subjectId: string | null }>`
    with users as (
      select u as id from unnest(${[...users]}::text[]) u
      union select user_id from user_wallets where address = any(${[...wallets]}::text[])),
    accounts as (
      select 'user:' || id as id from users
      union select 'wallet:' || w from unnest(${[...wallets]}::text[]) w
      union select 'wallet:' || address from user_wallets where user_id in (select id from users)),
    subjects as (
      select kind, id from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[]) as s (kind, id)
      union all select 'account', id from accounts)
    select s.kind, s.id, p.* from subjects s left join spend_policies p on p.subject_kind = s.kind and p.subject_id = s.id`.execute(db);
  return rows.map(({ kind, id, ...row }) => ({ kind, id, policy: row.subjectId === null ? null : (row as PolicyRow) }));
}

/** Other payments that these policies limit wait until the transaction ends. In one order, so that no two wait for each other. */
export async function lockPolicies(tx: Tx, subjects: readonly SpendSubject[]): Promise<PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    select p.* from spend_policies p
    where (p.subject_kind, p.subject_id) in (select kind, id from unnest(${subjects.map(({ kind }) => kind)}::text[],
      ${subjects.map(({ id }) => id)}::text[]) as s (kind, id))
    order by p.subject_kind, p.subject_id for update`.execute(tx);
  return rows;
}

export async function readPolicies(db: Db, subjects: readonly SpendSubject[]): Promise<PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    select p.* from spend_policies p
    join unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[]) as s (kind, id)
      on p.subject_kind = s.kind and p.subject_id = s.id`.execute(db);
  return rows;
}

/** Without `frozen`, a freeze stays as it is. */
export type WrittenPolicy = Omit<SpendPolicy, 'frozen'> & Partial<Pick<SpendPolicy, 'frozen'>>;

/** A policy without any rule is no policy: its row goes, so that calls stay as cheap as before. */
export async function writePolicy(tx: Tx, { kind, id }: SpendSubject, policy: WrittenPolicy): Promise<PolicyRow | undefined> {
  const columns = {
    ...policy,
    allowAgents: [...policy.allowAgents],
    blockAgents: [...policy.blockAgents],
    allowCategories: [...policy.allowCategories],
    blockCategories: [...policy.blockCategories],
    updatedAt: sql<Date>`market_now()`,
  };
  await tx
    .insertInto('spendPolicies')
    .values({ subjectKind: kind, subjectId: id, ...columns })
    .onConflict((conflict) => conflict.columns(['subjectKind', 'subjectId']).doUpdateSet(columns))
    .execute();
  await dropEmpty(tx, { kind, id });
  const [row] = await readPolicies(tx, [{ kind, id }]);
  return row;
}

/** Changes the limit per day alone. */
export async function writeDailyLimit(tx: Tx, { kind, id }: SpendSubject, micros: bigint | null): Promise<void> {
  await sql`
    insert into spend_policies (subject_kind, subject_id, per_day_micros) values (${kind}, ${id}, ${micros})
    on conflict (subject_kind, subject_id) do update set per_day_micros = excluded.per_day_micros, updated_at = market_now()`.execute(tx);
  await dropEmpty(tx, { kind, id });
}

export async function renamePolicy(tx: Tx, { kind, id }: SpendSubject, newId: string): Promise<void> {
  await sql`update spend_policies set subject_id = ${newId} where subject_kind = ${kind} and subject_id = ${id}`.execute(tx);
}

export async function deletePolicies(tx: Tx, kind: SpendSubject['kind'], ids: readonly string[]): Promise<void> {
  await sql`delete from spend_policies where subject_kind = ${kind} and subject_id = any(${[...ids]}::text[])`.execute(tx);
}

/** Changes the freeze alone. */
export async function writeFrozen(tx: Tx, { kind, id }: SpendSubject, frozen: boolean): Promise<PolicyRow | undefined> {
  await sql`
    insert into spend_policies (subject_kind, subject_id, frozen) values (${kind}, ${id}, ${frozen})
    on conflict (subject_kind, subject_id) do update set frozen = excluded.frozen, updated_at = market_now()`.execute(tx);
  await dropEmpty(tx, { kind, id });
  const [row] = await readPolicies(tx, [{ kind, id }]);
  return row;
}

async function dropEmpty(tx: Tx, { kind, id }: SpendSubject): Promise<void> {
  await sql`
    delete from spend_policies where subject_kind = ${kind} and subject_id = ${id} and not frozen
      and num_nonnulls(per_order_micros, per_day_micros, per_provider_day_micros, per_category_day_micros, approve_above_micros) = 0
      and cardinality(allow_agents || block_agents || allow_categories || block_categories) = 0`.execute(tx);
}
