/** Saved searches on two processes, and a process that crashes during a look: every match causes one notification. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import type { CallOptions } from '../harness/http.ts';
import { expectCall } from '../harness/http.ts';
import { type SharedMarket, startServer, startServers } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { baseWallet } from '../harness/people.ts';
import { byWallet, saveSearch, trySave, untilLooked } from '../harness/saved-searches.ts';
import { createService } from '../harness/services.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';

const POINT = 'saved_search.before_commit';
const LATER_SECONDS = 700;

suite('saved searches on two processes', () => {
  let shared: SharedMarket;
  let pool: pg.Pool;
  let urls: readonly [string, string];
  let seller: TestAgent;
  before(async () => {
    shared = await startServers(2);
    pool = new pg.Pool({ ...shared.database.connection, max: 3 });
    const [one, two] = shared.servers;
    assert.ok(one && two);
    urls = [one.url, two.url];
    seller = await registerOwnedAgent(one.url, baseWallet());
  });
  after(async () => {
    await pool?.end();
    await shared?.close();
  });

  const at = (n: number): string => urls[n % 2] ?? '';
  const readMatches = async (): Promise<{ id: string; counts: number[]; notices: number; matches: number }[]> => {
    const { rows } = await pool.query(
      `select s.id, s.matches,
         coalesce((select array_agg((e.data->>'count')::int order by e.id) from events e where e.subject_id = s.id), '{}') as counts,
         (select count(*)::int from notifications n join events e on e.id = n.event_id where e.subject_id = s.id) as notices
       from saved_searches s where s.filters like '%tinsmithing%' order by s.id`,
    );
    return rows;
  };

  test('an owner saves at most 20 searches, and the same filters once, however many requests come at once', async () => {
    const wallet = await byWallet(baseWallet());
    const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => trySave(at(n), wallet, { services: { q: `word ${n}` } })));
    assert.equal(replies.filter(({ status }) => status === 200).length, 20);
    assert.ok(replies.every(({ status, body }) => status === 200 || body['code'] === 'too_many_saved_searches'));
    const other = await byWallet(baseWallet());
    const same = await Promise.all(Array.from({ length: 10 }, (_, n) => saveSearch(at(n), other, { bounties: { search: 'the same' } })));
    assert.equal(new Set(same.map(({ id }) => id)).size, 1);
    assert.equal(((await expectCall(at(0), 200, 'GET /api/saved-searches', other)) as unknown as unknown[]).length, 1);
  });

  test('many rounds of saved searches at once notify every owner once', async () => {
    const owners: CallOptions[] = await Promise.all(Array.from({ length: 12 }, () => byWallet(baseWallet())));
    await Promise.all(owners.map((who, n) => saveSearch(at(n), who, { services: { q: 'tinsmithing' } })));
    for (const title of ['Tinsmithing of cups', 'Tinsmithing of plates']) await createService(at(0), seller, { title });
    // Usually there is one such job; eight let both processes work on the same searches at the same time.
    await pool.query(
      `insert into jobs (kind, unique_key, run_at) select 'saved_searches.look', 'look ' || n, market_now() + interval '1 minute' from generate_series(1, 8) n`,
    );
    await advanceClock(at(0), LATER_SECONDS);
    await untilLooked(pool);
    await createService(at(1), seller, { title: 'Tinsmithing of lamps' });
    await advanceClock(at(1), LATER_SECONDS);
    await untilLooked(pool);
    const rows = await readMatches();
    assert.equal(rows.length, 12);
    for (const row of rows) assert.deepEqual([row.counts, row.notices, row.matches], [[2, 1], 2, 3]);
  });
});

test(`a process that dies at ${POINT} of a saved search sends no notification; the next process sends each once`, {
  skip: !isThorough && THOROUGH_ONLY,
}, async (t) => {
  const shared = await startServers(1, { JOBS: 'off' });
  const pool = new pg.Pool({ ...shared.database.connection, max: 2 });
  t.after(async () => {
    await pool.end();
    await shared.close();
  });
  const url = shared.servers[0]?.url ?? '';
  const seller = await registerOwnedAgent(url, baseWallet());
  await saveSearch(url, await byWallet(baseWallet()), { services: { q: 'ropemaking' } });
  await saveSearch(url, await byWallet(baseWallet()), { services: { q: 'ropemaking' } });
  await createService(url, seller, { title: 'Ropemaking from hemp' });
  await advanceClock(url, LATER_SECONDS);
  const traces = async () =>
    (
      await pool.query(
        `select (select count(*)::int from events where type = 'saved_search.matched') as announced, sum(matches)::int as matches from saved_searches`,
      )
    ).rows[0];

  // At the second pass one search was already announced, the other not.
  for (const [point, expected] of [
    [POINT, { announced: 0, matches: 0 }],
    [`${POINT}:2`, { announced: 1, matches: 1 }],
  ] as const) {
    const doomed = await startServer({ ...shared.settings, JOBS: 'on', CRASH_AT: point }).catch((error: Error) => {
      assert.match(error.message, /ended with null before it was ready/, point);
      return undefined;
    });
    if (doomed !== undefined) {
      // The first round begins within five minutes of the start.
      await advanceClock(url, LATER_SECONDS);
      await new Promise((resolve) =>
        (doomed.child.exitCode ?? doomed.child.signalCode) === null ? doomed.child.once('exit', resolve) : resolve(null),
      );
      assert.equal(doomed.child.signalCode, 'SIGKILL', doomed.log());
    }
    assert.deepEqual(await traces(), expected, point);
    await pool.query('update jobs set lease_until = clock_timestamp() where lease_until is not null');
  }
  const healthy = await startServer({ ...shared.settings, JOBS: 'on' });
  t.after(() => healthy.kill('SIGKILL'));
  await untilLooked(pool);
  assert.deepEqual(await traces(), { announced: 2, matches: 2 });
  const { rows } = await pool.query(`select count(*)::int as notices from notifications where type = 'saved_search_matched'`);
  assert.deepEqual(rows, [{ notices: 2 }]);
});
