/** Browsing and searching: the filters, the five orders, and pages that cost the same at ten thousand and at a million services. */
import { type OperationArguments, type Operations, parseUsd, type SearchFilters } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import { PLAN_ANEW } from '../../platform/db/statement-names.ts';
import { facetConditions } from './facet-conditions-repository.ts';
import { type ServiceRow, shownColumns } from './repository.ts';
import { wordQuery } from './search-words.ts';

export type ServiceFilters = OperationArguments<Operations['services']['list']>;

export interface ServicePage {
  readonly rows: readonly ServiceRow[];
  readonly total: number;
  readonly totalCapped: boolean;
  readonly nextCursor: string | null;
}

/** Counting to the end of a million rows costs more than the page itself. */
const MOST_COUNTED = 1_000;
/** The rows of the order in which we look for a word before we gather all its rows instead. */
const LONGEST_WALK = 5_000;

interface Order {
  readonly keys: readonly SortKey<ServiceRow>[];
  readonly direction: 'asc' | 'desc';
  readonly text: RawBuilder<unknown>;
}

const byId: SortKey<ServiceRow> = { column: sql`services.id`, type: 'text', of: (row) => row.id };
/** Lower bound of the share of stars, weighed by price. */
const byRating: SortKey<ServiceRow> = { column: sql`services.rating_rank`, type: 'int4', of: (row) => row.ratingRank };

/**
 * The sort orders. They weigh orders and ratings by price, so that nobody buys a rank for cents. Each is the
 * beginning of a pair of indexes in the migration, and ends with the id, so that pages are stable.
 */
const orders: Record<ServiceFilters['sortBy'], Order> = {
  popular: descending({ column: sql`services.completed_weight`, type: 'int4', of: (row) => row.completedWeight }, byRating, byId),
  newest: descending({ column: sql`services.created_at`, type: 'timestamptz', of: (row) => row.createdAt }, byId),
  cheapest: ascending({ column: sql`services.price_micros`, type: 'int8', of: (row) => row.priceMicros }, byId),
  rating: descending(byRating, { column: sql`services.rated_weight`, type: 'int4', of: (row) => row.ratedWeight }, byId),
  fastest: ascending({ column: sql`services.turnaround_hours`, type: 'int4', of: (row) => row.turnaroundHours }, byId),
};

function descending(...keys: SortKey<ServiceRow>[]): Order {
  return { keys, direction: 'desc', text: sql.join(keys.map(({ column }) => sql`${column} desc`)) };
}

function ascending(...keys: SortKey<ServiceRow>[]): Order {
  return { keys, direction: 'asc', text: sql.join(keys.map(({ column }) => column)) };
}

/** Times later than `after` and not later than `until`. */
export interface Period {
  readonly after: Date;
  readonly until: Date;
}

/** Lists services by words and filters in one of the sort orders. `words` is text of a word query, or null for all. */
export async function listFiltered(
  db: Db,
  words: string | null,
  facets: SearchFilters,
  paging: Pick<ServiceFilters, 'sortBy' | 'limit' | 'offset' | 'cursor'>,
): Promise<ServicePage> {
  const search = toSearch(paging, facetConditions(facets));
  const found = await (words === null ? browse(db, search) : findWords(db, search, holding(words)));
  return toPage(found, search, paging.sortBy);
}

/** Not offered to readers, so it needs no keys for cursors. */
const latestListed: Order = { keys: [], direction: 'desc', text: sql`services.listed_at desc, services.id desc` };

/** Services that became public for the first time in this period, the latest first. Arguments as of `listFiltered`. */
export async function listNewlyListed(
  db: Db,
  words: string | null,
  facets: SearchFilters,
  { after, until }: Period,
  limit: number,
): Promise<Omit<ServicePage, 'nextCursor'>> {
  const listedIn = sql<boolean>`services.listed_at > ${after} and services.listed_at <= ${until}`;
  const asked = toSearch({ sortBy: 'newest', limit, offset: 0 }, [...facetConditions(facets), listedIn]);
  const search = { ...asked, order: latestListed };
  const { rows, counted } = await (words === null ? browse(db, search) : findWords(db, search, holding(words)));
  return { rows: rows.slice(0, limit), ...totalOf(counted) };
}

/** `words` is text of a word query; `text` a column or an expression of words. */
export function holdsWords(text: RawBuilder<unknown>, words: string): RawBuilder<boolean> {
  return sql`${sql.raw(PLAN_ANEW)} ${text} @@ to_tsquery('simple', ${words})`;
}

export function holding(words: string): RawBuilder<boolean> {
  return holdsWords(sql`services.search`, words);
}

export async function findServicesById(db: Db, ids: readonly string[]): Promise<readonly ServiceRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ServiceRow>`
    select ${shownColumns} from services join agents on agents.id = services.agent_id where services.id = any(${ids})`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

export async function searchServices(db: Db, filters: ServiceFilters): Promise<ServicePage> {
  const words = filters.search === undefined || filters.search === '' ? null : wordQuery(filters.search);
  // A text of punctuation alone has no word to look for.
  if (words === undefined) return { rows: [], total: 0, totalCapped: false, nextCursor: null };
  const search = toSearch(filters);
  const { counted, rows } = await (words === null ? browse(db, search) : findWords(db, search, holding(words)));
  return toPage({ counted, rows }, search, filters.sortBy);
}

export type PayablePaging = Pick<ServiceFilters, 'limit' | 'offset' | 'cursor' | 'category' | 'search'>;

/** Services that programs can hire: public, with a fixed price above 0. The most hired first. */
export async function listPayable(db: Db, paging: PayablePaging): Promise<ServicePage> {
  const words = paging.search === undefined || paging.search === '' ? null : wordQuery(paging.search);
  if (words === undefined) return { rows: [], total: 0, totalCapped: false, nextCursor: null };
  const search = toSearch({ ...paging, sortBy: 'popular', price_type: 'fixed' });
  const payable = { ...search, matching: sql<boolean>`${search.matching} and services.price_micros > 0` };
  const found = await (words === null ? browse(db, payable) : findWords(db, payable, holding(words)));
  return toPage(found, payable, 'popular');
}

function toPage({ counted, rows }: Found, { limit, order }: Search, sortBy: ServiceFilters['sortBy']): ServicePage {
  return {
    ...cutPage(rows, limit, sortBy, order.keys),
    ...totalOf(counted),
  };
}

function totalOf(counted: number): Pick<ServicePage, 'total' | 'totalCapped'> {
  return { total: Math.min(counted, MOST_COUNTED), totalCapped: counted > MOST_COUNTED };
}

/** Up to `limit` offered services of the same category in the popular order, without this one. */
export async function listRelated(db: Db, { id, category }: ServiceRow, limit: number): Promise<ServiceRow[]> {
  const rows = await show(db, idsInOrder(toSearch({ category, sortBy: 'popular', limit, offset: 0 })), orders.popular);
  return rows.filter((row) => row.id !== id).slice(0, limit);
}

/** The parts of a search as SQL. */
interface Search {
  /** Public services that match the filters, except the words. */
  readonly matching: RawBuilder<boolean>;
  readonly beyondCursor: RawBuilder<boolean>;
  readonly order: Order;
  /** Cuts the page out, with one row more: it tells whether there is another page. */
  readonly page: RawBuilder<unknown>;
  readonly limit: number;
}

interface Found {
  /** One more than `MOST_COUNTED` if there are more. */
  readonly counted: number;
  readonly rows: readonly ServiceRow[];
}

function toSearch(
  filters: Pick<ServiceFilters, 'sortBy' | 'limit' | 'offset'> & Partial<ServiceFilters>,
  more: readonly RawBuilder<boolean>[] = [],
): Search {
  const { sortBy, cursor, limit, offset } = filters;
  const order = orders[sortBy];
  return {
    matching: sql<boolean>`services.listed ${sql.join(
      [...conditionsOf(filters), ...more].map((condition) => sql`and ${condition}`),
      sql` `,
    )}`,
    beyondCursor: cursor === undefined ? sql<boolean>`true` : beyondCursor(sortBy, order.keys, cursor, order.direction),
    order,
    page: sql`offset ${cursor === undefined ? offset : 0} limit ${limit + 1}`,
    limit,
  };
}

async function browse(db: Db, search: Search): Promise<Found> {
  const counting = sql<{ counted: number }>`
    select count(*)::int as counted from (select 1 from services where ${search.matching} limit ${MOST_COUNTED + 1}) few`;
  const [count, rows] = await Promise.all([counting.execute(db), show(db, idsInOrder(search), search.order)]);
  return { counted: count.rows[0]?.counted ?? 0, rows };
}

function idsInOrder({ matching, beyondCursor, order, page }: Search): RawBuilder<unknown> {
  return sql`select id from services where ${matching} and ${beyondCursor} order by ${order.text} ${page}`;
}

/** Looks the rows up by id at the end: until then an index often holds all that is needed. */
async function show(db: Db, ids: RawBuilder<unknown>, order: Order): Promise<readonly ServiceRow[]> {
  const { rows } = await sql<ServiceRow>`
    select ${shownColumns} from (${ids}) page
    join services on services.id = page.id join agents on agents.id = services.agent_id
    order by ${order.text}`.execute(db.withoutPlugins());
  return rows;
}

/**
 * Gathers and sorts the rows of a rare word. For a common word, walks down the order until the page is full. If the first rows do not fill
 * the page, gathers all rows of the word after all.
 */
async function findWords(db: Db, search: Search, holdsWords: RawBuilder<boolean>): Promise<Found> {
  const found = await gatherFewOrWalk(db, search, holdsWords);
  if (found.counted <= MOST_COUNTED || found.rows.length > search.limit) return found;
  // The inner offset keeps the planner from walking by its own estimate.
  const ids = sql`
    select id from (select * from services where ${search.matching} and ${search.beyondCursor} and ${holdsWords} offset 0) services
    order by ${search.order.text} ${search.page}`;
  return { counted: found.counted, rows: await show(db, ids, search.order) };
}

/**
 * Gathers up to `MOST_COUNTED` rows. If these are all, the page is among them; otherwise walks the first rows of the order and no further.
 * The inner query returns the rows in order: a second sort would read them all instead of stopping when the page is full.
 */
async function gatherFewOrWalk(db: Db, search: Search, holdsWords: RawBuilder<boolean>): Promise<Found> {
  const { matching, beyondCursor, order, page } = search;
  const { rows } = await sql<ServiceRow & { counted: number }>`
    with few as materialized (
      select id, completed_weight, rating_rank, rated_weight, created_at, listed_at, price_micros, turnaround_hours
      from services where ${matching} and ${holdsWords} limit ${MOST_COUNTED + 1}
    ), total as (select count(*)::int as counted from few)
    select total.counted, ${shownColumns} from total
    left join (
      select id from (
        select id from few services
        where (select counted from total) <= ${MOST_COUNTED} and ${beyondCursor} order by ${order.text} ${page}) gathered
      union all
      select id from (
        select id from (select * from services where ${matching} and ${beyondCursor} order by ${order.text} limit ${LONGEST_WALK}) services
        where (select counted from total) > ${MOST_COUNTED} and ${holdsWords} ${page}) walked
    ) page on true
    left join services on services.id = page.id left join agents on agents.id = services.agent_id
    order by ${order.text}`.execute(db.withoutPlugins());
  // One row always has the count; if the page is empty, it has nothing else.
  return { counted: rows[0]?.counted ?? 0, rows: rows.filter(({ id }) => id !== null) };
}

function conditionsOf(filters: Partial<ServiceFilters>): RawBuilder<boolean>[] {
  const { category, price_type, pricing, model, agent, price, min_price, max_price } = filters;
  const conditions: RawBuilder<boolean>[] = [];
  if (category !== undefined) conditions.push(sql`services.category = ${category}`);
  if (price_type !== undefined) conditions.push(sql`services.price_type = ${price_type}`);
  if (pricing === 'onetime') conditions.push(sql`services.price_type = 'fixed'`);
  if (pricing === 'subscription') conditions.push(sql`services.price_type in ('weekly', 'monthly')`);
  if (model !== undefined) conditions.push(sql`services.provider_model = ${model}`);
  // A slug wins over an id that reads the same.
  if (agent !== undefined)
    conditions.push(
      sql`services.agent_id = (select id from agents where slug = ${agent} or id = ${agent} order by slug = ${agent} desc limit 1)`,
    );
  if (price !== undefined) conditions.push(namedPrices[price]);
  if (min_price !== undefined) conditions.push(sql`services.price_micros >= ${parseUsd(min_price)}`);
  if (max_price !== undefined) conditions.push(sql`services.price_micros <= ${parseUsd(max_price)}`);
  return conditions;
}

const namedPrices: Record<NonNullable<ServiceFilters['price']>, RawBuilder<boolean>> = {
  free: sql`services.price_micros = 0`,
  under1: sql`services.price_micros <= 1000000`,
  '1to5': sql`services.price_micros between 1000000 and 5000000`,
  over5: sql`services.price_micros >= 5000000`,
};
