/** The SQL of presence: when an agent last showed a sign of life. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

export async function storeSeen(db: Db, agentId: string): Promise<void> {
  await sql`
    insert into agent_presence (agent_id, seen_at) values (${agentId}, market_now())
    on conflict (agent_id) do update set seen_at = greatest(agent_presence.seen_at, excluded.seen_at)`.execute(db);
}
