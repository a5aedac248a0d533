/** No table and no operation can be forgotten: every public answer is compared after a change of every table. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type NamedOperation, operationsOf } from '@market/contract';
import type pg from 'pg';
import { versionedTables } from '../../packages/server/src/platform/versions/data-versions.ts';
import { readyOperations, readyRuleOf } from '../../packages/server/src/surfaces/ready/ready-operations.ts';
import { openStatsStage, type StatsStage } from '../discovery/stage.ts';
import { claimBounty, postBounty } from '../harness/bounties.ts';
import { expectCall } from '../harness/http.ts';
import { advanceClock } from '../harness/orders.ts';
import { recordStatements } from '../harness/statements.ts';
import { isThorough, spread, times } from '../harness/thoroughness.ts';

/** The longest time for which handlers of figures keep their counts, by the market's clock. */
const LONGEST_BRIEF_CACHE_SECONDS = 31;

const operations = operationsOf('sandbox');
const publicReads = operations.filter(
  ({ spec }) =>
    spec.rest.method === 'GET' && spec.effects.kind === 'read' && spec.access.accepts.includes('anonymous') && spec.output.stream !== true,
);
const named = (name: string): NamedOperation => {
  const found = operations.find((operation) => operation.name === name);
  assert.ok(found, name);
  return found;
};

test('every GET without credentials is cached by a rule, or named with the reason why not', () => {
  assert.deepEqual(
    publicReads.map(({ name }) => name).filter((name) => !(name in readyOperations)),
    [],
  );
  assert.deepEqual(
    Object.keys(readyOperations).filter((name) => !publicReads.some((operation) => operation.name === name)),
    [],
  );
});

suite('public answers after a change', () => {
  let stage: StatsStage;
  let pool: pg.Pool;
  let addresses: [name: string, path: string][];
  before(async () => {
    stage = await openStatsStage();
    ({ pool } = stage.market.database);
    const { provider, serviceId, buyer } = stage;
    const slugs = await pool.query<{ slug: string }>('select slug from services where id = $1', [serviceId]);
    const { username } =
      (await pool.query<{ username: string }>(`update users set username = 'ines-heron', profile_saved_at = now() returning username`))
        .rows[0] ?? {};
    await pool.query(`update orders set allow_portfolio = true where id = $1`, [stage.orders.completed]);
    await pool.query(`insert into wallet_profiles (wallet, display_name, bio) values ($1, 'Ines', 'Buys.') on conflict do nothing`, [
      buyer.address,
    ]);
    const bounty = await postBounty(stage.market.url, buyer);
    await claimBounty(stage.market.url, bounty.id, provider);
    await postponeJobs(pool);
    addresses = [
      ['agents.list', '/api/agents'],
      ['agents.featured', '/api/agents/featured'],
      ['agents.get', `/api/agents/${provider.slug}`],
      ['agents.leaderboard', '/api/leaderboard/agents'],
      ['search.everything', '/api/search?q=proofreading'],
      ['search.services', '/api/search/services?q=proofreading'],
      ['cards.market', '/.well-known/agent-card.json'],
      ['cards.agent', `/api/agents/${provider.slug}/agent-card.json`],
      ['said.card', `/api/said/card/${provider.slug}`],
      ['cards.registration', `/api/agents/${provider.slug}/registration.json`],
      ['agents.reputation', `/api/agents/${provider.slug}/reputation`],
      ['agents.models', '/api/models'],
      ['tokens.priceHistory', `/api/agents/${provider.slug}/token/prices`],
      ['services.list', '/api/services?limit=20'],
      ['services.list', '/api/services?search=proofreading&sortBy=newest'],
      ['search.services', '/api/search/services?q=proofreading&explain=1'],
      ['search.services', '/api/search/services?sortBy=popular'],
      ['search.everything', '/api/search?q=proofreading'],
      ['agents.leaderboard', '/api/leaderboard/agents?limit=10'],
      ['services.listOfAgent', `/api/agents/${provider.slug}/services`],
      ['services.reputation', `/api/services/${serviceId}/reputation`],
      ['services.get', `/api/services/${serviceId}`],
      ['services.bySlug', `/api/services/by-slug/${provider.slug}/${slugs.rows[0]?.slug}`],
      ['reviews.listOfAgent', `/api/agents/${provider.slug}/reviews`],
      ['reviews.listOfService', `/api/services/${serviceId}/reviews`],
      ['portfolio.list', `/api/agents/${provider.slug}/portfolio`],
      ['bounties.list', '/api/bounties'],
      ['bounties.list', '/api/bounties?facets=1'],
      ['bounties.list', '/api/bounties?search=ledger&sort=budget_desc'],
      ['bounties.get', `/api/bounties/${bounty.id}`],
      ['bounties.feed', '/feeds/bounties.json'],
      ['bounties.feed', '/feeds/bounties.xml?category=analytics'],
      ['bounties.stats', '/api/bounties/stats'],
      ['profiles.get', `/api/profile?wallet=${buyer.address}`],
      ['profiles.byUsername', `/api/profile/${username}`],
      ['x402.services', '/api/x402/services'],
      ['x402.search', '/api/x402/search?query=proofreading'],
      ['x402.directory', '/api/x402/directory'],
      ['x402.discoveryResources', '/discovery/resources'],
      ['x402.manifest', '/.well-known/x402'],
      ['x402.manifestFile', '/.well-known/x402.json'],
      ['x402.openApi', '/openapi.json'],
      ['x402.trending', '/api/x402/trending'],
      ['x402.discover', `/api/x402/discover/${serviceId}`],
      ['stats.platform', '/api/platform-stats'],
      ['stats.metrics', '/api/metrics'],
      ['stats.board', '/api/stats/board'],
      ['stats.daily', '/api/stats/daily'],
      ['stats.activity', '/api/metrics/activity'],
      ['stats.held', '/api/stats/held'],
      ['stats.payments', '/api/explorer/payments'],
      ['stats.hires', '/api/explorer/hires'],
      ['stats.payouts', '/api/explorer/payouts'],
    ];
  });
  after(() => stage.market.close());

  const read = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(stage.market.url + path, { headers });
    // Removes links that expire by the clock, times of figures and scores, and the request id of a refusal.
    return `${response.status} ${(await response.text()).replaceAll(/grant=[\w.-]+|"(as_of|score)":("[^"]*"|[\d.]+)|"request_id":"[^"]*"|"(nonce|validUntil|issuedAt)":"?\w+"?/g, '')}`;
  };
  const readAnew = (path: string) => read(path, { 'x-made': 'anew' });

  /** Tries again, because jobs may change the market between two reads; a stale answer would stay stale. */
  async function requireTrue(path: string, what: string): Promise<void> {
    for (let look = 1; ; look++) {
      const [kept, anew] = [await read(path), await readAnew(path)];
      if (kept === anew) return;
      if (look === 4) assert.equal(kept, anew, what);
    }
  }

  test('the samples cover every cached operation', () => {
    const kept = publicReads.filter((operation) => readyRuleOf(operation) !== undefined).map(({ name }) => name);
    assert.deepEqual(
      kept.filter((name) => !addresses.some(([sample]) => sample === name)),
      [],
    );
  });

  test('every cached answer names all tables that its statements read', async () => {
    const tables = await tablesOf(pool);
    const functions = await functionsOf(pool, tables);
    const statements = recordStatements(pool);
    try {
      for (const [name, path] of addresses) {
        await expectCall(stage.market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: 60 } });
        statements.take();
        const answer = await readAnew(path);
        assert.match(answer, named(name).spec.effects.kind === 'pay' ? /^402 / : /^200 /, path);
        const texts = statements
          .take()
          .map(({ text }) => text)
          .filter((text) => /^\s*(select|with)/i.test(text) && !text.includes('market_clock'));
        const seen = new Set(
          texts.flatMap((text) => [...wordsOf(text)].flatMap((word) => functions.get(word) ?? (tables.has(word) ? [word] : []))),
        );
        // Statements that read the clock name this table; the process has its own copy of the clock.
        seen.delete('market_clock');
        for (const background of ['jobs', 'webhook_queue', 'webhook_lanes', 'idempotency_keys', 'data_versions', 'rate_limit_windows'])
          seen.delete(background);
        const rule = readyRuleOf(named(name));
        const declared = new Set<string>([...(rule?.tables ?? []), ...(rule?.maxAge?.tables ?? []), ...(rule?.notShown ?? [])]);
        assert.deepEqual(
          [...seen].filter((table) => !declared.has(table)),
          [],
          `${path} reads tables that its rule does not name`,
        );
      }
    } finally {
      statements.stop();
    }
  });

  test('after a change of any table every cached answer equals a new one, unless its rule allows a delay', async () => {
    const tables = await tablesOf(pool);
    assert.ok(tables.size > 55);
    let changedAnswers = 0;
    const lateTables = new Set(publicReads.flatMap((operation) => readyRuleOf(operation)?.maxAge?.tables ?? []));
    const readAll = () => Promise.all(addresses.map(([, path]) => read(path)));
    let saved = await readAll();
    for (const table of isThorough ? tables : spread(versionedTables, 8)) {
      if (['data_versions', 'rate_limit_windows', 'schema_migrations'].includes(table)) continue;
      for (const kind of ['values', 'flags'] as const) {
        const undo = await changeAll(pool, table, kind);
        if (undo === undefined) continue;
        const compared = addresses.map(async ([name, path], n) => {
          const anew = await readAnew(path);
          if (anew !== saved[n]) changedAnswers++;
          const mayBeLate = readyRuleOf(named(name))?.maxAge?.tables?.includes(table) === true;
          if (!mayBeLate && (await read(path)) !== anew) await requireTrue(path, `${path} after a change of ${table} (${kind})`);
        });
        // An open connection would keep the market from closing.
        await Promise.allSettled(compared);
        await undo();
        await Promise.all(compared);
        if (!lateTables.has(table)) continue;
        // Otherwise a delayed answer would still show this change while the next table is compared.
        await advanceClock(stage.market.url, LONGEST_BRIEF_CACHE_SECONDS);
        saved = await readAll();
      }
    }
    assert.ok(changedAnswers > times(10, 60), `only ${changedAnswers} answers were changed by changing tables`);
    for (const table of versionedTables) assert.ok(tables.has(table), table);
  });
});

/** Reads and writes of jobs would be counted as the answer's. */
async function postponeJobs(pool: pg.Pool): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await pool.query(
      `update jobs set run_at = run_at + interval '1 year' where run_at < market_now() + interval '1 month' and lease_until is null`,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { rows } = await pool.query(
      `select 1 from jobs where lease_until is not null or run_at < market_now() + interval '1 month' limit 1`,
    );
    quiet = rows.length === 0 ? quiet + 1 : 0;
  }
}

async function tablesOf(pool: pg.Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** The tables that each SQL function reads, directly or through functions that it calls. */
async function functionsOf(pool: pg.Pool, tables: ReadonlySet<string>): Promise<Map<string, string[]>> {
  const { rows } = await pool.query<{ name: string; source: string }>(
    `select proname as name, prosrc as source from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  const sources = new Map(rows.map(({ name, source }) => [name, wordsOf(source)]));
  const reach = (name: string, seen = new Set<string>()): string[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    return [...(sources.get(name) ?? [])].flatMap((word) => (sources.has(word) ? reach(word, seen) : tables.has(word) ? [word] : []));
  };
  return new Map([...sources.keys()].map((name) => [name, [...new Set(reach(name))]]));
}

/** Names of tables and called functions in a statement; columns of the same name do not count. */
function wordsOf(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/(?:\bfrom|\bjoin|,)\s+(?:lateral\s+)?"?(\w+)"?|\b(\w+)\(/gi)].map(([, table, call]) => String(table ?? call)),
  );
}

/** Changes every row of a table in each column that can change, without other triggers. Undefined if nothing can. */
async function changeAll(pool: pg.Pool, table: string, kind: 'values' | 'flags'): Promise<(() => Promise<void>) | undefined> {
  const client = await pool.connect();
  try {
    const changes = await possibleChanges(client, table, kind);
    if (changes.length === 0) {
      client.release(true);
      return undefined;
    }
    await client.query(`set session_replication_role = replica; create temp table saved_rows as select * from ${table}`);
    // Changes that each keep a constraint may break it together: then try half of them.
    for (let some = changes; ; some = some.slice(0, Math.ceil(some.length / 2))) {
      try {
        await client.query(`update ${table} set ${some.join(', ')}`);
        break;
      } catch (error) {
        if (some.length === 1) throw error;
      }
    }
    return async () => {
      try {
        const columns = await columnsOf(client, table);
        const names = columns.map(({ name }) => `"${name}"`).join(', ');
        await client.query(`delete from ${table}`);
        await client.query(`insert into ${table} (${names}) overriding system value select ${names} from saved_rows`);
      } finally {
        client.release(true);
      }
    };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
}

async function columnsOf(client: pg.PoolClient, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select a.attname as name, a.atttypid::regtype::text as type,
            exists (select 1 from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey)) as "isKey"
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [table],
  );
  return rows;
}

const changedBy: Record<'values' | 'flags', Record<string, (column: string) => string>> = {
  values: {
    text: (column) => `${column} = ${column} || 'x'`,
    integer: (column) => `${column} = ${column} + 1`,
    bigint: (column) => `${column} = ${column} + 1`,
    'double precision': (column) => `${column} = ${column} + 1`,
    'timestamp with time zone': (column) => `${column} = ${column} - interval '1 hour'`,
  },
  flags: { boolean: (column) => `${column} = not ${column}` },
};

/** Each change that the table's constraints allow. */
async function possibleChanges(client: pg.PoolClient, table: string, kind: 'values' | 'flags'): Promise<string[]> {
  const wished = (await columnsOf(client, table))
    .filter(
      ({ name, isKey }) => !isKey && !/(^|_)id$|network|caip2|hash|sealed|wallet|category|type$|kind|purpose|state$|status$/.test(name),
    )
    .flatMap(({ name, type }) => changedBy[kind][type]?.(`"${name}"`) ?? []);
  const possible: string[] = [];
  for (const change of wished) {
    await client.query('begin; set local session_replication_role = replica');
    try {
      const { rowCount } = await client.query(`update ${table} set ${change}`);
      if ((rowCount ?? 0) > 0) possible.push(change);
    } catch {
      // A constraint of the table refuses it.
    }
    await client.query('rollback');
  }
  return possible;
}
