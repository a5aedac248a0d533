/** The SQL of totals, spans and days. Finished days are read from `daily_figures`; the rest is counted from the records. */
import type { AgentId, NetworkName, OrderStatus } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { publicAgents } from '../../agents/index.ts';

export interface Totals {
  readonly paid: bigint;
  readonly paidMicros: bigint;
  readonly completed: bigint;
  readonly cancelled: bigint;
  readonly releasedMicros: bigint;
  readonly feeMicros: bigint;
  readonly refundedMicros: bigint;
  readonly machinePaid: bigint;
  readonly machineMicros: bigint;
  readonly machineFeeMicros: bigint;
}

const totals = sql`
  coalesce(sum(paid), 0)::bigint as paid, coalesce(sum(paid_micros), 0)::bigint as paid_micros,
  coalesce(sum(completed), 0)::bigint as completed, coalesce(sum(cancelled), 0)::bigint as cancelled,
  coalesce(sum(released_micros), 0)::bigint as released_micros, coalesce(sum(fee_micros), 0)::bigint as fee_micros,
  coalesce(sum(refunded_micros), 0)::bigint as refunded_micros,
  coalesce(sum(paid) filter (where kind = 'machine'), 0)::bigint as machine_paid,
  coalesce(sum(paid_micros) filter (where kind = 'machine'), 0)::bigint as machine_micros,
  coalesce(sum(paid_fee_micros) filter (where kind = 'machine'), 0)::bigint as machine_fee_micros`;

/** Today in UTC, by market time. */
const today = sql`(market_now() at time zone 'utc')::date`;

export async function readAllTime(db: Db): Promise<Totals> {
  return only((await sql<Totals>`select ${totals} from figures_since('-infinity')`.execute(db)).rows);
}

export async function readLastDay(db: Db): Promise<Totals> {
  return only((await sql<Totals>`select ${totals} from count_figures(market_now() - interval '24 hours', 'infinity')`.execute(db)).rows);
}

export async function readLastDays(db: Db, days: number): Promise<Totals> {
  return only((await sql<Totals>`select ${totals} from figures_since(${today} - ${days - 1}::int)`.execute(db)).rows);
}

export interface DayRow {
  readonly day: string;
  readonly network: NetworkName | '';
  readonly placed: bigint;
  readonly paid: bigint;
  readonly machinePaid: bigint;
  readonly paidMicros: bigint;
  readonly completed: bigint;
  readonly cancelled: bigint;
  readonly releasedMicros: bigint;
  readonly feeMicros: bigint;
  readonly refundedMicros: bigint;
}

/** One row per day and network with any figure; an empty day has one row with an empty network. */
export async function readDays(db: Db, days: number): Promise<readonly DayRow[]> {
  const { rows } = await sql<DayRow>`
    select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(f.network, '') as network,
           coalesce(sum(f.placed), 0)::bigint as placed, coalesce(sum(f.paid), 0)::bigint as paid,
           coalesce(sum(f.paid) filter (where f.kind = 'machine'), 0)::bigint as machine_paid,
           coalesce(sum(f.paid_micros), 0)::bigint as paid_micros, coalesce(sum(f.completed), 0)::bigint as completed,
           coalesce(sum(f.cancelled), 0)::bigint as cancelled, coalesce(sum(f.released_micros), 0)::bigint as released_micros,
           coalesce(sum(f.fee_micros), 0)::bigint as fee_micros, coalesce(sum(f.refunded_micros), 0)::bigint as refunded_micros
    from (select ${today} - g as day from generate_series(0, ${days - 1}::int) g) d
    left join figures_since(${today} - ${days - 1}::int) f on f.day = d.day
    group by d.day, f.network order by d.day, network`.execute(db);
  return rows;
}

export async function readMonths(db: Db): Promise<readonly { month: string; count: number }[]> {
  const { rows } = await sql<{ month: string; count: number }>`
    select to_char(day, 'YYYY-MM') as month, sum(paid)::int as count from figures_since('-infinity')
    group by 1 having sum(paid) > 0 order by 1`.execute(db);
  return rows;
}

/** Orders that have not ended, by status. */
export async function countUnderWay(db: Db): Promise<readonly { status: OrderStatus; count: number }[]> {
  const { rows } = await sql<{ status: OrderStatus; count: number }>`
    select status, count(*)::int as count from orders
    where status not in ('completed', 'cancelled') and not related_party group by status`.execute(db);
  return rows;
}

export interface Supply {
  readonly agents: number;
  readonly newLastDay: number;
  readonly newLast30Days: number;
  readonly tokens: number;
  readonly pumpfunTokens: number;
  readonly partnerTokens: number;
  readonly services: number;
  readonly buyers: number;
}

export async function readSupply(db: Db): Promise<Supply> {
  const { rows } = await sql<Supply>`
    select a.*, (select count(*)::int from services where listed) as services,
           (select p.buyers + (select count(distinct buyer_of(o)) from orders o
                               where o.paid_at >= p.open_day::timestamp at time zone 'utc' and o.paid_micros > 0 and not o.related_party
                                 and not exists (select 1 from counted_buyers c where c.buyer = buyer_of(o)))
            from figures_progress p)::int as buyers
    from (select count(*)::int as agents, count(token_mint)::int as tokens,
                 (count(*) filter (where token_mode = 'pumpfun'))::int as pumpfun_tokens, (count(*) filter (where token_mode = 'partner'))::int as partner_tokens,
                 (count(*) filter (where created_at > market_now() - interval '24 hours'))::int as new_last_day,
                 (count(*) filter (where created_at > market_now() - interval '30 days'))::int as new_last30_days
          from agents where ${publicAgents()}) a`.execute(db);
  return only(rows);
}

export async function readCreatorFeeLamports(db: Db): Promise<bigint> {
  const { rows } = await sql<{ lamports: bigint }>`
    select coalesce(sum(lamports), 0)::bigint as lamports from creator_fee_receipts where mint is not null`.execute(db);
  return only(rows).lamports;
}

export interface Rankings {
  readonly byCategory: Record<string, number>;
  readonly byProvider: Record<string, number>;
  readonly byModel: Record<string, number>;
  readonly averageRating: number | null;
}

export async function readRankings(db: Db): Promise<Rankings> {
  const { rows } = await sql<Rankings>`
    select (select coalesce(json_object_agg(c.category, c.count), '{}') from
             (select category, count(*) as count from services where listed group by category) c) as by_category,
           (select coalesce(json_object_agg(p.name, p.count), '{}') from
             (select a.name, f.services_count as count from agent_figures f join agents a on a.id = f.agent_id
              where f.services_count > 0 and is_agent_listed(a) order by f.services_count desc, a.id limit 20) p) as by_provider,
           (select coalesce(json_object_agg(m.model, m.count), '{}') from
             (select provider_model as model, count(*) as count from services
              where listed and provider_model is not null group by provider_model order by count(*) desc, provider_model limit 20) m) as by_model,
           (select sum(f.rating_sum)::float8 / nullif(sum(f.rating_count), 0) from agent_figures f) as average_rating`.execute(db);
  return only(rows);
}

export interface RankedAgent {
  readonly id: AgentId;
  readonly slug: string;
  readonly name: string;
  readonly avatarUrl: string | null;
  readonly completedOrders: number;
  readonly rating: number | null;
}

/** Agents by the weight of their completed orders, as in all rankings. */
export async function listBusiestAgents(db: Db, limit: number): Promise<readonly RankedAgent[]> {
  const { rows } = await sql<RankedAgent>`
    select a.id, a.slug, a.name, a.avatar_url, f.completed_orders, f.rating_sum::float8 / nullif(f.rating_count, 0) as rating
    from agent_figures f join agents a on a.id = f.agent_id
    where f.completed_orders > 0 and is_agent_listed(a) order by f.completed_weight desc, a.id limit ${limit}`.execute(db);
  return rows;
}

/** Sums every day that ended at least an hour ago, when its last transactions have ended. Each statement sums one month. */
export async function sumFinishedDays(db: Db): Promise<void> {
  for (let more = true; more; ) {
    const { rows } = await sql<{ more: boolean }>`
      select sum_figures(((market_now() - interval '1 hour') at time zone 'utc')::date) as more`.execute(db);
    more = rows[0]?.more === true;
  }
}

function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('a total has one row');
  return row;
}
