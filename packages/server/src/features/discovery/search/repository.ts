/** The SQL that finds and ranks agents and bounties by words, and corrects typos. */
import { MOST_COUNTED } from '@market/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { publicAgents } from '../../agents/index.ts';
import { holdsWords, isAnswering } from '../../services/index.ts';
import { queryOf, type Ranked, type RankedRow, ranked, toRanked, wordFit } from './score-repository.ts';

/** Minimum similarity of a correction. */
const MIN_SIMILAR = 0.35;
const MAX_READINGS = 3;

export interface Hits {
  /** Number of matches; one above our limit means that there are more. */
  readonly counted: number;
  /** The page of hits, the highest score first. */
  readonly hits: readonly Ranked[];
}

/** Corrections for words of a query that no service uses. The last word may be a prefix. */
export async function findReadings(db: Db, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  if (words.length === 0) return new Map();
  const { rows } = await sql<{ word: string; readings: string[] }>`
    select q.word, array(
      select w.word from search_words w where w.word % q.word and similarity(w.word, q.word) >= ${MIN_SIMILAR}
      order by similarity(w.word, q.word) desc, w.word limit ${MAX_READINGS}) as readings
    from unnest(${[...words]}::text[]) with ordinality as q (word, place)
    where is_search_word(q.word) and not exists (
      select 1 from search_words w where w.word = q.word or q.place = ${words.length} and w.word like q.word || '%')`.execute(db);
  return new Map(rows.filter(({ readings }) => readings.length > 0).map(({ word, readings }) => [word, readings]));
}

const agentText = sql`to_tsvector('simple', spaced_words(agents.name || ' ' || agents.description))`;
const weightedAgentText = sql`(setweight(to_tsvector('simple', spaced_words(agents.name)), 'A') ||
  setweight(to_tsvector('simple', spaced_words(agents.description)), 'C'))`;

export async function findAgents(db: Db, words: string, limit: number): Promise<Hits> {
  const candidates = sql`
    select agents.id, ${wordFit(weightedAgentText, queryOf(words))} as fit, f.score as reputation, f.completed_weight, ${isAnswering(sql`agents.id`)} as answering
    from few join agents using (id) join agent_figures f on f.agent_id = agents.id`;
  const { rows } = await sql<RankedRow & { counted: number }>`
    with few as materialized (
      select id from agents where ${publicAgents()} and ${holdsWords(agentText, words)} limit ${MOST_COUNTED + 1})
    select * from (select count(*)::int as counted from few) total left join (${ranked(candidates)} limit ${limit}) page on true`.execute(
    db.withoutPlugins(),
  );
  return { counted: rows[0]?.counted ?? 0, hits: toRanked(rows) };
}

export interface FoundBounty {
  readonly id: string;
  readonly words: number;
  readonly title: string;
  readonly category: string;
  readonly budgetMicros: bigint;
  readonly claimsCount: number;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** Open bounties, the best fit first, then the newest. With more matches than we count, only the newest are ranked. */
export async function findBounties(
  db: Db,
  words: string,
  limit: number,
): Promise<{ readonly counted: number; readonly found: readonly FoundBounty[] }> {
  const { rows } = await sql<FoundBounty & { counted: number }>`
    with few as materialized (
      select b.id, b.search, b.title, b.category, b.budget_micros, b.claims_count, b.expires_at, b.created_at
      from bounties b where b.status = 'open' and not b.poster_banned and b.expires_at > market_now() and ${holdsWords(sql`b.search`, words)}
      order by b.created_at desc limit ${MOST_COUNTED + 1})
    select id, ${wordFit(sql`search`, queryOf(words))} as words, title, category, budget_micros as "budgetMicros",
           claims_count as "claimsCount", expires_at as "expiresAt", created_at as "createdAt", (count(*) over ())::int as counted
    from few order by 2 desc, created_at desc, id desc limit ${limit}`.execute(db.withoutPlugins());
  return { counted: rows[0]?.counted ?? 0, found: rows };
}
