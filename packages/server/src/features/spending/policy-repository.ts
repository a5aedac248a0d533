/** The SQL of spend policies. */
import type { SpendPolicy, SpendSubject } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { SpendPoliciesTable } from '../../platform/db/schema.generated.ts';
import type { Machine, MachineSubject } from './subjects.ts';

export type PolicyRow = Selectable<SpendPoliciesTable>;

export interface SubjectRow extends MachineSubject {
  /** Null: no policy. */
  readonly policy: PolicyRow | null;
  /** The accounts that own the subject: they decide when its policy asks. */
  readonly owners: readonly string[];
  /** The owners, and the accounts that are linked to them: they see when its policy asks. */
  readonly askedOf: readonly string[];
  /** True if this subject registered the agent that pays. */
  readonly isCreator: boolean;
}

type ReadRow = Omit<SubjectRow, 'policy'> & Omit<PolicyRow, 'subjectId'> & { readonly subjectId: string | null };

/**
 * All subjects that limit a call, with their policies. Most calls have no policy and need this statement alone. The creator of an agent
 * limits the agent, too. Only a proven owner counts: a stranger could use up the limit of a wallet that they merely named. All linked
 * wallets and accounts are those of one person.
 */
export async function readSubjects(db: Db, { subjects }: Pick<Machine, 'subjects'>): Promise<SubjectRow[]> {
  const { rows } = await sql<ReadRow>`
    with recursive given as (
      select kind, id from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[]) as s (kind, id)),
    machines as (
      select kind, id from given
      union select case when made.by like 'agent:%' then 'agent' else 'connection' end, substr(made.by, strpos(made.by, ':') + 1)
      from machines m join agents a on m.kind = 'agent' and a.id = m.id cross join lateral unnest(a.created_by) as made (by)),
    owners as (
      select m.kind, m.id, o.account from machines m join agents a on m.kind = 'agent' and a.id = m.id
      cross join lateral (values ('user:' || a.owner_user_id), (case when a.owner_proven then 'wallet:' || a.owner_wallet end)) as o (account)
      where o.account is not null
      union all select m.kind, m.id, p.person from machines m join connected_programs p on m.kind = 'connection' and p.id = m.id),
    users as (
      select kind, id, substr(account, 6) as user_id from owners where account like 'user:%'
      union select o.kind, o.id, w.user_id from owners o join user_wallets w on o.account like 'wallet:%' and w.address = substr(o.account, 8)),
    accounts as materialized (
      select kind, id, account from owners
      union select kind, id, 'user:' || user_id from users
      union select u.kind, u.id, 'wallet:' || w.address from users u join user_wallets w on w.user_id = u.user_id),
    subjects as (
      select m.kind, m.id, array(select o.account from owners o where o.kind = m.kind and o.id = m.id) as owners,
             array(select a.account from accounts a where a.kind = m.kind and a.id = m.id) as asked_of,
             not exists (select 1 from given g where g.kind = m.kind and g.id = m.id) as is_creator,
             case when m.kind = 'connection' then
               (select c.id from connections c where c.program_id = m.id order by c.created_at desc limit 1) end as shown_id
      from machines m
      union all
      select 'account', own.account, array[own.account],
             array(select distinct a.account from accounts a join accounts b using (kind, id) where b.account = own.account), false, null
      from (select distinct account from accounts) own)
    select s.kind, s.id, s.owners, s.asked_of as "askedOf", s.is_creator as "isCreator", s.shown_id as "shownId", p.*
    from subjects s left join spend_policies p on p.subject_kind = s.kind and p.subject_id = s.id`.execute(db);
  return rows.map(({ kind, id, owners, askedOf, isCreator, shownId, ...row }) => ({
    ...{ kind, id, owners, askedOf, isCreator },
    shownId: subjects.find((one) => one.kind === kind && one.id === id)?.shownId ?? shownId,
    policy: row.subjectId === null ? null : (row as PolicyRow),
  }));
}

/** Locks policies: other payments that they limit wait until the transaction ends. In a fixed order, so that no two deadlock. */
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
