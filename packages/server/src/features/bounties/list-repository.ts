/** Lists of bounties: the board with its filters and four orders, those of one person, and the figures. */
import { type AgentId, type BountyId, bountyStatuses, type OperationArguments, type Operations, parseUsd } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { wordQuery } from '../services/index.ts';
import { type BountyRow, selectBounties } from './repository.ts';

export type BountyFilters = OperationArguments<Operations['bounties']['list']>;

export interface BountyPage {
  readonly rows: readonly BountyRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

interface Paging {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

interface Sort {
  readonly keys: readonly SortKey<BountyRow>[];
  readonly direction: 'asc' | 'desc';
}

const byId: SortKey<BountyRow> = { column: sql`bounties.id`, type: 'text', of: (row) => row.id };
const newest: Sort = {
  direction: 'desc',
  keys: [{ column: sql`bounties.created_at`, type: 'timestamptz', of: (row) => row.createdAt }, byId],
};

/** Each ends in the id, so that it is total. */
const sorts: Readonly<Record<string, Sort>> = {
  newest,
  budget_desc: { direction: 'desc', keys: [{ column: sql`bounties.budget_micros`, type: 'int8', of: (row) => row.budgetMicros }, byId] },
  deadline_asc: { direction: 'asc', keys: [{ column: sql`bounties.expires_at`, type: 'timestamptz', of: (row) => row.expiresAt }, byId] },
  claims_count: { direction: 'desc', keys: [{ column: sql`bounties.claims_count`, type: 'int4', of: (row) => row.claimsCount }, byId] },
};

type Query = ReturnType<typeof selectBounties>;

export async function searchBounties(db: Db, filters: BountyFilters): Promise<BountyPage> {
  const { category, min_budget: least, max_budget: most, search } = filters;
  const words = search === undefined || search === '' ? null : wordQuery(search);
  const wanted = bountyStatuses.filter((status) => filters.status.split(',').some((name) => name.trim() === status));
  // Punctuation alone is no word to look for.
  if (words === undefined || wanted.length === 0) return { rows: [], total: 0, nextCursor: null };
  let matching = selectBounties(db).where('bounties.status', 'in', wanted);
  if (category !== undefined) matching = matching.where('bounties.category', '=', category);
  if (least !== undefined) matching = matching.where('bounties.budgetMicros', '>=', parseUsd(least) ?? 0n);
  if (most !== undefined) matching = matching.where('bounties.budgetMicros', '<=', parseUsd(most) ?? 0n);
  if (words !== null) matching = matching.where(sql<boolean>`bounties.search @@ to_tsquery('simple', ${words})`);
  const name = Object.hasOwn(sorts, filters.sort) ? filters.sort : 'newest';
  return await readPage(matching, name, sorts[name] ?? newest, filters);
}

export interface BountyPerson {
  readonly userId: string | null;
  readonly wallets: readonly string[];
  readonly agentId: AgentId | null;
}

/** Agents of this person. */
function agentsOf({ userId, wallets, agentId }: BountyPerson) {
  return sql`(a.id = ${agentId} or a.owner_user_id = ${userId} or a.owner_wallet = any(${[...wallets]}::text[]))`;
}

/** Posted by this person, or claimed by one of their agents. */
export async function listBountiesOf(db: Db, person: BountyPerson, paging: Paging): Promise<BountyPage> {
  const matching = selectBounties(db).where(
    sql<boolean>`(bounties.user_id = ${person.userId} or bounties.client_wallet = any(${[...person.wallets]}::text[]) or bounties.id in (
      select c.bounty_id from bounty_claims c join agents a on a.id = c.agent_id where ${agentsOf(person)}))`,
  );
  return await readPage(matching, 'newest', newest, paging);
}

export interface OwnClaim {
  readonly id: `clm_${string}`;
  readonly bountyId: BountyId;
  readonly agentId: AgentId;
  readonly status: 'pending' | 'accepted' | 'rejected' | 'withdrawn';
  readonly claimedAt: Date;
}

export async function listOwnClaims(db: Db, person: BountyPerson, bountyIds: readonly BountyId[]): Promise<OwnClaim[]> {
  const { rows } = await sql<OwnClaim>`
    select c.id, c.bounty_id, c.agent_id, c.status, c.claimed_at from bounty_claims c join agents a on a.id = c.agent_id
    where c.bounty_id = any(${[...bountyIds]}::text[]) and ${agentsOf(person)} order by c.claimed_at, c.id`.execute(db);
  return rows;
}

async function readPage(matching: Query, name: string, { keys, direction }: Sort, paging: Paging): Promise<BountyPage> {
  const { cursor, limit, offset } = paging;
  let page = cursor === undefined ? matching.offset(offset) : matching.where(beyondCursor(name, keys, cursor, direction));
  for (const { column } of keys) page = page.orderBy(column, direction);
  const [rows, counted] = await Promise.all([
    page.limit(limit + 1).execute(),
    matching.clearSelect().select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return { ...cutPage(rows, limit, name, keys), total: counted.count };
}

export async function listNewest(db: Db, limit: number): Promise<readonly BountyRow[]> {
  return await selectBounties(db).orderBy('bounties.createdAt', 'desc').orderBy('bounties.id', 'desc').limit(limit).execute();
}

export interface BountyFigures {
  readonly live: number;
  readonly completed: number;
  readonly total: number;
  readonly openMicros: bigint;
  readonly totalMicros: bigint;
  readonly submissions: number;
  readonly paidOutMicros: bigint;
}

export async function readFigures(db: Db): Promise<BountyFigures> {
  const { rows } = await sql<BountyFigures>`
    select count(*) filter (where b.status = 'open')::int as live, count(*) filter (where b.status = 'completed')::int as completed,
           count(*)::int as total, coalesce(sum(b.budget_micros) filter (where b.status = 'open'), 0)::bigint as open_micros,
           coalesce(sum(b.budget_micros), 0)::bigint as total_micros, coalesce(sum(b.claims_count), 0)::int as submissions,
           coalesce(sum(s.agent_micros), 0)::bigint as paid_out_micros
    from bounties b left join settlements s on s.order_id = b.order_id`.execute(db);
  const [figures] = rows;
  if (figures === undefined) throw new Error('figures are one row');
  return figures;
}
