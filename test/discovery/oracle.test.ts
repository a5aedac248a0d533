/** Every filter, sort order, page and bucket of the service search, compared with a simple list in memory over generated rows. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { categories, facetNames, MOST_COUNTED, type SearchFacet, searchFacets, searchWeights } from '@market/contract';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { times } from '../harness/thoroughness.ts';

const ROWS = 5_000;
const AGENTS = 250;
const QUESTIONS = times(25, 80);

/** A random generator with a seed, for repeatable runs. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
const random = seeded(Number(process.env['ORACLE_SEED'] ?? 17));
const below = (most: number): number => Math.floor(random() * most);
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

const WORDS = [
  'ledger',
  'banner',
  'reconcile',
  'audits',
  'caption',
  'translate',
  'podcast',
  'transcript',
  'dashboard',
  'newsletter',
].flatMap((word) => ['', 'ing', 'er', 'wise', 'ful', 'like'].map((end) => `${word}${end}`));
/** A word in every text. */
const COMMON = 'honest';

const MODELS = ['brush-2', 'quill-7', null];

const agents = Array.from({ length: AGENTS }, (_, n) => ({
  id: `ext_1700000000000_${String(n).padStart(9, '0')}`,
  name: `Agent ${n} ${pick(WORDS)}`,
  chain: pick(['solana', 'base', null]),
  answering: random() < 0.3,
  listed: random() < 0.9,
}));
type Agent = (typeof agents)[number];

const START = Date.parse('2026-11-01T00:00:00Z');
/** Rows share few prices, times and counts, so that ties are common. */
const rows = Array.from({ length: ROWS }, (_, n) => {
  const ratings = below(4);
  const orders = pick([0, 0, 1, 2, 5, 40]);
  const settled = pick([0, 1, 6]);
  return {
    id: `svc_${START + n}_${String(below(1e9)).padStart(9, '0')}`,
    agent: pick(agents),
    model: pick(MODELS),
    category: pick(categories),
    title: `${pick(WORDS)} and ${pick(WORDS)} ${n}`,
    description: `${COMMON} work: ${Array.from({ length: 4 }, () => pick(WORDS)).join(', ')}.`,
    price: pick([10_000, 999_999, 1_000_000, 4_999_999, 5_000_000, 25_000_000, 99_990_000, 100_000_000, 900_000_000]),
    priceType: pick(searchFacets.price_type),
    hours: pick([1, 2, 24, 25, 72, 168, 500]),
    active: random() < 0.95,
    orders,
    ratings,
    stars: ratings * pick([2, 4, 5]) + (ratings > 1 ? -1 : 0),
    /** Stands for the lower bound of the stars: not in the order of their average. */
    bound: ratings === 0 ? 0 : below(4) * 100,
    weight: settled * 1000,
    good: settled * 500,
    createdAt: START + below(900) * 60_000,
  };
});
type Row = (typeof rows)[number];

const isListed = ({ active, agent }: Row): boolean => active && agent.listed;
const ratingOf = ({ stars, ratings }: Row): number => (ratings === 0 ? 0 : stars / ratings);

const holds: { readonly [F in SearchFacet]: (row: Row, value: string) => boolean } = {
  category: (row, value) => row.category === value,
  price(row, value) {
    const [from, to] = value.split('-');
    return row.price >= Number(from) * 1e6 && (to === '' || row.price < Number(to) * 1e6);
  },
  price_type: (row, value) => row.priceType === value,
  delivery: (row, value) => row.hours <= Number(value),
  chain: ({ agent }, value) => (agent.chain ?? 'solana') === value,
  rating: (row, value) => row.ratings > 0 && ratingOf(row) >= Number(value),
  answering: ({ agent }) => agent.answering,
};

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
const held = new Map<Row, readonly string[]>();
function heldBy(row: Row): readonly string[] {
  const known = held.get(row) ?? wordsOf(`${row.title} ${row.description} ${row.agent.name}`);
  held.set(row, known);
  return known;
}
/** True if every word occurs; the last may be a prefix. */
function hasWords(row: Row, q: string): boolean {
  const words = heldBy(row);
  const wanted = wordsOf(q);
  return wanted.every((word, n) => words.some((one) => (n === wanted.length - 1 ? one.startsWith(word) : one === word)));
}

const down = (a: number | string, b: number | string) => (a < b ? 1 : a > b ? -1 : 0);
const orders: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  popular: (a, b) => down(a.orders, b.orders) || down(a.bound, b.bound) || down(a.id, b.id),
  newest: (a, b) => down(a.createdAt, b.createdAt) || down(a.id, b.id),
  cheapest: (a, b) => -down(a.price, b.price) || -down(a.id, b.id),
  rating: (a, b) => down(a.bound, b.bound) || down(a.ratings, b.ratings) || down(a.id, b.id),
  fastest: (a, b) => -down(a.hours, b.hours) || -down(a.id, b.id),
};

type Question = Readonly<Record<string, string>>;

function ask(): Question {
  const filters = facetNames.filter(() => random() < 0.2).map((facet) => [facet, pick(searchFacets[facet] as readonly string[])] as const);
  const q = pick(['', pick(WORDS), `${pick(WORDS)} ${pick(WORDS).slice(0, 4)}`, pick(WORDS).slice(0, 5), COMMON, 'agent 1']);
  const model = random() < 0.2 ? { model: pick(['brush-2', 'quill-7', 'unheard-of']) } : {};
  // This filter spans several buckets.
  const price = random() < 0.05 ? { price: '5-' } : {};
  return {
    ...Object.fromEntries(filters),
    ...price,
    ...model,
    ...(q !== '' && { q }),
    sortBy: pick([...Object.keys(orders), 'relevance', 'relevance']),
  };
}

function matching(question: Question, except?: SearchFacet): Row[] {
  const active = facetNames.filter((facet) => facet !== except && question[facet] !== undefined);
  return rows.filter(
    (row) =>
      isListed(row) &&
      hasWords(row, question['q'] ?? '') &&
      (question['model'] === undefined || row.model === question['model']) &&
      active.every((facet) => holds[facet](row, question[facet] as string)),
  );
}

suite('the search for services', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ JOBS: 'off', RATE_LIMIT_SCALE: '10000' });
    await seed(market);
  });
  after(() => market.close());

  async function search(question: Question, more: Question = {}): Promise<Envelope> {
    const { status, body } = await call(market.url, `GET /api/search/services?${new URLSearchParams({ ...question, ...more })}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  const idsOf = (body: Envelope): string[] => body['data'].hits.map((hit: Envelope) => hit['service'].id);

  test('lists, sort orders, totals and buckets of the service search are those of a simple list', async () => {
    const questions = Array.from({ length: QUESTIONS }, ask);
    for (const question of questions) {
      const expected = matching(question);
      const page = { limit: String(1 + below(50)), offset: String(below(3) * 20) };
      const body = await search(question, page);
      const about = JSON.stringify({ ...question, ...page });
      assert.deepEqual(
        [body['total'], body['total_capped']],
        [Math.min(expected.length, MOST_COUNTED), expected.length > MOST_COUNTED],
        about,
      );
      const order = orders[question['sortBy'] ?? ''];
      const [from, to] = [Number(page.offset), Number(page.offset) + Number(page.limit)];
      if (order !== undefined)
        assert.deepEqual(
          idsOf(body),
          expected
            .sort(order)
            .slice(from, to)
            .map(({ id }) => id),
          about,
        );
      else assert.equal(idsOf(body).length, Math.max(0, Math.min(expected.length, to) - from), about);
      requireBuckets(question, body, about);
    }
  });

  /** Requires exact buckets if all matches are counted; otherwise at most the size of the list. */
  function requireBuckets(question: Question, body: Envelope, about: string): void {
    const base = rows.filter((row) => isListed(row) && hasWords(row, question['q'] ?? '')).length;
    const isPart = question['q'] !== undefined && base > MOST_COUNTED;
    for (const facet of facetNames) {
      const others = matching(question, facet);
      for (const { value, count, at_least: atLeast } of body['data'].facets[facet]) {
        const found = others.filter((row) => holds[facet](row, value)).length;
        const note = `${facet}=${value} of ${about}`;
        assert.equal(atLeast, isPart || found > MOST_COUNTED, note);
        if (isPart) assert.ok(count <= found, note);
        else assert.equal(count, Math.min(found, MOST_COUNTED), note);
      }
    }
  }

  test('search pages by cursor have every row once, in the same order', async () => {
    for (const question of Array.from({ length: 12 }, ask).map((one) => ({ ...one, sortBy: pick(Object.keys(orders)) }))) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const body = await search(question, { limit: '37', ...(cursor !== undefined && { cursor }) });
        seen.push(...idsOf(body));
        cursor = body['next_cursor'] ?? undefined;
      } while (cursor !== undefined && seen.length < 1_500);
      const order = orders[question.sortBy];
      assert.ok(order);
      assert.deepEqual(
        seen,
        matching(question)
          .sort(order)
          .map(({ id }) => id)
          .slice(0, seen.length),
        JSON.stringify(question),
      );
    }
  });

  test('search pages by relevance have every match once, the highest score first, and the parts add up', async () => {
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const q of ['ledgering', 'podcastwise', 'newsletterful auditser', 'ledger banner']) {
      const hits: Envelope[] = [];
      const { total } = (await search({ q })) as { total: number };
      while (hits.length < total)
        hits.push(...(await search({ q, explain: '1' }, { limit: '50', offset: String(hits.length) }))['data'].hits);
      assert.deepEqual(
        hits.map((hit) => hit['service'].id).sort(),
        matching({ q })
          .map(({ id }) => id)
          .sort(),
        q,
      );
      const scores = hits.map((hit) => hit['score'] as number);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
        q,
      );
      for (const { score, parts, service } of hits as unknown as Envelope[]) requireParts(byId.get(service.id), score, parts);
    }
  });

  function requireParts(row: Row | undefined, score: number, parts: Envelope): void {
    assert.ok(row);
    assert.equal(parts['answering'], row.agent.answering ? 1 : 0);
    assert.equal(parts['orders'], Math.round((Math.log(1 + row.orders) / Math.log(1001)) * 1000) / 1000);
    assert.equal(parts['reputation'] > 0, row.good > 0);
    const sum = Object.entries(searchWeights).reduce((all, [name, weight]) => all + weight * parts[name], 0);
    assert.ok(Math.abs(sum - score) < 0.001, `${sum} and ${score}`);
  }

  test('every search hit shows whether its agent answers; totals of all kinds are those of a simple list', async () => {
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const q of ['podcastwise', 'captionful']) {
      const { body } = await call(market.url, `GET /api/search?q=${q}&each=20`);
      assert.equal(body['data'].totals.services, matching({ q }).length, q);
      const named = agents.filter(({ name, listed }) => listed && wordsOf(name).some((word) => word.startsWith(q)));
      assert.equal(body['data'].totals.agents, named.length, q);
      assert.equal(body['data'].agents.length, Math.min(20, named.length), q);
      assert.equal(body['data'].totals.bounties, 0, q);
      for (const { service, presence, sample_url: sample } of body['data'].services as Envelope[]) {
        assert.equal(presence.state, byId.get(service.id)?.agent.answering ? 'alive' : 'quiet', q);
        assert.equal(sample, null);
      }
    }
  });

  test('a search word in the title counts more than one in the description', async () => {
    const { data } = await search({ q: WORDS[3] as string, explain: '1' }, { limit: '50' });
    const part = (inTitle: boolean): number[] =>
      data.hits
        .filter(({ service }: Envelope) => wordsOf(service.title).some((word) => word.startsWith(WORDS[3] as string)) === inTitle)
        .map(({ parts }: Envelope) => parts.words);
    assert.ok(part(true).length > 0);
    for (const other of part(false)) assert.ok(other <= Math.max(...part(true)));
  });
});

async function seed({ database: { pool } }: TestMarket): Promise<void> {
  const sent = (list: readonly unknown[]) => [JSON.stringify(list)];
  await pool.query(
    `insert into agents (id, slug, name, name_skeleton, description, api_key_hash, api_key_sealed, api_key_last4, owner_wallet, payout_chain, moderation_status)
     select a.id, a.id, a.name, a.id, 'Does honest work of many kinds.', decode(md5(a.id), 'hex'), 'sealed', '0000', 'wallet ' || a.id, a.chain,
            case when a.listed then 'ok' else 'review' end
     from jsonb_to_recordset($1::jsonb) as a (id text, name text, chain text, listed boolean)`,
    sent(agents),
  );
  await pool.query('insert into agent_figures (agent_id) select id from agents on conflict do nothing');
  await pool.query(
    `insert into agent_presence (agent_id, seen_at) select a.id, market_now() - case when a.answering then interval '-1 hour' else interval '1 hour' end
     from jsonb_to_recordset($1::jsonb) as a (id text, answering boolean)`,
    sent(agents),
  );
  await pool.query(
    `insert into services (id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours, active, total_orders,
                           completed_orders, rating_sum, rating_count, score_weight, score_good, completed_weight, rated_weight, rating_rank, provider_model, created_at)
     select s.id, s.agent, s.id, s.category, s.title, s.description, s.price, s."priceType", s.hours, s.active, s.orders, s.orders, s.stars, s.ratings,
            s.weight, s.good, s.orders * 1000, s.ratings * 1000, s.bound, s.model, to_timestamp(s."createdAt" / 1000.0)
     from jsonb_to_recordset($1::jsonb) as s (id text, agent text, category text, title text, description text, price bigint, "priceType" text,
       hours int, active boolean, orders int, stars int, ratings int, weight int, good int, bound int, model text, "createdAt" bigint)`,
    sent(rows.map((row) => ({ ...row, agent: (row.agent as Agent).id }))),
  );
  await pool.query(
    `insert into search_words select distinct w from services s cross join lateral unnest(tsvector_to_array(s.search)) w
     where s.listed and is_search_word(w) on conflict do nothing`,
  );
  await pool.query('analyze');
}
