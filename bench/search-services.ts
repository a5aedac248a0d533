/**
 * GET /api/services through its handler against the same query in bare SQL, in markets of 10,000, 100,000 and 1,000,000 services side
 * by side: at most twice the bare SQL's time at 100,000, and at most 1.5 times as long at 1,000,000 as at 10,000.
 */
import type { OperationArguments, Operations } from '@market/contract';
import { operations } from '@market/contract';
import { serviceHandlers } from '../packages/server/src/features/services/index.ts';
import { openMarket, type TestMarket } from '../test/harness/market.ts';
import { agentWord, seedServices, vocabularyWord } from '../test/harness/seed-services.ts';
import { defineBench } from './suite/bench.ts';
import { type Ask, measure, p50, quantileOf, ratioOf, type SizedMarket, shown } from './suite/compare-sizes.ts';

const MOST_RATIO = 2;
const MOST_GROWTH = 1.5;

const COLUMNS = `id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours, deliverables, demo_url, active, quota_limit,
  max_revisions, requirement_fields, provider_model, moderation_status, total_orders, completed_orders, rating_sum, rating_count, rating, rating_rank,
  rated_weight, completed_weight, agent_name, created_at, updated_at`;
const columnsOfList = COLUMNS.split(',').map((column) => column.trim());

/** The columns of the list, and those that only the order needs. */
function columnsFor(order: string): string {
  const sorted = order.split(',').map((part) => part.trim().split(' ')[0] ?? '');
  return [...new Set([...columnsOfList, ...sorted])].join(', ');
}

const AGENT_COLUMNS = `a.slug as agent_slug, a.avatar_url, a.description as agent_description, a.twitter_username, a.source, a.verified, a.blue_check,
  a.partner_badge, a.payout_chain, a.payout_address_base, a.owner_wallet, a.owner_user_id`;

type Filters = OperationArguments<Operations['services']['list']>;

/** One search, as an API query and as hand-written SQL. */
interface Question {
  readonly query: Record<string, unknown>;
  readonly where: string;
  readonly order: string;
}

interface Case {
  readonly title: string;
  readonly questions: readonly Question[];
  /** Shown without a bound: matches grow with the market, and with them the cost of the page and its total. */
  readonly forInformation?: true;
}

const POPULAR = 'completed_weight desc, rating_rank desc, id desc';
const NEWEST = 'created_at desc, id desc';
const categories = ['coding', 'image_gen', 'seo', 'automation', 'video_gen'];
const holds = (words: string): string => `search @@ to_tsquery('simple', '${words}')`;

const cases: readonly Case[] = [
  {
    title: 'category and price, popular',
    questions: categories.map((category) => ({
      query: { category, min_price: '5' },
      where: `category = '${category}' and price_micros >= 5000000`,
      order: POPULAR,
    })),
  },
  {
    title: 'one-time up to 100 USD, newest',
    questions: [20, 40, 60, 80, 100].map((usd) => ({
      query: { pricing: 'onetime', max_price: String(usd), sortBy: 'newest' },
      where: `price_type = 'fixed' and price_micros <= ${usd}000000`,
      order: NEWEST,
    })),
  },
  {
    title: 'subscriptions of a category, cheapest',
    questions: categories.map((category) => ({
      query: { category, pricing: 'subscription', sortBy: 'cheapest' },
      where: `category = '${category}' and price_type in ('weekly', 'monthly')`,
      order: 'price_micros, id',
    })),
  },
  {
    title: 'a common word, popular',
    questions: [3, 4, 5, 6, 7, 8].map((rank) => ({
      query: { search: vocabularyWord(rank) },
      where: holds(`${vocabularyWord(rank)}:*`),
      order: POPULAR,
    })),
  },
  {
    title: 'a name few have, best rated',
    questions: [111, 222, 333, 444, 555, 666, 777, 888].map((number) => ({
      query: { search: agentWord(number), sortBy: 'rating' },
      where: holds(`${agentWord(number)}:*`),
      order: 'rating_rank desc, rated_weight desc, id desc',
    })),
  },
  {
    title: 'a word in one of a hundred texts, newest',
    forInformation: true,
    questions: [150, 160, 170, 180].map((rank) => ({
      query: { search: vocabularyWord(rank), sortBy: 'newest' },
      where: holds(`${vocabularyWord(rank)}:*`),
      order: NEWEST,
    })),
  },
];

/** The measured figures of one case; each is a row. */
const measures = {
  p50: 'p50 against bare SQL',
  p99: 'p99 against bare SQL',
  growth: 'growth of p50',
} as const;
const rowOf = (title: string, measure: keyof typeof measures): string => `search, ${title}: ${measures[measure]}`;

export default defineBench({
  about: 'GET /api/services against bare SQL at 100,000 services, and its growth from 10,000 to 1,000,000',
  rows: cases.flatMap(({ title, forInformation }) =>
    (['p50', 'p99', 'growth'] as const).map((measure) => ({
      path: rowOf(title, measure),
      unit: 'ms',
      judged: 'ratio' as const,
      direction: 'at most' as const,
      ...(!forInformation && { bound: measure === 'growth' ? MOST_GROWTH : MOST_RATIO }),
    })),
  ),
  async run(run) {
    const markets: SizedMarket[] = [];
    for (const size of run.pick([10_000, 100_000, 1_000_000], [50, 100, 150])) {
      const started = performance.now();
      const market = await openMarket({ JOBS: 'off' });
      run.atEnd(market.close);
      await seedServices(market.database.pool, size);
      run.print(`${size.toLocaleString('en')} services seeded in ${((performance.now() - started) / 1000).toFixed(0)} s`);
      markets.push({ size, market });
    }
    const counts = run.pick({ blocks: 5, rounds: 8 }, { blocks: 1, rounds: 1 });
    for (const { title, questions } of cases) {
      const figures = await measure(markets, questions, { askHandler, askBareSql }, counts);
      const [small, middle, large] = figures;
      if (small === undefined || middle === undefined || large === undefined) throw new Error('three sizes are measured');
      run.print(title);
      for (const { size, ours, bare } of figures)
        run.print(`  ${size.toLocaleString('en').padStart(9)}  handler ${shown(ours)} · bare SQL ${shown(bare)}`);
      for (const [name, q] of [
        ['p50', 0.5],
        ['p99', 0.99],
      ] as const) {
        const [ours, limit] = [quantileOf(middle.ours.flat(), q), quantileOf(middle.bare.flat(), q)];
        run.report(rowOf(title, name), { ours, limit, ratio: ratioOf(middle, q) });
      }
      run.report(rowOf(title, 'growth'), { ours: p50(large.ours), limit: p50(small.ours) });
    }
  },
});

/** Returns the shown rows and the total, by which answers are compared. */
function askHandler({ database }: TestMarket): Ask<Question> {
  const { list } = serviceHandlers({ database, reviewsOf: async () => [] } as unknown as Parameters<typeof serviceHandlers>[0]);
  return async ({ query }) => {
    const filters: Filters = operations.services.list.input.query.parse(query);
    const { data, total } = await list(filters, {} as Parameters<typeof list>[1]);
    return `${data.map(({ id }) => id).join()} ${total}`;
  };
}

function askBareSql({ database: { pool } }: TestMarket): Ask<Question> {
  return async ({ where, order }) => {
    const [page, count] = await Promise.all([
      pool.query(`
        select s.*, ${AGENT_COLUMNS} from (select ${columnsFor(order)} from services where listed and ${where} order by ${order} limit 51) s
        join agents a on a.id = s.agent_id order by ${order.replaceAll(/(\w+)( desc)?(,|$)/g, 's.$1$2$3')}`),
      pool.query(`select count(*)::int as count from (select 1 from services where listed and ${where} limit 1001) counted`),
    ]);
    const ids = page.rows.slice(0, 50).map(({ id }) => id);
    return `${ids.join()} ${Math.min(1000, count.rows[0].count)}`;
  };
}
