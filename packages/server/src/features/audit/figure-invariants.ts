/** Public figures against the records they sum up. Written out again here on purpose: the counting itself is what is checked. */
import type { Invariant } from './invariant.ts';

const paidFor = `
  select o.provider_agent_id as agent_id, o.service_id, r.rating, o.overdue_since is not null as overdue,
         o.status = 'completed' and not (o.overdue_since is not null and o.delivered_at is null) as completed,
         case when o.status <> 'completed' then 0 when s.outcome = 'split' then o.paid_micros - s.refund_micros else o.price_micros end as revenue
  from orders o left join settlements s on s.order_id = o.id left join reviews r on r.order_id = o.id
  where o.paid_micros > 0 and o.status <> 'cancelled' and not o.related_party`;

/** Pending counts excuse a difference; abandoned ones do not. */
const waiting = `
  select e.agent_id from event_queue q join events e on e.id = q.event_id where q.follower = 'figures' and e.agent_id is not null
  union
  select e.agent_id from jobs j join events e on e.id = (j.payload->>'event_id')::bigint
  where j.kind = 'event.figures' and j.state = 'ready' and e.agent_id is not null`;

const sums = `count(*) as total, count(*) filter (where completed) as completed, count(*) filter (where overdue) as overdue, count(*) filter (where overdue and completed) as late, sum(revenue) as revenue, coalesce(sum(rating), 0) as rating_sum, count(rating) as rating_count`;

export const figureInvariants: readonly Invariant[] = [
  {
    id: 'V09',
    holds: 'the public figures of agents and services are what their orders and reviews add up to',
    sql: `with paid_for as (${paidFor}), waiting as (${waiting}),
               of_agents as (select agent_id, ${sums} from paid_for group by agent_id),
               of_services as (select service_id, ${sums} from paid_for where service_id is not null group by service_id)
          select f.agent_id as id, f.total_orders, f.completed_orders, f.revenue_micros::text as revenue, f.rating_sum, f.rating_count
          from agent_figures f left join of_agents t using (agent_id)
          where (f.total_orders, f.completed_orders, f.overdue_orders, f.late_orders, f.revenue_micros, f.rating_sum, f.rating_count)
                <> (coalesce(t.total, 0), coalesce(t.completed, 0), coalesce(t.overdue, 0), coalesce(t.late, 0), coalesce(t.revenue, 0), coalesce(t.rating_sum, 0), coalesce(t.rating_count, 0))
            and f.agent_id not in (select agent_id from waiting)
          union all
          select v.id, v.total_orders, v.completed_orders, null, v.rating_sum, v.rating_count
          from services v left join of_services t on t.service_id = v.id
          where (v.total_orders, v.completed_orders, v.rating_sum, v.rating_count)
                <> (coalesce(t.total, 0), coalesce(t.completed, 0), coalesce(t.rating_sum, 0), coalesce(t.rating_count, 0))
            and v.agent_id not in (select agent_id from waiting)`,
  },
];
