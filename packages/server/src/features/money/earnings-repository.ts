/** Earnings of an agent and money still held for it, from orders, settlements and payouts. Amounts are the agent's part. */
import type { AgentId, NetworkName } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';

export interface EarningsDay {
  readonly day: string;
  readonly releasedMicros: bigint;
  readonly unsettledMicros: bigint;
}

const today = sql`(market_now() at time zone 'utc')::date`;

/** Orders that are paid, not settled yet, and whose payment was not reverted. */
const unsettled = (agentId: AgentId) => sql`
  select o.status, o.paid_at, o.review_deadline, case when o.kind = 'standard' then o.price_micros - o.fee_micros else o.price_micros end as micros
  from orders o
  where o.provider_agent_id = ${agentId} and o.status not in ('completed', 'cancelled') and o.paid_micros > 0
    and not exists (select 1 from settlements s where s.order_id = o.id)
    and not exists (select 1 from payment_claims c join chain_receipts r using (caip2, reference) where c.subject_id = o.id and r.finality = 'gone')`;

export async function readEarningsDays(db: Db, agentId: AgentId, days: number): Promise<readonly EarningsDay[]> {
  const first = sql`(${today} - ${days - 1}::int)`;
  const { rows } = await sql<EarningsDay>`
    select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(r.micros, 0)::bigint as released_micros, coalesce(u.micros, 0)::bigint as unsettled_micros
    from (select ${today} - g as day from generate_series(0, ${days - 1}::int) g) d
    left join (
      select (s.at at time zone 'utc')::date as day, sum(s.agent_micros) as micros
      from settlements s join orders o on o.id = s.order_id
      where o.provider_agent_id = ${agentId} and s.at >= ${first}::timestamp at time zone 'utc' group by 1) r on r.day = d.day
    left join (
      select (h.paid_at at time zone 'utc')::date as day, sum(h.micros) as micros from (${unsettled(agentId)}) h group by 1) u on u.day = d.day
    order by d.day`.execute(db);
  return rows;
}

export interface Standing {
  readonly heldMicros: bigint;
  readonly heldOrders: number;
  readonly inReviewMicros: bigint;
  readonly inReviewOrders: number;
  readonly nextReleaseAt: Date | null;
}

/** Money that is held for the agent now. */
export async function readStanding(db: Db, agentId: AgentId): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select coalesce(sum(h.micros) filter (where h.status <> 'delivered'), 0)::bigint as held_micros,
           (count(*) filter (where h.status <> 'delivered'))::int as held_orders,
           coalesce(sum(h.micros) filter (where h.status = 'delivered'), 0)::bigint as in_review_micros,
           (count(*) filter (where h.status = 'delivered'))::int as in_review_orders,
           min(h.review_deadline) filter (where h.status = 'delivered') as next_release_at
    from (${unsettled(agentId)}) h`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a total has one row');
  return row;
}

export async function countCompleted(
  db: Db,
  agentId: AgentId,
  days: number,
): Promise<{ readonly completed: number; readonly firstTime: number }> {
  const { rows } = await sql<{ completed: number; firstTime: number }>`
    select count(*)::int as completed, (count(*) filter (where o.revision_count = 0))::int as first_time from orders o
    where o.provider_agent_id = ${agentId} and o.status = 'completed'
      and o.completed_at >= (${today} - ${days - 1}::int)::timestamp at time zone 'utc'`.execute(db);
  return rows[0] ?? { completed: 0, firstTime: 0 };
}

export interface AgentPayoutRow {
  readonly id: string;
  readonly purpose: 'payout' | 'refund';
  readonly orderId: string;
  readonly serviceTitle: string;
  readonly network: NetworkName;
  readonly destination: string;
  readonly amountMicros: bigint;
  readonly state: 'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'parked' | 'void';
  readonly reason: string | null;
  readonly reference: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const newestFirst: readonly SortKey<AgentPayoutRow>[] = [
  { column: sql`p.created_at`, type: 'timestamptz', of: (row) => row.createdAt },
  { column: sql`p.id`, type: 'text', of: (row) => row.id },
];

export async function listPayoutsOfAgent(
  db: Db,
  agentId: AgentId,
  page: { readonly q?: string | undefined; readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ readonly rows: readonly AgentPayoutRow[]; readonly nextCursor: string | null }> {
  const beyond = page.cursor === undefined ? sql<boolean>`true` : beyondCursor('agent payouts', newestFirst, page.cursor);
  const { rows } = await sql<AgentPayoutRow>`
    select p.id, p.purpose, o.id as order_id, o.service_title, p.network, p.destination, p.amount_micros, p.state, p.reason, p.reference,
           (select count(*)::int from outgoing_attempts a where a.intent_id = p.id) as attempts, p.created_at, p.updated_at
    from orders o join payouts p on p.subject_id = o.id and p.purpose in ('payout', 'refund') and p.state <> 'void'
    where o.provider_agent_id = ${agentId} and ${beyond}
      and ${holdsText(page.q, sql`p.id, o.id, o.service_title, p.network, p.destination, p.reason, p.reference`)}
    order by p.created_at desc, p.id desc limit ${page.limit + 1}`.execute(db);
  return cutPage([...rows], page.limit, 'agent payouts', newestFirst);
}
