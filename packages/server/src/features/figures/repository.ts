/** The SQL of public figures. An order's part in them is read from the records; figures move by what changed since it was last counted. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';

interface Difference {
  readonly agentId: string;
  readonly serviceId: string | null;
  readonly totalOrders: number;
  readonly completedOrders: number;
  readonly overdueOrders: number;
  readonly lateOrders: number;
  readonly revenueMicros: bigint;
  readonly ratingSum: number;
  readonly ratingCount: number;
}

/** Counts an order in its current state; unpaid orders are skipped. A concurrent count waits, then counts only the difference. */
export async function countOrder(tx: Tx, orderId: string): Promise<void> {
  await sql`
    insert into counted_orders (order_id, agent_id, service_id)
    select id, provider_agent_id, service_id from orders where id = ${orderId} and paid_micros > 0 on conflict do nothing`.execute(tx);
  await sql`select 1 from counted_orders where order_id = ${orderId} for update`.execute(tx);
  const difference = await moveCounted(tx, orderId);
  if (difference !== undefined) await moveFigures(tx, difference);
}

/** A statement of its own after the lock is held, so that it reads what is true then. */
async function moveCounted(tx: Tx, orderId: string): Promise<Difference | undefined> {
  const { rows } = await sql<Difference>`
    with part as (
      select o.id, counts::int as total_orders, (counts and ended)::int as completed_orders,
             (counts and o.overdue_since is not null)::int as overdue_orders,
             (counts and ended and o.overdue_since is not null)::int as late_orders,
             case when counts and o.status = 'completed'
               then case when s.outcome = 'split' then s.agent_micros + s.fee_micros else o.price_micros end else 0 end as revenue_micros,
             case when counts then coalesce(r.rating, 0) else 0 end as rating_sum, (counts and r.rating is not null)::int as rating_count
      from orders o
      cross join lateral (select o.paid_micros > 0 and o.status <> 'cancelled' and not o.related_party as counts,
                                 -- What was closed by a ruling without any delivery was not completed by the agent.
                                 o.status = 'completed' and (o.overdue_since is null or o.delivered_at is not null) as ended) c
      left join settlements s on s.order_id = o.id left join reviews r on r.order_id = o.id
      where o.id = ${orderId}
    ), before as (select * from counted_orders where order_id = ${orderId})
    update counted_orders c set
      total_orders = p.total_orders, completed_orders = p.completed_orders,
      overdue_orders = p.overdue_orders, late_orders = p.late_orders, revenue_micros = p.revenue_micros,
      rating_sum = p.rating_sum, rating_count = p.rating_count
    from part p, before b where c.order_id = p.id
    returning c.agent_id as "agentId", c.service_id as "serviceId", c.total_orders - b.total_orders as "totalOrders",
              c.completed_orders - b.completed_orders as "completedOrders",
              c.overdue_orders - b.overdue_orders as "overdueOrders", c.late_orders - b.late_orders as "lateOrders", c.revenue_micros - b.revenue_micros as "revenueMicros",
              c.rating_sum - b.rating_sum as "ratingSum", c.rating_count - b.rating_count as "ratingCount"`.execute(tx);
  return rows[0];
}

async function moveFigures(tx: Tx, by: Difference): Promise<void> {
  const orders = sql`total_orders = total_orders + ${by.totalOrders}, completed_orders = completed_orders + ${by.completedOrders},
    rating_sum = rating_sum + ${by.ratingSum}, rating_count = rating_count + ${by.ratingCount}`;
  await sql`
    update agent_figures set ${orders}, overdue_orders = overdue_orders + ${by.overdueOrders}, late_orders = late_orders + ${by.lateOrders},
      revenue_micros = revenue_micros + ${by.revenueMicros} where agent_id = ${by.agentId}`.execute(tx);
  if (by.serviceId !== null) await sql`update services set ${orders} where id = ${by.serviceId}`.execute(tx);
}
