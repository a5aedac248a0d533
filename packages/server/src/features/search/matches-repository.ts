/**
 * Gathers the services that match, once: ranks them and counts them by every filter in the same statement. At most as many are gathered as
 * we count, so that a search costs the same at ten thousand and at a million services.
 */
import { MOST_COUNTED, MOST_RANKED_OF_MORE, type SearchFilters } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { facetConditions, holding, isAnswering, wholeWords } from '../services/index.ts';
import { type AskedBucket, askedBuckets, type Facets, toFacets } from './facets-repository.ts';
import type { Hits } from './repository.ts';
import { type RankedRow, ranked, toRanked, wordFit } from './score-repository.ts';

/** How far down the most hired we look for a common word. */
const LONGEST_WALK = 300;
/** Of more matches than we count, where too few are among the most hired. */
const SOME_OTHERS = 300;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Hits of words with the counts of every filter. */
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
  // The counts look at some of the words' matches only, so the list that is filtered among all of them is gathered by itself.
  const isPart = found.gathered > MOST_COUNTED && shown.length > 0;
  return { found: isPart ? await findServices(db, words, filters, page) : found, facets };
}

/** Without words: by everything else that a score is made of. */
export async function findServices(db: Db, words: string | null, filters: SearchFilters, page: Page): Promise<Hits> {
  return await gather(db, { words, within: facetConditions(filters), shown: [], asked: [], page });
}

interface Gathering {
  readonly words: string | null;
  /** What is gathered besides having the words. */
  readonly within: readonly RawBuilder<boolean>[];
  /** What is ranked of it. */
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
 * All matches are ranked, up to what we count. Of more: those among the most hired, and if these are too few, the most hired of those that
 * were gathered.
 */
async function gather(db: Db, { words, within, shown, asked, page }: Gathering): Promise<Gathered> {
  const matching = all([sql`services.listed`, ...within]);
  const holds = words === null ? sql<boolean>`true` : holding(words);
  const each = asked.map(({ matching }) => sql`count(*) filter (where ${matching})::int`);
  const candidates = sql`
    select id, ${words === null ? sql`0` : wordFit(sql`search`, words)} as fit, score as reputation, completed_orders, answering from (
      select id, search, score, completed_orders, answering from gathered services
        where (select gathered from total) <= ${MOST_COUNTED} and ${all(shown)}
      union all
      select id, search, score, completed_orders, ${isAnswering(sql`walked.agent_id`)} from walked
      union all
      select * from (
        select id, search, score, completed_orders, answering from gathered
        where (select count(*) from walked) < ${MOST_RANKED_OF_MORE} and (select gathered from total) > ${MOST_COUNTED}
          and id not in (select id from walked)
        order by completed_orders desc, id desc limit ${SOME_OTHERS}) others) picked`;
  const { rows } = await sql<GatheredRow>`
    with ${few(words, matching)},
    gathered as materialized (select few.*, ${isAnswering(sql`few.agent_id`)} as answering from few),
    total as materialized (
      select count(*)::int as gathered, count(*) filter (where ${all(shown)})::int as counted, array[${sql.join(each)}]::int[] as each
      from gathered services),
    walked as materialized (
      select * from (
        select id, agent_id, search, score, completed_orders from services where ${matching}
        order by completed_orders desc, rating desc, id desc limit ${LONGEST_WALK}) services
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
  search, score, completed_orders`;

/** One service in sixteen: an index holds their words. */
const IN_SAMPLE = sql<boolean>`left(md5(services.id), 1) = '0'`;

/**
 * The sample alone is read where it has more matches than we count, because an index gives out all matches of a word or none. Where whole
 * words have more, longer words that begin like the last one need not be looked for.
 */
function few(words: string | null, matching: RawBuilder<boolean>): RawBuilder<unknown> {
  const most = MOST_COUNTED + 1;
  if (words === null) return sql`few as materialized (select ${GATHERED} from services where ${matching} limit ${most})`;
  const whole = all([matching, holding(wholeWords(words))]);
  return sql`
    sample as materialized (select ${GATHERED} from services where ${whole} and ${IN_SAMPLE} limit ${most}),
    whole as materialized (${unlessEnough('sample', whole)}),
    few as materialized (${unlessEnough('whole', all([matching, holding(words)]))})`;
}

/** What was found, where it is more than we count; otherwise what is found in this way. */
function unlessEnough(found: 'sample' | 'whole', matching: RawBuilder<boolean>): RawBuilder<unknown> {
  const most = MOST_COUNTED + 1;
  const count = sql`(select count(*) from ${sql.table(found)})`;
  return sql`
    select * from ${sql.table(found)} where ${count} > ${MOST_COUNTED}
    union all (select ${GATHERED} from services where ${count} <= ${MOST_COUNTED} and ${matching} limit ${most})`;
}

function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
