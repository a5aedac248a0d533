/** The SQL of public figures. An order's part in them is read from the records; figures move by what changed since it was last counted. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';

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

/** Counts orders in their current state; unpaid orders are skipped. A concurrent count waits, then counts only the difference. */
export async function countOrders(tx: Tx, orderIds: readonly string[]): Promise<void> {
  await tx.executeQuery(
    deferred(
      `insert into counted_orders (order_id, agent_id, service_id)
       select id, provider_agent_id, service_id from orders where id = any($1) and paid_micros > 0 on conflict do nothing`,
      [orderIds],
    ),
  );
  // Always in the same order, so that two counts never wait for each other.
  const { rows } = await sql<{ orderId: string }>`
    select order_id from counted_orders where order_id = any(${[...orderIds]}) order by order_id for update`.execute(tx);
  if (rows.length === 0) return;
  const differences = await moveCounted(
    tx,
    rows.map(({ orderId }) => orderId),
  );
  if (differences.length > 0) await moveFigures(tx, differences);
}

/** A statement of its own after the lock is held, so that it reads what is true then. */
async function moveCounted(tx: Tx, orderIds: readonly string[]): Promise<Difference[]> {
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
      where o.id = any(${[...orderIds]})
    ), before as (select * from counted_orders where order_id = any(${[...orderIds]}))
    update counted_orders c set
      total_orders = p.total_orders, completed_orders = p.completed_orders,
      overdue_orders = p.overdue_orders, late_orders = p.late_orders, revenue_micros = p.revenue_micros,
      rating_sum = p.rating_sum, rating_count = p.rating_count
    from part p, before b where c.order_id = p.id and b.order_id = p.id
    returning c.agent_id as "agentId", c.service_id as "serviceId", c.total_orders - b.total_orders as "totalOrders",
              c.completed_orders - b.completed_orders as "completedOrders",
              c.overdue_orders - b.overdue_orders as "overdueOrders", c.late_orders - b.late_orders as "lateOrders", c.revenue_micros - b.revenue_micros as "revenueMicros",
              c.rating_sum - b.rating_sum as "ratingSum", c.rating_count - b.rating_count as "ratingCount"`.execute(tx);
  return rows;
}

/** Sums per agent and per service, in the same order each time. */
async function moveFigures(tx: Tx, differences: readonly Difference[]): Promise<void> {
  const rows = differences.map(({ revenueMicros, ...counts }) => ({ ...counts, revenueMicros: String(revenueMicros) }));
  const moved = `
    with moved as (
      select * from jsonb_to_recordset($1::jsonb) as m
        ("agentId" text, "serviceId" text, "totalOrders" int, "completedOrders" int, "overdueOrders" int, "lateOrders" int,
         "revenueMicros" bigint, "ratingSum" int, "ratingCount" int))`;
  const sums = `sum("totalOrders")::int as total, sum("completedOrders")::int as completed, sum("overdueOrders")::int as overdue,
    sum("lateOrders")::int as late, sum("revenueMicros")::bigint as revenue, sum("ratingSum")::int as rating, sum("ratingCount")::int as ratings`;
  const orders = `total_orders = total_orders + by.total, completed_orders = completed_orders + by.completed,
    rating_sum = rating_sum + by.rating, rating_count = rating_count + by.ratings`;
  await tx.executeQuery(
    deferred(
      `${moved}, by as (select "agentId" as id, ${sums} from moved group by 1 order by 1)
       update agent_figures set ${orders}, overdue_orders = overdue_orders + by.overdue, late_orders = late_orders + by.late,
         revenue_micros = revenue_micros + by.revenue from by where agent_id = by.id`,
      [JSON.stringify(rows)],
    ),
  );
  await tx.executeQuery(
    deferred(
      `${moved}, by as (select "serviceId" as id, ${sums} from moved where "serviceId" is not null group by 1 order by 1)
       update services s set ${orders} from by where s.id = by.id`,
      [JSON.stringify(rows)],
    ),
  );
}
