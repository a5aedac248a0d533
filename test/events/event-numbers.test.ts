import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { createEventLog } from '../../packages/server/src/platform/events/event-log.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { workerProgram } from '../harness/programs.ts';

const ROUNDS = 200;
/** A tenth of the transactions is rolled back; each of the others appends three events. */
const EVENTS = 2 * ROUNDS * 0.9 * 3;

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 5, onError: () => undefined });
  await database.pool.query('create table books (touched integer check (touched < 4300)); insert into books values (0)');
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

async function hammer(name: string): Promise<void> {
  const file = workerProgram('events/append-worker.ts');
  const worker = spawn(process.execPath, [file, testDatabase.url, name, String(ROUNDS)], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(worker, 'exit');
  assert.equal(code, 0);
}

/** Requires that no reader can see a number without seeing all lower ones. */
async function requireNoGaps(): Promise<number> {
  const { rows } = await database.pool.query<{ reader: string; events: number; last: number }>(
    `select reader, count(*)::int as events, max(seq)::int as last from event_readers where seq is not null group by reader`,
  );
  for (const { reader, events, last } of rows) assert.equal(events, last, reader);
  return rows.length;
}

test('two processes number the events of the same agents without gaps, in the order of commits and without deadlocks', async () => {
  let done = false;
  const hammered = Promise.all([hammer('one'), hammer('two')]).finally(() => {
    done = true;
  });
  let looks = 0;
  while (!done) {
    await requireNoGaps();
    looks += 1;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await hammered;
  assert.ok(looks > 20, `${looks} looks while it happened`);
  assert.equal(await requireNoGaps(), 4);
  const { rows } = await database.pool.query(
    `select count(*)::int as events, count(*) filter (where e.agent_seq = r.seq)::int as alike,
       (select count(*)::int from event_counters c where c.last_seq <> (select max(seq) from event_readers r where r.reader = c.reader)) as counters
     from events e join event_readers r on r.event_id = e.id and r.reader = 'agent:' || e.agent_id`,
  );
  assert.deepEqual(rows[0], { events: EVENTS, alike: EVENTS, counters: 0 });
  // Deadlocks are retried, so only PostgreSQL's count shows them. Processes report their counts when they end.
  const deadlocks = await database.pool.query('select deadlocks::int from pg_stat_database where datname = current_database()');
  assert.deepEqual(deadlocks.rows, [{ deadlocks: 0 }]);
});

test('a recorder writes in the same statement as its events and gets their numbers', async () => {
  const log = createEventLog(database, {
    recorders: [
      {
        types: ['test.recorded'],
        name: 'book',
        rowOf: ({ context }) => ({ touched: context?.['touch'] }),
        parts: `touched as (
          insert into books (touched) select (book->>'touched')::int * 100 + agent_seq from appended where book is not null returning touched)`,
        notices: `select 'market_books', touched::text from touched`,
      },
    ],
  });
  const event = { type: 'test.recorded', subjectId: 'x', agentId: 'recorded', data: { n: 1 }, context: { touch: 42 } };
  const other = { type: 'test.other', subjectId: 'x', agentId: 'recorded', data: {} };
  await database.transaction((tx) => log.append(tx, [other, event]));
  await assert.rejects(
    database.transaction((tx) => log.append(tx, [{ ...event, context: { touch: 43 } }])),
    /books_touched_check/,
  );
  const written = await database.pool.query(`select (select array_agg(touched) from books where touched > 4000) as recorded,
    (select count(*)::int from events where agent_id = 'recorded') as events, (select last_seq::int from event_counters where reader = 'agent:recorded') as last`);
  assert.deepEqual(written.rows, [{ recorded: [4202], events: 2, last: 2 }]);
});

test('events cannot be appended to a transaction not begun by Database.transaction', async () => {
  const log = createEventLog(database);
  await assert.rejects(
    database.db.transaction().execute((tx) => log.append(tx, [{ type: 'test.lost', subjectId: 'x', data: {} }])),
    /not begun by Database\.transaction/,
  );
});
