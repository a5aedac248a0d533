/** Names of machines, for people. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** `agent:<id>` or `connection:<id>` → its name. */
export async function nameMachines(db: Db, principals: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ principal: string; name: string }>`
    select 'agent:' || id as principal, name from agents
    where id in (select substr(p, 7) from unnest(${[...principals]}::text[]) p where p like 'agent:%')
    union all select 'connection:' || id, client_name from connections
    where id in (select substr(p, 12) from unnest(${[...principals]}::text[]) p where p like 'connection:%')`.execute(db);
  return new Map(rows.map(({ principal, name }) => [principal, name]));
}
