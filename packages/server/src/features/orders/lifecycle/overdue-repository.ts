/** The SQL of overdue orders: whether they hold the later hires of their agent until approval. */
import { type AgentId, instantPayoutRule } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

/** Locks the agent: of two orders that become overdue at the same moment, the second counts both. */
export async function lockHolds(tx: Tx, agentId: AgentId): Promise<void> {
  await tx.selectFrom('agents').select('id').where('id', '=', agentId).forNoKeyUpdate().execute();
}

export async function areHiresHeld(db: Db, agentId: AgentId): Promise<boolean> {
  const agent = await db.selectFrom('agents').select('payoutHeldSince').where('id', '=', agentId).executeTakeFirstOrThrow();
  return agent.payoutHeldSince !== null;
}

/** Holds or frees the agent's later hires, computed from its orders. */
export async function refreshHold(tx: Tx, agentId: AgentId): Promise<void> {
  const { overdueOrders, withinDays } = instantPayoutRule;
  await lockHolds(tx, agentId);
  // Hold while an order is still owed in some stretch of days with too many overdue ones. Hires of one's own agent do not count.
  await sql`
    with overdue as (
      select overdue_since as since, overdue_cleared_at is null and status <> 'cancelled' as owed
      from orders where provider_agent_id = ${agentId} and overdue_since is not null and not related_party
    ), stretches as (
      select first.since as begins, first.since + make_interval(days => ${withinDays}) as ends from overdue first
    ), judged as (
      select exists (
        select 1 from stretches s where ${overdueOrders} <= (select count(*) from overdue o where o.since between s.begins and s.ends)
          and exists (select 1 from overdue o where o.owed and o.since between s.begins and s.ends)) as held
    )
    update agents set payout_held_since = case when judged.held then market_now() end
    from judged where agents.id = ${agentId} and (agents.payout_held_since is not null) <> judged.held`.execute(tx);
}
