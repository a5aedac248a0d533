/** Counts the buckets of every filter. A bucket counts the services with its value that match all other filters. */
import { facetNames, MOST_COUNTED, type SearchFacet, type SearchFilters, searchFacets } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type FacetSource, facetCondition, facetConditions, holding, isAnswering } from '../../services/index.ts';

export interface Bucket {
  readonly value: string;
  readonly count: number;
  readonly atLeast: boolean;
}

export type Facets = Readonly<Record<SearchFacet, readonly Bucket[]>>;

export interface AskedBucket {
  readonly facet: SearchFacet;
  readonly value: string;
  readonly matching: RawBuilder<boolean>;
}

/** Counts for a list that is sorted by price or time, without ranking. */
export async function countFacets(db: Db, words: string | null, filters: SearchFilters): Promise<Facets> {
  const isGathered = words !== null || (await areFew(db));
  const asked = askedBuckets(filters, isGathered ? 'gathered' : 'table');
  return toFacets(asked, await (isGathered ? countAmong(db, words, asked) : countEach(db, asked)));
}

export function askedBuckets(filters: SearchFilters, from: FacetSource): readonly AskedBucket[] {
  return facetNames.flatMap((facet) => {
    const others = facetConditions(filters, facet, from);
    return searchFacets[facet].map((value) => ({
      facet,
      value,
      matching: sql<boolean>`${sql.join([facetCondition(facet, value, from), ...others], sql` and `)}`,
    }));
  });
}

export interface BucketCounts {
  /** One count per requested bucket. */
  readonly each: readonly number[];
  /** True if only some of the matches were counted. */
  readonly isPart: boolean;
}

export function toFacets(asked: readonly AskedBucket[], counts: BucketCounts): Facets {
  return Object.fromEntries(
    facetNames.map((facet) => [
      facet,
      asked.flatMap((one, n) => (one.facet === facet ? [{ value: one.value, ...toBucket(counts, n) }] : [])),
    ]),
  ) as unknown as Facets;
}

function toBucket({ each, isPart }: BucketCounts, n: number): Pick<Bucket, 'count' | 'atLeast'> {
  const count = each[n] ?? 0;
  return { count: Math.min(count, MOST_COUNTED), atLeast: isPart || count > MOST_COUNTED };
}

/** True if the market has so few services that one pass counts them all. */
async function areFew(db: Db): Promise<boolean> {
  const { rows } = await sql<{ counted: number }>`
    select count(*)::int as counted from (select 1 from services where services.listed limit ${MOST_COUNTED + 1}) few`.execute(db);
  return (rows[0]?.counted ?? 0) <= MOST_COUNTED;
}

/** Counts each bucket of a large market from an index. Only for searches without words. */
async function countEach(db: Db, asked: readonly AskedBucket[]): Promise<BucketCounts> {
  const each = asked.map(
    ({ matching }) =>
      sql`(select count(*)::int from (select 1 from services where services.listed and ${matching} limit ${MOST_COUNTED + 1}) few)`,
  );
  const { rows } = await sql<{ each: number[] }>`select array[${sql.join(each)}] as each`.execute(db.withoutPlugins());
  return { each: rows[0]?.each ?? [], isPart: false };
}

/** Counts in one pass over the matches of the words, at most as many as we count. Without words, over all services. */
async function countAmong(db: Db, words: string | null, asked: readonly AskedBucket[]): Promise<BucketCounts> {
  const each = asked.map(({ matching }) => sql`count(*) filter (where ${matching})::int`);
  const { rows } = await sql<{ all: number; each: number[] }>`
    with few as materialized (
      select id, agent_id, category, price_micros, price_type, turnaround_hours, rating, rating_count, provider_model, agent_chain
      from services where services.listed and ${words === null ? sql`true` : holding(words)} limit ${MOST_COUNTED + 1}
    ), gathered as materialized (select few.*, ${isAnswering(sql`few.agent_id`)} as answering from few)
    select count(*)::int as all, array[${sql.join(each)}] as each from gathered services`.execute(db.withoutPlugins());
  return { each: rows[0]?.each ?? [], isPart: (rows[0]?.all ?? 0) > MOST_COUNTED };
}
