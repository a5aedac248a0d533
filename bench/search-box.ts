/**
 * GET /api/search/services through its handler (typo correction, ranking, counts of every filter) against the same
 * work in bare SQL, in markets of 10,000, 100,000 and 1,000,000 services side by side.
 */
import { MOST_COUNTED, operations } from '@market/contract';
import { searchHandlers } from '../packages/server/src/features/discovery/search/index.ts';
import { openMarket, type TestMarket } from '../test/harness/market.ts';
import { agentWord, seedServices, vocabularyWord } from '../test/harness/seed-services.ts';
import { defineBench } from './suite/bench.ts';
import { type Ask, measure, p50, quantileOf, ratioOf, type SizedMarket, shown } from './suite/compare-sizes.ts';

const MOST_RATIO = 2;
const MOST_GROWTH = 1.5;

type Question = { readonly q: string };

const plain = (q: string): Question => ({ q });

/** A word that no service contains: the last letter doubled, then an `x`. */
function misspelt(rank: number): Question {
  const word = vocabularyWord(rank);
  return { q: `${word}${word.slice(-1)}x` };
}

const cases: readonly { readonly title: string; readonly questions: readonly Question[] }[] = [
  { title: 'a very common word', questions: [3, 4, 5, 6, 7, 8].map((rank) => plain(vocabularyWord(rank))) },
  { title: 'a middling word', questions: [150, 160, 170, 180].map((rank) => plain(vocabularyWord(rank))) },
  { title: 'a name few have', questions: [111, 222, 333, 444].map((number) => plain(agentWord(number))) },
  { title: 'a misspelt word', questions: [40, 60, 90, 120].map(misspelt) },
];

const measures = { p50: 'p50 against bare SQL', p99: 'p99 against bare SQL', growth: 'growth of p99' } as const;
const rowOf = (title: string, measure: keyof typeof measures): string => `search box, ${title}: ${measures[measure]}`;

export default defineBench({
  about: 'GET /api/search/services with all counts against bare SQL at 100,000 services, and its growth from 10,000 to 1,000,000',
  rows: cases.flatMap(({ title }) =>
    (['p50', 'p99', 'growth'] as const).map((measure) => ({
      path: rowOf(title, measure),
      unit: 'ms',
      judged: 'ratio' as const,
      direction: 'at most' as const,
      bound: measure === 'growth' ? MOST_GROWTH : MOST_RATIO,
    })),
  ),
  async run(run) {
    const markets: SizedMarket[] = [];
    for (const size of run.pick([10_000, 100_000, 1_000_000], [50, 100, 150])) {
      const market = await openMarket({ JOBS: 'off' });
      run.atEnd(market.close);
      await seedServices(market.database.pool, size);
      markets.push({ size, market });
    }
    const counts = run.pick({ blocks: 5, rounds: 10 }, { blocks: 1, rounds: 1 });
    for (const { title, questions } of cases) {
      const figures = await measure(markets, questions, { askHandler, askBareSql }, counts);
      const [small, middle, large] = figures;
      if (small === undefined || middle === undefined || large === undefined) throw new Error('three sizes are measured');
      run.print(title);
      for (const { size, ours, bare } of figures)
        run.print(
          `  ${size.toLocaleString('en').padStart(9)}  handler ${shown(ours)} · bare SQL ${shown(bare)} · p50 ratio ${(p50(ours) / p50(bare)).toFixed(2)}`,
        );
      for (const [name, q] of [
        ['p50', 0.5],
        ['p99', 0.99],
      ] as const) {
        const [ours, limit] = [quantileOf(middle.ours.flat(), q), quantileOf(middle.bare.flat(), q)];
        run.report(rowOf(title, name), { ours, limit, ratio: ratioOf(middle, q) });
      }
      run.report(rowOf(title, 'growth'), { ours: quantileOf(large.ours.flat(), 0.99), limit: quantileOf(small.ours.flat(), 0.99) });
    }
  },
});

/** Returns the total, by which answers are compared. */
function askHandler({ database }: TestMarket): Ask<Question> {
  const { services } = searchHandlers({ database, files: { link: () => '' } } as unknown as Parameters<typeof searchHandlers>[0]);
  return async ({ q }) => {
    const asked = operations.search.services.input.query.parse({ q });
    const { total } = await services(asked, {} as Parameters<typeof services>[1]);
    return String(total);
  };
}

const MATCHING = `select * from services where listed and search @@ to_tsquery('simple', $1) limit ${MOST_COUNTED + 1}`;

/** Corrects the word, ranks the counted matches, shows 24 of them, and counts the matches for every filter. */
function askBareSql({ database: { pool } }: TestMarket): Ask<Question> {
  return async ({ q }) => {
    const { rows } = await pool.query<{ word: string }>(
      `select w.word from search_words w where w.word % $1 and similarity(w.word, $1) >= 0.35 and is_search_word($1)
         and not exists (select 1 from search_words known where known.word like $1 || '%')
       order by similarity(w.word, $1) desc, w.word limit 3`,
      [q],
    );
    const words = [`'${q}':*`, ...rows.map(({ word }) => `'${word}'`)].join(' | ');
    const [, counted] = await Promise.all([
      pool.query(
        `select s.*, a.slug as agent_slug, a.description as agent_description, a.avatar_url, a.payout_chain from (${MATCHING}) s join agents a on a.id = s.agent_id
         order by ts_rank('{0.1, 0.3, 0.6, 1}', s.search, to_tsquery('simple', $1), 32) desc, s.score desc nulls last, s.id desc limit 24`,
        [words],
      ),
      pool.query<{ all: number }>(
        `select sum(count)::int / 6 as all from (
           select count(*) from (
             select category, price_type, width_bucket(price_micros, array[1000000, 5000000, 25000000, 100000000]::bigint[]) as price,
                    width_bucket(turnaround_hours, array[2, 25, 73, 169]) as delivery, width_bucket(rating, array[3, 4, 4.5]::float8[]) as stars,
                    agent_chain as chain
             from (${MATCHING}) f) facts
           group by grouping sets ((category), (price_type), (price), (delivery), (stars), (chain))) buckets`,
        [words],
      ),
    ]);
    return String(Math.min(MOST_COUNTED, counted.rows[0]?.all ?? 0));
  };
}
