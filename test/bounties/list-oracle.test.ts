/** Every filter, order and page of the bounty list, compared with a simple list in memory over generated rows. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { times } from '../harness/thoroughness.ts';

const ROWS = times(1_000, 5_000);
const QUESTIONS = times(40, 150);
const BUCKET_QUESTIONS = times(12, 40);
const STATUSES = ['open', 'expired', 'cancelled'] as const;
const CATEGORIES = ['coding', 'analytics', 'seo', 'custom'] as const;
const WORDS = ['ledger', 'logo', 'Bakery', 'audit', 'month', 'ledgers', 'naïve', 'α-beta', 'report', 'quick'];

interface Row {
  readonly id: string;
  readonly title: string;
  readonly brief: string;
  readonly category: string;
  readonly budget: number;
  readonly status: string;
  readonly claims: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A random generator with a seed, for repeatable runs. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const START = Date.parse('2026-11-01T00:00:00Z');
const random = seeded(Number(process.env['ORACLE_SEED'] ?? 17));
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const some = (count: number): string => Array.from({ length: count }, () => pick(WORDS)).join(' ');

/** Rows share few times, budgets and counts, so that ties are common. */
const rows: readonly Row[] = Array.from({ length: ROWS }, (_, n) => ({
  id: `bnty_${START + n}_${String(Math.floor(random() * 1e9)).padStart(9, '0')}`,
  title: `${some(2)} one`,
  brief: some(6),
  category: pick(CATEGORIES),
  budget: 1 + Math.floor(random() * 40) * 5,
  status: pick(STATUSES),
  claims: Math.floor(random() * 21),
  createdAt: START + Math.floor(random() * 500) * 60_000,
  expiresAt: START + 90 * 86_400_000 + Math.floor(random() * 300) * 60_000,
}));

const down = (a: number | string, b: number | string) => (a < b ? 1 : a > b ? -1 : 0);
const orders: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  newest: (a, b) => down(a.createdAt, b.createdAt) || down(a.id, b.id),
  budget_desc: (a, b) => down(a.budget, b.budget) || down(a.id, b.id),
  deadline_asc: (a, b) => -down(a.expiresAt, b.expiresAt) || -down(a.id, b.id),
  claims_count: (a, b) => down(a.claims, b.claims) || down(a.id, b.id),
};

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** True if every word occurs; the last may be a prefix. */
function matchesWords({ title, brief }: Row, search: string): boolean {
  const held = wordsOf(`${title} ${brief}`);
  const wanted = wordsOf(search);
  return wanted.every((word, n) => held.some((one) => (n === wanted.length - 1 ? one.startsWith(word) : one === word)));
}

type Question = Readonly<Record<string, string>>;

function ask(): Question {
  const maybe = (chance: number, name: string, value: () => string): Question => (random() < chance ? { [name]: value() } : {});
  return {
    ...maybe(0.7, 'status', () =>
      pick(['open', 'expired', 'open,cancelled', ' open , expired', 'claimed', 'nonsense', 'open,expired,cancelled']),
    ),
    ...maybe(0.4, 'category', () => pick(CATEGORIES)),
    ...maybe(0.4, 'min_budget', () => String(Math.floor(random() * 150))),
    ...maybe(0.4, 'max_budget', () => String(20 + Math.floor(random() * 180))),
    ...maybe(0.8, 'sort', () => pick([...Object.keys(orders), 'whatever'])),
    ...maybe(0.4, 'search', () =>
      pick(['ledger', 'LEDGER', 'bak', 'month report', 'report mon', 'naïve', 'α', 'beta', 'nothing', '!?', 'one']),
    ),
    ...maybe(0.7, 'limit', () => String(1 + Math.floor(random() * 60))),
  };
}

function answer(question: Question): Row[] {
  const { status = 'open', category, min_budget: least, max_budget: most, sort = 'newest', search } = question;
  const wanted = status.split(',').map((name) => name.trim());
  if (search !== undefined && wordsOf(search).length === 0) return [];
  return rows
    .filter((row) => wanted.includes(row.status))
    .filter((row) => category === undefined || row.category === category)
    .filter((row) => least === undefined || row.budget >= Number(least))
    .filter((row) => most === undefined || row.budget <= Number(most))
    .filter((row) => search === undefined || matchesWords(row, search))
    .sort(orders[sort] ?? orders['newest']);
}

suite('the bounty list', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
    await market.database.pool.query(
      `insert into bounties (id, client_wallet, title, brief, category, budget_micros, deadline_hours, claim_window_hours, status, order_id, claims_count,
                             created_at, expires_at, cancelled_at)
       select id, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', title, brief, category, budget * 1000000, 24, 24, status, replace(id, 'bnty', 'ord'), claims,
              to_timestamp("createdAt" / 1000.0), to_timestamp("expiresAt" / 1000.0), case status when 'cancelled' then market_now() end
       from jsonb_to_recordset($1::jsonb) as r (id text, title text, brief text, category text, budget bigint, status text, claims int,
                                               "createdAt" double precision, "expiresAt" double precision)`,
      [JSON.stringify(rows)],
    );
  });
  after(() => market.close());

  const idsOf = (body: { readonly data?: readonly { readonly id: string }[] }): string[] => (body.data ?? []).map(({ id }) => id);

  test(`the bounty list answers ${QUESTIONS} random questions over ${ROWS} rows as a list in memory does, page by page`, async () => {
    for (let n = 0; n < QUESTIONS; n++) {
      const question = ask();
      const expected = answer(question);
      const limit = Math.min(Number(question['limit'] ?? 20), 50);
      const what = JSON.stringify(question);
      let cursor: string | null = null;
      for (let page = 0; page < 3; page++) {
        const query = new URLSearchParams({ ...question, ...(cursor !== null && { cursor }) });
        const reply = await call(market.url, `GET /api/bounties?${query}`);
        assert.equal(reply.status, 200, `${what}: ${JSON.stringify(reply.body)}`);
        const shown = expected.slice(page * limit, (page + 1) * limit).map(({ id }) => id);
        assert.deepEqual(idsOf(reply.body), shown, `${what}, page ${page}`);
        assert.equal(reply.body['total'], expected.length, what);
        cursor = reply.body['next_cursor'];
        assert.equal(cursor !== null, expected.length > (page + 1) * limit, what);
        if (cursor === null) break;
      }
      const offset = Math.floor(random() * (expected.length + 3));
      const reply = await call(market.url, `GET /api/bounties?${new URLSearchParams({ ...question, offset: String(offset) })}`);
      assert.deepEqual(
        idsOf(reply.body),
        expected.slice(offset, offset + limit).map(({ id }) => id),
        `${what}, offset ${offset}`,
      );
    }
  });

  test('each bucket of the bounty list counts the entries with its value and all other filters', async () => {
    const without = (question: Question, name: string): Question =>
      Object.fromEntries(Object.entries(question).filter(([one]) => one !== name));
    for (let n = 0; n < BUCKET_QUESTIONS; n++) {
      const question = ask();
      const reply = await call(market.url, `GET /api/bounties?${new URLSearchParams({ ...question, facets: '1' })}`);
      const counted = (name: string): Record<string, number> =>
        Object.fromEntries(reply.body['facets'][name].map(({ value, count }: { value: string; count: number }) => [value, count]));
      for (const [name, values] of [
        ['status', STATUSES],
        ['category', CATEGORIES],
      ] as const) {
        const expected = values.map((value) => [value, answer({ ...without(question, name), [name]: value }).length]);
        const buckets = counted(name);
        assert.deepEqual(
          values.map((value) => [value, buckets[value]]),
          expected,
          `${name} of ${JSON.stringify(question)}`,
        );
        const rest = Object.entries(buckets).filter(([value]) => !values.some((one) => one === value));
        assert.deepEqual([...new Set(rest.map(([, count]) => count))], [0]);
      }
    }
    assert.equal((await call(market.url, 'GET /api/bounties')).body['facets'], undefined);
    assert.equal((await call(market.url, 'GET /api/bounties?facets=2')).status, 400);
  });

  test('the figures of the bounty list agree with the rows', async () => {
    const { body } = await call(market.url, 'GET /api/bounties/stats');
    const open = rows.filter(({ status }) => status === 'open');
    const sum = (list: readonly Row[]) => `${list.reduce((total, { budget }) => total + budget, 0)}.00`;
    assert.deepEqual(body['data'], {
      live: open.length,
      completed: 0,
      total: ROWS,
      openValueUsd: sum(open),
      totalValueUsd: sum(rows),
      submissions: rows.reduce((total, { claims }) => total + claims, 0),
      paidOutUsd: '0.00',
    });
  });

  test('a cursor of another sort order of the bounty list is refused', async () => {
    const first = await call(market.url, 'GET /api/bounties?sort=budget_desc&limit=1');
    const reply = await call(market.url, `GET /api/bounties?sort=newest&cursor=${first.body['next_cursor']}`);
    assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_cursor']);
  });
});
