/**
 * Gathers the matching services once, then ranks them and counts them by every filter in the same statement. It gathers no more than we
 * count, so a search of a million services costs the same as of ten thousand.
 */
import { MOST_COUNTED, MOST_RANKED_OF_MORE, type SearchFilters } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { facetConditions, isAnswering, wholeWords } from '../../services/index.ts';
import { type AskedBucket, askedBuckets, type Facets, toFacets } from './facets-repository.ts';
import type { Hits } from './repository.ts';
import { queryOf, type RankedRow, ranked, toRanked, wordFit } from './score-repository.ts';

/** How many of the most hired services are tested for a common word. */
const LONGEST_WALK = 300;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Hits of a word query, with the counts of every filter. */
export async function findMatches(
  db: Db,
  words: string,
  filters: SearchFilters,
  page: Page,
): Promise<{ readonly found: Hits; readonly facets: Facets }> {
  const asked = askedBuckets(filters, 'gathered');
  const shown = facetConditions(filters, undefined, 'gathered');
  const found = await gather(db, { words, within: [], shown, asked, page });
  const facets = toFacets(asked, { each: found.each, isPart: found.gathered > MOST_COUNTED });
  // With more matches than we count, the gathered part may miss filtered hits. So gather again with the filters applied to all matches.
  const isPart = found.gathered > MOST_COUNTED && shown.length > 0;
  return { found: isPart ? await findServices(db, words, filters, page) : found, facets };
}

/** Ranked hits without counts. Without words, the other parts of the score decide. */
export async function findServices(db: Db, words: string | null, filters: SearchFilters, page: Page): Promise<Hits> {
  return await gather(db, { words, within: facetConditions(filters), shown: [], asked: [], page });
}

interface Gathering {
  readonly words: string | null;
  /** Conditions for gathering, besides the words. */
  readonly within: readonly RawBuilder<boolean>[];
  /** Further conditions for ranking. */
  readonly shown: readonly RawBuilder<boolean>[];
  readonly asked: readonly AskedBucket[];
  readonly page: Page;
}

interface Gathered extends Hits {
  readonly gathered: number;
  readonly each: readonly number[];
}

type GatheredRow = RankedRow & { readonly gathered: number; readonly counted: number; readonly each: readonly number[] | null };

/**
 * Ranks all matches if we can count them. Otherwise ranks matches among the most hired services, filled up with the most hired gathered ones.
 */
async function gather(db: Db, { words, within, shown, asked, page }: Gathering): Promise<Gathered> {
  const matching = all([sql`services.listed`, ...within]);
  const holds = words === null ? sql<boolean>`true` : sql<boolean>`services.search @@ ${queryOf(words)}`;
  const each = asked.map(({ matching }) => sql`count(*) filter (where ${matching})::int`);
  const candidates = sql`
    select id, ${words === null ? sql`0` : wordFit(sql`search`, queryOf(words))} as fit, score as reputation, completed_weight, answering from (
      select id, search, score, completed_weight, answering from gathered services
        where (select gathered from total) <= ${MOST_COUNTED} and ${all(shown)}
      union all
      select id, search, score, completed_weight, ${isAnswering(sql`walked.agent_id`)} from walked
      union all
      select * from (
        select id, search, score, completed_weight, answering from gathered
        where (select gathered from total) > ${MOST_COUNTED} and id not in (select id from walked)
        order by completed_weight desc, id desc limit ${MOST_RANKED_OF_MORE} - (select count(*) from walked)) others) picked`;
  const { rows } = await sql<GatheredRow>`
    with ${few(words, matching)},
    gathered as materialized (select few.*, ${isAnswering(sql`few.agent_id`)} as answering from few),
    total as materialized (
      select count(*)::int as gathered, count(*) filter (where ${all(shown)})::int as counted, array[${sql.join(each)}]::int[] as each
      from gathered services),
    walked as materialized (
      select * from (
        select id, agent_id, search, score, completed_weight from services where ${matching}
        order by completed_weight desc, rating_rank desc, id desc limit ${LONGEST_WALK}) services
      where (select gathered from total) > ${MOST_COUNTED} and ${holds} limit ${MOST_RANKED_OF_MORE})
    select total.gathered, total.counted, case when row_number() over () = 1 then total.each end as each, page.*
    from total left join (${ranked(candidates)} offset ${page.offset} limit ${page.limit}) page on true
    order by page.score desc, page.id desc`.execute(db.withoutPlugins());
  const [first] = rows;
  return {
    gathered: first?.gathered ?? 0,
    counted: first?.counted ?? 0,
    each: rows.find((row) => row.each !== null)?.each ?? [],
    hits: toRanked(rows),
  };
}

const GATHERED = sql`id, agent_id, category, price_micros, price_type, turnaround_hours, rating, rating_count, provider_model, agent_chain,
  search, score, completed_weight`;

/** Fixed random samples of all services: one in 256, then one in 16. Each has an index of its words. */
const SAMPLES: readonly RawBuilder<boolean>[] = [sql`left(md5(services.id), 2) = '00'`, sql`left(md5(services.id), 1) = '0'`];

/**
 * An index returns all matches of a word. So this reads the smallest sample with more matches than we count, and all services only if the
 * samples have fewer. Whole words come first; if they have enough matches, prefixes of longer words are skipped. Each step is short, so one
 * plan fits every word, and PostgreSQL keeps it.
 */
function few(words: string | null, matching: RawBuilder<boolean>): RawBuilder<unknown> {
  const max = MOST_COUNTED + 1;
  if (words === null) return sql`few as materialized (select ${GATHERED} from services where ${matching} limit ${max})`;
  const steps = [wholeWords(words), words]
    .map((text) => sql<boolean>`services.search @@ ${queryOf(text)}`)
    .flatMap((holds) => [...SAMPLES.map((sample) => all([matching, sample, holds])), all([matching, holds])])
    .map((condition, at) => ({ condition, name: sql.id(`few_${at}`) }));
  const isEnough = ({ name }: (typeof steps)[number]) => sql<boolean>`(select count(*) from ${name}) > ${MOST_COUNTED}`;
  const gathering = steps.map(({ name, condition }, at) => {
    const needed = steps.slice(0, at).map((step) => sql<boolean>`not ${isEnough(step)}`);
    return sql`${name} as materialized (select ${GATHERED} from services where ${all([...needed, condition])} limit ${max})`;
  });
  const found = steps.map((step, at) => sql`select * from ${step.name} where ${at === steps.length - 1 ? sql`true` : isEnough(step)}`);
  return sql`${sql.join(gathering)}, few as (${sql.join(found, sql` union all `)})`;
}

function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
