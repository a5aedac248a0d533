/** The SQL of the board: supply, prices, times and orders per day, by category. */
import type { categories } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { answeringAgents } from '../../services/index.ts';

type Category = (typeof categories)[number];

export interface CategorySupply {
  readonly category: Category;
  readonly services: number;
  readonly agents: number;
  readonly aliveAgents: number;
}

export async function readCategorySupply(db: Db): Promise<readonly CategorySupply[]> {
  const { rows } = await sql<CategorySupply>`
    select s.category, s.services, coalesce(a.agents, 0) as agents, coalesce(a.alive_agents, 0) as alive_agents
    from (select category, count(*)::int as services from services where listed group by category) s
    left join (
      select c.category, count(*)::int as agents,
             (count(*) filter (where a.id in (${answeringAgents})))::int as alive_agents
      from agent_figures f join agents a on a.id = f.agent_id cross join lateral unnest(f.service_categories) as c (category)
      where is_agent_listed(a) group by c.category) a on a.category = s.category`.execute(db);
  return rows;
}

export interface CategoryMedians {
  readonly category: Category;
  readonly priceMicros: bigint;
  readonly deliverySeconds: number | null;
}

/** Medians of the latest orders only, so that a busy month costs no more than a quiet one. */
export async function readMedians(db: Db, names: readonly Category[], days: number, latest: number): Promise<readonly CategoryMedians[]> {
  const { rows } = await sql<CategoryMedians>`
    select c.category, percentile_disc(0.5) within group (order by o.price_micros) as price_micros,
           (percentile_cont(0.5) within group (order by extract(epoch from o.delivered_at - o.paid_at)))::int as delivery_seconds
    from unnest(${names}::text[]) as c (category)
    cross join lateral (
      select price_micros, delivered_at, paid_at from orders
      where category = c.category and status = 'completed' and not related_party
        and completed_at > market_now() - make_interval(days => ${days})
      order by completed_at desc limit ${latest}) o
    group by c.category`.execute(db);
  return rows;
}

/** Completed orders of the last days, oldest first. */
export async function readCompletedPerDay(db: Db, days: number): Promise<readonly { category: Category; perDay: readonly number[] }[]> {
  const { rows } = await sql<{ category: Category; perDay: readonly number[] }>`
    with today as (select (market_now() at time zone 'utc')::date as day),
    done as (select f.category, f.day, sum(f.completed)::int as completed from today t
             cross join lateral figures_since(t.day - ${days - 1}::int) f where f.category <> '' group by f.category, f.day)
    select c.category, array_agg(coalesce(d.completed, 0) order by g.day) as per_day
    from (select distinct category from done) c
    cross join (select t.day - n as day from today t cross join generate_series(0, ${days - 1}::int) n) g
    left join done d on d.category = c.category and d.day = g.day
    group by c.category`.execute(db);
  return rows;
}
