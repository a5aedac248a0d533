/** Lists of bounties: the board with its filters and four sorts, the bounties of one person, and the figures. */
import { type BountyStatus, bountyStatuses, type OperationArguments, type Operations, parseUsd } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { holdsWords, type Period, wordQuery } from '../services/index.ts';
import { agentsOf, type BountyPerson } from './person-repository.ts';
import { type BountyRow, posterName, selectBounties } from './repository.ts';

export type BountyFilters = OperationArguments<Operations['bounties']['list']>;

export interface BountyPage {
  readonly rows: readonly BountyRow[];
  readonly total: number;
  readonly nextCursor: string | null;
}

interface Paging {
  readonly q?: string | undefined;
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

/** Every sort ends with the id, so pages are stable. */
const sorts: Readonly<Record<string, Sort>> = {
  newest,
  budget_desc: { direction: 'desc', keys: [{ column: sql`bounties.budget_micros`, type: 'int8', of: (row) => row.budgetMicros }, byId] },
  deadline_asc: { direction: 'asc', keys: [{ column: sql`bounties.expires_at`, type: 'timestamptz', of: (row) => row.expiresAt }, byId] },
  claims_count: { direction: 'desc', keys: [{ column: sql`bounties.claims_count`, type: 'int4', of: (row) => row.claimsCount }, byId] },
};

/** Hides bounties that operators took down, and open ones of banned people. Ended ones stay, because others worked on them. */
const isShown = sql<boolean>`(bounties.taken_down_at is null and not (bounties.status = 'open' and bounties.poster_banned))`;

type Query = ReturnType<typeof selectBounties>;

/** With `posted`, searches only bounties posted in that period. */
export async function searchBounties(db: Db, filters: BountyFilters, posted?: Period): Promise<BountyPage> {
  const asked = readFilters(filters);
  if (asked === undefined || asked.statuses.length === 0) return { rows: [], total: 0, nextCursor: null };
  const { statuses, category, others } = asked;
  let matching = selectBounties(db).where('bounties.status', 'in', statuses).where(others);
  if (category !== undefined) matching = matching.where('bounties.category', '=', category);
  if (posted !== undefined)
    matching = matching.where('bounties.createdAt', '>', posted.after).where('bounties.createdAt', '<=', posted.until);
  const name = Object.hasOwn(sorts, filters.sort) ? filters.sort : 'newest';
  return await readPage(matching, name, sorts[name] ?? newest, filters);
}

interface AskedFilters {
  readonly statuses: readonly BountyStatus[];
  readonly category: BountyFilters['category'];
  /** Conditions on budget and words. */
  readonly others: RawBuilder<boolean>;
}

/** Undefined: no bounty can match, because the search text contains punctuation only. */
export function readFilters(filters: BountyFilters): AskedFilters | undefined {
  const { category, min_budget: min, max_budget: max, search } = filters;
  const words = search === undefined || search === '' ? null : wordQuery(search);
  if (words === undefined) return undefined;
  const statuses = bountyStatuses.filter((status) => filters.status.split(',').some((name) => name.trim() === status));
  const others: RawBuilder<unknown>[] = [isShown];
  if (min !== undefined) others.push(sql`bounties.budget_micros >= ${parseUsd(min) ?? 0n}`);
  if (max !== undefined) others.push(sql`bounties.budget_micros <= ${parseUsd(max) ?? 0n}`);
  if (words !== null) others.push(holdsWords(sql`bounties.search`, words));
  return { statuses, category, others: sql<boolean>`${sql.join(others, sql` and `)}` };
}

/** Bounties that this person posted, or that one of their agents claimed. */
export async function listBountiesOf(db: Db, person: BountyPerson, paging: Paging): Promise<BountyPage> {
  const matching = selectBounties(db).where(
    sql<boolean>`(bounties.user_id = ${person.userId} or bounties.client_wallet = any(${[...person.wallets]}::text[]) or bounties.id in (
      select c.bounty_id from bounty_claims c join agents a on a.id = c.agent_id where ${agentsOf(person)}))`,
  );
  return await readPage(
    matching.where(holdsText(paging.q, sql`bounties.id, bounties.title, bounties.brief, bounties.category, ${posterName}`)),
    'newest',
    newest,
    paging,
  );
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

/** Columns that a feed shows. Those of the poster are not even read. */
export type OpenBounty = Pick<
  BountyRow,
  'id' | 'title' | 'brief' | 'category' | 'budgetMicros' | 'claimStakeMicros' | 'deadlineHours' | 'expiresAt' | 'createdAt'
>;

export async function listOpen(db: Db, category: string | undefined, limit: number): Promise<readonly OpenBounty[]> {
  let open = db
    .selectFrom('bounties')
    .select(['id', 'title', 'brief', 'category', 'budgetMicros', 'claimStakeMicros', 'deadlineHours', 'expiresAt', 'createdAt'])
    .where('status', '=', 'open')
    .where('posterBanned', '=', false);
  if (category !== undefined) open = open.where('category', '=', category);
  return await open.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute();
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
    from bounties b left join settlements s on s.order_id = b.order_id
    where b.taken_down_at is null and not (b.status = 'open' and b.poster_banned)`.execute(db);
  const [figures] = rows;
  if (figures === undefined) throw new Error('figures are one row');
  return figures;
}
