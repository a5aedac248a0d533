/**
 * The SQL of public figures. The records show what an order counts for, and the event log shows how its provider did. Figures change by the
 * difference since the order was last counted.
 */
import { reputationRules } from '@market/contract';
import { CompiledQuery, sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';

/**
 * Revenue of a completed order `o` with its settlement `s`: the price, or the part of it that a split left. A standard price includes the
 * fee; where the fee came on top, the price does not.
 */
export const revenueMicros = `case when s.outcome is distinct from 'split' then o.price_micros
  when o.kind = 'standard' then s.agent_micros + s.fee_micros else s.agent_micros end`;

/** Counts of a counted order that figures sum up. */
const counts = [
  'total_orders',
  'completed_orders',
  'overdue_orders',
  'late_orders',
  'revenue_micros',
  'rating_sum',
  'rating_count',
  'settled_orders',
  'kept_orders',
  'good_orders',
  'timed_orders',
  'on_time_orders',
  'disputes_lost',
] as const;

/**
 * Amounts that a counted order adds to its buyer and to its buyer's period. Its weight is 0 until it is settled, and then keeps the counted
 * value.
 */
const ofPeriod = {
  settled: (order: string) => `${order}.weight`,
  good: (order: string) => `${order}.weight * ${order}.good_orders`,
  completed: (order: string) => `${order}.weight * ${order}.kept_orders`,
  rated: (order: string) => `${order}.weight * ${order}.rating_count`,
  points: (order: string) => `${order}.weight * (${order}.rating_sum - ${order}.rating_count)`,
} as const;
const weighed = { ...ofPeriod, kept: (order: string) => `(${order}.weight > 0)::int * ${order}.kept_orders` } as const;

/** Sums of the parts of periods that count. The share of stars is `rating_points` of four times `rated_weight`. */
const weights = {
  score_weight: 'settled',
  score_good: 'good',
  completed_weight: 'completed',
  rated_weight: 'rated',
  rating_points: 'points',
} as const;

function entries<T>(all: Readonly<Record<string, T>>, write: (name: string, value: T) => string): string {
  return Object.entries(all)
    .map(([name, value]) => write(name, value))
    .join(', ');
}

/**
 * Counts orders in their current state; unpaid orders are skipped. A concurrent count waits, then counts only the difference. The first count
 * notes the buyer: the account that user, wallet or agent belong to then.
 */
export async function countOrders(tx: Tx, orderIds: readonly string[]): Promise<void> {
  await tx.executeQuery(
    deferred(
      `insert into counted_orders (order_id, agent_id, service_id, buyer)
       select o.id, o.provider_agent_id, o.service_id, known_buyer(o) from orders o
       where o.id = any($1) and o.paid_micros > 0 and not exists (select 1 from counted_orders c where c.order_id = o.id) on conflict do nothing`,
      [orderIds],
    ),
  );
  // Always in the same order, so that two counts never deadlock.
  const { rows } = await sql<{ orderId: string }>`
    select order_id from counted_orders where order_id = any(${[...orderIds]}) order by order_id for update`.execute(tx);
  if (rows.length === 0) return;
  const differences = await moveCounted(
    tx,
    rows.map(({ orderId }) => orderId),
  );
  if (differences !== '[]') {
    await moveFigures(tx, 'agent', differences);
    await moveFigures(tx, 'service', differences);
  }
}

/**
 * How the provider did, as an order shows it. Only the price decides whether the order weighs. Some orders show nothing: the buyer cancels
 * before work began, or never uses a workspace, or the payer takes the payment elsewhere. The market ends a workspace, so only answers and
 * deliveries of the provider count as delivered. Orders without a promised time (workspaces) are neither on time nor late.
 */
const judged = `
  select o.id, log.ended_at, log.rating, log.lost,
         log.completed and log.handed_over as kept,
         o.due_at is not null and (log.delivered_at is not null or log.ended_at > o.due_at) as timed,
         coalesce(log.delivered_at <= o.due_at, false) as on_time,
         floor(extract(epoch from log.answered_at - o.paid_at))::integer as response_seconds
  from orders o cross join lateral (
    select max(e.created_at) filter (where e.type in ('order.completed', 'order.cancelled')) as ended_at,
           bool_or(e.type = 'order.completed') as completed,
           bool_or(e.type = 'order.cancelled' and (e.context->>'actor_role' = 'provider'
                   or e.context->>'actor_role' = 'system' and e.data->>'reason' is null)) as failed,
           bool_or(e.type = 'order.dispute_ruled' and e.data->>'ruling' <> 'release') as lost,
           min(e.created_at) filter (where e.type = 'order.delivered') as delivered_at,
           bool_or(e.type = 'order.delivered' and e.context->>'actor_role' = 'provider'
                   or e.type = 'order.request_answered' and e.data->>'status' = 'completed') as handed_over,
           bool_or(e.type = 'order.request_opened') as asked,
           min(e.created_at) filter (where e.context->>'actor_role' = 'provider' and e.created_at >= o.paid_at) as answered_at,
           max((e.data->>'rating')::integer) filter (where e.type = 'order.reviewed') as rating
    from events e where e.subject_id = o.id) log
  where o.id = any($1) and o.paid_micros > 0 and not o.related_party
    and (log.completed and (o.due_at is not null or log.asked or log.handed_over) or log.failed or log.lost and log.ended_at is not null)`;

/** Runs as a separate statement once the lock is held, so that it reads the current rows. Returns the differences as JSON. */
async function moveCounted(tx: Tx, orderIds: readonly string[]): Promise<string> {
  const { rows } = await tx.executeQuery<{ differences: string }>(
    CompiledQuery.raw(
      `with judged as (${judged}), part as (
         select o.id, counts::int as total_orders, (counts and ended)::int as completed_orders,
                (counts and o.overdue_since is not null)::int as overdue_orders,
                (counts and ended and o.overdue_since is not null)::int as late_orders,
                case when counts and o.status = 'completed'
                  then ${revenueMicros} else 0 end as revenue_micros,
                case when counts then coalesce(r.rating, 0) else 0 end as rating_sum, (counts and r.rating is not null)::int as rating_count,
                (j.id is not null)::int as settled_orders, coalesce(j.kept, false)::int as kept_orders,
                coalesce(j.kept and not j.lost and (j.on_time or not j.timed) and coalesce(j.rating >= ${reputationRules.goodRating}, true), false)::int as good_orders,
                coalesce(j.timed and weight > 0, false)::int as timed_orders, coalesce(j.timed and j.on_time and weight > 0, false)::int as on_time_orders,
                coalesce(j.lost, false)::int as disputes_lost, case when weight > 0 then j.response_seconds end as response_seconds, j.ended_at,
                case when j.id is null then 0 else weight end as weight
         from orders o
         cross join lateral (select o.paid_micros > 0 and o.status <> 'cancelled' and not o.related_party as counts,
                                    -- What was closed by a ruling without any delivery was not completed by the agent.
                                    o.status = 'completed' and (o.overdue_since is null or o.delivered_at is not null) as ended,
                                    order_weight(o.price_micros) as weight) c
         left join settlements s on s.order_id = o.id left join reviews r on r.order_id = o.id left join judged j on j.id = o.id
         where o.id = any($1)
       ), before as (select * from counted_orders where order_id = any($1)),
       moved as (
         update counted_orders c set ${counts.map((name) => `${name} = p.${name}`).join(', ')},
           response_seconds = p.response_seconds, ended_at = p.ended_at, weight = p.weight
         from part p, before b where c.order_id = p.id and b.order_id = p.id
         returning c.agent_id, c.service_id, c.buyer, reputation_period(c.ended_at) as period,
                   c.response_seconds is distinct from b.response_seconds or c.ended_at is distinct from b.ended_at as answers_moved,
                   ${counts.map((name) => `c.${name} - b.${name} as ${name}`).join(', ')},
                   ${entries(weighed, (name, of) => `${of('c')} - ${of('b')} as ${name}`)})
       select coalesce(jsonb_agg(to_jsonb(moved)), '[]')::text as differences from moved`,
      [orderIds],
    ),
  );
  return rows[0]?.differences ?? '[]';
}

/** The tables that keep the sums of agents and of services. */
const kept = {
  agent: {
    table: 'agent_figures',
    key: 'agent_id',
    sums: counts.filter((name) => name !== 'good_orders'),
  },
  service: {
    table: 'services',
    key: 'id',
    sums: counts.filter((name) => !['good_orders', 'overdue_orders', 'late_orders', 'revenue_micros'].includes(name)),
  },
} as const;

/**
 * Adds the differences per agent or per service, in the same order each time. A period's former part is the stored one less the difference,
 * so that the sums move exactly. Buyers are locked before their periods, so that two counts never deadlock.
 */
async function moveFigures(tx: Tx, kind: keyof typeof kept, differences: string): Promise<void> {
  const { table, key, sums } = kept[kind];
  const id = `${kind}_id`;
  const columns = counts.map((name) => `${name} ${name === 'revenue_micros' ? 'bigint' : 'int'}`).join(', ');
  const periods = Object.keys(ofPeriod);
  const list = (write: (name: string) => string): string => periods.map(write).join(', ');
  await tx.executeQuery(
    deferred(
      `with moved as (
         select * from jsonb_to_recordset($1::jsonb)
           as m (agent_id text, service_id text, buyer text, period int, answers_moved boolean, ${columns}, ${entries(weighed, (name) => `${name} int`)})
         where ${id} is not null
       ), by as (
         select ${id} as id, bool_or(answers_moved) as answers_moved,
                ${sums.map((name) => `sum(${name})::${name === 'revenue_micros' ? 'bigint' : 'int'} as ${name}`).join(', ')}
         from moved group by 1 order by 1
       ), of_buyers as (
         select ${id} as id, buyer, sum(kept)::int as kept from moved where buyer is not null group by 1, 2 having sum(kept) <> 0 order by 1, 2
       ), of_periods as (
         select ${id} as id, buyer, period, ${list((name) => `sum(${name})::int as ${name}`)}
         from moved where buyer is not null and period is not null group by 1, 2, 3
         having ${periods.map((name) => `sum(${name}) <> 0`).join(' or ')} order by 1, 2, 3
       ), buyers as materialized (
         insert into subject_buyers as b (subject, buyer, kept_orders) select id, buyer, kept from of_buyers
         on conflict (subject, buyer) do update set kept_orders = b.kept_orders + excluded.kept_orders
         returning subject, buyer, kept_orders as kept
       ), periods as materialized (
         insert into subject_periods as p (subject, buyer, period, ${list((name) => name)})
         select id, buyer, period, ${list((name) => name)} from of_periods where (select count(*) from buyers) >= 0
         on conflict (subject, buyer, period) do update set ${list((name) => `${name} = p.${name} + excluded.${name}`)}
         returning subject, buyer, period, ${list((name) => name)}
       ), of_all as (
         select n.subject as id, sum((n.kept > 0)::int - (n.kept - d.kept > 0)::int)::int as buyers,
                sum((n.kept > 1)::int - (n.kept - d.kept > 1)::int)::int as repeat_buyers
         from buyers n join of_buyers d on d.id = n.subject and d.buyer = n.buyer group by 1
       ), weights as (
         select n.subject as id,
                ${entries(weights, (name, part) => `sum(counted_part(n.settled, n.${part}) - counted_part(n.settled - d.settled, n.${part} - d.${part}))::int as ${name}`)}
         from periods n join of_periods d on d.id = n.subject and d.buyer = n.buyer and d.period = n.period group by 1
       )
       update ${table} f set ${sums.map((name) => `${name} = f.${name} + by.${name}`).join(', ')},
         ${['buyers', 'repeat_buyers'].map((name) => `${name} = f.${name} + coalesce(b.${name}, 0)`).join(', ')},
         ${entries(weights, (name) => `${name} = f.${name} + coalesce(w.${name}, 0)`)},
         rating_rank = coalesce(reputation_score(f.rated_weight + coalesce(w.rated_weight, 0), (f.rating_points + coalesce(w.rating_points, 0)) / 4), 0),
         first_response_seconds = case when by.answers_moved then (
           select percentile_disc(0.5) within group (order by response_seconds) from (
             select response_seconds from counted_orders c where c.${id} = by.id and response_seconds is not null
             order by ended_at desc, order_id desc limit ${reputationRules.latestResponses}) latest)
           else f.first_response_seconds end
       from by left join of_all b on b.id = by.id left join weights w on w.id = by.id where f.${key} = by.id`,
      [differences],
    ),
  );
}
