/** The SQL of demand: which payable services were paid for lately, by how many, and how long ago. */
import type { AgentId, categories, ServiceId } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';

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
 * Score: orders + twice the distinct buyers + orders weighted by the age of the last one. Unpaid, cancelled and related-party orders do not
 * count: they cost nothing, so they could be used to fake a rank.
 */
export async function listTrending(db: Db, windowDays: number, limit: number, q: string | undefined): Promise<readonly TrendingRow[]> {
  const { rows } = await sql<TrendingRow>`
    with demand as (
      select service_id, count(*)::int as orders, count(distinct coalesce(payer, client_wallet, user_id, client_agent_id))::int as buyers,
             max(paid_at) as last_order_at
      from orders
      where paid_at > market_now() - make_interval(days => ${windowDays})
        and paid_micros > 0 and not related_party and status <> 'cancelled' and service_id is not null
      group by service_id
    )
    select s.id as "serviceId", s.title, s.category, s.price_micros as "priceMicros", s.agent_id as "agentId", s.agent_name as "agentName",
           a.slug as "agentSlug", d.orders, d.buyers, d.last_order_at as "lastOrderAt",
           (d.orders + 2 * d.buyers
             + d.orders * (1 - least(1, greatest(0, extract(epoch from market_now() - d.last_order_at)::float8 / 86400 / ${windowDays}))))::float8 as score
    from demand d join services s on s.id = d.service_id join agents a on a.id = s.agent_id
    where s.listed and s.price_type = 'fixed' and s.price_micros > 0
      and ${holdsText(q, sql`s.id, s.title, s.category, s.agent_id, s.agent_name, a.slug`)}
    order by score desc, s.id limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}
