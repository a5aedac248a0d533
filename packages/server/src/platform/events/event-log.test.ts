import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { createDatabaseClock } from '../clock/database-clock.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { listenForNotifications } from '../db/notifications.ts';
import { createJobRunner } from '../jobs/job-runner.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createEventLog, type EventFollower, type StoredEvent } from './event-log.ts';
import { createFollowerLoop } from './follow-events.ts';

let testDatabase: TestDatabase;
let database: Database;
const log = createLogger({ level: 'silent', pretty: false });

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 10, onError: () => {} });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

/** A follower that collects its events; `before` may refuse a batch. */
function collector(name: string, types: string[], before: (events: readonly StoredEvent[]) => void = () => {}) {
  const heard: StoredEvent[] = [];
  const batches: number[] = [];
  const follower: EventFollower = {
    name,
    types,
    retryAfterSeconds: [0.05],
    async handle(_tx, events) {
      before(events);
      batches.push(events.length);
      heard.push(...events);
    },
  };
  return { follower, heard, batches };
}

async function follow(followers: readonly EventFollower[], isDone: () => boolean): Promise<void> {
  const events = createEventLog(database, { followers });
  const notifications = await listenForNotifications(testDatabase.connection, () => {});
  const clock = await createDatabaseClock(database.pool);
  const jobs = createJobRunner({ database, notifications, clock, log, metrics: createMetrics(), definitions: events.jobs });
  const loop = createFollowerLoop({ database, notifications, log, followers });
  await jobs.start();
  loop.start();
  for (let i = 0; i < 500 && !isDone(); i++) await sleep(10);
  // Time for a faulty second call of a follower.
  await sleep(50);
  await Promise.all([loop.stop(), jobs.stop(1_000)]);
  await notifications.close();
  clock.stop();
}

const happened = (type: string, n: number) => ({ type, subjectId: 'x', data: { n } });

test('each follower gets every committed event of its types once, in one batch, and no rolled-back event', async () => {
  const audit = collector('audit', ['a.happened', 'b.happened']);
  const stats = collector('stats', ['b.happened']);
  const events = createEventLog(database, { followers: [audit.follower, stats.follower] });
  await database.transaction((tx) => events.append(tx, [happened('a.happened', 1), happened('b.happened', 2), happened('c.happened', 3)]));
  await assert.rejects(
    database.transaction(async (tx) => {
      await events.append(tx, [happened('a.happened', 4)]);
      throw new Error('rolled back');
    }),
  );
  await follow([audit.follower, stats.follower], () => audit.heard.length === 2 && stats.heard.length === 1);
  assert.deepEqual(
    audit.heard.map(({ type, data }) => [type, data]),
    [
      ['a.happened', { n: 1 }],
      ['b.happened', { n: 2 }],
    ],
  );
  assert.deepEqual([audit.batches, stats.batches], [[2], [1]]);
  assert.equal((await database.pool.query('select 1 from events')).rows.length, 3);
  assert.equal((await database.pool.query('select 1 from event_queue')).rows.length, 0);
});

test('an event that fails becomes a job and delays no other event', async () => {
  let failures = 3;
  const picky = collector('picky', ['p.happened'], (events) => {
    if (events.some(({ data }) => data['n'] === 2) && failures-- > 0) throw new Error('not this one');
  });
  const events = createEventLog(database, { followers: [picky.follower] });
  await database.transaction((tx) =>
    events.append(
      tx,
      [1, 2, 3].map((n) => happened('p.happened', n)),
    ),
  );
  await follow([picky.follower], () => picky.heard.length === 3);
  // It failed in the batch, then alone, then once as a job. The job's retry succeeded.
  assert.deepEqual(
    picky.heard.map(({ data }) => data['n']),
    [1, 3, 2],
  );
  assert.equal((await database.pool.query(`select 1 from jobs where kind = 'event.picky'`)).rows.length, 0);
});

test('two processes together hand every event to a follower once', async () => {
  const shared = collector('shared', ['s.happened']);
  const events = createEventLog(database, { followers: [shared.follower] });
  const write = async (): Promise<void> => {
    for (let n = 0; n < 50; n++) await database.transaction((tx) => events.append(tx, [happened('s.happened', n)]));
  };
  const isDone = (): boolean => shared.heard.length >= 100;
  await Promise.all([write(), write(), follow([shared.follower], isDone), follow([shared.follower], isDone)]);
  assert.equal(new Set(shared.heard.map(({ id }) => id)).size, 100);
  assert.equal(shared.heard.length, 100);
});

test('the event log is append-only', async () => {
  await assert.rejects(database.pool.query(`update events set type = 'other'`), /append-only/);
  await assert.rejects(database.pool.query('delete from events'), /append-only/);
});
