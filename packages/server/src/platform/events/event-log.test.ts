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
import { createEventLog, type EventSubscriber, type StoredEvent } from './event-log.ts';

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 10, onError: () => {} });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

test('each subscriber gets every committed event of its types, again after a failure, and none that was rolled back', async () => {
  const heard: Record<string, StoredEvent[]> = { audit: [], stats: [] };
  let failures = 1;
  const subscribers: EventSubscriber[] = [
    {
      name: 'audit',
      types: ['a.happened', 'b.happened'],
      retryAfterSeconds: [],
      handle: async (event) => void heard['audit']?.push(event),
    },
    {
      name: 'stats',
      types: ['b.happened'],
      retryAfterSeconds: [0.05],
      async handle(event) {
        if (failures-- > 0) throw new Error('first time');
        heard['stats']?.push(event);
      },
    },
  ];
  const events = createEventLog(database.db, subscribers, []);
  await database.transaction((tx) =>
    events.append(tx, [
      { type: 'a.happened', subjectId: 'x', data: { n: 1 } },
      { type: 'b.happened', subjectId: 'x', data: { n: 2 } },
      { type: 'c.happened', subjectId: 'x', data: {} },
    ]),
  );
  await assert.rejects(
    database.transaction(async (tx) => {
      await events.append(tx, [{ type: 'a.happened', subjectId: 'y', data: {} }]);
      throw new Error('rolled back');
    }),
  );

  const notifications = await listenForNotifications(testDatabase.connection, () => {});
  const clock = await createDatabaseClock(database.pool);
  const log = createLogger({ level: 'silent', pretty: false });
  const jobs = createJobRunner({ database, notifications, clock, log, metrics: createMetrics(), definitions: events.jobs });
  await jobs.start();
  for (let i = 0; i < 200 && (heard['audit']?.length !== 2 || heard['stats']?.length !== 1); i++) await sleep(10);
  await jobs.stop(1_000);
  await notifications.close();
  clock.stop();

  assert.deepEqual(heard['audit']?.map(({ type, data }) => [type, data]).sort(), [
    ['a.happened', { n: 1 }],
    ['b.happened', { n: 2 }],
  ]);
  assert.deepEqual(
    heard['stats']?.map(({ data }) => data),
    [{ n: 2 }],
  );
  assert.equal((await database.pool.query('select 1 from events')).rows.length, 3);
});

test('the event log is append-only', async () => {
  await assert.rejects(database.pool.query(`update events set type = 'other'`), /append-only/);
  await assert.rejects(database.pool.query('delete from events'), /append-only/);
});
