/** Compares public figures with the records they sum up. The counting is written a second time on purpose, because it is what we check. */
import { reputationRules } from '@market/contract';
import type { Invariant } from './invariant.ts';

const paidFor = `
  select o.provider_agent_id as agent_id, o.service_id, r.rating, o.overdue_since is not null as overdue,
         o.status = 'completed' and not (o.overdue_since is not null and o.delivered_at is null) as completed,
         case when o.status <> 'completed' then 0 when s.outcome is distinct from 'split' then o.price_micros
              when o.kind = 'standard' then o.paid_micros - s.refund_micros else s.agent_micros end as revenue
  from orders o left join settlements s on s.order_id = o.id left join reviews r on r.order_id = o.id
  where o.paid_micros > 0 and o.status <> 'cancelled' and not o.related_party`;

/** A difference is allowed while a recount is queued, not after it gave up. */
const waiting = `
  select e.agent_id from event_queue q join events e on e.id = q.event_id where q.follower = 'figures' and e.agent_id is not null
  union
  select e.agent_id from jobs j join events e on e.id = (j.payload->>'event_id')::bigint
  where j.kind = 'event.figures' and j.state = 'ready' and e.agent_id is not null`;

const sums = `count(*) as total, count(*) filter (where completed) as completed, count(*) filter (where overdue) as overdue, count(*) filter (where overdue and completed) as late, sum(revenue) as revenue, coalesce(sum(rating), 0) as rating_sum, count(rating) as rating_count`;

/**
 * Recomputes reputation from the event log. The terms of an order (payment, promised time, related parties) are not in the log, so they come
 * from the order. The buyer behind a wallet or agent comes from the first count of the order, because it may change later.
 */
const ended = `
  select e.subject_id as order_id, max(e.created_at) as at, bool_or(e.type = 'order.completed') as completed,
         bool_or(e.type = 'order.cancelled' and e.context->>'actor_role' in ('provider', 'system') and not e.data ? 'reason') as given_up
  from events e where e.type in ('order.completed', 'order.cancelled') group by e.subject_id`;
const first = (what: string, name: string) => `
  select e.subject_id as order_id, min(e.created_at) as ${name} from events e join orders o on o.id = e.subject_id where ${what} group by e.subject_id`;
const reported = `
  with ended as (${ended}), delivered as (${first(`e.type = 'order.delivered'`, 'at')}),
       answered as (${first(`e.context->>'actor_role' = 'provider' and e.created_at >= o.paid_at`, 'at')}),
       handed as (select distinct subject_id as order_id from events
                  where type = 'order.delivered' and context->>'actor_role' = 'provider' or type = 'order.request_answered' and data->>'status' = 'completed'),
       -- The buyer paid for a workspace and asked for nothing in it.
       unused as (select id as order_id from orders where due_at is null
                  except select subject_id from events where type = 'order.request_opened' except select order_id from handed),
       lost as (select distinct subject_id as order_id from events where type = 'order.dispute_ruled' and data->>'ruling' in ('refund', 'split')),
       rated as (select subject_id as order_id, (data->>'rating')::int as rating from events where type = 'order.reviewed')
  select o.id, o.provider_agent_id as agent_id, o.service_id, coalesce(o.user_id, counted.buyer) as buyer, ended.at as ended_at,
         floor(extract(epoch from ended.at) / ${reputationRules.periodDays * 86_400})::int as period,
         case when o.price_micros >= ${reputationRules.leastPriceMicros}
           then least(1000, o.price_micros * 1000 / ${reputationRules.fullPriceMicros})::int else 0 end as weight,
         ended.completed and handed.order_id is not null as kept, lost.order_id is not null as lost, rated.rating,
         o.due_at is not null and (delivered.at is not null or ended.at > o.due_at) as timed,
         o.due_at is not null and delivered.at is not null and delivered.at <= o.due_at as on_time,
         floor(extract(epoch from answered.at - o.paid_at))::int as response
  from orders o join ended on ended.order_id = o.id left join delivered on delivered.order_id = o.id
  left join answered on answered.order_id = o.id left join lost on lost.order_id = o.id left join rated on rated.order_id = o.id
  left join counted_orders counted on counted.order_id = o.id left join handed on handed.order_id = o.id left join unused on unused.order_id = o.id
  where o.paid_micros > 0 and not o.related_party and (ended.completed and unused.order_id is null or ended.given_up or lost.order_id is not null)`;

const { ordersPerBuyer, goodRating, latestResponses } = reputationRules;
const perBuyer = `
  select s.subject, t.buyer, count(*) filter (where t.kept) as kept
  from reported t cross join lateral (values (t.agent_id), (t.service_id)) s (subject) where s.subject is not null and t.weight > 0 group by 1, 2`;
/** Weight of a buyer's orders in a period, before it is scaled down to the limit per buyer. */
const perPeriod = `
  select s.subject, t.buyer, t.period, sum(t.weight) as settled, coalesce(sum(t.weight) filter (where t.kept), 0) as completed,
         coalesce(sum(t.weight) filter (where t.kept and not t.lost and (t.on_time or not t.timed) and coalesce(t.rating, ${goodRating}) >= ${goodRating}), 0) as good,
         coalesce(sum(t.weight) filter (where t.rating is not null), 0) as rated, coalesce(sum(t.weight * (t.rating - 1)), 0) as points
  from reported t cross join lateral (values (t.agent_id), (t.service_id)) s (subject) where s.subject is not null and t.weight > 0 group by 1, 2, 3`;
const most = ordersPerBuyer * 1000;
const counted = ['settled', 'good', 'completed', 'rated', 'points']
  .map((part) => `sum(case when settled > ${most} then floor(${part} * ${most} / settled) else ${part} end)::int as ${part}`)
  .join(', ');
/** The recomputed reputation per agent or service, with the columns of `storedReputation`. */
const rebuilt = `
  select s.subject, count(*)::int as settled, count(*) filter (where t.kept)::int as kept, count(*) filter (where t.timed and t.weight > 0)::int as timed,
         count(*) filter (where t.on_time and t.weight > 0)::int as on_time, count(*) filter (where t.lost)::int as lost,
         (select count(*)::int from per_buyer b where b.subject = s.subject and b.kept > 0) as buyers,
         (select count(*)::int from per_buyer b where b.subject = s.subject and b.kept > 1) as repeat_buyers
  from reported t cross join lateral (values (t.agent_id), (t.service_id)) s (subject) where s.subject is not null group by s.subject`;
const sumsOfPeriods = `select subject, ${counted} from per_period group by subject`;
const medians = `
  select subject, percentile_disc(0.5) within group (order by response) as median from (
    select s.subject, t.response, row_number() over (partition by s.subject order by t.ended_at desc, t.id desc) as place
    from reported t cross join lateral (values (t.agent_id), (t.service_id)) s (subject) where s.subject is not null and t.response is not null and t.weight > 0) latest
  where place <= ${latestResponses} group by subject`;
const reputationColumns = {
  settled_orders: 'r.settled',
  kept_orders: 'r.kept',
  timed_orders: 'r.timed',
  on_time_orders: 'r.on_time',
  disputes_lost: 'r.lost',
  buyers: 'r.buyers',
  repeat_buyers: 'r.repeat_buyers',
  score_weight: 'w.settled',
  score_good: 'w.good',
  completed_weight: 'w.completed',
  rated_weight: 'w.rated',
  rating_points: 'w.points',
  rating_rank: 'reputation_score(w.rated, w.points / 4)',
} as const;
const storedReputation = (table: string) =>
  Object.keys(reputationColumns)
    .map((name) => `${table}.${name}`)
    .join(', ');
const rebuiltReputation = Object.values(reputationColumns)
  .map((part) => `coalesce(${part}, 0)`)
  .join(', ');
const differing = (table: string, key: string, agent: string) => `
  select ${table}.${key} as id, row(${storedReputation(table)}, ${table}.first_response_seconds)::text as stored,
         row(${rebuiltReputation}, m.median)::text as rebuilt
  from ${table} left join rebuilt r on r.subject = ${table}.${key} left join sums w on w.subject = ${table}.${key}
  left join medians m on m.subject = ${table}.${key}
  where ((${storedReputation(table)}) <> (${rebuiltReputation}) or ${table}.first_response_seconds is distinct from m.median)
    and ${table}.${agent} not in (select agent_id from waiting)`;

/** Compares the stored rows per period, too, because later sums build on them. */
const differingPeriods = `
  select coalesce(s.subject, p.subject) as id, row(s.period, s.settled, s.good, s.completed, s.rated, s.points)::text as stored,
         row(p.period, p.settled, p.good, p.completed, p.rated, p.points)::text as rebuilt
  from subject_periods s full join per_period p on p.subject = s.subject and p.buyer = s.buyer and p.period = s.period
  where (coalesce(s.settled, 0), coalesce(s.good, 0), coalesce(s.completed, 0), coalesce(s.rated, 0), coalesce(s.points, 0))
        is distinct from (coalesce(p.settled, 0), coalesce(p.good, 0), coalesce(p.completed, 0), coalesce(p.rated, 0), coalesce(p.points, 0))
    and coalesce((select v.agent_id from services v where v.id = coalesce(s.subject, p.subject)), s.subject, p.subject) not in (select agent_id from waiting)`;

export const figureInvariants: readonly Invariant[] = [
  {
    id: 'V09',
    holds: 'the public figures of agents and services equal the sums of their orders and reviews',
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
  {
    id: 'V12',
    holds: 'the reputation of agents and services agrees with the event log of their settled orders',
    sql: `with waiting as (${waiting}), reported as materialized (${reported}), per_buyer as materialized (${perBuyer}), per_period as materialized (${perPeriod}),
               rebuilt as (${rebuilt}), sums as (${sumsOfPeriods}), medians as (${medians})
          ${differing('agent_figures', 'agent_id', 'agent_id')} union all ${differing('services', 'id', 'agent_id')}
          union all ${differingPeriods}`,
  },
  {
    id: 'V13',
    holds: 'every review names the payment of its order',
    sql: `select r.id, r.order_id from reviews r left join orders o on o.id = r.order_id
          where (r.payment_network, r.payment_reference, r.paid_at) is distinct from (o.payment_network, o.payment_reference, o.paid_at)`,
  },
];
