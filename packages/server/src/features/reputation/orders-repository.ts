/** The SQL of the orders behind a reputation: settled orders that weigh, by periods. */
import { type AgentId, reputationRules, type ServiceId } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface WeighedOrder {
  readonly buyer: number;
  readonly endedAt: Date;
  readonly priceMicros: bigint;
  readonly weight: number;
  readonly completed: boolean;
  readonly timed: boolean;
  readonly onTime: boolean;
  readonly disputeLost: boolean;
  readonly rating: number | null;
  readonly good: boolean;
  /** Orders of the period. */
  readonly total: number;
}

interface Asked {
  readonly agentId: AgentId;
  readonly service: ServiceId | undefined;
  readonly period: number;
  readonly limit: number;
  readonly offset: number;
}

/** The latest period with orders, but not after `until`. */
export async function findPeriod(db: Db, agentId: AgentId, service: ServiceId | undefined, until?: number): Promise<number | null> {
  const { rows } = await sql<{ period: number | null }>`
    select max(period) as period from subject_periods
    where subject = ${service ?? agentId} and settled > 0 and period <= ${until ?? 1_000_000}`.execute(db);
  return rows[0]?.period ?? null;
}

/** Numbers buyers by a hash that differs in each period. A number does not tell who the buyer is, nor which one it was before. */
export async function listWeighedOrders(db: Db, { agentId, service, period, limit, offset }: Asked): Promise<readonly WeighedOrder[]> {
  const seconds = reputationRules.periodDays * 86_400;
  const { rows } = await sql<WeighedOrder>`
    select (dense_rank() over (order by md5(c.buyer || c.agent_id || ${period}::text)))::int as buyer, c.ended_at, o.price_micros, c.weight,
           c.kept_orders = 1 as completed, c.timed_orders = 1 as timed, c.on_time_orders = 1 as on_time, c.disputes_lost = 1 as dispute_lost,
           case when c.rating_count = 1 then c.rating_sum end as rating, c.good_orders = 1 as good, (count(*) over ())::int as total
    from counted_orders c join orders o on o.id = c.order_id
    where c.agent_id = ${agentId} and c.weight > 0 and c.ended_at >= to_timestamp(${period * seconds}) and c.ended_at < to_timestamp(${(period + 1) * seconds})
      and ${service === undefined ? sql`true` : sql`c.service_id = ${service}`}
    order by c.ended_at desc, c.order_id desc offset ${offset} limit ${limit}`.execute(db);
  return rows;
}
