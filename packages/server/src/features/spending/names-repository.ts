/** Names of machines, providers, orders and services, for people. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { ApprovalRow } from './approval-repository.ts';

export type Names = ReadonlyMap<string, string>;

/** By `agent:<id>` or `connection:<id>` of machines, and by the ids of everything else. */
export async function nameApprovals(
  db: Db,
  approvals: readonly Pick<ApprovalRow, 'principal' | 'providerAgentId' | 'about'>[],
): Promise<Names> {
  const machines = approvals.map(({ principal }) => principal);
  const providers = approvals.flatMap(({ providerAgentId }) => providerAgentId ?? []);
  const things = approvals.flatMap(({ about }) => about ?? []);
  const { rows } = await sql<{ id: string; name: string }>`
    select 'agent:' || id as id, name from agents
    where id in (select substr(p, 7) from unnest(${machines}::text[]) p where p like 'agent:%')
    union all select 'connection:' || id, client_name from connections
    where id in (select substr(p, 12) from unnest(${machines}::text[]) p where p like 'connection:%')
    union all select id, name from agents where id = any(${[...providers, ...things]}::text[])
    union all select id, title from services where id = any(${things}::text[])
    union all select order_id, title from bounties where order_id = any(${things}::text[])
    union all select id, service_title from orders where id = any(${things}::text[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
