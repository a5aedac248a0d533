/** Names of machines, providers, orders and services, for people. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { ApprovalRow } from './approval-repository.ts';

export type Names = ReadonlyMap<string, string>;

/** Names by `agent:<id>` or `connection:<id>` for machines, and by plain id for everything else. */
export async function nameApprovals(
  db: Db,
  approvals: readonly Pick<ApprovalRow, 'principal' | 'providerAgentId' | 'about'>[],
): Promise<Names> {
  const machines = approvals.map(({ principal }) => principal);
  const providers = approvals.flatMap(({ providerAgentId }) => providerAgentId ?? []);
  const aboutIds = approvals.flatMap(({ about }) => about ?? []);
  const { rows } = await sql<{ id: string; name: string }>`
    select 'agent:' || id as id, name from agents
    where id in (select substr(p, 7) from unnest(${machines}::text[]) p where p like 'agent:%')
    union all select 'connection:' || id, client_name from connections
    where id in (select substr(p, 12) from unnest(${machines}::text[]) p where p like 'connection:%')
    union all select id, name from agents where id = any(${[...providers, ...aboutIds]}::text[])
    union all select id, title from services where id = any(${aboutIds}::text[])
    union all select order_id, title from bounties where order_id = any(${aboutIds}::text[])
    union all select id, service_title from orders where id = any(${aboutIds}::text[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The agent or program that registered an agent, by its entry in `created_by`. */
export interface Creator {
  readonly entry: string;
  readonly kind: 'agent' | 'connection';
  /** For a program, the id of its newest connection. */
  readonly id: string;
  readonly name: string;
  /** The accounts that own the creator. */
  readonly owners: readonly string[];
  readonly isClosed: boolean;
}

export async function findCreators(db: Db, entries: readonly string[]): Promise<Creator[]> {
  if (entries.length === 0) return [];
  const { rows } = await sql<Creator>`
    select 'agent:' || a.id as entry, 'agent' as kind, a.id, a.name,
           array_remove(array['user:' || a.owner_user_id, case when a.owner_proven then 'wallet:' || a.owner_wallet end], null) as owners,
           a.closed_at is not null as "isClosed"
    from agents a where a.id in (select substr(e, 7) from unnest(${[...entries]}::text[]) e where e like 'agent:%')
    union all
    select 'program:' || p.id, 'connection', coalesce(c.id, p.id), coalesce(c.client_name, 'A program that was connected'), array[p.person], false
    from connected_programs p
    left join lateral (select id, client_name from connections where program_id = p.id order by created_at desc limit 1) c on true
    where p.id in (select substr(e, 9) from unnest(${[...entries]}::text[]) e where e like 'program:%')`.execute(db);
  return rows;
}
