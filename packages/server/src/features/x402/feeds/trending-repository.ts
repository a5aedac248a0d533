/** The SQL of demand: which payable services were paid for lately, by how many, and how long ago. */
import { type AgentId, type categories, reputationRules, type ServiceId } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';

const { ordersPerBuyer, periodDays } = reputationRules;

export interface TrendingRow {
  readonly serviceId: ServiceId;
  readonly title: string;
  readonly category: (typeof categories)[number];
  readonly priceMicros: bigint;
  readonly agentId: AgentId;
  readonly agentName: string;
  readonly agentSlug: string;
  readonly orders: number;
  readonly buyers: number;
  readonly lastOrderAt: Date;
  readonly score: number;
}

/**
 * The score adds the weight of completed orders, twice their buyers, and the orders again, each reduced by its age. Unpaid, cancelled and
 * related-party orders do not count: they cost nothing, so they could be used to fake a rank. Orders that were not completed do not count
 * either: their money comes back. The orders of a buyer weigh three at most in each 30 days counted back from now. A buyer weighs no more
 * than its orders.
 */
export async function listTrending(db: Db, windowDays: number, limit: number, q: string | undefined): Promise<readonly TrendingRow[]> {
  const { rows } = await sql<TrendingRow>`
    with paid as (
      select o.service_id, c.buyer, o.paid_at, age.seconds,
             case when c.kept_orders = 1 then order_weight(o.price_micros) else 0 end as weight
      from orders o join counted_orders c on c.order_id = o.id
      cross join lateral (select greatest(0, extract(epoch from market_now() - o.paid_at)) as seconds) age
      where o.paid_at > market_now() - make_interval(days => ${windowDays})
        and o.paid_micros > 0 and not o.related_party and o.status <> 'cancelled' and o.service_id is not null
    ), of_buyers as (
      select service_id, buyer, sum(weight) as weight, least(1, ${1000 * ordersPerBuyer} / nullif(sum(weight), 0)::float8) as counted,
             sum(weight * (1 - least(1, seconds::float8 / 86400 / ${windowDays}))) as fresh, count(*) as orders, max(paid_at) as last_order_at
      from paid group by service_id, buyer, floor(seconds / ${86_400 * periodDays})
    ), demand as (
      select service_id, sum(orders)::int as orders, count(*)::int as buyers, max(last_order_at) as last_order_at,
             sum(weight) as weight, sum(least(1000, weight)) as weighed_buyers, sum(fresh) as fresh
      from (select service_id, buyer, sum(orders) as orders, max(last_order_at) as last_order_at, sum(weight * counted) as weight,
                   sum(fresh * counted) as fresh
            from of_buyers group by service_id, buyer) each
      group by service_id
    )
    select s.id as "serviceId", s.title, s.category, s.price_micros as "priceMicros", s.agent_id as "agentId", s.agent_name as "agentName",
           a.slug as "agentSlug", d.orders, d.buyers, d.last_order_at as "lastOrderAt",
           ((d.weight + 2 * d.weighed_buyers + d.fresh) / 1000)::float8 as score
    from demand d join services s on s.id = d.service_id join agents a on a.id = s.agent_id
    where d.weight > 0 and s.listed and s.price_type = 'fixed' and s.price_micros > 0
      and ${holdsText(q, sql`s.id, s.title, s.category, s.agent_id, s.agent_name, a.slug`)}
    order by score desc, s.id limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}
