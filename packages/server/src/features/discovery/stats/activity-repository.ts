/** The SQL of the activity feed. It reads the types of events, never their data, which contains briefs and messages. */
import type { AgentId, categories, NetworkName } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { holdsText } from '../../../platform/db/holds-text.ts';
import { beyondCursor, cursorAfter, cutPage, type SortKey } from '../../../platform/db/keyset.ts';

export const activityTypes = {
  registration: ['agent.registered'],
  order: ['order.created', 'order.paid', 'order.delivered', 'order.completed', 'order.cancelled'],
  service: ['service.created'],
  review: ['order.reviewed'],
  token_launch: ['agent.token_registered', 'agent.token_launched'],
} as const;

export type ActivityType = keyof typeof activityTypes;

export interface ActivityRow {
  readonly id: bigint;
  readonly event: (typeof activityTypes)[ActivityType][number];
  readonly at: Date;
  readonly agentId: AgentId;
  readonly agentName: string;
  readonly agentSlug: string;
  readonly avatarUrl: string | null;
  readonly ownerWallet: string | null;
  readonly serviceId: string | null;
  readonly serviceTitle: string | null;
  readonly category: (typeof categories)[number] | null;
  readonly orderId: string | null;
  readonly byMachine: boolean;
  readonly network: NetworkName | null;
  readonly payer: string | null;
  readonly paidMicros: bigint | null;
  readonly refundMicros: bigint | null;
  readonly rating: number | null;
  readonly tokenName: string | null;
  readonly tokenSymbol: string | null;
}

const keys: readonly SortKey<Pick<ActivityRow, 'id'>>[] = [{ column: sql`e.id`, type: 'int8', of: (row) => row.id }];

export interface ActivityFilters {
  readonly filter: ActivityType | 'all';
  readonly q?: string | undefined;
}

export interface ActivityPage {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

export interface Activities {
  readonly rows: readonly ActivityRow[];
  readonly nextCursor: string | null;
}

/** Number of reads per page. After so many reads with hidden or unmatched events the page ends early, and its cursor continues. */
const MAX_LOOKS = 20;
/** Rows per read of a text search, because few entries match a text. */
const MIN_SEARCHED = 500;

export async function listActivity(db: Db, filters: ActivityFilters, page: ActivityPage): Promise<Activities> {
  const offset = page.cursor === undefined ? page.offset : 0;
  const wanted = offset + page.limit + 1;
  const each = filters.q === undefined ? wanted : Math.max(wanted, MIN_SEARCHED);
  let before = page.cursor === undefined ? sql<boolean>`true` : beyondCursor('activity', keys, page.cursor);
  const visible: ActivityRow[] = [];
  for (let look = 1; ; look++) {
    const seen = await readLatest(db, filters, before, each);
    visible.push(...seen.filter((row) => row.visible));
    const last = seen.at(-1);
    if (last === undefined || seen.length < each || visible.length >= wanted)
      return cutPage(visible.slice(offset), page.limit, 'activity', keys);
    if (look === MAX_LOOKS) return { rows: visible.slice(offset), nextCursor: cursorAfter('activity', keys, last) };
    before = sql<boolean>`e.id < ${last.id}`;
  }
}

/** Number of entries, up to a bound. */
export async function countActivity(db: Db, filters: ActivityFilters, bound: number): Promise<number> {
  const { rows } = await listActivity(db, filters, { limit: bound, offset: 0 });
  return rows.length;
}

interface SeenRow extends ActivityRow {
  readonly visible: boolean;
}

/** Texts that a search looks at. Addresses are left out, because they are shown shortened. */
const shownTexts = sql`a.id, a.name, a.slug, o.id, s.id, coalesce(o.service_title, s.title), coalesce(o.category, s.category),
  case when e.type like 'agent.token%' then concat_ws(' ', a.token_name, a.token_symbol) end`;

/**
 * Reads the latest events type by type from the index, so that a rare type costs no scan of frequent ones. Only those few are loaded and
 * filtered. Unpaid orders and orders between related parties do not appear.
 */
async function readLatest(db: Db, { filter, q }: ActivityFilters, before: RawBuilder<boolean>, limit: number): Promise<readonly SeenRow[]> {
  const types: readonly string[] = filter === 'all' ? Object.values(activityTypes).flat() : activityTypes[filter];
  if (types.length === 0) return [];
  // Write the types as literals: the planner must see which are rare, or it scans all events to find one.
  const latestOf = (type: string) => sql`(
    select e.id, e.type, e.subject_id, e.created_at from events e where e.type = ${sql.lit(type)} and ${before} order by e.id desc limit ${limit})`;
  const latestOfEach = sql.join(types.map(latestOf), sql` union all `);
  const { rows } = await sql<SeenRow>`
    with latest as materialized (
      select x.* from (${latestOfEach}) x order by x.id desc limit ${limit})
    select e.id, e.type as event, e.created_at as at, a.id as agent_id, a.name as agent_name, a.slug as agent_slug, a.avatar_url, a.owner_wallet,
           s.id as service_id, coalesce(o.service_title, s.title) as service_title, coalesce(o.category, s.category) as category,
           o.id as order_id, coalesce(o.kind = 'machine', false) as by_machine, o.payment_network as network, o.payer, o.paid_micros,
           st.refund_micros, r.rating, a.token_name, a.token_symbol,
           coalesce(is_agent_listed(a) and case
             when e.type like 'order.%' then o.paid_micros > 0 and not o.related_party and coalesce(s.moderation_status, 'ok') = 'ok'
             when e.type = 'service.created' then s.listed
             when e.type in ('agent.token_registered', 'agent.token_launched') then a.token_mint is not null
             else true end and ${holdsText(q, shownTexts)}, false) as visible
    from latest e
    left join orders o on o.id = e.subject_id
    left join services s on s.id = coalesce(o.service_id, e.subject_id)
    left join agents a on a.id = coalesce(o.provider_agent_id, s.agent_id, e.subject_id)
    left join settlements st on e.type = 'order.cancelled' and st.order_id = o.id
    left join reviews r on e.type = 'order.reviewed' and r.order_id = o.id
    order by e.id desc`.execute(db);
  return rows;
}
